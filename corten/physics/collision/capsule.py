"""Capsules against capsules and boxes.

Against a box: the point of the capsule's segment that is nearest to the box decides the first contact; if the segment
runs along a face or an edge from there, the farthest point of it that is still above the box gives a second. The choice
of that second point is MuJoCo's.
"""

from __future__ import annotations

from corten.kernel import absolute, clip, kernel, local, maximum, minimum, unroll
from corten.kernel.vec import add3, axpy3, dot3, load3, load9, mat_t_vec, mat_vec, scale3, sub3
from corten.physics.collision.plane import column
from corten.physics.collision.sphere import ball_box, two_balls

TINY = 1e-15
LEAST = 1e-300  # divisors are kept above this
FAR = 1e300
NO_STEP = 4.0  # longer than any segment
# What of a box is nearest to a segment: nothing found, a face (to an end of the segment), or an edge or corner.
NOTHING, FACE, CORNER, EDGE = 0, 1, 2, 3


@kernel
def capsule_capsule(m, d, a, b, margin):
    """The nearest points of the two segments; if these are parallel, ends of each against the other, two at most."""
    centre_a, centre_b = load3(d.geom_xpos, a), load3(d.geom_xpos, b)
    axis_a = scale3(m.geom_size[a, 1], column(d.geom_xmat, a, 2))
    axis_b = scale3(m.geom_size[b, 1], column(d.geom_xmat, b, 2))
    radius_a, radius_b = m.geom_size[a, 0], m.geom_size[b, 0]
    apart = sub3(centre_a, centre_b)
    # minimise |centre_a + x axis_a - centre_b - y axis_b|^2: [aa ab; ab bb] [x y]' = [u v]'
    aa, ab, bb = dot3(axis_a, axis_a), -dot3(axis_a, axis_b), dot3(axis_b, axis_b)
    u, v = -dot3(axis_a, apart), dot3(axis_b, apart)
    det = aa * bb - ab * ab
    if absolute(det) >= TINY:
        x, y = (bb * u - ab * v) / det, (aa * v - ab * u) / det
        if x > 1.0:
            x = 1.0
            y = (v - ab) / bb
        elif x < -1.0:
            x = -1.0
            y = (v + ab) / bb
        if y > 1.0:
            y = 1.0
            x = clip((u - ab) / aa, -1.0, 1.0)
        elif y < -1.0:
            y = -1.0
            x = clip((u + ab) / aa, -1.0, 1.0)
        ball_a, ball_b = axpy3(x, axis_a, centre_a), axpy3(y, axis_b, centre_b)
        return two_balls(d, 0, a, b, ball_a, radius_a, ball_b, radius_b, margin)

    n = 0
    for k in unroll(2):
        end = 1.0 - 2.0 * k
        ball_a = axpy3(end, axis_a, centre_a)
        ball_b = axpy3(clip((v - end * ab) / bb, -1.0, 1.0), axis_b, centre_b)
        n = n + two_balls(d, n, a, b, ball_a, radius_a, ball_b, radius_b, margin)
    for k in unroll(2):
        if n < 2:
            end = 1.0 - 2.0 * k
            ball_b = axpy3(end, axis_b, centre_b)
            ball_a = axpy3(clip((u - end * ab) / aa, -1.0, 1.0), axis_a, centre_a)
            n = n + two_balls(d, n, a, b, ball_a, radius_a, ball_b, radius_b, margin)
    return n


@kernel
def capsule_box(m, d, a, b, margin):
    """The nearest point of the segment, and perhaps a second along the box."""
    middle, mat, box = load3(d.geom_xpos, b), load9(d.geom_xmat, b), load3(m.geom_size, b)
    centre = mat_t_vec(mat, sub3(load3(d.geom_xpos, a), middle))
    direction = mat_t_vec(mat, column(d.geom_xmat, a, 2))
    radius, half = m.geom_size[a, 0], m.geom_size[a, 1]
    axis, segment, size = local(d, 3), local(d, 3), local(d, 3)
    for k in unroll(3):
        axis[k] = direction[k]
        segment[k] = half * direction[k]
        size[k] = box[k]
    limit = margin + 2.0 * (radius + half + box[0] + box[1] + box[2])
    feature, number, corner, nearest, on_edge = nearest_feature(d, centre, segment, half, size, limit)
    if feature == NOTHING:
        return 0
    if feature == FACE:
        step = step_over_face(centre, segment, size, number, nearest)
    elif feature == CORNER:
        step = step_from_corner(axis, segment, size, corner, nearest)
    else:
        step = step_across_edge(axis, segment, size, corner, number, nearest, on_edge)
    along = scale3(half, direction)
    first = add3(mat_vec(mat, axpy3(nearest, along, centre)), middle)
    n = ball_box(m, d, 0, first, radius, b, margin)
    if absolute(step) < NO_STEP:
        second = add3(mat_vec(mat, axpy3(nearest + step, along, centre)), middle)
        n = n + ball_box(m, d, n, second, radius, b, margin)
    return n


