"""Coplanar triangles merged into polygons, the sides of a mesh that contacts see.

Triangles join when the angle between their normals is below about 0.09 degrees, wherever they are; pieces that do not
touch become polygons of their own. The relation "almost the same normal" is not transitive, so the outcome depends on
which normals are compared: the reference keeps one entry per side in a balanced search tree ordered by normal, and
this module keeps the same tree. A few triangles get lost in it, there and here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .normal_tree import sides
from .ordered import dot

SMALLEST_NORMAL = 1e-14


@dataclass
class Polygons:
    """Polygon i has the vertices `vertices[starts[i]:starts[i] + sizes[i]]`, counter-clockwise seen from outside.

    Vertex j is part of the polygons `of_vertex[of_starts[j]:of_starts[j] + of_sizes[j]]`.
    """

    vertices: NDArray[np.int32]
    starts: NDArray[np.int32]
    sizes: NDArray[np.int32]
    of_vertex: NDArray[np.int32]
    of_starts: NDArray[np.int32]
    of_sizes: NDArray[np.int32]

    def normals(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Unit normals, from the first three vertices of each polygon."""
        corner = positions[self.vertices[self.starts[:, None] + np.arange(3)]]
        return triangle_normals(corner[:, 0], corner[:, 1], corner[:, 2])


def triangle_normals(
    a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Unit normals of triangles; a triangle without area has the first axis, blown up by its length, as in the
    reference."""
    normal = np.cross(b - a, c - a)
    length = np.sqrt(dot(normal, normal))
    normal[length < SMALLEST_NORMAL] = (1, 0, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return normal / length[:, None]


def merge_polygons(vertices: NDArray[np.float64], faces: NDArray[np.int32]) -> Polygons:
    """Merge the triangles `faces`."""
    side, order = sides(triangle_normals(*(vertices[faces[:, k]] for k in range(3))))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    members = np.flatnonzero(side >= 0)
    members = members[np.argsort(place[side[members]], kind="stable")]
    sizes = np.bincount(side[members], minlength=len(order))[order]
    triangles = faces[members].tolist()
    paths: list[list[int]] = []
    start = 0
    for size in sizes.tolist():
        if size == 1:
            paths.append(triangles[start])
        else:
            paths.extend(path for path in _outlines(triangles[start : start + size]) if len(path) >= 3)
        start += size
    return _pack(paths, len(vertices))


def _outlines(triangles: list[list[int]]) -> list[list[int]]:
    """The outline of each connected piece of a side; inner boundaries are left out.

    Edges that two triangles run through in opposite directions cancel, of several such the oldest. What remains keeps
    the order of insertion, which decides where an outline begins.
    """
    edges: dict[int, tuple[int, int, int]] = {}  # number -> start, end, piece
    numbers: dict[tuple[int, int], list[int]] = {}  # start, end -> edges not cancelled, oldest first
    parent: list[int] = []
    count = 0

    def root(piece: int) -> int:
        while parent[piece] != piece:
            parent[piece] = parent[parent[piece]]
            piece = parent[piece]
        return piece

    for corners in triangles:
        fresh = []
        joined = -1
        for k in range(3):
            start, end = corners[k], corners[(k + 1) % 3]
            opposite = numbers.get((end, start))
            if not opposite:
                fresh.append((start, end))
                continue
            piece = root(edges.pop(opposite.pop(0))[2])
            if joined < 0:
                joined = piece
            elif piece != joined:
                low, high = min(piece, joined), max(piece, joined)
                parent[high] = joined = low
        if joined < 0:
            joined = len(parent)
            parent.append(joined)
        for start, end in fresh:
            edges[count] = start, end, joined
            numbers.setdefault((start, end), []).append(count)
            count += 1

    if len(edges) == 3:
        return [[start for start, _, _ in edges.values()]]
    first_edge: dict[int, tuple[int, int]] = {}
    following: dict[tuple[int, int], int] = {}
    for place, (start, end, piece) in enumerate(edges.values()):
        piece = root(piece)
        first_edge.setdefault(piece, (start, end))
        if place > 0:  # the reference does not look at its first edge again, which matters if it starts where it ends
            following.setdefault((piece, start), end)
    paths = []
    for piece in sorted(first_edge):
        path = _walk(piece, first_edge[piece], following)
        if path:
            paths.append(path)
    return paths


def _walk(piece: int, first: tuple[int, int], following: dict[tuple[int, int], int]) -> list[int]:
    """Vertices from the first edge onwards until it closes; empty if it runs into a loop elsewhere or ends."""
    path = list(first)
    seen = set(path)
    while True:
        step = following.get((piece, path[-1]))
        if step == path[0]:
            return path
        if step is None or step in seen:
            return []
        path.append(step)
        seen.add(step)


def _pack(paths: list[list[int]], nvert: int) -> Polygons:
    sizes = np.array([len(p) for p in paths], np.int32)
    vertices = np.array([v for path in paths for v in path], np.int32)
    owner = np.repeat(np.arange(len(paths), dtype=np.int32), sizes)
    of_sizes = np.bincount(vertices, minlength=nvert).astype(np.int32)
    return Polygons(
        vertices,
        (np.cumsum(sizes) - sizes).astype(np.int32),
        sizes,
        owner[np.argsort(vertices, kind="stable")],
        (np.cumsum(of_sizes) - of_sizes).astype(np.int32),
        of_sizes,
    )
