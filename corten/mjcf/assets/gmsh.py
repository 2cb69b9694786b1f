"""GMSH, versions 2.2 and 4.1, text and binary: points, and triangles or tetrahedra between them.

Only files with one block of points and one block of elements of one kind are read, as in the reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .errors import MeshError

HEADER = re.compile(rb"\$MeshFormat\s+([0-9.]+)\s+([01])\b")
CORNERS = {1: 2, 2: 3, 4: 4}  # of each type of element: lines, triangles, tetrahedra


@dataclass
class GmshMesh:
    """Points in double precision, and numbers of points for each element, counted from zero."""

    points: NDArray[np.float64]
    elements: NDArray[np.int64]


def read_gmsh(content: bytes) -> GmshMesh:
    """The points and elements of a GMSH file."""
    head = HEADER.match(content)
    if head is None:
        raise MeshError("GMSH file does not begin with $MeshFormat, a version and a kind")
    version, binary = round(100 * float(head[1])), head[2] == b"1"
    reader = _READERS.get((version, binary))
    if reader is None:
        raise MeshError(f"GMSH file is of version {head[1].decode()}; only 2.2 and 4.1 are read")
    points, elements = reader(_section(content, b"Nodes"), _section(content, b"Elements"))
    if not np.isfinite(points).all():
        raise MeshError("GMSH file has a point that is not finite")
    if elements.size and not (0 <= elements.min() and elements.max() < len(points)):
        raise MeshError(f"GMSH file has an element with a point beyond its {len(points)} points")
    return GmshMesh(points, elements)


def _section(content: bytes, name: bytes) -> bytes:
    first, last = content.find(b"$" + name), content.find(b"$End" + name)
    if first < 0 or last < first:
        raise MeshError(f"GMSH file has no section ${name.decode()} that is closed")
    return content[first + len(name) + 2:last]


class _Words:
    """Numbers of a text section, taken in order."""

    def __init__(self, section: bytes) -> None:
        self.words = section.split()
        self.at = 0

    def take(self, number: int, dtype: type) -> np.ndarray:
        """The next numbers."""
        words = self.words[self.at:self.at + number]
        if number < 0 or len(words) < number:
            raise MeshError("GMSH file ends too early")
        self.at += number
        try:
            return np.array(words).astype(dtype)
        except (ValueError, OverflowError):
            raise MeshError("GMSH file has a word that is not a number") from None

    def one(self) -> int:
        """The next integer."""
        return int(self.take(1, np.int64)[0])


def _read_41_text(nodes: bytes, elements: bytes) -> tuple[np.ndarray, np.ndarray]:
    words = _Words(nodes)
    blocks, count, first, last, dim, _, _, inside = (int(n) for n in words.take(8, np.int64))
    _check_block(blocks, count, inside, "points")
    if last != inside:
        raise MeshError("GMSH file numbers its points with gaps")
    _check_tags(words.take(count, np.int64), first)
    points = words.take(3 * count, np.float64).reshape(-1, 3)
    words = _Words(elements)
    blocks, count, _, _, own_dim, _, kind, inside = (int(n) for n in words.take(8, np.int64))
    _check_block(blocks, count, inside, "elements")
    _check_kind(dim, own_dim, kind)
    table = words.take(count * (dim + 2), np.int64).reshape(-1, dim + 2)
    return points, table[:, 1:] - first


def _read_41_binary(nodes: bytes, elements: bytes) -> tuple[np.ndarray, np.ndarray]:
    head = np.dtype([("long", "<u8", 4), ("int", "<i4", 3), ("inside", "<u8")])
    top, rest = _head(nodes, head)
    blocks, count, first, _ = (int(n) for n in top["long"])
    dim = int(top["int"][0])
    _check_block(blocks, count, int(top["inside"]), "points")
    if len(rest) < 32 * count:
        raise MeshError("GMSH file ends too early")
    _check_tags(np.frombuffer(rest, "<u8", count).astype(np.int64), first)
    points = np.frombuffer(rest, "<f8", 3 * count, 8 * count).reshape(-1, 3)
    top, rest = _head(elements, head)
    blocks, count = (int(n) for n in top["long"][:2])
    _check_block(blocks, count, int(top["inside"]), "elements")
    _check_kind(dim, int(top["int"][0]), int(top["int"][2]))
    width = dim + 2
    if len(rest) < 8 * width * count:
        raise MeshError("GMSH file ends too early")
    table = np.frombuffer(rest, "<u8", width * count).reshape(-1, width).astype(np.int64)
    return points, table[:, 1:] - first


def _read_22_text(nodes: bytes, elements: bytes) -> tuple[np.ndarray, np.ndarray]:
    words = _Words(nodes)
    table = words.take(4 * words.one(), np.float64).reshape(-1, 4)
    words = _Words(elements)
    rows: list[np.ndarray] = []
    corners = 0
    for number in range(words.one()):
        _, kind, tags = (int(n) for n in words.take(3, np.int64))
        if number == 0:
            corners = _corners_22(kind)
        # the reference takes two tags wherever there are any
        words.take(2 if tags > 0 else 0, np.int64)
        rows.append(words.take(corners, np.int64) - 1)
    return table[:, 1:], np.array(rows, np.int64).reshape(-1, max(corners, 1))


def _read_22_binary(nodes: bytes, elements: bytes) -> tuple[np.ndarray, np.ndarray]:
    count, rest = _count_22(nodes)
    row = np.dtype([("tag", "<i4"), ("place", "<f8", 3)])
    if len(rest) < count * row.itemsize:
        raise MeshError("GMSH file ends too early")
    points = np.frombuffer(rest, row, count)["place"].copy()
    count, rest = _count_22(elements)
    if len(rest) < 12:
        raise MeshError("GMSH file ends too early")
    kind, _, tags = (int(n) for n in np.frombuffer(rest, "<i4", 3))
    corners = _corners_22(kind)
    # with tags each element has its own head of three numbers and two tags; without there is one head for all
    before, width = (6, 6 + corners) if tags > 0 else (1, 1 + corners)
    if tags <= 0:
        rest = rest[12:]
    if len(rest) < 4 * width * count:
        raise MeshError("GMSH file ends too early")
    table = np.frombuffer(rest, "<i4", width * count).reshape(-1, width)
    return points, table[:, before:].astype(np.int64) - 1


def _head(section: bytes, head: np.dtype) -> tuple[np.ndarray, bytes]:
    if len(section) < head.itemsize:
        raise MeshError("GMSH file ends too early")
    return np.frombuffer(section, head, 1)[0], section[head.itemsize:]


def _count_22(section: bytes) -> tuple[int, bytes]:
    line, _, rest = section.lstrip(b"\r\n").partition(b"\n")
    if not line.strip().isdigit() or len(line) > 10:
        raise MeshError("GMSH file has a section without a count")
    return int(line), rest


def _corners_22(kind: int) -> int:
    if kind not in (2, 4):
        raise MeshError(f"GMSH file has elements of type {kind}, which are neither triangles nor tetrahedra")
    return CORNERS[kind]


def _check_block(blocks: int, count: int, inside: int, what: str) -> None:
    if blocks != 1 or count != inside or count < 0:
        raise MeshError(f"GMSH file has its {what} in {blocks} blocks; only one is read")


def _check_tags(tags: np.ndarray, first: int) -> None:
    if (tags != np.arange(first, first + len(tags))).any():
        raise MeshError("GMSH file numbers its points out of order")


def _check_kind(dim: int, own_dim: int, kind: int) -> None:
    if own_dim != dim or CORNERS.get(kind) != dim + 1:
        raise MeshError(f"GMSH file has points of dimension {dim} and elements of type {kind}")


_READERS: dict[tuple[int, bool], Callable[[bytes, bytes], tuple[np.ndarray, np.ndarray]]] = {
    (410, False): _read_41_text, (410, True): _read_41_binary,
    (220, False): _read_22_text, (220, True): _read_22_binary,
}
