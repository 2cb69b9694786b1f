"""Bias forces: what it takes to keep `qacc` at zero against gravity, Coriolis and centrifugal effects."""

from __future__ import annotations

from corten.kernel import stage
from corten.kernel.spatial import (
    add6,
    axpy6,
    cross_force,
    dot6,
    inertia_times,
    load6,
    load10,
    store6,
)
from corten.model.enums import DisableBit


@stage
def bias(m, d):
    """qfrc_bias by the recursive Newton-Euler algorithm with zero joint accelerations (Featherstone 2008, chapter 5).

    Outwards: accelerations, the world accelerating against gravity, and the force each body needs, I a + v x* I v.
    Inwards: forces summed over subtrees and projected on the dofs.
    """
    if m.opt.disableflags & DisableBit.GRAVITY:
        store6(d.bias_acc, 0, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    else:
        store6(d.bias_acc, 0, (0.0, 0.0, 0.0, -m.opt.gravity[0], -m.opt.gravity[1], -m.opt.gravity[2]))
    for b in range(1, m.nbody):
        acc = load6(d.bias_acc, m.body_parentid[b])
        for i in range(m.body_dofadr[b], m.body_dofadr[b] + m.body_dofnum[b]):
            acc = axpy6(d.qvel[i], load6(d.cdof_dot, i), acc)
        store6(d.bias_acc, b, acc)
        inertia = load10(d.cinert, b)
        v = load6(d.cvel, b)
        force = add6(inertia_times(inertia, acc), cross_force(v, inertia_times(inertia, v)))
        store6(d.bias_force, b, force)
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        if p > 0:
            store6(d.bias_force, p, add6(load6(d.bias_force, p), load6(d.bias_force, b)))
    for i in range(m.nv):
        d.qfrc_bias[i] = dot6(load6(d.cdof, i), load6(d.bias_force, m.dof_bodyid[i]))
