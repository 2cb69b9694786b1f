"""Support functions: the point of a shape that is farthest in a direction, in world coordinates.

A pair of shapes that is looked at closely is laid out in two small tables, so that poses can be perturbed and shapes be
swollen or shrunk without touching the Data:

`shape` (2, SHAPE) reals: position 0..2, matrix 3..11, size 12..14, half the margin 15, corners of a height field's
prism 16..33, three at the bottom and three on top.
`part` (2, PART) integers, see the constants below.

The margin swells each shape by half of it, so margins of contacts are found as penetrations.
"""

from __future__ import annotations

from corten.kernel import kernel, sqrt, unroll
from corten.kernel.vec import add3, load3, load9, part3, store3, sub3
from corten.model.enums import GeomType
from corten.physics.collision.unfused import axpy3, dot3, mat_t_vec, mat_vec

TINY = 1e-15
FAR = 1.7976931348623157e308  # no distance: larger than any
SHAPE, PART = 34, 8  # columns of the two tables
MATRIX, SIZE, HALF_MARGIN, PRISM = 3, 12, 15, 16
KIND = 0  # a GeomType, POINT or LINE
MESH = 1  # number of the mesh
FIRST_VERTEX, VERTICES = 2, 3
GRAPH = 4  # where the hull's graph starts, or -1 to search all vertices
HINT = 5  # where hill climbing begins: the last support vertex, as the graph numbers it; -1: none yet
CORNER = 6  # the last support point, as the mesh or the box numbers its vertices; -1: the shape has none
POINT, LINE = 100, 101  # what remains of a sphere and of a capsule without their radius
CLIMB = 10  # vertices from which on hill climbing is used


@kernel
def take_shape(m, d, shape, part, i, geom, margin):
    """Row i of the tables becomes a geom, swollen by half the margin."""
    store3(shape, i, load3(d.geom_xpos, geom))
    pose = load9(d.geom_xmat, geom)
    for k in unroll(9):
        shape[i, MATRIX + k] = pose[k]
    for k in unroll(3):
        shape[i, SIZE + k] = m.geom_size[geom, k]
    shape[i, HALF_MARGIN] = 0.5 * margin
    kind, mesh = m.geom_type[geom], m.geom_dataid[geom]
    part[i, KIND], part[i, MESH] = kind, mesh
    part[i, HINT], part[i, CORNER] = -1, -1
    if kind == GeomType.MESH:
        part[i, FIRST_VERTEX] = m.mesh_vertadr[mesh]
        part[i, VERTICES] = m.mesh_vertnum[mesh]
        part[i, GRAPH] = m.mesh_graphadr[mesh] if m.mesh_vertnum[mesh] >= CLIMB else -1


@kernel
def matrix(shape, i):
    """The axes of shape i as columns."""
    return (
        shape[i, MATRIX],
        shape[i, MATRIX + 1],
        shape[i, MATRIX + 2],
        shape[i, MATRIX + 3],
        shape[i, MATRIX + 4],
        shape[i, MATRIX + 5],
        shape[i, MATRIX + 6],
        shape[i, MATRIX + 7],
        shape[i, MATRIX + 8],
    )


@kernel
def in_world(shape, i, point):
    """A point of shape i in world coordinates: R p + x."""
    return add3(mat_vec(matrix(shape, i), point), load3(shape, i))


@kernel
def support(m, shape, part, i, direction):
    """The point of shape i that is farthest in a direction of unit length."""
    kind = part[i, KIND]
    if kind == GeomType.HFIELD:
        return prism_support(shape, i, direction)
    if kind == POINT:
        return load3(shape, i)
    if kind == GeomType.SPHERE:
        return axpy3(shape[i, HALF_MARGIN], direction, axpy3(shape[i, SIZE], direction, load3(shape, i)))
    x, y, z = mat_t_vec(matrix(shape, i), direction)
    a, b, c = shape[i, SIZE], shape[i, SIZE + 1], shape[i, SIZE + 2]
    if kind == GeomType.MESH:
        if part[i, GRAPH] < 0:
            best = search(m, part, i, x, y, z)
        else:
            best = climb(m, part, i, x, y, z, -FAR + 0.0 * x)
        part[i, CORNER] = best - part[i, FIRST_VERTEX]
        x, y, z = load3(m.mesh_vert, best)
    elif kind == GeomType.BOX:
        part[i, CORNER] = int(x >= 0.0) + 2 * int(y >= 0.0) + 4 * int(z >= 0.0)
        x, y, z = a if x >= 0.0 else -a, b if y >= 0.0 else -b, c if z >= 0.0 else -c
    elif kind == GeomType.CYLINDER:
        square = dot3((x, y, 0.0), (x, y, 0.0))
        s = 0.0
        if square >= TINY * TINY:
            s = a / sqrt(square)
        x, y, z = s * x, s * y, b if z >= 0.0 else -b
    elif kind == LINE:
        x, y, z = 0.0, 0.0, b if z >= 0.0 else -b
    elif kind == GeomType.CAPSULE:
        height = a * z
        x, y, z = a * x, a * y, height + (b if z >= 0.0 else -b)
    else:
        x, y, z = a * x, b * y, c * z
        square = dot3((x, y, z), (x, y, z))
        if square < TINY * TINY:
            x, y, z = a, 0.0, 0.0
        else:
            s = 1.0 / sqrt(square)
            x, y, z = x * (s * a), y * (s * b), z * (s * c)
    return axpy3(shape[i, HALF_MARGIN], direction, in_world(shape, i, (x, y, z)))


