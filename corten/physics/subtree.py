"""Momentum of subtrees."""

from __future__ import annotations

from corten.kernel import stage
from corten.kernel.spatial import inertia_times, load6, load10
from corten.kernel.vec import add3, cross, load3, scale3, store3, sub3
from corten.physics.inertia import NO_MASS


@stage
def subtree_velocity(m, d):
    """subtree_linvel, the velocity of each subtree's centre of mass, and subtree_angmom, its spin about that centre.

    Momenta of bodies about the tree's centre of mass add up without further terms; only where trees meet, at the world,
    and at the end do they move to another point: L_c = L_o - (c - o) x p.
    """
    for b in range(m.nbody):
        h = inertia_times(load10(d.cinert, b), load6(d.cvel, b))
        store3(d.subtree_angmom, b, (h[0], h[1], h[2]))
        store3(d.subtree_linvel, b, (h[3], h[4], h[5]))
    centre = load3(d.subtree_com, 0)
    for b in range(m.nbody - 1, 0, -1):
        parent = m.body_parentid[b]
        p, spin = load3(d.subtree_linvel, b), load3(d.subtree_angmom, b)
        if parent == 0:
            spin = add3(spin, cross(sub3(load3(d.subtree_com, b), centre), p))
        store3(d.subtree_linvel, parent, add3(load3(d.subtree_linvel, parent), p))
        store3(d.subtree_angmom, parent, add3(load3(d.subtree_angmom, parent), spin))
    for b in range(m.nbody):
        p = load3(d.subtree_linvel, b)
        if b > 0:
            arm = sub3(load3(d.subtree_com, b), load3(d.subtree_com, m.body_rootid[b]))
            store3(d.subtree_angmom, b, sub3(load3(d.subtree_angmom, b), cross(arm, p)))
        mass = m.body_subtreemass[b]
        store3(d.subtree_linvel, b, scale3(1.0 / max(mass, NO_MASS), p))
