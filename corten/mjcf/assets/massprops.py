"""Volume or area, centre of mass and inertia of a triangle mesh of unit density.

A solid is the sum of the pyramids from a base point to the triangles, with signs by the triangles' orientation; a
shell is the sum of the triangles. Second moments of a triangle with corners D, E, F (Blow & Binstock, "How to find the
inertia tensor of a solid body represented by a triangle mesh", 2004):

    integral of x_j x_k = measure / c * sum over corner pairs, c = 20 for the pyramid, 12 for the triangle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .eig3 import diagonalise
from .errors import MeshError
from .ordered import dot, ordered_sum

SMALLEST = 1e-15  # areas, volumes and lengths below this count as zero
SECOND_MOMENTS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
INERTIA_MODES = ("convex", "exact", "legacy", "shell")
INEQUALITY_RELATIVE, INEQUALITY_ABSOLUTE = 1e-6, 1e-9


@dataclass
class MassProperties:
    """Of unit density: `measure` is the volume, or the area of a shell; `inertia` the principal moments."""

    measure: float
    centre: NDArray[np.float64]
    quat: NDArray[np.float64]
    inertia: NDArray[np.float64]

    @property
    def box(self) -> NDArray[np.float64]:
        """Half sizes of the box with the same volume density and inertia, that is of mass `measure`."""
        a, b, c = self.inertia
        with np.errstate(invalid="ignore"):
            return 0.5 * np.sqrt(6 * np.array([b + c - a, a + c - b, a + b - c]) / self.measure)


def mass_properties(
    vertices: NDArray[np.float64], faces: NDArray[np.int32], solid_faces: NDArray[np.int32], mode: str
) -> MassProperties:
    """Mass properties in one of `INERTIA_MODES`.

    `faces` are the triangles of the mesh and define the base point; `solid_faces` bound the volume, and are those of
    the convex hull in mode "convex". In mode "legacy" all pyramids count as positive.
    """
    base = _area_centroid(vertices, faces)
    if mode == "shell":
        measure, centre = _area(vertices, faces, base)
    else:
        measure, centre = _volume(vertices, solid_faces, base, mode)
    measure, tensor = _inertia(vertices - centre, faces if mode == "shell" else solid_faces, mode)
    inertia, quat = diagonalise(tensor)
    if not inertia[2] > 0:
        raise MeshError("the mesh has a principal moment of inertia that is not positive")
    total = inertia.sum()
    largest = inertia[0]
    if total - largest < largest * (1 - INEQUALITY_RELATIVE) - INEQUALITY_ABSOLUTE:
        raise MeshError("the principal moments A, B, C of the mesh violate A + B >= C; are its faces consistent?")
    return MassProperties(measure, centre, quat, inertia)


def _triangles(
    vertices: NDArray[np.float64], faces: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Area, unit normal and centroid of each triangle. Areas too small have area zero and an unscaled normal."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    centroid = (a + b + c) / 3
    normal = np.cross(b - a, c - a)
    length = np.sqrt(dot(normal, normal))
    small = length < SMALLEST
    normal = normal / np.where(small, 1.0, length)[:, None]
    return np.where(small, 0.0, 0.5 * length), normal, centroid


def _area_centroid(vertices: NDArray[np.float64], faces: NDArray[np.int32]) -> NDArray[np.float64]:
    area, _, centroid = _triangles(vertices, faces)
    total = float(ordered_sum(area))
    if not total >= SMALLEST:
        raise MeshError("the surface area of the mesh is too small")
    return ordered_sum(area[:, None] * centroid) / total


def _volume(
    vertices: NDArray[np.float64], faces: NDArray[np.int32], base: NDArray[np.float64], mode: str
) -> tuple[float, NDArray[np.float64]]:
    area, normal, centroid = _triangles(vertices, faces)
    volume = dot(centroid - base, normal) * area / 3
    if mode == "legacy":
        volume = np.abs(volume)
    total = float(ordered_sum(volume))
    if total < 0:
        raise MeshError("the volume of the mesh is negative: its triangles face inwards")
    if not total >= SMALLEST:
        raise MeshError("the volume of the mesh is too small; inertia='shell' takes it as a thin surface")
    weighted = volume[:, None] * (centroid * 3.0 / 4.0 + base / 4.0)
    return total, ordered_sum(weighted) / total


def _area(
    vertices: NDArray[np.float64], faces: NDArray[np.int32], base: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    area, _, centroid = _triangles(vertices, faces)
    total = float(ordered_sum(area))
    # the weights of a pyramid, as in the reference; since `base` is the area centroid, so is the result
    weighted = area[:, None] * (centroid * 3.0 / 4.0 + base / 4.0)
    return total, ordered_sum(weighted) / total


def _inertia(
    vertices: NDArray[np.float64], faces: NDArray[np.int32], mode: str
) -> tuple[float, NDArray[np.float64]]:
    """Measure and inertia tensor about the origin."""
    area, normal, centroid = _triangles(vertices, faces)
    measure = area if mode == "shell" else dot(centroid, normal) * area / 3
    if mode == "legacy":
        measure = np.abs(measure)
    d, e, f = (vertices[faces[:, k]] for k in range(3))
    scale = measure / (12 if mode == "shell" else 20)
    moments = []
    for j, k in SECOND_MOMENTS:
        pairs = (
            2 * (d[:, j] * d[:, k] + e[:, j] * e[:, k] + f[:, j] * f[:, k])
            + d[:, j] * e[:, k] + d[:, k] * e[:, j]
            + d[:, j] * f[:, k] + d[:, k] * f[:, j]
            + e[:, j] * f[:, k] + e[:, k] * f[:, j]
        )  # fmt: skip
        moments.append(scale * pairs)
    xx, yy, zz, xy, xz, yz = ordered_sum(np.column_stack(moments))
    tensor = np.array([[yy + zz, -xy, -xz], [-xy, xx + zz, -yz], [-xz, -yz, xx + yy]])
    return float(ordered_sum(measure)), tensor
