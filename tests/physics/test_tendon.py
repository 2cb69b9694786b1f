"""Tendons against the reference, in lanes, with tangents, and against their own definitions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from elements import assert_same_bits, centred_difference
from physics_compare import (
    assert_matrices_agree,
    assert_tangents_are_derivatives,
    forces,
    forward_states,
    random_state,
    worlds_and_block,
)
from twins import Twins

import corten
from corten.kernel.record import Element

POSITION = ("ten_length", "ten_wrapadr", "ten_wrapnum", "M")
VELOCITY = ("ten_velocity", "qfrc_spring", "qfrc_damper", "qfrc_bias")
FORCE = ("actuator_force", "qfrc_actuator", "qacc_smooth", "energy")
ALL = POSITION + VELOCITY + FORCE

BODIES = """
<option><flag energy="enable" contact="disable" constraint="disable"/></option>
<worldbody>
  <site name="w" pos="0.1 -0.4 0.8"/>
  <body name="trunk" pos="0 0 1">
    <freejoint/><geom size=".15"/><site name="t1" pos=".1 .1 -.1"/><site name="t2" pos="-.1 .2 .1"/>
    <geom name="ball" type="sphere" size=".13" pos=".2 .1 0" mass="0"/>
    <geom name="rod" type="cylinder" size=".09 .3" pos=".1 .2 .1" euler="30 40 50" mass="0"/>
    <site name="beside" pos=".6 .7 -.1"/><site name="within_ball" pos=".21 .12 .01"/>
    <site name="within_rod" pos=".11 .19 .11"/>
    <body pos=".4 0 0">
      <joint name="a" axis="0 1 .2"/><geom type="capsule" size=".05 .2"/><site name="l1" pos="0 .1 .2"/>
      <body pos=".3 .1 0"><joint name="b" axis="1 1 0"/><geom size=".08"/><site name="l2" pos=".1 .1 .3"/></body>
    </body>
    <body pos="-.4 0 0">
      <joint name="c" type="ball"/><geom size=".1" pos=".1 0 .1"/><site name="r1" pos="0 .2 .1"/>
    </body>
  </body>
  <body pos="0 1 1"><joint name="s" type="slide" axis="1 1 0"/><geom size=".1"/><site name="o1" pos=".1 0 .1"/></body>
