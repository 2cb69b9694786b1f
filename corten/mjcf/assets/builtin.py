"""Meshes generated from a few parameters, vertex by vertex as in the reference.

Vertices are rounded to single precision where the reference does so, because that is what later stages start from.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, radians

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import MeshError
from .surface import Surface

MAX_RESOLUTION = 1000
SHELLS = ("plate",)  # builtin meshes that are surfaces whatever the user says


def builtin_surface(name: str, params: ArrayLike) -> Surface:
    """The surface of builtin mesh `name` with its `params`."""
    if name not in BUILTINS:
        raise MeshError(f"there is no builtin mesh '{name}', only {', '.join(BUILTINS)}")
    make, names = BUILTINS[name]
    values = [float(x) for x in np.asarray(params, np.float64).ravel()]
    if len(values) != len(names):
        raise MeshError(f"builtin mesh '{name}' takes {len(names)} params ({', '.join(names)}), not {len(values)}")
    if not np.isfinite(values).all():
        raise MeshError(f"builtin mesh '{name}' has a parameter that is not finite")
    return make(*values)


def _check(condition: bool, rule: str) -> None:
    if not condition:
        raise MeshError(f"builtin mesh: {rule}")


def _resolution(value: float, least: int, most: int = MAX_RESOLUTION) -> int:
    _check(least <= int(value) <= most, f"a resolution must be between {least} and {most}, not {value:g}")
    return int(value)


def _sphere(subdivision: float) -> Surface:
    """An icosahedron whose triangles are cut in four `subdivision` times."""
    times = _resolution(subdivision, 0, 4)
    golden = np.float32((1 + np.sqrt(5.0)) / 2)
    one, nil = np.float32(1), np.float32(0)
    corners = np.array([
        (-one, golden, nil), (one, golden, nil), (-one, -golden, nil), (one, -golden, nil),
        (nil, -one, golden), (nil, one, golden), (nil, -one, -golden), (nil, one, -golden),
        (golden, nil, -one), (golden, nil, one), (-golden, nil, -one), (-golden, nil, one),
    ])  # fmt: skip
    vertices = (corners / np.sqrt(1.0 + np.float64(golden * golden))).astype(np.float32)
    faces = np.array([
        (0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6),
        (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7),
        (9, 8, 1),
    ], np.int32)  # fmt: skip
    for _ in range(times):
        ends = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
        edges, first, which = np.unique(ends, axis=0, return_index=True, return_inverse=True)
        rank = np.empty(len(edges), np.int32)
        rank[np.argsort(first)] = np.arange(len(edges), dtype=np.int32)  # numbered as the faces name them
        middle = (vertices[edges[:, 0]] + vertices[edges[:, 1]]) / np.float32(2)
        x, y, z = middle.T
        middle /= np.sqrt(x * x + y * y + z * z)[:, None]
        a, b, c = faces.T
        ab, bc, ca = (len(vertices) + rank[which.ravel()]).reshape(-1, 3).T
        faces = np.stack([a, ab, ca, b, bc, ab, c, ca, bc, ab, bc, ca], axis=1).reshape(-1, 3)
        vertices = np.concatenate([vertices, middle[np.argsort(rank)]])
    return Surface(vertices, faces.astype(np.int32))


def _hemisphere(resolution: float) -> Surface:
    """The upper half of an octahedron cut into `resolution + 1` rows, blown up to a ball, with a flat base."""
    rows = _resolution(resolution, 0, 10) + 1
    pole = np.array([0.0, 0.0, 1.0])
    equator = np.array([(1.0, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)])
    points = [pole]
    for row in range(1, rows + 1):
        corners = pole + row / rows * (equator - pole)
        for side in range(4):
            step = (corners[(side + 1) % 4] - corners[side]) / row
            points.extend(corners[side] + i * step for i in range(row))
    vertices = np.array(points)
    vertices /= np.sqrt((vertices * vertices).sum(axis=1))[:, None]
    centre = len(vertices)

    faces = [(0, 1 + side, 1 + (side + 1) % 4) for side in range(4)]
    for row in range(1, rows):
        here, below = 1 + 2 * row * (row - 1), 1 + 2 * row * (row + 1)  # first vertices of this row and the next
        for side in range(4):
            for i in range(row + 1):
                upper, lower = here + (i + row * side) % (4 * row), i + (row + 1) * side
                left, right = below + lower % (4 * row + 4), below + (lower + 1) % (4 * row + 4)
                faces.append((upper, left, right))
                if i < row:
                    faces.append((upper, right, here + (i + 1 + row * side) % (4 * row)))
    rim = 1 + 2 * rows * (rows - 1)
    faces.extend((rim + i, centre, rim + (i + 1) % (4 * rows)) for i in range(4 * rows))
    return Surface(np.vstack([vertices, np.zeros(3)]).astype(np.float32), np.array(faces, np.int32))


def _cone(edges: float, radius: float) -> Surface:
    """A cone on a polygon at z = -1; its top at z = 1 is flat where `radius` is positive. The hull adds the faces."""
    n = _resolution(edges, 1, MAX_RESOLUTION**2)
    turn = 2 * np.arange(2 * n) * pi / n
    ring = np.column_stack([np.cos(turn), np.sin(turn)])
    base = np.column_stack([ring[:n], np.full(n, -1.0)])
    top = np.column_stack([radius * ring[n:], np.ones(n)]) if radius > 0 else np.array([[0.0, 0.0, 1.0]])
    return Surface(np.vstack([base, top]).astype(np.float32))


def _signed_power(x: NDArray[np.float64], exponent: float) -> NDArray[np.float64]:
    return np.copysign(np.abs(x) ** exponent, x)


def _supersphere(resolution: float, e: float, n: float) -> Surface:
    """|x|, |y| to the 2/e and |z| to the 2/n; the poles are vertices 0 and the last."""
    res = _resolution(resolution, 3)
    _check(e >= 0 and n >= 0, "the exponents of a supersphere cannot be negative")
    latitude = (-pi / 2 + np.arange(1, res) * pi / res)[:, None]
    longitude = (-pi + np.arange(res) * 2 * pi / res)[None]
    across = _signed_power(np.cos(latitude), n)
    rings = np.stack(np.broadcast_arrays(
        across * _signed_power(np.cos(longitude), e),
        across * _signed_power(np.sin(longitude), e),
        _signed_power(np.sin(latitude), n),
    ), axis=2).reshape(-1, 3)  # fmt: skip
    vertices = np.vstack([(0, 0, -1), rings, (0, 0, 1)]).astype(np.float32)

    grid = 1 + np.arange((res - 1) * res).reshape(res - 1, res)
    turned = np.roll(grid, -1, axis=1)
    south = np.column_stack([np.zeros(res, int), turned[0], grid[0]])
    north = np.column_stack([grid[-1], turned[-1], np.full(res, len(vertices) - 1)])
    sides = _quads(grid[:-1], turned[:-1], turned[1:], grid[1:])
    return Surface(vertices, np.vstack([south, sides, north]).astype(np.int32))


def _supertorus(resolution: float, radius: float, s: float, t: float) -> Surface:
    """A tube of `radius` around the unit circle; `s` and `t` shape its section and its path."""
    res = _resolution(resolution, 3)
    _check(0 < radius <= 1, "the radius of a supertorus must be positive and at most 1")
    _check(s > 0 and t > 0, "the exponents of a supertorus must be positive")
    path = (2 * pi * np.arange(res) / res)[:, None]
    section = (2 * pi * np.arange(res) / res)[None]
    across = 1 + radius * _signed_power(np.cos(section), s)
    vertices = np.stack(np.broadcast_arrays(
        across * _signed_power(np.cos(path), t),
        across * _signed_power(np.sin(path), t),
        radius * _signed_power(np.sin(section), s),
    ), axis=2).reshape(-1, 3)  # fmt: skip
    grid = np.arange(res * res).reshape(res, res)
    ahead = np.roll(grid, -1, axis=0)
    faces = _quads(grid, ahead, np.roll(ahead, -1, axis=1), np.roll(grid, -1, axis=1))
    return Surface(vertices.astype(np.float32), faces.astype(np.int32))


def _quads(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Two triangles for each quadrilateral a, b, c, d."""
    return np.stack([a, b, d, b, c, d], axis=-1).reshape(-1, 3)


