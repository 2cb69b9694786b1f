"""Transmissions against the reference, in lanes, with tangents, and against their own definitions."""

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

BODIES = """
<option><flag contact="disable" constraint="disable"/></option>
<worldbody>
  <site name="world" pos="1 1 1" quat="1 .3 .2 0"/>
  <body name="trunk">
    <joint name="free" type="free"/><geom size=".1" pos=".3 0 0"/><site name="t" quat="1 .2 .3 .4" pos=".1 .2 .3"/>
    <body pos=".5 0 0">
      <joint name="hinge" axis="1 1 0"/><geom size=".1" pos=".3 .1 0"/><site name="l" quat=".3 .5 .2 .1" pos=".1 0 .4"/>
    </body>
    <body pos="-.5 0 0">
      <joint name="ball" type="ball"/><geom size=".1" pos=".3 .1 0"/><site name="r" quat=".3 .5 .2 .1" pos="0 .2 .2"/>
      <body><geom size=".1"/><site name="welded" pos=".1 .1 .1"/></body>
    </body>
  </body>
  <body pos="0 0 2">
    <joint name="slide" type="slide" axis="0 1 1" pos=".2 0 0"/><geom size=".2"/>
    <site name="o" pos=".2 .2 .3" quat="1 2 0 0"/>
  </body>
</worldbody>
<tendon><spatial name="cord"><site site="o"/><site site="l"/><site site="t"/></spatial></tendon>
"""
GEARS = 'gear="2 -1 3 .4 .5 -.6"'
ACTUATORS = {
    "hinge": f'joint="hinge" {GEARS}',
    "slide in parent": f'jointinparent="slide" {GEARS}',
    "ball": f'joint="ball" {GEARS}',
    "ball in parent": f'jointinparent="ball" {GEARS}',
    "free": f'joint="free" {GEARS}',
    "free in parent": f'jointinparent="free" {GEARS}',
    "tendon": f'tendon="cord" {GEARS}',
    "site": f'site="l" {GEARS}',
    "site of a welded body": f'site="welded" {GEARS}',
    "site of the world": f'site="world" {GEARS}',
    "site, force": 'site="r" gear="1 2 3 0 0 0"',
    "site, torque": 'site="r" gear="0 0 0 1 2 3"',
    "reference on another branch": f'site="l" refsite="r" {GEARS}',
    "reference above": f'site="l" refsite="t" {GEARS}',
    "reference below": f'site="t" refsite="l" {GEARS}',
    "reference on the same body": f'site="welded" refsite="r" {GEARS}',
    "reference on another tree": f'site="l" refsite="o" {GEARS}',
    "reference in the world": f'site="l" refsite="world" {GEARS}',
    "the world from a reference": f'site="world" refsite="l" {GEARS}',
    "reference, position": 'site="l" refsite="r" gear="1 2 3 0 0 0"',
    "reference, orientation": 'site="l" refsite="r" gear="0 0 0 1 2 3"',
    "crank": f'cranksite="l" slidersite="t" cranklength="2" {GEARS}',
    "crank on the world": f'cranksite="l" slidersite="world" cranklength="9" {GEARS}',
    "slider on another tree": f'cranksite="o" slidersite="r" cranklength="9" {GEARS}',
    "crank too short": f'cranksite="l" slidersite="r" cranklength=".01" {GEARS}',
    "adhesion": 'body="trunk"',
}
FIELDS = ("actuator_length", "actuator_velocity", "qfrc_actuator", "qacc_smooth")
# Lengths that are no functions whose gradient is the moment: no length is given to them, or, relative orientations and
# ball joints, the moment is the wrench at the gears and not the gradient of the rotation vector.
NO_GRADIENT = {"free", "free in parent", "ball", "ball in parent", "adhesion"} | {
    name for name in ACTUATORS if name.startswith(("site", "reference", "the world"))
}


def model(actuator: str, option: str = "") -> str:
    """A trunk with two limbs and a second tree, with one actuator."""
    kind = "adhesion" if actuator == "adhesion" else "general"
    limit = 'ctrlrange="0 1"' if actuator == "adhesion" else ""
    text = f"<actuator><{kind} {ACTUATORS[actuator]} {limit}/></actuator>"
    return f"<mujoco>{option}{BODIES}{text}</mujoco>"


@pytest.mark.plain
@pytest.mark.reference
@pytest.mark.parametrize("actuator", ACTUATORS)
def test_agrees_with_the_reference(actuator: str) -> None:
    twins = Twins(model(actuator))
    for _ in forward_states(twins, 10):
        twins.assert_agree(FIELDS)
        assert_matrices_agree(twins, ("actuator_moment",))


