"""Where rays meet meshes and height fields: surfaces of triangles."""

from __future__ import annotations

from corten.kernel import absolute, clip, floor, kernel, local_int, maximum, minimum, unroll, value
from corten.kernel.vec import cross, dot3, load3, normalize3, part3, sub3

MISS, FAR = -1.0, 1e300
MOST_TODO = 40  # nodes of a tree that wait to be tried: one more than its levels at most
TINY = 1e-15
NO_NORMAL = (0.0, 0.0, 0.0)


@kernel
def ray_triangle(p, v, a, b, c):
    """(t, normal by the order of corners) where p + t v meets a triangle, from either side; or MISS.

    Seen along the ray, the origin is inside the triangle if it is on the same side of all edges: of v . (b - p) x (a -
    p) and so on all have one sign.
    """
    a, b, c = sub3(a, p), sub3(b, p), sub3(c, p)
    x, y, z = dot3(v, cross(c, b)), dot3(v, cross(a, c)), dot3(v, cross(b, a))
    inside = (x >= 0.0 and y >= 0.0 and z >= 0.0) or (x <= 0.0 and y <= 0.0 and z <= 0.0)
    normal = cross(sub3(b, a), sub3(c, a))
    slope = dot3(v, normal)
    if not inside or absolute(slope) < TINY:
        return MISS, NO_NORMAL
    return dot3(a, normal) / slope, normal


@kernel
def ray_mesh(m, mesh, p, v):
    """(t, normal) of the first triangle of a mesh: by its tree, if that has been made, or by trying all."""
    best, normal = MISS, NO_NORMAL
    vertex, first, count = m.mesh_vertadr[mesh], m.mesh_faceadr[mesh], m.mesh_facenum[mesh]
    if not m.ray_ready:
        for f in range(first, first + count):
            best, normal = nearer_face(m, vertex, f, p, v, best, normal)
    elif count > 0:
        root, depth = m.ray_nodeadr[mesh], m.ray_depth[mesh]
        leaves = (1 << depth) - 1  # nodes before the first leaf
        todo = local_int(MOST_TODO)
        todo[0] = 0
        n = 1
        while n > 0:
            n = n - 1
            node = todo[n]
            enter, leave = ray_slabs(p, v, part3(m.ray_box, root + node, 0), part3(m.ray_box, root + node, 3))
            if enter > leave or (best >= 0.0 and enter > best):
                continue
            if node < leaves:
                todo[n] = 2 * node + 1
                todo[n + 1] = 2 * node + 2
                n = n + 2
            else:
                k = node - leaves
                for f in range(first + ((k * count) >> depth), first + (((k + 1) * count) >> depth)):
                    best, normal = nearer_face(m, vertex, m.ray_face[f], p, v, best, normal)
    if best >= 0.0:
        normal, _ = normalize3(normal)
    return best, normal


@kernel
def nearer_face(m, vertex, f, p, v, best, normal):
    """The nearer of the best hit so far and that of triangle f."""
    a = load3(m.mesh_vert, vertex + m.mesh_face[f, 0])
    b = load3(m.mesh_vert, vertex + m.mesh_face[f, 1])
    c = load3(m.mesh_vert, vertex + m.mesh_face[f, 2])
    t, n = ray_triangle(p, v, a, b, c)
    if t >= 0.0 and (t < best or best < 0.0):
        return t, n
    return best, normal


@kernel
def slab(p, v, low, high, enter, leave):
    """The part of enter..leave in which low <= p + t v <= high; enter > leave if there is none."""
    if absolute(v) <= TINY:
        return enter, leave if low <= p <= high else enter - 1.0
    a, b = (low - p) / v, (high - p) / v
    return maximum(enter, minimum(a, b)), minimum(leave, maximum(a, b))


@kernel
def ray_slabs(p, v, low, high):
    """(enter, leave) of a box given by its least and largest corner, from the ray's origin on."""
    enter, leave = slab(p[0], v[0], low[0], high[0], 0.0, FAR)
    enter, leave = slab(p[1], v[1], low[1], high[1], enter, leave)
    return slab(p[2], v[2], low[2], high[2], enter, leave)