def _wedge(columns: float, rows: float, azimuth: float, elevation: float, gamma: float) -> Surface:
    """Bin centres of a field of view on the unit sphere, looking along -z; a larger `gamma` crowds the centre.

    Each vertex has three normals: outwards, along azimuth and along elevation.
    """
    size = (_resolution(columns, 1), _resolution(rows, 1))
    _check(0 < azimuth <= 180, "the horizontal field of view must be in (0, 180] degrees")
    _check(0 < elevation <= 90, "the vertical field of view must be in (0, 90] degrees")
    _check(0 <= gamma <= 1, "gamma must be in [0, 1]")
    centres = []
    for count, view in zip(size, (azimuth, elevation), strict=True):
        edge = np.cumsum(np.r_[-1.0, np.full(count, 2 / count)])
        edge = (gamma * edge**5 + (1 - gamma) * edge if gamma else edge) * radians(view)
        centres.append(0.5 * (edge[1:] + edge[:-1]))
    a, e = (x.ravel() for x in np.meshgrid(*centres, indexing="ij"))
    vertices = np.column_stack([np.cos(e) * np.sin(a), np.sin(e), -np.cos(e) * np.cos(a)])
    along_a = np.column_stack([np.cos(e) * np.cos(a), 0 * a, np.cos(e) * np.sin(a)])
    along_e = np.column_stack([-np.sin(e) * np.sin(a), np.cos(e), np.sin(e) * np.cos(a)])
    along_a /= np.linalg.norm(along_a, axis=1)[:, None]
    along_e /= np.linalg.norm(along_e, axis=1)[:, None]
    outward = np.cross(along_e, along_a)
    normals = np.stack([outward, along_a, along_e], axis=1).reshape(-1, 3)
    return Surface(vertices.astype(np.float32), normals=normals.astype(np.float32))


