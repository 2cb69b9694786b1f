"""Polygons of an OBJ file cut into triangles, by ear clipping in the coordinate plane that shows the polygon best.

The plane, the order in which ears are tried and the use of single precision follow tinyobjloader, the reader of the
reference, because they decide which diagonals are drawn.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

EPSILON = np.finfo(np.float32).eps


def clip_quads(points: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cut quadrilaterals, `points` of shape (n, 4, 3), in two.

    Returns the numbers of the quadrilaterals, one for each triangle, and the triangles' corners as numbers 0 to 3. A
    quadrilateral without any ear gives no triangle.
    """
    flat = _project(points)
    area = _signed_area(flat)
    undecided = np.ones(len(points), bool)
    owners, corners = [], []
    for first in range(4):
        a, b, c, d = [(first + k) % 4 for k in range(4)]
        ear = undecided & _is_ear(flat[:, [a, b, c]], flat[:, d : d + 1], area)
        undecided &= ~ear
        rest = [k for k in range(4) if k != b]
        found = np.flatnonzero(ear)
        owners.append(np.repeat(found, 2))
        corners.append(np.tile(np.array([[a, b, c], rest]), (len(found), 1)))
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    return owner[order], np.concatenate(corners)[order]


def clip_polygon(points: NDArray[np.float32]) -> list[tuple[int, int, int]]:
    """The triangles of one polygon, `points` of shape (n, 3), as numbers of its corners."""
    flat = _project(points[None])[0]
    area = _signed_area(flat[None])
    remaining = list(range(len(points)))
    triangles = []
    first = 0
    tries = len(remaining)
    while len(remaining) > 3 and tries > 0:
        n = len(remaining)
        first %= n
        tries -= 1
        ring = [remaining[(first + k) % n] for k in range(n)]
        if _is_ear(flat[None, ring[:3]], flat[None, ring[3:]], area)[0]:
            triangles.append((ring[0], ring[1], ring[2]))
            del remaining[(first + 1) % n]
            if tries > 0:  # an ear found by the very last try is not followed up
                tries = n
        else:
            first += 1
    if len(remaining) == 3:
        triangles.append((remaining[0], remaining[1], remaining[2]))
    return triangles


def _project(points: NDArray[np.float32]) -> NDArray[np.float32]:
    """Drop one coordinate of each polygon: the one in which its first proper corner has the largest normal."""
    following = np.roll(points, -1, axis=1)
    edge0 = following - points
    edge1 = np.roll(points, -2, axis=1) - following
    normal = np.abs(np.cross(edge0, edge1))
    proper = (normal > EPSILON).any(axis=2)
    corner = np.argmax(proper, axis=1)
    rows = np.arange(len(points))
    x, y, z = normal[rows, corner].T
    first = np.where(proper.any(axis=1) & ~((x > y) & (x > z)), 0, 1)
    second = np.where((first == 0) & (z > x) & (z > y), 1, 2)
    return np.stack([points[rows, :, first], points[rows, :, second]], axis=2)


def _signed_area(flat: NDArray[np.float32]) -> NDArray[np.float32]:
    x, y = flat[:, :, 0], flat[:, :, 1]
    terms = (x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)) * np.float32(0.5)
    return np.cumsum(terms, axis=1, dtype=np.float32)[:, -1]


def _is_ear(
    corner: NDArray[np.float32], others: NDArray[np.float32], area: NDArray[np.float32]
) -> NDArray[np.bool_]:
    """Which of the corners (n, 3, 2) turn the way of their polygon and contain none of its other vertices (n, m, 2)."""
    edge0 = corner[:, 1] - corner[:, 0]
    edge1 = corner[:, 2] - corner[:, 1]
    turn = edge0[:, 0] * edge1[:, 1] - edge0[:, 1] * edge1[:, 0]
    inside = np.zeros(others.shape[:2], bool)
    x, y = others[:, :, 0], others[:, :, 1]
    for i, j in ((0, 2), (1, 0), (2, 1)):
        xi, yi, xj, yj = (corner[:, k, axis, None] for k in (i, j) for axis in (0, 1))
        straddles = (yi > y) != (yj > y)
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = (xj - xi) * (y - yi) / (yj - yi) + xi
        inside ^= straddles & (x < crossing)
    return (turn * area >= 0) & ~inside.any(axis=1)
