"""PGS and the no-slip rounds: against the reference round by round, and what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from contact_scenes import CONDIMS, CONE_NAMES, CONES, ELLIPTIC, mixed, moving, total_force
from elements import assert_same_bits, set_worlds
from twins import Twins

import corten
from corten import utilities
from corten.kernel.record import Element
from corten.model.data import block
from corten.model.enums import DisableBit, Solver
from corten.physics import step as stages

INPUTS = ("qpos", "qvel", "qacc_warmstart")

cones = pytest.mark.parametrize("cone", CONES, ids=CONE_NAMES)
condims = pytest.mark.parametrize("condim", CONDIMS)


def follow(twins: Twins, steps: int) -> float:
    """Both take steps from the reference's states; the largest difference of qacc, relative to its largest number."""
    worst = 0.0
    for _ in range(steps):
        twins.copy_state()
        twins.d.qacc_warmstart[:] = twins.ref_d.qacc_warmstart
        twins.step()
        scale = max(1.0, np.abs(twins.ref_d.qacc).max())
        worst = max(worst, np.abs(twins.d.qacc - twins.ref_d.qacc).max() / scale)
        worst = max(worst, np.abs(twins.d.qacc_warmstart - twins.ref_d.qacc_warmstart).max() / scale)
        if twins.ref_d.nefc == twins.d.nefc:
            theirs = twins.ref_d.efc_force
            difference = np.abs(twins.d.efc_force[: len(theirs)] - theirs).max(initial=0.0)
            worst = max(worst, difference / max(1.0, np.abs(theirs).max(initial=0.0)))
    return worst


@pytest.mark.reference
@cones
@condims
@pytest.mark.parametrize("iterations", [1, 2, 10])
def test_pgs_takes_the_references_iterations(cone: int, condim: int, iterations: int) -> None:
    twins = Twins(mixed(condim), speed=0.3, cone=cone, solver=Solver.PGS, iterations=iterations, tolerance=0)
    assert follow(twins, 40) < 1e-10
    assert twins.d.solver_niter[0] == iterations


@pytest.mark.reference
@cones
@condims
@pytest.mark.parametrize("solver", list(Solver), ids=lambda s: s.name)
def test_noslip_after_any_solver(solver: Solver, cone: int, condim: int) -> None:
    """One round of PGS, or the other solvers to convergence, and three rounds without slip."""
    iterations = {Solver.PGS: 1, Solver.CG: 1000, Solver.NEWTON: 100}[solver]
    options = {"iterations": iterations, "tolerance": 0, "noslip_iterations": 3, "noslip_tolerance": 0}
    twins = Twins(mixed(condim), speed=0.3, cone=cone, solver=solver, **options)
    assert follow(twins, 40) < (1e-5 if solver == Solver.CG else 1e-9)


@pytest.mark.reference
@cones
def test_pgs_without_warm_start(cone: int) -> None:
    twins = Twins(mixed(), speed=0.3, cone=cone, solver=Solver.PGS, iterations=5, tolerance=0)
    for m in (twins.m, twins.ref_m):
        m.opt.disableflags |= DisableBit.WARMSTART
    assert follow(twins, 20) < 1e-10


def dual_cost(m: corten.Model, d: corten.Data) -> float:
    """f' (A + R) f / 2 + b' f, by dense algebra."""
    jacobian = np.zeros((d.nefc, m.nv))
    for r in range(d.nefc):
        entries = slice(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r])
        jacobian[r, d.efc_J_colind[entries]] += d.efc_J[entries]
    inertia = utilities.full_mass_matrix(m, d)
    force = d.efc_force[: d.nefc]
    b = jacobian @ d.qacc_smooth - d.efc_aref[: d.nefc]
    response = jacobian @ np.linalg.solve(inertia, jacobian.T) + np.diag(d.efc_R[: d.nefc])
    return float(0.5 * force @ response @ force + b @ force)


