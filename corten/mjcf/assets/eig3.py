"""Principal axes of a symmetric 3x3 matrix, with the conventions of MuJoCo.

The eigenvalues come in decreasing order and the axes as a unit quaternion, so they always form a right-handed frame.
An inertia does not determine the sign of its axes, nor the axes at all where eigenvalues coincide. To land on the
reference's choice, the computation follows its path: Jacobi rotations, largest entry first, accumulated in a quaternion
that starts at the identity, then exchanges of neighbouring axes by quarter turns. Operations keep the reference's
order, so that ties between equal entries are broken the same way.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

TOLERANCE = 1e-12  # off-diagonal entries and gaps between eigenvalues below this count as zero (absolute)
UNIT_TOLERANCE = 1e-14  # a quaternion this close to unit length is left as it is
MAX_ROTATIONS = 500
QUARTER_TURN_COSINE = 0.707106781186548  # cosine and sine of half a quarter turn, in the digits of the reference


def diagonalise(matrix: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Eigenvalues in decreasing order, and the quaternion q with `matrix = R(q) diag(eigenvalues) R(q)^T`."""
    full = [float(x) for x in np.asarray(matrix, dtype=np.float64).reshape(9)]
    quat = [1.0, 0.0, 0.0, 0.0]
    for _ in range(MAX_ROTATIONS):
        axes = _rotation_entries(quat)
        local = _multiply(_multiply(_transpose(axes), full), axes)
        row, col, axis = _largest_off_diagonal(local)
        pivot = local[3 * row + col]
        if abs(pivot) < TOLERANCE:
            break
        # tan(2 angle) = 1/tau; the smaller of the two angles that annihilate the pivot
        tau = (local[4 * col] - local[4 * row]) / (2 * pivot)
        tangent = 1 / (tau + sqrt(1 + tau * tau)) if tau >= 0 else -1 / (-tau + sqrt(1 + tau * tau))
        cosine = 1 / sqrt(1 + tangent * tangent)
        if cosine > 1 - TOLERANCE:
            break
        half_sine = sqrt(0.5 - 0.5 * cosine)
        if (tau >= 0) != (axis == 1):  # the pair (0, 2) turns about -y
            half_sine = -half_sine
        turn = [sqrt(1 - half_sine * half_sine), 0.0, 0.0, 0.0]
        turn[1 + axis] = half_sine
        quat = _compose(quat, _normalised(turn))

    values = [local[0], local[4], local[8]]
    for first in (0, 1, 0):
        if values[first] + TOLERANCE < values[first + 1]:
            values[first], values[first + 1] = values[first + 1], values[first]
            turn = [QUARTER_TURN_COSINE, 0.0, 0.0, 0.0]
            turn[1 + (first + 2) % 3] = QUARTER_TURN_COSINE
            quat = _compose(quat, turn)
    return np.array(values), np.array(quat)


def rotation_matrix(quat: ArrayLike) -> NDArray[np.float64]:
    """The rotation matrix of a unit quaternion (w, x, y, z)."""
    return np.array(_rotation_entries([float(x) for x in np.asarray(quat, dtype=np.float64)])).reshape(3, 3)


def unit_quaternion(quat: ArrayLike) -> NDArray[np.float64]:
    """`quat` at unit length; a quaternion of length zero stays as it is."""
    return np.array(_normalised([float(x) for x in np.asarray(quat, dtype=np.float64)]))


def _largest_off_diagonal(m: list[float]) -> tuple[int, int, int]:
    """Row, column and the remaining axis of the largest entry above the diagonal; among equals the last one."""
    xy, xz, yz = abs(m[1]), abs(m[2]), abs(m[5])
    if xy > xz and xy > yz:
        return 0, 1, 2
    if xz > yz:
        return 0, 2, 1
    return 1, 2, 0


def _rotation_entries(q: list[float]) -> list[float]:
    w, x, y, z = q
    ww, wx, wy, wz = w * w, w * x, w * y, w * z
    xx, xy, xz, yy, yz, zz = x * x, x * y, x * z, y * y, y * z, z * z
    return [
        ww + xx - yy - zz, 2 * (xy - wz), 2 * (xz + wy),
        2 * (xy + wz), ww - xx + yy - zz, 2 * (yz - wx),
        2 * (xz - wy), 2 * (yz + wx), ww - xx - yy + zz,
    ]  # fmt: skip


def _transpose(m: list[float]) -> list[float]:
    return [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]]


def _multiply(a: list[float], b: list[float]) -> list[float]:
    return [a[r] * b[c] + a[r + 1] * b[3 + c] + a[r + 2] * b[6 + c] for r in (0, 3, 6) for c in (0, 1, 2)]


def _compose(p: list[float], q: list[float]) -> list[float]:
    """The unit quaternion of rotation q followed by p. Normalised twice, as the reference does."""
    a, b, c, d = p
    w, x, y, z = q
    product = [
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    ]
    return _normalised(_normalised(product))


def _normalised(q: list[float]) -> list[float]:
    square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
    if square < UNIT_TOLERANCE:
        return q
    length = sqrt(square)
    return q if abs(length - 1) <= UNIT_TOLERANCE else [x / length for x in q]
