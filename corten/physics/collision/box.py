"""Box against box, after MuJoCo's own algorithm, so that the points are the same and in the same order.

The axis of least overlap is sought among the face normals of both boxes and the cross products of their edges. If it is
a face normal, the face of the other box that looks at it is clipped against the face. If it is a pair of edges, the
face that holds the other box's edge is projected along the axis onto a face of the first box and clipped there. Either
way the work is done in the reference face's frame: the origin at its centre, the z axis out of it.
"""

from __future__ import annotations

from corten.kernel import absolute, clip, kernel, local, sqrt, unroll
from corten.kernel.vec import (
    add3,
    axpy3,
    cross,
    load3,
    load9,
    mat_t_vec,
    mat_vec,
    scale3,
    store3,
    sub3,
)
from corten.physics.collision.contact import touch
from corten.physics.collision.plane import column
from corten.physics.collision.unfused import dot3

TINY = 1e-15
LESS = 1.0 - 1e-12  # edges must beat the faces by this factor
INFLATE = 1.01  # how far, by ratio, a point may lie outside a box
NONE, APART = -1, -2
UNITS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@kernel
def box_box(m, d, a, b, margin):
    """The points in which two boxes touch."""
    mat_a, mat_b = load9(d.geom_xmat, a), load9(d.geom_xmat, b)
    centre_a, centre_b = load3(d.geom_xpos, a), load3(d.geom_xpos, b)
    size_a, size_b = load3(m.geom_size, a), load3(m.geom_size, b)
    apart = sub3(centre_b, centre_a)
    b_in_a, a_in_b = seen(d, a, apart), seen(d, b, scale3(-1.0, apart))
    # the axes of b seen from a, and those of a seen from b
    x, y, z = column(d.geom_xmat, a, 0), column(d.geom_xmat, a, 1), column(d.geom_xmat, a, 2)
    axes_a = (seen(d, b, x), seen(d, b, y), seen(d, b, z))
    axes_b = transposed(axes_a)

    face, overlap = least_face(axes_a, axes_b, b_in_a, a_in_b, size_a, size_b, margin)
    if face == APART:
        return 0
    edges, axis, towards, ends_a, ends_b = least_edges(axes_b, b_in_a, size_a, size_b, margin, overlap)
    if edges == APART:
        return 0
    if edges >= 0:
        n = touch_edges(
            d, edges, axis, towards, ends_a, ends_b, axes_b, b_in_a, size_a, size_b, mat_a, centre_a, margin
        )
    elif face < 3:
        n = touch_face(d, face, axes_b, b_in_a, size_a, size_b, mat_a, centre_a, margin, 1.0)
    else:
        n = touch_face(d, face - 3, axes_a, a_in_b, size_b, size_a, mat_b, centre_b, margin, -1.0)
    return without_strays(m, d, a, b, margin, n)


@kernel
def seen(d, g, v):
    """v in the frame of geom g.

    Here, in overlaps and in clipping, products are rounded before they are added, as in MuJoCo: where boxes are
    aligned, it is their last bits that decide which of equal points are found, and in what order.
    """
    x, y, z = column(d.geom_xmat, g, 0), column(d.geom_xmat, g, 1), column(d.geom_xmat, g, 2)
    return dot3(v, x), dot3(v, y), dot3(v, z)


@kernel
def go(start, t, along):
    """start + t along, unfused"""
    return add3(start, scale3(t, along))


@kernel
def transposed(axes):
    """Three vectors as the rows of a matrix; its columns."""
    x, y, z = axes
    return (x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])


@kernel
def shadow(line, size):
    """Half the length of a box's shadow on a line given in the box's frame."""
    return dot3((absolute(line[0]), absolute(line[1]), absolute(line[2])), size)


