"""The one idea: the same kernels give one world, the lanes of a batch to the last bit, and exact derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from contact_scenes import cones, solvers
from elements import assert_same_bits, centred_difference, computed_fields, position_seeds, set_worlds
from random_models import random_mjcf, randomise

import corten
from corten import models
from corten.engine import run
from corten.kernel import JIT
from corten.kernel.interpret import as_python
from corten.kernel.record import Element
from corten.model.data import block
from corten.model.enums import DisableBit, Integrator, Solver
from corten.physics import step as stages

compiled = pytest.mark.skipif(not JIT, reason="about lanes and duals")
INPUTS = ("qpos", "qvel", "ctrl", "qfrc_applied", "xfrc_applied", "qacc_warmstart", "time", "act")
SMOOTH = DisableBit.CONTACT | DisableBit.CONSTRAINT
WIDTHS = (2, 4, 8)


def worlds_of(m: corten.Model, count: int, seed: int) -> list[corten.Data]:
    rng = np.random.default_rng(seed)
    worlds = [corten.Data(m) for _ in range(count)]
    for d in worlds:
        randomise(m, d, rng)
    return worlds


@compiled
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("seed", range(6))
def test_every_field_of_a_lane_equals_one_world(seed: int, width: int) -> None:
    m = corten.Model.from_xml_string(random_mjcf(seed, bodies=4 + 2 * seed))
    m.opt.disableflags |= SMOOTH
    worlds = worlds_of(m, width, seed)
    lanes = block(m, Element("lanes", width))
    set_worlds(lanes, worlds, INPUTS)
    run(stages.forward, m, lanes)()
    for l, d in enumerate(worlds):
        corten.forward(m, d)
        assert_same_bits(lanes, l, d, computed_fields(d))


@compiled
@pytest.mark.parametrize("integrator", [Integrator.EULER, Integrator.RK4], ids=lambda i: i.name)
@pytest.mark.parametrize("lanes", [1, *WIDTHS])
def test_a_batch_equals_single_worlds(lanes: int, integrator: Integrator) -> None:
    """Whatever the width, the place in the batch, the number of threads."""
    m = corten.Model.from_xml_string(random_mjcf(11, bodies=7))
    m.opt.disableflags |= SMOOTH
    m.opt.integrator = integrator
    worlds = worlds_of(m, 11, 3)
    for threads in (1, 2):
        b = corten.Batch(m, len(worlds), threads=threads, lanes=lanes)
        for i, d in enumerate(worlds):
            b.set_world(i, d)
        b.step(7)
        for i, d in enumerate(worlds):
            one = d.copy()
            corten.step(m, one, 7)
            for name in ("qpos", "qvel", "time"):
                np.testing.assert_array_equal(getattr(b, name)[i], getattr(one, name), err_msg=name)
            np.testing.assert_array_equal(b.xpos[i], one.xpos)
        corten.forward(m, one)
        np.testing.assert_array_equal(b.world(len(worlds) - 1).qacc, one.qacc)


@compiled
@solvers
@cones
def test_a_batch_in_contact_equals_single_worlds(solver: Solver, cone: int) -> None:
    """Worlds of one block are in different contacts, which come and go."""
    m = corten.Model.from_xml_string(random_mjcf(5, bodies=6, floor=True))
    m.opt.cone, m.opt.solver = cone, solver
    m.opt.disableflags |= DisableBit.ISLAND  # a block is solved as a whole, so here single worlds are too
    worlds = worlds_of(m, 9, 5)
    b = corten.Batch(m, len(worlds), threads=2, lanes=4)
    for i, d in enumerate(worlds):
        b.set_world(i, d)
    counts = set()
    for _ in range(12):
        b.step(20)
        for i, d in enumerate(worlds):
            corten.step(m, d, 20)
            counts.add(int(d.ncon))
            np.testing.assert_array_equal(b.qpos[i], d.qpos)
            np.testing.assert_array_equal(b.qvel[i], d.qvel)
    assert len(counts) > 3  # else the test shows nothing


@compiled
def test_islands_change_numbers_within_the_solver_tolerance_only() -> None:
    """A single world is solved island by island, a block as a whole."""
    body = '<body pos="{x} 0 {z}"><freejoint/><geom type="capsule" size=".1 .15" euler="0 {a} 0"/></body>'
    bodies = "".join(body.format(x=0.3 * i, z=0.2 + 0.1 * i, a=30 * i) for i in range(5))
    m = corten.Model.from_xml_string(
        f'<mujoco><worldbody><geom type="plane" size="5 5 1"/>{bodies}</worldbody></mujoco>'
    )
    m.opt.tolerance = 1e-14
    worlds = worlds_of(m, 4, 5)
    for d in worlds:
        corten.reset(m, d)
        d.qvel[:] = 0.1 * np.random.default_rng(1).normal(size=m.nv)
    b = corten.Batch(m, len(worlds), lanes=4)
    for i, d in enumerate(worlds):
        corten.step(m, d, 100)
        b.set_world(i, d)
    assert any(d.nisland > 1 for d in worlds)
    b.step(20)
    for i, d in enumerate(worlds):
        corten.step(m, d, 20)
        np.testing.assert_allclose(b.qpos[i], d.qpos, atol=1e-9)


@compiled
@pytest.mark.parametrize("seed", range(3))
def test_plain_python_gives_the_same_numbers(seed: int) -> None:
    m = corten.Model.from_xml_string(random_mjcf(seed, bodies=4))
    m.opt.disableflags |= SMOOTH
    d = worlds_of(m, 1, seed)[0]
    other = d.copy()
    corten.step(m, d, 2)
    with np.errstate(all="ignore"):
        as_python(stages.step)(m, other, 2)
    for name in ("qpos", "qvel", "qacc", "M", "qfrc_bias", "cvel"):
        expected = getattr(d, name)
        np.testing.assert_allclose(
            getattr(other, name), expected, atol=1e-12 * max(1, abs(expected).max()), err_msg=name
        )


def _model(name: str) -> corten.Model:
    m = corten.Model.from_xml_path(models.path(name))
    m.opt.disableflags |= SMOOTH
    return m


@compiled
@pytest.mark.parametrize("name", models.names())
def test_derivatives_of_accelerations(name: str) -> None:
    m = _model(name)
    d = corten.Data(m)
    randomise(m, d, np.random.default_rng(2))
    d.ctrl[:] *= 0.1  # inside the limits of controls: at these the derivative jumps
    _check(m, d, corten.derivative.qacc(m, d))


@compiled
@pytest.mark.parametrize("seed", range(4))
def test_derivatives_of_random_mechanisms(seed: int) -> None:
    m = corten.Model.from_xml_string(random_mjcf(seed + 20))
    m.opt.disableflags |= SMOOTH
    d = worlds_of(m, 1, seed)[0]
    _check(m, d, corten.derivative.qacc(m, d))


def _check(m: corten.Model, d: corten.Data, exact: tuple[np.ndarray, ...]) -> None:
    """Columns against centred differences, to 1e-6 of the largest number."""
    seeds = {"qpos": position_seeds(m, d.qpos), "qvel": np.eye(m.nv), "ctrl": np.eye(m.nu)}
    for (name, seed), matrix in zip(seeds.items(), exact, strict=True):
        for k in range(seed.shape[1]):

            def qacc(h: float, name: str = name, column: np.ndarray = seed[:, k]) -> np.ndarray:
                one = d.copy()
                getattr(one, name)[:] += h * column
                corten.forward(m, one)
                return one.qacc

            expected = centred_difference(qacc, 1e-4)
            scale = max(1.0, np.abs(matrix).max(), np.abs(expected).max())
            np.testing.assert_allclose(matrix[:, k], expected, atol=1e-6 * scale, err_msg=f"{name} {k}")


@compiled
@pytest.mark.parametrize("integrator", list(Integrator)[:4], ids=lambda i: i.name)
def test_transition_matrices(integrator: Integrator) -> None:
    m = corten.Model.from_xml_string(random_mjcf(30, bodies=5))
    m.opt.disableflags |= SMOOTH
    m.opt.integrator = integrator
    d = worlds_of(m, 1, 1)[0]
    before = d.copy()
    a, b = corten.transition(m, d)
    assert (d.qpos == before.qpos).all() and d.time == before.time
    seeds = position_seeds(m, d.qpos)
    for k in range(2 * m.nv + m.nu):

        def velocities(h: float, k: int = k) -> np.ndarray:
            one = d.copy()
            if k < m.nv:
                one.qpos[:] += h * seeds[:, k]
            elif k < 2 * m.nv:
                one.qvel[k - m.nv] += h
            else:
                one.ctrl[k - 2 * m.nv] += h
            corten.step(m, one)
            return one.qvel

        column = a[:, k] if k < 2 * m.nv else b[:, k - 2 * m.nv]
        expected = centred_difference(velocities, 1e-4)
        np.testing.assert_allclose(column[m.nv :], expected, atol=1e-6 * max(1.0, np.abs(expected).max()))


RESTING = """
<mujoco>
  <option cone="{cone}" solver="{solver}" tolerance="1e-15" iterations="1000"/>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/>
      <body pos="0 .2 0"><joint axis="1 0 0" frictionloss=".1" range="-20 20"/><geom size=".05" mass=".1"/></body>
    </body>
  </worldbody>
