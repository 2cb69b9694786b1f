"""Rows of the constraint Jacobian: room for them, and how points on bodies move with the dofs.

Rows are sparse. The dofs that move one body form a chain to the world; the relative motion of two bodies depends on
both chains, from the bodies down to where they meet. Rows of one object have the same dofs.
"""

from __future__ import annotations

from corten.kernel import all_lanes, any_lane, kernel, nonzero, one_world, stage
from corten.kernel.spatial import load6
from corten.kernel.vec import add3, cross, load3, scale3, sub3
from corten.physics.constraint.reach import dense, leave_out_trees

FIRST, SECOND = 1, 2  # whose chain a dof is on; both: 3


@kernel
def begin(d, kind, number, rows, entries):
    """Whether `rows` rows of `entries` entries each fit; if so they are there, without contents, from row nefc - rows
    on.

    Rows that do not fit are counted: the caller of the engine makes room for them and runs it again.
    """
    first, start = d.nefc, d.nJ
    if first + rows > d.efc_cap or start + rows * entries > d.efcJ_cap or d.need_efc > 0:
        if d.need_efc == 0:
            d.need_efc = first
            d.need_efcJ = start
        d.need_efc += rows
        d.need_efcJ += rows * entries
        return False
    for j in range(rows):
        r = first + j
        d.efc_type[r] = kind
        d.efc_id[r] = number
        d.efc_dim[r] = rows if j == 0 else 0
        d.efc_J_rownnz[r] = entries
        d.efc_J_rowadr[r] = start + j * entries
        d.efc_frictionloss[r] = 0.0
        d.efc_margin[r] = 0.0
    d.nefc = first + rows
    d.nJ = start + rows * entries
    return True


@kernel
def settle(m, d, first, needed):
    """What worlds need the rows from `first` on, which are those of one object; rows that none does are taken back.

    Rows that nothing moves do not count, as in MuJoCo: those without entries, and where its Jacobian is dense also
    those whose entries are all zero.
    """
    rows = d.nefc - first
    if rows == 0:
        return
    if d.efc_J_rownnz[first] == 0:
        take_back(d, first)
        return
    on = needed
    if dense(m):
        on = moves(d, first) & needed
        if not any_lane(on):
            take_back(d, first)
            return
    for r in range(first, first + rows):
        d.efc_on[r] = on
    if rows == 1 and one_world(d):
        leave_out_trees(m, d, first)


@kernel
def take_back(d, first):
    """Rows from `first` on are not there."""
    d.nJ = d.efc_J_rowadr[first]
    d.nefc = first


@kernel
def moves(d, first):
    """In which worlds some entry of the rows is not zero."""
    k, end = d.efc_J_rowadr[first], d.nJ
    found = nonzero(d.efc_J[k])
    while k < end and not all_lanes(found):
        found = found | nonzero(d.efc_J[k])
        k += 1
    return found


@kernel
def chain_length(m, a, b, common):
    """How many dofs move body a or body b; without `common`, those that move both in the same way are left out."""
    i, j, n = m.body_lastdof[a], m.body_lastdof[b], 0
    while i != j:
        n += 1
        if i > j:
            i = m.dof_parentid[i]
        else:
            j = m.dof_parentid[j]
    while common and i >= 0:
        n += 1
        i = m.dof_parentid[i]
    return n


@kernel
def fill_chain(m, d, start, n, a, b):
    """The dofs, ascending, and whose they are, in the n entries from `start` on."""
    i, j, k = m.body_lastdof[a], m.body_lastdof[b], start + n - 1
    while k >= start:
        if i == j:
            d.efc_J_side[k] = FIRST + SECOND
            d.efc_J_colind[k] = i
            i = m.dof_parentid[i]
            j = i
        elif i > j:
            d.efc_J_side[k] = FIRST
            d.efc_J_colind[k] = i
            i = m.dof_parentid[i]
        else:
            d.efc_J_side[k] = SECOND
            d.efc_J_colind[k] = j
            j = m.dof_parentid[j]
        k -= 1


@kernel
def repeat_chain(d, start, n, rows):
    """The dofs of the first of several rows, for the others."""
    for j in range(1, rows):
        for k in range(n):
            d.efc_J_colind[start + j * n + k] = d.efc_J_colind[start + k]


@kernel
def point_arm(m, d, b, point):
    """From the centre of the body's tree to a point of the body."""
    return sub3(point, load3(d.subtree_com, m.body_rootid[b]))


@kernel
def column(d, k, arm_a, arm_b):
    """(translation, rotation) that the dof of entry k gives to the point on body b relative to that on body a."""
    s = load6(d.cdof, d.efc_J_colind[k])
    angular, linear = (s[0], s[1], s[2]), (s[3], s[4], s[5])
    side = d.efc_J_side[k]
    if side == SECOND:
        return add3(linear, cross(angular, arm_b)), angular
    if side == FIRST:
        return scale3(-1.0, add3(linear, cross(angular, arm_a))), scale3(-1.0, angular)
    return cross(angular, sub3(arm_b, arm_a)), (0.0, 0.0, 0.0)


@kernel
def multiply_jacobian(d, result, x):
    """result = J x"""
    r = 0
    while r < d.nefc:
        multiply_object(d, result, x, r)
        r += d.efc_dim[r]


@kernel
def multiply_object(d, result, x, first):
    """The same for the rows of one object: two at a time, since they have the same dofs."""
    n, begin, end = d.efc_J_rownnz[first], d.efc_J_rowadr[first], first + d.efc_dim[first]
    for r in range(first, end - 1, 2):
        s, t = 0.0, 0.0
        for k in range(begin, begin + n):
            factor = x[d.efc_J_colind[k]]
            s = d.efc_J[k] * factor + s
            t = d.efc_J[k + n] * factor + t
        result[r] = s
        result[r + 1] = t
        begin += 2 * n
    if (end - first) % 2 == 1:
        s = 0.0
        for k in range(begin, begin + n):
            s = d.efc_J[k] * x[d.efc_J_colind[k]] + s
        result[end - 1] = s


@stage
def constraint_force_on_dofs(m, d):
    """qfrc_constraint = J' efc_force"""
    for i in range(m.nv):
        d.qfrc_constraint[i] = 0.0
    for r in range(d.nefc):
        add_row_force(d, r)


@kernel
def add_row_force(d, r):
    """What row r adds to qfrc_constraint."""
    force, start = d.efc_force[r], d.efc_J_rowadr[r]
    for k in range(start, start + d.efc_J_rownnz[r]):
        i = d.efc_J_colind[k]
        d.qfrc_constraint[i] = d.efc_J[k] * force + d.qfrc_constraint[i]
