"""Tendons: lengths and how they move with the dofs; springs and dampers, inertia and bias forces of tendons.

A fixed tendon's length is a weighted sum of joint coordinates. A spatial tendon's is the length of the shortest path
over its sites, around the obstacles between them; segments behind a pulley count by the inverse of its divisor. The
pattern of the Jacobian is known to the model (`ten_J_rowadr`, `ten_J_rownnz`, `ten_J_colind`), its values are `ten_J`.
"""

from __future__ import annotations

from corten.kernel import any_lane, kernel, lane, lanes, stage, unroll, where
from corten.kernel.spatial import load6
from corten.kernel.vec import TINY, add3, axpy3, cross, dot3, load3, load9, normalize3, scale3, sub3
from corten.model.enums import DisableBit, WrapType
from corten.physics.ends import project, wrench_at
from corten.physics.wrapping import wrap

NO_TORQUE = (0.0, 0.0, 0.0)
AT_SITE, AT_PULLEY = -1, -2  # wrap_obj of points of a path that are on no geom


@stage
def tendon(m, d):
    """ten_length, ten_J, and the paths."""
    for k in range(m.nJten):
        d.ten_J[k] = 0.0
    for t in range(m.ntendon):
        length = 0.0
        for w in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
            if m.wrap_type[w] == WrapType.JOINT:
                e = m.wrap_entry[w]
                length = m.wrap_prm[w] * d.qpos[m.jnt_qposadr[m.wrap_objid[w]]] + length
                d.ten_J[e] = m.wrap_prm[w]  # of a joint that occurs twice the last term counts, as in MuJoCo
        for s in range(m.ten_segadr[t], m.ten_segadr[t] + m.ten_segnum[t]):
            p0, p1 = load3(d.site_xpos, m.segment_site[s, 0]), load3(d.site_xpos, m.segment_site[s, 1])
            e, scale, o = m.segment_end[s], m.segment_scale[s], m.segment_obstacle[s]
            free = True
            if o >= 0:
                wraps, curved, q0, q1 = around_obstacle(m, d, o, p0, p1)
                free = ~wraps
                if any_lane(wraps):
                    share = where(wraps, scale, 0.0)
                    onto = pull(m, d, e + 2, p0, q0, share)
                    off = pull(m, d, e + 4, q1, p1, share)
                    length = share * (onto + curved + off) + length
            if any_lane(free):
                share = where(free, scale, 0.0)
                length = share * pull(m, d, e, p0, p1, share) + length
        d.ten_length[t] = length
    if m.nsegment > 0:
        for l in lanes(d):
            record_paths(lane(m, l), lane(d, l))


@kernel
def pull(m, d, e, p0, p1, share):
    """|p1 - p0|; ends e, on the body of p1, and e + 1, on that of p0, draw apart."""
    direction, distance = normalize3(sub3(p1, p0))
    if m.tenend_num[e] > 0:
        draw(m, d, e, p1, scale3(share, direction))
    if m.tenend_num[e + 1] > 0:
        draw(m, d, e + 1, p0, scale3(-share, direction))
    return distance


@kernel
def draw(m, d, e, point, force):
    """The gradient of a length by the dofs of end e: a unit of length pulls at the point with this force."""
    wrench = wrench_at(d, m.tenend_rootid[e], point, force, NO_TORQUE)
    project(d, d.ten_J, m.tenend_adr[e], m.tenend_num[e], m.tenend_dof, m.tenend_entry, wrench)


@kernel
def around_obstacle(m, d, o, p0, p1):
    """How a tendon from p0 to p1 goes around obstacle o; kept for the path, as length -1 where it does not."""
    g, side = m.obstacle_geom[o], m.obstacle_side[o]
    pos, mat = load3(d.geom_xpos, g), load9(d.geom_xmat, g)
    sided = side >= 0
    side_pos = load3(d.site_xpos, side if sided else 0)
    wraps, length, q0, q1 = wrap(p0, p1, pos, mat, m.geom_size[g, 0], m.obstacle_sphere[o] == 1, sided, side_pos)
    d.obstacle_length[o] = where(wraps, length, -1.0)
    for c in unroll(3):
        d.obstacle_point[o, c] = q0[c]
        d.obstacle_point[o, c + 3] = q1[c]
    return wraps, length, q0, q1


