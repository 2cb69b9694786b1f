"""Convex hulls as graphs: the same hull may be stored in any order of its vertices, neighbours and faces."""

from __future__ import annotations

from typing import Any

import numpy as np


def canonical_graphs(m: Any) -> np.ndarray:
    """`mesh_graph` in an order that depends on the hulls alone.

    The stored form of one hull is: counts of vertices and faces; for each vertex where its neighbours begin, and its
    number in the mesh; the neighbours' numbers in the hull, each list ended by -1; three mesh vertices for each face.
    Here it is: the counts; each vertex by its number in the mesh with its sorted neighbours, ended by -1; the sorted
    faces, each turned so that its smallest vertex comes first, which keeps the side it faces.
    """
    graph, parts = np.asarray(m.mesh_graph), []
    for start in np.asarray(m.mesh_graphadr):
        if start >= 0:
            parts.append(_canonical(graph[start:]))
    return np.concatenate(parts) if parts else np.zeros(0, np.int32)


def _canonical(graph: np.ndarray) -> np.ndarray:
    nvert, nface = (int(n) for n in graph[:2])
    begins, numbers, neighbours, faces = np.split(
        graph[2 : 2 + 2 * nvert + (nvert + 3 * nface) + 3 * nface], [nvert, 2 * nvert, 3 * nvert + 3 * nface]
    )
    out = [nvert, nface]
    for i in np.argsort(numbers):
        tail = neighbours[begins[i] :]
        near = tail[: int(np.argmax(tail < 0))]
        out += [int(numbers[i]), *np.sort(numbers[near]).tolist(), -1]
    turned = [np.roll(face, -int(np.argmin(face))) for face in faces.reshape(-1, 3)]
    out += [int(v) for face in sorted(turned, key=tuple) for v in face]
    return np.array(out, np.int32)
