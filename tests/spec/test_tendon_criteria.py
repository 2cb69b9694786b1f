"""Acceptance criteria of spec 004: spatial tendons (section 4), transmissions to sites (section 5)."""

from __future__ import annotations

import numpy as np
import pytest
from elements import centred_difference
from twins import Twins

import corten
from corten import utilities

CRITERIA = {"s04": range(1, 6), "s05": range(1, 4)}
LEFT_OUT: dict[str, str] = {}

RADIUS, REACH = 0.5, 2.0
# An arm that turns about y, from -x over the top; a tendon from its tip over a ball or a roller to -x.
PULLEY = """
<mujoco>
  <option gravity="0 0 0"/>
  <worldbody>
    <geom name="roller" type="{kind}" size="{radius} 1" euler="90 0 0" contype="0" conaffinity="0"/>
    <site name="end" pos="-{reach} 0 0"/>
    <body><joint name="arm" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 -{reach} 0 0" size=".05"/>
      <site name="tip" pos="-{reach} 0 0"/></body>
  </worldbody>
  <tendon><spatial name="cord"><site site="tip"/><geom geom="roller"/><site site="end"/></spatial></tendon>
  <actuator><motor tendon="cord"/></actuator>
</mujoco>"""


def pulley(kind: str) -> str:
    return PULLEY.format(kind=kind, radius=RADIUS, reach=REACH)


def length_over_roller(angle: float) -> float:
    """A chord for as long as it passes above, then two tangents and an arc."""
    free = 2.0 * np.arccos(RADIUS / REACH)
    if angle < free:
        return 2.0 * REACH * np.sin(angle / 2.0)
    return 2.0 * np.sqrt(REACH**2 - RADIUS**2) + RADIUS * (angle - free)


def assert_length_over_roller(kind: str) -> None:
    twins = Twins(pulley(kind))
    for angle in np.linspace(0.1, 3.1, 16):
        twins.put(qpos=angle, qvel=0.0, ctrl=0.0)
        twins.forward()
        twins.assert_agree(("ten_length", "ten_J"))
        assert twins.d.ten_length[0] == pytest.approx(length_over_roller(angle), rel=1e-12)


@pytest.mark.reference
def test_s04_c01_length_over_a_sphere() -> None:
    assert_length_over_roller("sphere")


@pytest.mark.reference
def test_s04_c02_length_over_a_cylinder() -> None:
    assert_length_over_roller("cylinder")


@pytest.mark.parametrize("kind", ["sphere", "cylinder"])
def test_s04_c03_forces_turn_joints_by_their_lever(kind: str) -> None:
    """On the roller its radius; as a chord the chord's distance from the hinge."""
    m = corten.Model.from_xml_string(pulley(kind))
    d = corten.Data(m)
    for angle in (0.5, 1.5, 2.5, 2.8, 3.1):
        d.qpos[0], d.ctrl[0] = angle, -3.0
        corten.forward(m, d)
        lever = RADIUS if angle > 2.0 * np.arccos(RADIUS / REACH) else REACH * np.cos(angle / 2.0)
        assert d.actuator_force[0] == -3.0
        assert d.qfrc_actuator[0] == pytest.approx(-3.0 * lever, rel=1e-12)


def test_s04_c04_a_straight_tendon_equals_a_fixed_one() -> None:
    """Along a slide: a cord to a wall is a fixed tendon whose length is counted from elsewhere."""
    start, paths = 0.7, []
    spatial = '<spatial {}><site site="end"/><site site="tip"/></spatial>'
    fixed = '<fixed {}><joint joint="slide" coef="1"/></fixed>'
    for text, zero in ((spatial, start), (fixed, 0.0)):
        rest, low, high = zero + 0.1, zero - 0.2, zero + 0.3
        tendon = text.format(
            f'name="cord" stiffness="40" damping="2" springlength="{rest}" range="{low} {high}" frictionloss=".1"'
        )
        m = corten.Model.from_xml_string(f"""
            <mujoco><worldbody><site name="end"/>
              <body pos="{start} 0 0"><joint name="slide" type="slide" axis="1 0 0"/><geom size=".1"/>
                <site name="tip"/></body></worldbody>
            <tendon>{tendon}</tendon><actuator><motor tendon="cord" gear="30"/></actuator></mujoco>""")
        d = corten.Data(m)
        numbers = []
        for k in range(300):
            d.ctrl[0] = 20.0 * np.sin(0.05 * k)
            corten.step(m, d)
            numbers.append([d.qpos[0], d.qvel[0], d.ten_length[0] - zero, d.ten_velocity[0], d.qfrc_actuator[0]])
        paths.append(np.array(numbers))
        assert np.ptp(paths[-1][:, 0]) > 0.4  # from limit to limit
    np.testing.assert_allclose(*paths, atol=1e-9)


@pytest.mark.parametrize("kind", ["sphere", "cylinder"])
@pytest.mark.parametrize("angle", [0.5, 1.5, 2.8, 3.1])
def test_s04_c05_velocity_is_the_rate_of_length(kind: str, angle: float) -> None:
    m = corten.Model.from_xml_string(pulley(kind))
    d = corten.Data(m)

    def length(time: float) -> float:
        d.qpos[0], d.qvel[0] = angle + 2.0 * time, 2.0
        corten.forward(m, d)
        return float(d.ten_length[0])

    rate = float(centred_difference(length, 1e-4))
    length(0.0)
    assert d.ten_velocity[0] == pytest.approx(rate, rel=1e-8)
    assert abs(rate) > 0.4


