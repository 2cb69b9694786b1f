"""Derivatives of accelerations, and of one time step, by the state and the controls."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from corten.derivative.tangent import position_seeds, position_tangents
from corten.engine import SimulationError, advance, call, check, run
from corten.kernel.dispatch import JIT
from corten.kernel.record import Element, Record
from corten.model.data import Data, block
from corten.model.data_fields import STATE
from corten.model.model import Model
from corten.physics import step as stages

CHANGED = ("qpos", "qvel", "act", "time", "qacc_warmstart")  # what a step changes of the state
TANGENTS = 7  # with the value, a vector of eight: one register of AVX-512, two of AVX2


def qacc(m: Model, d: Data) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(d qacc / d qpos, d qacc / d qvel, d qacc / d ctrl), each with a row for each dof.

    The columns of the first are directions in the tangent space of positions. d is not changed.
    """
    check(m, d)
    result = np.zeros((m.nv, 2 * m.nv + m.nu))
    for columns, dual in _passes(m, d, ("qpos", "qvel", "ctrl"), run_forward):
        result[:, columns] = dual.array("qacc")[:, 1 : 1 + len(columns)]
    return result[:, : m.nv], result[:, m.nv : 2 * m.nv], result[:, 2 * m.nv :]


def transition(m: Model, d: Data) -> tuple[np.ndarray, np.ndarray]:
    """(A, B): the derivatives of the state after one step by the state before it, and by the controls.

    The state is (qpos, qvel, act) with positions in the tangent space: 2 nv + na numbers. d is not changed.
    """
    check(m, d)
    n = 2 * m.nv + m.na
    result = np.zeros((n, n + m.nu))
    for columns, dual in _passes(m, d, ("qpos", "qvel", "act", "ctrl"), run_step):
        tangents = slice(1, 1 + len(columns))
        result[: m.nv, columns] = position_tangents(m, dual.array("qpos"))[:, tangents]
        result[m.nv : 2 * m.nv, columns] = dual.array("qvel")[:, tangents]
        result[2 * m.nv : n, columns] = dual.array("act")[:, tangents]
    return result[:, :n], result[:, n:]


def run_forward(m: Model, dual: Record) -> None:
    """Accelerations on dual numbers."""
    call(stages.dynamics, m, dual)


def run_step(m: Model, dual: Record) -> None:
    """One time step on dual numbers."""
    advance(m, dual, 1)


def _passes(
    m: Model, d: Data, inputs: tuple[str, ...], evaluate: Callable[[Model, Record], None]
) -> Iterator[tuple[range, Record]]:
    """Evaluate on duals, seven columns at a time; yields the columns and the record that holds their tangents."""
    if not JIT:
        raise SimulationError("derivatives need compiled kernels: duals have no plain Python form (CORTEN_JIT=0)")
    seeds = _seeds(m, d, inputs)
    total = next(iter(seeds.values())).shape[1]
    dual = d._bound.get(Element)
    if dual is None or dual._bound_to is not m:
        run(stages.forward, m, d)  # binds d to m, so that what is kept on d belongs to this pair
        dual = d._bound[Element] = block(m, Element("dual", TANGENTS))
    for f in STATE:
        dual.fill(f.name, d.array(f.name))
    again = [(dual.array(n), d.array(n)) for n in {*CHANGED, *inputs}]
    for first in range(0, total, TANGENTS):
        columns = range(first, min(first + TANGENTS, total))
        for theirs, ours in again:
            theirs[..., 0] = ours
            theirs[..., 1:] = 0.0
        for name, seed in seeds.items():
            dual.array(name)[:, 1 : 1 + len(columns)] = seed[:, columns.start : columns.stop]
        evaluate(m, dual)
        yield columns, dual


def _seeds(m: Model, d: Data, inputs: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The derivative of each input by all the columns."""
    blocks = {name: position_seeds(m, d.qpos) if name == "qpos" else np.eye(len(d.array(name))) for name in inputs}
    total = sum(b.shape[1] for b in blocks.values())
    seeds, start = {}, 0
    for name, own in blocks.items():
        seeds[name] = np.zeros((own.shape[0], total))
        seeds[name][:, start : start + own.shape[1]] = own
        start += own.shape[1]
    return seeds
