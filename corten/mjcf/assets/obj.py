"""Wavefront OBJ, read the way the reference's reader does.

All vertices of the file are kept, in order and with repetitions, but only the faces of the first group or object that
has any. Materials, smoothing groups and unknown statements are ignored. Polygons are cut into triangles.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .errors import MeshError
from .surface import Surface, check_finite
from .triangulate import clip_polygon, clip_quads

NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:nan|inf(?:inity)?)", re.IGNORECASE)
INTEGER = re.compile(rb"[+-]?\d+")


@dataclass
class _Statements:
    """The lines that matter, by kind, without their keyword; `_at` lists are line numbers."""

    v: list[bytes] = field(default_factory=list)
    vn: list[bytes] = field(default_factory=list)
    vt: list[bytes] = field(default_factory=list)
    v_at: list[int] = field(default_factory=list)
    vn_at: list[int] = field(default_factory=list)
    vt_at: list[int] = field(default_factory=list)
    f: list[bytes] = field(default_factory=list)
    f_at: list[int] = field(default_factory=list)


def read_obj(content: bytes, mirrored: bool) -> Surface:
    """The surface of an OBJ file; `mirrored` turns every triangle over."""
    statements = _split(content)
    vertices = _numbers(statements.v, 3)
    texcoords = _numbers(statements.vt, 2)
    texcoords[:, 1] = 1 - texcoords[:, 1]  # images are stored top to bottom
    surface = Surface(vertices, normals=_numbers(statements.vn, 3), texcoords=texcoords)
    check_finite(vertices)

    corners, counts = _corners(statements)
    if len(corners):
        corners = _triangles(corners, counts, vertices).reshape(-1, 3, 3)
        if mirrored:
            corners = corners[:, [0, 2, 1]]
        surface.faces = corners[:, :, 0].astype(np.int32)
        if len(surface.normals):
            surface.face_normals = corners[:, :, 2].astype(np.int32)
        if len(texcoords):
            surface.face_texcoords = corners[:, :, 1].astype(np.int32)
    return surface


def _split(content: bytes) -> _Statements:
    """Sort the lines by keyword. Faces end with the first group that has some with three corners or more."""
    found = _Statements()
    kinds = {
        b"v": (found.v, found.v_at), b"vn": (found.vn, found.vn_at), b"vt": (found.vt, found.vt_at),
        b"f": (found.f, found.f_at),
    }  # fmt: skip
    faces_complete = False
    other_elements = False
    for number, line in enumerate(content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")):
        words = line.split(None, 1)
        if len(words) < 2:
            faces_complete |= words == [b"g"] and len(found.f) > 0
            continue
        keyword, rest = words
        if keyword in kinds:
            if keyword != b"f":
                lines, at = kinds[keyword]
                lines.append(rest)
                at.append(number)
            elif not faces_complete and len(rest.split(None, 3)) >= 3:
                found.f.append(rest)
                found.f_at.append(number)
        elif keyword in (b"g", b"o"):
            # an object of lines or points only counts as the first shape, a group of them does not
            faces_complete |= len(found.f) > 0 or (keyword == b"o" and other_elements)
            other_elements = False
        elif keyword in (b"l", b"p"):
            other_elements = True
    return found


def _numbers(lines: list[bytes], columns: int) -> NDArray[np.float32]:
    """The first `columns` numbers of each line. What is missing or cannot be read is zero."""
    if not lines:
        return np.zeros((0, columns), np.float32)
    words = b" ".join(lines).split()
    width, remainder = divmod(len(words), len(lines))
    if remainder == 0 and width >= columns and len(lines[0].split()) == width:
        try:
            table = np.array(list(map(float, words))).reshape(-1, width)
            if all(len(line.split()) == width for line in lines):
                return _single(table[:, :columns])
        except ValueError:
            pass  # a word that is not a number: read line by line
    table = np.zeros((len(lines), columns))
    for row, line in enumerate(lines):
        for column, word in enumerate(line.split()[:columns]):
            match = NUMBER.match(word)
            if match:
                table[row, column] = float(match.group())
    return _single(table)


def _single(table: NDArray[np.float64]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return table.astype(np.float32)


def _corners(statements: _Statements) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each corner of each face its vertex, texture coordinate and normal counted from zero, -1 where absent; and
    the number of corners of each face."""
    lines = statements.f
    words = [line.split() for line in lines]
    counts = np.array([len(w) for w in words], np.int64)
    flat = [w for face in words for w in face]
    if not flat:
        return np.zeros((0, 3), np.int64), counts
    raw = np.zeros((len(flat), 3), np.int64)
    given = np.zeros((len(flat), 3), bool)
    pattern, columns = _pattern(flat)
    if pattern is not None:
        try:
            values = list(map(int, b" ".join(flat).replace(b"//", b" ").replace(b"/", b" ").split()))
            raw[:, columns] = np.array(values, np.int64).reshape(-1, len(columns))
            given[:, columns] = True
        except (ValueError, OverflowError):
            pattern = None
    if pattern is None:
        for row, word in enumerate(flat):
            _read_corner(word, raw[row], given[row])
    if (given & (raw == 0)).any():
        row = int(np.argmax((given & (raw == 0)).any(axis=1)))
        face = int(np.searchsorted(np.cumsum(counts), row, side="right"))
        raise MeshError(f"OBJ line {statements.f_at[face] + 1}: '{flat[row].decode(errors='replace')}' is not a corner")

    index = np.where(given, raw - 1, -1)
    if (raw < 0).any():
        # negative numbers count back from the statements read so far
        at = np.repeat(np.array(statements.f_at), counts)
        for column, places in enumerate((statements.v_at, statements.vt_at, statements.vn_at)):
            so_far = np.searchsorted(np.array(places, np.int64), at)
            index[:, column] = np.where(raw[:, column] < 0, so_far + raw[:, column], index[:, column])
    return index, counts


