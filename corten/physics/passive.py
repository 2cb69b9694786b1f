"""Passive forces: joint springs and dampers, gravity compensation, the medium."""

from __future__ import annotations

from corten.kernel import any_lane, kernel, stage, unroll
from corten.kernel.quat import load_quat, quat_conj, quat_mul, quat_normalize, quat_velocity
from corten.kernel.vec import load3, scale3
from corten.model.enums import DisableBit, JointType
from corten.physics.fluid import fluid, has_fluid
from corten.physics.tendon import tendon_springs_and_dampers
from corten.physics.wrench import apply_force


@stage
def passive(m, d):
    """qfrc_spring, qfrc_damper, qfrc_gravcomp, qfrc_fluid, and their sum qfrc_passive.

    Compensation of a joint with `actgravcomp` is left out of the sum: it counts as actuator force.
    With springs and dampers both disabled there are no passive forces at all.
    """
    for i in range(m.nv):
        d.qfrc_spring[i] = 0.0
        d.qfrc_damper[i] = 0.0
        d.qfrc_gravcomp[i] = 0.0
        d.qfrc_fluid[i] = 0.0
    if not m.opt.disableflags & DisableBit.SPRING:
        for j in range(m.njnt):
            if any_lane(m.jnt_stiffness[j] != 0.0):
                joint_spring(m, d, j)
    if not m.opt.disableflags & DisableBit.DAMPER:
        for i in range(m.nv):
            d.qfrc_damper[i] = -m.dof_damping[i] * d.qvel[i]
    tendon_springs_and_dampers(m, d)
    if m.ngravcomp > 0 and has_passive(m) and not m.opt.disableflags & DisableBit.GRAVITY:
        gravity_compensation(m, d)
    if has_passive(m) and has_fluid(m):
        fluid(m, d)
    for i in range(m.nv):
        total = d.qfrc_spring[i] + d.qfrc_damper[i] + d.qfrc_fluid[i]
        if not m.jnt_actgravcomp[m.dof_jntid[i]]:
            total = total + d.qfrc_gravcomp[i]
        d.qfrc_passive[i] = total


@kernel
def has_passive(m):
    """Whether any passive force is enabled."""
    return not (m.opt.disableflags & DisableBit.SPRING and m.opt.disableflags & DisableBit.DAMPER)


@kernel
def joint_spring(m, d, j):
    """-stiffness (q - q_spring); the difference of two orientations is the angular velocity between them."""
    k, i, a = -m.jnt_stiffness[j], m.jnt_dofadr[j], m.jnt_qposadr[j]
    kind = m.jnt_type[j]
    if kind == JointType.SLIDE or kind == JointType.HINGE:
        d.qfrc_spring[i] = k * (d.qpos[a] - m.qpos_spring[a])
    else:
        if kind == JointType.FREE:
            for c in range(3):
                d.qfrc_spring[i + c] = k * (d.qpos[a + c] - m.qpos_spring[a + c])
            i = i + 3
            a = a + 3
        turn = spring_rotation(m, d, a)
        for c in unroll(3):
            d.qfrc_spring[i + c] = k * turn[c]


@kernel
def spring_rotation(m, d, a):
    """The rotation vector from the spring's rest orientation to that at qpos[a]."""
    rest = load_quat(m.qpos_spring, a)
    now = quat_normalize(load_quat(d.qpos, a))
    return quat_velocity(quat_mul(quat_conj(rest), now), 1.0)


@kernel
def gravity_compensation(m, d):
    """-gravcomp times the weight of a body, applied at its centre of mass and projected on the dofs above it."""
    g = (m.opt.gravity[0], m.opt.gravity[1], m.opt.gravity[2])
    for b in range(1, m.nbody):
        if any_lane(m.body_gravcomp[b] != 0.0):
            force = scale3(-(m.body_gravcomp[b] * m.body_mass[b]), g)
            apply_force(m, d, d.qfrc_gravcomp, b, force, (0.0, 0.0, 0.0), load3(d.xipos, b))
