"""MSH, MuJoCo's own binary format: four counts, then single-precision arrays and triangles.

The counts are of vertices, normals, texture coordinates and faces, as 32-bit integers. Normals and texture coordinates
are either absent or one for each vertex.
"""

from __future__ import annotations

import numpy as np

from .errors import MeshError
from .surface import Surface, check_finite

HEADER_BYTES = 16


def read_msh(content: bytes, mirrored: bool) -> Surface:
    """The surface of an MSH file; `mirrored` turns every triangle over."""
    if len(content) < HEADER_BYTES:
        raise MeshError(f"MSH file of {len(content)} bytes is too short for its header of {HEADER_BYTES} bytes")
    nvert, nnormal, ntexcoord, nface = (int(n) for n in np.frombuffer(content, "<i4", 4))
    if nvert < 4 or nface < 0 or nnormal not in (0, nvert) or ntexcoord not in (0, nvert):
        raise MeshError(
            f"MSH file declares {nvert} vertices, {nnormal} normals, {ntexcoord} texture coordinates and {nface} faces;"
            " at least 4 vertices are required, and normals and texture coordinates must be as many or none"
        )
    expected = HEADER_BYTES + 4 * (3 * nvert + 3 * nnormal + 2 * ntexcoord + 3 * nface)
    if len(content) != expected:
        raise MeshError(f"MSH file has {len(content)} bytes, but its header asks for {expected}")

    at = HEADER_BYTES

    def take(dtype: str, rows: int, columns: int) -> np.ndarray:
        nonlocal at
        block = np.frombuffer(content, dtype, rows * columns, at).reshape(rows, columns)
        at += block.nbytes
        return block.astype(dtype[1:])

    surface = Surface(take("<f4", nvert, 3), normals=take("<f4", nnormal, 3), texcoords=take("<f4", ntexcoord, 2))
    check_finite(surface.vertices)
    faces = take("<i4", nface, 3)
    surface.face_normals = faces
    if ntexcoord:
        surface.face_texcoords = faces
    surface.faces = faces[:, [0, 2, 1]] if mirrored else faces
    return surface
