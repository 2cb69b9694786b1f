"""PGS and the no-slip rounds: against the reference round by round, and what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from contact_scenes import condims, cones, mixed, moving, solvers
from elements import assert_same_bits, set_worlds
from twins import Twins

import corten
from corten.kernel.record import Element
from corten.model.data import block
from corten.model.enums import DisableBit, Solver
from corten.physics import step as stages

INPUTS = ("qpos", "qvel", "qacc_warmstart")


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
@solvers
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
