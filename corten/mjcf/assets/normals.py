"""Vertex normals for meshes that bring none: averages of the triangle normals, weighted by area."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .ordered import dot, scatter_add_single

SMALLEST_SQUARE = 1e-14  # squared lengths below this count as zero
SMALLEST_LENGTH = 1e-15
SMOOTH_COSINE = 0.8


def vertex_normals(
    vertices: NDArray[np.float64], faces: NDArray[np.int32], smooth: bool
) -> NDArray[np.float32]:
    """Unit normals of all vertices; (0, 0, 1) where there is no triangle.

    Unless `smooth`, a triangle whose normal is more than about 37 degrees from the average does not take part in it.
    """
    corner = vertices[faces]
    face_normal, weight = _unit(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]))
    rows = faces.ravel()
    terms = np.repeat(face_normal * weight[:, None], 3, axis=0)
    total = scatter_add_single(np.zeros(vertices.shape, np.float32), rows, terms)
    if not smooth:
        average, _ = _unit(total.astype(np.float64))
        sharp = dot(np.repeat(face_normal, 3, axis=0), average[rows]) < SMOOTH_COSINE
        total -= scatter_add_single(np.zeros(vertices.shape, np.float32), rows[sharp], terms[sharp])
    length = np.sqrt(dot(total, total))
    found = length > SMALLEST_LENGTH
    total[found] /= length[found, None]
    total[~found] = (0, 0, 1)
    return total


def normalise_single(normals: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows at unit length, computed in single precision; rows of no length become (0, 0, 1)."""
    square = dot(normals, normals)
    found = square > SMALLEST_LENGTH
    result = normals.copy()
    result[found] *= (np.float32(1) / np.sqrt(square[found]))[:, None]
    result[~found] = (0, 0, 1)
    return result


def _unit(vectors: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rows at unit length and their lengths; short rows stay as they are and count as length zero."""
    square = dot(vectors, vectors)
    long = square >= SMALLEST_SQUARE
    length = np.where(long, np.sqrt(square), 0.0)
    scale = np.where(long & (np.abs(length - 1) > SMALLEST_SQUARE), length, 1.0)
    return vectors / scale[:, None], length
