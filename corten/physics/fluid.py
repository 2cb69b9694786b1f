"""Forces of the medium: drag, lift, viscosity and added mass.

A body feels the medium either through the box that has its mass and inertia, or through ellipsoids that stand for
those of its geoms which ask for it (`fluidshape="ellipsoid"`). Velocities are those against the wind, at the centre of
box or ellipsoid and in its axes; forces likewise.
"""

from __future__ import annotations

from corten.kernel import absolute, all_lanes, any_lane, kernel, maximum, sqrt, stage, where
from corten.kernel.spatial import add6, dot6, load6, store6
from corten.kernel.vec import add3, axpy3, cross, dot3, load3, load9, mat_t_vec, mat_vec, norm3, scale3, sub3
from corten.model.enums import GeomType

PI = 3.141592653589793
TINY = 1e-15  # the reference keeps divisors above this
NO_WRENCH = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def has_fluid(m):
    """Whether there is a medium in some world."""
    return any_lane((m.opt.density > 0.0) | (m.opt.viscosity > 0.0))


@stage
def fluid(m, d):
    """qfrc_fluid: wrenches about the tree's centre of mass, summed over subtrees, projected on the dofs."""
    for b in range(m.nbody):
        massless = m.body_mass[b] < TINY
        wrench = NO_WRENCH
        if not all_lanes(massless):
            wrench = ellipsoid_wrench(m, d, b) if has_ellipsoid(m, b) else box_wrench(m, d, b)
        store6(d.fluid_wrench, b, where(massless, NO_WRENCH, wrench))
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        if p > 0:
            store6(d.fluid_wrench, p, add6(load6(d.fluid_wrench, p), load6(d.fluid_wrench, b)))
    for i in range(m.nv):
        d.qfrc_fluid[i] = dot6(load6(d.cdof, i), load6(d.fluid_wrench, m.dof_bodyid[i]))


@kernel
def has_ellipsoid(m, b):
    """Whether a geom of body b feels the medium as an ellipsoid."""
    for g in range(m.body_geomadr[b], m.body_geomadr[b] + m.body_geomnum[b]):
        if m.geom_fluid[g, 0] > 0.0:
            return True
    return False


@kernel
def relative_velocity(m, d, b, arm, axes):
    """(angular, linear) velocity of body b against the wind, at `arm` from the tree's centre of mass, in given axes."""
    v = load6(d.cvel, b)
    turn = (v[0], v[1], v[2])
    wind = (m.opt.wind[0], m.opt.wind[1], m.opt.wind[2])
    return mat_t_vec(axes, turn), mat_t_vec(axes, sub3(add3((v[3], v[4], v[5]), cross(turn, arm)), wind))


@kernel
def wrench_about_centre(arm, axes, torque, force):
    """A torque and a force, acting at `arm` in given axes, as a wrench about the tree's centre in world axes."""
    f = mat_vec(axes, force)
    return (*add3(mat_vec(axes, torque), cross(arm, f)), *f)


@kernel
def box_wrench(m, d, b):
    """The wrench on a body that the medium takes for its inertia box."""
    arm = sub3(load3(d.xipos, b), load3(d.subtree_com, m.body_rootid[b]))
    axes = load9(d.ximat, b)
    w, v = relative_velocity(m, d, b, arm, axes)
    turn_viscous, turn_drag, viscous, drag = box_coefficients(m, b)
    torque = (
        w[0] * (turn_drag[0] * absolute(w[0]) + turn_viscous),
        w[1] * (turn_drag[1] * absolute(w[1]) + turn_viscous),
        w[2] * (turn_drag[2] * absolute(w[2]) + turn_viscous),
    )
    force = (
        v[0] * (drag[0] * absolute(v[0]) + viscous),
        v[1] * (drag[1] * absolute(v[1]) + viscous),
        v[2] * (drag[2] * absolute(v[2]) + viscous),
    )
    return wrench_about_centre(arm, axes, torque, force)


@kernel
def box_coefficients(m, b):
    """Coefficients of angular velocity, its squares, linear velocity and its squares, for the inertia box of a body.

    Viscous resistance is Stokes' for the sphere of the mean diameter: -pi d^3 and -3 pi d. Drag is that of a flat plate
    of the box's cross-section, density/2 times area; its torques are those forces integrated over a turning plate.
    """
    i = load3(m.body_inertia, b)
    scale = 6.0 / m.body_mass[b]
    x = sqrt(maximum(TINY, i[1] + i[2] - i[0]) * scale)
    y = sqrt(maximum(TINY, i[0] + i[2] - i[1]) * scale)
    z = sqrt(maximum(TINY, i[0] + i[1] - i[2]) * scale)
    diameter = (x + y + z) / 3.0
    viscous = maximum(0.0, m.opt.viscosity) * (-3.0 * PI) * diameter
    turn_viscous = maximum(0.0, m.opt.viscosity) * -PI * diameter**3
    density = maximum(0.0, m.opt.density)
    drag = scale3(-0.5 * density, (y * z, x * z, x * y))
    turn_drag = scale3(-density / 64.0, (x * (y**4 + z**4), y * (x**4 + z**4), z * (x**4 + y**4)))
    return turn_viscous, turn_drag, viscous, drag


