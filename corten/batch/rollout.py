"""`corten.rollout`: open-loop trajectories of many worlds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corten.batch.batch import CHUNKS, Batch, lane_width, thread_count
from corten.batch.transfer import rollout_blocks
from corten.model.checks import SimulationError, check_model, reals, whole
from corten.model.model import Model

AT_ONCE = 512  # worlds in memory at a time, if that keeps all threads busy


def rollout(
    m: Model,
    initial_states: ArrayLike,
    controls: ArrayLike | None = None,
    nstep: int | None = None,
    threads: int | None = None,
    *,
    warmstarts: ArrayLike | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """(states, sensordata) of worlds that start in given states and follow given controls.

    `initial_states`, (nworld, n) or (n,), are full physics states (`corten.get_state`); `controls` are
    (nworld, nstep, nu), or with a leading dimension less or of 1 where they are the same for all worlds; without them
    controls are zero and `nstep` must be given. Controls of one step are held for all `nstep`.
    `warmstarts`, (nworld, nv), are the accelerations at which the solver starts, zero if not given.

    Both results have one row after each step: (nworld, nstep, n) and (nworld, nstep, nsensordata). Worlds are taken in
    chunks, so that memory beyond the results does not grow with their number; `progress(done, nworld)` is called after
    each. A world that fails begins again from the model's initial state, as in `step`.
    """
    check_model(m)
    starts = _table(initial_states, 1 + m.nq + m.nv + m.na + m.nhistory, "initial states")
    given = None if controls is None else _controls(m, controls)
    warm = np.zeros((1, m.nv)) if warmstarts is None else _table(warmstarts, m.nv, "warm starts")
    counts = {len(x) for x in (starts, warm, given) if x is not None} - {1}
    if len(counts) > 1:
        raise SimulationError(f"initial states, controls and warm starts of {sorted(counts)} worlds do not agree")
    nworld = counts.pop() if counts else 1
    nstep = _steps(nstep, given)
    states = np.empty((nworld, nstep, starts.shape[1]))
    sensors = np.empty((nworld, nstep, m.nsensordata))
    batch: Batch | None = None
    begin = 0
    while begin < nworld:
        if batch is None or nworld - begin < batch.nworld:
            batch = _batch(m, nworld - begin, threads)
        chunk = slice(begin, begin + batch.nworld)
        batch.reset()
        batch.set_state(_part(starts, chunk))
        batch.qacc_warmstart = _part(warm, chunk)
        _run(batch, _filled(m, given, chunk, batch.nworld, nstep), states[chunk], sensors[chunk])
        begin += batch.nworld
        if progress is not None:
            progress(begin, nworld)
    return states, sensors


def _batch(m: Model, left: int, threads: int | None) -> Batch:
    """A batch for the next chunk of what is left: enough blocks to keep all threads busy, or all of it."""
    busy = thread_count(threads) * CHUNKS * lane_width()
    return Batch(m, min(left, max(AT_ONCE, busy)), threads)


def _run(batch: Batch, controls: np.ndarray, states: np.ndarray, sensors: np.ndarray) -> None:
    """One chunk; the arrays are contiguous, and the last two are filled."""
    arrays = (controls.reshape(-1), states.reshape(-1), sensors.reshape(-1))
    batch.run(rollout_blocks, lambda _, nstep: nstep, states.shape[1], arrays, (batch.nworld,))


def _table(states: ArrayLike, size: int, what: str) -> np.ndarray:
    """One row for each world, or one for all."""
    table = np.atleast_2d(reals(states, what))
    if table.ndim != 2 or table.shape[1] != size:
        raise SimulationError(f"{what} of shape {np.shape(states)} where (nworld, {size}) is needed")
    return table


def _controls(m: Model, controls: ArrayLike) -> np.ndarray:
    """Controls with worlds, steps and actuators as dimensions."""
    array = reals(controls, "controls")
    array = array.reshape((1,) * (3 - array.ndim) + array.shape) if array.ndim < 3 else array
    if array.ndim != 3 or array.shape[2] != m.nu or not array.shape[1]:
        raise SimulationError(f"controls of shape {np.shape(controls)} where (nworld, nstep, {m.nu}) is needed")
    return array


def _steps(nstep: int | None, controls: np.ndarray | None) -> int:
    """The number of steps, as given or as there are controls for."""
    if nstep is None:
        if controls is None:
            raise SimulationError("a rollout without controls needs nstep")
        return controls.shape[1]
    nstep = whole(nstep, "nstep", 1)
    if controls is not None and controls.shape[1] not in (1, nstep):
        raise SimulationError(f"controls of {controls.shape[1]} steps for a rollout of {nstep}")
    return nstep


def _part(table: np.ndarray, chunk: slice) -> np.ndarray:
    """The rows of a chunk of worlds, or the one that holds for all."""
    return table if len(table) == 1 else table[chunk]


def _filled(m: Model, controls: np.ndarray | None, chunk: slice, nworld: int, nstep: int) -> np.ndarray:
    """Controls of a chunk of worlds, written out for each world and step."""
    if controls is None:
        return np.zeros((nworld, nstep, m.nu))
    return np.ascontiguousarray(np.broadcast_to(_part(controls, chunk), (nworld, nstep, m.nu)))
