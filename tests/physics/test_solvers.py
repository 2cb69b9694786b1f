"""What all solvers of constraints promise: convergence, reports, strict mode, and mechanics that one can check by hand.

Named after the acceptance criteria of spec 000 section 15 and spec 003 sections 28, 29, 31 and 32. Left out, because
they describe what has been replaced: criteria 6 and 10 of section 15 (fallbacks to another solver), 7 to 10, 12 and 13
of section 29 (removed penalty forces).
"""

from __future__ import annotations

import numpy as np
import pytest
from contact_scenes import CONDIMS, CONE_NAMES, CONES, ELLIPTIC, PYRAMIDAL, mixed, moving

import corten
from corten import SimulationError, utilities
from corten.model.enums import ConstraintState, ConstraintType, DisableBit, Integrator, Solver

solvers = pytest.mark.parametrize("solver", list(Solver), ids=lambda s: s.name)
cones = pytest.mark.parametrize("cone", CONES, ids=CONE_NAMES)
condims = pytest.mark.parametrize("condim", CONDIMS)
GRAVITY = 9.81


def scene(worldbody: str, option: str = "", rest: str = "") -> corten.Model:
    """A model from the inside of its worldbody."""
    return corten.Model.from_xml_string(f"<mujoco><option {option}/><worldbody>{worldbody}</worldbody>{rest}</mujoco>")


def ball(condim: int = 3, height: float = 0.0999, friction: str = "1 .005 .0001", contact: str = "") -> str:
    """A ball of radius 0.1 and mass 1 over a floor."""
    geom = f'condim="{condim}" friction="{friction}" {contact}'
    return (
        f'<geom type="plane" size="5 5 .1" {geom}/>'
        f'<body pos="0 0 {height}"><freejoint/><geom size=".1" mass="1" {geom}/></body>'
    )


def stack(count: int = 4) -> str:
    """Boxes on a floor, one on the other."""
    boxes = "".join(
        f'<body pos="0 0 {0.1 + 0.1999 * k}"><freejoint/><geom type="box" size=".1 .1 .1" mass="{1 + k}"/></body>'
        for k in range(count)
    )
    return f'<geom type="plane" size="5 5 .1"/>{boxes}'


def mean_force(m: corten.Model, d: corten.Data, steps: int) -> np.ndarray:
    """The force of all constraints on a free body, over many steps: soft contacts chatter."""
    total = np.zeros(3)
    for _ in range(steps):
        corten.step(m, d)
        total += d.qfrc_constraint[:3]
    return total / steps


@cones
def test_newton_needs_few_iterations_where_pgs_needs_many(cone: int) -> None:
    """Section 15, criterion 2: at most 5 against at least 20, on a stack of boxes."""
    m = scene(stack())
    m.opt.cone = cone
    counts = {}
    for solver in (Solver.NEWTON, Solver.PGS):
        m.opt.solver = solver
        d = corten.Data(m)
        corten.forward(m, d)
        counts[solver] = int(d.solver_niter[0])
    assert counts[Solver.NEWTON] <= 5
    assert counts[Solver.PGS] >= 20


@solvers
@cones
def test_a_stiff_contact_stays_stable(solver: Solver, cone: int) -> None:
    """Section 15, criterion 3: solref 0.002."""
    m = scene(ball(contact='solref=".002 1"'), 'timestep=".001"')
    m.opt.cone, m.opt.solver = cone, solver
    d = corten.Data(m)
    corten.step(m, d, 1000)
    assert abs(d.qpos[2] - 0.1) < 1e-4
    assert np.abs(d.qvel).max() < 1e-6


@solvers
@cones
@condims
def test_a_resting_ball_is_carried(solver: Solver, cone: int, condim: int) -> None:
    """Section 15, criteria 4 and 14; section 32, criteria 4 and 5: the normal force is the weight, for every condim."""
    m = scene(ball(condim))
    m.opt.cone, m.opt.solver = cone, solver
    d = corten.Data(m)
    corten.step(m, d, 2000)
    corten.forward(m, d)
    force = utilities.contact_force(m, d, 0)
    assert force[0] == pytest.approx(GRAVITY, rel=1e-4)
    np.testing.assert_allclose(force[1:], 0.0, atol=1e-4)
    assert np.all(d.efc_force[: d.nefc] >= -1e-12)


