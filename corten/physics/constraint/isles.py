"""Isles: the parts of the system that the solvers treat one after another, and sums over their dofs.

An isle is a list of ranges of dofs (whole trees) and a list of rows that touch no other dofs. Trees that no row touches
have the ranges after those of the last isle.
"""

from __future__ import annotations

from corten.kernel import kernel, one_world
from corten.model.enums import DisableBit, Solver
from corten.physics.constraint.jacobian import multiply_object


@kernel
def find_isles(m, d):
    """The isles of the system: for one world its islands, the trees that rows join; for a block everything at once.

    What rows join differs from world to world, so in a block the islands of one world would depend on its neighbours.
    """
    if m.ntree > 1 and one_world(d) and by_islands(m):
        join_trees(m, d)
        list_isles(m, d)
    elif m.ntree > 1 and one_world(d) and m.opt.solver != Solver.PGS and not m.opt.disableflags & DisableBit.ISLAND:
        join_trees(m, d)
        join_isles(m, d)
        list_isles(m, d)
        d.isle_nv[0] = m.nv
    else:
        one_isle(m, d)


@kernel
def by_islands(m):
    """Whether islands are solved apart: PGS and the no-slip rounds work on the whole system, as in MuJoCo."""
    whole = m.opt.solver == Solver.PGS or m.opt.noslip_iterations > 0 or m.opt.disableflags & DisableBit.ISLAND
    return not whole


@kernel
def isle_scale(m, d, s):
    """What costs and gradients of isle s are multiplied by: 1 / trace of M, of an island as M is now, else at qpos0."""
    if not by_islands(m):
        return 1.0 / (m.stat.meaninertia * max(1, d.isle_nv[s]))
    trace = 0.0
    for k in range(d.isle_rangeadr[s], d.isle_rangeadr[s + 1]):
        for i in range(d.range_first[k], d.range_last[k]):
            trace = trace + d.M[m.M_rowadr[i] + m.M_rownnz[i] - 1]
    return 1.0 / trace


@kernel
def join_trees(m, d):
    """tree_isle: of trees that rows touch, the first tree that they are joined with; of others, -1. By union-find."""
    for t in range(m.ntree):
        d.tree_isle[t] = -1
    for r in range(d.nefc):
        if d.efc_dim[r] > 0:
            start = d.efc_J_rowadr[r]
            first = root(d, m.dof_treeid[d.efc_J_colind[start]])
            last = m.dof_treeid[d.efc_J_colind[start]]
            for k in range(start + 1, start + d.efc_J_rownnz[r]):
                t = m.dof_treeid[d.efc_J_colind[k]]
                if t != last:
                    last = t
                    other = root(d, t)
                    d.tree_isle[max(first, other)] = min(first, other)
                    first = min(first, other)
    for t in range(m.ntree):
        if d.tree_isle[t] >= 0:
            d.tree_isle[t] = d.tree_isle[d.tree_isle[t]]


@kernel
def join_isles(m, d):
    """All trees that rows touch become one isle, for the no-slip rounds; the others keep qacc_smooth, as in MuJoCo."""
    first = m.ntree
    for t in range(m.ntree - 1, -1, -1):
        if d.tree_isle[t] >= 0:
            first = t
    for t in range(m.ntree):
        if d.tree_isle[t] >= 0:
            d.tree_isle[t] = first


@kernel
def root(d, t):
    """The tree that stands for all that tree t is joined with, itself if it is new."""
    if d.tree_isle[t] < 0:
        d.tree_isle[t] = t
    while d.tree_isle[t] != t:
        d.tree_isle[t] = d.tree_isle[d.tree_isle[t]]
        t = d.tree_isle[t]
    return t


@kernel
def list_isles(m, d):
    """Ranges of dofs and rows, isle by isle; isles in the order of their first trees."""
    d.nisle = 0
    for t in range(m.ntree):
        first = d.tree_isle[t]
        if first == t:
            d.tree_isle[t] = d.nisle
            d.isle_nv[d.nisle] = 0
            d.isle_rangeadr[d.nisle + 1] = 0
            d.isle_efcadr[d.nisle + 1] = 0
            d.nisle += 1
        elif first >= 0:
            d.tree_isle[t] = d.tree_isle[first]
        if first >= 0:
            d.isle_rangeadr[d.tree_isle[t] + 1] += 1
            d.isle_nv[d.tree_isle[t]] += m.tree_dofnum[t]
    for r in range(d.nefc):
        d.isle_efcadr[isle_of_row(m, d, r) + 1] += 1
    d.isle_rangeadr[0] = 0
    d.isle_efcadr[0] = 0
    for s in range(d.nisle):
        d.isle_rangeadr[s + 1] += d.isle_rangeadr[s]
        d.isle_efcadr[s + 1] += d.isle_efcadr[s]
        d.isle_rangenext[s] = d.isle_rangeadr[s]
        d.isle_efcnext[s] = d.isle_efcadr[s]
    d.isle_rangenext[d.nisle] = d.isle_rangeadr[d.nisle]
    d.isle_rangeadr[d.nisle + 1] = m.ntree
    for t in range(m.ntree):
        s = d.tree_isle[t]
        if s < 0:
            s = d.nisle
        k = d.isle_rangenext[s]
        d.isle_rangenext[s] = k + 1
        d.range_first[k] = m.tree_dofadr[t]
        d.range_last[k] = m.tree_dofadr[t] + m.tree_dofnum[t]
    for r in range(d.nefc):
        s = isle_of_row(m, d, r)
        d.isle_efc[d.isle_efcnext[s]] = r
        d.isle_efcnext[s] += 1


@kernel
def isle_of_row(m, d, r):
    """The isle that row r belongs to."""
    return d.tree_isle[m.dof_treeid[d.efc_J_colind[d.efc_J_rowadr[r]]]]


@kernel
def one_isle(m, d):
    """Everything at once."""
    d.nisle = 1
    d.isle_rangeadr[0] = 0
    d.isle_rangeadr[1] = 1
    d.isle_rangeadr[2] = 1
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
    q = d.isle_efcadr[s]
    while q < d.isle_efcadr[s + 1]:
        r = d.isle_efc[q]
        multiply_object(d, result, x, r)
        q += d.efc_dim[r]


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
