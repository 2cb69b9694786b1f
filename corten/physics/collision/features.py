"""Faces and edges of boxes and meshes: those that belong to given corners, and their vertices in world coordinates.

A face of a box is numbered 2 k where the k-th coordinate is positive, 2 k + 1 where it is negative; corners by bits,
set where a coordinate is positive. Faces of a mesh are the polygons of its hull.
"""

from __future__ import annotations

from corten.kernel import kernel, unroll
from corten.kernel.vec import load3, normalize3, store3, sub3
from corten.model.enums import GeomType
from corten.physics.collision.support import FIRST_VERTEX, KIND, MESH, SIZE, in_world, matrix
from corten.physics.collision.unfused import dot3, mat_t_vec, mat_vec

MOST = 150  # vertices of a polygon, or faces around a vertex, that are looked at
ALIGNED = 0.99999872  # cosine of the angle within which normals count as parallel
ACROSS = 0.00159999931  # sine of the same angle
BOX_FACES = (
    0o5137,
    0o0462,
    0o6732,
    0o0154,
    0o4576,
    0o1023,
)  # corners of each face, an octal digit each, the first last


@kernel
def feature(corner, i, rows):
    """(1 for a corner, 2 for an edge, 3 for a face; its corners; row of the second) of three points of shape i."""
    a, b, c = corner[rows[0], i], corner[rows[1], i], corner[rows[2], i]
    if a != b:
        return 2 if c == a or c == b else 3, a, b, c, rows[1]
    if a != c:
        return 2, a, c, c, rows[2]
    return 1, a, b, c, rows[1]


@kernel
def normals(m, shape, part, i, dim, a, b, c, direction, normal, face):
    """Normals of the faces of shape i that hold all of its corners a, b and c, with the faces' numbers; how many."""
    if part[i, KIND] == GeomType.BOX:
        return box_normals(shape, i, dim, a, b, c, direction, normal, face)
    if dim == 1:
        return polygons_at(m, shape, part, i, a, normal, face)
    return polygons_with(m, shape, part, i, dim, a, b, c, normal, face)


@kernel
def put_normal(shape, i, normal, row, n):
    """A normal in world axes."""
    store3(normal, row, mat_vec(matrix(shape, i), n))


@kernel
def put_box_normal(shape, i, normal, face, row, number):
    """The normal of a face of a box."""
    s = 1.0 - 2.0 * (number & 1)
    axis = number >> 1
    put_normal(shape, i, normal, row, (s if axis == 0 else 0.0, s if axis == 1 else 0.0, s if axis == 2 else 0.0))
    face[row] = number


@kernel
def box_normals(shape, i, dim, a, b, c, direction, normal, face):
    """The three faces at a corner, two at an edge, one with three corners; or the one that looks in a direction."""
    if dim < 3:
        c = b
    n = 0
    for k in range(3):
        bit = 1 << k
        if a & b & c & bit:
            put_box_normal(shape, i, normal, face, n, 2 * k)
            n = n + 1
        elif not (a | b | c) & bit:
            put_box_normal(shape, i, normal, face, n, 2 * k + 1)
            n = n + 1
    if n == 4 - dim:
        return n
    towards, _ = normalize3(mat_t_vec(matrix(shape, i), direction))
    for k in unroll(3):
        if towards[k] > ALIGNED:
            put_box_normal(shape, i, normal, face, 0, 2 * k)
            return 1
        if towards[k] < -ALIGNED:
            put_box_normal(shape, i, normal, face, 0, 2 * k + 1)
            return 1
    return 0


@kernel
def put_polygon_normal(m, shape, part, i, normal, face, row, number):
    """The normal of a polygon of a mesh."""
    p = m.mesh_polyadr[part[i, MESH]] + number
    put_normal(shape, i, normal, row, load3(m.mesh_polynormal, p))
    face[row] = number


@kernel
def polygons_at(m, shape, part, i, a, normal, face):
    """All polygons around a vertex."""
    v = part[i, FIRST_VERTEX] + a
    n = min(m.mesh_polymapnum[v], MOST)
    for k in range(n):
        put_polygon_normal(m, shape, part, i, normal, face, k, m.mesh_polymap[m.mesh_polymapadr[v] + k])
    return n