@kernel
def least_face(axes_a, axes_b, b_in_a, a_in_b, size_a, size_b, margin):
    """(face normal along which the boxes overlap least, 0..2 of a or 3..5 of b, or APART; that overlap)."""
    least = margin
    for k in unroll(3):
        least = least + 3.0 * (size_a[k] + size_b[k])
    face, apart = NONE, False
    for k in unroll(3):
        of_a = size_a[k] - absolute(b_in_a[k]) + shadow(axes_a[k], size_b)
        of_b = size_b[k] - absolute(a_in_b[k]) + shadow(axes_b[k], size_a)
        apart = apart or of_a < -margin or of_b < -margin
        if of_a < least:
            face, least = k, of_a
        if of_b < least:
            face, least = k + 3, of_b
    return APART if apart else face, least


@kernel
def least_edges(axes_b, b_in_a, size_a, size_b, margin, least):
    """(3 i + j, axis, whether b lies against it, ends of the edge of a, ends of the edge of b).

    The axis is the cross product of edges i of a and j of b along which the boxes overlap least, if that is less than
    `least`; otherwise the first number is NONE, or APART. Ends are bits, set where the edge is on the positive side.
    """
    best, normal, against, ends_a, ends_b = NONE, UNITS[0], False, 0, 0
    for i in unroll(3):
        for j in unroll(3):
            product = cross(UNITS[i], axes_b[j])
            length = sqrt(dot3(product, product))
            if length >= TINY and best != APART:
                axis = scale3(1.0 / length, product)
                distance = dot3(b_in_a, axis)
                down = distance < 0.0
                overlap, bits_a, bits_b = 0.0, 0, 0
                for k in unroll(3):
                    if k != i:
                        shadow_a = size_a[k] * absolute(axis[k])
                        overlap = overlap + shadow_a
                        bits_a = bits_a + (1 << k) * int((axis[k] > 0.0) ^ down)
                for k in unroll(3):
                    if k != j:
                        # edge k of b has this share of the axis, up to a sign
                        share = axes_b[3 - k - j][i]
                        shadow_b = size_b[k] * absolute(share) / length
                        overlap = overlap + shadow_b
                        bits_b = bits_b + (1 << k) * int((share > 0.0) ^ down ^ ((k - j + 3) % 3 == 1))
                overlap = overlap - absolute(distance)
                if overlap < -margin:
                    best = APART
                elif overlap < least * LESS:
                    least = overlap
                    best, normal, against, ends_a, ends_b = 3 * i + j, axis, down, bits_a, bits_b
    return best, normal, against, ends_a, ends_b


@kernel
def turned(v, k, s):
    """v in a frame whose z axis is axis k, with sign s, of the old one."""
    if k == 0:
        return -(s * v[2]), v[1], s * v[0]
    if k == 1:
        return v[0], -(s * v[2]), s * v[1]
    return s * v[0], v[1], s * v[2]


@kernel
def turned_back(v, k, s):
    """The inverse of `turned`."""
    if k == 0:
        return s * v[2], v[1], -(s * v[0])
    if k == 1:
        return v[0], s * v[2], -(s * v[1])
    return s * v[0], v[1], s * v[2]


@kernel
def touch_face(d, face, axes, other, size, other_size, mat, centre, margin, sign):
    """Face `face` of the reference box against the other box, whose axes and centre are given in the reference's frame.

    Points are, in order: the other face's edges where they cross the border of the reference face; corners of the
    reference face within the other; corners of the other face within the reference, the deepest in any case.
    """
    ahead = other[0] if face == 0 else other[1] if face == 1 else other[2]
    side = -1.0 if ahead < 0.0 else 1.0
    x, y, z = turned(axes[0], face, side), turned(axes[1], face, side), turned(axes[2], face, side)
    across = turned(size, face, side)
    width, depth, height = absolute(across[0]), absolute(across[1]), absolute(across[2])
    p = turned(other, face, side)
    corner = (p[0], p[1], p[2] - height)
    edge = local(d, 2, 3)
    edges = 0
    for k in unroll(3):
        e = (x, y, z)[k]
        up = -1.0 if e[2] < 0.0 else 1.0
        corner = go(corner, -(up * other_size[k]), e)
        if absolute(e[2]) < 0.5 and edges < 2:
            store3(edge, edges, scale3(2.0 * up * other_size[k], e))
            edges = edges + 1
    points = local(d, 24, 3)
    n = 0
    u, v = load3(edge, 0), load3(edge, 1)
    if edges > 0:
        n = clip_edge(points, n, corner, u, width, depth)
    if edges > 1:
        n = clip_edge(points, n, corner, v, width, depth)
        n = clip_edge(points, n, add3(corner, u), v, width, depth)
        n = clip_edge(points, n, add3(corner, v), u, width, depth)
        n = corners_within(points, n, corner, u, v, width, depth)
    store3(points, n, corner)
    n = n + 1
    if edges > 0:
        n = corner_within(points, n, add3(corner, u), width, depth)
    if edges > 1:
        n = corner_within(points, n, add3(corner, v), width, depth)
        n = corner_within(points, n, add3(add3(corner, u), v), width, depth)

    normal = mat_vec(mat, turned_back((0.0, 0.0, sign), face, side))
    count = 0
    for i in range(n):
        q = load3(points, i)
        if q[2] <= margin:
            place = turned_back((q[0], q[1], 0.5 * q[2] + height), face, side)
            touch(d, count, q[2], add3(mat_vec(mat, place), centre), normal)
            count = count + 1
    return count


