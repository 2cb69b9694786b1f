"""Rows of friction loss, and of limits of joints and tendons."""

from __future__ import annotations

from corten.kernel import any_lane, kernel, maximum
from corten.kernel.quat import load_quat, quat_normalize, quat_velocity
from corten.kernel.vec import normalize3
from corten.model.enums import ConstraintType, JointType
from corten.physics.constraint.jacobian import begin, settle


@kernel
def friction_rows(m, d):
    """Dry friction of dofs and of tendons: rows that resist motion with a bounded force."""
    for i in range(m.nv):
        if any_lane(m.dof_frictionloss[i] > 0.0) and begin(d, ConstraintType.FRICTION_DOF, i, 1, 1):
            r = d.nefc - 1
            d.efc_J[d.efc_J_rowadr[r]] = 1.0
            d.efc_J_colind[d.efc_J_rowadr[r]] = i
            d.efc_pos[r] = 0.0
            d.efc_frictionloss[r] = m.dof_frictionloss[i]
            settle(m, d, r, m.dof_frictionloss[i] > 0.0)
    for t in range(m.ntendon):
        rubs = any_lane(m.tendon_frictionloss[t] > 0.0)
        if rubs and begin_tendon_row(m, d, ConstraintType.FRICTION_TENDON, t):
            r = d.nefc - 1
            tendon_row(m, d, r, t, 1.0)
            d.efc_pos[r] = 0.0
            d.efc_frictionloss[r] = m.tendon_frictionloss[t]
            settle(m, d, r, m.tendon_frictionloss[t] > 0.0)


@kernel
def begin_tendon_row(m, d, kind, t):
    """Whether a row of tendon t fits; if it is the tendon's first, tendon_efcadr."""
    if d.tendon_efcadr[t] < 0:
        d.tendon_efcadr[t] = d.nefc
    return begin(d, kind, t, 1, m.ten_J_rownnz[t])


@kernel
def tendon_row(m, d, r, t, sign):
    """Row r moves as the length of tendon t does, times a sign."""
    start, own = d.efc_J_rowadr[r], m.ten_J_rowadr[t]
    for k in range(m.ten_J_rownnz[t]):
        d.efc_J[start + k] = sign * d.ten_J[own + k]
        d.efc_J_colind[start + k] = m.ten_J_colind[own + k]


@kernel
def limit_rows(m, d):
    """Joints and tendons that are beyond a limit, or nearer to it than its margin, in some world."""
    for j in range(m.njnt):
        if m.jnt_limited[j]:
            if m.jnt_type[j] == JointType.BALL:
                ball_limit(m, d, j)
            elif m.jnt_type[j] != JointType.FREE:
                for side in (-1.0, 1.0):
                    bound = m.jnt_range[j, 0] if side < 0.0 else m.jnt_range[j, 1]
                    scalar_limit(m, d, j, side, side * (bound - d.qpos[m.jnt_qposadr[j]]))
    for t in range(m.ntendon):
        if m.tendon_limited[t]:
            for side in (-1.0, 1.0):
                bound = m.tendon_range[t, 0] if side < 0.0 else m.tendon_range[t, 1]
                tendon_limit(m, d, t, side, side * (bound - d.ten_length[t]))


@kernel
def scalar_limit(m, d, j, side, dist):
    """One end of the range of a slide or hinge joint."""
    if any_lane(dist < m.jnt_margin[j]) and begin(d, ConstraintType.LIMIT_JOINT, j, 1, 1):
        r = d.nefc - 1
        d.efc_J[d.efc_J_rowadr[r]] = -side
        d.efc_J_colind[d.efc_J_rowadr[r]] = m.jnt_dofadr[j]
        d.efc_pos[r] = dist
        d.efc_margin[r] = m.jnt_margin[j]
        settle(m, d, r, dist < m.jnt_margin[j])


@kernel
def tendon_limit(m, d, t, side, dist):
    """One end of the range of a tendon's length."""
    if any_lane(dist < m.tendon_margin[t]) and begin_tendon_row(m, d, ConstraintType.LIMIT_TENDON, t):
        r = d.nefc - 1
        tendon_row(m, d, r, t, -side)
        d.efc_pos[r] = dist
        d.efc_margin[r] = m.tendon_margin[t]
        settle(m, d, r, dist < m.tendon_margin[t])


@kernel
def ball_limit(m, d, j):
    """A ball joint turns from its reference pose by no more than an angle."""
    turn = quat_velocity(quat_normalize(load_quat(d.qpos, m.jnt_qposadr[j])), 1.0)
    axis, angle = normalize3(turn)
    dist = maximum(m.jnt_range[j, 0], m.jnt_range[j, 1]) - angle
    if any_lane(dist < m.jnt_margin[j]) and begin(d, ConstraintType.LIMIT_JOINT, j, 1, 3):
        r = d.nefc - 1
        start, i = d.efc_J_rowadr[r], m.jnt_dofadr[j]
        d.efc_J[start] = -axis[0]
        d.efc_J[start + 1] = -axis[1]
        d.efc_J[start + 2] = -axis[2]
        for k in range(3):
            d.efc_J_colind[start + k] = i + k
        d.efc_pos[r] = dist
        d.efc_margin[r] = m.jnt_margin[j]
        settle(m, d, r, dist < m.jnt_margin[j])
