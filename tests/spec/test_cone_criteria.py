"""Acceptance criteria of spec 003: references of friction (31), pyramidal cones (32)."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from contact_scenes import (
    CONES,
    ELLIPTIC,
    GRAVITY,
    PYRAMIDAL,
    ball,
    condims,
    cones,
    dense_jacobian,
    mixed,
    moving,
    scene,
    solvers,
)
from twins import Twins

import corten
from corten import utilities
from corten.model.enums import ConstraintState, ConstraintType, Solver

CRITERIA = {"s31": range(1, 12), "s32": range(1, 16)}
LEFT_OUT = {"s32_c02": "elliptic cones are not the default: the reference's is pyramidal (s32_c01)"}

PAIR = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body pos="0 0 .0995"><freejoint/><geom name="ball" size=".1" mass="1"/></body>
  </worldbody>
  <contact><pair geom1="floor" geom2="ball" condim="{}" {}/></contact>
</mujoco>"""
SLIDING = [0.1, -0.2, 0.0, 0.05, 0.1, 0.2]


def sliding(reference: str, cone: int, solver: Solver = Solver.NEWTON, condim: int = 3) -> corten.Data:
    """A ball that slides on a floor, in contact as by a pair with this reference."""
    m = corten.Model.from_xml_string(PAIR.format(condim, reference))
    m.opt.cone, m.opt.solver = cone, solver
    d = corten.Data(m)
    d.qvel[:] = np.multiply(SLIDING, 1e-2)
    corten.forward(m, d)
    return d


def test_s31_c01_c03_c09_friction_has_its_own_damping() -> None:
    """-B v with the B of its own reference along the tangents; the normal keeps solref."""
    plain, other = sliding('solref=".02 1"', ELLIPTIC), sliding('solref=".02 1" solreffriction=".1 .5"', ELLIPTIC)
    assert plain.efc_aref[0] == other.efc_aref[0]
    dmax = 0.95
    assert other.efc_KBIP[0, 1] == pytest.approx(2 / (dmax * 0.02))
    np.testing.assert_allclose(other.efc_KBIP[1:3, 1], 2 / (dmax * 0.1))
    np.testing.assert_allclose(other.efc_aref[1:3], -2 / (dmax * 0.1) * other.efc_vel[1:3])
    np.testing.assert_allclose(plain.efc_aref[1:3], 5 * other.efc_aref[1:3])
    assert np.abs(other.efc_vel[1:3]).min() > 0.0


@pytest.mark.parametrize("solref", ['solref=".03 .8"', 'solref="-500 -10"'])
def test_s31_c02_friction_follows_the_normal_by_default(solref: str) -> None:
    unset, said = sliding(solref, ELLIPTIC), sliding(solref + ' solreffriction="0 0"', ELLIPTIC)
    for name in ("efc_aref", "efc_KBIP", "efc_force"):
        np.testing.assert_array_equal(getattr(unset, name), getattr(said, name))
    np.testing.assert_array_equal(unset.efc_KBIP[1:3, 1], unset.efc_KBIP[0, 1])


@pytest.mark.parametrize("condim", [3, 4, 6])
def test_s31_c04_s32_c10_pyramids_know_no_reference_of_friction(condim: int) -> None:
    plain = sliding("", PYRAMIDAL, condim=condim)
    other = sliding('solreffriction=".1 .5"', PYRAMIDAL, condim=condim)
    for name in ("efc_aref", "efc_KBIP", "efc_R", "efc_force"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(other, name))


@cones
@pytest.mark.parametrize("condim", [3, 4, 6])
def test_s31_c05_regularisation_is_as_without_it(cone: int, condim: int) -> None:
    plain, other = (sliding(s, cone, condim=condim) for s in ("", 'solreffriction=".1 .5"'))
    np.testing.assert_array_equal(plain.efc_R, other.efc_R)


