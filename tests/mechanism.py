"""A mechanism with one of everything that sensors, cameras and Jacobians can be attached to, and without contacts."""

from __future__ import annotations

import numpy as np
from twins import Twins

BODIES = """
<worldbody>
  <light name="hung" pos="0 0 3" dir="0 1 -1"/>
  <camera name="watching" pos="0 -2 1" xyaxes="1 0 0 0 .5 1"/>
  <body name="pushed" mocap="true" pos="0 1 1"><geom size=".05"/><site name="pushed" size=".1"/></body>
  <body name="torso" pos="0 0 1">
    <freejoint name="root"/>
    <geom name="torso" type="box" size=".2 .1 .05" pos=".01 .02 .03" euler="10 20 30"/>
    <camera name="fixed" pos=".1 .2 .3" euler="20 30 40" fovy="50" resolution="320 240"/>
    <camera name="lens" pos="0 -.5 1" euler="80 5 3" resolution="640 480" sensorsize=".0036 .0024" focal=".005 .004"/>
    <camera name="track" mode="track" pos=".1 -.2 .3" euler="20 30 40"/>
    <camera name="trackcom" mode="trackcom" pos=".1 -.2 .3" euler="20 -30 40"/>
    <camera name="target" mode="targetbody" target="tip" pos=".3 -1 .3"/>
    <camera name="targetcom" mode="targetbodycom" target="arm" pos=".3 -1 .3"/>
    <light name="fixed" pos=".1 .2 .3" dir=".2 .3 -1"/>
    <light name="track" mode="track" pos=".1 .2 .3" dir=".2 .3 -1"/>
    <light name="trackcom" mode="trackcom" pos=".1 .2 .3" dir=".2 .3 -1"/>
    <light name="target" mode="targetbody" target="tip" pos=".1 .2 .3"/>
    <light name="targetcom" mode="targetbodycom" target="arm" pos=".1 .2 .3"/>
    <body name="arm" pos=".3 0 0">
      <joint name="ball" type="ball" pos="-.1 0 0" damping=".1" stiffness=".3"/>
      <geom name="arm" type="capsule" fromto="0 0 0 .3 .1 0" size=".04"/>
      <site name="arm" pos=".1 .05 .02" euler="30 40 50" size=".02"/>
      <body name="tip" pos=".3 .1 0" euler="0 30 0">
        <joint name="hinge" axis="0 1 .3" damping=".2" armature=".01"/>
        <joint name="slide" type="slide" axis="1 0 0" pos=".1 0 0"/>
        <geom name="tip" type="ellipsoid" size=".05 .06 .1" pos=".05 0 0"/>
        <site name="tip" pos=".05 .02 .01" euler="10 -40 5"/>
        <camera name="tip" pos=".05 .02 .01" euler="10 -40 5"/>
      </body>
    </body>
  </body>
  <body name="second" pos="1 0 1">
    <joint name="swing" axis="0 1 0" pos="0 0 .3" stiffness="2"/>
    <geom name="second" size=".1" pos="0 .05 -.1"/>
    <site name="second" pos="0 0 -.1"/>
    <site name="sphere" type="sphere" size=".5"/>
    <site name="capsule" type="capsule" size=".2 .3"/>
    <site name="ellipsoid" type="ellipsoid" size=".8 .5 .4"/>
    <site name="cylinder" type="cylinder" size=".6 .3"/>
    <site name="box" type="box" size=".9 .5 .6"/>
  </body>
</worldbody>
<tendon><fixed name="coupled"><joint joint="hinge" coef="1"/><joint joint="swing" coef="-.5"/></fixed></tendon>
<actuator>
  <motor name="hinge" joint="hinge" gear="2"/>
  <position name="swing" joint="swing" kp="3"/>
  <motor name="root" joint="root" gear="1 2 3 .1 .2 .3"/>
  <motor name="coupled" tendon="coupled" gear="1.5"/>
  <motor name="coupled2" tendon="coupled"/>
</actuator>
"""


def mechanism(sensors: str = "", option: str = "", flag: str = "") -> str:
    """The mechanism as an MJCF document, with sensors, attributes of <option> and attributes of its <flag>."""
    return f"""<mujoco><option magnetic=".1 .2 .3" {option}><flag contact="disable" {flag}/></option>
    {BODIES}<sensor>{sensors}</sensor></mujoco>"""


def loaded(xml: str, seed: int = 0) -> Twins:
    """A model here and in the reference, in a random state: forces, accelerations, mocap bodies and time too."""
    twins = Twins(xml, seed)
    rng = np.random.default_rng((seed, 1))
    m, d = twins.ref_m, twins.ref_d
    d.time = 0.7
    d.qacc[:] = twins.d.qacc[:] = rng.normal(size=m.nv)
    d.qfrc_applied[:] = rng.normal(size=m.nv)
    d.xfrc_applied[1:] = rng.normal(size=(m.nbody - 1, 6))
    d.mocap_pos[:] += 0.1 * rng.normal(size=(m.nmocap, 3))
    twins.copy_state()
    return twins