@kernel
def clip_edge(points, n, start, along, width, depth):
    """Adds where start + t along, 0 <= t <= 1, crosses the border of the face."""
    for k in unroll(2):
        reach, beside = (width, depth) if k == 0 else (depth, width)
        if absolute(along[k]) > TINY:
            inverse = 1.0 / along[k]
            for end in unroll(-1, 2, 2):
                t = (end * reach - start[k]) * inverse
                point = go(start, t, along)
                if 0.0 <= t <= 1.0 and absolute(point[1 - k]) <= beside:
                    store3(points, n, point)
                    n = n + 1
    return n


@kernel
def corners_within(points, n, corner, u, v, width, depth):
    """Adds the corners of the reference face that lie inside the parallelogram, at its height."""
    for k in unroll(4):
        x, y = (width if k >= 2 else -width), (depth if k % 2 else -depth)
        s, t = coordinates(x - corner[0], y - corner[1], u, v, area(u, v))
        if 0.0 < s < 1.0 and 0.0 < t < 1.0:
            store3(points, n, (x, y, corner[2] + s * u[2] + t * v[2]))
            n = n + 1
    return n


@kernel
def area(u, v):
    """Of the parallelogram that u and v span, seen along z."""
    return u[0] * v[1] - v[0] * u[1]


@kernel
def coordinates(x, y, u, v, uv):
    """(s, t) with s u + t v = (x, y), seen along z; uv is the area of u and v."""
    inverse = 1.0 / uv
    return (x * v[1] - y * v[0]) * inverse, (y * u[0] - x * u[1]) * inverse


@kernel
def corner_within(points, n, corner, width, depth):
    """Adds a corner of the other box if it lies inside the border of the face."""
    if absolute(corner[0]) < width and absolute(corner[1]) < depth:
        store3(points, n, corner)
        return n + 1
    return n