def _pattern(words: list[bytes]) -> tuple[bytes | None, list[int]]:
    """The way all corners are written, if it is the same for all, and the columns it fills."""
    slashes = words[0].count(b"/")
    if any(w.count(b"/") != slashes for w in words):
        return None, []
    doubled = b"//" in words[0]
    if any((b"//" in w) != doubled for w in words):
        return None, []
    columns = {(0, False): [0], (1, False): [0, 1], (2, True): [0, 2], (2, False): [0, 1, 2]}.get((slashes, doubled))
    return (words[0], columns) if columns else (None, [])


def _read_corner(word: bytes, raw: NDArray[np.int64], given: NDArray[np.bool_]) -> None:
    """Read `v`, `v/t`, `v//n` or `v/t/n`; only the leading digits of each part count, and none count as zero."""
    for column, part in enumerate(word.split(b"/")[:3]):
        if part == b"" and column == 1:
            continue
        match = INTEGER.match(part)
        raw[column] = np.clip(int(match.group()), -(2**31), 2**31 - 1) if match else 0
        given[column] = True


def _triangles(
    corners: NDArray[np.int64], counts: NDArray[np.int64], vertices: NDArray[np.float32]
) -> NDArray[np.int64]:
    """Rows of `corners`, three for each triangle, with polygons cut up in the order of the faces."""
    starts = np.cumsum(counts) - counts
    bad = (corners[:, 0] < 0) | (corners[:, 0] >= len(vertices))
    if bad.any():
        row = int(np.argmax(bad))
        face = int(np.searchsorted(starts, row, side="right")) - 1
        raise MeshError(f"face {face} refers to vertex {corners[row, 0]}, but the mesh has {len(vertices)} vertices")
    if (counts == 3).all():
        return corners

    owners, rows = [], []
    plain = np.flatnonzero(counts == 3)
    owners.append(plain)
    rows.append(starts[plain, None] + np.arange(3))
    quads = np.flatnonzero(counts == 4)
    owner, local = clip_quads(vertices[corners[starts[quads, None] + np.arange(4), 0]])
    owners.append(quads[owner])
    rows.append(starts[quads[owner], None] + local)
    for face in np.flatnonzero(counts > 4):
        members = starts[face] + np.arange(counts[face])
        local_list = clip_polygon(vertices[corners[members, 0]])
        owners.append(np.full(len(local_list), face))
        rows.append(starts[face] + np.array(local_list, np.int64).reshape(-1, 3))
    order = np.argsort(np.concatenate(owners), kind="stable")
    return corners[np.concatenate(rows)[order].ravel()]
