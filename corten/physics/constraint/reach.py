"""Which trees a row reaches, and so joins.

Rows of tendons and of coupled joints have room for all dofs that may ever move them. In one world, trees that do not
move such a row now are left out of it, as in the reference: where its Jacobian is dense, those whose entries are all
zero; where it is sparse, those that the paths of tendons do not touch, as an obstacle that is not in the way.
"""

from __future__ import annotations

from corten.kernel import any_lane, kernel, nonzero
from corten.model.enums import ConstraintType, EqualityType, Jacobian

MANY_DOFS = 60  # from here on the reference stores sparse Jacobians, unless it is told otherwise


@kernel
def dense(m):
    """Whether the reference's Jacobian is dense."""
    return m.opt.jacobian == Jacobian.DENSE or (m.opt.jacobian == Jacobian.AUTO and m.nv < MANY_DOFS)


@kernel
def leave_out_trees(m, d, r):
    """Row r, the last one, without the entries of trees that do not move it; one that nothing moves stays as it is."""
    start, end = d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]
    if m.dof_treeid[d.efc_J_colind[start]] == m.dof_treeid[d.efc_J_colind[end - 1]]:
        return
    k, kept = start, start
    while k < end:
        first, tree, reached = k, m.dof_treeid[d.efc_J_colind[k]], False
        while k < end and m.dof_treeid[d.efc_J_colind[k]] == tree:
            reached = reached or any_lane(nonzero(d.efc_J[k]))
            k += 1
        if reached or (not dense(m) and touches(m, d, r, tree)):
            for e in range(first, k):
                d.efc_J[kept] = d.efc_J[e]
                d.efc_J_colind[kept] = d.efc_J_colind[e]
                kept += 1
    if kept > start:
        d.efc_J_rownnz[r] = kept - start
        d.nJ = kept


@kernel
def touches(m, d, r, tree):
    """Whether a sparse row r has entries for a tree, though they are zero."""
    kind, number = d.efc_type[r], d.efc_id[r]
    if kind == ConstraintType.FRICTION_TENDON or kind == ConstraintType.LIMIT_TENDON:
        return path_touches(m, d, number, tree)
    if kind == ConstraintType.EQUALITY and m.eq_type[number] == EqualityType.TENDON:
        other = m.eq_obj2id[number]
        return path_touches(m, d, m.eq_obj1id[number], tree) or (other >= 0 and path_touches(m, d, other, tree))
    return True


@kernel
def path_touches(m, d, t, tree):
    """Whether the path of tendon t, as it is now, has a piece that begins or ends on a tree; or a joint, if fixed."""
    if m.ten_segnum[t] == 0:
        for k in range(m.ten_J_rowadr[t], m.ten_J_rowadr[t] + m.ten_J_rownnz[t]):
            if m.dof_treeid[m.ten_J_colind[k]] == tree:
                return True
    for s in range(m.ten_segadr[t], m.ten_segadr[t] + m.ten_segnum[t]):
        a, b, o = m.site_bodyid[m.segment_site[s, 0]], m.site_bodyid[m.segment_site[s, 1]], m.segment_obstacle[s]
        if o >= 0 and any_lane(d.obstacle_length[o] >= 0.0):
            between = m.geom_bodyid[m.obstacle_geom[o]]
            if has_end(m, a, between, tree) or has_end(m, between, b, tree):
                return True
        elif has_end(m, a, b, tree):
            return True
    return False


@kernel
def has_end(m, a, b, tree):
    """Whether a piece from body a to body b, which may not be the same, begins or ends on a tree."""
    return a != b and (m.body_treeid[a] == tree or m.body_treeid[b] == tree)
