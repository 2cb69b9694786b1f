"""What a mesh file or inline arrays say, before any processing."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .errors import MeshError


def _no_points() -> NDArray[np.float32]:
    return np.zeros((0, 3), np.float32)


def _no_texcoords() -> NDArray[np.float32]:
    return np.zeros((0, 2), np.float32)


def _no_triangles() -> NDArray[np.int32]:
    return np.zeros((0, 3), np.int32)


@dataclass
class Surface:
    """Vertices and, where given, triangles, normals and texture coordinates; parts that are absent have no rows.

    `face_normals` and `face_texcoords` hold, for each corner of `faces`, a row of `normals` and of `texcoords`, or -1.
    """

    vertices: NDArray[np.float32] = field(default_factory=_no_points)
    faces: NDArray[np.int32] = field(default_factory=_no_triangles)
    normals: NDArray[np.float32] = field(default_factory=_no_points)
    texcoords: NDArray[np.float32] = field(default_factory=_no_texcoords)
    face_normals: NDArray[np.int32] = field(default_factory=_no_triangles)
    face_texcoords: NDArray[np.int32] = field(default_factory=_no_triangles)


def check_finite(vertices: NDArray[np.float32]) -> None:
    """Refuse coordinates that are infinite or not numbers."""
    good = np.isfinite(vertices).all(axis=1)
    if not good.all():
        raise MeshError(f"vertex {int(np.argmin(good))} has a coordinate that is not finite")


def check_indices(faces: NDArray[np.int32], nvert: int) -> None:
    """Refuse triangles whose corners are not vertices."""
    good = (faces >= 0) & (faces < nvert)
    if not good.all():
        row, column = divmod(int(np.argmin(good.ravel())), 3)
        raise MeshError(f"face {row} refers to vertex {faces[row, column]}, but the mesh has {nvert} vertices")


def merge_repeated(surface: Surface) -> Surface:
    """Merge equal vertices; those that remain keep the order in which they first appear."""
    vertices = surface.vertices
    keys = vertices + np.float32(0)  # turns -0 into 0, which compares equal
    order = np.lexsort(keys.T)
    ranked = keys[order]
    starts_group = np.ones(len(keys), bool)
    starts_group[1:] = (ranked[1:] != ranked[:-1]).any(axis=1)
    first_of_group = order[starts_group]  # the sort is stable: the first row of a group is its first appearance
    group_of_rank = np.cumsum(starts_group) - 1
    by_appearance = np.argsort(first_of_group)
    new_of_group = np.empty(len(by_appearance), np.int32)
    new_of_group[by_appearance] = np.arange(len(by_appearance), dtype=np.int32)
    new_index = np.empty(len(keys), np.int32)
    new_index[order] = new_of_group[group_of_rank]
    surface.vertices = vertices[first_of_group[by_appearance]]
    surface.faces = new_index[surface.faces]
    return surface
