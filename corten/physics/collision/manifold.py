"""Several points of contact where two polyhedra touch along faces or edges.

The expanding polytope gives one point. Its last face says which corners of each shape meet there. If these belong to
two faces that look at each other, or to an edge that lies in a face of the other shape, one is clipped against the
other (Sutherland and Hodgman's algorithm), and every corner of what remains is a point of contact. All get the depth
of the first. The choice of points, and which are kept when there are too many, are MuJoCo's.
"""

from __future__ import annotations

from corten.kernel import kernel, local, local_int, unroll
from corten.kernel.vec import load3, part3, scale3, store3, sub3
from corten.physics.collision.contact import MAX_TOUCH
from corten.physics.collision.features import MOST, edges, facing, feature, lying, normals, outline
from corten.physics.collision.support import TINY
from corten.physics.collision.unfused import axpy3, cross, dot3, norm3


@kernel
def manifold(m, d, shape, part, vertex, corner, face, f, witness, most):
    """Points of contact from face f of the polytope, put into the rows of `witness`; how many."""
    rows = (face[f, 0], face[f, 1], face[f, 2])
    dim_a, a1, a2, a3, second_a = feature(corner, 0, rows)
    dim_b, b1, b2, b3, second_b = feature(corner, 1, rows)
    out = sub3(part3(witness, 0, 3), part3(witness, 0, 0))
    depth = norm3(out)
    normal_a, normal_b = local(d, MOST, 3), local(d, MOST, 3)
    face_a, face_b = local_int(MOST), local_int(MOST)
    na = normals(m, shape, part, 0, dim_a, a1, a2, a3, scale3(-1.0, out), normal_a, face_a)
    nb = normals(m, shape, part, 1, dim_b, b1, b2, b3, out, normal_b, face_b)
    polygon_a, polygon_b = local(d, MOST, 3), local(d, MOST, 3)

    i, j = facing(normal_a, na, normal_b, nb)
    if i >= 0:
        na = outline(m, shape, part, 0, face_a[i], polygon_a)
        nb = outline(m, shape, part, 1, face_b[j], polygon_b)
        return clipped(d, polygon_a, na, polygon_b, nb, load3(normal_a, i), depth, load3(normal_b, j), witness, most)
    edge, far = local(d, MOST, 3), local(d, MOST, 3)
    if dim_a < 3 and dim_a <= dim_b:
        start = part3(vertex, rows[0], 3)
        n = edges(m, shape, part, 0, dim_a, a1, start, part3(vertex, second_a, 3), edge, far)
        i, j = lying(edge, n, normal_b, nb)
        if i >= 0:
            store3(polygon_a, 0, start)
            store3(polygon_a, 1, load3(far, i))
            nb = outline(m, shape, part, 1, face_b[j], polygon_b)
            normal = load3(normal_b, j)
            return clipped(d, polygon_b, nb, polygon_a, 2, normal, depth, normal, witness, most)
    elif dim_b < 3:
        start = part3(vertex, rows[0], 6)
        n = edges(m, shape, part, 1, dim_b, b1, start, part3(vertex, second_b, 6), edge, far)
        i, j = lying(edge, n, normal_a, na)
        if i >= 0:
            store3(polygon_b, 0, start)
            store3(polygon_b, 1, load3(far, i))
            na = outline(m, shape, part, 0, face_a[j], polygon_a)
            normal = load3(normal_a, j)
            return clipped(d, polygon_a, na, polygon_b, 2, normal, -depth, normal, witness, most)
    return 1


