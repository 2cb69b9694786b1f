"""Forward kinematics: where everything is, from `qpos`.

Bodies come parents first, so one pass suffices. A body's frame starts at its place in its parent's frame; each joint
then moves it: a slide along its axis, a hinge or ball about its anchor. A free joint, and a mocap body, set the frame
outright.
"""

from __future__ import annotations

from corten.kernel import kernel, stage
from corten.kernel.quat import (
    axis_angle,
    load4,
    load_quat,
    quat_mat,
    quat_mul,
    quat_normalize,
    quat_rotate,
    store4,
)
from corten.kernel.vec import add3, axpy3, load3, load9, some3, store3, store9, sub3
from corten.model.enums import JointType, SameFrame

IDENTITY = (1.0, 0.0, 0.0, 0.0)


@stage
def kinematics(m, d):
    """Frames of bodies, inertias, joints, geoms and sites."""
    world_frame(d)
    for b in range(1, m.nbody):
        pos, quat = body_frame(m, d, b)
        store3(d.xpos, b, pos)
        store4(d.xquat, b, quat)
        mat = quat_mat(quat)
        store9(d.xmat, b, mat)
        attach(m.body_sameframe[b], d.xipos, d.ximat, b, pos, quat, mat, pos, mat, m.body_ipos, m.body_iquat, b)
    for g in range(m.ngeom):
        place(d, m.geom_sameframe[g], d.geom_xpos, d.geom_xmat, m.geom_bodyid[g], m.geom_pos, m.geom_quat, g)
    for s in range(m.nsite):
        place(d, m.site_sameframe[s], d.site_xpos, d.site_xmat, m.site_bodyid[s], m.site_pos, m.site_quat, s)


@kernel
def world_frame(d):
    """Body 0 is the world."""
    zero, one = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    store3(d.xpos, 0, zero)
    store3(d.xipos, 0, zero)
    store4(d.xquat, 0, IDENTITY)
    store9(d.xmat, 0, one)
    store9(d.ximat, 0, one)


@kernel
def body_frame(m, d, b):
    """(position, orientation) of a body; writes the anchors and axes of its joints."""
    joints, first = m.body_jntnum[b], m.body_jntadr[b]
    if joints == 1 and m.jnt_type[first] == JointType.FREE:
        a = m.jnt_qposadr[first]
        pos = (d.qpos[a], d.qpos[a + 1], d.qpos[a + 2])
        quat = quat_normalize(load_quat(d.qpos, a + 3))
        store3(d.xanchor, first, pos)
        store3(d.xaxis, first, load3(m.jnt_axis, first))
        return pos, quat
    p = m.body_parentid[b]
    if m.body_mocapid[b] >= 0:
        local_pos = load3(d.mocap_pos, m.body_mocapid[b])
        local_quat = quat_normalize(load4(d.mocap_quat, m.body_mocapid[b]))
    else:
        local_pos = load3(m.body_pos, b)
        local_quat = load4(m.body_quat, b)
    pos, quat = local_pos, local_quat
    if p > 0:
        parent_quat = load4(d.xquat, p)
        pos = add3(load3(d.xpos, p), quat_rotate(parent_quat, local_pos))
        quat = quat_mul(parent_quat, local_quat)
    for j in range(first, first + joints):
        offset = load3(m.jnt_pos, j)
        central = not some3(offset)
        anchor = pos if central else add3(pos, quat_rotate(quat, offset))
        axis = quat_rotate(quat, load3(m.jnt_axis, j))
        store3(d.xanchor, j, anchor)
        store3(d.xaxis, j, axis)
        a = m.jnt_qposadr[j]
        kind = m.jnt_type[j]
        if kind == JointType.SLIDE:
            pos = axpy3(d.qpos[a] - m.qpos0[a], axis, pos)
        else:
            if kind == JointType.HINGE:
                turn = axis_angle(load3(m.jnt_axis, j), d.qpos[a] - m.qpos0[a])
            else:
                turn = quat_normalize(load_quat(d.qpos, a))
            quat = quat_mul(quat, turn)
            pos = anchor if central else sub3(anchor, quat_rotate(quat, offset))
    return pos, quat_normalize(quat)


@kernel
def attach(same, xpos, xmat, i, pos, quat, mat, inertial_pos, inertial_mat, local_pos, local_quat, k):
    """Frame i, which is frame k of the model in the body at (pos, quat); `same` tells what of it needs no computing."""
    if same == SameFrame.BODY:
        store3(xpos, i, pos)
        store9(xmat, i, mat)
    elif same == SameFrame.INERTIA:
        store3(xpos, i, inertial_pos)
        store9(xmat, i, inertial_mat)
    else:
        store3(xpos, i, add3(pos, quat_rotate(quat, load3(local_pos, k))))
        if same == SameFrame.BODYROT:
            store9(xmat, i, mat)
        elif same == SameFrame.INERTIAROT:
            store9(xmat, i, inertial_mat)
        else:
            store9(xmat, i, quat_mat(quat_mul(quat, load4(local_quat, k))))


@kernel
def place(d, same, xpos, xmat, b, local_pos, local_quat, i):
    """Frame i of geoms or sites, carried by body b."""
    pos, quat, mat = load3(d.xpos, b), load4(d.xquat, b), load9(d.xmat, b)
    attach(same, xpos, xmat, i, pos, quat, mat, load3(d.xipos, b), load9(d.ximat, b), local_pos, local_quat, i)
