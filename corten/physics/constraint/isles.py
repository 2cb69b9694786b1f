"""Isles: the parts of the system that the solvers treat one after another, and sums over their dofs and rows.

They are the islands one by one, or everything that rows touch at once. Both are places in `island_*` (`islands.py`),
from `isle_first` up to `isle_end`. At `nisland` stand the trees that no row touches, which keep qacc_smooth.
"""

from __future__ import annotations

from corten.kernel import kernel
from corten.model.enums import DisableBit, Solver
from corten.physics.constraint.jacobian import add_row_force, multiply_object


@kernel
def choose_isles(m, d):
    """isle_first, isle_end: the islands if there are any and the solver takes them apart, else all at once."""
    apart = d.nisland > 0 and by_islands(m)
    d.isle_first = 0 if apart else d.nisland + 1
    d.isle_end = d.nisland if apart else d.nisland + 2


@kernel
def by_islands(m):
    """Whether islands are solved apart: PGS and the no-slip rounds work on the whole system, as in MuJoCo."""
    whole = m.opt.solver == Solver.PGS or m.opt.noslip_iterations > 0 or m.opt.disableflags & DisableBit.ISLAND
    return not whole


@kernel
def end_of_trees(d, s):
    """One past the last tree of isle s in `itree_first`, where they begin at island_itreeadr."""
    return d.island_itreeadr[s] + d.island_ntree[s]


@kernel
def end_of_rows(d, s):
    """One past the last row of isle s in `map_iefc2efc`, where they begin at island_iefcadr."""
    return d.island_iefcadr[s] + d.island_nefc[s]


@kernel
def isle_scale(m, d, s):
    """What costs and gradients of isle s are multiplied by: 1 / trace of M, of an island as M is now, else at qpos0."""
    if not by_islands(m):
        return 1.0 / (m.stat.meaninertia * max(1, d.island_nv[s]))
    trace = 0.0
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            trace = trace + d.M[m.M_rowadr[i] + m.M_rownnz[i] - 1]
    return 1.0 / trace


@kernel
def dot(d, s, x, y):
    """x . y over the dofs of isle s"""
    total = 0.0
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            total = x[i] * y[i] + total
    return total


@kernel
def multiply_inertia_isle(m, d, s, result, x):
    """result = M x over the dofs of isle s"""
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
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
def constraint_force_on_isle(d, s):
    """qfrc_constraint = J' efc_force over the dofs and rows of isle s"""
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            d.qfrc_constraint[i] = 0.0
    for q in range(d.island_iefcadr[s], end_of_rows(d, s)):
        add_row_force(d, d.map_iefc2efc[q])


@kernel
def multiply_rows(d, s, result, x):
    """result = J x over the rows of isle s"""
    q, end = d.island_iefcadr[s], end_of_rows(d, s)
    while q < end:
        r = d.map_iefc2efc[q]
        multiply_object(d, result, x, r)
        q += d.efc_dim[r]


@kernel
def residuals(d, s, x):
    """jar = J x - aref over the rows of isle s"""
    multiply_rows(d, s, d.efc_jar, x)
    for q in range(d.island_iefcadr[s], end_of_rows(d, s)):
        r = d.map_iefc2efc[q]
        d.efc_jar[r] = d.efc_jar[r] - d.efc_aref[r]


@kernel
def solve_inertia_isle(m, d, s, x):
    """x becomes inv(M) x over the dofs of isle s"""
    for k in range(end_of_trees(d, s) - 1, d.island_itreeadr[s] - 1, -1):
        for i in range(d.itree_last[k] - 1, d.itree_first[k] - 1, -1):
            xi = x[i]
            for e in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i] - 1):
                j = m.M_colind[e]
                x[j] = x[j] - d.qLD[e] * xi
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            xi = x[i] * d.qLDiagInv[i]
            for e in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i] - 1):
                xi = xi - d.qLD[e] * x[m.M_colind[e]]
            x[i] = xi
