"""Transmissions: the length of each actuator and how it moves with the dofs.

The moment of actuator i is the gradient of its length by the dofs, stored sparse: its columns are known to the model
(`moment_rowadr`, `moment_rownnz`, `moment_colind`), its values are in `actuator_moment`.
"""

from __future__ import annotations

from corten.kernel import kernel, lane, lanes, sqrt, stage, where
from corten.kernel.quat import load4, load_quat, quat_conj, quat_mul, quat_normalize, quat_rotate, quat_velocity
from corten.kernel.spatial import dot6, load6
from corten.kernel.vec import axpy3, cross, dot3, load3, load9, mat_t_vec, mat_vec, part3, scale3, some3, sub3
from corten.model.enums import DisableBit, JointType, TrnType
from corten.physics.ends import project, wrench_at

NONE3 = (0.0, 0.0, 0.0)


@stage
def transmission(m, d):
    """actuator_length and actuator_moment."""
    for i in range(m.nu):
        kind, target = m.actuator_trntype[i], m.actuator_trnid[i, 0]
        if kind == TrnType.JOINT or kind == TrnType.JOINTINPARENT:
            joint_transmission(m, d, i, target)
        elif kind == TrnType.TENDON:
            tendon_transmission(m, d, i, target)
        else:
            d.actuator_length[i] = 0.0
            for k in range(m.moment_rowadr[i], m.moment_rowadr[i] + m.moment_rownnz[i]):
                d.actuator_moment[k] = 0.0
            if kind == TrnType.SLIDERCRANK:
                slider_crank(m, d, i, target, m.actuator_trnid[i, 1])
            elif kind == TrnType.SITE and m.actuator_trnid[i, 1] < 0:
                force, torque = gear_wrench(m, d, i, target)
                pull_at(m, d, i, 0, target, force, torque)
            elif kind == TrnType.SITE:
                relative_transmission(m, d, i, target, m.actuator_trnid[i, 1])
            elif kind == TrnType.BODY:
                for l in lanes(d):
                    adhesion(lane(m, l), lane(d, l), i, target)


@kernel
def joint_transmission(m, d, i, j):
    """A joint: gear times coordinate; for ball and free joints the gear is an axis in the child's or parent's frame."""
    kind, a, k = m.jnt_type[j], m.jnt_qposadr[j], m.moment_rowadr[i]
    if kind == JointType.SLIDE or kind == JointType.HINGE:
        d.actuator_length[i] = d.qpos[a] * m.actuator_gear[i, 0]
        d.actuator_moment[k] = m.actuator_gear[i, 0]
        return
    if kind == JointType.FREE:
        quat = quat_normalize(load_quat(d.qpos, a + 3))
        axis = gear_axis(m, i, 3, quat)
        d.actuator_length[i] = 0.0
        for c in range(3):
            d.actuator_moment[k + c] = m.actuator_gear[i, c]
        k = k + 3
    else:
        quat = quat_normalize(load_quat(d.qpos, a))
        axis = gear_axis(m, i, 0, quat)
        d.actuator_length[i] = dot3(quat_velocity(quat, 1.0), axis)
    d.actuator_moment[k] = axis[0]
    d.actuator_moment[k + 1] = axis[1]
    d.actuator_moment[k + 2] = axis[2]


@kernel
def gear_axis(m, i, first, quat):
    """Three gears of actuator i as an axis in the child's frame, where a joint at `quat` lets it turn about it."""
    axis = part3(m.actuator_gear, i, first)
    if m.actuator_trntype[i] == TrnType.JOINTINPARENT:
        return quat_rotate(quat_conj(quat), axis)
    return axis


@kernel
def tendon_transmission(m, d, i, t):
    """A tendon: gear times its length."""
    gear, first, start = m.actuator_gear[i, 0], m.ten_J_rowadr[t], m.moment_rowadr[i]
    d.actuator_length[i] = gear * d.ten_length[t]
    for k in range(m.ten_J_rownnz[t]):
        d.actuator_moment[start + k] = gear * d.ten_J[first + k]


@kernel
def pull_at(m, d, i, number, s, force, torque):
    """The moment of actuator i that comes from a force and a torque at site s, which is its end of this number."""
    e = m.actuator_end[i] + number
    if m.actend_num[e] > 0:
        wrench = wrench_at(d, m.actend_rootid[e], load3(d.site_xpos, s), force, torque)
        project(d, d.actuator_moment, m.actend_adr[e], m.actend_num[e], m.actend_dof, m.actend_entry, wrench)


@kernel
def gear_wrench(m, d, i, s):
    """(force, torque): the six gears of actuator i as vectors in the frame of site s, in world axes."""
    mat = load9(d.site_xmat, s)
    force = mat_vec(mat, part3(m.actuator_gear, i, 0))
    return force, mat_vec(mat, part3(m.actuator_gear, i, 3))


