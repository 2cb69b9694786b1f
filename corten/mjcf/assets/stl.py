"""Binary STL: an 80-byte title, the number of triangles, then 50 bytes for each of them.

A triangle is a normal, three corners (all single precision) and two spare bytes. Normals in the file are ignored. The
text form of the format is refused, as in the reference.
"""

from __future__ import annotations

import numpy as np

from .errors import MeshError
from .surface import Surface, check_finite, merge_repeated

HEADER_BYTES = 84
MAX_FACES = 200_000
MAX_COORDINATE = 2.0**30
TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")])


def read_stl(content: bytes, mirrored: bool) -> Surface:
    """The surface of a binary STL file with repeated vertices merged; `mirrored` turns every triangle over."""
    if len(content) < HEADER_BYTES:
        raise MeshError(f"STL file of {len(content)} bytes is too short for its header of {HEADER_BYTES} bytes")
    nface = int.from_bytes(content[80:84], "little", signed=True)
    if not 1 <= nface <= MAX_FACES:
        raise MeshError(f"STL file declares {nface} faces, not 1 to {MAX_FACES}; is it a text file?")
    if len(content) != HEADER_BYTES + TRIANGLE.itemsize * nface:
        raise MeshError(f"STL file of {len(content)} bytes does not fit its {nface} faces; is it a text file?")

    vertices = np.frombuffer(content, TRIANGLE, nface, HEADER_BYTES)["corners"].reshape(-1, 3).astype(np.float32)
    if (np.abs(vertices) > MAX_COORDINATE).any():
        raise MeshError(f"STL file has a coordinate beyond {MAX_COORDINATE:.0f}")
    check_finite(vertices)
    faces = np.arange(3 * nface, dtype=np.int32).reshape(-1, 3)
    if mirrored:
        faces = faces[:, [0, 2, 1]]
    return merge_repeated(Surface(vertices, faces))
