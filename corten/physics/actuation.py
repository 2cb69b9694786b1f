"""Actuator forces: from control through gain and bias to the dofs."""

from __future__ import annotations

from corten.kernel import clip, kernel, stage
from corten.model.enums import BiasType, DisableBit, GainType


@stage
def actuation(m, d):
    """actuator_force and qfrc_actuator = moment' actuator_force, limited by joint, plus compensation routed here."""
    for i in range(m.nv):
        d.qfrc_actuator[i] = 0.0
    if m.opt.disableflags & DisableBit.ACTUATION:
        for i in range(m.nu):
            d.actuator_force[i] = 0.0
        return
    for i in range(m.nu):
        force = actuator_force(m, d, i)
        d.actuator_force[i] = force
        for k in range(m.moment_rowadr[i], m.moment_rowadr[i] + m.moment_rownnz[i]):
            j = m.moment_colind[k]
            d.qfrc_actuator[j] = d.actuator_moment[k] * force + d.qfrc_actuator[j]
    for i in range(m.nv):
        j = m.dof_jntid[i]
        if m.jnt_actgravcomp[j]:
            d.qfrc_actuator[i] = d.qfrc_actuator[i] + d.qfrc_gravcomp[i]
        if m.jnt_actfrclimited[j]:
            d.qfrc_actuator[i] = clip(d.qfrc_actuator[i], m.jnt_actfrcrange[j, 0], m.jnt_actfrcrange[j, 1])


@kernel
def actuator_force(m, d, i):
    """gain ctrl + bias, limited; gain and bias are constant or affine in length and velocity."""
    ctrl = d.ctrl[i]
    if m.actuator_ctrllimited[i] and not m.opt.disableflags & DisableBit.CLAMPCTRL:
        ctrl = clip(ctrl, m.actuator_ctrlrange[i, 0], m.actuator_ctrlrange[i, 1])
    length, speed = d.actuator_length[i], d.actuator_velocity[i]
    gain = m.actuator_gainprm[i, 0]
    if m.actuator_gaintype[i] == GainType.AFFINE:
        gain = gain + m.actuator_gainprm[i, 1] * length + m.actuator_gainprm[i, 2] * speed
    force = gain * ctrl
    if m.actuator_biastype[i] == BiasType.AFFINE:
        bias = m.actuator_biasprm[i, 0] + m.actuator_biasprm[i, 1] * length + m.actuator_biasprm[i, 2] * speed
        force = force + bias
    if m.actuator_forcelimited[i]:
        force = clip(force, m.actuator_forcerange[i, 0], m.actuator_forcerange[i, 1])
    return force
