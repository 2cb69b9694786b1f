"""Wavefront OBJ, read the way the reference's reader does.

All vertices of the file are kept, in order and with repetitions, but only the faces of the first group or object that
has any. Materials, smoothing groups and unknown statements are ignored. Polygons are cut into triangles.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from .errors import MeshError
from .surface import Surface, check_finite
from .triangulate import clip_polygon, clip_quads

NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:nan|inf(?:inity)?)", re.IGNORECASE)
INTEGER = re.compile(rb"[+-]?\d+")
INT_MAX = 2**31 - 1
MOST_CORNERS = 100  # the reference leaves out polygons with more


@dataclass
class _Statements:
    """The lines that matter, by kind, without their keyword.

    `blocks` tells what relative indices count back from: from face number `blocks[i][0]` on, so many vertices, texture
    coordinates and normals had been read.
    """

    v: list[bytes] = field(default_factory=list)
    vt: list[bytes] = field(default_factory=list)
    vn: list[bytes] = field(default_factory=list)
    f: list[bytes] = field(default_factory=list)
    blocks: list[tuple[int, int, int, int]] = field(default_factory=list)


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
    points = {b"v": found.v, b"vt": found.vt, b"vn": found.vn}
    complete = False  # no more faces are taken
    other_elements = False
    new_points = True
    for line in content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"):
        keyword, space, rest = line.partition(b" ")
        if not space or (keyword not in points and keyword != b"f"):
            words = line.lstrip().replace(b"\t", b" ").split(b" ", 1)  # indented, or with a tab, or of another kind
            if len(words) < 2:
                continue  # a bare word is no statement
            keyword, rest = words
        if keyword in points:
            points[keyword].append(rest)
            new_points = True
        elif keyword == b"f":
            if not complete:
                if new_points:
                    found.blocks.append((len(found.f), len(found.v), len(found.vt), len(found.vn)))
                    new_points = False
                found.f.append(rest)
        elif keyword in (b"g", b"o"):
            # an object of lines or points only counts as the first shape, a group of them does not
            complete = complete or (keyword == b"o" and other_elements) or any(len(f.split()) >= 3 for f in found.f)
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
    the number of corners of each face. Faces of fewer than three corners are left out."""
    faces = [line.split() for line in statements.f]
    counts = np.array([len(words) for words in faces], np.int64)
    words = list(chain.from_iterable(faces))
    raw = np.zeros((len(words), 3), np.int64)
    given = np.zeros((len(words), 3), bool)
    columns = _common_columns(words)
    try:
        values = list(map(int, b" ".join(words).replace(b"//", b" ").replace(b"/", b" ").split()))
        raw[:, columns] = np.array(values, np.int64).reshape(-1, len(columns))
        given[:, columns] = True
    except (ValueError, OverflowError):
        for row, word in enumerate(words):
            _read_corner(word, raw[row], given[row])
    zero = (given & (raw == 0)).any(axis=1)
    if zero.any():
        row = int(np.argmax(zero))
        face = int(np.searchsorted(np.cumsum(counts), row, side="right"))
        raise MeshError(f"OBJ face {face} has a corner '{words[row].decode(errors='replace')}'; indices start at 1")

    index = np.where(given, raw - 1, -1)
    if (raw < 0).any():
        blocks = np.array(statements.blocks)
        face = np.repeat(np.arange(len(counts)), counts)
        block = np.searchsorted(blocks[:, 0], face, side="right") - 1
        index = np.where(raw < 0, blocks[block, 1:] + raw, index)
    return index[np.repeat(counts >= 3, counts)], counts[counts >= 3]


def _common_columns(words: list[bytes]) -> list[int]:
    """The columns that every corner fills, if all are written alike; else none."""
    text = b" ".join(words)
    skeleton = text.translate(None, b"+-0123456789")
    slashes = skeleton.partition(b" ")[0]
    if skeleton != b" ".join([slashes] * len(words)):
        return []
    without_texcoord = text.count(b"//")
    return {
        (b"", 0): [0],
        (b"/", 0): [0, 1],
        (b"//", 0): [0, 1, 2],
        (b"//", len(words)): [0, 2],
    }.get((slashes, without_texcoord), [])


def _read_corner(word: bytes, raw: NDArray[np.int64], given: NDArray[np.bool_]) -> None:
    """Read `v`, `v/t`, `v//n` or `v/t/n`; only the leading digits of each part count, and none count as zero."""
    for column, part in enumerate(word.split(b"/")[:3]):
        if part == b"" and column == 1:
            continue
        match = INTEGER.match(part)
        raw[column] = max(-INT_MAX, min(int(match.group()), INT_MAX)) if match else 0
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
    for face in np.flatnonzero((counts > 4) & (counts <= MOST_CORNERS)):
        members = starts[face] + np.arange(counts[face])
        local_list = clip_polygon(vertices[corners[members, 0]])
        owners.append(np.full(len(local_list), face))
        rows.append(starts[face] + np.array(local_list, np.int64).reshape(-1, 3))
    order = np.argsort(np.concatenate(owners), kind="stable")
    return corners[np.concatenate(rows)[order].ravel()]
