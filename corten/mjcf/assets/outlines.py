"""Outlines of triangles that lie in one plane: what is left when edges between neighbours cancel.

Edges that two triangles run through in opposite directions cancel, of several such the oldest. Triangles that share
edges are one piece. What remains keeps the order of insertion, which decides where an outline begins. Inner boundaries
are left out.

Edges are rows of integers. Those that begin at a vertex are a list, oldest first. Large meshes have some 100,000
triangles, so the work is done by a kernel.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from corten.kernel import kernel, local_int

START, END, PIECE, NEXT, GONE, WIDTH = 0, 1, 2, 3, 4, 5  # columns of an edge: NEXT from the same vertex, or -1
PATHS, LENGTH, STAMP = 0, 1, 2  # what is counted: outlines, vertices of them, walks tried


def outlines(
    triangles: NDArray[np.int32], sizes: NDArray[np.int64], nvert: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """(vertices of all outlines one after the other, how many each has) of groups of consecutive triangles."""
    most = int(sizes.max(initial=0))
    corners = np.ascontiguousarray(triangles, np.int64).ravel()
    path, length = np.zeros(len(corners) + 1, np.int64), np.zeros(len(triangles) + 1, np.int64)
    edge, head, last = np.zeros(3 * WIDTH * most + 1, np.int64), np.full(nvert, -1, np.int64), np.zeros(nvert, np.int64)
    parent, first = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64)
    mark, count = np.full(nvert, -1, np.int64), np.zeros(3, np.int64)
    trace(
        corners, np.ascontiguousarray(sizes, np.int64), len(sizes), edge, head, last, parent, first, mark, path, length,
        count,
    )  # fmt: skip
    return path[: count[LENGTH]].astype(np.int32), length[: count[PATHS]].astype(np.int32)


@kernel
def trace(corners, sizes, nside, edge, head, last, parent, first, mark, path, length, count):
    """The outlines of all sides, one after the other."""
    begin = 0
    for side in range(nside):
        size = sizes[side]
        if size == 1:
            at = count[LENGTH]
            for k in range(3):
                path[at + k] = corners[3 * begin + k]
            close(length, count, 3)
        else:
            edges, pieces, left = cancel(corners, begin, size, edge, head, last, parent)
            if left == 3:
                remaining_triangle(edges, edge, path, length, count)
            else:
                walk_pieces(edges, pieces, edge, head, parent, first, mark, path, length, count)
            for i in range(edges):
                head[edge[WIDTH * i + START]] = -1
        begin += size


@kernel
def close(length, count, n):
    """The outline whose n vertices have been written is one more."""
    length[count[PATHS]] = n
    count[PATHS] += 1
    count[LENGTH] += n


@kernel
def root(parent, piece):
    """The piece that stands for all that a piece has been joined with."""
    while parent[piece] != piece:
        parent[piece] = parent[parent[piece]]
        piece = parent[piece]
    return piece


@kernel
def cancel(corners, begin, size, edge, head, last, parent):
    """(edges, pieces, edges that are left) of `size` triangles from `begin` on."""
    fresh = local_int(3)
    edges, pieces, left = 0, 0, 0
    for t in range(begin, begin + size):
        joined, new = -1, 0
        for k in range(3):
            start, end = corners[3 * t + k], corners[3 * t + (k + 1) % 3]
            i = head[end]
            while i >= 0 and (edge[WIDTH * i + GONE] == 1 or edge[WIDTH * i + END] != start):
                i = edge[WIDTH * i + NEXT]
            if i < 0:
                fresh[new] = k
                new += 1
            else:
                edge[WIDTH * i + GONE] = 1
                left -= 1
                piece = root(parent, edge[WIDTH * i + PIECE])
                if joined < 0:
                    joined = piece
                elif piece != joined:
                    low = min(piece, joined)
                    parent[max(piece, joined)] = low
                    joined = low
        if joined < 0:
            joined = pieces
            parent[pieces] = pieces
            pieces += 1
        for n in range(new):
            k = fresh[n]
            add_edge(edge, head, last, edges, corners[3 * t + k], corners[3 * t + (k + 1) % 3], joined)
            edges += 1
            left += 1
    return edges, pieces, left


@kernel
def add_edge(edge, head, last, i, start, end, piece):
    """Edge number i, the last of those that begin where it does."""
    edge[WIDTH * i + START] = start
    edge[WIDTH * i + END] = end
    edge[WIDTH * i + PIECE] = piece
    edge[WIDTH * i + NEXT] = -1
    edge[WIDTH * i + GONE] = 0
    if head[start] < 0:
        head[start] = i
    else:
        edge[WIDTH * last[start] + NEXT] = i
    last[start] = i


@kernel
def remaining_triangle(edges, edge, path, length, count):
    """Three edges are an outline as they come."""
    at = count[LENGTH]
    for i in range(edges):
        if edge[WIDTH * i + GONE] == 0:
            path[at] = edge[WIDTH * i + START]
            at += 1
    close(length, count, 3)


@kernel
def walk_pieces(edges, pieces, edge, head, parent, first, mark, path, length, count):
    """The outlines of the pieces, each from its first edge on."""
    for piece in range(pieces):
        first[piece] = -1
    oldest = -1
    for i in range(edges):
        if edge[WIDTH * i + GONE] == 0:
            piece = root(parent, edge[WIDTH * i + PIECE])
            edge[WIDTH * i + PIECE] = piece
            if first[piece] < 0:
                first[piece] = i
            if oldest < 0:
                oldest = i
    for piece in range(pieces):
        if first[piece] >= 0:
            n = walk(piece, first[piece], oldest, edge, head, mark, path, count)
            if n >= 3:
                close(length, count, n)


@kernel
def walk(piece, i, oldest, edge, head, mark, path, count):
    """Vertices from an edge onwards until it closes; how many, or 0 if it runs into a loop elsewhere or ends.

    The reference does not look at its oldest edge again, which matters if it starts where it ends.
    """
    stamp, at, n = count[STAMP], count[LENGTH], 2
    count[STAMP] += 1
    path[at] = edge[WIDTH * i + START]
    path[at + 1] = edge[WIDTH * i + END]
    mark[path[at]] = stamp
    mark[path[at + 1]] = stamp
    while True:
        k = head[path[at + n - 1]]
        while k >= 0 and (edge[WIDTH * k + GONE] == 1 or edge[WIDTH * k + PIECE] != piece or k == oldest):
            k = edge[WIDTH * k + NEXT]
        if k < 0:
            return 0
        step = edge[WIDTH * k + END]
        if step == path[at]:
            return n
        if mark[step] == stamp:
            return 0
        path[at + n] = step
        mark[step] = stamp
        n += 1