</mujoco>
"""


@compiled
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("solver", ["PGS", "CG", "Newton"])
def test_derivatives_where_the_solver_has_nothing_left_to_do(solver: str, cone: str) -> None:
    """At rest the warm start is the solution; its derivatives follow all the same.

    All solvers solve one problem, so Newton's, which converges best, gives the differences.
    """
    m = corten.Model.from_xml_string(RESTING.format(solver=solver, cone=cone))
    d = corten.Data(m)
    corten.step(m, d, 3000)
    for _ in range(3):
        corten.forward(m, d)
    assert d.ncon == 4 and np.abs(d.qvel).max() < 1e-6
    a, _ = corten.transition(m, d)
    exact = a[m.nv :, m.nv :]
    m.opt.solver = Solver.NEWTON
    for k in range(m.nv):

        def velocities(h: float, k: int = k) -> np.ndarray:
            one = d.copy()
            one.qvel[k] += h
            corten.step(m, one)
            return one.qvel

        expected = (velocities(1e-6) - velocities(-1e-6)) / 2e-6
        np.testing.assert_allclose(exact[:, k], expected, atol=2e-5 * max(1.0, np.abs(expected).max()))


def test_a_data_of_another_model_is_refused() -> None:
    m = corten.Model.from_xml_string(random_mjcf(1, bodies=3))
    other = corten.Model.from_xml_string(random_mjcf(2, bodies=5))
    with pytest.raises(corten.SimulationError, match="made for another model"):
        corten.step(m, corten.Data(other))
    with pytest.raises(TypeError, match=r"not a corten\.Model"):
        corten.step("humanoid", corten.Data(m))
