"""Convex shapes against each other, wherever there is no closed form.

Overlap and depth come from `gjk` and `epa`, several points from `manifold`. Spheres and capsules are first taken
without their radius: if what remains is apart, nearest points give the answer, precisely and without a polytope.
"""

from __future__ import annotations

import math

from corten.kernel import kernel, local, local_int, maximum, stage, unroll
from corten.kernel.vec import add3, load3, scale3, store3, sub3
from corten.model.enums import EnableBit, GeomType
from corten.physics.collision.contact import MAX_TOUCH, touch
from corten.physics.collision.epa import FACES, VERTICES, expand, first_polytope, put_witnesses
from corten.physics.collision.gjk import gjk
from corten.physics.collision.manifold import manifold, on
from corten.physics.collision.support import (
    FAR,
    HALF_MARGIN,
    KIND,
    LINE,
    PART,
    POINT,
    SHAPE,
    SIZE,
    centre,
    matrix,
    polyhedral,
    put_matrix,
    take_shape,
)
from corten.physics.collision.unfused import axpy3, cross, dot3, mat_mul, mat_vec, norm3, normalize3

NUDGES, NUDGE = 3, 1e-6  # how often a shape is moved, and how far, where shapes overlap and no polytope is found
ASKEW = (0.36, 0.48, -0.8)  # a unit vector that shapes are unlikely to be aligned with
NO_TANGENT = (0.0, 0.0, 0.0)
HALF_SINE, HALF_COSINE = math.sin(5e-4), math.cos(5e-4)  # of the angle of 1e-3 by which shapes are tilted, halved
DISTINCT = 1e-3  # least distance of such points, by the smaller bounding radius


@stage
def convex(m, d, a, b, margin):
    """The points in which two convex geoms touch, put into `touch_*`; `ntouch` counts them."""
    shape, part = local(d, 2, SHAPE), local_int(2, PART)
    take_shape(m, d, shape, part, 0, a, margin)
    take_shape(m, d, shape, part, 1, b, margin)
    witness = local(d, MAX_TOUCH, 6)
    many = m.opt.enableflags & EnableBit.MULTICCD
    flat = many and polyhedral(shape, part, 0) and polyhedral(shape, part, 1)
    count, dist = penetration(m, d, shape, part, witness, 4 if flat else 1, 0.0)
    if dist >= 0.0:
        count = 0
    for i in range(count):
        put_touch(d, i, margin + dist, on(witness, i, 0), on(witness, i, 3))
    if many and not flat and count == 1 and not (round_everywhere(part, 0) or round_everywhere(part, 1)):
        least = DISTINCT * min(m.geom_rbound[a], m.geom_rbound[b])
        count = tilted(m, d, shape, part, witness, least)
    d.ntouch = count


@kernel
def round_everywhere(part, i):
    """Whether a shape touches a plane in one point however it lies."""
    return part[i, KIND] == GeomType.SPHERE or part[i, KIND] == GeomType.ELLIPSOID


@kernel
def put_touch(d, i, dist, on_a, on_b):
    """A point of contact half way between those of the two shapes; its normal goes from the one to the other."""
    touch(d, i, dist, scale3(0.5, add3(on_a, on_b)), normalize3(sub3(on_a, on_b)), NO_TANGENT)


@kernel
def tilted(m, d, shape, part, witness, least):
    """Further points of contact, found by turning the shapes a little about the first, in opposite ways; how many."""
    pivot, dist = load3(d.touch_pos, 0), d.touch_dist[0]
    normal = load3(d.touch_normal, 0)
    upright = -0.5 < normal[1] < 0.5
    across = (0.0, 1.0 if upright else 0.0, 0.0 if upright else 1.0)
    first = normalize3(axpy3(-dot3(normal, across), normal, across))
    second = cross(normal, first)
    pose = local(d, 2, 12)
    for i in unroll(2):
        for k in unroll(12):
            pose[i, k] = shape[i, k]
    n = 1
    for turn in range(4):
        sine = HALF_SINE if turn & 1 else -HALF_SINE
        axis = scale3(sine, first) if turn < 2 else scale3(sine, second)
        turn_about(shape, 0, pivot, axis)
        turn_about(shape, 1, pivot, scale3(-1.0, axis))
        found, deep = penetration(m, d, shape, part, witness, 1, 0.0)
        if found > 0 and deep < 0.0:
            put_touch(d, n, dist, on(witness, 0, 0), on(witness, 0, 3))
            apart = True
            for i in range(n):
                apart = apart and norm3(sub3(load3(d.touch_pos, i), load3(d.touch_pos, n))) > least
            if apart:
                n = n + 1
        for i in unroll(2):
            for k in unroll(12):
                shape[i, k] = pose[i, k]
    return n


@kernel
def turn_about(shape, i, pivot, axis):
    """Turn a shape about a point by a quaternion with the given vector part: R becomes Q R, x becomes p + Q (x - p)."""
    w, x, y, z = HALF_COSINE, axis[0], axis[1], axis[2]
    ww, xx, yy, zz = w * w, x * x, y * y, z * z
    wx, wy, wz, xy, xz, yz = w * x, w * y, w * z, x * y, x * z, y * z
    q = (
        ww + xx - yy - zz,
        2.0 * (xy - wz),
        2.0 * (xz + wy),
        2.0 * (xy + wz),
        ww - xx + yy - zz,
        2.0 * (yz - wx),
        2.0 * (xz - wy),
        2.0 * (yz + wx),
        ww - xx - yy + zz,
    )
    put_matrix(shape, i, mat_mul(q, matrix(shape, i)))
    place = load3(shape, i)
    arm = sub3(pivot, place)
    store3(shape, i, sub3(place, sub3(mat_vec(q, arm), arm)))


