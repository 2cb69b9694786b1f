"""Sums in the order of a plain loop.

NumPy adds in pairs, which is more accurate but rounds differently from the reference. The difference decides the
principal axes of symmetric meshes, whose moments are equal but for rounding, so mass properties and normals add in
order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def ordered_sum(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum over the first axis, added one after the other, from zero."""
    if len(terms) == 0:
        return np.zeros(terms.shape[1:])
    return np.cumsum(terms, axis=0)[-1]


def dot(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Products of corresponding rows of three, added from left to right."""
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]


def scatter_add_single(
    total: NDArray[np.float32], rows: NDArray[np.integer], terms: NDArray[np.float64]
) -> NDArray[np.float32]:
    """`total` with each term added to its row, in order, rounding to single precision after every addition."""
    order = np.argsort(rows, kind="stable")
    ranked = rows[order]
    start = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]]) if len(ranked) else np.zeros(0, np.int64)
    length = np.diff(np.r_[start, len(ranked)])
    result = total.copy()
    for turn in range(int(length.max(initial=0))):
        terms_now = order[start[length > turn] + turn]
        target = rows[terms_now]
        result[target] = result[target].astype(np.float64) + terms[terms_now]
    return result
