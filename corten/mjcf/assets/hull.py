"""Convex hull of a mesh and its graph, in the layout of the reference.

Both come from Qhull, with the same options, so facets are found in the same order. SciPy does not expose Qhull's list
of vertices, whose order numbers the vertices of the graph; it is recovered from the facets, see `_vertex_order`. Nor
does it expose the lists of facets around a vertex. Where Qhull has merged facets, both depend on the merges and leave
no trace in the result. So for meshes with flat sides the graph is that of the reference, but the neighbours of a vertex
may come in another order, and a few vertices (one in 150 over the meshes of MuJoCo Menagerie) may be numbered
differently.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from .errors import MeshError

SIMPLEX = 4
FLAT = 1e-6  # a triangle turned this little out of its own plane shows its orientation


@dataclass
class Hull:
    """`faces` holds outward triangles of mesh vertices; `graph` is the reference's packed description.

    The graph is the concatenation of: number of vertices, number of faces, for each hull vertex the address of its
    neighbours in the list below, for each hull vertex its mesh vertex, the lists of neighbours (hull vertices, each
    list closed by -1), and the faces (mesh vertices).
    """

    faces: NDArray[np.int32]
    graph: NDArray[np.int32]


def convex_hull(vertices: NDArray[np.float64], max_vertices: int = -1) -> Hull:
    """The hull of `vertices`; `max_vertices` stops its construction after so many, -1 does not limit."""
    hull = _qhull(vertices, max_vertices)
    facets = hull.simplices.astype(np.int32)
    faces = _outward(facets, vertices, hull.equations[:, :3], hull.neighbors)
    if len(facets) == 4 and np.isin(facets, _qhull(vertices, SIMPLEX).simplices).all():
        order = _simplex_order(facets)
    else:
        order = _vertex_order(facets, hull.equations)
    return Hull(faces, _pack_graph(facets, faces, order))


def _qhull(vertices: NDArray[np.float64], max_vertices: int) -> ConvexHull:
    # Qhull starts from a simplex and counts the vertices that it adds
    options = "Qt" if max_vertices < 0 else f"Qt TA{max_vertices - SIMPLEX}"
    try:
        return ConvexHull(vertices, qhull_options=options)
    except QhullError as error:
        reason = str(error).splitlines()[0]
        raise MeshError(f"the mesh has no convex hull; its vertices may lie in a plane ({reason})") from None


def _outward(
    facets: NDArray[np.int32], vertices: NDArray[np.float64], normals: NDArray[np.float64], neighbors: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Facets with their first two vertices exchanged where needed to turn counter-clockwise seen from outside.

    Slivers in a triangulated flat side do not show their orientation; they take it from a neighbour, which runs
    through the common edge the other way.
    """
    a, b, c = (vertices[facets[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    turn = (normal * normals).sum(axis=1)
    size = np.maximum(((b - a) ** 2).sum(axis=1), ((c - a) ** 2).sum(axis=1))
    known = np.abs(turn) > FLAT * size
    faces = np.where((turn < 0)[:, None], facets[:, [1, 0, 2]], facets)
    while not known.all():
        progress = False
        for face in np.flatnonzero(~known):
            for other in neighbors[face]:
                if known[other]:
                    if _share_directed_edge(faces[face], faces[other]):
                        faces[face, :2] = faces[face, [1, 0]]
                    known[face] = progress = True
                    break
        if not progress:
            break
    return faces


def _share_directed_edge(first: NDArray[np.int32], second: NDArray[np.int32]) -> bool:
    edges = {(first[k], first[(k + 1) % 3]) for k in range(3)}
    return any((second[k], second[(k + 1) % 3]) in edges for k in range(3))


def _simplex_order(facets: NDArray[np.int32]) -> NDArray[np.int32]:
    """Vertices of the initial simplex, newest first, as in every facet."""
    names, place = np.unique(facets, return_inverse=True)
    seniority = np.bincount(place.ravel(), weights=np.tile(np.arange(3), len(facets)))
    return names[np.argsort(seniority)]


def _vertex_order(facets: NDArray[np.int32], equations: NDArray[np.float64]) -> NDArray[np.int32]:
    """The hull's vertices in the order of Qhull's list.

    Qhull adds one vertex at a time, its apex, and joins it to the horizon with new facets, which go to the end of the
    facet list and name the apex first. Making a facet moves its vertices to the end of the vertex list, once in a
    round. So the last round in which a vertex took part decides its place; all facets of that round that hold the
    vertex are still there, because losing one of them would have brought a later round. At the end one more round cuts
    the flat sides into triangles, which share their equation.
    """
    nface = len(facets)
    new_round = np.r_[False, facets[1:, 0] != facets[:-1, 0]]
    same_side = np.flatnonzero((equations[1:] == equations[:-1]).all(axis=1))
    if len(same_side):
        new_round[same_side[0]] = True
        new_round[same_side[0] + 1 :] = False
    rounds = np.cumsum(new_round)

    vertex, position = facets.ravel(), np.arange(3 * nface)
    names, last = np.unique(vertex[::-1], return_index=True)
    last_round = np.zeros(int(names[-1]) + 1, np.int64)
    last_round[names] = rounds[(3 * nface - 1 - last) // 3]
    counts = rounds[position // 3] == last_round[vertex]
    names, first = np.unique(vertex[counts], return_index=True)
    return names[np.argsort(position[counts][first])]


def _pack_graph(
    facets: NDArray[np.int32], faces: NDArray[np.int32], order: NDArray[np.int32]
) -> NDArray[np.int32]:
    """The packed graph, see `Hull`. Neighbours come in the order in which the facets around a vertex name them."""
    nvert, nface = len(order), len(facets)
    local = np.zeros(int(order.max()) + 1, np.int32)
    local[order] = np.arange(nvert)
    corner = local[facets]
    owner = corner[:, [0, 0, 1, 1, 2, 2]].ravel()
    other = corner[:, [1, 2, 0, 2, 0, 1]].ravel()
    _, first = np.unique(owner.astype(np.int64) * nvert + other, return_index=True)  # an edge is in two facets
    first = first[np.lexsort((first, owner[first]))]
    degree = np.bincount(owner[first], minlength=nvert)
    address = np.r_[0, np.cumsum(degree + 1)[:-1]]
    edges = np.full(nvert + len(first), -1, np.int32)
    edges[np.arange(len(first)) + owner[first]] = other[first]
    return np.concatenate([[nvert, nface], address, order, edges, faces.ravel()]).astype(np.int32)
