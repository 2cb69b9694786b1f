"""How accelerations respond to the forces of rows: W = inv(M) J', and A = J W among the rows of one object.

The dual solvers change one force after another. They keep the acceleration W f that all forces give, so that the row
(A f)_r costs no more than J_r times a vector; A itself is never formed but for the small blocks of single objects. A
row of W is stored on the dofs that some row sees, and their ancestors, in the trees that the row touches.
"""

from __future__ import annotations

from corten.kernel import any_lane, kernel, nonzero
from corten.model.enums import ConstraintType
from corten.physics.constraint.isles import end_of_rows, end_of_trees


@kernel
def find_response_pattern(m, d):
    """W_rownnz, W_rowadr, W_colind; whether they fit."""
    for i in range(m.nv):
        d.dof_seen[i] = 0
        d.dof_row[i] = -1
    for r in range(d.nefc):
        for k in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]):
            i = d.efc_J_colind[k]
            while i >= 0 and d.dof_seen[i] == 0:
                d.dof_seen[i] = 1
                i = m.dof_parentid[i]
    total = 0
    for r in range(d.nefc):
        d.W_rowadr[r] = total
        start = d.efc_J_rowadr[r]
        for k in range(start, start + d.efc_J_rownnz[r]):
            t = m.dof_treeid[d.efc_J_colind[k]]
            earlier = start
            while m.dof_treeid[d.efc_J_colind[earlier]] != t:
                earlier += 1
            if earlier == k:
                for i in range(m.tree_dofadr[t], m.tree_dofadr[t] + m.tree_dofnum[t]):
                    if d.dof_seen[i]:
                        if total < d.W_cap:
                            d.W_colind[total] = i
                        total += 1
        d.W_rownnz[r] = total - d.W_rowadr[r]
    if total > d.W_cap:
        d.need_W = total
        return False
    return True


@kernel
def find_response(m, d, s):
    """W of the rows of isle s, efc_A and efc_Ainv; entry k of row r of efc_A is with the k-th row of the same object.

    Rows of a pyramid meet only themselves (entry 0) and their opposite edge (entry 1).
    """
    q, end = d.island_iefcadr[s], end_of_rows(d, s)
    while q < end:
        first = d.map_iefc2efc[q]
        rows = d.efc_dim[first]
        for k in range(rows):
            r = first + k
            respond(m, d, r)
            if d.efc_type[first] == ConstraintType.CONTACT_ELLIPTIC:
                for j in range(rows):
                    d.efc_A[first + j, k] = along(d, first + j, d.dual_x)
                d.efc_Ainv[r] = 1.0 / (d.efc_A[r, k] + d.efc_R[r])
            else:
                d.efc_A[r, 0] = along(d, r, d.dual_x)
                d.efc_Ainv[r] = 1.0 / (d.efc_A[r, 0] + d.efc_R[r])
                if d.efc_type[first] == ConstraintType.CONTACT_PYRAMIDAL:
                    d.efc_A[r, 1] = along(d, opposite(first, r), d.dual_x)
        q += rows


@kernel
def opposite(first, r):
    """The other edge of the same tangent, in the pyramid whose first row is given."""
    return r + 1 if (r - first) % 2 == 0 else r - 1


@kernel
def respond(m, d, r):
    """Row r of W, which also stands in dual_x on its dofs: sparse solution with M = L' D L."""
    start, end = d.W_rowadr[r], d.W_rowadr[r] + d.W_rownnz[r]
    for e in range(start, end):
        d.dual_x[d.W_colind[e]] = 0.0
    for k in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]):
        i = d.efc_J_colind[k]
        d.dual_x[i] = d.dual_x[i] + d.efc_J[k]
        while i >= 0 and d.dof_row[i] != r:
            d.dof_row[i] = r
            i = m.dof_parentid[i]
    for e in range(end - 1, start - 1, -1):
        i = d.W_colind[e]
        if d.dof_row[i] == r:
            x = d.dual_x[i]
            for a in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i] - 1):
                j = m.M_colind[a]
                d.dual_x[j] = d.dual_x[j] - d.qLD[a] * x
    for e in range(start, end):
        i = d.W_colind[e]
        x = d.dual_x[i] * d.qLDiagInv[i]
        for a in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i] - 1):
            x = x - d.qLD[a] * d.dual_x[m.M_colind[a]]
        d.dual_x[i] = x
        d.W[e] = x


@kernel
def along(d, r, x):
    """J_r x"""
    total = 0.0
    for k in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]):
        total = d.efc_J[k] * x[d.efc_J_colind[k]] + total
    return total


@kernel
def push(d, r, change):
    """dual_acc, the acceleration by all forces, after a change of the force of row r."""
    if any_lane(nonzero(change)):
        for e in range(d.W_rowadr[r], d.W_rowadr[r] + d.W_rownnz[r]):
            i = d.W_colind[e]
            d.dual_acc[i] = d.W[e] * change + d.dual_acc[i]


@kernel
def sum_response(m, d, s):
    """dual_acc of the forces as they are."""
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            d.dual_acc[i] = 0.0
    for q in range(d.island_iefcadr[s], end_of_rows(d, s)):
        push(d, d.map_iefc2efc[q], d.efc_force[d.map_iefc2efc[q]])


@kernel
def residual(d, r):
    """b + A f of row r: the gradient of the dual cost without the regularisation."""
    return d.efc_b[r] + along(d, r, d.dual_acc)
