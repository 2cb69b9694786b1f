"""Height fields: elevations between 0 and 1, from a PNG image, from MuJoCo's binary format or from numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import MeshError
from .png import read_png

HEADER_BYTES = 8
MAX_POINTS = 2**27
SMALLEST_RANGE = 1e-14
FORMATS = ("png", "hfield")


@dataclass
class HeightField:
    """`data` has `nrow` by `ncol` elevations, row by row along y from its lower end, columns along x."""

    nrow: int
    ncol: int
    data: NDArray[np.float32]


def load_hfield(
    content: bytes | None = None, format: str = "", nrow: int = 0, ncol: int = 0, elevation: ArrayLike | None = None
) -> HeightField:
    """A height field from the bytes of a file (`format` "png" or "hfield"), from `elevation`, or flat.

    A file brings its own size, and wins over the other arguments. Rows of an image and of `elevation` are written from
    top to bottom, those of the binary format from bottom to top. Elevations are shifted and scaled to fill 0 to 1.
    """
    if content is not None:
        if format == "png":
            rows = read_png(content)[::-1].astype(np.float32)
        elif format == "hfield":
            rows = _read_binary(content)
        else:
            raise MeshError(f"height field files of type '{format}' are not read, only {', '.join(FORMATS)}")
    else:
        _check_size(nrow, ncol)
        rows = np.zeros((nrow, ncol), np.float32)
        if elevation is not None and np.size(elevation):
            given = np.asarray(elevation, np.float32).ravel()
            if given.size != nrow * ncol:
                raise MeshError(f"height field has {given.size} elevations for {nrow} rows of {ncol} columns")
            rows = given.reshape(nrow, ncol)[::-1]
    if not np.isfinite(rows).all():
        raise MeshError("height field has an elevation that is not finite")
    return HeightField(*rows.shape, _normalised(rows).ravel())


def _check_size(nrow: int, ncol: int) -> None:
    if nrow < 1 or ncol < 1 or nrow * ncol > MAX_POINTS:
        raise MeshError(f"height field of {nrow} rows and {ncol} columns is empty or too large")


def _read_binary(content: bytes) -> NDArray[np.float32]:
    """Two 32-bit integers, the numbers of rows and columns, then the elevations in single precision."""
    if len(content) < HEADER_BYTES:
        raise MeshError(f"height field file of {len(content)} bytes is too short for its header")
    nrow, ncol = (int(n) for n in np.frombuffer(content, "<i4", 2))
    _check_size(nrow, ncol)
    expected = HEADER_BYTES + 4 * nrow * ncol
    if len(content) != expected:
        raise MeshError(f"height field file has {len(content)} bytes, but its header asks for {expected}")
    return np.frombuffer(content, "<f4", nrow * ncol, HEADER_BYTES).reshape(nrow, ncol).astype(np.float32)


def _normalised(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    shifted = rows - rows.min()
    span = shifted.max()
    return shifted / span if span > SMALLEST_RANGE else shifted
