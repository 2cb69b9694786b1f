"""Spheres against spheres, capsules, cylinders and boxes; a ball that is part of another shape goes the same way."""

from __future__ import annotations

from corten.kernel import absolute, clip, kernel, sqrt
from corten.kernel.vec import add3, axpy3, cross, dot3, load3, load9, mat_t_vec, mat_vec, normalize3, scale3, sub3
from corten.physics.collision.contact import touch
from corten.physics.collision.plane import column

TINY = 1e-15


@kernel
def two_balls(d, row, a, b, centre_a, radius_a, centre_b, radius_b, margin):
    """Two balls that belong to geoms a and b: one point if they are within the margin, none if not.

    Balls with one centre are pushed apart across the z axes of their geoms, or along x if these are parallel.
    """
    apart = sub3(centre_b, centre_a)
    square = dot3(apart, apart)
    reach = margin + radius_a + radius_b
    if square > reach * reach:
        return 0
    normal, length = normalize3(apart)
    if length < TINY:
        normal, _ = normalize3(cross(column(d.geom_xmat, a, 2), column(d.geom_xmat, b, 2)))
    dist = sqrt(square) - radius_a - radius_b
    touch(d, row, dist, axpy3(radius_a + 0.5 * dist, normal, centre_a), normal)
    return 1


@kernel
def sphere_sphere(m, d, a, b, margin):
    """Two spheres."""
    centre_a, centre_b = load3(d.geom_xpos, a), load3(d.geom_xpos, b)
    return two_balls(d, 0, a, b, centre_a, m.geom_size[a, 0], centre_b, m.geom_size[b, 0], margin)


@kernel
def sphere_capsule(m, d, a, b, margin):
    """The sphere and the ball of the capsule that is nearest to it."""
    centre, middle, axis = load3(d.geom_xpos, a), load3(d.geom_xpos, b), column(d.geom_xmat, b, 2)
    half = m.geom_size[b, 1]
    nearest = axpy3(clip(dot3(axis, sub3(centre, middle)), -half, half), axis, middle)
    return two_balls(d, 0, a, b, centre, m.geom_size[a, 0], nearest, m.geom_size[b, 0], margin)


@kernel
def sphere_cylinder(m, d, a, b, margin):
    """The side, a cap, or the rim of the cylinder, whichever the sphere's centre is nearest to."""
    centre, middle, axis = load3(d.geom_xpos, a), load3(d.geom_xpos, b), column(d.geom_xmat, b, 2)
    ball, radius, half = m.geom_size[a, 0], m.geom_size[b, 0], m.geom_size[b, 1]
    apart = sub3(centre, middle)
    along = dot3(axis, apart)
    across = sub3(apart, scale3(along, axis))
    square = dot3(across, across)

    side, cap = absolute(along) < half, square < radius * radius
    if side and cap:  # the centre is inside: out by the shorter way
        side = half - absolute(along) >= radius - sqrt(square)
        cap = not side
    if side:
        return two_balls(d, 0, a, b, centre, ball, axpy3(along, axis, middle), radius, margin)
    up = 1.0 if along > 0.0 else -1.0
    if cap:
        height = up * along - half
        if height > margin + ball:
            return 0
        dist = height - ball
        touch(d, 0, dist, axpy3(up * (-0.5 * dist - ball), axis, centre), scale3(-up, axis))
        return 1
    rim = add3(axpy3(up * half, axis, middle), scale3(radius / sqrt(square), across))
    return two_balls(d, 0, a, b, centre, ball, rim, 0.0, margin)


@kernel
def ball_box(m, d, row, centre, radius, b, margin):
    """A ball, part of the first geom, against box b: one point if they are within the margin, none if not.

    A centre inside the box is pushed out through the nearest face.
    """
    mat, middle, size = load9(d.geom_xmat, b), load3(d.geom_xpos, b), load3(m.geom_size, b)
    local = mat_t_vec(mat, sub3(centre, middle))
    inside = (
        clip(local[0], -size[0], size[0]),
        clip(local[1], -size[1], size[1]),
        clip(local[2], -size[2], size[2]),
    )
    direction, dist = normalize3(sub3(inside, local))
    if dist - radius > margin:
        return 0
    if dist <= TINY:
        direction, depth = nearest_face(local, size)
        dist = -depth
        point = axpy3(0.5 * (radius - depth), direction, local)
    else:
        point = scale3(0.5, add3(inside, axpy3(radius, direction, local)))
    touch(d, row, dist - radius, add3(mat_vec(mat, point), middle), mat_vec(mat, direction))
    return 1


@kernel
def nearest_face(point, size):
    """(inward normal, depth) of the face of a box that a point inside is nearest to."""
    depth, normal = size[0] + point[0], (1.0, 0.0, 0.0)
    if size[0] - point[0] < depth:
        depth, normal = size[0] - point[0], (-1.0, 0.0, 0.0)
    if size[1] + point[1] < depth:
        depth, normal = size[1] + point[1], (0.0, 1.0, 0.0)
    if size[1] - point[1] < depth:
        depth, normal = size[1] - point[1], (0.0, -1.0, 0.0)
    if size[2] + point[2] < depth:
        depth, normal = size[2] + point[2], (0.0, 0.0, 1.0)
    if size[2] - point[2] < depth:
        depth, normal = size[2] - point[2], (0.0, 0.0, -1.0)
    return normal, depth


@kernel
def sphere_box(m, d, a, b, margin):
    """A sphere and a box."""
    return ball_box(m, d, 0, load3(d.geom_xpos, a), m.geom_size[a, 0], b, margin)