# -- section 5 -------------------------------------------------------------------------------------------------------

CHAIN = """
<mujoco>
  <option gravity="0 0 0"><flag contact="disable"/></option>
  <worldbody>
    <body><freejoint/><geom size=".1"/><site name="ref" pos=".1 .2 .3" {0}/>
      <body pos=".3 0 0"><joint type="ball"/><geom size=".1" pos=".1 0 0"/>
        <body pos=".3 0 0"><joint axis="1 2 3"/><geom size=".1" pos=".1 .1 0"/>
          <site name="tip" pos=".1 .1 0" {0}/></body></body></body>
  </worldbody>
  <actuator>{1}</actuator>
</mujoco>"""
TURNED = 'euler="10 20 30"'
GEAR = np.array([2.0, -1.0, 3.0, 0.4, 0.5, -0.6])
GEARED = f'site="tip" gear="{" ".join(map(str, GEAR))}"'


def moved(actuator: str, turned: bool = True) -> tuple[corten.Model, corten.Data]:
    """A chain in a random position, with one actuator that pulls with a force of 1.5."""
    m = corten.Model.from_xml_string(CHAIN.format(TURNED if turned else "", actuator))
    d = corten.Data(m)
    rng = np.random.default_rng(3)
    utilities.integrate_pos(m, d.qpos, rng.normal(size=m.nv), 0.5)
    d.ctrl[:] = 1.5
    corten.forward(m, d)
    return m, d


def test_s05_c01_length_is_the_place_along_the_gears() -> None:
    """Of the site in its reference's axes, and the rotation vector between them; without a reference there is none.

    The sites are not turned in their bodies: for those that are, MuJoCo multiplies quaternions in another order.
    """
    m, d = moved(f'<motor {GEARED} refsite="ref"/>', turned=False)
    tip, ref = (d.site_xpos[m.names.find("site", name)] for name in ("tip", "ref"))
    to_world = d.site_xmat[m.names.find("site", "ref")].reshape(3, 3)
    turn = to_world.T @ d.site_xmat[m.names.find("site", "tip")].reshape(3, 3)
    angle = np.arccos((np.trace(turn) - 1.0) / 2.0)
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / (2.0 * np.sin(angle))
    expected = GEAR[:3] @ (to_world.T @ (tip - ref)) + GEAR[3:] @ (angle * axis)
    assert d.actuator_length[0] == pytest.approx(expected, rel=1e-12)
    assert moved(f"<motor {GEARED}/>")[1].actuator_length[0] == 0.0


@pytest.mark.parametrize("reference", ["", 'refsite="ref"'])
def test_s05_c02_forces_are_a_wrench_at_the_site(reference: str) -> None:
    """Along the site's own axes, through its Jacobian; with a reference along that one's, between the two bodies."""
    m, d = moved(f"<motor {GEARED} {reference}/>")
    jacobians = utilities.jac_site(m, d, "tip")
    to_world = d.site_xmat[m.names.find("site", "ref" if reference else "tip")].reshape(3, 3)
    wrench = 1.5 * np.array([to_world @ GEAR[:3], to_world @ GEAR[3:]])
    expected = sum(j.T @ w for j, w in zip(jacobians, wrench, strict=True))
    assert np.abs(expected).min() > 1e-3
    if reference:  # what moves both bodies alike is no change of length
        expected[:6] = 0.0
        assert not np.array(utilities.jac_site(m, d, "ref"))[..., 6:].any()
    np.testing.assert_allclose(d.qfrc_actuator, expected, atol=1e-12)


@pytest.mark.reference
@pytest.mark.parametrize("reference", ["", 'refsite="ref"'])
@pytest.mark.parametrize(
    "law",
    [
        'gaintype="fixed" gainprm="2" biastype="none"',
        'gaintype="fixed" gainprm="2" biastype="affine" biasprm=".1 -3 -.4"',
        'gaintype="affine" gainprm="2 .5 .1" biastype="affine" biasprm=".1 -3 -.4"',
        'gaintype="muscle" gainprm=".7 1.1 50 200 .5 1.6 1.5 1.3 1.2" biastype="muscle" '
        'biasprm=".7 1.1 50 200 .5 1.6 1.5 1.3 1.2" dyntype="muscle" dynprm=".01 .04" lengthrange="-2 3"',
    ],
    ids=["fixed", "affine bias", "affine", "muscle"],
)
def test_s05_c03_sites_take_all_gains_and_biases(reference: str, law: str) -> None:
    twins = Twins(CHAIN.format(TURNED, f"<general {GEARED} {reference} {law}/>"))
    forces = []
    for _ in range(10):
        twins.copy_state()
        twins.forward()
        twins.assert_agree(("actuator_length", "actuator_velocity", "actuator_force", "qfrc_actuator", "act_dot"))
        forces.append(float(twins.d.actuator_force[0]))
        twins.step(20)
    assert np.abs(forces).max() > 0.1