@kernel
def clipped(d, frame, nframe, subject, nsubject, normal, depth, out, witness, most):
    """Clip a polygon, or an edge, by the sides of another, the frame, with the given normal; how many contacts follow.

    The corners of the result are points of the second shape; those of the first lie `depth` behind them along `out`.
    """
    if nframe < 3:
        return 1
    before, after = local(d, 2 * MOST, 3), local(d, 2 * MOST, 3)
    n = nsubject
    for i in range(n):
        store3(before, i, load3(subject, i))
    for side in range(nframe):
        a = load3(frame, side)
        plane = cross(sub3(load3(frame, side + 1 if side + 1 < nframe else 0), a), normal)
        n = cut(before, n, a, plane, after)
        for i in range(n):
            store3(before, i, load3(after, i))
    if n == 0:
        return 1
    if most < 5 and n > 4:
        return largest_four(before, n, scale3(depth, out), witness)
    count = 0
    for i in range(n):
        p = load3(before, i)
        if count < MAX_TOUCH and (n > MAX_TOUCH or new(witness, count, p)):
            put_pair(witness, count, p, scale3(depth, out))
            count = count + 1
    return count


@kernel
def cut(before, n, a, plane, after):
    """The part of a polygon on the positive side of a plane through a; how many corners it has."""
    kept = 0
    offset = dot3(plane, a)
    for i in range(n):
        p, q = load3(before, i), load3(before, i + 1 if i + 1 < n else 0)
        p_in, q_in = dot3(sub3(p, a), plane) > -TINY, dot3(sub3(q, a), plane) > -TINY
        if p_in ^ q_in:
            side = sub3(q, p)
            rise = dot3(plane, side)
            if rise != 0.0:
                t = (offset - dot3(plane, p)) / rise
                if 0.0 <= t <= 1.0 and kept < 2 * MOST:
                    store3(after, kept, axpy3(t, side, p))
                    kept = kept + 1
        if q_in and kept < 2 * MOST:
            store3(after, kept, q)
            kept = kept + 1
    return kept


@kernel
def put_pair(witness, row, p, out):
    """A contact: p on the second shape, p - out on the first."""
    for k in unroll(3):
        witness[row, k] = p[k] - out[k]
        witness[row, 3 + k] = p[k]


@kernel
def new(witness, count, p):
    """Whether p differs from all points of the second shape so far."""
    for i in range(count):
        x, y, z = sub3(part3(witness, i, 3), p)
        if -TINY < x < TINY and -TINY < y < TINY and -TINY < z < TINY:
            return False
    return True


@kernel
def largest_four(polygon, n, out, witness):
    """The four corners of a polygon that span the largest area, by rotating callipers; four.

    For each first corner in turn the other three advance as long as this enlarges the area.
    """
    b, c, e = 1, 2, 3
    best_a, best_b, best_c, best_e = 0, 1, 2, 3
    most = area(polygon, 0, 1, 2, 3)
    for a in range(n):
        while area(polygon, a, b, c, following(e, n)) > most:
            e = following(e, n)
            most = area(polygon, a, b, c, e)
            while area(polygon, a, b, following(c, n), e) > most:
                c = following(c, n)
                most = area(polygon, a, b, c, e)
            while area(polygon, a, following(b, n), c, e) > most:
                b = following(b, n)
                most = area(polygon, a, b, c, e)
            best_a, best_b, best_c, best_e = a, b, c, e
        if b == a:
            b = following(b, n)
            if c == b:
                c = following(c, n)
                if e == c:
                    e = following(e, n)
    put_pair(witness, 0, load3(polygon, best_a), out)
    put_pair(witness, 1, load3(polygon, best_b), out)
    put_pair(witness, 2, load3(polygon, best_c), out)
    put_pair(witness, 3, load3(polygon, best_e), out)
    return 4


@kernel
def following(i, n):
    """The corner after i."""
    return i + 1 if i + 1 < n else 0


@kernel
def area(polygon, i, j, k, l):
    """Twice the area of a quadrilateral: |ad x db + bc x ca|."""
    a, b, c, e = load3(polygon, i), load3(polygon, j), load3(polygon, k), load3(polygon, l)
    first, second = cross(sub3(e, a), sub3(b, e)), cross(sub3(c, b), sub3(a, c))
    return norm3((first[0] + second[0], first[1] + second[1], first[2] + second[2]))