def _plate(columns: float, rows: float) -> Surface:
    """A flat grid of bin centres at z = -1, with the three axes as normals of each vertex."""
    nx, ny = _resolution(columns, 1), _resolution(rows, 1)
    x = -1 + (np.arange(nx) + 0.5) * (2 / nx)
    y = -1 + (np.arange(ny) + 0.5) * (2 / ny)
    vertices = np.stack(np.broadcast_arrays(x[:, None], y[None], -1.0), axis=2).reshape(-1, 3)
    grid = np.arange(nx * ny).reshape(nx, ny)
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    faces = np.stack([a, b, d, c, d, b], axis=-1).reshape(-1, 3)
    normals = np.tile(np.eye(3), (nx * ny, 1))
    return Surface(vertices.astype(np.float32), faces.astype(np.int32), normals.astype(np.float32))


BUILTINS: dict[str, tuple[Callable[..., Surface], tuple[str, ...]]] = {
    "sphere": (_sphere, ("subdivision",)),
    "hemisphere": (_hemisphere, ("resolution",)),
    "cone": (_cone, ("edges", "radius")),
    "supersphere": (_supersphere, ("resolution", "e", "n")),
    "supertorus": (_supertorus, ("resolution", "radius", "s", "t")),
    "wedge": (_wedge, ("columns", "rows", "azimuth", "elevation", "gamma")),
    "plate": (_plate, ("columns", "rows")),
}
