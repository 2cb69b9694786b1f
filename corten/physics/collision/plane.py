"""Planes against sphere, capsule, cylinder, box and ellipsoid, with MuJoCo's choice of points.

The plane is the first geom; its normal is its z axis.
"""

from __future__ import annotations

from corten.kernel import kernel, sqrt
from corten.kernel.vec import add3, axpy3, cross, dot3, load3, load9, mat_t_vec, mat_vec, normalize3, scale3, sub3
from corten.physics.collision.contact import touch

TINY = 1e-15
HALF_ROOT_3 = 0.8660254037844386


@kernel
def column(x, i, k):
    """Column k of matrix i of an (n, 9) array: an axis of a frame."""
    return x[i, k], x[i, k + 3], x[i, k + 6]


@kernel
def below_plane(d, row, origin, normal, centre, radius, margin, tangent):
    """A ball against a plane: one point if it is within the margin, none if not."""
    height = dot3(sub3(centre, origin), normal)
    if height > margin + radius:
        return 0
    dist = height - radius
    touch(d, row, dist, axpy3(-0.5 * dist - radius, normal, centre), normal, tangent)
    return 1


@kernel
def plane_sphere(m, d, a, b, margin):
    """The lowest point of the sphere."""
    normal, origin = column(d.geom_xmat, a, 2), load3(d.geom_xpos, a)
    return below_plane(d, 0, origin, normal, load3(d.geom_xpos, b), m.geom_size[b, 0], margin, (0.0, 0.0, 0.0))


@kernel
def plane_capsule(m, d, a, b, margin):
    """The two end balls; tangents along the axis."""
    normal, origin = column(d.geom_xmat, a, 2), load3(d.geom_xpos, a)
    axis, centre, radius = column(d.geom_xmat, b, 2), load3(d.geom_xpos, b), m.geom_size[b, 0]
    half = scale3(m.geom_size[b, 1], axis)
    n = below_plane(d, 0, origin, normal, add3(centre, half), radius, margin, axis)
    return n + below_plane(d, n, origin, normal, sub3(centre, half), radius, margin, axis)


@kernel
def plane_cylinder(m, d, a, b, margin):
    """The lowest point of the near rim and that of the far rim; two more of the near rim, for a triangle."""
    normal, axis = column(d.geom_xmat, a, 2), column(d.geom_xmat, b, 2)
    centre, radius, half = load3(d.geom_xpos, b), m.geom_size[b, 0], m.geom_size[b, 1]
    height = dot3(sub3(centre, load3(d.geom_xpos, a)), normal)
    along = dot3(normal, axis)
    if along > 0.0:  # the axis is to point at the plane
        axis = scale3(-1.0, axis)
        along = -along
    # steepest way down across the axis, as long as the radius; any way if the disk is parallel to the plane
    down = sub3(scale3(along, axis), normal)
    square = dot3(down, down)
    if square >= TINY * TINY:
        down = scale3(radius / sqrt(square), down)
    else:
        down = scale3(radius, column(d.geom_xmat, b, 0))
    descent = dot3(down, normal)
    axis = scale3(half, axis)
    along = half * along

    if height + along + descent > margin:
        return 0
    n = rim_point(d, 0, add3(add3(centre, down), axis), normal, height + along + descent)
    if height - along + descent <= margin:
        n = n + rim_point(d, n, sub3(add3(centre, down), axis), normal, height - along + descent)
    dist = height + along - 0.5 * descent
    if dist <= margin:
        across, _ = normalize3(cross(down, axis))
        across = scale3(radius * HALF_ROOT_3, across)
        base = axpy3(-0.5, down, add3(centre, axis))
        n = n + rim_point(d, n, add3(base, across), normal, dist)
        n = n + rim_point(d, n, sub3(base, across), normal, dist)
    return n


@kernel
def rim_point(d, row, point, normal, dist):
    """A point of a body at a signed distance from the plane: it touches half way."""
    touch(d, row, dist, axpy3(-0.5 * dist, normal, point), normal)
    return 1


@kernel
def plane_box(m, d, a, b, margin):
    """The corners below the box's centre that are within the margin, four at most."""
    normal, centre, mat = column(d.geom_xmat, a, 2), load3(d.geom_xpos, b), load9(d.geom_xmat, b)
    height = dot3(sub3(centre, load3(d.geom_xpos, a)), normal)
    size = load3(m.geom_size, b)
    n = 0
    for i in range(8):
        x = size[0] if i & 1 else -size[0]
        y = size[1] if i & 2 else -size[1]
        z = size[2] if i & 4 else -size[2]
        corner = mat_vec(mat, (x, y, z))
        rise = dot3(normal, corner)
        if n < 4 and height + rise <= margin and rise <= 0.0:
            n = n + rim_point(d, n, add3(corner, centre), normal, height + rise)
    return n


@kernel
def plane_ellipsoid(m, d, a, b, margin):
    """The point of the ellipsoid with the plane's normal: S^2 n / |S n|, with S the semi-axes."""
    normal, mat, size = column(d.geom_xmat, a, 2), load9(d.geom_xmat, b), load3(m.geom_size, b)
    x, y, z = mat_t_vec(mat, normal)
    direction, _ = normalize3((-x * size[0], -y * size[1], -z * size[2]))
    lowest = mat_vec(mat, (size[0] * direction[0], size[1] * direction[1], size[2] * direction[2]))
    point = add3(lowest, load3(d.geom_xpos, b))
    dist = dot3(sub3(point, load3(d.geom_xpos, a)), normal)
    if dist > margin:
        return 0
    return rim_point(d, 0, point, normal, dist)
