"""Potential and kinetic energy."""

from __future__ import annotations

from corten.kernel import any_lane, kernel, stage
from corten.model.enums import DisableBit, EnableBit, JointType
from corten.physics.passive import spring_rotation
from corten.physics.tendon import tendon_spring_energy


@stage
def potential_energy(m, d):
    """energy[0]: of weights, -m g . x, and of springs, k |q - q_spring|^2 / 2."""
    total = 0.0
    if not m.opt.disableflags & DisableBit.GRAVITY:
        for b in range(1, m.nbody):
            g = m.opt.gravity
            height = g[0] * d.xipos[b, 0] + g[1] * d.xipos[b, 1] + g[2] * d.xipos[b, 2]
            total = total - m.body_mass[b] * height
    if not m.opt.disableflags & DisableBit.SPRING:
        for j in range(m.njnt):
            if any_lane(m.jnt_stiffness[j] != 0.0):
                total = 0.5 * m.jnt_stiffness[j] * squared_stretch(m, d, j) + total
        total = total + tendon_spring_energy(m, d)
    d.energy[0] = total


@kernel
def squared_stretch(m, d, j):
    """|q - q_spring|^2 of a joint, angles for rotations."""
    a, kind = m.jnt_qposadr[j], m.jnt_type[j]
    total = 0.0
    if kind == JointType.SLIDE or kind == JointType.HINGE:
        total = (d.qpos[a] - m.qpos_spring[a]) ** 2
    else:
        if kind == JointType.FREE:
            for c in range(3):
                total = total + (d.qpos[a + c] - m.qpos_spring[a + c]) ** 2
            a = a + 3
        turn = spring_rotation(m, d, a)
        total = total + turn[0] ** 2 + turn[1] ** 2 + turn[2] ** 2
    return total


@stage
def kinetic_energy(m, d):
    """energy[1] = qvel' M qvel / 2, without scratch memory: sensors are read while integrators use that."""
    total = 0.0
    for i in range(m.nv):
        diagonal = m.M_rowadr[i] + m.M_rownnz[i] - 1
        s = 0.5 * d.M[diagonal] * d.qvel[i]
        for k in range(m.M_rowadr[i], diagonal):
            s = d.M[k] * d.qvel[m.M_colind[k]] + s
        total = d.qvel[i] * s + total
    d.energy[1] = total


@kernel
def energy_of_positions(m, d):
    """energy[0] where it is asked for and no sensor has done it; zero energies where nobody asks."""
    if m.opt.enableflags & EnableBit.ENERGY:
        if not energy_sensed(m, m.nsensorpotential):
            potential_energy(m, d)
    elif not energy_sensed(m, m.nsensorpotential):
        d.energy[0] = 0.0
        d.energy[1] = 0.0


@kernel
def energy_of_velocities(m, d):
    """energy[1] where it is asked for and no sensor has done it."""
    if m.opt.enableflags & EnableBit.ENERGY and not energy_sensed(m, m.nsensorkinetic):
        kinetic_energy(m, d)


@kernel
def energy_sensed(m, count):
    """Whether some of `count` sensors has computed the energy."""
    return count > 0 and not m.opt.disableflags & DisableBit.SENSOR
