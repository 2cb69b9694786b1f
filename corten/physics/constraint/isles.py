"""Isles: the parts of the system that the solvers treat one after another, and sums over their dofs.

An isle is a list of ranges of dofs (whole trees) and a list of rows that touch no other dofs.
"""

from __future__ import annotations

from corten.kernel import kernel


@kernel
def one_isle(m, d):
    """Everything at once."""
    d.nisle = 1
    d.isle_rangeadr[0] = 0
    d.isle_rangeadr[1] = 1
    d.range_first[0] = 0
    d.range_last[0] = m.nv
    d.isle_nv[0] = m.nv
    d.isle_efcadr[0] = 0
    d.isle_efcadr[1] = d.nefc
    for r in range(d.nefc):
        d.isle_efc[r] = r


@kernel
def dot(d, s, x, y):
    """x . y over the dofs of isle s"""
    total = 0.0
    for k in range(d.isle_rangeadr[s], d.isle_rangeadr[s + 1]):
        for i in range(d.range_first[k], d.range_last[k]):
            total = x[i] * y[i] + total
    return total


@kernel
def multiply_inertia_isle(m, d, s, result, x):
    """result = M x over the dofs of isle s"""
    for k in range(d.isle_rangeadr[s], d.isle_rangeadr[s + 1]):
        for i in range(d.range_first[k], d.range_last[k]):
            row = m.M_rowadr[i]
            diagonal = row + m.M_rownnz[i] - 1
            xi = x[i]
            total = d.M[diagonal] * xi
            for e in range(row, diagonal):
                j = m.M_colind[e]
                total = d.M[e] * x[j] + total
                result[j] = d.M[e] * xi + result[j]
            result[i] = total


@kernel
def multiply_rows(d, s, result, x):
    """result = J x over the rows of isle s"""
    for q in range(d.isle_efcadr[s], d.isle_efcadr[s + 1]):
        r = d.isle_efc[q]
        start = d.efc_J_rowadr[r]
        total = 0.0
        for k in range(start, start + d.efc_J_rownnz[r]):
            total = d.efc_J[k] * x[d.efc_J_colind[k]] + total
        result[r] = total


@kernel
def solve_inertia_isle(m, d, s, x):
    """x becomes inv(M) x over the dofs of isle s"""
    for k in range(d.isle_rangeadr[s + 1] - 1, d.isle_rangeadr[s] - 1, -1):
        for i in range(d.range_last[k] - 1, d.range_first[k] - 1, -1):
            xi = x[i]
            for e in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i] - 1):
                j = m.M_colind[e]
                x[j] = x[j] - d.qLD[e] * xi
    for k in range(d.isle_rangeadr[s], d.isle_rangeadr[s + 1]):
        for i in range(d.range_first[k], d.range_last[k]):
            xi = x[i] * d.qLDiagInv[i]
            for e in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i] - 1):
                xi = xi - d.qLD[e] * x[m.M_colind[e]]
            x[i] = xi