@kernel
def record_paths(m, d):
    """ten_wrapadr, ten_wrapnum, wrap_obj, wrap_xpos of one world: the points of all paths, one after the other."""
    k = 0
    for t in range(m.ntendon):
        d.ten_wrapadr[t] = k
        first = k
        for w in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
            kind, obj = m.wrap_type[w], m.wrap_objid[w]
            if kind == WrapType.SITE:
                record_point(d, k, AT_SITE, load3(d.site_xpos, obj))
                k = k + 1
            elif kind == WrapType.PULLEY:
                record_point(d, k, AT_PULLEY, (0.0, 0.0, 0.0))
                k = k + 1
            elif kind != WrapType.JOINT:
                o = m.wrap_entry[w]
                if d.obstacle_length[o] >= 0.0:
                    p = load6(d.obstacle_point, o)
                    record_point(d, k, obj, (p[0], p[1], p[2]))
                    record_point(d, k + 1, obj, (p[3], p[4], p[5]))
                    k = k + 2
        d.ten_wrapnum[t] = k - first


@kernel
def record_point(d, k, obj, point):
    """Point k of all paths; a row of `wrap_obj` and `wrap_xpos` holds two."""
    row, half = k // 2, k % 2
    d.wrap_obj[row, half] = obj
    d.wrap_xpos[row, 3 * half] = point[0]
    d.wrap_xpos[row, 3 * half + 1] = point[1]
    d.wrap_xpos[row, 3 * half + 2] = point[2]


@stage
def tendon_velocity(m, d):
    """ten_velocity = ten_J qvel"""
    for t in range(m.ntendon):
        v = 0.0
        for k in range(m.ten_J_rowadr[t], m.ten_J_rowadr[t] + m.ten_J_rownnz[t]):
            v = d.ten_J[k] * d.qvel[m.ten_J_colind[k]] + v
        d.ten_velocity[t] = v


@kernel
def apply_tension(m, d, qfrc, t, force):
    """qfrc += ten_J' force of one tendon."""
    for k in range(m.ten_J_rowadr[t], m.ten_J_rowadr[t] + m.ten_J_rownnz[t]):
        i = m.ten_J_colind[k]
        qfrc[i] = d.ten_J[k] * force + qfrc[i]


@kernel
def tendon_springs_and_dampers(m, d):
    """Into qfrc_spring, -stiffness times the length beyond the slack range; into qfrc_damper, -damping velocity."""
    if not m.opt.disableflags & DisableBit.SPRING:
        for t in range(m.ntendon):
            if any_lane(m.tendon_stiffness[t] != 0.0):
                apply_tension(m, d, d.qfrc_spring, t, -m.tendon_stiffness[t] * stretch(m, d, t))
    if not m.opt.disableflags & DisableBit.DAMPER:
        for t in range(m.ntendon):
            if any_lane(m.tendon_damping[t] != 0.0):
                apply_tension(m, d, d.qfrc_damper, t, -m.tendon_damping[t] * d.ten_velocity[t])


@kernel
def stretch(m, d, t):
    """By how much a tendon is longer than its slack range, or, negative, shorter."""
    length, low, high = d.ten_length[t], m.tendon_lengthspring[t, 0], m.tendon_lengthspring[t, 1]
    return where(length > high, length - high, where(length < low, length - low, 0.0))


@kernel
def tendon_spring_energy(m, d):
    """The sum of stiffness stretch^2 / 2."""
    total = 0.0
    for t in range(m.ntendon):
        if any_lane(m.tendon_stiffness[t] != 0.0):
            total = 0.5 * m.tendon_stiffness[t] * stretch(m, d, t) ** 2 + total
    return total


