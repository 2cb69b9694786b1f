"""Who depends on whom: chains of dofs, kinematic trees, and the sparse layouts of the inertia and the body Jacobian.

The joint-space inertia couples a dof with its ancestors and descendants only. M holds rows of the lower triangle,
ancestors first and diagonal last; a row of a simple dof is its diagonal. D holds both triangles. The legacy layout, of
which `dof_Madr` and `mapM2M` tell, runs from each dof up to its root.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def parents(dof_counts: list[int], body_parents: list[int]) -> tuple[list[int], list[int]]:
    """The parent of each dof (-1: none) and, for each body, the last dof on its way to the world."""
    dof_parent: list[int] = []
    last: list[int] = []
    for body, count in enumerate(dof_counts):
        previous = last[body_parents[body]] if body else -1
        for _ in range(count):
            dof_parent.append(previous)
            previous = len(dof_parent) - 1
        last.append(previous)
    return dof_parent, last


def chains(dof_parent: list[int]) -> list[list[int]]:
    """For each dof its ancestors, from the root on, and itself."""
    result: list[list[int]] = []
    for dof, parent in enumerate(dof_parent):
        result.append([*result[parent], dof] if parent >= 0 else [dof])
    return result


def run_lengths(simple: list[int]) -> list[int]:
    """For each dof, how many simple dofs follow without a gap, itself included."""
    result = [0] * len(simple)
    run = 0
    for dof in range(len(simple) - 1, -1, -1):
        run = run + 1 if simple[dof] else 0
        result[dof] = run
    return result


def inertia_layout(chain: list[list[int]], simplenum: list[int]) -> dict[str, Any]:
    """M, D, the legacy layout, and the maps between them."""
    nv = len(chain)
    lengths = np.array([len(c) for c in chain], np.int64)
    rows = np.repeat(np.arange(nv), lengths)
    columns = np.array([dof for c in chain for dof in c], np.int64)
    first = starts(lengths)

    kept = (np.array(simplenum, np.int64)[rows] == 0) | (rows == columns)
    m_rows, m_columns = rows[kept], columns[kept]
    m_nnz = np.bincount(m_rows, minlength=nv)

    below = rows != columns
    d_rows = np.concatenate([rows, columns[below]])
    d_columns = np.concatenate([columns, rows[below]])
    order = np.lexsort((d_columns, d_rows))
    d_rows, d_columns = d_rows[order], d_columns[order]
    d_nnz = np.bincount(d_rows, minlength=nv)

    m_keys, d_keys = m_rows * nv + m_columns, d_rows * nv + d_columns
    lower_keys = np.maximum(d_rows, d_columns) * nv + np.minimum(d_rows, d_columns)
    at = np.minimum(np.searchsorted(m_keys, lower_keys), max(len(m_keys) - 1, 0))
    found = m_keys[at] == lower_keys if len(m_keys) else np.zeros(0, bool)
    # a legacy row starts at the diagonal and climbs to the root
    depth = first[rows] + lengths[rows] - 1 - np.arange(len(rows))
    return {
        "dof_Madr": first,
        "M_rownnz": m_nnz,
        "M_rowadr": starts(m_nnz),
        "M_colind": m_columns,
        "mapM2M": (first[rows] + depth)[kept],
        "D_rownnz": d_nnz,
        "D_rowadr": starts(d_nnz),
        "D_diag": lengths - 1,
        "D_colind": d_columns,
        "mapM2D": np.where(found, at, -1),
        "mapD2M": np.searchsorted(d_keys, m_keys),
    }


def body_dof_layout(
    chain: list[list[int]], last: list[int], dof_counts: list[int], body_parents: list[int], first: list[int]
) -> dict[str, Any]:
    """For each body, the dofs that move it and those that it carries."""
    nbody = len(dof_counts)
    carried: list[list[range]] = [[] for _ in range(nbody)]
    for body in range(nbody - 1, -1, -1):
        if dof_counts[body]:
            carried[body].append(range(first[body], first[body] + dof_counts[body]))
        if body:
            carried[body_parents[body]].extend(carried[body])
    rows = []
    for body in range(nbody):
        above = last[body_parents[body]] if body else -1
        own = sorted(dof for part in carried[body] for dof in part)
        rows.append([*(chain[above] if above >= 0 else []), *own])
    nnz = np.array([len(row) for row in rows], np.int64)
    return {
        "B_rownnz": nnz,
        "B_rowadr": starts(nnz),
        "B_colind": np.array([dof for row in rows for dof in row], np.int64),
    }


def starts(counts: Sequence[int] | np.ndarray) -> np.ndarray:
    """Where each part starts when parts of these lengths follow one another."""
    counts = np.asarray(counts, np.int64)
    return np.cumsum(counts) - counts