@pytest.mark.parametrize("reference", ["", 'solreffriction=".1 .5"', 'solreffriction="-100 -5"'])
@pytest.mark.parametrize("condim", [3, 4, 6])
def test_s31_c06_friction_has_no_stiffness(reference: str, condim: int) -> None:
    d = sliding(reference, ELLIPTIC, condim=condim)
    assert d.efc_KBIP[0, 0] > 0.0
    assert not d.efc_KBIP[1:condim, 0].any()


@solvers
def test_s31_c07_c08_forces_of_friction_change(solver: Solver) -> None:
    plain, other = (sliding(s, ELLIPTIC, solver) for s in ("", 'solreffriction=".1 .5"'))
    assert np.abs(plain.efc_force[1:3] - other.efc_force[1:3]).max() > 0.1 * np.abs(plain.efc_force[1:3]).max()
    assert plain.efc_force[0] == pytest.approx(other.efc_force[0], rel=1e-3)


MIXED_SIGNS = ('solreffriction=".1 -.5"', 'solreffriction="-100 5"', 'solref=".03 -.8"', 'solreffriction="0 .5"')


@pytest.mark.reference
@solvers
@cones
@pytest.mark.parametrize(
    "reference", ['solref=".02 1" solreffriction=".1 .5"', 'solref="-300 -9" solreffriction=".05 2"', *MIXED_SIGNS]
)
def test_s31_c10_c11_references_are_the_references(reference: str, cone: int, solver: Solver) -> None:
    """Numbers of mixed signs mean nothing: those of friction are then as if not given, solref is the default."""
    iterations = 2000 if solver == Solver.CG else 50
    twins = Twins(PAIR.format(4, reference), cone=cone, solver=solver, iterations=iterations, tolerance=0)
    twins.put(qpos=twins.m.qpos0, qvel=SLIDING)
    twins.forward()
    rows = twins.d.nefc
    assert rows == twins.ref_d.nefc == (4 if cone == ELLIPTIC else 6)
    for name, atol in (("efc_aref", 1e-9), ("efc_KBIP", 1e-9), ("efc_force", 1e-5)):
        expected = getattr(twins.ref_d, name)
        np.testing.assert_allclose(getattr(twins.d, name)[:rows], expected, rtol=1e-9, atol=atol, err_msg=name)


