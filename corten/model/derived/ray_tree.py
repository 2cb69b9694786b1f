"""Trees of boxes around the triangles of meshes, so that a ray is tried with few of them.

Triangles of a mesh are sorted in halves along the longest side of their centres' box, and each half again, down to a
few triangles. The tree is complete: node k has the children 2 k + 1 and 2 k + 2, and the leaves share the sorted
triangles evenly. Sorting large meshes takes a while, and few models cast rays: trees are made here for models with
range finders, for others when the first ray is cast.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from corten.kernel.record import Field
from corten.model.enums import SensorType

FIELDS = (
    Field("nraynode", (), "size", "nodes of all trees", ours=True),
    Field("ray_ready", (), "int", "whether the trees have been made", ours=True),
    Field("ray_depth", ("nmesh",), "int", "levels of a mesh's tree below its root", ours=True),
    Field("ray_nodeadr", ("nmesh",), "int", "root of a mesh's tree", ours=True),
    Field("ray_box", ("nraynode", 6), "real", "least and greatest corner of each node", ours=True),
    Field("ray_face", ("nmeshface",), "int", "triangles as sorted", ours=True),
)

LEAF = 4  # triangles of a leaf, about
SLACK = 1e-6  # boxes are wider by this part of their size, against rounding


def derive(sizes: Mapping[str, int], values: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, Any]]:
    """Room for the trees; the trees themselves if range finders want them."""
    counts = np.asarray(values["mesh_facenum"])[: sizes["nmesh"]]
    depth = np.ceil(np.log2(np.maximum(counts / LEAF, 1.0))).astype(np.int32)
    nodes = 2 ** (depth.astype(np.int64) + 1) - 1
    address = np.concatenate([[0], np.cumsum(nodes)])
    tables: dict[str, Any] = {"ray_depth": depth, "ray_nodeadr": address[:-1]}
    if SensorType.RANGEFINDER in np.asarray(values["sensor_type"])[: sizes["nsensor"]]:
        box, face = np.zeros((int(address[-1]), 6)), np.zeros(sizes["nmeshface"], np.int32)
        plant({**values, **tables}, box, face)
        tables |= {"ray_box": box, "ray_face": face, "ray_ready": 1}
    return {"nraynode": int(address[-1])}, tables


def plant(values: Mapping[str, Any], box: np.ndarray, face: np.ndarray) -> None:
    """Make the trees of all meshes."""
    for mesh, depth in enumerate(np.asarray(values["ray_depth"])):
        first, count = int(values["mesh_faceadr"][mesh]), int(values["mesh_facenum"][mesh])
        if count == 0:
            continue
        corners = np.asarray(values["mesh_face"])[first : first + count] + int(values["mesh_vertadr"][mesh])
        points = np.asarray(values["mesh_vert"], float)[corners]
        start = int(values["ray_nodeadr"][mesh])
        order, boxes = grow_tree(points, int(depth))
        face[first : first + count] = first + order
        box[start : start + len(boxes)] = boxes


def grow_tree(points: np.ndarray, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """(order of the triangles, boxes of the nodes) for the corners of triangles, (n, 3, 3)."""
    count = len(points)
    centre, order = points.mean(axis=1), np.arange(count)
    for level in range(depth):
        starts = np.arange(2**level) * count >> level
        part = np.repeat(np.arange(2**level), np.diff(np.append(starts, count)))
        sides = _reduce(np.maximum, centre[order], starts) - _reduce(np.minimum, centre[order], starts)
        along = centre[order, sides.argmax(axis=1)[part]]
        order = order[np.lexsort((along, part))]
    leaves = np.arange(2**depth) * count >> depth
    low = [_reduce(np.minimum, points[order].min(axis=1), leaves)]
    high = [_reduce(np.maximum, points[order].max(axis=1), leaves)]
    for _ in range(depth):
        low.insert(0, np.minimum(low[0][::2], low[0][1::2]))
        high.insert(0, np.maximum(high[0][::2], high[0][1::2]))
    least, most = np.concatenate(low), np.concatenate(high)
    slack = SLACK * (most - least).max(axis=1, keepdims=True)
    return order, np.hstack([least - slack, most + slack])


def _reduce(least_or_most: np.ufunc, rows: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Over the rows from each start to the next."""
    return least_or_most.reduceat(rows, starts, axis=0)
