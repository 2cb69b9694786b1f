"""Acceptance criteria of spec 000: section 15, the Newton solver, and section 17, relaxation of PGS."""

from __future__ import annotations

import numpy as np
import pytest
from contact_scenes import ELLIPTIC, GRAVITY, ball, condims, cones, mixed, moving, scene, solvers, stack
from twins import Twins

import corten
from corten import utilities
from corten.model.enums import ConstraintState, ConstraintType, DisableBit, EnableBit, Solver

CRITERIA = {"s15": range(1, 16), "s17": range(1, 4)}
LEFT_OUT = {
    "s15_c06": "an old fallback to another solver: one that has not converged gives what it has",
    "s15_c10": "compares the other implementation with its own past",
}


@cones
@condims
def test_s15_c01_the_three_solvers_agree(cone: int, condim: int) -> None:
    """To 1e-6 at convergence, with dry friction too, which has but one cost here."""
    m = corten.Model.from_xml_string(mixed(condim))
    m.opt.cone, m.opt.tolerance = cone, 0
    for seed in range(3):
        m.opt.solver, m.opt.iterations = Solver.NEWTON, 100
        d = moving(m, seed)
        expected = d.qacc.copy()
        for solver, iterations in ((Solver.CG, 5000), (Solver.PGS, 20000)):
            m.opt.solver, m.opt.iterations = solver, iterations
            corten.forward(m, d)
            difference = np.abs(d.qacc - expected).max() / max(1.0, np.abs(expected).max())
            assert difference < 1e-6, (solver.name, difference)


@cones
def test_s15_c02_newton_needs_few_iterations_where_pgs_needs_many(cone: int) -> None:
    """At most 5 against at least 20, on a stack of boxes."""
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
def test_s15_c03_a_stiff_contact_stays_stable(solver: Solver, cone: int) -> None:
    """solref 0.002."""
    m = scene(ball(contact='solref=".002 1"'), 'timestep=".001"')
    m.opt.cone, m.opt.solver = cone, solver
    d = corten.Data(m)
    corten.step(m, d, 1000)
    assert abs(d.qpos[2] - 0.1) < 1e-4
    assert np.abs(d.qvel).max() < 1e-6


@condims
def test_s15_c04_forces_in_elliptic_cones_are_those_of_pgs(condim: int) -> None:
    """Along the normal, the tangents and about them, in a scene that slides and turns."""
    m = corten.Model.from_xml_string(mixed(condim))
    m.opt.cone, m.opt.tolerance = ELLIPTIC, 0
    for seed in range(2):
        forces = []
        d = moving(m, seed, 40)
        for m.opt.solver, m.opt.iterations in ((Solver.NEWTON, 100), (Solver.PGS, 6000)):
            corten.forward(m, d)
            forces.append(np.array([utilities.contact_force(m, d, i) for i in range(d.ncon)]))
        assert np.abs(forces[0][:, :condim]).max(axis=0).min() > 0.0
        np.testing.assert_allclose(forces[0], forces[1], atol=1e-4 * np.abs(forces[0]).max())


@solvers
@cones
@condims
def test_s15_c04_c14_a_resting_ball_is_carried(solver: Solver, cone: int, condim: int) -> None:
    """The normal force is the weight, for every condim."""
    m = scene(ball(condim))
    m.opt.cone, m.opt.solver = cone, solver
    d = corten.Data(m)
    corten.step(m, d, 2000)
    corten.forward(m, d)
    force = utilities.contact_force(m, d, 0)
    assert force[0] == pytest.approx(GRAVITY, rel=1e-4)
    np.testing.assert_allclose(force[1:], 0.0, atol=1e-4)


@pytest.mark.reference
@solvers
@cones
def test_s15_c05_c15_limits_welds_and_contacts_at_once(solver: Solver, cone: int) -> None:
    """Forces of all kinds of rows are the reference's."""
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


def test_s15_c07_newton_is_the_default() -> None:
    """Also where the file says so."""
    asked = {"": Solver.NEWTON, "Newton": Solver.NEWTON, "CG": Solver.CG, "PGS": Solver.PGS}
    for name, solver in asked.items():
        assert scene("", f'solver="{name}"' if name else "").opt.solver == solver


@solvers
@pytest.mark.parametrize("solref", ["", 'solref="-1000 -2"', 'solref=".01 .2"'])
def test_s15_c08_no_energy_from_bounces(solver: Solver, solref: str) -> None:
    """Ten seconds of free fall and bounces. Looked at in flight, where no energy is in the contact."""
    m = scene(ball(3, 1.0, contact=solref), 'timestep=".001"', "")
    m.opt.solver = solver
    m.opt.enableflags |= EnableBit.ENERGY
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


