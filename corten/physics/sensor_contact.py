"""Sensors of contacts: forces felt in a zone, and contacts chosen by what they are between."""

from __future__ import annotations

from corten.kernel import kernel, lane, lanes, maximum, sqrt, stage, where
from corten.kernel.vec import add3, axpy3, cross, dot3, load3, load9, part3, scale3, sub3
from corten.model.enums import ContactData, ObjType
from corten.physics.contact_force import contact_force, contact_wrench
from corten.physics.ray_zone import ray_meets_site
from corten.physics.sensor import put3, put_zero
from corten.physics.sensor_position import inside_site

NONE, MINDIST, MAXFORCE, NETFORCE = 0, 1, 2, 3  # how a contact sensor reduces many contacts
NO_FORCE = 1e-15


@kernel
def touch_sensor(m, d, site):
    """The sum of normal forces on the site's body, of contacts from which the normal meets the site's shape."""
    total, b = 0.0, m.site_bodyid[site]
    for s in range(d.nslot):
        first, second = m.geom_bodyid[d.slot_geom[s, 0]], m.geom_bodyid[d.slot_geom[s, 1]]
        if d.slot_row[s] >= 0 and (b == first or b == second):
            force, _ = contact_force(m, d, s)
            normal = part3(d.contact_frame, s, 0)
            if b == second:
                normal = scale3(-1.0, normal)
            felt = force[0] * ray_meets_site(m, d, site, load3(d.contact_pos, s), normal)
            total = total + where(force[0] > 0.0, felt, 0.0)
    return total


@stage
def contact_sensor(m, d, i):
    """A number of contacts of each world, or what they amount to."""
    put_zero(m, i, d.sensor_fresh, m.sensor_adr[i])
    for l in lanes(d):
        report_contacts(lane(m, l), lane(d, l), i, m.sensor_adr[i])


@kernel
def report_contacts(m, d, i, adr):
    """The chosen contacts of one world: the first ones, the deepest, the strongest, or all as one.

    Seen from the other side a contact's frame is turned about its second tangent, and force and torque are opposite.
    """
    count = 0
    for s in range(d.nslot):
        if matches(m, d, i, s) != 0:
            count += 1
    if m.sensor_intprm[i, 1] == NETFORCE:
        report_sum(m, d, i, adr, count)
        return
    last, last_merit = -1, 0.0
    for k in range(min(m.sensor_intprm[i, 2], count)):
        best, best_merit = -1, 0.0
        for s in range(d.nslot):
            if matches(m, d, i, s) != 0:
                merit = merit_of(m, d, i, s)
                follows = last < 0 or merit > last_merit or (merit == last_merit and s > last)
                if follows and (best < 0 or merit < best_merit):
                    best, best_merit = s, merit
        last, last_merit = best, best_merit
        force, torque = contact_force(m, d, best)
        sign = 1.0 if matches(m, d, i, best) > 0 else -1.0
        axes, dist, pos = load9(d.contact_frame, best), d.contact_dist[best], load3(d.contact_pos, best)
        normal, tangent = (axes[0], axes[1], axes[2]), (axes[3], axes[4], axes[5])
        force, torque = (force[0], force[1], sign * force[2]), (torque[0], torque[1], sign * torque[2])
        place = adr + k * (m.sensor_dim[i] // m.sensor_intprm[i, 2])
        normal, tangent = scale3(sign, normal), scale3(sign, tangent)
        write_contact(m, d, i, place, count, force, torque, dist, pos, normal, tangent)


@kernel
def report_sum(m, d, i, adr, count):
    """All contacts as one force and torque in world axes, at the mean of their positions weighted by their forces."""
    weight, centre = 0.0, (0.0, 0.0, 0.0)
    for s in range(d.nslot):
        if matches(m, d, i, s) != 0:
            force, _ = contact_wrench(m, d, s)
            strength = sqrt(dot3(force, force))
            weight = weight + strength
            centre = axpy3(strength, load3(d.contact_pos, s), centre)
    centre = scale3(1.0 / maximum(weight, NO_FORCE), centre)
    total, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for s in range(d.nslot):
        sign = float(matches(m, d, i, s))
        if sign != 0.0:
            force, torque = contact_wrench(m, d, s)
            arm = sub3(load3(d.contact_pos, s), centre)
            total = axpy3(sign, force, total)
            moment = axpy3(sign, add3(torque, cross(arm, force)), moment)
    write_contact(m, d, i, adr, count, total, moment, 0.0, centre, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


@kernel
def write_contact(m, d, i, adr, count, force, torque, dist, pos, normal, tangent):
    """The fields that sensor i wants of a contact, one after the other."""
    wanted = m.sensor_intprm[i, 0]
    if wanted >> ContactData.FOUND & 1:
        d.sensor_fresh[adr] = float(count)
        adr += 1
    if wanted >> ContactData.FORCE & 1:
        put3(d.sensor_fresh, adr, force)
        adr += 3
    if wanted >> ContactData.TORQUE & 1:
        put3(d.sensor_fresh, adr, torque)
        adr += 3
    if wanted >> ContactData.DIST & 1:
        d.sensor_fresh[adr] = dist
        adr += 1
    if wanted >> ContactData.POS & 1:
        put3(d.sensor_fresh, adr, pos)
        adr += 3
    if wanted >> ContactData.NORMAL & 1:
        put3(d.sensor_fresh, adr, normal)
        adr += 3
    if wanted >> ContactData.TANGENT & 1:
        put3(d.sensor_fresh, adr, tangent)


@kernel
def merit_of(m, d, i, s):
    """What contacts are sorted by, smallest first."""
    merit, reduce = 0.0, m.sensor_intprm[i, 1]
    if reduce == MINDIST:
        merit = d.contact_dist[s]
    elif reduce == MAXFORCE:
        force, _ = contact_force(m, d, s)
        merit = -dot3(force, force)
    return merit


@kernel
def matches(m, d, i, s):
    """1 if contact s is between the objects of sensor i, -1 if it is the other way round, 0 if it is not.

    An object that is not given matches all; a site matches contacts inside it, whatever they are between.
    """
    g1, g2 = d.contact_geom[s, 0], d.contact_geom[s, 1]
    if g1 < 0:
        return 0
    kind1, o1, kind2, o2 = m.sensor_objtype[i], m.sensor_objid[i], m.sensor_reftype[i], m.sensor_refid[i]
    if kind1 == ObjType.SITE and inside_site(m, d, o1, load3(d.contact_pos, s)) == 0.0:
        return 0
    first1, second1 = is_object(m, g1, kind1, o1), is_object(m, g2, kind1, o1)
    first2, second2 = is_object(m, g1, kind2, o2), is_object(m, g2, kind2, o2)
    if not (first1 or second1) or not (first2 or second2):
        return 0
    if kind1 == ObjType.UNKNOWN and kind2 == ObjType.UNKNOWN:
        return 1
    if kind2 == ObjType.UNKNOWN:
        return 1 if first1 else -1
    if kind1 == ObjType.UNKNOWN:
        return 1 if second2 else -1
    if first1 and second2:
        return 1
    return -1 if second1 and first2 else 0


@kernel
def is_object(m, g, kind, o):
    """Whether geom g is an object, belongs to its body, or to a body below it."""
    if kind == ObjType.UNKNOWN or kind == ObjType.SITE:
        return True
    if kind == ObjType.GEOM:
        return g == o
    b = m.geom_bodyid[g]
    if kind == ObjType.XBODY:
        while b > o:
            b = m.body_parentid[b]
    return b == o
