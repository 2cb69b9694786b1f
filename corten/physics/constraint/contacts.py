"""Contacts: worlds' lists laid side by side, and their rows.

Each world finds its own contacts. The physics that follows wants the same pattern for all worlds of a block, so their lists
are merged: slot s is the same pair of geoms in every world, with gaps where a world does not have the contact. For one
world nothing moves.
"""

from __future__ import annotations

from corten.kernel import kernel, lane, lanes
from corten.kernel.vec import dot3, load3
from corten.model.enums import Cone, ConstraintType
from corten.physics.constraint.jacobian import begin, chain_length, column, fill_chain, point_arm, repeat_chain


@kernel
def align_contacts(m, d):
    """Slots for the contacts of all worlds."""
    for l in lanes(d):
        w = lane(d, l)
        d.nslot = w.ncon
        for s in range(w.ncon):
            d.slot_geom[s, 0] = w.contact_geom[s, 0]
            d.slot_geom[s, 1] = w.contact_geom[s, 1]
            d.slot_dim[s] = w.contact_dim[s]
            w.slot_on[s] = w.contact_exclude[s] == 0


@kernel
def contact_rows(m, d):
    """Rows of all contacts that may push in some world."""
    for s in range(d.nslot):
        d.slot_row[s] = -1
        if any_world(d, s):
            contact_row(m, d, s)
    for l in lanes(d):
        w = lane(d, l)
        for s in range(d.nslot):
            w.contact_efc_address[s] = d.slot_row[s] if w.slot_on[s] else -1


@kernel
def any_world(d, s):
    """Whether some world has the contact of slot s."""
    for l in lanes(d):
        if lane(d, l).slot_on[s]:
            return True
    return False


@kernel
def contact_row(m, d, s):
    """Rows of one contact: the normal alone; or normal and tangents, for elliptic cones; or the edges of a pyramid.

    The edges are the normal row plus and minus each tangent row times its friction coefficient.
    """
    b1, b2 = m.geom_bodyid[d.slot_geom[s, 0]], m.geom_bodyid[d.slot_geom[s, 1]]
    dim = d.slot_dim[s]
    n = chain_length(m, b1, b2, False)
    if n == 0:
        return
    rows, kind = dim, ConstraintType.CONTACT_ELLIPTIC
    if dim == 1:
        kind = ConstraintType.CONTACT_FRICTIONLESS
    elif m.opt.cone == Cone.PYRAMIDAL:
        rows, kind = 2 * (dim - 1), ConstraintType.CONTACT_PYRAMIDAL
    if not begin(d, kind, s, rows, n):
        return
    r = d.nefc - rows
    d.slot_row[s] = r
    start = d.efc_J_rowadr[r]
    fill_chain(m, d, start, n, b1, b2)
    point = load3(d.contact_pos, s)
    arm1, arm2 = point_arm(m, d, b1, point), point_arm(m, d, b2, point)
    x = (d.contact_frame[s, 0], d.contact_frame[s, 1], d.contact_frame[s, 2])
    y = (d.contact_frame[s, 3], d.contact_frame[s, 4], d.contact_frame[s, 5])
    z = (d.contact_frame[s, 6], d.contact_frame[s, 7], d.contact_frame[s, 8])
    for k in range(start, start + n):
        move, turn = column(d, k, arm1, arm2)
        normal = dot3(x, move)
        if dim == 1:
            d.efc_J[k] = normal
        elif kind == ConstraintType.CONTACT_ELLIPTIC:
            d.efc_J[k] = normal
            d.efc_J[k + n] = dot3(y, move)
            d.efc_J[k + 2 * n] = dot3(z, move)
            if dim > 3:
                d.efc_J[k + 3 * n] = dot3(x, turn)
            if dim > 4:
                d.efc_J[k + 4 * n] = dot3(y, turn)
                d.efc_J[k + 5 * n] = dot3(z, turn)
        else:
            edges(d, s, k, n, 0, normal, dot3(y, move))
            edges(d, s, k, n, 1, normal, dot3(z, move))
            if dim > 3:
                edges(d, s, k, n, 2, normal, dot3(x, turn))
            if dim > 4:
                edges(d, s, k, n, 3, normal, dot3(y, turn))
                edges(d, s, k, n, 4, normal, dot3(z, turn))
    repeat_chain(d, start, n, rows)
    dist, margin = d.contact_dist[s], d.contact_includemargin[s]
    for j in range(rows):
        along_normal = j == 0 or kind == ConstraintType.CONTACT_PYRAMIDAL
        d.efc_pos[r + j] = dist if along_normal else 0.0
        d.efc_margin[r + j] = margin if along_normal else 0.0


@kernel
def edges(d, s, k, n, t, normal, tangent):
    """Entry k of the two edges of a pyramid along tangent t."""
    slope = d.contact_friction[s, t] * tangent
    d.efc_J[k + 2 * t * n] = normal + slope
    d.efc_J[k + (2 * t + 1) * n] = normal - slope
