"""Forces on bodies, as forces of the dofs that carry them."""

from __future__ import annotations

from corten.kernel import any_lane, kernel, stage
from corten.kernel.spatial import dot6, load6, nonzero6
from corten.kernel.vec import load3
from corten.physics.ends import wrench_at


@kernel
def apply_force(m, d, qfrc, b, force, torque, point):
    """qfrc += J' (force, torque), J the Jacobian of `point` on body b.

    Moved to the tree's centre of mass, the wrench meets each motion axis between the body and the world.
    """
    wrench = wrench_at(d, m.body_rootid[b], point, force, torque)
    i = m.body_lastdof[b]
    while i >= 0:
        qfrc[i] = qfrc[i] + dot6(load6(d.cdof, i), wrench)
        i = m.dof_parentid[i]


@stage
def smooth_force(m, d):
    """qfrc_smooth = passive - bias + applied + actuator + J' xfrc_applied"""
    for i in range(m.nv):
        d.qfrc_smooth[i] = d.qfrc_passive[i] - d.qfrc_bias[i] + d.qfrc_applied[i] + d.qfrc_actuator[i]
    cartesian_force(m, d, d.qfrc_smooth)


@kernel
def cartesian_force(m, d, qfrc):
    """qfrc += J' xfrc_applied, the forces and torques applied by the user at the bodies' centres of mass."""
    for b in range(1, m.nbody):
        f = load6(d.xfrc_applied, b)
        if any_lane(nonzero6(f)):
            apply_force(m, d, qfrc, b, (f[0], f[1], f[2]), (f[3], f[4], f[5]), load3(d.xipos, b))
