"""Which dofs change the lengths of a flex's edges: the sparse rows of the Jacobians of edges and of vertices."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np

from corten.mjcf.flex.compile import VERTICES, Compiled, Ints, edge_equalities
from corten.mjcf.spec import Body, Spec


def jacobian_arrays(spec: Spec, compiled: list[Compiled], bodies: list[Body]) -> dict[str, Any]:
    """The `flexedge_J_*`, `flexvert_J_*` and `flex_vertedge*` arrays.

    There is room for the rows of every flex that moves, as in the reference, but only those that something needs are
    laid out: of edges where an equality, a spring or a damper acts, of vertices where an equality holds them on the
    whole. As in the reference a row follows on the one before it in the model, so that after a flex without rows they
    start again from zero.
    """
    held = edge_equalities(spec)
    dofs = _dofs_of(bodies)
    nvert, nedge = sum(c.soft.nvert for c in compiled), sum(len(c.topology.edges) for c in compiled)
    edge_rows: list[list[int]] = [[] for _ in range(nedge)]
    vertex_rows: list[list[int]] = [[] for _ in range(nvert)]
    edge_room = vertex_room = first_vertex = first_edge = 0
    used_edge, used_vertex = np.zeros(nedge, bool), np.zeros(nvert, bool)
    around = {"flex_vertedgeadr": np.zeros(nvert, np.int64), "flex_vertedgenum": np.zeros(nvert, np.int64)}
    listed: list[Ints] = []
    for number, c in enumerate(compiled):
        own_edges = slice(first_edge, first_edge + len(c.topology.edges))
        own_vertices = slice(first_vertex, first_vertex + c.soft.nvert)
        first_edge, first_vertex = own_edges.stop, own_vertices.stop
        if c.rigid or c.soft.order:
            continue
        rows = [_union(dofs, pair) for pair in c.bodies[c.topology.edges].tolist()]
        neighbours = _neighbours(c)
        stars = [_union(dofs, near) for near in neighbours]
        edge_room += sum(map(len, rows))
        vertex_room += sum(map(len, stars))
        values = c.flex.values
        if held.get(number) or values["edge"]["damping"] or values["edge"]["stiffness"] \
                or values["elasticity"]["damping"]:
            edge_rows[own_edges] = rows
            used_edge[own_edges] = True
        if c.soft.dim == 2 and held.get(number) == VERTICES:
            vertex_rows[own_vertices] = stars
            used_vertex[own_vertices] = True
            degree, edges = _stars(c.topology.edges, c.soft.nvert)
            around["flex_vertedgenum"][own_vertices] = degree
            around["flex_vertedgeadr"][own_vertices] = sum(map(len, listed)) + np.cumsum(degree) - degree
            listed.append(edges)
    vertedge = np.zeros(2 * nedge, np.int64)
    together = np.concatenate(listed) if listed else np.zeros(0, np.int64)
    vertedge[:len(together)] = together
    nnz, adr, columns = _layout(edge_rows, used_edge, edge_room, False)
    twice = [row for row in vertex_rows for _ in range(2)]
    vertex_nnz, vertex_adr, vertex_columns = _layout(twice, np.repeat(used_vertex, 2), 2 * vertex_room, True)
    return {
        **around,
        "flex_vertedge": vertedge,
        "flexedge_J_rownnz": nnz, "flexedge_J_rowadr": adr, "flexedge_J_colind": columns,
        "flexvert_J_rownnz": vertex_nnz, "flexvert_J_rowadr": vertex_adr,
        "flexvert_J_colind": vertex_columns.reshape(-1, 2),
    }


def _dofs_of(bodies: list[Body]) -> list[list[int]]:
    """The dofs that move each body, in order."""
    result: list[list[int]] = []
    first = 0
    for body in bodies:
        above = [] if body.parent is None else result[body.parent.id]
        result.append([*above, *range(first, first + body.dofnum)])
        first += body.dofnum
    return result


def _union(dofs: list[list[int]], bodies: Iterable[int]) -> list[int]:
    distinct = set(bodies)
    if len(distinct) == 1:
        return dofs[distinct.pop()]
    return sorted(set(chain.from_iterable(dofs[body] for body in distinct)))


def _neighbours(c: Compiled) -> list[set[int]]:
    """For each vertex, its body and those of its neighbours along edges."""
    bodies = c.bodies.tolist()
    near = [{body} for body in bodies]
    for a, b in c.topology.edges.tolist():
        near[a].add(bodies[b])
        near[b].add(bodies[a])
    return near


def _stars(edges: Ints, nvert: int) -> tuple[Ints, Ints]:
    """How many edges each vertex has, and which, vertex by vertex."""
    ends = edges.ravel()
    order = np.argsort(ends, kind="stable")
    return np.bincount(ends, minlength=nvert), order // 2


def _layout(rows: list[list[int]], used: np.ndarray, room: int, following: bool) -> tuple[Ints, Ints, Ints]:
    """Lengths, starts and columns of rows in an array of `room` numbers.

    Rows that are not used start at zero; where `following` the first one after others starts at their end.
    """
    lengths = np.array([len(row) for row in rows], np.int64)
    begin = np.zeros(len(rows), np.int64)
    columns = np.zeros(room, np.int64)
    end = 0
    for number, row in enumerate(rows):
        if not used[number]:
            begin[number] = end if following else 0
            end = 0
            continue
        begin[number] = end
        end += len(row)
        columns[begin[number]:end] = row
    return lengths, begin, columns
