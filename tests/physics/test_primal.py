"""Newton and conjugate gradients: against the reference iteration by iteration, over islands and over the whole."""

from __future__ import annotations

import numpy as np
import pytest
from contact_scenes import CONE_NAMES, CONES, mixed
from twins import Twins

from corten.model.enums import DisableBit, Solver

pytestmark = pytest.mark.reference

cones = pytest.mark.parametrize("cone", CONES, ids=CONE_NAMES)
primal = pytest.mark.parametrize("solver", [Solver.CG, Solver.NEWTON], ids=lambda s: s.name)
islands = pytest.mark.parametrize("islands", [True, False], ids=["islands", "whole"])


def with_free_tree() -> str:
    """All kinds of rows on several islands, and a heavy body in the air that no row touches."""
    free = '<body pos="0 -3 3"><freejoint/><geom size=".3" mass="30"/></body></worldbody>'
    return mixed().replace("</worldbody>", free)


def twins_at_rest(cone: int, islands: bool, **options: float) -> Twins:
    """Both engines after some steps of the reference, warm, in one state."""
    twins = Twins(with_free_tree(), speed=0.3, cone=cone, tolerance=0, **options)
    if not islands:
        for m in (twins.m, twins.ref_m):
            m.opt.disableflags |= DisableBit.ISLAND
    steps = twins.ref_m.opt.iterations
    twins.ref_m.opt.iterations = 100
    twins.mujoco.mj_step(twins.ref_m, twins.ref_d, 10)
    twins.ref_m.opt.iterations = steps
    twins.copy_state()
    return twins


def difference(twins: Twins, warm: np.ndarray) -> float:
    """Of qacc after a forward pass of both from one warm start, relative to its largest number."""
    twins.d.qacc_warmstart[:] = twins.ref_d.qacc_warmstart[:] = warm
    twins.forward()
    return float(np.abs(twins.d.qacc - twins.ref_d.qacc).max() / np.abs(twins.ref_d.qacc).max())


@primal
@cones
@islands
@pytest.mark.parametrize("iterations", [0, 1, 2, 3])
def test_primal_solvers_take_the_references_iterations(
    solver: Solver, cone: int, islands: bool, iterations: int
) -> None:
    """From good warm starts, and from such as are bad for the tree without rows, or for one tree alone."""
    twins = twins_at_rest(cone, islands, solver=solver, iterations=iterations)
    good = np.array(twins.ref_d.qacc_warmstart)
    assert twins.ref_m.ntree > 5
    for tree in (None, 0, twins.m.ntree - 1):
        for push in (10.0, 1e4):
            warm = good.copy()
            if tree is not None:
                warm[np.asarray(twins.m.dof_treeid) == tree] += push
            assert difference(twins, warm) < 1e-9, (tree, push)


@primal
@cones
@islands
def test_statistics_of_islands_are_the_references(solver: Solver, cone: int, islands: bool) -> None:
    """Gains and gradients are measured by each island's own inertia, or by that of the model."""
    twins = twins_at_rest(cone, islands, solver=solver, iterations=2)
    twins.d.gather_statistics()
    difference(twins, np.zeros(twins.m.nv))
    isles = int(twins.ref_d.nisland) if islands else 1
    assert isles > 3 or not islands
    for isle in range(isles):
        for k in range(int(twins.ref_d.solver_niter[isle])):
            theirs, mine = twins.ref_d.solver[200 * isle + k], twins.d.solver_stat[200 * isle + k]
            expected = [theirs.improvement, theirs.gradient]
            np.testing.assert_allclose(mine[:2], expected, rtol=1e-6, atol=1e-9, err_msg=f"{isle} {k}")


@cones
@islands
def test_conjugate_gradients_go_on_where_nothing_is_gained(cone: int, islands: bool) -> None:
    """With tolerance 0 they stop when the cost rises, not when rounding hides its fall."""
    twins = twins_at_rest(cone, islands, solver=Solver.CG, iterations=200)
    twins.d.gather_statistics()
    hidden = 0
    for _ in range(10):
        twins.step()
        count = int(twins.d.solver_niter[0])
        hidden += int(np.sum(twins.d.solver_stat[: min(count, 200) - 1, 0] == 0.0))
    assert hidden > 0
