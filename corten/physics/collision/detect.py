"""Collision detection: contacts of all geoms that touch, in MuJoCo's order."""

from __future__ import annotations

from corten.kernel import any_lane, kernel, lane, lanes, stage
from corten.model.enums import DisableBit
from corten.physics.collision.narrow import collide, near
from corten.physics.collision.parameters import pair_margin
from corten.physics.collision.sweep import near_pairs


@stage
def collision(m, d):
    """The contacts of each world.

    A short list of pairs is gone through for all worlds at once: only pairs whose bounding spheres meet in some world
    are looked at closely, world by world. Where the list would be long, each world is swept for such pairs.
    """
    for l in lanes(d):
        no_contacts(lane(d, l))
    if m.opt.disableflags & (DisableBit.CONSTRAINT | DisableBit.CONTACT):
        return
    if m.nsweepmove == 0:
        listed_pairs(m, d)
    else:
        for l in lanes(d):
            swept_pairs(lane(m, l), lane(d, l))


@kernel
def no_contacts(d):
    """Forget the contacts of a world."""
    d.ncon = 0
    d.ncon_wanted = 0
    d.nnear_wanted = 0


@kernel
def listed_pairs(m, d):
    """Contacts of the pairs that the model lists."""
    family_too = m.opt.disableflags & DisableBit.FILTERPARENT
    for k in range(m.ncandidate):
        if m.candidate_family[k] and not family_too:
            continue
        a, b, pair = m.candidate_geom[k, 0], m.candidate_geom[k, 1], m.candidate_pair[k]
        if any_lane(near(m, d, a, b, pair_margin(m, a, b, pair))):
            for l in lanes(d):
                collide(lane(m, l), lane(d, l), a, b, pair)


@kernel
def swept_pairs(m, d):
    """Contacts of one world's pairs that are near each other."""
    for k in range(near_pairs(m, d)):
        collide(m, d, d.near_first[k], d.near_second[k], d.near_pair[k])