@kernel
def polygons_with(m, shape, part, i, dim, a, b, c, normal, face):
    """The two polygons that share an edge, or the one with three vertices."""
    first = part[i, FIRST_VERTEX]
    n, shared = 0, 0
    for k in range(m.mesh_polymapnum[first + a]):
        number = m.mesh_polymap[m.mesh_polymapadr[first + a] + k]
        if shared < 2 and around(m, first + b, number):
            shared = shared + 1
            if dim == 2 or (n == 0 and around(m, first + c, number)):
                put_polygon_normal(m, shape, part, i, normal, face, n, number)
                n = n + 1
    return n


@kernel
def around(m, vertex, polygon):
    """Whether a polygon is one of those around a vertex."""
    begin = m.mesh_polymapadr[vertex]
    for k in range(begin, begin + m.mesh_polymapnum[vertex]):
        if m.mesh_polymap[k] == polygon:
            return True
    return False


@kernel
def edges(m, shape, part, i, dim, a, start, end, direction, far):
    """Directions of the edges of shape i that begin at `start`, corner a, and their other ends; how many.

    If the feature is an edge, that ends at `end`, it is the only one.
    """
    if dim == 2:
        put_edge(direction, far, 0, start, end)
        return 1
    if part[i, KIND] == GeomType.BOX:
        for k in range(3):
            other = a ^ (1 << k)
            put_edge(direction, far, k, start, box_corner(shape, i, other))
        return 3
    v = part[i, FIRST_VERTEX] + a
    n = min(m.mesh_polymapnum[v], MOST)
    for k in range(n):
        p = m.mesh_polyadr[part[i, MESH]] + m.mesh_polymap[m.mesh_polymapadr[v] + k]
        first, count = m.mesh_polyvertadr[p], m.mesh_polyvertnum[p]
        for j in range(count):
            if m.mesh_polyvert[first + j] == a:
                previous = m.mesh_polyvert[first + (j if j > 0 else count) - 1]
                put_edge(direction, far, k, start, mesh_corner(m, shape, part, i, previous))
    return n


@kernel
def put_edge(direction, far, row, start, end):
    """An edge: its direction, and its far end."""
    along, _ = normalize3(sub3(end, start))
    store3(direction, row, along)
    store3(far, row, end)


@kernel
def box_corner(shape, i, corner):
    """A corner of a box."""
    x, y, z = shape[i, SIZE], shape[i, SIZE + 1], shape[i, SIZE + 2]
    return in_world(shape, i, (x if corner & 1 else -x, y if corner & 2 else -y, z if corner & 4 else -z))


@kernel
def mesh_corner(m, shape, part, i, corner):
    """A vertex of a mesh."""
    v = part[i, FIRST_VERTEX] + corner
    return in_world(shape, i, load3(m.mesh_vert, v))


@kernel
def outline(m, shape, part, i, number, polygon):
    """The vertices of a face, going round clockwise as seen from outside; how many."""
    if part[i, KIND] == GeomType.BOX:
        corners = 0
        for f in unroll(6):
            if number == f:
                corners = BOX_FACES[f]
        for k in range(4):
            store3(polygon, k, box_corner(shape, i, (corners >> (3 * k)) & 7))
        return 4
    p = m.mesh_polyadr[part[i, MESH]] + number
    n = min(m.mesh_polyvertnum[p], MOST)
    for k in range(n):
        store3(polygon, k, mesh_corner(m, shape, part, i, m.mesh_polyvert[m.mesh_polyvertadr[p] + n - 1 - k]))
    return n


@kernel
def facing(first, n, second, count):
    """The first two of n and `count` normals that look at each other, or -1, -1."""
    for i in range(n):
        for j in range(count):
            if inner(first, i, second, j) < -ALIGNED:
                return i, j
    return -1, -1


@kernel
def lying(edge, n, normal, count):
    """The first of n edges that lies in one of the planes with given normals, and that plane; or -1, -1."""
    for j in range(count):
        for i in range(n):
            if abs(inner(edge, i, normal, j)) < ACROSS:
                return i, j
    return -1, -1


@kernel
def inner(a, i, b, j):
    """The inner product of two rows."""
    return dot3((a[i, 0], a[i, 1], a[i, 2]), (b[j, 0], b[j, 1], b[j, 2]))
