"""Rows of equality constraints: points that coincide, bodies that are welded, coupled joints and tendons, distances."""

from __future__ import annotations

from corten.kernel import any_lane, kernel
from corten.kernel.quat import load4, quat_conj, quat_mul
from corten.kernel.vec import add3, dot3, load3, load9, mat_vec, normalize3, part3, sub3
from corten.model.enums import ConstraintType, EqualityType, ObjType
from corten.physics.constraint.jacobian import (
    begin,
    chain_length,
    column,
    fill_chain,
    point_arm,
    repeat_chain,
    settle,
)


@kernel
def equality_rows(m, d):
    """Rows of all equality constraints that are active in some world."""
    for e in range(m.neq):
        if any_lane(d.eq_active[e]):
            kind, first = m.eq_type[e], d.nefc
            if kind == EqualityType.CONNECT:
                connect(m, d, e)
            elif kind == EqualityType.WELD:
                weld(m, d, e)
            elif kind == EqualityType.JOINT:
                couple_joints(m, d, e)
            elif kind == EqualityType.TENDON:
                couple_tendons(m, d, e)
            elif kind == EqualityType.DISTANCE:
                keep_distance(m, d, e)
            settle(m, d, first, d.eq_active[e])


@kernel
def owner(m, e, number):
    """The body of an object of constraint e: itself, or that of a site or geom."""
    if m.eq_type[e] == EqualityType.DISTANCE:
        return m.geom_bodyid[number]
    if m.eq_objtype[e] == ObjType.SITE:
        return m.site_bodyid[number]
    return number


@kernel
def anchor(m, d, e, number, first):
    """A point of constraint e: the site's own, or on the body the three numbers of eq_data from `first` on."""
    if m.eq_objtype[e] == ObjType.SITE:
        return load3(d.site_xpos, number)
    return add3(load3(d.xpos, number), mat_vec(load9(d.xmat, number), part3(m.eq_data, e, first)))


@kernel
def store_difference(d, start, n, arm1, arm2):
    """Three rows: how the point on the first body moves relative to that on the second."""
    for k in range(n):
        move, _ = column(d, start + k, arm2, arm1)
        d.efc_J[start + k] = move[0]
        d.efc_J[start + n + k] = move[1]
        d.efc_J[start + 2 * n + k] = move[2]


@kernel
def connect(m, d, e):
    """Two points coincide."""
    o1, o2 = m.eq_obj1id[e], m.eq_obj2id[e]
    b1, b2 = owner(m, e, o1), owner(m, e, o2)
    n = chain_length(m, b2, b1, True)
    if not begin(d, ConstraintType.EQUALITY, e, 3, n):
        return
    p1, p2 = anchor(m, d, e, o1, 0), anchor(m, d, e, o2, 3)
    r = d.nefc - 3
    start = d.efc_J_rowadr[r]
    fill_chain(m, d, start, n, b2, b1)
    store_difference(d, start, n, point_arm(m, d, b1, p1), point_arm(m, d, b2, p2))
    repeat_chain(d, start, n, 3)
    error = sub3(p1, p2)
    d.efc_pos[r] = error[0]
    d.efc_pos[r + 1] = error[1]
    d.efc_pos[r + 2] = error[2]


@kernel
def orientation(m, d, e, number):
    """The orientation of a body, or of a site in the world."""
    if m.eq_objtype[e] == ObjType.SITE:
        return quat_mul(load4(d.xquat, m.site_bodyid[number]), load4(m.site_quat, number))
    return load4(d.xquat, number)


@kernel
def weld(m, d, e):
    """Two points coincide, and two frames keep their relative orientation.

    The rotational error is the vector part of conj(q2) q1 q_rel, scaled; its derivative by a rotation w of body 1
    relative to body 2 is the vector part of conj(q2) (w/2) q1 q_rel.
    """
    o1, o2 = m.eq_obj1id[e], m.eq_obj2id[e]
    b1, b2 = owner(m, e, o1), owner(m, e, o2)
    n = chain_length(m, b2, b1, True)
    if not begin(d, ConstraintType.EQUALITY, e, 6, n):
        return
    p1, p2 = anchor(m, d, e, o1, 3), anchor(m, d, e, o2, 0)
    q1, q2 = orientation(m, d, e, o1), quat_conj(orientation(m, d, e, o2))
    if m.eq_objtype[e] != ObjType.SITE:
        q1 = quat_mul(q1, (m.eq_data[e, 6], m.eq_data[e, 7], m.eq_data[e, 8], m.eq_data[e, 9]))
    scale = m.eq_data[e, 10]
    r = d.nefc - 6
    start = d.efc_J_rowadr[r]
    fill_chain(m, d, start, n, b2, b1)
    arm1, arm2 = point_arm(m, d, b1, p1), point_arm(m, d, b2, p2)
    store_difference(d, start, n, arm1, arm2)
    half = 0.5 * scale
    for k in range(n):
        _, w = column(d, start + k, arm2, arm1)
        turn = quat_mul(quat_mul(q2, (0.0, w[0], w[1], w[2])), q1)
        d.efc_J[start + 3 * n + k] = half * turn[1]
        d.efc_J[start + 4 * n + k] = half * turn[2]
        d.efc_J[start + 5 * n + k] = half * turn[3]
    repeat_chain(d, start, n, 6)
    error, twist = sub3(p1, p2), quat_mul(q2, q1)
    d.efc_pos[r] = error[0]
    d.efc_pos[r + 1] = error[1]
    d.efc_pos[r + 2] = error[2]
    d.efc_pos[r + 3] = scale * twist[1]
    d.efc_pos[r + 4] = scale * twist[2]
    d.efc_pos[r + 5] = scale * twist[3]


