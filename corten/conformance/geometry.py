"""Support functions and distances of shapes, straight from their definitions: a judge of contacts that shares no code
with either engine's collision detection.

A shape is placed by its centre `pos` and rotation `mat` (columns are its axes) and has MuJoCo's sizes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

from corten.model.enums import GeomType

CONVEX = frozenset(
    (GeomType.SPHERE, GeomType.CAPSULE, GeomType.ELLIPSOID, GeomType.CYLINDER, GeomType.BOX, GeomType.MESH)
)


@dataclass(slots=True)
class Shape:
    """A geom in the world."""

    kind: int
    size: np.ndarray
    pos: np.ndarray
    mat: np.ndarray
    vertices: np.ndarray | None = None  # of a mesh, in its own frame

    @classmethod
    def of(cls, m: Any, d: Any, geom: int) -> Shape:
        """A geom of either engine's model, where the data puts it."""
        kind = int(m.geom_type[geom])
        vertices = None
        if kind == GeomType.MESH:
            mesh = int(m.geom_dataid[geom])
            start = int(m.mesh_vertadr[mesh])
            vertices = np.asarray(m.mesh_vert, float).reshape(-1, 3)[start : start + int(m.mesh_vertnum[mesh])]
        mat = np.asarray(d.geom_xmat[geom], float).reshape(3, 3)
        return cls(kind, np.asarray(m.geom_size[geom], float), np.asarray(d.geom_xpos[geom], float), mat, vertices)

    def support(self, direction: np.ndarray) -> float:
        """Largest n.x over the points x of a convex shape."""
        n = self.mat.T @ direction
        s = self.size
        match self.kind:
            case GeomType.SPHERE:
                reach = s[0] * np.linalg.norm(n)
            case GeomType.CAPSULE:
                reach = s[0] * np.linalg.norm(n) + s[1] * abs(n[2])
            case GeomType.ELLIPSOID:
                reach = np.linalg.norm(s * n)
            case GeomType.CYLINDER:
                reach = s[0] * np.hypot(n[0], n[1]) + s[1] * abs(n[2])
            case GeomType.BOX:
                reach = s @ np.abs(n)
            case GeomType.MESH if self.vertices is not None:
                reach = (self.vertices @ n).max()
            case _:
                raise ValueError(f"geom type {self.kind} has no support function")
        return float(direction @ self.pos + reach)

    def holds(self, point: np.ndarray) -> bool:
        """Whether a point lies in the shape, its surface included."""
        p, s = self.mat.T @ (point - self.pos), self.size
        match self.kind:
            case GeomType.PLANE:
                return bool(p[2] <= 0)
            case GeomType.SPHERE:
                return bool(np.linalg.norm(p) <= s[0])
            case GeomType.CAPSULE:
                return bool(np.hypot(np.hypot(p[0], p[1]), max(abs(p[2]) - s[1], 0.0)) <= s[0])
            case GeomType.ELLIPSOID:
                return bool(np.linalg.norm(p / s) <= 1)
            case GeomType.CYLINDER:
                return bool(np.hypot(p[0], p[1]) <= s[0] and abs(p[2]) <= s[1])
            case GeomType.BOX:
                return bool((np.abs(p) <= s).all())
            case GeomType.MESH if self.vertices is not None:
                sides = ConvexHull(self.vertices).equations
                return bool((sides[:, :3] @ p + sides[:, 3] <= 0).all())
            case _:
                return False

    def radius(self) -> float:
        """A length that stands for the size of the shape."""
        if self.vertices is not None:
            return float(np.linalg.norm(self.vertices, axis=1).max())
        return float(self.size.max() + (self.size[0] if self.kind == GeomType.CAPSULE else 0))


def separation(a: Shape, b: Shape, normal: np.ndarray) -> float:
    """Gap between two shapes along a unit normal from `a` to `b`; negative where they overlap along it.

    The distance of two convex shapes is the largest such gap over all normals. So a normal whose gap is the true
    distance is right, whichever of several right ones it is.
    """
    if a.kind == GeomType.PLANE:
        return float(-b.support(-a.mat[:, 2]) - a.mat[:, 2] @ a.pos)
    if b.kind == GeomType.PLANE:
        return separation(b, a, -normal)
    return -b.support(-normal) - a.support(normal)
