"""Small models that exercise one feature each, as text: what is inside of <mujoco>, around a common skeleton."""

from __future__ import annotations

from pathlib import Path

WORLD = """
<worldbody>
  <camera name="eye" resolution="4 3"/>
  <geom name="post" type="cylinder" size=".1 .2" pos="3 0 0"/>
  <body name="a"><joint name="hinge" range="-10 20"/><geom name="ball" size=".3"/>
    <site name="s1" pos=".1 0 0"/><site name="s2" pos="1 0 0"/>
    <body name="b" pos="1 0 0"><joint name="slide" type="slide" axis="1 1 0"/>
      <geom name="box" type="box" size=".1 .2 .3"/><site name="s3" euler="10 20 30"/></body></body>
  <body name="c" pos="0 2 0"><joint name="socket" type="ball" range="0 40"/><geom size=".2"/></body>
  <body name="d" pos="0 4 0"><freejoint name="free"/>
    <geom name="egg" type="ellipsoid" size=".1 .2 .3" pos=".1 .2 .3"/></body>
</worldbody>
<tendon>
  <spatial name="cord" range="0 1"><site site="s1"/><site site="s2"/></spatial>
  <fixed name="sum"><joint joint="hinge" coef="2"/><joint joint="slide" coef="-1"/></fixed>
</tendon>
<actuator><motor name="motor" joint="hinge"/></actuator>
"""

# added to WORLD, one per line
FEATURES = Path(__file__).with_name("mjcf_features.txt").read_text(encoding="utf-8").splitlines()

# what an attached model looks like, and ways to attach it
CHILD = b"""
<mujoco model="child">
  <compiler angle="radian"/>
  <default><geom rgba="0 1 0 1"/><default class="k"><geom size="3"/></default></default>
  <asset><material name="paint" rgba="1 0 0 1"/><mesh name="tet" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
  <worldbody>
    <geom name="ground" size="1" material="paint"/><site name="mark"/>
    <light name="lamp"/><camera name="eye" euler="1 0 0"/>
    <body name="b" euler="1 0 0"><joint name="j"/><geom class="k" name="g"/>
      <body name="b2"><joint name="j2"/><geom type="mesh" mesh="tet"/></body></body>
    <body name="o"><freejoint name="f"/><geom size="1"/></body>
  </worldbody>
  <actuator><motor name="m" joint="j"/><motor name="mf" joint="f"/></actuator>
  <sensor><clock name="t"/><framepos name="fp" objtype="geom" objname="g" reftype="site" refname="mark"/>
    <contact/></sensor>
  <contact><exclude name="e" body1="world" body2="b"/></contact>
  <custom><numeric name="n" data="1 2"/></custom>
  <keyframe><key name="k" qpos="1 2 3 4 5 1 0 0 0" ctrl="5 6"/><key name="k2" qvel="1 2 3 4 5 6 7 8"/></keyframe>
</mujoco>
"""

ATTACHMENTS = """
<attach model="child" body="b" prefix="p_"/><attach model="child" body="b" prefix="q_"/>
<attach model="child" prefix="p_"/>
<frame pos="1 2 3" euler="0 0 90"><attach model="child" prefix="p_"/></frame>
<body name="top" pos="0 0 1"><geom size="1"/><attach model="child" body="b2" prefix="p_"/></body>
<attach model="child" body="b" prefix="p_"/><attach model="child" body="b" prefix="p_"/>
<replicate count="3" offset="1 0 0"><body name="z"><attach model="child" body="b" prefix="p"/></body></replicate>
""".strip().splitlines()

KEYS_AND_REPLICAS = (
    '<worldbody><body><joint/><geom size="1"/></body><replicate count="3"><body name="b"><joint name="j" type="slide"/>'
    '<geom size=".1"/></body></replicate></worldbody><actuator><motor joint="j"/></actuator>'
    '<keyframe><key qpos="1 2" qvel="3 4" ctrl="5" name="k"/></keyframe>'
)
