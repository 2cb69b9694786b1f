"""The narrow phase: which function finds the points of two shapes."""

from __future__ import annotations

from corten.kernel import absolute, any_lane, kernel, stage, unroll
from corten.kernel.vec import add3, dot3, load3, load9, mat_t_vec, mat_vec, part3, sub3
from corten.model.enums import GeomType
from corten.physics.collision.box import box_box
from corten.physics.collision.capsule import capsule_box, capsule_capsule
from corten.physics.collision.contact import keep
from corten.physics.collision.convex import convex
from corten.physics.collision.mesh import plane_mesh
from corten.physics.collision.parameters import pair_margin
from corten.physics.collision.plane import (
    column,
    plane_box,
    plane_capsule,
    plane_cylinder,
    plane_ellipsoid,
    plane_sphere,
)
from corten.physics.collision.sphere import sphere_box, sphere_capsule, sphere_cylinder, sphere_sphere


@kernel
def near(m, d, a, b, margin):
    """Whether the bounding spheres of two geoms are within the margin; or that of b and a plane a."""
    apart = sub3(load3(d.geom_xpos, b), load3(d.geom_xpos, a))
    if any_lane(m.geom_rbound[a] > 0.0) and any_lane(m.geom_rbound[b] > 0.0):
        reach = m.geom_rbound[a] + m.geom_rbound[b] + margin
        return dot3(apart, apart) <= reach * reach
    reach = margin + m.geom_rbound[b]
    return dot3(apart, column(d.geom_xmat, a, 2)) <= reach


@kernel
def boxes_meet(m, d, a, b, margin):
    """Whether the bounding box of neither geom lies beyond a side of the other's, by more than touching is told by."""
    room = margin + m.opt.ccd_tolerance
    at_a, at_b = load9(d.geom_xmat, a), load9(d.geom_xmat, b)
    centre_a = add3(load3(d.geom_xpos, a), mat_vec(at_a, part3(m.geom_aabb, a, 0)))
    centre_b = add3(load3(d.geom_xpos, b), mat_vec(at_b, part3(m.geom_aabb, b, 0)))
    apart = sub3(centre_b, centre_a)
    half_a, half_b = part3(m.geom_aabb, a, 3), part3(m.geom_aabb, b, 3)
    for i in unroll(3):
        axis_a = (at_a[i], at_a[3 + i], at_a[6 + i])
        axis_b = (at_b[i], at_b[3 + i], at_b[6 + i])
        if absolute(dot3(apart, axis_a)) > half_a[i] + extent(at_b, half_b, axis_a) + room:
            return False
        if absolute(dot3(apart, axis_b)) > half_b[i] + extent(at_a, half_a, axis_b) + room:
            return False
    return True


@kernel
def extent(at, half, axis):
    """How far a box reaches along an axis."""
    x, y, z = mat_t_vec(at, axis)
    return absolute(x) * half[0] + absolute(y) * half[1] + absolute(z) * half[2]


@kernel
def collide(m, d, a, b, pair):
    """Contacts of geoms a and b, the simpler shape first, in one world."""
    margin = pair_margin(m, a, b, pair)
    if near(m, d, a, b, margin) and (closed(m, a, b) or boxes_meet(m, d, a, b, margin)):
        touching(m, d, a, b, margin)
        if d.ntouch > 0:
            keep(m, d, a, b, pair, margin, d.ntouch)


@kernel
def closed(m, a, b):
    """Whether to look at two geoms closely takes no longer than to compare their bounding boxes."""
    return m.geom_type[a] <= GeomType.HFIELD or m.geom_type[b] <= GeomType.CAPSULE


@stage
def touching(m, d, a, b, margin):
    """The points in which two geoms touch, the simpler shape first, put into `touch_*`; `ntouch` counts them."""
    d.ntouch = count_touching(m, d, a, b, margin)


@kernel
def count_touching(m, d, a, b, margin):
    """The same; how many."""
    first, second = m.geom_type[a], m.geom_type[b]
    if first == GeomType.PLANE:
        if second == GeomType.SPHERE:
            return plane_sphere(m, d, a, b, margin)
        if second == GeomType.CAPSULE:
            return plane_capsule(m, d, a, b, margin)
        if second == GeomType.CYLINDER:
            return plane_cylinder(m, d, a, b, margin)
        if second == GeomType.BOX:
            return plane_box(m, d, a, b, margin)
        if second == GeomType.ELLIPSOID:
            return plane_ellipsoid(m, d, a, b, margin)
        if second == GeomType.MESH:
            return plane_mesh(m, d, a, b, margin)
        return 0
    if first == GeomType.SPHERE:
        if second == GeomType.SPHERE:
            return sphere_sphere(m, d, a, b, margin)
        if second == GeomType.CAPSULE:
            return sphere_capsule(m, d, a, b, margin)
        if second == GeomType.CYLINDER:
            return sphere_cylinder(m, d, a, b, margin)
        if second == GeomType.BOX:
            return sphere_box(m, d, a, b, margin)
    if first == GeomType.CAPSULE:
        if second == GeomType.CAPSULE:
            return capsule_capsule(m, d, a, b, margin)
        if second == GeomType.BOX:
            return capsule_box(m, d, a, b, margin)
    if first == GeomType.BOX and second == GeomType.BOX:
        return box_box(m, d, a, b, margin)
    convex(m, d, a, b, margin, 0.0)
    return d.ntouch