@kernel
def touch_edges(d, edges, axis, against, ends_a, ends_b, axes, other, size_a, size_b, mat, centre, margin):
    """Edges `edges` = 3 i + j of the two boxes: the face of b that holds its edge against a face of a that holds its
    own.

    Both faces are those most across the axis. The face of b is projected along the axis into the plane of a's face.
    Points are half way between the two: borders of b's face where their shadows cross those of a's, corners of a's face
    in the shadow, corners of the shadow in a's face. If no borders cross, corners beside the other face count as well.
    """
    i, j = edges // 3, edges % 3
    turn, sizes_b, ends = local(d, 3, 3), local(d, 3), local(d, 3)
    for k in unroll(3):
        store3(turn, k, axes[k])
        sizes_b[k] = size_b[k]
        ends[k] = 1.0 if ends_b & (1 << k) else -1.0
    # the axis of b along its face, and the normal of that face; the same of a
    flat = 0 if j == 1 else 1
    if absolute(turn[flat, i]) < absolute(turn[3 - j - flat, i]):
        flat = 3 - j - flat
    upright = 3 - j - flat
    steeper = 0 if i == 1 else 1
    if absolute(turn[j, steeper]) < absolute(turn[j, 3 - i - steeper]):
        steeper = 3 - i - steeper
    face = 3 - i - steeper
    side = 1.0 if ends_a & (1 << face) else -1.0

    across = turned(size_a, face, side)
    width, depth, height = absolute(across[0]), absolute(across[1]), absolute(across[2])
    p = turned(other, face, side)
    normal = turned(axis, face, side)
    along = scale3(sizes_b[j], turned(load3(turn, j), face, side))
    sideways = scale3(ends[flat] * sizes_b[flat], turned(load3(turn, flat), face, side))
    outwards = scale3(ends[upright] * sizes_b[upright], turned(load3(turn, upright), face, side))
    base = add3((p[0], p[1], p[2] - height), outwards)
    if absolute(normal[2]) < TINY:
        return 0
    slope = 1.0 / normal[2]
    steep = -slope if against else slope

    # corners of b's face: two of the edge, then two opposite; their shadows
    face_b, shadow_b = local(d, 4, 3), local(d, 4, 3)
    store3(face_b, 0, add3(add3(base, sideways), along))
    store3(face_b, 1, sub3(add3(base, sideways), along))
    store3(face_b, 2, add3(sub3(base, sideways), along))
    store3(face_b, 3, sub3(sub3(base, sideways), along))
    for k in unroll(4):
        q = load3(face_b, k)
        store3(shadow_b, k, axpy3(-(q[2] * slope), normal, q))
    corner, shade = load3(face_b, 0), load3(shadow_b, 0)
    u, v = sub3(load3(face_b, 1), corner), sub3(load3(face_b, 2), corner)
    su, sv = sub3(load3(shadow_b, 1), shade), sub3(load3(shadow_b, 2), shade)

    points, dist = local(d, 24, 3), local(d, 24)
    n = clip_shadow(points, dist, 0, corner, u, shade, su, width, depth, steep, margin)
    n = clip_shadow(points, dist, n, corner, v, shade, sv, width, depth, steep, margin)
    n = clip_shadow(points, dist, n, add3(corner, u), v, add3(shade, su), sv, width, depth, steep, margin)
    n = clip_shadow(points, dist, n, add3(corner, v), u, add3(shade, sv), su, width, depth, steep, margin)
    crossed = n > 0
    n = corners_in_shadow(points, dist, n, crossed, corner, u, v, shade, su, sv, width, depth, margin)
    covered = n > 0
    for k in range(4):
        n = corner_over_face(
            points, dist, n, crossed, covered, load3(face_b, k), load3(shadow_b, k), width, depth, steep, margin
        )

    out = mat_vec(mat, turned_back(scale3(-1.0 if against else 1.0, normal), face, side))
    for k in range(n):
        q = load3(points, k)
        touch(d, k, dist[k], add3(mat_vec(mat, turned_back((q[0], q[1], q[2] + height), face, side)), centre), out)
    return n


@kernel
def clip_shadow(points, dist, n, start, along, shade, slide, width, depth, steep, margin):
    """Adds points of the line start + t along whose shadow shade + t slide crosses the border of the face."""
    for k in unroll(2):
        reach, beside = (width, depth) if k == 0 else (depth, width)
        if absolute(slide[k]) > TINY:
            inverse = 1.0 / slide[k]
            for end in unroll(-1, 2, 2):
                t = (end * reach - shade[k]) * inverse
                cross_at = shade[1 - k] + slide[1 - k] * t
                q = axpy3(t, along, start)
                if 0.0 <= t <= 1.0 and absolute(cross_at) <= beside and q[2] * steep <= margin:
                    border = (end * reach, cross_at) if k == 0 else (cross_at, end * reach)
                    store3(points, n, (0.5 * (q[0] + border[0]), 0.5 * (q[1] + border[1]), 0.5 * q[2]))
                    dist[n] = q[2] * steep
                    n = n + 1
    return n