@kernel
def penetration(m, d, shape, part, witness, most, cutoff):
    """(number of pairs of nearest points, signed distance) of two shapes; FAR if the distance exceeds the cutoff.

    Row i of `witness` holds a point of each. Penetration gives up to `most` rows, separation one.
    """
    corner = local_int(8, 2)
    vertex = local(d, 8, 9)
    begin(shape, part, witness)
    if without_radius(part, 0) or without_radius(part, 1):
        kind_a, kind_b = part[0, KIND], part[1, KIND]
        half_a, half_b = shape[0, HALF_MARGIN], shape[1, HALF_MARGIN]
        radius_a, radius_b = shrink(shape, part, 0), shrink(shape, part, 1)
        both = radius_a + radius_b
        n, dist = gjk(m, d, shape, part, vertex, corner, witness, cutoff + both)
        part[0, KIND], part[1, KIND] = kind_a, kind_b
        shape[0, HALF_MARGIN], shape[1, HALF_MARGIN] = half_a, half_b
        if dist > m.opt.ccd_tolerance:
            if n == 0 or dist - both > cutoff:
                return 0, FAR
            return inflate(witness, radius_a, radius_b, dist - both)
        begin(shape, part, witness)
    moved = 0.0
    for _ in range(1 + NUDGES):
        n, dist = gjk(m, d, shape, part, vertex, corner, witness, cutoff)
        if dist > m.opt.ccd_tolerance:
            return 1 if n > 0 else 0, dist
        if n > 1:
            count, dist = depth(m, d, shape, part, n, vertex, corner, witness, most)
            if count > 0 and dist < -2.0 * moved:
                return count, dist
        moved = nudge(shape, moved)
        begin(shape, part, witness)
    return 0, 0.0


@kernel
def nudge(shape, moved):
    """Move the second shape a little where no way out was found: centres that coincide, or lie in a plane or on a line
    with corners, lead to polytopes without volume or with the origin on a face. How far it has been moved in all."""
    step = maximum(NUDGE, 4.0 * moved)
    store3(shape, 1, axpy3(step, ASKEW, load3(shape, 1)))
    return moved + step


@kernel
def begin(shape, part, witness):
    """The centres of the shapes as first guesses of their nearest points."""
    a, b = centre(shape, part, 0), centre(shape, part, 1)
    for k in unroll(3):
        witness[0, k] = a[k]
        witness[0, 3 + k] = b[k]


@kernel
def without_radius(part, i):
    """Whether shape i can be taken without its radius."""
    return part[i, KIND] == GeomType.SPHERE or part[i, KIND] == GeomType.CAPSULE


@kernel
def shrink(shape, part, i):
    """Make a point of a sphere and a segment of a capsule; the radius, with half the margin, that was taken off."""
    if not without_radius(part, i):
        return 0.0
    radius = shape[i, SIZE] + shape[i, HALF_MARGIN]
    part[i, KIND] = POINT if part[i, KIND] == GeomType.SPHERE else LINE
    shape[i, HALF_MARGIN] = 0.0
    return radius


@kernel
def inflate(witness, radius_a, radius_b, dist):
    """Move the nearest points out to the surfaces again."""
    a, b = on(witness, 0, 0), on(witness, 0, 3)
    towards = normalize3(sub3(b, a))
    a, b = axpy3(radius_a, towards, a), axpy3(-radius_b, towards, b)
    for k in unroll(3):
        witness[0, k] = a[k]
        witness[0, 3 + k] = b[k]
    return 1, dist


@kernel
def depth(m, d, shape, part, n, simplex, simplex_corner, witness, most):
    """(number of contacts, minus the depth) of overlapping shapes from GJK's last simplex with n vertices."""
    vertex, corner = local(d, VERTICES, 9), local_int(VERTICES, 2)
    plane, face = local(d, FACES, 4), local_int(FACES, 7)
    near, tally = local_int(FACES), local_int(3)
    if not first_polytope(m, shape, part, n, simplex, simplex_corner, vertex, corner, plane, face, near, tally):
        return 0, 0.0
    f = expand(m, shape, part, vertex, corner, plane, face, near, tally)
    if f < 0:
        return 0, 0.0
    put_witnesses(vertex, plane, face, f, witness)
    count = 1
    if most > 1:
        count = manifold(m, d, shape, part, vertex, corner, face, f, witness, most)
    out = (plane[f, 0], plane[f, 1], plane[f, 2])
    return count, -norm3(out)


@kernel
def distance(m, d, a, b, cutoff):
    """(signed distance, nearest point of geom a, of geom b) of two convex geoms; FAR beyond the cutoff."""
    shape, part = local(d, 2, SHAPE), local_int(2, PART)
    take_shape(m, d, shape, part, 0, a, 0.0)
    take_shape(m, d, shape, part, 1, b, 0.0)
    witness = local(d, 1, 6)
    count, dist = penetration(m, d, shape, part, witness, 1, cutoff)
    if count == 0:
        origin = (0.0, 0.0, 0.0)
        return dist, origin, origin
    return dist, on(witness, 0, 0), on(witness, 0, 3)
