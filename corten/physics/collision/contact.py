"""From touching points to contacts.

A narrow-phase function puts the points at which two geoms touch in the rows of `touch_*`: distance, position, normal
from the first geom to the second, and a tangent, or zeros where any will do. `keep` makes contacts of them. A world's
contacts are the first `ncon` rows of `contact_*`; if memory does not suffice for all, `ncon_wanted` is larger than
`ncon`, and the caller lets the record grow (`Record.grow`) and calls the stage again.
"""

from __future__ import annotations

from corten.kernel import kernel, unroll
from corten.kernel.vec import axpy3, cross, dot3, load3, normalize3, store3, store9
from corten.physics.collision.parameters import (
    pair_dim,
    pair_friction,
    pair_gap,
    pair_solimp,
    pair_solref,
    pair_solref_friction,
)

MAX_TOUCH = 50  # points that two geoms touch in at most; so many rows `touch_*` has
NO_TANGENT = (0.0, 0.0, 0.0)


@kernel
def touch(d, i, dist, pos, normal, tangent=NO_TANGENT):
    """Row i of the points at which two geoms touch."""
    d.touch_dist[i] = dist
    store3(d.touch_pos, i, pos)
    store3(d.touch_normal, i, normal)
    store3(d.touch_tangent, i, tangent)


@kernel
def contact_frame(normal, tangent):
    """Axes of a contact, as rows: the normal; the tangent made orthogonal to it, or the y axis, or the z axis if the
    normal is near y; their cross product."""
    x, _ = normalize3(normal)
    if dot3(tangent, tangent) < 0.25:
        upright = -0.5 < x[1] < 0.5
        tangent = (0.0, 1.0 if upright else 0.0, 0.0 if upright else 1.0)
    y, _ = normalize3(axpy3(-dot3(x, tangent), x, tangent))
    return *x, *y, *cross(x, y)


@kernel
def keep(m, d, a, b, pair, margin, count):
    """Contacts of geoms a and b (or of an explicit pair) from the first `count` touching points."""
    include = margin - pair_gap(m, a, b, pair)
    dim = pair_dim(m, a, b, pair)
    friction = pair_friction(m, a, b, pair)
    solref, solref_friction = pair_solref(m, a, b, pair), pair_solref_friction(m, pair)
    solimp = pair_solimp(m, a, b, pair)
    first = d.ncon_wanted
    d.ncon_wanted = first + count
    last = min(first + count, d.nconcap)
    for row in range(first, last):
        i = row - first
        dist = d.touch_dist[i]
        d.contact_dist[row] = dist
        store3(d.contact_pos, row, load3(d.touch_pos, i))
        store9(d.contact_frame, row, contact_frame(load3(d.touch_normal, i), load3(d.touch_tangent, i)))
        d.contact_includemargin[row] = include
        for k in unroll(5):
            d.contact_friction[row, k] = friction[k]
            d.contact_solimp[row, k] = solimp[k]
        for k in unroll(2):
            d.contact_solref[row, k] = solref[k]
            d.contact_solreffriction[row, k] = solref_friction[k]
        d.contact_mu[row] = 0.0
        d.contact_dim[row] = dim
        d.contact_geom[row, 0] = a
        d.contact_geom[row, 1] = b
        d.contact_exclude[row] = 1 if dist >= include else 0
        d.contact_efc_address[row] = -1
    d.ncon = last