@cones
@condims
@pytest.mark.parametrize("sor", [0.5, 1.0, 1.3])
def test_a_round_of_pgs_never_raises_the_cost(cone: int, condim: int, sor: float) -> None:
    """spec 003, section 29: the cost guard."""
    m = corten.Model.from_xml_string(mixed(condim))
    m.opt.cone, m.opt.solver, m.opt.tolerance, m.opt.sor = cone, Solver.PGS, 0, sor
    for seed in range(3):
        d = moving(m, seed)
        costs = []
        for rounds in (1, 2, 3, 5, 8, 13, 21, 100):
            m.opt.iterations = rounds
            corten.forward(m, d)
            costs.append(dual_cost(m, d))
        assert costs[0] < 0.0
        assert np.all(np.diff(costs) < 1e-8 * abs(costs[-1])), costs


@pytest.mark.parametrize("condim", [1, 3])
def test_over_relaxation_needs_fewer_rounds(condim: int) -> None:
    """spec 000, section 17, criteria 2 and 3: 1.3 takes fewer rounds than 1 on a stack of boxes; 0.7 converges."""
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
@condims
def test_the_three_solvers_agree(cone: int, condim: int) -> None:
    """spec 000, section 15, criterion 1: to 1e-6 at convergence."""
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
@condims
@pytest.mark.parametrize("noslip", [0, 3])
@pytest.mark.parametrize("solver", list(Solver), ids=lambda s: s.name)
def test_forces_balance_and_stay_in_their_cones(solver: Solver, noslip: int, cone: int, condim: int) -> None:
    m = corten.Model.from_xml_string(mixed(condim))
    m.opt.cone, m.opt.solver, m.opt.noslip_iterations = cone, solver, noslip
    m.opt.tolerance, m.opt.iterations = 0, 1000
    for seed in range(3):
        d = moving(m, seed)
        force = total_force(d)
        scale = max(1.0, np.abs(force).max())
        # conjugate gradients come no closer than their cost, of which they take differences, can be resolved
        tolerance = 1e-9 if noslip or solver != Solver.CG else 1e-6
        np.testing.assert_allclose(utilities.mul_m(m, d, d.qacc), force, atol=tolerance * scale)
        assert d.ncon > 0
        for i in range(d.ncon):
            force = utilities.contact_force(m, d, i)
            tangents = np.array([force[1], force[2], force[3], force[4], force[5]]) / d.contact.friction[i]
            size = np.linalg.norm(tangents) if cone == ELLIPTIC else np.abs(tangents).sum()
            assert force[0] >= 0.0
            assert size <= force[0] * (1 + 1e-9) + 1e-9


@cones
@condims
@pytest.mark.parametrize("noslip", [0, 3])
def test_lanes_equal_single_worlds(cone: int, condim: int, noslip: int) -> None:
    """A block of worlds in different contacts gives each world's own numbers to the last bit."""
    m = corten.Model.from_xml_string(mixed(condim))
    m.opt.cone, m.opt.solver, m.opt.noslip_iterations = cone, Solver.PGS, noslip
    m.opt.disableflags |= DisableBit.ISLAND  # a block is never solved part by part
    worlds = [moving(m, seed, 5 + 10 * seed) for seed in range(4)]
    lanes = block(m, Element("lanes", 4))
    set_worlds(lanes, worlds, INPUTS)
    corten.engine.call(stages.forward, m, lanes)
    for l, d in enumerate(worlds):
        corten.forward(m, d)
        assert_same_bits(lanes, l, d, ("qacc", "qfrc_constraint"))
        np.testing.assert_array_equal(lanes.array("solver_niter")[..., l], d.solver_niter)
    assert len({int(d.nefc) for d in worlds}) > 1


@cones
def test_derivatives_of_pgs(cone: int) -> None:
    """Tangents through all rounds agree with centred differences of the same rounds."""
    m = corten.Model.from_xml_string(mixed(3))
    m.opt.cone, m.opt.solver, m.opt.iterations, m.opt.tolerance = cone, Solver.PGS, 20, 0
    d = moving(m, 1)
    _, by_velocity, _ = corten.derivative.qacc(m, d)
    h = 1e-6
    for k in range(m.nv):
        sides = []
        for sign in (1, -1):
            one = d.copy()
            one.qvel[k] += sign * h
            corten.forward(m, one)
            sides.append(one.qacc.copy())
        expected = (sides[0] - sides[1]) / (2 * h)
        np.testing.assert_allclose(by_velocity[:, k], expected, atol=1e-5 * max(1.0, np.abs(expected).max()))