@pytest.mark.parametrize("reference", [*MIXED_SIGNS, 'solreffriction="0 0"', 'solref="-1 -2"'])
def test_s31_c11_mixed_signs_are_told(reference: str) -> None:
    """By a warning that names the line and the attribute, when the file is read."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        corten.Model.from_xml_string(PAIR.format(3, reference))
    texts = [str(w.message) for w in caught if w.category is corten.MjcfWarning]
    name = reference.split("=")[0]
    if reference in MIXED_SIGNS:
        assert len(texts) == 1
        assert texts[0].startswith(f"<string>:7: <pair> attribute '{name}': ") and "different signs" in texts[0]
    else:
        assert texts == []


# -- section 32 ------------------------------------------------------------------------------------------------------


def test_s32_c01_pyramids_are_the_default() -> None:
    """And nothing is said about them."""
    for option, cone in (("", PYRAMIDAL), ('cone="pyramidal"', PYRAMIDAL), ('cone="elliptic"', ELLIPTIC)):
        m = scene(ball(), option)
        d = corten.Data(m)
        corten.forward(m, d)
        kind, rows = (ConstraintType.CONTACT_ELLIPTIC, 3) if cone else (ConstraintType.CONTACT_PYRAMIDAL, 4)
        assert m.opt.cone == cone
        assert list(d.efc_type[: d.nefc]) == [kind] * rows
        assert not d.warning_number.any()


@condims
def test_s32_c03_c06_c07_c09_a_pyramid_has_two_edges_for_each_tangent(condim: int) -> None:
    """They share distance and margin; their R is 2 mu^2 that of the normal, mu the friction regularised by impratio."""
    m = scene(ball(condim, 0.0995, ".7 .01 .001", 'margin=".004" gap=".001"'), 'impratio="3"')
    d = corten.Data(m)
    corten.forward(m, d)
    assert d.nefc == {1: 1, 3: 4, 4: 6, 6: 10}[condim]
    assert np.all(d.efc_pos[: d.nefc] == d.contact.dist[0])
    assert np.all(d.efc_margin[: d.nefc] == d.contact.includemargin[0])
    assert d.contact.includemargin[0] > 0.0
    assert ConstraintState.CONE not in d.efc_state[: d.nefc]
    if condim > 1:
        mu = 0.7 * np.sqrt(1 / 3)
        imp = d.efc_KBIP[0, 2]
        # the first edge's R before the pyramid's scale, from its approximate diagonal: both bodies' inverse masses
        plain = (1.0 - imp) / imp * m.body_invweight0[1, 0] * (1.0 + 0.7**2)
        np.testing.assert_allclose(d.efc_R[: d.nefc], 2.0 * mu * mu * plain, rtol=1e-12)


@solvers
@condims
def test_s32_c04_c05_c14_edges_push_and_add_up(solver: Solver, condim: int) -> None:
    """No edge pulls, after any number of rounds; the contact's force is their sum and their differences."""
    m = corten.Model.from_xml_string(mixed(condim))
    m.opt.solver = solver
    d = moving(m, 0, 40)
    for m.opt.iterations in (1, 3, 100):
        corten.forward(m, d)
        kind = ConstraintType.CONTACT_FRICTIONLESS if condim == 1 else ConstraintType.CONTACT_PYRAMIDAL
        rows = np.flatnonzero(d.efc_type[: d.nefc] == kind)
        assert len(rows) == d.ncon * max(1, 2 * (condim - 1)) > 0
        assert d.efc_force[rows].min() >= 0.0 < d.efc_force[rows].max()
        for i in range(d.ncon):
            edges = d.efc_force[d.contact.efc_address[i] :][: max(1, 2 * (condim - 1))]
            force = utilities.contact_force(m, d, i)
            assert force[0] == pytest.approx(edges.sum())
            if condim > 1:
                expected = (edges[::2] - edges[1::2]) * d.contact.friction[i][: condim - 1]
                np.testing.assert_allclose(force[1:condim], expected, atol=1e-12)
            assert not force[condim:].any()


@condims
def test_s32_c08_c09_newton_needs_no_cones_for_pyramids(condim: int) -> None:
    """Rows of contacts push or do not; with elliptic cones the same scene has some within their cone's surface."""
    states = {}
    for cone in CONES:
        m = corten.Model.from_xml_string(mixed(condim))
        m.opt.cone = cone
        d = moving(m, 0, 40)
        d.qvel[:] += np.random.default_rng(1).standard_normal(m.nv)  # so that some contacts slip and some open
        corten.forward(m, d)
        states[cone] = set(d.efc_state[d.ne + d.nf : d.nefc].tolist())
        assert d.solver_niter[0] < m.opt.iterations
    assert states[PYRAMIDAL] == {ConstraintState.QUADRATIC, ConstraintState.SATISFIED}
    assert (ConstraintState.CONE in states[ELLIPTIC]) == (condim > 1)


@pytest.mark.parametrize("condim", [3, 4, 6])
def test_s32_c11_edges_have_stiffness(condim: int) -> None:
    """aref = -B v - K imp (pos - margin) for each edge."""
    d = sliding("", PYRAMIDAL, condim=condim)
    n = d.nefc
    stiffness, damping, imp = d.efc_KBIP[:n, :3].T
    assert stiffness.min() > 0.0
    expected = -damping * d.efc_vel[:n] - stiffness * imp * (d.efc_pos[:n] - d.efc_margin[:n])
    np.testing.assert_allclose(d.efc_aref[:n], expected)
    np.testing.assert_allclose(d.efc_vel[:n], dense_jacobian_of(d, condim) @ d.qvel, atol=1e-15)


def dense_jacobian_of(d: corten.Data, condim: int) -> np.ndarray:
    """efc_J of `sliding`."""
    return dense_jacobian(corten.Model.from_xml_string(PAIR.format(condim, "")), d)


