"""Derivatives of accelerations, and of one time step, by the state and the controls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from corten.derivative.passes import TANGENTS, qacc_passes, step_passes
from corten.engine import SimulationError, make_room, not_converged, run
from corten.kernel.dispatch import JIT, argument_type, struct_type
from corten.kernel.record import UNBOUND, Element, Record
from corten.model.data import Data, block
from corten.model.model import Model
from corten.physics import step as stages


def qacc(m: Model, d: Data) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(d qacc / d qpos, d qacc / d qvel, d qacc / d ctrl), each with a row for each dof.

    The columns of the first are directions in the tangent space of positions. d is not changed.
    """
    dual, passes = _bound(qacc_passes, m, d)
    result = np.zeros((m.nv, 2 * m.nv + m.nu))
    _evaluate(passes, m, d, dual, result)
    return result[:, : m.nv], result[:, m.nv : 2 * m.nv], result[:, 2 * m.nv :]


def transition(m: Model, d: Data) -> tuple[np.ndarray, np.ndarray]:
    """(A, B): the derivatives of the state after one step by the state before it, and by the controls.

    The state is (qpos, qvel, act) with positions in the tangent space: 2 nv + na numbers. d is not changed.
    """
    dual, passes = _bound(step_passes, m, d)
    n = 2 * m.nv + m.na
    result = np.zeros((n, n + m.nu))
    _evaluate(passes, m, d, dual, result)
    return result[:, :n], result[:, n:]


def _evaluate(passes: Callable[..., None], m: Model, d: Data, dual: Record, result: np.ndarray) -> None:
    """Run the passes, with more memory for as long as they run short."""
    address = result.ctypes.data
    passes(m._address, d._address, dual._address, address)
    while dual.short:
        make_room(dual)
        passes(m._address, d._address, dual._address, address)
    if dual.stopped:
        raise SimulationError(not_converged(m, float(d.time)))


def _bound(passes: Any, m: Model, d: Data) -> tuple[Record, Callable[..., None]]:
    """A record of dual numbers and the compiled passes, which are kept on d for as long as it belongs to m."""
    if not JIT:
        raise SimulationError("derivatives need compiled kernels: duals have no plain Python form (CORTEN_JIT=0)")
    if getattr(d, "_bound_to", UNBOUND) is not m:
        run(stages.forward, m, d)  # checks and binds them
    known = d._bound.get(passes)
    if known is None:
        dual = d._bound.get(Element) or block(m, Element("dual", TANGENTS))
        known = dual, passes.entry([struct_type(m), struct_type(d), struct_type(dual), argument_type(np.zeros(1))])
        d._bound[Element], d._bound[passes] = dual, known
    return known