def test_s15_c09_a_warm_start_saves_iterations() -> None:
    """A fifth or more, on average over the steps of a stack that settles."""
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
def test_s15_c11_without_rows_there_is_nothing_to_solve(solver: Solver) -> None:
    """qacc is qacc_smooth, in no iterations."""
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
def test_s15_c12_direct_solref_equals_the_standard_one(solver: Solver, cone: int) -> None:
    """Time constant and damping ratio against the stiffness and damping that they stand for."""
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
def test_s15_c13_friction_loss_saturates(solver: Solver) -> None:
    """It holds what is weaker and takes its full force off the rest."""
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
def test_s15_c14_a_contact_without_friction_only_pushes_along_its_normal(solver: Solver) -> None:
    """One row; a ball that slides and spins keeps doing so."""
    m = scene(ball(condim=1))
    m.opt.solver = solver
    d = corten.Data(m)
    d.qvel[:] = [1.0, 2.0, 0.0, 3.0, 4.0, 5.0]
    corten.step(m, d, 200)
    np.testing.assert_allclose(d.qvel[[0, 1, 3, 4, 5]], [1.0, 2.0, 3.0, 4.0, 5.0], atol=1e-9)
    assert d.nefc == 1
    assert d.efc_type[0] == ConstraintType.CONTACT_FRICTIONLESS
    assert d.efc_force[0] == pytest.approx(GRAVITY, rel=1e-3)


@solvers
def test_s15_c15_a_weld_carries_forces_and_torques(solver: Solver) -> None:
    """Six rows that hold a weight and a torque about each axis, once all has come to rest."""
    m = scene(
        '<body name="held"><freejoint/><geom size=".1" mass="1"/></body>',
        'tolerance="1e-14" iterations="200"',
        '<equality><weld body1="held"/></equality>',
    )
    m.opt.solver = solver
    d = corten.Data(m)
    torque = np.array([0.02, -0.03, 0.01])
    d.qfrc_applied[3:] = torque
    corten.step(m, d, 1000)
    corten.forward(m, d)
    assert d.ne == d.nefc == 6
    np.testing.assert_allclose(d.qfrc_constraint[:3], [0.0, 0.0, GRAVITY], atol=1e-6)
    np.testing.assert_allclose(d.qfrc_constraint[3:], -torque, atol=1e-6)


@pytest.mark.reference
@cones
def test_s17_c01_no_relaxation_is_the_default(cone: int) -> None:
    """Without `sor` PGS does what it does with 1, to the last bit, and what the reference does."""
    numbers = []
    for sor in ("", 'sor="1"'):
        m = corten.Model.from_xml_string(mixed().replace("<option ", f"<option {sor} "))
        m.opt.cone, m.opt.solver, m.opt.iterations, m.opt.tolerance = cone, Solver.PGS, 5, 0
        numbers.append(moving(m, 0).qacc)
    np.testing.assert_array_equal(*numbers)
    twins = Twins(mixed(), speed=0.3, cone=cone, solver=Solver.PGS, iterations=5, tolerance=0)
    twins.forward()
    twins.assert_agree(("qacc",))


@pytest.mark.parametrize("condim", [1, 3])
def test_s17_c02_c03_over_relaxation_needs_fewer_rounds(condim: int) -> None:
    """1.3 takes fewer rounds than 1 on a stack of boxes; 0.7 converges."""
    body = '<body pos="0 0 {}"><freejoint/><geom type="box" size=".1 .1 .1" condim="{}"/></body>'
    boxes = "".join(body.format(0.1 + 0.199 * k, condim) for k in range(4))
    m = corten.Model.from_xml_string(
        f'<mujoco><option solver="PGS" cone="elliptic" tolerance="1e-9" iterations="3000"/><worldbody>'
        f'<geom type="plane" size="1 1 .1"/>{boxes}</worldbody></mujoco>'
    )
    m.opt.disableflags |= DisableBit.WARMSTART
    rounds, accelerations = {}, {}
    for sor in (0.7, 1.0, 1.3):
        m.opt.sor = sor
        d = corten.Data(m)
        corten.forward(m, d)
        rounds[sor], accelerations[sor] = int(d.solver_niter[0]), d.qacc.copy()
    assert rounds[1.3] < rounds[1.0] < rounds[0.7] < 3000
    for sor in (0.7, 1.3):
        np.testing.assert_allclose(accelerations[sor], accelerations[1.0], atol=0.01)


@cones
@pytest.mark.parametrize("sor", [0.2, 0.5, 0.8])
def test_s17_c03_under_relaxation_is_stable(cone: int, sor: float) -> None:
    """A stack whose upper boxes are heavier, in few rounds of each step: it stands."""
    m = scene(stack(), f'solver="PGS" iterations="30" sor="{sor}"')
    m.opt.cone = cone
    d = corten.Data(m)
    start = d.qpos.copy()
    corten.step(m, d, 500)
    assert not d.warning_number.any()
    assert np.abs(d.qpos - start).max() < 0.02
