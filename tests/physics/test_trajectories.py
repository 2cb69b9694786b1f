"""A hundred steps of what is not smooth to integrate, with every integrator, against the reference."""

from __future__ import annotations

import numpy as np
import pytest
from twins import INTEGRATORS, Twins

from corten.model.enums import EnableBit

pytestmark = pytest.mark.reference

# Springs of a ball joint and of a free joint, both beside their rest; cords that wrap a ball and a roller, run over a
# pulley and pull with springs, dampers, a muscle and a motor.
LIMBS = """
<mujoco>
  <option><flag contact="disable"/></option>
  <default><geom density="500"/></default>
  <worldbody>
    <site name="wall" pos=".1 -.6 .9"/>
    <body name="trunk" pos="0 0 1" euler="10 20 30">
      <joint type="free" stiffness="60" damping="1"/><geom size=".15"/>
      <site name="t1" pos=".1 .1 -.1"/><site name="t2" pos="-.1 .2 .1"/>
      <geom name="ball" size=".13" pos=".2 .1 0" mass="0"/>
      <geom name="roller" type="cylinder" size=".09 .3" pos=".1 .2 .1" euler="30 40 50" mass="0"/>
      <site name="beside" pos=".6 .7 -.1"/>
      <body pos=".4 0 0"><joint axis="0 1 .2" stiffness="2" springref="30"/><geom type="capsule" size=".05 .2"/>
        <site name="l1" pos="0 .1 .2"/></body>
      <body pos="-.4 0 0"><joint type="ball" stiffness="8" damping=".02"/><geom size=".1" pos=".1 0 .2"/>
        <site name="r1" pos="0 .2 .1"/></body>
    </body>
  </worldbody>
  <tendon>
    <spatial name="cord" stiffness="30" damping="2" springlength=".3 .5">
      <site site="l1"/><geom geom="ball"/><site site="t2"/><geom geom="roller" sidesite="beside"/><site site="r1"/>
    </spatial>
    <spatial name="line" stiffness="10" damping="1" springlength=".2">
      <site site="wall"/><site site="t1"/><pulley divisor="2"/><site site="t1"/><site site="l1"/>
    </spatial>
  </tendon>
  <actuator><muscle tendon="cord" lengthrange=".2 2" force="6"/><motor tendon="line" gear="2"/></actuator>
</mujoco>"""


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("seed", range(3))
def test_springs_of_balls_and_wrapped_cords(integrator: str, seed: int) -> None:
    twins = Twins(LIMBS, seed, integrator=INTEGRATORS[integrator])
    start, wrapped = twins.d.qpos.copy(), set()
    for _ in range(20):
        twins.step(5)
        wrapped.add(int(twins.d.ten_wrapnum[0]))
    twins.assert_agree(("qpos", "qvel", "act", "ten_length"), rtol=1e-6)
    assert np.abs(twins.d.qpos - start).max() > 0.1
    assert max(wrapped) > 3  # of points along the cord: two sites in the middle and at the ends, two for each wrap


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_what_a_step_leaves_in_the_data(integrator: str) -> None:
    """Of Runge-Kutta what its last trial state had, energies too."""
    twins = Twins(LIMBS, 0, integrator=INTEGRATORS[integrator], enableflags=EnableBit.ENERGY)
    twins.step(3)
    twins.assert_agree(("energy", "xpos", "cvel", "qacc", "qfrc_passive", "ten_length", "actuator_force"), rtol=1e-9)