@kernel
def corners_in_shadow(points, dist, n, crossed, corner, u, v, shade, su, sv, width, depth, margin):
    """Adds the corners of a's face that are in the shadow, or beside it if no borders cross, half way to b's face.

    MuJoCo keeps the area of the shadow and the square of a corner's gap in one variable: after the first corner that is
    looked at, coordinates in the shadow are scaled wrongly. So they are here: with other points forces would differ.
    """
    scale = area(su, sv)
    for k in unroll(4):
        x, y = (width if k >= 2 else -width), (depth if k % 2 else -depth)
        s, t = coordinates(x - shade[0], y - shade[1], su, sv, scale)
        s_out, t_out = s < 0.0 or s > 1.0, t < 0.0 or t > 1.0
        if not (s_out or t_out) or not (crossed or (s_out and t_out)):
            s, t = clip(s, 0.0, 1.0), clip(t, 0.0, 1.0)
            q = axpy3(t, v, axpy3(s, u, corner))
            gap = sub3((x, y, 0.0), q)
            square = dot3(gap, gap)
            if square > 0.0:
                scale = square
            if q[2] <= 0.0 or square <= margin * margin:
                store3(points, n, (0.5 * (x + q[0]), 0.5 * (y + q[1]), 0.5 * q[2]))
                dist[n] = -sqrt(square) if q[2] < 0.0 else sqrt(square)
                n = n + 1
    return n


@kernel
def corner_over_face(points, dist, n, crossed, covered, q, shade, width, depth, steep, margin):
    """Adds corner q of b's face if its shadow falls into a's face, or beside it if no borders cross, half way there."""
    x, y = clip(shade[0], -width, width), clip(shade[1], -depth, depth)
    x_out, y_out = shade[0] != x, shade[1] != y
    if (crossed and (x_out or y_out)) or (covered and x_out and y_out):
        return n
    dx, dy, dz = shade[0] - x, shade[1] - y, q[2] * steep
    square = dx * dx + dy * dy + dz * dz
    if q[2] > 0.0 and square > margin * margin:
        return n
    store3(points, n, (0.5 * (x + q[0]), 0.5 * (y + q[1]), 0.5 * q[2]))
    dist[n] = -sqrt(square) if q[2] < 0.0 else sqrt(square)
    return n + 1


@kernel
def without_strays(m, d, a, b, margin, count):
    """Leaves out points outside one of the boxes, unless they are well inside the other, and all but the last of
    equals.
    """
    kept = 0
    for i in range(count):
        q = load3(d.touch_pos, i)
        in_a, in_b = depth_class(m, d, a, q, margin), depth_class(m, d, b, q, margin)
        stray = (in_a == 1 and in_b != -1) or (in_b == 1 and in_a != -1)
        if not stray:
            if kept < i:
                touch(d, kept, d.touch_dist[i], q, load3(d.touch_normal, i))
            kept = kept + 1
    last = 0
    for i in range(kept):
        q = load3(d.touch_pos, i)
        again = False
        for k in range(i + 1, kept):
            r = load3(d.touch_pos, k)
            again = again or (q[0] == r[0] and q[1] == r[1] and q[2] == r[2])
        if not again:
            if last < i:
                touch(d, last, d.touch_dist[i], q, load3(d.touch_normal, i))
            last = last + 1
    return last


@kernel
def depth_class(m, d, g, point, margin):
    """1 if a point is outside box g, inflated by the margin and a bit; -1 if it is inside it, deflated; otherwise 0."""
    x, y, z = mat_t_vec(load9(d.geom_xmat, g), sub3(point, load3(d.geom_xpos, g)))
    sx, sy, sz = m.geom_size[g, 0] + margin, m.geom_size[g, 1] + margin, m.geom_size[g, 2] + margin
    if absolute(x) > sx * INFLATE or absolute(y) > sy * INFLATE or absolute(z) > sz * INFLATE:
        return 1
    if absolute(x) < sx / INFLATE and absolute(y) < sy / INFLATE and absolute(z) < sz / INFLATE:
        return -1
    return 0
