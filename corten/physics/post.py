"""What follows from the final accelerations: accelerations of bodies, and the forces between them and from outside."""

from __future__ import annotations

from corten.kernel import any_lane, kernel, nonzero, stage
from corten.kernel.spatial import (
    add6,
    axpy6,
    cross_force,
    inertia_times,
    load6,
    load10,
    store6,
)
from corten.kernel.vec import add3, cross, load3, sub3
from corten.model.enums import DisableBit

ZERO6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@stage
def body_forces(m, d):
    """cacc, cfrc_ext and cfrc_int: the recursive Newton-Euler algorithm with all accelerations and external forces.

    cfrc_int is what each body's parent exerts on it: I a + v x* I v, less what comes from outside, plus the same of all
    bodies that hang on it.
    """
    external_forces(m, d)
    store6(d.cfrc_int, 0, ZERO6)
    if m.opt.disableflags & DisableBit.GRAVITY:
        store6(d.cacc, 0, ZERO6)
    else:
        store6(d.cacc, 0, (0.0, 0.0, 0.0, -m.opt.gravity[0], -m.opt.gravity[1], -m.opt.gravity[2]))
    for b in range(1, m.nbody):
        acc = load6(d.cacc, m.body_parentid[b])
        for i in range(m.body_dofadr[b], m.body_dofadr[b] + m.body_dofnum[b]):
            acc = axpy6(d.qvel[i], load6(d.cdof_dot, i), acc)
            acc = axpy6(d.qacc[i], load6(d.cdof, i), acc)
        store6(d.cacc, b, acc)
        inertia = load10(d.cinert, b)
        v = load6(d.cvel, b)
        force = add6(inertia_times(inertia, acc), cross_force(v, inertia_times(inertia, v)))
        store6(d.cfrc_int, b, axpy6(-1.0, load6(d.cfrc_ext, b), force))
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        store6(d.cfrc_int, p, add6(load6(d.cfrc_int, p), load6(d.cfrc_int, b)))


@kernel
def external_forces(m, d):
    """cfrc_ext: torque and force on each body from outside its tree's joints, about the tree's centre of mass."""
    for b in range(m.nbody):
        store6(d.cfrc_ext, b, ZERO6)
    for b in range(1, m.nbody):
        f = load6(d.xfrc_applied, b)
        linear, angular = nonzero(f[0]) | nonzero(f[1]) | nonzero(f[2]), nonzero(f[3]) | nonzero(f[4]) | nonzero(f[5])
        if any_lane(linear | angular):
            add_external(m, d, b, (f[0], f[1], f[2]), (f[3], f[4], f[5]), load3(d.xipos, b))


@kernel
def add_external(m, d, b, force, torque, point):
    """cfrc_ext of body b += a force at `point` and a torque; contacts and equality constraints come in here too."""
    arm = sub3(point, load3(d.subtree_com, m.body_rootid[b]))
    store6(d.cfrc_ext, b, add6(load6(d.cfrc_ext, b), (*add3(torque, cross(arm, force)), *force)))
