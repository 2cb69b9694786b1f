"""Many worlds: steps of all worlds per second, with the same number of threads."""

from __future__ import annotations

import numpy as np

from corten.cli.benchmark.cases import Case
from corten.cli.benchmark.timing import Row, best_of
from corten.conformance.engines import Reference

STEPS = 100
REPETITIONS = 5
SPREAD = 0.01  # standard deviation of the velocities that tell the worlds apart


def measure(case: Case, ref: Reference, nworld: int, threads: int) -> Row:
    """`Batch.step` against `mujoco.rollout`: the same states, controls, number of steps and threads."""
    from mujoco import rollout

    import corten

    rng = np.random.default_rng(0)
    qvel = case.state["qvel"] + SPREAD * rng.normal(size=(nworld, case.ref_m.nv))
    batch = corten.Batch(case.m, nworld, threads=threads)
    initial = _initial_states(case, ref, qvel)
    control = np.broadcast_to(case.state["ctrl"], (nworld, STEPS, case.ref_m.nu)).copy()
    workers = [ref.data(case.ref_m) for _ in range(threads)]

    def restore() -> None:
        for name in ("qpos", "act", "qacc_warmstart", "ctrl"):
            if case.state[name].size and hasattr(batch, name):
                getattr(batch, name)[...] = case.state[name]
        batch.qvel[...] = qvel

    restore()
    batch.step(1)  # compiles, where the cache is empty
    with rollout.Rollout(nthread=threads if threads > 1 else 0) as pool:
        works = {
            "ours": lambda: batch.step(STEPS),
            "theirs": lambda: pool.rollout(case.ref_m, workers, initial, control, nstep=STEPS),
        }
        best = best_of(works, REPETITIONS, restore)
    total = nworld * STEPS
    return Row(case.name, total / best["ours"], total / best["theirs"], "steps/s", case.size, fair=not case.missing)


def _initial_states(case: Case, ref: Reference, qvel: np.ndarray) -> np.ndarray:
    """One full-physics state of the reference for each world."""
    kind = ref.mj.mjtState.mjSTATE_FULLPHYSICS
    states = np.zeros((len(qvel), ref.mj.mj_stateSize(case.ref_m, kind)))
    case.restore()
    for row, v in zip(states, qvel, strict=True):
        case.ref_d.qvel[:] = v
        ref.mj.mj_getState(case.ref_m, case.ref_d, row, kind)
    return states
