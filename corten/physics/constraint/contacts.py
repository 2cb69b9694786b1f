"""Contacts: worlds' lists laid side by side, and their rows.

Each world finds its own contacts. The physics that follows wants the same pattern for all worlds of a block, so their
lists are merged: slot s is the same pair of geoms in every world, with gaps where a world does not have the contact.
For one world nothing moves.
"""

from __future__ import annotations

from corten.kernel import kernel, lane, lanes
from corten.kernel.vec import dot3, load3, part3
from corten.model.enums import Cone, ConstraintType
from corten.physics.constraint.jacobian import begin, chain_length, column, fill_chain, point_arm, repeat_chain

UNMOVED = 3  # contact_exclude of a contact that no dof moves
GAP = 4  # contact_exclude of a slot that a world does not use; 0 to 3 are MuJoCo's


@kernel
def align_contacts(m, d):
    """Slots for the contacts of all worlds; whether there is room for them."""
    d.nslot = 0
    fits = True
    for l in lanes(d):
        fits = merge_contacts(d, lane(d, l)) and fits
    if fits:
        for l in lanes(d):
            spread_contacts(d, lane(d, l))
    return fits


@kernel
def merge_contacts(d, w):
    """Find or make a slot for each contact of one world, in the order of its list; whether there is room for all."""
    s = 0
    for k in range(w.ncon):
        a, b = w.contact_geom[k, 0], w.contact_geom[k, 1]
        same = s
        while same < d.nslot and (d.slot_geom[same, 0] != a or d.slot_geom[same, 1] != b):
            same += 1
        if same == d.nslot:
            if d.nslot == d.nconcap:
                w.ncon_wanted = d.nconcap + w.ncon - k
                return False
            insert_slot(d, s, a, b, w.contact_dim[k])
            same = s
        w.contact_slot[k] = same
        s = same + 1
    return True


@kernel
def insert_slot(d, s, a, b, dim):
    """A new slot s; those from s on, and the contacts of earlier worlds in them, move up by one."""
    for t in range(d.nslot, s, -1):
        d.slot_geom[t, 0] = d.slot_geom[t - 1, 0]
        d.slot_geom[t, 1] = d.slot_geom[t - 1, 1]
        d.slot_dim[t] = d.slot_dim[t - 1]
    if s < d.nslot:
        for l in lanes(d):
            other = lane(d, l)
            for k in range(other.ncon):
                if other.contact_slot[k] >= s:
                    other.contact_slot[k] += 1
    d.slot_geom[s, 0] = a
    d.slot_geom[s, 1] = b
    d.slot_dim[s] = dim
    d.nslot += 1


@kernel
def spread_contacts(d, w):
    """Move the contacts of one world to their slots, the last first, and fill the gaps with contacts that do
    nothing.
    """
    k = w.ncon - 1
    for s in range(d.nslot - 1, -1, -1):
        if k >= 0 and w.contact_slot[k] == s:
            if k != s:
                move_contact(w, k, s)
            w.slot_on[s] = w.contact_exclude[s] == 0
            k -= 1
        else:
            no_contact(w, s)
            w.slot_on[s] = False
    w.ncon = d.nslot


@kernel
def move_contact(w, k, s):
    """Contact k becomes contact s."""
    w.contact_dist[s] = w.contact_dist[k]
    w.contact_includemargin[s] = w.contact_includemargin[k]
    for i in range(3):
        w.contact_pos[s, i] = w.contact_pos[k, i]
    for i in range(9):
        w.contact_frame[s, i] = w.contact_frame[k, i]
    for i in range(5):
        w.contact_friction[s, i] = w.contact_friction[k, i]
        w.contact_solimp[s, i] = w.contact_solimp[k, i]
    for i in range(2):
        w.contact_solref[s, i] = w.contact_solref[k, i]
        w.contact_solreffriction[s, i] = w.contact_solreffriction[k, i]
        w.contact_geom[s, i] = w.contact_geom[k, i]
    w.contact_dim[s] = w.contact_dim[k]
    w.contact_exclude[s] = w.contact_exclude[k]


@kernel
def no_contact(w, s):
    """What stands in a slot that a world does not use: numbers that stay finite in all that is computed from them."""
    w.contact_dist[s] = 1.0
    w.contact_includemargin[s] = 0.0
    for i in range(3):
        w.contact_pos[s, i] = 0.0
    for i in range(9):
        w.contact_frame[s, i] = 0.0
    for i in range(5):
        w.contact_friction[s, i] = 1.0
        w.contact_solimp[s, i] = 0.5
    for i in range(2):
        w.contact_solref[s, i] = 1.0
        w.contact_solreffriction[s, i] = 0.0
        w.contact_geom[s, i] = -1
    w.contact_dim[s] = 0
    w.contact_exclude[s] = GAP


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
    if n == 0:  # an explicit pair of one rigid body: rows of zeros, unless that is the world
        n = chain_length(m, b1, b2, True)
        if n == 0:
            exclude_unmoved(d, s)
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
    x, y, z = part3(d.contact_frame, s, 0), part3(d.contact_frame, s, 3), part3(d.contact_frame, s, 6)
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
def exclude_unmoved(d, s):
    """Say of the contact in slot s that no dof moves it, in the worlds that have it."""
    for l in lanes(d):
        w = lane(d, l)
        if w.slot_on[s]:
            w.contact_exclude[s] = UNMOVED


@kernel
def edges(d, s, k, n, t, normal, tangent):
    """Entry k of the two edges of a pyramid along tangent t."""
    slope = d.contact_friction[s, t] * tangent
    d.efc_J[k + 2 * t * n] = normal + slope
    d.efc_J[k + (2 * t + 1) * n] = normal - slope
