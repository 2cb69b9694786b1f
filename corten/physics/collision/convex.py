"""The stage that looks closely at convex shapes and height fields: all pairs that have no closed form.

Flat sides in contact give several points. Boxes and meshes find theirs by clipping (manifold.py), if `multiccd` is set;
with a margin, or with a cylinder or a capsule, further points are found by tilting the shapes.
The algorithms are those of MuJoCo's `nativeccd`; there are no others here, so that flag is not looked at.
"""

from __future__ import annotations

import math

from corten.kernel import kernel, local, local_int, stage, unroll
from corten.kernel.quat import quat_mat
from corten.kernel.vec import add3, load3, part3, scale3, store3, sub3
from corten.model.enums import EnableBit, GeomType
from corten.physics.collision.contact import MAX_TOUCH, touch
from corten.physics.collision.hfield import hfield_touch
from corten.physics.collision.penetration import penetration
from corten.physics.collision.support import KIND, PART, SHAPE, matrix, polyhedral, put_matrix, take_shape
from corten.physics.collision.unfused import axpy3, cross, dot3, mat_mul, mat_vec, norm3, normalize3

MOST_CLIPPED = 4  # points that clipping gives
HALF_SINE, HALF_COSINE = math.sin(5e-4), math.cos(5e-4)  # of the angle of 1e-3 by which shapes are tilted, halved
DISTINCT = 1e-3  # least distance of points found by tilting, by the smaller bounding radius


@stage
def convex(m, d, a, b, margin, cutoff):
    """The points in which two geoms touch, put into `touch_*`; `ntouch` counts them.

    With a cutoff above zero their distance instead: if it is below the cutoff, `ntouch` is 1, `touch_dist[0]` is the
    distance, and rows 0 and 1 of `touch_pos` are the nearest points of a and b. Not for height fields.
    """
    shape, part = local(d, 2, SHAPE), local_int(2, PART)
    take_shape(m, d, shape, part, 0, a, margin)
    take_shape(m, d, shape, part, 1, b, margin)
    if part[0, KIND] == GeomType.HFIELD:
        d.ntouch = hfield_touch(m, d, shape, part, a, b, margin)
    else:
        d.ntouch = convex_touch(m, d, shape, part, min(m.geom_rbound[a], m.geom_rbound[b]), margin, cutoff)


@kernel
def convex_touch(m, d, shape, part, radius, margin, cutoff):
    """The same for two convex shapes, the smaller with the given bounding radius; how many points."""
    witness = local(d, MAX_TOUCH, 6)
    many = m.opt.enableflags & EnableBit.MULTICCD
    flat = many and polyhedral(shape, part, 0) and polyhedral(shape, part, 1)
    count, dist = penetration(m, d, shape, part, witness, MOST_CLIPPED if flat and cutoff == 0.0 else 1, cutoff)
    if cutoff > 0.0:
        d.touch_dist[0] = dist
        store3(d.touch_pos, 0, part3(witness, 0, 0))
        store3(d.touch_pos, 1, part3(witness, 0, 3))
        return count if dist < cutoff else 0
    if dist >= 0.0:
        return 0
    for i in range(count):
        put_touch(d, i, margin + dist, part3(witness, i, 0), part3(witness, i, 3))
    if many and not flat and count == 1 and not (round_everywhere(part, 0) or round_everywhere(part, 1)):
        return tilted(m, d, shape, part, witness, DISTINCT * radius)
    return count


@kernel
def round_everywhere(part, i):
    """Whether a shape touches a plane in one point however it lies."""
    return part[i, KIND] == GeomType.SPHERE or part[i, KIND] == GeomType.ELLIPSOID


@kernel
def put_touch(d, i, dist, on_a, on_b):
    """A point of contact half way between those of the two shapes; its normal goes from the one to the other."""
    touch(d, i, dist, scale3(0.5, add3(on_a, on_b)), normalize3(sub3(on_a, on_b)))


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
            put_touch(d, n, dist, part3(witness, 0, 0), part3(witness, 0, 3))
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
    q = quat_mat((HALF_COSINE, axis[0], axis[1], axis[2]))
    put_matrix(shape, i, mat_mul(q, matrix(shape, i)))
    place = load3(shape, i)
    arm = sub3(pivot, place)
    store3(shape, i, sub3(place, sub3(mat_vec(q, arm), arm)))
