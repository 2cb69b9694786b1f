"""What all solvers of constraints promise: statistics, strict mode, no slip; errors of what is asked about contacts.

The numbered criteria of the specification are in tests/spec.
"""

from __future__ import annotations

import numpy as np
import pytest
from contact_scenes import ball, cones, mixed, moving, scene, solvers, stack
from twins import Twins

import corten
from corten import SimulationError, utilities
from corten.model.enums import ConstraintState, DisableBit, Integrator, Solver


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


@solvers
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


@pytest.mark.reference
@pytest.mark.parametrize("islands", ["enable", "disable"])
@pytest.mark.parametrize("iterations", [1, 3, 100])
@pytest.mark.parametrize("solver", [Solver.CG, Solver.NEWTON], ids=lambda s: s.name)
def test_noslip_solves_all_trees_at_once_but_those_without_rows(solver: Solver, iterations: int, islands: str) -> None:
    """Two trees in rows, of their own each, and one that flies: it starts, and stays, at qacc_smooth with islands."""
    arm = """<body pos="{x} 0 1"><joint axis="0 1 0" frictionloss="20" range="-5 5"/>
      <geom type="capsule" size=".05 .1"/>
      <body pos="0 0 .2"><joint type="ball"/><joint type="slide" frictionloss="30"/><geom type="capsule" size=".05 .1"/>
      </body></body>"""
    source = f"""<mujoco><option><flag contact="disable" island="{islands}"/></option><worldbody>{arm.format(x=0)}
      <body pos="2 0 1"><joint type="slide"/><joint axis="1 1 0"/><geom size=".03" pos=".1 0 0"/></body>
      {arm.format(x=1)}</worldbody></mujoco>"""
    twins = Twins(source, solver=solver, iterations=iterations, noslip_iterations=2)
    twins.forward()
    twins.put(qacc_warmstart=twins.ref_d.qacc * 1.01)
    twins.forward()
    twins.assert_agree(("qacc", "qfrc_constraint"), rtol=1e-9)
    assert int(twins.d.solver_niter[0]) == int(twins.ref_d.solver_niter[0])
