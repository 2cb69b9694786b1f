"""A wrong file gives one kind of error, which says where and what."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from corten.mjcf import MjcfError, compile_path, compile_string

pytestmark = pytest.mark.plain

BODY = '<body name="b"><joint name="j"/><geom name="g" size="1"/><site name="s"/></body>'

# what is put into the world, or after it, and what the error says
IN_WORLD = {
    '<geom size="1" dampng="1"/>': "<geom> has no attribute 'dampng'",
    '<goem size="1"/>': "<worldbody> cannot hold <goem> (did you mean 'geom'?)",
    '<geom size="1 2 3 4"/>': "<geom> attribute 'size': expected 1 to 3 numbers, got 4",
    '<geom size="1" pos="1 2"/>': "<geom> attribute 'pos': expected 3 numbers, got 2",
    '<geom size="one"/>': "<geom> attribute 'size': 'one' is not a number",
    '<geom size="nan"/>': "'nan' is not a finite number",
    '<geom size="1e999"/>': "'1e999' is not a finite number",
    '<geom size="1_0"/>': "'1_0' is not a number",
    '<geom size="1" contype="1.5"/>': "'1.5' is not an integer",
    '<geom size="1" contype="4294967296"/>': "'4294967296' is not a 32-bit integer",
    '<geom size="1" type="spere"/>': "'spere' is not one of plane, hfield, sphere",
    '<geom size="0"/>': "attribute 'size': size 1 of 1 must be positive",
    "<geom/>": "must be positive",
    '<geom size="1" quat="0 0 0 0"/>': "zero quaternion",
    '<geom size="1" euler="1 2 3" quat="1 0 0 0"/>': "cannot have both 'quat' and 'euler'",
    '<geom size="1" zaxis="0 0 0"/>': "axis is too small",
    '<geom size="1" condim="2"/>': "must be 1, 3, 4 or 6",
    '<geom size="1" material="m"/>': "unknown material 'm'",
    '<geom type="mesh" mesh="m"/>': "unknown mesh 'm'",
    '<geom name="g" size="1"/>': "repeats the geom name 'g' of line",
    '<body><joint type="ball"/><joint/><geom size="1"/></body>': "has a rotation after a ball joint",
    "<body><joint/></body>": "moves and must have mass and inertia",
    '<body><geom size="1"/><body><freejoint/><geom size="1"/></body></body>': "for children of the world only",
    '<body><joint range="1 0" limited="true"/><geom size="1"/></body>': "attribute 'range': must be increasing",
    '<body><joint axis="0 0 0"/><geom size="1"/></body>': "attribute 'axis': is too small",
    '<body><inertial pos="0 0 0" mass="1" diaginertia="1 2 5"/></body>': "must satisfy A + B >= C",
    '<body><inertial pos="0 0 0"/></body>': "<inertial> needs attribute 'mass'",
    '<body><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 2 2 2"/></body>': "must have positive eigenvalues",
    '<inertial pos="0 0 0" mass="1"/>': "<inertial> cannot be in the world",
    "<freejoint/>": "<freejoint> cannot be in the world",
    '<replicate count="1000000000"><geom size="1"/></replicate>': "brings the model above",
    '<replicate count="1000"><replicate count="1000"><site/></replicate></replicate>': "brings the model above",
    '<attach model="x" prefix="p"/>': "unknown model 'x'",
    '<flexcomp name="f" type="grid"/>': "<flexcomp> attribute 'count': the third number is 10, not 1, in dimension 2",
    '<flexcomp name="f" count="3 3 1"><edge equality="strain"/></flexcomp>': "<edge> attribute 'equality': 'strain' is",
    '<composite type="grid"/>': "attribute 'type': 'grid' is no longer supported, use <flexcomp> instead",
    '<composite type="cable" count="5"/>': "<composite> needs a <geom> of type capsule, cylinder or box",
    '<composite type="cable" count="1"><geom type="box"/></composite>': "is not a line of two points or more",
    '<composite type="cable" count="90000" curve="s"><geom type="box"/></composite>': "asks for more than 50000 points",
    '<composite type="cable"><plugin plugin="elastic"/></composite>': "plugins are not supported ('elastic')",
    '<camera target="x"/>': "unknown body 'x'",
    '<light dir="0 0 0"/>': "must not be zero",
    '<light texture="x"/>': "unknown texture 'x'",
    '<site material="x"/>': "unknown material 'x'",
}
AFTER_WORLD = {
    '<contact><pair geom1="g" geom2="x"/></contact>': "unknown geom 'x'",
    '<contact><pair geom1="g"/></contact>': "<pair> needs attribute 'geom2'",
    '<equality><joint joint1="j" joint2="j"/></equality>': "repeats the joint 'j'",
    '<equality><connect body1="b"/></equality>': "needs 'body1' and 'anchor', or 'site1' and 'site2'",
    "<tendon><fixed/></tendon>": "has an empty path",
    '<tendon><spatial><site site="s"/><site site="s"/></spatial></tendon>': "repeats site 's'",
    '<tendon><spatial><site site="s"/><pulley divisor="2"/></spatial></tendon>': "neighbour that is not a pulley",
    "<actuator><motor/></actuator>": "needs a target: one of joint, jointinparent, tendon, cranksite, site",
    '<actuator><motor joint="j" site="s"/></actuator>': "cannot have both 'joint' and 'site'",
    '<actuator><motor joint="jj"/></actuator>': "unknown joint 'jj' (did you mean 'j'?)",
    '<actuator><motor joint="j" ctrllimited="true"/></actuator>': "attribute 'ctrlrange': must be increasing",
    '<actuator><motor joint="j" delay="1"/></actuator>': "needs a positive 'nsample'",
    '<actuator><position joint="j" inheritrange="1"/></actuator>': "'j' has no range",
    '<actuator><plugin joint="j" plugin="p"/></actuator>': "<plugin> is not supported: plugins are not supported ('p')",
    '<sensor><jointpos joint="g"/></sensor>': "unknown joint 'g'",
    '<sensor><ballquat joint="j"/></sensor>': "works with ball joints only",
    '<sensor><jointlimitpos joint="j"/></sensor>': "needs a limited joint",
    '<sensor><contact geom1="g" data="force found"/></sensor>': "must be in the order found, force",
    '<sensor><framepos objtype="body" objname="b" reftype="body"/></sensor>': "needs 'reftype' and 'refname' together",
    '<keyframe><key qpos="1 2"/></keyframe>': "attribute 'qpos': expected 1 values, got 2",
    '<custom><numeric name="n" size="501"/></custom>': "must be between 1 and 500",
    '<custom><tuple name="t"><element objtype="no" objname="b"/></tuple></custom>': "'no' is not a kind of object",
    '<option integrator="euler"/>': "(did you mean 'Euler'?)",
    '<option><flag contact="off"/></option>': "'off' is not one of disable, enable",
    '<size memory="1Q"/>': "is not a number of bytes",
    '<compiler coordinate="global"/>': "no longer supported",
    '<compiler autolimits="false"/><worldbody><body><joint range="0 1"/><geom size="1"/></body></worldbody>':
        "needs 'limited'",
    '<asset><mesh name="m"/></asset>': "needs one of 'file', 'vertex', 'builtin'",
    '<asset><mesh file="none.stl"/></asset>': "'none.stl' not found",
    '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0"/></asset>': "at least 4 vertices",
    '<asset><hfield name="h" size="1 1 0 1" nrow="2" ncol="2"/></asset>': "must be positive",
    '<asset><model file="none.xml"/></asset>': "'none.xml' not found",
    '<include file="none.xml"/>': "file 'none.xml' not found",
    '<asset><texture name="t"/><material name="m" texture="t"><layer texture="t" role="rgb"/></material></asset>':
        "cannot have both attribute 'texture' and layers",
    "<foo/>": "<mujoco> cannot hold <foo>",
}


@pytest.mark.parametrize("inside", IN_WORLD)
def test_wrong_element_in_the_world(inside: str) -> None:
    with pytest.raises(MjcfError) as caught:
        compile_string(f"<mujoco><worldbody>{BODY}\n{inside}</worldbody></mujoco>")
    assert IN_WORLD[inside] in str(caught.value)
    assert str(caught.value).startswith("<string>:")
    assert caught.value.line in (1, 2)


@pytest.mark.parametrize("section", AFTER_WORLD)
def test_wrong_section(section: str) -> None:
    with pytest.raises(MjcfError) as caught:
        compile_string(f"<mujoco><worldbody>{BODY}</worldbody>\n{section}</mujoco>")
    assert AFTER_WORLD[section] in str(caught.value)


def test_message_names_file_line_element_and_attribute(tmp_path: Path) -> None:
    path = tmp_path / "humanoid.xml"
    path.write_text('<mujoco>\n <worldbody>\n  <body>\n   <joint dampng="1"/>\n  </body>\n </worldbody>\n</mujoco>')
    with pytest.raises(MjcfError) as caught:
        compile_path(path)
    error = caught.value
    assert str(error) == "humanoid.xml:4: <joint> has no attribute 'dampng' (did you mean 'damping'?)"
    assert (error.file, error.line, error.element, error.attribute) == ("humanoid.xml", 4, "joint", "dampng")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_error_in_an_included_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text('<x>\n\n<geom size="a"/></x>')
    (tmp_path / "main.xml").write_text('<mujoco><worldbody><include file="part.xml"/></worldbody></mujoco>')
    with pytest.raises(MjcfError, match=r"^part\.xml:3: <geom> attribute 'size'"):
        compile_path(tmp_path / "main.xml")


def test_missing_file_is_an_error_too(tmp_path: Path) -> None:
    with pytest.raises(MjcfError, match="cannot be read"):
        compile_path(tmp_path / "none.xml")
