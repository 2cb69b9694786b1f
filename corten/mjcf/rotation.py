"""Quaternions and poses on tuples of Python floats, for the few thousand small computations of a compile.

Quaternions are (w, x, y, z). Thresholds are the reference's, so that borderline files compile alike.
"""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Pose = tuple[Vector, Quaternion]

EPS = 1e-14
IDENTITY: Quaternion = (1.0, 0.0, 0.0, 0.0)
ZERO: Vector = (0.0, 0.0, 0.0)


def norm(v: tuple[float, ...]) -> float:
    """Euclidean length, 0 where its square is below the threshold."""
    square = sum(x * x for x in v)
    return 0.0 if square < EPS else sqrt(square)


def normalised(v: Vector) -> Vector:
    """The vector at unit length; unchanged where it is zero or already of unit length."""
    length = norm(v)
    if length == 0.0 or abs(length - 1.0) <= EPS:
        return v
    return (v[0] / length, v[1] / length, v[2] / length)


def cross(a: Vector, b: Vector) -> Vector:
    """Vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a: Vector, b: Vector) -> float:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def add(a: Vector, b: Vector) -> Vector:
    """Sum."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vector, b: Vector) -> Vector:
    """Difference."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def unit(w: float, x: float, y: float, z: float) -> Quaternion:
    """The quaternion at unit length; unchanged where it is zero or already of unit length."""
    square = w * w + x * x + y * y + z * z
    length = sqrt(square)
    if square < EPS or abs(length - 1.0) <= EPS:
        return (w, x, y, z)
    return (w / length, x / length, y / length, z / length)


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Product of rotations: first b, then a."""
    return unit(
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def conjugate(q: Quaternion) -> Quaternion:
    """Inverse rotation."""
    return (q[0], -q[1], -q[2], -q[3])


def rotate(q: Quaternion, v: Vector) -> Vector:
    """v turned by q: v + 2 u x (w v + u x v), with q = (w, u)."""
    w, x, y, z = q
    if x == 0.0 and y == 0.0 and z == 0.0:
        return v
    tx = w * v[0] + y * v[2] - z * v[1]
    ty = w * v[1] + z * v[0] - x * v[2]
    tz = w * v[2] + x * v[1] - y * v[0]
    return (v[0] + 2 * (y * tz - z * ty), v[1] + 2 * (z * tx - x * tz), v[2] + 2 * (x * ty - y * tx))


def matrix(q: Quaternion) -> tuple[float, ...]:
    """Rotation matrix, row by row."""
    w, x, y, z = q
    return (
        w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z,
    )


def compose(outer: Pose, inner: Pose) -> Pose:
    """The pose `inner`, given in the frame `outer`, seen from outside."""
    (p, q), (v, r) = outer, inner
    if q == IDENTITY:
        return add(p, v), unit(*r)
    m = matrix(q)
    moved = (
        p[0] + (m[0] * v[0] + m[1] * v[1] + m[2] * v[2]),
        p[1] + (m[3] * v[0] + m[4] * v[1] + m[5] * v[2]),
        p[2] + (m[6] * v[0] + m[7] * v[1] + m[8] * v[2]),
    )
    return moved, multiply(q, r)


def inverse(pose: Pose) -> Pose:
    """The pose that undoes `pose`."""
    back = conjugate(pose[1])
    p = rotate(back, pose[0])
    return (-p[0], -p[1], -p[2]), back


def from_axis_angle(axis: Vector, angle: float) -> Quaternion:
    """Rotation about a unit axis."""
    s = sin(angle / 2)
    return (cos(angle / 2), s * axis[0], s * axis[1], s * axis[2])


def from_z_axis(z: Vector) -> Quaternion:
    """The least rotation that takes (0, 0, 1) to the unit vector z."""
    axis = (-z[1], z[0], 0.0)
    length = norm(axis)
    return from_axis_angle((1.0, 0.0, 0.0) if length < 1e-10 else normalised(axis), atan2(length, z[2]))


def from_axes(x: Vector, y: Vector, z: Vector) -> Quaternion:
    """The rotation whose matrix has these columns, by its largest component."""
    if x[0] + y[1] + z[2] > 0:
        w = 0.5 * sqrt(1 + x[0] + y[1] + z[2])
        q = (w, 0.25 * (y[2] - z[1]) / w, 0.25 * (z[0] - x[2]) / w, 0.25 * (x[1] - y[0]) / w)
    elif x[0] > y[1] and x[0] > z[2]:
        a = 0.5 * sqrt(1 + x[0] - y[1] - z[2])
        q = (0.25 * (y[2] - z[1]) / a, a, 0.25 * (y[0] + x[1]) / a, 0.25 * (z[0] + x[2]) / a)
    elif y[1] > z[2]:
        b = 0.5 * sqrt(1 - x[0] + y[1] - z[2])
        q = (0.25 * (z[0] - x[2]) / b, 0.25 * (y[0] + x[1]) / b, b, 0.25 * (z[1] + y[2]) / b)
    else:
        c = 0.5 * sqrt(1 - x[0] - y[1] + z[2])
        q = (0.25 * (x[1] - y[0]) / c, 0.25 * (z[0] + x[2]) / c, 0.25 * (z[1] + y[2]) / c, c)
    return unit(*q)


def from_euler(angles: Vector, sequence: str) -> Quaternion:
    """Successive rotations about the axes of `sequence`: of the turning frame in lower case, of the fixed in upper."""
    q = IDENTITY
    for letter, angle in zip(sequence, angles, strict=True):
        axis = "xyz".index(letter.lower())
        turn = from_axis_angle((float(axis == 0), float(axis == 1), float(axis == 2)), angle)
        q = multiply(q, turn) if letter.islower() else multiply(turn, q)
    return q


def degrees(angle: float) -> float:
    """An angle given in degrees, in radians."""
    return angle / 180.0 * pi