@pytest.mark.reference
@solvers
@cones
def test_limits_welds_and_contacts_at_once(solver: Solver, cone: int) -> None:
    """Section 15, criteria 5 and 15: forces of all kinds of rows are the reference's."""
    import mujoco

    m, theirs = corten.Model.from_xml_string(mixed()), mujoco.MjModel.from_xml_string(mixed())
    for each in (m, theirs):
        each.opt.cone, each.opt.solver = cone, solver
        each.opt.iterations = {Solver.PGS: 30, Solver.CG: 1000, Solver.NEWTON: 100}[solver]
        each.opt.tolerance = 0
    kinds: set[int] = set()
    for seed in range(4):
        d, ref = moving(m, seed, 30 + 30 * seed), mujoco.MjData(theirs)
        ref.qpos[:], ref.qvel[:], ref.qacc_warmstart[:] = d.qpos, d.qvel, d.qacc_warmstart
        mujoco.mj_forward(theirs, ref)
        kinds.update(d.efc_type[: d.nefc].tolist())
        scale = max(1.0, np.abs(ref.efc_force).max())
        np.testing.assert_allclose(d.efc_force[: d.nefc], ref.efc_force, atol=1e-5 * scale)
    assert {ConstraintType.EQUALITY, ConstraintType.FRICTION_DOF, ConstraintType.LIMIT_JOINT} <= kinds


@solvers
@pytest.mark.parametrize("solref", ["", 'solref="-1000 -2"', 'solref=".01 .2"'])
def test_a_bouncing_ball_gains_no_energy(solver: Solver, solref: str) -> None:
    """Section 15, criterion 8: ten seconds of free fall and bounces. In flight, where no energy is in the contact."""
    m = scene(ball(3, 1.0, contact=solref), 'timestep=".001"', "")
    m.opt.solver = solver
    m.opt.enableflags |= 2  # energy
    d = corten.Data(m)
    in_flight = [GRAVITY * 1.0]
    for _ in range(1000):
        corten.step(m, d, 10)
        corten.forward(m, d)
        if d.ncon == 0:
            in_flight.append(float(d.energy.sum()))
    assert len(in_flight) > 30
    # Euler's method lets the energy of a parabola waver by half a step's fall
    assert np.all(np.diff(in_flight) < 1e-3 * GRAVITY), np.diff(in_flight).max()
    assert d.energy.sum() < 0.9 * in_flight[0]


def test_a_warm_start_saves_iterations() -> None:
    """Section 15, criterion 9: a fifth or more, on average over the steps of a stack that settles."""
    totals = {}
    for cold in (False, True):
        m = scene(stack(), 'solver="CG"')
        if cold:
            m.opt.disableflags |= DisableBit.WARMSTART
        d = corten.Data(m)
        d.qvel[0] = 0.3
        totals[cold] = 0
        for _ in range(200):
            corten.step(m, d)
            totals[cold] += int(d.solver_niter.sum())
    assert totals[False] < 0.8 * totals[True]


@solvers
def test_without_rows_there_is_nothing_to_solve(solver: Solver) -> None:
    """Section 15, criterion 11: qacc is qacc_smooth, in no iterations."""
    m = scene('<body><freejoint/><geom size=".1"/><body pos=".3 0 0"><joint/><geom size=".1"/></body></body>')
    m.opt.solver, m.opt.noslip_iterations = solver, 3
    d = corten.Data(m)
    d.qvel[:] = 1.0
    corten.forward(m, d)
    assert d.nefc == 0
    assert not d.solver_niter.any()
    np.testing.assert_array_equal(d.qacc, d.qacc_smooth)


@solvers
@cones
def test_direct_solref_equals_the_standard_one(solver: Solver, cone: int) -> None:
    """Section 15, criterion 12: time constant and damping ratio against the stiffness and damping that they stand
    for.
    """
    time, ratio, imp = 0.05, 0.7, 0.95
    stiffness, damping = 1.0 / (time * ratio) ** 2, 2.0 / time
    forces = []
    for solref in (f"{time} {ratio}", f"{-stiffness} {-damping}"):
        m = scene(ball(height=0.098, contact=f'solref="{solref}" solimp="{imp} {imp} .001"'))
        m.opt.cone, m.opt.solver = cone, solver
        d = corten.Data(m)
        d.qvel[:] = [0.3, 0.0, -0.2, 0.0, 0.0, 0.0]
        corten.forward(m, d)
        forces.append(utilities.contact_force(m, d, 0))
    assert forces[0][0] > 0.0
    np.testing.assert_allclose(forces[0], forces[1], rtol=1e-6, atol=1e-9)


