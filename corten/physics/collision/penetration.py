"""How far convex shapes are apart, or how deep they are in each other, wherever there is no closed form.

Overlap and depth come from `gjk` and `epa`, several points from `manifold`. Spheres and capsules are first taken
without their radius: if what remains is apart, nearest points give the answer, precisely and without a polytope.
"""

from __future__ import annotations

from corten.kernel import kernel, local, local_int, maximum, unroll
from corten.kernel.vec import load3, part3, store3, sub3
from corten.model.enums import GeomType
from corten.physics.collision.epa import FACES, VERTICES, expand, first_polytope, put_witnesses
from corten.physics.collision.gjk import gjk
from corten.physics.collision.manifold import manifold
from corten.physics.collision.support import FAR, HALF_MARGIN, KIND, LINE, POINT, SIZE, centre
from corten.physics.collision.unfused import axpy3, dot3, norm3, normalize3

NUDGES = 4  # how often a shape is moved where shapes overlap and no polytope is found
NUDGE = 1e-5  # how far at first, by the sum of its sizes
ASKEW = (0.382, 0.577, -0.722)  # a vector, about 1 long, that shapes are unlikely to be aligned with


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
    moved, way, off = 0.0, ASKEW, (0.0, 0.0, 0.0)
    for _ in range(1 + NUDGES):
        n, dist = gjk(m, d, shape, part, vertex, corner, witness, cutoff)
        if dist > m.opt.ccd_tolerance:
            return 1 if n > 0 else 0, dist
        if n > 1:
            count, dist = depth(m, d, shape, part, n, vertex, corner, witness, most)
            if count > 0 and dist < -2.0 * moved:
                return count, move_back(witness, count, off) if moved > 0.0 else dist
        step = next_step(shape, moved)
        store3(shape, 1, axpy3(step, way, load3(shape, 1)))
        moved, off, way = moved + step, axpy3(step, way, off), (way[1], way[2], way[0])
        begin(shape, part, witness)
    return 0, 0.0


@kernel
def next_step(shape, moved):
    """How far to move the second shape where no answer was found, after it has been moved so far in all: centres that
    coincide, or lie in a plane or on a line with corners, lead to polytopes without volume or with the origin on a
    face."""
    return maximum(NUDGE * (shape[1, SIZE] + shape[1, SIZE + 1] + shape[1, SIZE + 2]), 4.0 * moved)


@kernel
def move_back(witness, count, off):
    """Undo a displacement of the second shape: along a normal n, shapes are deeper by n times it. The signed distance.

    The first shape's points stay; the second's are put across them at the new depth.
    """
    dist = 0.0
    for i in range(count):
        a = part3(witness, i, 0)
        apart = sub3(a, part3(witness, i, 3))
        normal = normalize3(apart)
        depth = norm3(apart) + dot3(normal, off)
        b = axpy3(-depth, normal, a)
        for k in unroll(3):
            witness[i, 3 + k] = b[k]
        dist = -depth
    return dist


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
    a, b = part3(witness, 0, 0), part3(witness, 0, 3)
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