@kernel
def nearest_feature(d, centre, segment, half, size, limit):
    """(kind of feature, its axis, corner, place on the segment, place on the edge) where segment and box are nearest.

    First the ends of the segment that lie over a face, or inside (axis -1); then the twelve edges. Places go from -1 to
    1. Corners are numbered by bits, set where a coordinate is positive; an edge is known by its axis and its lower
    corner.
    """
    best = limit
    feature, number, corner = NOTHING, -1, 0
    nearest, on_edge = 0.0, 0.0
    for k in range(2):
        end = 2.0 * k - 1.0
        outside, face = 0, -1
        square = 0.0
        for i in unroll(3):
            x = end * segment[i] + centre[i]
            excess = x - clip(x, -size[i], size[i])
            if excess != 0.0:
                outside = outside + 1
                face = i
            square = excess * excess + square
        if outside <= 1 and square < best:
            best = square
            feature, number, nearest = FACE, face, end

    for axis in range(3):
        for i in range(8):
            if i & (1 << axis) == 0:
                square, x, y, side = segment_and_edge(d, centre, segment, half, size, axis, i)
                if square < best - TINY:
                    best = square
                    feature, number = EDGE if side == 0 else CORNER, axis
                    corner = i + (1 << axis) if side > 0 else i
                    nearest, on_edge = y, x
    return feature, number, corner, nearest, on_edge


@kernel
def segment_and_edge(d, centre, segment, half, size, axis, corner):
    """(squared distance, place on the edge, place on the segment, end of the edge or 0) where these two are nearest.

    The edge goes along `axis` from a corner whose bit for that axis is not set. Parallel lines count as far apart: the
    ends have been tried before.
    """
    gap = local(d, 3)  # from the capsule's centre to the middle of the edge
    for k in unroll(3):
        out = 0.0 if k == axis else size[k] if corner & (1 << k) else -size[k]
        gap[k] = out - centre[k]
    # minimise |gap + x edge - y segment|^2: [aa ab; ab bb] [x y]' = [u v]'
    aa, ab, bb = size[axis] * size[axis], -(size[axis] * segment[axis]), half * half
    u = -(size[axis] * gap[axis])
    v = segment[0] * gap[0] + segment[1] * gap[1] + segment[2] * gap[2]
    det = aa * bb - ab * ab
    if absolute(det) < TINY:
        return FAR, 0.0, 0.0, 0
    x, y, side = (bb * u - ab * v) / det, (aa * v - ab * u) / det, 0
    if absolute(x) > 1.0:
        side = 1 if x > 0.0 else -1
        x = clip(x, -1.0, 1.0)
        y = (v - side * ab) / bb
    if absolute(y) > 1.0:
        y = clip(y, -1.0, 1.0)
        x = (u - y * ab) / aa
        if absolute(x) > 1.0:
            side = 1 if x > 0.0 else -1
            x = clip(x, -1.0, 1.0)
    for k in unroll(3):
        gap[k] = gap[k] - y * segment[k]
    gap[axis] = gap[axis] + size[axis] * x
    return gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2], x, y, side


@kernel
def pointing(segment):
    """Bits of the coordinates in which the segment ascends."""
    return int(segment[0] > 0.0) + 2 * int(segment[1] > 0.0) + 4 * int(segment[2] > 0.0)


@kernel
def one_bit(bits):
    """The number of the bit if just one of three is set, otherwise -1."""
    return 0 if bits == 1 else 1 if bits == 2 else 2 if bits == 4 else -1


@kernel
def crossing(size, segment, axis):
    """How much of the segment's parameter it takes to cross the box along an axis."""
    return 2.0 * size[axis] / maximum(absolute(segment[axis]), LEAST)


@kernel
def step_over_face(centre, segment, size, face, end):
    """From an end over a face, or inside (face -1), to where the segment leaves the space above the face."""
    step = NO_STEP
    if face >= 0:
        step = 2.0
        for i in unroll(3):
            slope = -(end * segment[i])
            if i != face and absolute(slope) > LEAST:
                start = end * segment[i] + centre[i]
                low, high = (-size[i] - start) / slope, (size[i] - start) / slope
                if 0.0 < low < step:
                    step = low
                if 0.0 < high < step:
                    step = high
        step = -(end * step)
    return step


@kernel
def step_from_corner(axis, segment, size, corner, nearest):
    """From a corner along the edge or over the face that the segment follows; none if it points there or away."""
    bits = pointing(segment) ^ corner
    step = NO_STEP
    if bits != 0 and bits != 7:
        way = 1.0
        k = one_bit(bits)
        if k < 0:
            way = -1.0
            k = one_bit(7 - bits)
        if axis[k] * axis[k] > 0.5:  # along the edge
            step = way * minimum(1.0 - way * nearest, crossing(size, segment, k))
        else:
            step = minimum(crossing(size, segment, (k + 1) % 3), crossing(size, segment, (k + 2) % 3))
            step = -(way * minimum(1.0 + way * nearest, step))
    return step


@kernel
def step_across_edge(axis, segment, size, corner, edge, nearest, on_edge):
    """From the middle of an edge over the face to which the segment is less inclined; none if it crosses like a T."""
    bits = (pointing(segment) ^ corner) & (7 - (1 << edge))
    step = NO_STEP
    if one_bit(bits) >= 0:
        low, over = (edge + 1) % 3, (edge + 2) % 3
        if absolute(axis[low]) > absolute(axis[over]):
            low, over = over, low
        ahead = bits & (1 << over) != 0
        way = 1.0 if ahead else -1.0
        ascends = pointing(segment) & (1 << edge) != 0
        room = 1.0 + on_edge if ascends ^ ahead else 1.0 - on_edge
        aside = room * size[edge] / maximum(absolute(segment[edge]), LEAST)
        step = way * minimum(minimum(1.0 - way * nearest, crossing(size, segment, over)), aside)
    return step