@solvers
def test_friction_loss_saturates(solver: Solver) -> None:
    """Section 15, criterion 13; section 29, criterion 14: it holds what is weaker and takes its full force off the
    rest.
    """
    m = scene('<body><joint axis="0 1 0" frictionloss="1"/><geom size=".1" mass="1"/></body>', 'gravity="0 0 0"')
    m.opt.solver = solver
    inertia = 0.4 * 0.01
    for pull in (0.3, -0.3, 2.0, -2.0):
        d = corten.Data(m)
        d.qfrc_applied[0] = pull
        corten.forward(m, d)
        assert abs(d.qfrc_constraint[0]) <= 1.0
        if abs(pull) > 1.0:
            assert d.qfrc_constraint[0] == pytest.approx(-np.sign(pull))
            assert d.qacc[0] == pytest.approx((pull - np.sign(pull)) / inertia)
            assert d.efc_state[0] in (ConstraintState.LINEARNEG, ConstraintState.LINEARPOS)
        else:
            assert abs(d.qacc[0]) < 0.11 * abs(pull) / inertia  # the impedance is 0.9
            assert d.efc_state[0] == ConstraintState.QUADRATIC


@solvers
def test_friction_loss_has_its_own_reference(solver: Solver) -> None:
    """Section 28, criteria 4, 6 and 8: solreffriction, also from a default class, changes the force of a moving
    joint.
    """
    hinge = '<body><joint axis="0 1 0" frictionloss="1" {}/><geom size=".1" mass="1"/></body>'
    other = 'solreffriction=".05 .5"'
    forces = []
    for model in (
        scene(hinge.format("")),
        scene(hinge.format(other)),
        scene(hinge.format(""), rest=f"<default><joint {other}/></default>"),
    ):
        model.opt.solver = solver
        d = corten.Data(model)
        d.qvel[0] = 1e-3
        corten.forward(model, d)
        forces.append(float(d.efc_force[0]))
    assert forces[1] == forces[2]
    assert abs(forces[0] - forces[1]) > 1e-3 * abs(forces[0])


PAIR = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body pos="0 0 .0995"><freejoint/><geom name="ball" size=".1" mass="1"/></body>
  </worldbody>
  <contact><pair geom1="floor" geom2="ball" condim="3" solref=".02 1" {}/></contact>