@kernel
def ellipsoid_wrench(m, d, b):
    """The wrench on a body that the medium takes for the ellipsoids of its geoms."""
    total = NO_WRENCH
    for g in range(m.body_geomadr[b], m.body_geomadr[b] + m.body_geomnum[b]):
        if m.geom_fluid[g, 0] > 0.0:
            arm = sub3(load3(d.geom_xpos, g), load3(d.subtree_com, m.body_rootid[b]))
            axes = load9(d.geom_xmat, g)
            w, v = relative_velocity(m, d, b, arm, axes)
            torque, force = ellipsoid_force(m, g, w, v)
            total = add6(wrench_about_centre(arm, axes, torque, force), total)
    return total


@kernel
def ellipsoid_force(m, g, w, v):
    """(torque, force) of the medium on the ellipsoid of geom g that turns with w and moves with v.

    All terms of Andersen, Pesavento and Wang (2005) in three dimensions, as the reference has them: moving added mass,
    Magnus and Kutta lift, drag between that of a slender and of a blunt body, and viscosity after Stokes.
    """
    size = semiaxes(m, g)
    density = m.opt.density
    mass, inertia = added_mass(m, g)
    momentum, spin = times3(mass, v), times3(inertia, w)
    force = cross(momentum, w)
    torque = add3(cross(momentum, v), cross(spin, w))

    force = axpy3(magnus_coefficient(m, g, size), cross(w, v), force)

    area, normal, num, den = projected_area(size, v)
    speed = norm3(v)
    cosine = num / maximum(TINY, speed * den)
    force = axpy3(m.geom_fluid[g, 4] * density * cosine * area, cross(cross(normal, v), v), force)

    viscous, turn_viscous = stokes(m, size)
    blunt, slender = m.geom_fluid[g, 1], m.geom_fluid[g, 2]
    drag = density * speed * (blunt * area + slender * (largest_area(size) - area)) + viscous
    force = axpy3(-drag, v, force)

    c = turn_coefficients(m, g, size)
    turn_drag = density * norm3(times3(c, w)) + turn_viscous
    return axpy3(-turn_drag, w, torque), force


@kernel
def times3(a, b):
    """The products of the components."""
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


@kernel
def added_mass(m, g):
    """(mass, inertia) along the axes of the medium that moves with the ellipsoid."""
    density = m.opt.density
    mass = (density * m.geom_fluid[g, 6], density * m.geom_fluid[g, 7], density * m.geom_fluid[g, 8])
    return mass, (density * m.geom_fluid[g, 9], density * m.geom_fluid[g, 10], density * m.geom_fluid[g, 11])


@kernel
def semiaxes(m, g):
    """Half axes of the ellipsoid that stands for a geom."""
    kind, x, y, z = m.geom_type[g], m.geom_size[g, 0], m.geom_size[g, 1], m.geom_size[g, 2]
    if kind == GeomType.SPHERE:
        y = x
        z = x
    elif kind == GeomType.CAPSULE:
        z = y + x
        y = x
    elif kind == GeomType.CYLINDER:
        z = y
        y = x
    return x, y, z


@kernel
def magnus_coefficient(m, g, size):
    """What w x v is scaled by: coefficient, density, volume."""
    return m.geom_fluid[g, 5] * m.opt.density * (4.0 / 3.0 * PI * size[0] * size[1] * size[2])


@kernel
def projection(size):
    """Squares of the areas of the ellipsoid's sections, but for pi: (y z)^2, (z x)^2, (x y)^2."""
    return (size[1] * size[2]) ** 2, (size[2] * size[0]) ** 2, (size[0] * size[1]) ** 2


@kernel
def projected_area(size, v):
    """(A, n, v'n, n'n): area A of the ellipsoid's shadow along v, and its surface normal n, not of unit length."""
    a, b, c = projection(size)
    normal = times3((a, b, c), v)
    num, den = dot3(normal, v), dot3(normal, normal)
    return PI * sqrt(den / maximum(TINY, num)), normal, num, den


@kernel
def extent(size):
    """(middle, largest) half axis."""
    largest = max(max(size[0], size[1]), size[2])
    return size[0] + size[1] + size[2] - largest - min(min(size[0], size[1]), size[2]), largest


@kernel
def largest_area(size):
    """Area of the ellipsoid's largest section."""
    middle, largest = extent(size)
    return PI * largest * middle


@kernel
def stokes(m, size):
    """Viscous resistance to velocity and to turning, of the sphere with the mean diameter."""
    diameter = 2.0 / 3.0 * (size[0] + size[1] + size[2])
    return m.opt.viscosity * 3.0 * PI * diameter, m.opt.viscosity * PI * diameter**3


@kernel
def turn_coefficients(m, g, size):
    """Moments of drag about the axes: each one's own, and what the most resistant has more, by their coefficients."""
    middle, largest = extent(size)
    most = 8.0 / 15.0 * PI * middle * largest**4
    slender, turning = m.geom_fluid[g, 2], m.geom_fluid[g, 3]
    x = 8.0 / 15.0 * PI * size[0] * max(size[1], size[2]) ** 4
    y = 8.0 / 15.0 * PI * size[1] * max(size[2], size[0]) ** 4
    z = 8.0 / 15.0 * PI * size[2] * max(size[0], size[1]) ** 4
    return (
        turning * x + slender * (most - x),
        turning * y + slender * (most - y),
        turning * z + slender * (most - z),
    )
