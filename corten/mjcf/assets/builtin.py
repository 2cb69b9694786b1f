"""Meshes generated from a few parameters."""

from __future__ import annotations

from numpy.typing import ArrayLike

from .errors import MeshError
from .surface import Surface


def builtin_surface(name: str, params: ArrayLike) -> Surface:
    raise MeshError(f"'{name}'")
