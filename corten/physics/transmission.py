"""Transmissions: the length of each actuator and how it moves with the dofs.

The moment of actuator i is the gradient of its length by the dofs, stored sparse: its columns are known to the model
(`moment_rowadr`, `moment_rownnz`, `moment_colind`), its values are in `actuator_moment`.
"""

from __future__ import annotations

from corten.kernel import kernel, stage
from corten.kernel.quat import load_quat, quat_conj, quat_normalize, quat_rotate, quat_velocity
from corten.kernel.vec import dot3
from corten.model.enums import JointType, TrnType


@stage
def transmission(m, d):
    """actuator_length and actuator_moment."""
    for i in range(m.nu):
        if m.actuator_trntype[i] == TrnType.JOINT or m.actuator_trntype[i] == TrnType.JOINTINPARENT:
            joint_transmission(m, d, i, m.actuator_trnid[i, 0])


@kernel
def joint_transmission(m, d, i, j):
    """A joint: gear times its coordinate; for ball and free joints the gear is an axis in the child's or parent's frame."""
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
    axis = (m.actuator_gear[i, first], m.actuator_gear[i, first + 1], m.actuator_gear[i, first + 2])
    if m.actuator_trntype[i] == TrnType.JOINTINPARENT:
        return quat_rotate(quat_conj(quat), axis)
    return axis


@stage
def actuator_velocity(m, d):
    """actuator_velocity = moment qvel"""
    for i in range(m.nu):
        v = 0.0
        for k in range(m.moment_rowadr[i], m.moment_rowadr[i] + m.moment_rownnz[i]):
            v = d.actuator_moment[k] * d.qvel[m.moment_colind[k]] + v
        d.actuator_velocity[i] = v