@pytest.mark.reference
@solvers
@cones
def test_s32_c12_forces_on_flat_ground(solver: Solver, cone: int) -> None:
    """Of a ball that is pushed along the floor: the reference's, for either cone."""
    iterations = {Solver.PGS: 500, Solver.CG: 2000, Solver.NEWTON: 50}[solver]
    source = f"<mujoco><worldbody>{ball(3, 0.0995, '.4 .005 .0001')}</worldbody></mujoco>"
    twins = Twins(source, cone=cone, solver=solver, iterations=iterations, tolerance=0)
    for push in ([0.0, 0.0], [1.0, -2.0], [10.0, 5.0]):
        twins.put(qpos=twins.m.qpos0, qvel=0.0, qfrc_applied=[*push, 0, 0, 0, 0])
        twins.forward()
        mine = utilities.contact_force(twins.m, twins.d, 0)
        theirs = np.zeros(6)
        twins.mujoco.mj_contactForce(twins.ref_m, twins.ref_d, 0, theirs)
        assert theirs[0] > 0.5 * GRAVITY
        np.testing.assert_allclose(mine, theirs, atol=1e-4 * theirs[0])


@solvers
@cones
def test_s32_c12_c13_pyramid_and_ellipse_carry_the_same(solver: Solver, cone: int) -> None:
    """A box that slides down a slope is slowed by mu times its weight on it, on average: soft contacts chatter."""
    angle, mu, steps = 0.5, 0.3, 500
    m = scene(
        f'<geom type="plane" size="9 9 .1" friction="{mu}"/>'
        f'<body pos="0 0 .0199"><freejoint/><geom type="box" size=".2 .2 .02" mass="1" friction="{mu}"/></body>',
        f'timestep=".001" gravity="{GRAVITY * np.sin(angle)} 0 {-GRAVITY * np.cos(angle)}"',
    )
    m.opt.cone, m.opt.solver = cone, solver
    d = corten.Data(m)
    total = np.zeros(3)
    for _ in range(steps):
        corten.step(m, d)
        total += d.qfrc_constraint[:3] / steps
    weight = GRAVITY * np.cos(angle)
    np.testing.assert_allclose(total, [-mu * weight, 0.0, weight], atol=0.02 * weight)
    assert d.qvel[0] == pytest.approx(0.5 * (GRAVITY * np.sin(angle) - mu * weight), rel=0.02)


@cones
def test_s32_c13_friction_is_against_the_motion(cone: int) -> None:
    """A ball thrown along the floor: mu times the normal force, backwards."""
    m = scene(ball(3, 0.0999, ".4 .005 .0001"))
    m.opt.cone = cone
    d = corten.Data(m)
    d.qvel[0] = 3.0
    corten.forward(m, d)
    force = utilities.contact_force(m, d, 0)
    in_world = force[:3] @ d.contact.frame[0].reshape(3, 3)
    np.testing.assert_allclose(in_world, force[0] * np.array([-0.4, 0.0, 1.0]), atol=1e-6 * force[0])
    np.testing.assert_allclose(d.qfrc_constraint[:3], in_world, atol=1e-9)
    if cone == ELLIPTIC:
        assert set(d.efc_state[: d.nefc]) == {ConstraintState.CONE}


@pytest.mark.parametrize("edges", [[3.0], [1.0, 2.0, 0.0, 0.5], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]])
def test_s32_c15_pyramids_are_decoded_and_encoded(edges: list[float]) -> None:
    """normal = sum, tangents = friction times differences; encoding is its inverse."""
    friction = np.array([0.5, 0.5, 0.1, 0.02, 0.02])
    force = utilities.decode_pyramid(edges, friction)
    assert force[0] == pytest.approx(sum(edges))
    for k in range(len(edges) // 2):
        assert force[k + 1] == pytest.approx(friction[k] * (edges[2 * k] - edges[2 * k + 1]))
    within = force.copy()
    within[1:] *= 0.2
    again = utilities.encode_pyramid(within, friction)
    assert np.all(again >= 0.0)
    np.testing.assert_allclose(utilities.decode_pyramid(again, friction), within, atol=1e-14)