</worldbody>
"""
TENDONS = {
    "fixed": """<fixed name="x"><joint joint="a" coef="2"/><joint joint="s" coef="-.5"/>
        <joint joint="b" coef="1"/></fixed>""",
    "straight": '<spatial name="x"><site site="l2"/><site site="t1"/><site site="t2"/><site site="r1"/></spatial>',
    "between trees": '<spatial name="x"><site site="o1"/><site site="l1"/><site site="w"/></spatial>',
    "pulleys": """<spatial name="x"><site site="l2"/><site site="t1"/><pulley divisor="2"/><site site="t1"/>
        <site site="r1"/><pulley divisor="3"/><site site="w"/><site site="o1"/></spatial>""",
    "first a pulley": '<spatial name="x"><pulley divisor="2"/><site site="t1"/><site site="l2"/></spatial>',
    "sphere": '<spatial name="x"><site site="l2"/><geom geom="ball"/><site site="r1"/></spatial>',
    "cylinder": '<spatial name="x"><site site="l2"/><geom geom="rod"/><site site="r1"/></spatial>',
    "sphere, side": """<spatial name="x"><site site="l2"/><geom geom="ball" sidesite="beside"/>
        <site site="r1"/></spatial>""",
    "cylinder, side": """<spatial name="x"><site site="l2"/><geom geom="rod" sidesite="beside"/>
        <site site="o1"/></spatial>""",
    "through a sphere": """<spatial name="x"><site site="l2"/><geom geom="ball" sidesite="within_ball"/>
        <site site="r1"/></spatial>""",
    "through a cylinder": """<spatial name="x"><site site="l2"/><geom geom="rod" sidesite="within_rod"/>
        <site site="r1"/></spatial>""",
    "side that moves": """<spatial name="x"><site site="l2"/><geom geom="ball" sidesite="r1"/>
        <site site="o1"/></spatial>""",
    "obstacles and pulley": """<spatial name="x"><site site="w"/><geom geom="ball"/><site site="l1"/>
        <geom geom="rod" sidesite="beside"/><site site="r1"/><pulley divisor="2"/><site site="t2"/><site site="o1"/>
        </spatial>""",
}
WRAPPING = [name for name in TENDONS if "geom" in TENDONS[name]]
PROPERTIES = 'stiffness="30" damping="2" springlength=".3 .5"'


def model(tendon: str, properties: str = PROPERTIES, option: str = "") -> str:
    """A trunk with limbs and a second tree, with one tendon and two motors on it."""
    text = TENDONS[tendon].replace('name="x"', f'name="x" {properties}')
    motors = '<motor tendon="x" gear="2"/><position tendon="x" kp="5"/>'
    return f"<mujoco>{option}{BODIES}<tendon>{text}</tendon><actuator>{motors}</actuator></mujoco>"


def assert_same_paths(twins: Twins) -> None:
    """The points of the paths, and what they are on."""
    used = int(twins.ref_d.ten_wrapnum.sum())
    for name, width in (("wrap_obj", 1), ("wrap_xpos", 3)):
        theirs, ours = (getattr(d, name).reshape(-1, width)[:used] for d in (twins.ref_d, twins.d))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11, err_msg=name)


@pytest.mark.plain
@pytest.mark.reference
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("tendon", TENDONS)
def test_agrees_with_the_reference(tendon: str, jacobian: str) -> None:
    twins = Twins(model(tendon, option=f'<option jacobian="{jacobian}"/>'))
    for _ in forward_states(twins, 12):
        twins.assert_agree(ALL)
        assert_matrices_agree(twins, ("ten_J", "actuator_moment"))
        assert_same_paths(twins)


@pytest.mark.reference
@pytest.mark.parametrize("tendon", [name for name in TENDONS if name not in WRAPPING])
def test_inertia_and_its_bias_agree_with_the_reference(tendon: str) -> None:
    twins = Twins(model(tendon, 'armature="3"'))
    for _ in forward_states(twins, 6):
        twins.assert_agree(ALL)
    heavy = np.abs(np.array(twins.d.M))
    twins.m.tendon_armature[:] = 0.0
    corten.forward(twins.m, twins.d)
    assert np.abs(heavy - np.abs(twins.d.M)).max() > 1e-3


@pytest.mark.reference
def test_forces_of_the_actuators_of_a_tendon_are_limited_together() -> None:
    twins = Twins(model("fixed", 'actuatorfrclimited="true" actuatorfrcrange="-2.5 3"'))
    totals = []
    for _ in forward_states(twins, 20, spread=0.1):
        twins.assert_agree(FORCE)
        totals.append(twins.d.actuator_force.sum())
    assert np.max(totals) == pytest.approx(3.0) and np.min(totals) == pytest.approx(-2.5)
    assert np.any((np.array(totals) > -2.4) & (np.array(totals) < 2.9)), "no total within its limits was met"


@pytest.mark.reference
@pytest.mark.parametrize("kind", ["sphere", "cylinder"])
@pytest.mark.parametrize("side", ["none", "outside", "inside"])
def test_wrapping_agrees_with_the_reference(kind: str, side: str) -> None:
    """Random places of two sites and a geom that move freely: hits, misses, points inside the geom."""
    rng = np.random.default_rng(5)
    bodies, paths = "", ""
    spread = {"none": 1.0, "outside": 2.0, "inside": 0.05}[side]
    for i in range(6):
        x = rng.uniform(-0.6, 0.6, (2, 3))
        side_at = " ".join(map(str, rng.uniform(-spread, spread, 3)))
        bodies += f"""<body><joint type="ball"/><geom name="g{i}" type="{kind}" size="{rng.uniform(0.1, 0.4)} 1"/>
            <site name="s{i}" pos="{side_at}"/></body>"""
        for j, name in enumerate("ab"):
            at = " ".join(map(str, x[j]))
            bodies += f"""<body pos="{at}"><joint type="slide"/><joint type="slide" axis="0 1 0"/><joint axis="1 0 1"/>
                <geom size=".1"/><site name="{name}{i}" pos=".1 .2 .1"/></body>"""
        given = "" if side == "none" else f'sidesite="s{i}"'
        paths += f'<spatial><site site="a{i}"/><geom geom="g{i}" {given}/><site site="b{i}"/></spatial>'
    disable = '<option><flag constraint="disable" contact="disable"/></option>'
    twins = Twins(f"<mujoco>{disable}<worldbody>{bodies}</worldbody><tendon>{paths}</tendon></mujoco>")
    met = []
    for _ in forward_states(twins, 40):
        twins.assert_agree(("ten_length", "ten_wrapnum"))
        assert_matrices_agree(twins, ("ten_J",))
        assert_same_paths(twins)
        met.append(twins.d.ten_wrapnum > 2)
    assert 0.02 < np.mean(met) < 0.98


def wrapped_length(a: str, b: str, geom: str, side: str = "") -> float:
    """The length of a tendon around a geom at the origin."""
    xml = f"""<mujoco><worldbody><geom name="g" {geom}/><site name="a" pos="{a}"/><site name="b" pos="{b}"/>
        <site name="s" pos="{side or "0 0 9"}"/></worldbody><tendon><spatial><site site="a"/>
        <geom geom="g" {'sidesite="s"' if side else ""}/><site site="b"/></spatial></tendon></mujoco>"""
    m = corten.Model.from_xml_string(xml)
    d = corten.Data(m)
    corten.forward(m, d)
    return float(d.ten_length[0])


@pytest.mark.plain
def test_length_around_a_circle_is_two_tangents_and_an_arc() -> None:
    """From (-2, 1) to (2, 1) over a circle of radius 1: the height of the tangent points is the sites', the arc is 0;
    from (-2, 0) to (2, 0): tangents of sqrt 3 and an arc of 60 degrees."""
    expected = 2 * np.sqrt(3.0) + np.pi / 3
    for geom in ('type="sphere" size="1"', 'type="cylinder" size="1 1"'):
        assert wrapped_length("-2 0 0", "2 0 0", geom) == pytest.approx(expected, rel=1e-14)
        assert wrapped_length("-2 1.1 0", "2 1.1 0", geom) == pytest.approx(4.0, rel=1e-14)
    assert wrapped_length("-2 0 0", "2 0 3", 'type="cylinder" size="1 1"') == pytest.approx(
        np.hypot(expected, 3.0), rel=1e-14
    )
    below = wrapped_length("-2 1.1 0", "2 1.1 0", 'type="cylinder" size="1 1"', "0 -3 0")
    distance = np.hypot(2.0, 1.1)
    arc = np.pi + 2 * np.arctan2(1.1, 2.0) - 2 * np.arccos(1 / distance)
    assert below == pytest.approx(2 * np.sqrt(distance**2 - 1) + arc, rel=1e-14)


@pytest.mark.plain
def test_a_tendon_through_a_ring_is_reflected_at_it() -> None:
    """From (-1, 2) to (1, 2) through a ring of radius 1 about the origin: by symmetry over (0, 1)."""
    assert wrapped_length("-1 2 0", "1 2 0", 'type="sphere" size="1"', "0 0.1 0") == pytest.approx(2 * np.sqrt(2.0))


@pytest.mark.reference
@pytest.mark.parametrize(
    "path",
    [
        "mujoco/tendon_arm/arm26.xml",
        "mujoco/replicate/tendon.xml",
        "mujoco/car/car.xml",
        "menagerie/iit_softfoot/softfoot.xml",
        "menagerie/shadow_hand/left_hand.xml",
        "menagerie/robotiq_2f85/2f85.xml",
        "dm_control/ball_in_cup.xml",
        "dm_control/quadruped.xml",
    ],
)
def test_tendons_of_known_models(shared_models: Path, path: str) -> None:
    twins = Twins(shared_models / path)
    for _ in forward_states(twins, 5):
        twins.assert_agree(("ten_length", "ten_velocity", "ten_wrapadr", "ten_wrapnum"))
        assert_matrices_agree(twins, ("ten_J",))
        twins.assert_agree(("qfrc_spring", "qfrc_damper", "actuator_length"))
        assert_same_paths(twins)


@pytest.mark.parametrize("width", [2, 8])
@pytest.mark.parametrize("tendon", ["fixed", "pulleys", "sphere", "through a cylinder", "side that moves"])
def test_a_lane_equals_a_single_world(tendon: str, width: int) -> None:
    m = corten.Model.from_xml_string(model(tendon, PROPERTIES + (' armature="2"' if tendon == "pulleys" else "")))
    worlds, lanes = worlds_and_block(m, Element("lanes", width))
    forces(m, lanes)
    for world in worlds:
        forces(m, world)
    fields = ("ten_length", "ten_J", "ten_wrapadr", "ten_wrapnum", "wrap_obj", "wrap_xpos", *VELOCITY, "M")
    fields += ("actuator_force", "qfrc_actuator")
    for lane in range(width):
        assert_same_bits(lanes, lane, worlds[lane % len(worlds)], fields)


@pytest.mark.parametrize("tendon", TENDONS)
def test_tangents_are_derivatives(tendon: str) -> None:
    m = corten.Model.from_xml_string(model(tendon))
    d = corten.Data(m)
    for seed in range(1, 5):
        random_state(m, d, 0.3, np.random.default_rng(seed))
        fields = ("ten_length", "ten_J", "ten_velocity", "qfrc_spring")
        assert_tangents_are_derivatives(m, d, fields, np.random.default_rng((9, seed)), floor=1e-6)


@pytest.mark.reference
@pytest.mark.parametrize("tendon", TENDONS)
def test_the_jacobian_is_the_gradient_of_the_length(tendon: str) -> None:
    twins = Twins(model(tendon), seed=3)
    m, d = twins.m, twins.d
    at, speed = d.qpos.copy(), d.qvel.copy()

    def length(s: float) -> float:
        qpos = at.copy()
        twins.mujoco.mj_integratePos(twins.ref_m, qpos, speed, s)
        d.qpos[:] = qpos
        forces(m, d)
        return float(d.ten_length[0])

    d.qpos[:] = at
    forces(m, d)
    assert float(d.ten_velocity[0]) == pytest.approx(float(centred_difference(length, 1e-5)), rel=1e-7, abs=1e-8)