@stage
def tendon_inertia(m, d):
    """M += armature ten_J' ten_J, where the tree's pattern has room: a dof with itself and with its ancestors.

    The columns of a row of M and those of a tendon's row both increase, so one walk along the two meets all pairs.
    """
    for t in range(m.ntendon):
        if any_lane(m.tendon_armature[t] != 0.0):
            first = m.ten_J_rowadr[t]
            for a in range(first, first + m.ten_J_rownnz[t]):
                i, b = m.ten_J_colind[a], first
                s = m.tendon_armature[t] * d.ten_J[a]
                for k in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
                    while m.ten_J_colind[b] < m.M_colind[k]:
                        b = b + 1
                    if m.ten_J_colind[b] == m.M_colind[k]:
                        d.M[k] = s * d.ten_J[b] + d.M[k]


@stage
def tendon_bias(m, d):
    """qfrc_bias += ten_J' armature a, with a the acceleration of the length when qacc is zero.

    The compiler admits inertia only for tendons without obstacles. Of a segment from p0 to p1, with direction u and
    w = d(p1 - p0)/dt, the second derivative is u . d^2(p1 - p0)/dt^2 + (w.w - (u.w)^2) / |p1 - p0|.
    """
    for t in range(m.ntendon):
        if any_lane(m.tendon_armature[t] != 0.0) and m.ten_segnum[t] > 0:
            total = 0.0
            for s in range(m.ten_segadr[t], m.ten_segadr[t] + m.ten_segnum[t]):
                first, last = m.segment_site[s, 0], m.segment_site[s, 1]
                if m.site_bodyid[first] != m.site_bodyid[last]:
                    v0, a0 = site_motion(m, d, first)
                    v1, a1 = site_motion(m, d, last)
                    u, distance = normalize3(sub3(load3(d.site_xpos, last), load3(d.site_xpos, first)))
                    w = sub3(v1, v0)
                    across = axpy3(-dot3(u, w), u, w)
                    apart = distance > TINY
                    turning = where(apart, dot3(across, across) / where(apart, distance, 1.0), 0.0)
                    total = m.segment_scale[s] * (dot3(u, sub3(a1, a0)) + turning) + total
            apply_tension(m, d, d.qfrc_bias, t, m.tendon_armature[t] * total)


@kernel
def site_motion(m, d, s):
    """(velocity, acceleration) of a site where qacc is zero; like `bias_acc`, the acceleration is against free fall."""
    b = m.site_bodyid[s]
    arm = sub3(load3(d.site_xpos, s), load3(d.subtree_com, m.body_rootid[b]))
    v, a = load6(d.cvel, b), load6(d.bias_acc, b)
    spin = (v[0], v[1], v[2])
    velocity = add3((v[3], v[4], v[5]), cross(spin, arm))
    acceleration = add3((a[3], a[4], a[5]), cross((a[0], a[1], a[2]), arm))
    return velocity, add3(acceleration, cross(spin, velocity))


@kernel
def limit_tendon_forces(m, d):
    """Scale the forces of all actuators of a tendon so that their sum is within the tendon's `actfrcrange`."""
    for t in range(m.ntendon):
        if m.tendon_actfrclimited[t]:
            first, last = m.ten_actadr[t], m.ten_actadr[t] + m.ten_actnum[t]
            total = 0.0
            for k in range(first, last):
                total = total + d.actuator_force[m.ten_act[k]]
            low, high = m.tendon_actfrcrange[t, 0], m.tendon_actfrcrange[t, 1]
            limit = where(total < low, low, high)
            beyond = ((total < low) | (total > high)) & (total != 0.0)
            scale = where(beyond, limit / where(beyond, total, 1.0), 1.0)
            for k in range(first, last):
                d.actuator_force[m.ten_act[k]] = d.actuator_force[m.ten_act[k]] * scale