@kernel
def polynomial(m, e, x):
    """(p(x), p'(x)) of the constraint's polynomial of degree four."""
    c0, c1, c2, c3, c4 = m.eq_data[e, 0], m.eq_data[e, 1], m.eq_data[e, 2], m.eq_data[e, 3], m.eq_data[e, 4]
    p = c0 + x * (c1 + x * (c2 + x * (c3 + x * c4)))
    return p, c1 + x * (2.0 * c2 + x * (3.0 * c3 + x * (4.0 * c4)))


@kernel
def couple_joints(m, d, e):
    """q1 - q1_0 = p(q2 - q2_0), or p(0) if there is no second joint."""
    j1, j2 = m.eq_obj1id[e], m.eq_obj2id[e]
    if not begin(d, ConstraintType.EQUALITY, e, 1, 1 if j2 < 0 else 2):
        return
    r = d.nefc - 1
    start = d.efc_J_rowadr[r]
    a1, i1 = m.jnt_qposadr[j1], m.jnt_dofadr[j1]
    value = d.qpos[a1] - m.qpos0[a1]
    if j2 < 0:
        d.efc_pos[r] = value - m.eq_data[e, 0]
        d.efc_J[start] = 1.0
        d.efc_J_colind[start] = i1
        return
    a2, i2 = m.jnt_qposadr[j2], m.jnt_dofadr[j2]
    target, slope = polynomial(m, e, d.qpos[a2] - m.qpos0[a2])
    d.efc_pos[r] = value - target
    own, other = (start, start + 1) if i1 < i2 else (start + 1, start)
    d.efc_J[own] = 1.0
    d.efc_J_colind[own] = i1
    d.efc_J[other] = -slope
    d.efc_J_colind[other] = i2


@kernel
def couple_tendons(m, d, e):
    """The same for the lengths of two tendons. Their sparse rows are merged."""
    t1, t2 = m.eq_obj1id[e], m.eq_obj2id[e]
    note_tendon(d, t1, e)
    if t2 >= 0:
        note_tendon(d, t2, e)
    value = d.ten_length[t1] - m.tendon_length0[t1]
    n = m.ten_J_rownnz[t1] if t2 < 0 else merged_length(m, t1, t2)
    if not begin(d, ConstraintType.EQUALITY, e, 1, n):
        return
    r = d.nefc - 1
    start = d.efc_J_rowadr[r]
    k1, end1 = m.ten_J_rowadr[t1], m.ten_J_rowadr[t1] + m.ten_J_rownnz[t1]
    if t2 < 0:
        d.efc_pos[r] = value - m.eq_data[e, 0]
        for k in range(n):
            d.efc_J[start + k] = d.ten_J[k1 + k]
            d.efc_J_colind[start + k] = m.ten_J_colind[k1 + k]
        return
    target, slope = polynomial(m, e, d.ten_length[t2] - m.tendon_length0[t2])
    d.efc_pos[r] = value - target
    k2, end2 = m.ten_J_rowadr[t2], m.ten_J_rowadr[t2] + m.ten_J_rownnz[t2]
    for k in range(start, start + n):
        i1 = m.ten_J_colind[k1] if k1 < end1 else m.nv
        i2 = m.ten_J_colind[k2] if k2 < end2 else m.nv
        d.efc_J_colind[k] = min(i1, i2)
        d.efc_J[k] = 0.0
        if i1 <= i2:
            d.efc_J[k] = d.ten_J[k1]
            k1 += 1
        if i2 <= i1:
            d.efc_J[k] = d.efc_J[k] - slope * d.ten_J[k2]
            k2 += 1


@kernel
def note_tendon(d, t, e):
    """tendon_efcadr: of an equality constraint its number, not its row, as in MuJoCo."""
    if d.tendon_efcadr[t] < 0:
        d.tendon_efcadr[t] = e


@kernel
def merged_length(m, t1, t2):
    """Dofs that move either of two tendons."""
    k1, end1 = m.ten_J_rowadr[t1], m.ten_J_rowadr[t1] + m.ten_J_rownnz[t1]
    k2, end2 = m.ten_J_rowadr[t2], m.ten_J_rowadr[t2] + m.ten_J_rownnz[t2]
    n = 0
    while k1 < end1 or k2 < end2:
        i1 = m.ten_J_colind[k1] if k1 < end1 else m.nv
        i2 = m.ten_J_colind[k2] if k2 < end2 else m.nv
        n += 1
        k1 += 1 if i1 <= i2 else 0
        k2 += 1 if i2 <= i1 else 0
    return n


@kernel
def keep_distance(m, d, e):
    """The centres of two geoms keep a distance. Ours, not MuJoCo's."""
    g1, g2 = m.eq_obj1id[e], m.eq_obj2id[e]
    b1, b2 = m.geom_bodyid[g1], m.geom_bodyid[g2]
    n = chain_length(m, b1, b2, True)
    if not begin(d, ConstraintType.EQUALITY, e, 1, n):
        return
    p1, p2 = load3(d.geom_xpos, g1), load3(d.geom_xpos, g2)
    r = d.nefc - 1
    start = d.efc_J_rowadr[r]
    fill_chain(m, d, start, n, b1, b2)
    direction, distance = normalize3(sub3(p2, p1))
    arm1, arm2 = point_arm(m, d, b1, p1), point_arm(m, d, b2, p2)
    for k in range(start, start + n):
        move, _ = column(d, k, arm1, arm2)
        d.efc_J[k] = dot3(direction, move)
    d.efc_pos[r] = distance - m.eq_data[e, 0]
