"""What follows from the final accelerations: accelerations of bodies, and the forces between them and from outside."""

from __future__ import annotations

from corten.kernel import any_lane, kernel, stage
from corten.kernel.spatial import (
    add6,
    axpy6,
    cross_force,
    inertia_times,
    load6,
    load10,
    nonzero6,
    store6,
)
from corten.kernel.vec import load3, normalize3, scale3, sub3
from corten.model.enums import DisableBit, EqualityType
from corten.physics.constraint.equality import anchor, owner
from corten.physics.contact_force import contact_wrench
from corten.physics.ends import wrench_at
from corten.physics.velocity import ZERO6


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
        if any_lane(nonzero6(f)):
            add_external(m, d, b, (f[0], f[1], f[2]), (f[3], f[4], f[5]), load3(d.xipos, b))
    for s in range(d.nslot):
        if d.slot_row[s] >= 0:
            force, torque = contact_wrench(m, d, s)
            add_contact(m, d, d.slot_geom[s, 0], scale3(-1.0, force), scale3(-1.0, torque), load3(d.contact_pos, s))
            add_contact(m, d, d.slot_geom[s, 1], force, torque, load3(d.contact_pos, s))
    r = 0
    while r < d.ne:
        add_equality(m, d, r)
        r += d.efc_dim[r]


@kernel
def add_contact(m, d, g, force, torque, point):
    """The part of a contact that acts on the body of geom g; the world is held by nothing."""
    b = m.geom_bodyid[g]
    if b > 0:
        add_external(m, d, b, force, torque, point)


@kernel
def add_equality(m, d, r):
    """The forces of a constraint that holds two bodies together, whose first row is r.

    As in MuJoCo the rotational rows of a weld count as a torque in world axes, although they are components of the
    vector part of a quaternion.
    """
    e = d.efc_id[r]
    kind, o1, o2 = m.eq_type[e], m.eq_obj1id[e], m.eq_obj2id[e]
    if kind == EqualityType.CONNECT or kind == EqualityType.WELD or kind == EqualityType.DISTANCE:
        force, torque = (d.efc_force[r], d.efc_force[r], d.efc_force[r]), (0.0, 0.0, 0.0)
        if kind == EqualityType.DISTANCE:
            p1, p2 = load3(d.geom_xpos, o1), load3(d.geom_xpos, o2)
            direction, _ = normalize3(sub3(p1, p2))
            force = scale3(d.efc_force[r], direction)
        else:
            weld = kind == EqualityType.WELD
            p1, p2 = anchor(m, d, e, o1, 3 if weld else 0), anchor(m, d, e, o2, 0 if weld else 3)
            force = (d.efc_force[r], d.efc_force[r + 1], d.efc_force[r + 2])
            if weld:
                torque = (d.efc_force[r + 3], d.efc_force[r + 4], d.efc_force[r + 5])
        b1, b2 = owner(m, e, o1), owner(m, e, o2)
        if b1 > 0:
            add_external(m, d, b1, force, torque, p1)
        if b2 > 0:
            add_external(m, d, b2, scale3(-1.0, force), scale3(-1.0, torque), p2)


@kernel
def add_external(m, d, b, force, torque, point):
    """cfrc_ext of body b += a force at `point` and a torque, both in world axes."""
    wrench = wrench_at(d, m.body_rootid[b], point, force, torque)
    store6(d.cfrc_ext, b, add6(load6(d.cfrc_ext, b), wrench))
