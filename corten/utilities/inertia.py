"""The joint-space inertia M, dense and as an operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corten.engine import SimulationError, check
from corten.kernel import kernel, lane
from corten.model.checks import reals
from corten.model.data import Data
from corten.model.model import Model
from corten.physics.inertia import multiply_inertia, solve


@kernel
def _multiply(m, d, x, result):
    multiply_inertia(m, lane(d, 0), result, x)


@kernel
def _solve(m, d, x, result):
    one = lane(d, 0)
    for i in range(m.nv):
        result[i] = x[i]
    solve(m, one.qLD, one.qLDiagInv, result)


def full_mass_matrix(m: Model, d: Data) -> np.ndarray:
    """M as a dense symmetric matrix."""
    check(m, d)
    dense = np.zeros((m.nv, m.nv))
    rows = np.repeat(np.arange(m.nv), m.M_rownnz)
    dense[rows, m.M_colind] = d.M
    dense[m.M_colind, rows] = d.M
    return dense


def mul_m(m: Model, d: Data, x: ArrayLike) -> np.ndarray:
    """M x, for a vector or for each row of an array."""
    return _each_row(_multiply, m, d, x)


def solve_m(m: Model, d: Data, x: ArrayLike) -> np.ndarray:
    """inv(M) x, for a vector or for each row of an array."""
    return _each_row(_solve, m, d, x)


def _each_row(operator: Callable[..., None], m: Model, d: Data, x: Any) -> np.ndarray:
    """The operator applied to vectors of nv numbers, along the last axis."""
    check(m, d)
    source = np.ascontiguousarray(reals(x, "x"))
    if source.ndim not in (1, 2) or source.shape[-1] != m.nv:
        raise SimulationError(f"x has the shape {source.shape} where ({m.nv},) or (n, {m.nv}) is needed")
    result = np.empty_like(source)
    if m.nv:
        for row, out in zip(source.reshape(-1, m.nv), result.reshape(-1, m.nv), strict=True):
            operator(m, d, row, out)
    return result
