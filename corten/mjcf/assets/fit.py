"""Primitive geoms that stand in for a mesh."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from corten.mjcf.rotation import rotate

from .errors import MeshError
from .mesh import Mesh

FITTED_SHAPES = ("sphere", "capsule", "cylinder", "ellipsoid", "box")


def fit_primitive(
    mesh: Mesh, shape: str, scale: float = 1.0, to_aabb: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Size, position and orientation of a primitive `shape` in the frame of the mesh source.

    It is fitted to the box of equal inertia or, with `to_aabb`, to the axis-aligned bounding box of the aligned mesh.
    `scale` multiplies the size.
    """
    if shape not in FITTED_SHAPES:
        raise MeshError(f"a geom of type '{shape}' cannot be fitted to a mesh, only {', '.join(FITTED_SHAPES)}")
    size = scale * np.array(_enclosing(shape, mesh.aabb[3:]) if to_aabb else _equivalent(shape, mesh.box))
    return size, _position(mesh, to_aabb), mesh.quat


def _equivalent(shape: str, box: NDArray[np.float64]) -> tuple[float, float, float]:
    x, y, z = box
    if shape == "sphere":
        return (x + y + z) / 3, 0.0, 0.0
    if shape == "capsule":
        radius = (x + y) / 2
        return radius, max(0.0, z - radius / 2), 0.0
    if shape == "cylinder":
        return (x + y) / 2, z, 0.0
    return x, y, z


def _enclosing(shape: str, half: NDArray[np.float64]) -> tuple[float, float, float]:
    x, y, z = half
    if shape == "sphere":
        return max(x, y, z), 0.0, 0.0
    if shape == "capsule":
        radius = max(x, y)
        return radius, max(0.0, z - radius), 0.0
    if shape == "cylinder":
        return max(x, y), z, 0.0
    return x, y, z


def _position(mesh: Mesh, to_aabb: bool) -> NDArray[np.float64]:
    return mesh.pos + rotate(tuple(mesh.quat), tuple(mesh.aabb[:3])) if to_aabb else mesh.pos
