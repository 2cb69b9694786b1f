"""The signed distance of two geoms, and where they are nearest."""

from __future__ import annotations

from corten.kernel import kernel, maximum
from corten.kernel.vec import axpy3, load3
from corten.model.enums import GeomType
from corten.physics.collision.convex import convex
from corten.physics.collision.narrow import touching

LEAST = 1e-12  # convex shapes want a cutoff above zero
ZERO = (0.0, 0.0, 0.0)


@kernel
def geom_distance(m, d, a, b, cutoff):
    """(distance, nearest point of geom a, nearest point of geom b) in one world; (cutoff, 0, 0) if it is not below
    that.

    Convex shapes without a closed form, and boxes, are asked for their distance; all others for contacts with the
    cutoff as margin, of which the deepest counts: its point is half way between the two.
    """
    swap = m.geom_type[a] > m.geom_type[b]
    first, second = (b, a) if swap else (a, b)
    if m.geom_type[second] <= GeomType.HFIELD:
        return cutoff, ZERO, ZERO
    dist, on_first, on_second = cutoff, ZERO, ZERO
    if has_closed_form(m.geom_type[first], m.geom_type[second]):
        touching(m, d, first, second, cutoff)
        for i in range(d.ntouch):
            if d.touch_dist[i] < dist:
                dist = d.touch_dist[i]
                point, normal = load3(d.touch_pos, i), load3(d.touch_normal, i)
                on_first, on_second = axpy3(-0.5 * dist, normal, point), axpy3(0.5 * dist, normal, point)
    else:
        convex(m, d, first, second, 0.0, maximum(cutoff, LEAST))
        if d.ntouch > 0 and d.touch_dist[0] < cutoff:
            dist, on_first, on_second = d.touch_dist[0], load3(d.touch_pos, 0), load3(d.touch_pos, 1)
    if swap:
        return dist, on_second, on_first
    return dist, on_first, on_second


@kernel
def has_closed_form(first, second):
    """Whether the contacts of two shapes, the simpler first, tell their distance."""
    if first <= GeomType.HFIELD:
        return True
    if first == GeomType.SPHERE:
        return second != GeomType.ELLIPSOID and second <= GeomType.BOX
    return first == GeomType.CAPSULE and (second == GeomType.CAPSULE or second == GeomType.BOX)
