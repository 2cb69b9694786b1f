"""Planes against convex meshes: the lowest vertex, and up to two of its neighbours that are within the margin."""

from __future__ import annotations

from corten.kernel import kernel, local_int
from corten.kernel.vec import add3, load3, load9, sub3
from corten.physics.collision.contact import touch
from corten.physics.collision.plane import column
from corten.physics.collision.support import CORNER, FIRST_VERTEX, GRAPH, HINT, PART, VERTICES, climb, search
from corten.physics.collision.unfused import axpy3, dot3, mat_t_vec, mat_vec, norm3

MOST = 3
APART = 0.3  # least distance of further points from the first, by the bounding radius


@kernel
def plane_mesh(m, d, a, b, margin):
    """The points in which a plane and a mesh touch; the first is the lowest, the others are in the graph's order."""
    normal, origin = column(d.geom_xmat, a, 2), load3(d.geom_xpos, a)
    mat, place = load9(d.geom_xmat, b), load3(d.geom_xpos, b)
    x, y, z = mat_t_vec(mat, normal)
    part, mesh = local_int(1, PART), m.geom_dataid[b]
    first, graph = m.mesh_vertadr[mesh], m.mesh_graphadr[mesh]
    part[0, HINT], part[0, CORNER] = -1, -1
    part[0, FIRST_VERTEX], part[0, VERTICES], part[0, GRAPH] = first, m.mesh_vertnum[mesh], graph
    if graph < 0:
        lowest = search(m, part, 0, -x, -y, -z)
    else:
        start = load3(m.mesh_vert, first + m.mesh_graph[graph + 2 + m.mesh_graph[graph]])
        lowest = climb(m, part, 0, -x, -y, -z, -dot3((x, y, z), start))
    point = in_place(m, mat, place, lowest)
    dist = dot3(normal, sub3(point, origin))
    if dist > margin:
        return 0
    touch(d, 0, dist, axpy3(-0.5 * dist, normal, point), normal)

    n = 1
    limit = margin - dot3(normal, sub3(place, origin))  # heights over the mesh's centre
    if graph < 0:
        for v in range(first, first + m.mesh_vertnum[mesh]):
            if n < MOST and v != lowest:
                n = n + further(m, d, n, v, (x, y, z), limit, mat, place, origin, normal, m.geom_rbound[b])
        return n
    names = graph + 2 + m.mesh_graph[graph]
    k = names + m.mesh_graph[graph] + m.mesh_graph[graph + 2 + part[0, HINT]]
    while m.mesh_graph[k] >= 0 and n < MOST:
        v = first + m.mesh_graph[names + m.mesh_graph[k]]
        n = n + further(m, d, n, v, (x, y, z), limit, mat, place, origin, normal, m.geom_rbound[b])
        k = k + 1
    return n


@kernel
def in_place(m, mat, place, v):
    """A vertex in world coordinates."""
    return add3(mat_vec(mat, load3(m.mesh_vert, v)), place)


@kernel
def further(m, d, row, v, up, limit, mat, place, origin, normal, radius):
    """A contact at vertex v if it is low enough and not near the lowest vertex; how many: 1 or 0."""
    if dot3(up, load3(m.mesh_vert, v)) >= limit:
        return 0
    point = in_place(m, mat, place, v)
    if norm3(sub3(point, load3(d.touch_pos, 0))) < APART * radius:
        return 0
    dist = dot3(normal, sub3(point, origin))
    touch(d, row, dist, axpy3(-0.5 * dist, normal, point), normal)
    return 1