</mujoco>"""


@solvers
@cones
def test_contacts_have_a_reference_of_their_own_for_friction(solver: Solver, cone: int) -> None:
    """Section 31, criteria 1 to 10: damping of elliptic tangents only; R as before; no stiffness along them."""
    found = []
    for solref in ("", 'solreffriction=".1 .5"', 'solreffriction="0 0"'):
        m = corten.Model.from_xml_string(PAIR.format(solref))
        m.opt.cone, m.opt.solver = cone, solver
        d = corten.Data(m)
        d.qvel[:2] = 1e-3, 2e-3
        corten.forward(m, d)
        n = d.nefc
        found.append([x[:n].copy() for x in (d.efc_aref, d.efc_R, d.efc_KBIP, d.efc_force)])
    (aref, r, kbip, force), (other_aref, other_r, _, other_force), unset = found
    for mine, theirs in zip(found[0], unset, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(r, other_r)
    if cone == PYRAMIDAL:
        np.testing.assert_array_equal(aref, other_aref)
        assert np.all(kbip[:, 0] > 0.0)  # section 32, criterion 11
    else:
        assert aref[0] == other_aref[0]
        assert np.all(np.abs(aref[1:] - other_aref[1:]) > 0.1 * np.abs(aref[1:]))
        assert np.all(kbip[1:, 0] == 0.0)
        assert np.abs(force - other_force).max() > 1e-3 * np.abs(force).max()


@condims
def test_a_pyramid_has_two_edges_for_each_tangent(condim: int) -> None:
    """Section 32, criteria 3, 6, 7 and 9."""
    m = scene(ball(condim, 0.0995, ".7 .01 .001"), 'impratio="3"')
    d = corten.Data(m)
    corten.forward(m, d)
    assert d.nefc == {1: 1, 3: 4, 4: 6, 6: 10}[condim]
    assert np.all(d.efc_pos[: d.nefc] == d.contact.dist[0])
    assert ConstraintState.CONE not in d.efc_state[: d.nefc]
    if condim > 1:
        mu = 0.7 * np.sqrt(1 / 3)
        imp = d.efc_KBIP[0, 2]
        # the first edge's R before the pyramid's scale, from its approximate diagonal: both bodies' inverse masses
        plain = (1.0 - imp) / imp * m.body_invweight0[1, 0] * (1.0 + 0.7**2)
        np.testing.assert_allclose(d.efc_R[: d.nefc], 2.0 * mu * mu * plain, rtol=1e-12)


@solvers
def test_pyramid_and_ellipse_carry_the_same(solver: Solver) -> None:
    """Section 32, criteria 12 and 13: a box that slides down a slope is slowed by mu times its weight on it."""
    angle, mu = 0.5, 0.3
    for cone in CONES:
        m = scene(
            f'<geom type="plane" size="9 9 .1" friction="{mu}"/>'
            f'<body pos="0 0 .0199"><freejoint/><geom type="box" size=".2 .2 .02" mass="1" friction="{mu}"/></body>',
            f'timestep=".001" gravity="{GRAVITY * np.sin(angle)} 0 {-GRAVITY * np.cos(angle)}"',
        )
        m.opt.cone, m.opt.solver = cone, solver
        d = corten.Data(m)
        total = mean_force(m, d, 500)
        weight = GRAVITY * np.cos(angle)
        np.testing.assert_allclose(total, [-mu * weight, 0.0, weight], atol=0.02 * weight)
        assert d.qvel[0] == pytest.approx(0.5 * (GRAVITY * np.sin(angle) - mu * weight), rel=0.02)


@pytest.mark.parametrize("edges", [[3.0], [1.0, 2.0, 0.0, 0.5], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]])
def test_pyramids_are_decoded_and_encoded(edges: list[float]) -> None:
    """Section 32, criterion 15: normal = sum, tangents = friction times differences; encoding is its inverse."""
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


@pytest.mark.parametrize("bad", [([], [1.0]), ([1.0, 2.0, 3.0], [1.0]), ([1.0, 2.0, 3.0, 4.0], [1.0])])
def test_pyramids_of_wrong_sizes_are_refused(bad: tuple[list[float], list[float]]) -> None:
    with pytest.raises(ValueError, match="holds"):
        utilities.decode_pyramid(*bad)


def test_the_force_of_a_contact_that_is_not_there_is_refused() -> None:
    m = scene(ball(height=1.0))
    d = corten.Data(m)
    corten.forward(m, d)
    with pytest.raises(IndexError, match="contact 0 of 0"):
        utilities.contact_force(m, d, 0)


@cones
def test_a_spinning_top_slows_with_torsional_friction_only(cone: int) -> None:
    speeds = {}
    for condim in (3, 4):
        m = scene(ball(condim, friction="1 .02 .0001"), "", "")
        m.opt.cone = cone
        d = corten.Data(m)
        d.qvel[5] = 20.0
        corten.step(m, d, 500)
        speeds[condim] = d.qvel[5]
    assert speeds[3] == pytest.approx(20.0, rel=1e-6)
    # the torque is friction times weight, on an inertia of 0.4 m r^2, for a second
    slowed = 20.0 - 0.02 * GRAVITY / (0.4 * 0.01)
    assert speeds[4] == pytest.approx(max(0.0, slowed), abs=0.5)


@cones
def test_a_rolling_ball_stops_with_rolling_friction_only(cone: int) -> None:
    speeds = {}
    for condim in (3, 6):
        m = scene(ball(condim, friction="1 .005 .01"))
        m.opt.cone = cone
        d = corten.Data(m)
        d.qvel[0], d.qvel[4] = 0.5, 5.0  # rolling without slip
        corten.step(m, d, 1000)
        speeds[condim] = np.linalg.norm(d.qvel[:2])
    assert speeds[3] == pytest.approx(0.5, rel=1e-2)
    assert speeds[6] < 1e-2


@pytest.mark.parametrize("solver", list(Solver), ids=lambda s: s.name)
@cones
def test_noslip_stops_creep(solver: Solver, cone: int) -> None:
    """A box on a slope inside its friction cone creeps, unless the no-slip rounds hold it."""
    creep = {}
    for rounds in (0, 10):
        m = scene(
            '<geom type="plane" size="9 9 .1" friction=".8"/>'
            '<body pos="0 0 .0999"><freejoint/><geom type="box" size=".2 .2 .1" mass="1" friction=".8"/></body>',
            'gravity="3 0 -9"',
        )
        m.opt.cone, m.opt.solver, m.opt.noslip_iterations = cone, solver, rounds
        d = corten.Data(m)
        corten.step(m, d, 1000)
        start = d.qpos[0]
        corten.step(m, d, 1000)
        creep[rounds] = d.qpos[0] - start
    assert creep[0] > 1e-4
    assert abs(creep[10]) < 1e-2 * creep[0]


@pytest.mark.reference
@pytest.mark.parametrize("noslip", [0, 3])
@cones
def test_statistics_of_pgs_are_the_references(cone: int, noslip: int) -> None:
    import mujoco

    m, theirs = corten.Model.from_xml_string(mixed()), mujoco.MjModel.from_xml_string(mixed())
    for each in (m, theirs):
        each.opt.cone, each.opt.solver, each.opt.noslip_iterations = cone, Solver.PGS, noslip
        each.opt.iterations = 15
    d, ref = moving(m, 0), mujoco.MjData(theirs)
    d.gather_statistics()
    ref.qpos[:], ref.qvel[:], ref.qacc_warmstart[:] = d.qpos, d.qvel, d.qacc_warmstart
    corten.forward(m, d)
    mujoco.mj_forward(theirs, ref)
    n = int(ref.solver_niter[0])
    assert int(d.solver_niter[0]) == n
    np.testing.assert_allclose(d.solver.improvement[:n], ref.solver.improvement[:n], rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("solver", [Solver.CG, Solver.NEWTON], ids=lambda s: s.name)
@cones
def test_statistics_of_primal_solvers(solver: Solver, cone: int) -> None:
    m = corten.Model.from_xml_string(mixed())
    m.opt.cone, m.opt.solver, m.opt.iterations = cone, solver, 1000
    m.opt.disableflags |= DisableBit.ISLAND
    d = moving(m, 0)
    with pytest.raises(AttributeError, match="gather_statistics"):
        _ = d.solver.improvement
    d.gather_statistics()
    corten.forward(m, d)
    n = int(d.solver_niter[0])
    assert n > 1
    assert np.all(d.solver.improvement[: n - 1] > m.opt.tolerance)
    assert min(d.solver.improvement[n - 1], d.solver.gradient[n - 1]) <= m.opt.tolerance
    assert np.all(d.solver.neval[:n] >= 1)
    pushing = np.isin(d.efc_state[: d.nefc], [ConstraintState.SATISFIED], invert=True).sum()
    assert d.solver.nactive[n - 1] == pushing
    with pytest.raises(AttributeError, match="no 'speed'"):
        _ = d.solver.speed


@solvers
@pytest.mark.parametrize("integrator", [Integrator.EULER, Integrator.RK4], ids=lambda i: i.name)
def test_strict_mode_stops_where_the_solver_has_not_converged(solver: Solver, integrator: Integrator) -> None:
    m = scene(stack(), 'strict="true" tolerance="1e-10" iterations="1"')
    m.opt.solver, m.opt.integrator = solver, integrator
    d = corten.Data(m)
    d.qvel[0] = 0.5
    before = d.qpos.copy(), d.qvel.copy()
    with pytest.raises(
        SimulationError, match=f"the {solver.name} solver has not converged to 1e-10 within 1 iterations"
    ):
        corten.step(m, d, 5)
    np.testing.assert_array_equal(d.qpos, before[0])
    np.testing.assert_array_equal(d.qvel, before[1])
    assert d.time == 0.0
    m.opt.iterations = 10000
    corten.step(m, d, 5)
    assert d.time == pytest.approx(5 * m.opt.timestep)
    m.opt.iterations, m.opt.strict = 1, 0
    corten.step(m, d, 5)


def test_strict_mode_stops_a_batch() -> None:
    m = scene(stack(), 'strict="true" tolerance="1e-10" iterations="1"')
    batch = corten.Batch(m, 3)
    batch.qvel[:, 0] = 0.5
    with pytest.raises(SimulationError, match="has not converged"):
        batch.step(2)
    m.opt.iterations = 100
    batch.step(2)


@solvers
def test_forces_by_kind_add_up(solver: Solver) -> None:
    """Section 29, criteria 11 and 12: friction loss is a force of constraints, and can be had on its own."""
    m = corten.Model.from_xml_string(mixed())
    m.opt.solver = solver
    d = moving(m, 1, 60)
    parts = {kind: utilities.constraint_force(m, d, kind) for kind in ("equality", "frictionloss", "limit", "contact")}
    np.testing.assert_allclose(sum(parts.values()), d.qfrc_constraint, atol=1e-9 * np.abs(d.qfrc_constraint).max())
    hinge = int(m.jnt_dofadr[2])
    assert m.dof_frictionloss[hinge] > 0.0
    assert 0.0 < abs(parts["frictionloss"][hinge]) <= m.dof_frictionloss[hinge] * (1 + 1e-12)
    with pytest.raises(ValueError, match="no kind of constraint is called 'friction'"):
        utilities.constraint_force(m, d, "friction")


@cones
def test_the_cone_holds_sliding_forces(cone: int) -> None:
    """A ball thrown along the floor: its friction is mu times the normal force, against its motion."""
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