@pytest.mark.reference
@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
@pytest.mark.parametrize("margin", ['margin="0"', 'margin=".1" gap=".1"'], ids=["pushing", "in the gap"])
def test_adhesion_pulls_against_the_mean_of_the_contact_normals(cone: str, margin: str) -> None:
    twins = Twins(f"""<mujoco><option cone="{cone}"/><worldbody><geom type="plane" size="1 1 1"/>
        <body name="box" pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" {margin}/>
        <body pos=".3 0 0"><joint axis="0 1 0"/><geom type="sphere" size=".12" {margin}/></body></body>
        <body pos="0 0 .3"><freejoint/><geom type="sphere" size=".1" {margin}/></body></worldbody>
        <actuator><adhesion body="box" ctrlrange="0 1" gain="3"/></actuator></mujoco>""")
    met = 0
    for _ in forward_states(twins, 10, spread=0.02):
        twins.assert_agree(("actuator_length", "actuator_velocity", "qfrc_actuator"), rtol=1e-9)
        assert_matrices_agree(twins, ("actuator_moment",), 1e-9)
        met += twins.d.actuator_moment.any()
    assert met > 5


@pytest.mark.reference
def test_no_velocity_where_actuation_is_disabled() -> None:
    twins = Twins(model("tendon", '<option><flag actuation="disable"/></option>'))
    for _ in forward_states(twins, 3):
        twins.assert_agree(FIELDS)
    assert np.abs(twins.d.actuator_moment).max() > 0.1
    assert not twins.d.actuator_velocity.any()


@pytest.mark.reference
@pytest.mark.parametrize("actuator", [name for name in ACTUATORS if name not in NO_GRADIENT])
def test_the_velocity_is_the_rate_of_the_length(actuator: str) -> None:
    twins = Twins(model(actuator), seed=2)
    m, d = twins.m, twins.d
    at, speed = d.qpos.copy(), d.qvel.copy()

    def length(s: float) -> float:
        qpos = at.copy()
        twins.mujoco.mj_integratePos(twins.ref_m, qpos, speed, s)
        d.qpos[:] = qpos
        corten.forward(m, d)
        return float(d.actuator_length[0])

    d.qpos[:] = at
    corten.forward(m, d)
    rate = float(d.actuator_velocity[0])
    assert abs(rate) > 1e-3
    assert rate == pytest.approx(float(centred_difference(length, 1e-5)), rel=1e-7)


def test_dofs_that_move_site_and_reference_are_not_in_the_row() -> None:
    m = corten.Model.from_xml_string(model("reference on another branch"))
    ball = m.jnt_dofadr[list(m.names.joint).index("ball")]
    assert list(m.moment_colind) == [6, *range(ball, ball + 3)]


@pytest.mark.reference
@pytest.mark.parametrize(
    "path",
    [
        "mujoco/slider_crank/slider_crank.xml",
        "mujoco/car/car.xml",
        "mujoco/humanoid/humanoid.xml",
        "menagerie/skydio_x2/x2.xml",
        "menagerie/bitcraze_crazyflie_2/cf2.xml",
        "menagerie/shadow_hand/left_hand.xml",
        "dm_control/quadruped.xml",
    ],
)
def test_transmissions_of_known_models(shared_models: Path, path: str) -> None:
    twins = Twins(shared_models / path)
    for _ in forward_states(twins, 5):
        twins.assert_agree(("actuator_length", "actuator_velocity"))
        assert_matrices_agree(twins, ("actuator_moment",))


@pytest.mark.parametrize("width", [2, 8])
@pytest.mark.parametrize("actuator", ["ball in parent", "tendon", "site", "reference on another branch", "crank"])
def test_a_lane_equals_a_single_world(actuator: str, width: int) -> None:
    m = corten.Model.from_xml_string(model(actuator))
    worlds, lanes = worlds_and_block(m, Element("lanes", width))
    forces(m, lanes)
    for world in worlds:
        forces(m, world)
    fields = ("actuator_moment", "actuator_length", "actuator_velocity", "qfrc_actuator")
    for lane in range(width):
        assert_same_bits(lanes, lane, worlds[lane % len(worlds)], fields)


@pytest.mark.parametrize("actuator", [name for name in ACTUATORS if name != "adhesion"])
def test_tangents_are_derivatives(actuator: str) -> None:
    m = corten.Model.from_xml_string(model(actuator))
    d = corten.Data(m)
    random_state(m, d, 0.3, np.random.default_rng(1))
    fields = ("actuator_length", "actuator_moment", "actuator_velocity")
    assert_tangents_are_derivatives(m, d, fields, np.random.default_rng(2), floor=1e-8)
