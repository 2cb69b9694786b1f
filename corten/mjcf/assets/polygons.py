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
from .outlines import outlines

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
    path, length = outlines(faces[members], sizes, len(vertices))
    return _pack(path, length, len(vertices))


def _pack(vertices: NDArray[np.int32], sizes: NDArray[np.int32], nvert: int) -> Polygons:
    """Polygons one after the other, and those of each vertex."""
    owner = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    of_sizes = np.bincount(vertices, minlength=nvert).astype(np.int32)
    return Polygons(
        vertices,
        (np.cumsum(sizes) - sizes).astype(np.int32),
        sizes,
        owner[np.argsort(vertices, kind="stable")],
        (np.cumsum(of_sizes) - of_sizes).astype(np.int32),
        of_sizes,
    )
