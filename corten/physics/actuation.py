"""Actuator forces: from control through activation, gain and bias to the dofs."""

from __future__ import annotations

from corten.kernel import absolute, any_lane, clip, kernel, lane, lanes, stage, value, where
from corten.model.enums import BiasType, DisableBit, GainType, Warning
from corten.physics.activation import activation_rate, actuator_disabled, next_activation
from corten.physics.check import LARGEST, warn
from corten.physics.history import history_value
from corten.physics.muscle import muscle_bias, muscle_gain
from corten.physics.tendon import limit_tendon_forces


@stage
def actuation(m, d):
    """act_dot, actuator_force, and qfrc_actuator = moment' actuator_force plus compensation, limited by joint."""
    for i in range(m.nv):
        d.qfrc_actuator[i] = 0.0
    for i in range(m.nu):
        d.actuator_force[i] = 0.0
    if m.nu == 0 or m.opt.disableflags & DisableBit.ACTUATION:
        return
    actuator_inputs(m, d)
    for i in range(m.nu):
        if m.actuator_actadr[i] >= 0:
            activation_rate(m, d, i)
        if not actuator_disabled(m, i):
            d.actuator_force[i] = actuator_force(m, d, i)
    limit_tendon_forces(m, d)
    for i in range(m.nu):
        force = d.actuator_force[i]
        if m.actuator_forcelimited[i]:
            force = clip(force, m.actuator_forcerange[i, 0], m.actuator_forcerange[i, 1])
            d.actuator_force[i] = force
        for k in range(m.moment_rowadr[i], m.moment_rowadr[i] + m.moment_rownnz[i]):
            j = m.moment_colind[k]
            d.qfrc_actuator[j] = d.actuator_moment[k] * force + d.qfrc_actuator[j]
    joint_forces(m, d)


@kernel
def actuator_inputs(m, d):
    """actuator_input: the controls, from the past where there is a delay, limited; all zero if one of them is bad."""
    clamped = not m.opt.disableflags & DisableBit.CLAMPCTRL
    bad = 0.0
    for i in range(m.nu):
        if m.nhistory > 0 and m.actuator_delay[i] != 0.0 and m.actuator_history[i, 0] > 0:
            for l in lanes(d):
                delayed_control(lane(m, l), lane(d, l), i)
        else:
            d.actuator_input[i] = d.ctrl[i]
        ctrl = d.actuator_input[i]
        if clamped and m.actuator_ctrllimited[i]:
            limited = clip(ctrl, m.actuator_ctrlrange[i, 0], m.actuator_ctrlrange[i, 1])
            ctrl = where(ctrl == ctrl, limited, ctrl)
            d.actuator_input[i] = ctrl
        bad = where(absolute(ctrl) <= LARGEST, bad, 1.0)
    if any_lane(bad != 0.0):
        for l in lanes(d):
            refuse_controls(lane(m, l), lane(d, l))


@kernel
def delayed_control(m, d, i):
    """The control of actuator i, one delay ago."""
    past = d.time - m.actuator_delay[i]
    n, order = m.actuator_history[i, 0], m.actuator_history[i, 1]
    d.actuator_input[i] = history_value(d, m.actuator_historyadr[i], n, 1, 0, past, order)


@kernel
def refuse_controls(m, d):
    """In a world with a bad control: no control at all, and a warning with the first bad one."""
    for i in range(m.nu):
        if not absolute(value(d.actuator_input[i])) <= LARGEST:
            warn(d, Warning.BADCTRL, i)
            for k in range(m.nu):
                d.actuator_input[k] = 0.0
            return


@kernel
def actuator_force(m, d, i):
    """gain input + bias, where the input is the control or, with dynamics, the activation."""
    length, speed = d.actuator_length[i], d.actuator_velocity[i]
    kind = m.actuator_gaintype[i]
    if kind == GainType.FIXED:
        gain = m.actuator_gainprm[i, 0]
    elif kind == GainType.AFFINE:
        gain = m.actuator_gainprm[i, 0] + m.actuator_gainprm[i, 1] * length + m.actuator_gainprm[i, 2] * speed
    elif kind == GainType.MUSCLE:
        gain = muscle_gain(m, i, length, speed)
    else:
        gain = 1.0
    kind = m.actuator_biastype[i]
    if kind == BiasType.AFFINE:
        bias = m.actuator_biasprm[i, 0] + m.actuator_biasprm[i, 1] * length + m.actuator_biasprm[i, 2] * speed
    elif kind == BiasType.MUSCLE:
        bias = muscle_bias(m, i, length)
    else:
        bias = 0.0
    return gain * actuator_drive(m, d, i) + bias


@kernel
def actuator_drive(m, d, i):
    """What the gain multiplies: the control, the activation, or with `actearly` the activation a step later."""
    if m.actuator_actadr[i] < 0:
        return d.actuator_input[i]
    last = m.actuator_actadr[i] + m.actuator_actnum[i] - 1
    if m.actuator_actearly[i]:
        return next_activation(m, i, d.act[last], d.act_dot[last])
    return d.act[last]


@kernel
def joint_forces(m, d):
    """Add the gravity compensation that counts as actuator force, and limit the total force on each joint."""
    compensated = m.ngravcomp > 0 and not m.opt.disableflags & DisableBit.GRAVITY
    for j in range(m.njnt):
        first = m.jnt_dofadr[j]
        if compensated and m.jnt_actgravcomp[j]:
            for i in range(first, m.nv):
                if m.dof_jntid[i] != j:
                    break
                d.qfrc_actuator[i] = d.qfrc_actuator[i] + d.qfrc_gravcomp[i]
        if m.jnt_actfrclimited[j]:
            d.qfrc_actuator[first] = clip(d.qfrc_actuator[first], m.jnt_actfrcrange[j, 0], m.jnt_actfrcrange[j, 1])