@kernel
def prism_support(shape, i, direction):
    """The corner of a height field's prism, top or bottom by the direction, that is farthest."""
    first = PRISM if direction[2] < 0.0 else PRISM + 9
    best = first
    most = along(shape, i, first, direction)
    for k in unroll(1, 3):
        reach = along(shape, i, first + 3 * k, direction)
        if reach > most:
            most = reach
            best = first + 3 * k
    return part3(shape, i, best)


@kernel
def along(shape, i, column, direction):
    """How far the corner that begins at a column reaches in a direction."""
    return dot3(part3(shape, i, column), direction)


@kernel
def search(m, part, i, x, y, z):
    """The vertex of a mesh that is farthest in a direction of its own frame, among all; ties go to the last answer."""
    first = part[i, FIRST_VERTEX]
    best = first + max(0, part[i, CORNER])
    most = dot3((x, y, z), load3(m.mesh_vert, best))
    if part[i, CORNER] < 0:
        most = -FAR + 0.0 * most
    for k in range(first, first + part[i, VERTICES]):
        reach = dot3((x, y, z), load3(m.mesh_vert, k))
        if reach > most:
            most = reach
            best = k
    return best


@kernel
def climb(m, part, i, x, y, z, most):
    """The same by going from vertex to better neighbour on the convex hull.

    The graph holds: number of vertices n, number of faces, where the neighbours of each vertex begin (n), the mesh's
    number of each vertex (n), and the lists of neighbours, each ended by -1. Only what reaches beyond `most` is better.
    """
    graph, first = part[i, GRAPH], part[i, FIRST_VERTEX]
    starts = graph + 2
    names = starts + m.mesh_graph[graph]
    lists = names + m.mesh_graph[graph]
    best, before = max(0, part[i, HINT]), -1
    while best != before:
        before = best
        k = lists + m.mesh_graph[starts + best]
        near = m.mesh_graph[k]
        while near >= 0:
            reach = dot3((x, y, z), load3(m.mesh_vert, first + m.mesh_graph[names + near]))
            if reach > most:
                most = reach
                best = near
            k = k + 1
            near = m.mesh_graph[k]
    part[i, HINT] = best
    return first + m.mesh_graph[names + best]


@kernel
def minkowski(m, shape, part, vertex, corner, row, direction):
    """Row `row` becomes the farthest vertex of the Minkowski difference, with both points that it comes from."""
    a = support(m, shape, part, 0, direction)
    b = support(m, shape, part, 1, (-direction[0], -direction[1], -direction[2]))
    put_vertex(vertex, row, sub3(a, b), a, b)
    corner[row, 0] = part[0, CORNER]
    corner[row, 1] = part[1, CORNER]


@kernel
def put_vertex(vertex, row, difference, a, b):
    """A vertex of the Minkowski difference a - b: itself, and both points."""
    for k in unroll(3):
        vertex[row, k] = difference[k]
        vertex[row, 3 + k] = a[k]
        vertex[row, 6 + k] = b[k]


@kernel
def copy_vertex(vertex, corner, row, from_vertex, from_corner, from_row):
    """Row `row` becomes a row of the same or another table."""
    for k in unroll(9):
        vertex[row, k] = from_vertex[from_row, k]
    for k in unroll(2):
        corner[row, k] = from_corner[from_row, k]


@kernel
def centre(shape, part, i):
    """A point inside shape i."""
    if part[i, KIND] != GeomType.HFIELD:
        return load3(shape, i)
    x, y, z = 0.0, 0.0, 0.0
    for k in unroll(6):
        x += shape[i, PRISM + 3 * k]
        y += shape[i, PRISM + 3 * k + 1]
        z += shape[i, PRISM + 3 * k + 2]
    sixth = 1.0 / 6.0
    return x * sixth, y * sixth, z * sixth


@kernel
def polyhedral(shape, part, i):
    """Whether shape i has finitely many support points."""
    kind = part[i, KIND]
    solid = kind == GeomType.MESH or kind == GeomType.BOX or kind == GeomType.HFIELD
    return solid and shape[i, HALF_MARGIN] == 0.0


@kernel
def put_matrix(shape, i, r):
    """The axes of shape i."""
    for k in unroll(9):
        shape[i, MATRIX + k] = r[k]