@kernel
def relative_transmission(m, d, i, s, r):
    """A site moving in the frame of a reference site: gears times its position and orientation (as a rotation vector).

    The moment is that of the wrench on the site and its opposite on the reference; dofs that move both do not count.
    """
    length = 0.0
    push = part3(m.actuator_gear, i, 0)
    twist = part3(m.actuator_gear, i, 3)
    if some3(push):
        at = mat_t_vec(load9(d.site_xmat, r), sub3(load3(d.site_xpos, s), load3(d.site_xpos, r)))
        length = dot3(at, push)
    if some3(twist):
        turn = quat_velocity(quat_mul(quat_conj(site_turn(m, d, r)), site_turn(m, d, s)), 1.0)
        length = dot3(turn, twist) + length
    d.actuator_length[i] = length
    force, torque = gear_wrench(m, d, i, r)
    pull_at(m, d, i, 0, s, force, torque)
    pull_at(m, d, i, 1, r, scale3(-1.0, force), scale3(-1.0, torque))


@kernel
def site_turn(m, d, s):
    """The product of a site's own quaternion and its body's.

    The site's orientation is the product in the other order; the lengths of actuators are defined with this one, as in
    the reference. The two agree where the site's frame is aligned with its body's.
    """
    return quat_mul(load4(m.site_quat, s), load4(d.xquat, m.site_bodyid[s]))


@kernel
def slider_crank(m, d, i, crank, slider):
    """A rod of fixed length r joins the crank site to a pin that slides along the z axis a of the slider site.

    With v from slider to crank, the pin is at l = a.v - sqrt((a.v)^2 + r^2 - v.v); where the rod is too short, at a.v.
    The gradient of l by v is a force on the crank and its opposite on the slider, that by a is a torque on the slider.
    """
    mat = load9(d.site_xmat, slider)
    axis = (mat[2], mat[5], mat[8])
    v = sub3(load3(d.site_xpos, crank), load3(d.site_xpos, slider))
    gear, rod = m.actuator_gear[i, 0], m.actuator_cranklength[i]
    along = dot3(v, axis)
    square = along * along + rod * rod - dot3(v, v)
    reaches = square > 0.0
    root = sqrt(where(reaches, square, 1.0))
    inverse = where(reaches, 1.0 / root, 0.0)
    share = 1.0 - along * inverse
    d.actuator_length[i] = gear * where(reaches, along - root, along)
    force = scale3(gear, axpy3(inverse, v, scale3(share, axis)))
    torque = cross(axis, scale3(gear * share, v))
    pull_at(m, d, i, 0, crank, force, NONE3)
    pull_at(m, d, i, 1, slider, scale3(-1.0, force), torque)


@kernel
def adhesion(m, d, i, b):
    """A body that sticks to what it touches, in one world: pulled against the mean of its contact normals.

    Contacts in the gap, which do not push, count as well. The row has a place for every dof.
    """
    start, count = m.moment_rowadr[i], 0
    for c in range(d.ncon):
        if d.contact_exclude[c] <= 1:
            first, second = m.geom_bodyid[d.contact_geom[c, 0]], m.geom_bodyid[d.contact_geom[c, 1]]
            if first == b or second == b:
                count = count + 1
                point = load3(d.contact_pos, c)
                normal = part3(d.contact_frame, c, 0)
                pull_body(m, d, start, first, point, normal)
                pull_body(m, d, start, second, point, scale3(-1.0, normal))
    if count > 1:
        share = 1.0 / float(count)
        for k in range(start, start + m.moment_rownnz[i]):
            d.actuator_moment[k] = share * d.actuator_moment[k]


@kernel
def pull_body(m, d, start, b, point, force):
    """The moment, in a row with a place for every dof, of a force at a point of body b."""
    wrench = wrench_at(d, m.body_rootid[b], point, force, NONE3)
    j = m.body_lastdof[b]
    while j >= 0:
        d.actuator_moment[start + j] = dot6(load6(d.cdof, j), wrench) + d.actuator_moment[start + j]
        j = m.dof_parentid[j]


@stage
def actuator_velocity(m, d):
    """actuator_velocity = moment qvel; zero where actuation is disabled."""
    for i in range(m.nu):
        v = 0.0
        if not m.opt.disableflags & DisableBit.ACTUATION:
            for k in range(m.moment_rowadr[i], m.moment_rowadr[i] + m.moment_rownnz[i]):
                v = d.actuator_moment[k] * d.qvel[m.moment_colind[k]] + v
        d.actuator_velocity[i] = v