@kernel
def ray_faces(p, v, low, high):
    """(t, normal) of the first face of a box that the ray crosses, from outside or from within; or MISS."""
    best, normal = MISS, NO_NORMAL
    for k in unroll(3):
        if absolute(v[k]) > TINY:
            for side in unroll(2):
                t = ((high[k] if side else low[k]) - p[k]) / v[k]
                i, j = (k + 1) % 3, (k + 2) % 3
                x, y = t * v[i] + p[i], t * v[j] + p[j]
                if t >= 0.0 and (t < best or best < 0.0) and low[i] <= x <= high[i] and low[j] <= y <= high[j]:
                    up = 2.0 * side - 1.0
                    best, normal = t, (up if k == 0 else 0.0, up if k == 1 else 0.0, up if k == 2 else 0.0)
    return best, normal


@kernel
def ray_hfield(m, field, p, v):
    """(t, normal) of a height field: its base, the triangles on top of it, and the walls from the base up to these."""
    x, y, top, base = m.hfield_size[field, 0], m.hfield_size[field, 1], m.hfield_size[field, 2], m.hfield_size[field, 3]
    best, normal = ray_faces(p, v, (-x, -y, -base), (x, y, 0.0))
    enter, leave = ray_slabs(p, v, (-x, -y, 0.0), (x, y, top))
    if enter > leave:
        return best, normal
    rows, columns, first = m.hfield_nrow[field], m.hfield_ncol[field], m.hfield_adr[field]
    dx, dy = 2.0 * x / (columns - 1), 2.0 * y / (rows - 1)
    # cells over which the ray goes within the box of the terrain
    c0, c1 = cells(enter * v[0] + p[0] + x, leave * v[0] + p[0] + x, dx, columns)
    r0, r1 = cells(enter * v[1] + p[1] + y, leave * v[1] + p[1] + y, dy, rows)
    for r in range(r0, r1):
        for c in range(c0, c1):
            a = terrain(m, first, columns, r, c, x, y, dx, dy, top)
            b = terrain(m, first, columns, r + 1, c + 1, x, y, dx, dy, top)
            for k in unroll(2):
                if k == 0:
                    corner = terrain(m, first, columns, r, c + 1, x, y, dx, dy, top)
                    t, n = ray_triangle(p, v, a, corner, b)
                else:
                    corner = terrain(m, first, columns, r + 1, c, x, y, dx, dy, top)
                    t, n = ray_triangle(p, v, a, b, corner)
                if t >= 0.0 and (t < best or best < 0.0):
                    best = t
                    normal, _ = normalize3(n)
    for k in unroll(2):
        if absolute(v[k]) > TINY:
            for side in unroll(2):
                up = 2.0 * side - 1.0
                t = (up * (x if k == 0 else y) - p[k]) / v[k]
                height = t * v[2] + p[2]
                if t >= 0.0 and (t < best or best < 0.0) and 0.0 <= height <= top:
                    if k == 0:
                        edge = profile(m, first, columns, (columns - 1) * side, rows, (t * v[1] + p[1] + y) / dy)
                    else:
                        edge = profile(m, first, 1, (rows - 1) * columns * side, columns, (t * v[0] + p[0] + x) / dx)
                    if height < top * edge:
                        best, normal = t, (up if k == 0 else 0.0, up if k == 1 else 0.0, 0.0)
    return best, normal


@kernel
def cells(a, b, width, count):
    """(first, one past the last) of the cells between two places, with one to spare on either side."""
    low, high = floor(value(minimum(a, b)) / width) - 1.0, floor(value(maximum(a, b)) / width) + 2.0
    return int(clip(low, 0.0, count - 1.0)), int(clip(high, 0.0, count - 1.0))


@kernel
def terrain(m, first, columns, r, c, x, y, dx, dy, top):
    """A point of the terrain."""
    return c * dx - x, r * dy - y, m.hfield_data[first + r * columns + c] * top


@kernel
def profile(m, first, stride, start, count, place):
    """Height of the terrain along a border, between 0 and 1; below any if the place is beyond the border's ends."""
    if place < 0.0 or place > count - 1.0:
        return -1.0
    k = min(int(value(place)), count - 2)
    share = place - k
    at = first + start + k * stride
    return m.hfield_data[at] * (1.0 - share) + m.hfield_data[at + stride] * share
