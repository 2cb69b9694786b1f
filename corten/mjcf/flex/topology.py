"""What follows from the elements of a flex alone: edges, neighbours across edges, surface, depth, collision pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

# vertices at the ends of an element's edges, by dimension
EDGES = {
    1: np.array([[0, 1]]),
    2: np.array([[1, 2], [2, 0], [0, 1]]),
    3: np.array([[0, 1], [1, 2], [2, 0], [2, 3], [0, 3], [1, 3]]),
}
# an element's facets, by dimension: vertices so that the outside is where a triangle runs counter-clockwise
FACETS = {
    1: np.array([[0], [1]]),
    2: np.array([[0, 1], [2, 0], [1, 2]]),
    3: np.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]),
}


@dataclass(frozen=True, slots=True)
class Topology:
    """`edges` are pairs of vertices, the lower first, in the order in which elements bring them; `element_edges` are
    numbers of edges. `flaps` are, for each edge between triangles, its ends as the first triangle has them and the
    third vertices of the first and of the last triangle, or -1. `shell` are the facets of one element only. `layer`
    counts from the surface on. `pairs` are an element and a vertex of a neighbour on the other side of a facet.
    """

    edges: Ints
    element_edges: Ints
    flaps: Ints
    shell: Ints
    layer: Ints
    pairs: Ints


def topology(elements: Ints, nvert: int) -> Topology:
    """All of it."""
    dim = elements.shape[1] - 1
    edges, element_edges = _edges(elements, nvert)
    sorted_facets, facets, owner = _facets(elements)
    same = (sorted_facets[1:] == sorted_facets[:-1]).all(axis=1)
    alone = ~np.append(same, False) & ~np.insert(same, 0, False)
    border = np.zeros(len(elements), bool)
    border[owner[alone]] = True
    joined = np.stack([owner[:-1][same], owner[1:][same]], axis=1)
    layer = np.zeros(len(elements), np.int64)
    pairs = np.zeros((0, 2), np.int64)
    if dim == 3:
        layer = _layers(border, joined)
    else:
        pairs = _pairs(elements, sorted_facets[1:][same], joined, border)
    flaps = _flaps(elements, element_edges, len(edges)) if dim == 2 else np.zeros((0, 4), np.int64)
    return Topology(edges, element_edges, flaps, facets[alone], layer, pairs)


def _edges(elements: Ints, nvert: int) -> tuple[Ints, Ints]:
    ends = np.sort(elements[:, EDGES[elements.shape[1] - 1]], axis=2)
    keys = ends[..., 0] * nvert + ends[..., 1]
    distinct, first, which = np.unique(keys.ravel(), return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    edges = np.stack(np.divmod(distinct[order], nvert), axis=1)
    return edges, number[which.reshape(keys.shape)]


def _flaps(elements: Ints, element_edges: Ints, nedge: int) -> Ints:
    """Edge number k of a triangle is the one opposite to its vertex k."""
    edge = element_edges.ravel()
    ends = elements[:, EDGES[2]].reshape(-1, 2)
    opposite = elements.ravel()
    _, first = np.unique(edge, return_index=True)
    last = np.full(nedge, -1)
    later = np.ones(len(edge), bool)
    later[first] = False
    last[edge[later]] = opposite[later]  # of several, the last one stays
    return np.concatenate([ends[first], opposite[first, None], last[:, None]], axis=1)


def _facets(elements: Ints) -> tuple[Ints, Ints, Ints]:
    """All facets in the order of their sorted vertices, then of elements: sorted, as they are, and whose they are."""
    dim = elements.shape[1] - 1
    facets = elements[:, FACETS[dim]].reshape(-1, dim)
    owner = np.repeat(np.arange(len(elements)), dim + 1)
    arranged = np.sort(facets, axis=1)
    order = np.lexsort((owner, *arranged.T[::-1]))
    return arranged[order], facets[order], owner[order]


def _layers(border: NDArray[np.bool_], joined: Ints) -> Ints:
    """How many facets lie between an element and the nearest one at the surface; one more than there are elements
    where no way leads there."""
    n = len(border)
    layer = np.where(border, 0, n + 1)
    ways = np.concatenate([joined, joined[:, ::-1]])
    depth = 0
    while len(ways):
        reached = ways[layer[ways[:, 0]] == depth, 1]
        reached = reached[layer[reached] > depth + 1]
        if not len(reached):
            break
        depth += 1
        layer[reached] = depth
    return layer


def _pairs(elements: Ints, common: Ints, joined: Ints, border: NDArray[np.bool_]) -> Ints:
    """For elements that share a facet, one of them at the border: each with the vertex that only the other has."""
    near = border[joined].any(axis=1)
    joined, common = joined[near], common[near]
    result = np.zeros((len(joined), 2, 2), np.int64)
    for k in (0, 1):
        corners = elements[joined[:, k]]
        outside = (corners[:, :, None] != common[:, None, :]).all(axis=2)
        result[:, k, 0] = joined[:, 1 - k]
        result[:, k, 1] = corners[np.arange(len(joined)), outside.argmax(axis=1)]
    return result.reshape(-1, 2)
