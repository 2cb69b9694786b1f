"""Volumes and moments of inertia of primitive shapes, and of bodies made of them.

Solid and shell formulas are textbook ones; for the shell of an ellipsoid there is no elementary formula, and the
reference's approximations are used: Thomsen's for the area, and a difference of two ellipsoids for the inertia.

Where principal moments of a body coincide, as with two balls, its axes hang on their last bit. So every product here is
taken in the reference's order.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

import numpy as np

from corten.mjcf.assets.eig3 import diagonalise
from corten.mjcf.rotation import EPS, Pose, Quaternion, Vector, matrix
from corten.model.enums import GeomType

THOMSEN_EXPONENT = 1.6075
SHELL_THICKNESS = 1e-6

# inertia matrix as xx, yy, zz, xy, xz, yz
Inertia = tuple[float, float, float, float, float, float]


def volume(kind: int, size: Vector, shell: int) -> float:
    """Volume of a primitive, or area of its surface where `shell`."""
    a, b, c = size
    if kind == GeomType.SPHERE:
        return 4 * pi * a * a if shell else 4 * pi * a * a * a / 3
    if kind == GeomType.CAPSULE:
        return 4 * pi * a * a + 2 * pi * a * (2 * b) if shell else pi * (a * a * (2 * b) + 4 * a * a * a / 3)
    if kind == GeomType.CYLINDER:
        return 2 * pi * a * a + 2 * pi * a * (2 * b) if shell else pi * a * a * (2 * b)
    if kind == GeomType.ELLIPSOID:
        if shell:
            p = THOMSEN_EXPONENT
            return 4 * pi * (((a * b) ** p + (b * c) ** p + (c * a) ** p) / 3) ** (1 / p)
        return 4 * pi * a * b * c / 3
    if kind in (GeomType.BOX, GeomType.HFIELD):
        return 8 * (a * b + b * c + c * a) if shell else a * b * c * 8
    return 0.0


def principal_moments(kind: int, size: Vector, mass: float, shell: int) -> Vector:
    """Moments of inertia of a primitive of this mass about its own axes."""
    a, b = size[:2]
    if kind == GeomType.SPHERE:
        moment = 2 * mass * a * a / (3 if shell else 5)
        return (moment, moment, moment)
    if kind == GeomType.CAPSULE:
        return _capsule(a, b, mass, shell)
    if kind == GeomType.CYLINDER:
        return _cylinder_shell(a, b, mass) if shell else _cylinder(a, b, mass)
    if kind == GeomType.ELLIPSOID:
        return _ellipsoid_shell(size, mass) if shell else _ellipsoid(size, mass)
    if kind in (GeomType.BOX, GeomType.HFIELD):
        return _box_shell(size, mass) if shell else box_moments(size, mass)
    return (0.0, 0.0, 0.0)


def box_moments(half: Sequence[float], mass: float) -> Vector:
    """Solid box of these half sizes."""
    a, b, c = half[0] * half[0], half[1] * half[1], half[2] * half[2]
    return (mass * (b + c) / 3, mass * (a + c) / 3, mass * (a + b) / 3)


def _cylinder(radius: float, half: float, mass: float) -> Vector:
    height = 2 * half
    across = mass * (3 * radius * radius + height * height) / 12
    return (across, across, mass * radius * radius / 2)


def _tube(radius: float, half: float, mass: float) -> Vector:
    height = 2 * half
    across = mass * (6 * radius * radius + height * height) / 12
    return (across, across, mass * radius * radius)


def _capsule(radius: float, half: float, mass: float, shell: int) -> Vector:
    """A cylinder or tube with two hemispheres, whose centres of mass sit 3/8 or 1/2 radius above its ends."""
    height = 2 * half
    if shell:
        area = 4 * pi * radius * radius
        ball = mass * area / (area + 2 * pi * radius * height)
        body = _tube(radius, half, mass - ball)
        own = 2 * ball * radius * radius / 3
        offset = radius / 2
        away = ball * ((half + offset) * (half + offset) - offset * offset)
    else:
        ball = mass * 4 * radius / (4 * radius + 3 * height)
        body = _cylinder(radius, half, mass - ball)
        own = 2 * ball * radius * radius / 5
        away = ball * height * (3 * radius + 2 * height) / 8
    across = body[0] + (own + away)
    return (across, across, body[2] + own)


def _cylinder_shell(radius: float, half: float, mass: float) -> Vector:
    disk_area, tube_area = pi * radius * radius, 2 * pi * radius * (2 * half)
    disk = mass * disk_area / (2 * disk_area + tube_area)
    tube = _tube(radius, half, mass - 2 * disk)
    across = tube[0] + 2 * (disk * radius * radius / 4 + disk * half * half)
    return (across, across, tube[2] + 2 * (disk * radius * radius / 2))


def _ellipsoid(size: Vector, mass: float) -> Vector:
    a, b, c = size[0] * size[0], size[1] * size[1], size[2] * size[2]
    return (mass * (b + c) / 5, mass * (a + c) / 5, mass * (a + b) / 5)


def _ellipsoid_shell(size: Vector, mass: float) -> Vector:
    grown = (size[0] + SHELL_THICKNESS, size[1] + SHELL_THICKNESS, size[2] + SHELL_THICKNESS)
    inner = 4 * pi * size[0] * size[1] * size[2] / 3
    outer = 4 * pi * grown[0] * grown[1] * grown[2] / 3
    density = mass / (outer - inner)
    inside = _ellipsoid(size, inner * density)
    outside = _ellipsoid(grown, outer * density)
    return (outside[0] - inside[0], outside[1] - inside[1], outside[2] - inside[2])


def _box_shell(size: Vector, mass: float) -> Vector:
    """Six plates, by pairs: each has its own inertia and that of its distance from the centre."""
    half = (size[0] * size[0], size[1] * size[1], size[2] * size[2])
    side = (2 * size[0], 2 * size[1], 2 * size[2])
    area = (side[0] * side[1], side[1] * side[2], side[2] * side[0])
    total = 2 * (area[0] + area[1] + area[2])
    # plates across z, x and y: mass, and moments about the three axes
    z, x, y = (mass * part / total for part in area)
    across_z = (z * side[1] * side[1] / 12, z * side[0] * side[0] / 12, z * _diagonal(side[0], side[1]) / 12)
    across_x = (x * _diagonal(side[1], side[2]) / 12, x * side[2] * side[2] / 12, x * side[1] * side[1] / 12)
    across_y = (y * side[2] * side[2] / 12, y * _diagonal(side[0], side[2]) / 12, y * side[0] * side[0] / 12)
    away = (z * half[2] + y * half[1], z * half[2] + x * half[0], x * half[0] + y * half[1])
    a, b, c = (2 * (away[i] + across_z[i] + across_x[i] + across_y[i]) for i in range(3))
    return (a, b, c)


def _diagonal(a: float, b: float) -> float:
    return a * a + b * b


def turned(moments: Vector, quat: Quaternion) -> Inertia:
    """Inertia matrix R diag(moments) R^T of principal moments whose axes are given by a quaternion."""
    r = matrix(quat)
    i, j, k = moments

    def entry(p: int, q: int) -> float:
        a, b = 3 * p, 3 * q
        return r[a] * (r[b] * i) + r[a + 1] * (r[b + 1] * j) + r[a + 2] * (r[b + 2] * k)

    return (entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2))


def displaced(mass: float, offset: Vector) -> Inertia:
    """Inertia matrix of a point mass."""
    x, y, z = offset
    return (mass * (y * y + z * z), mass * (x * x + z * z), mass * (x * x + y * y),
            -mass * x * y, -mass * x * z, -mass * y * z)


def principal(inertia: Inertia) -> tuple[Vector, Quaternion] | None:
    """Principal moments in decreasing order and their axes; None where a moment is not positive."""
    xx, yy, zz, xy, xz, yz = inertia
    moments, quat = diagonalise(np.array([xx, xy, xz, xy, yy, yz, xz, yz, zz]))
    if moments[2] < EPS:
        return None
    return tuple(map(float, moments)), tuple(map(float, quat))


# mass, centre of mass with principal axes, principal moments
Mass = tuple[float, Pose, Vector]


def combined(parts: Sequence[Mass]) -> Mass | None:
    """Masses added up in one frame; None where the result has no inertia in some direction.

    Where moments coincide the axes hang on the last bit, so sums are taken in the reference's order.
    """
    mass = sum(m for m, _, _ in parts)
    centre = tuple(sum(m * pose[0][i] for m, pose, _ in parts) / mass for i in range(3))
    total = [0.0] * 6
    for m, (pos, quat), moments in parts:
        own = turned(moments, quat)
        off = displaced(m, (pos[0] - centre[0], pos[1] - centre[1], pos[2] - centre[2]))
        for i in range(6):
            total[i] = total[i] + own[i] + off[i]
    axes = principal(tuple(total))
    return None if axes is None else (mass, (centre, axes[1]), axes[0])
