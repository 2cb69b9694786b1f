"""Wrapping: the shortest way of a tendon around a sphere or a cylinder.

The geom's frame reduces both to a circle in a plane: for a sphere the plane through its centre and the two sites, for a
cylinder the plane across its axis. Without a side site, or with one outside, the tendon lies on the circle's
outside when the straight way would cut it, or with a side site when it would pass on the other side; a side site inside
the geom's radius makes the tendon pass through the circle, touching it from within at one point.

Worlds differ in whether the tendon wraps, so everything is masks; what no world needs is skipped.
"""

from __future__ import annotations

from corten.kernel import absolute, acos, any_lane, asin, atan2, clip, kernel, maximum, sincos, sqrt, where
from corten.kernel.vec import TINY, add3, axpy3, cross, dot3, mat_t_vec, mat_vec, norm3, normalize3, scale3, sub3

TWO_PI = 6.283185307179586
CROSSED = -10000.0  # merit of a solution whose two straight parts cross
START = 1.0 - 1e-7  # where Newton's method begins: a tendon that all but grazes the circle
PRECISE = 1e-6  # Newton's method ends below this residual in radians
ITERATIONS = 19  # it fails if it needs more


@kernel
def wrap(x0, x1, pos, mat, radius, sphere, sided, side):
    """(whether the tendon from x0 to x1 wraps, length on the surface, where it meets the surface, where it leaves it).

    `sphere` tells a sphere from a cylinder, `sided` whether there is a side site, at `side`.
    """
    p0, p1 = mat_t_vec(mat, sub3(x0, pos)), mat_t_vec(mat, sub3(x1, pos))
    u, v = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    if sphere:
        u, v = plane_of(p0, p1)
    a, b = (dot3(p0, u), dot3(p0, v)), (dot3(p1, u), dot3(p1, v))
    possible = (norm3(p0) >= TINY) & (norm3(p1) >= TINY) & (radius >= TINY)
    outside = possible
    sx, sy = 0.0, 0.0
    if sided:
        s = mat_t_vec(mat, sub3(side, pos))
        outside = possible & (norm3(s) >= radius)
        sx, sy = on_circle(dot3(s, u), dot3(s, v), radius)
    wraps, length, q0, q1 = wrap_outside(a, b, (sx, sy), sided, radius, outside)
    within = possible & ~outside
    if any_lane(within):
        touches, point = wrap_inside(a, b, radius, within)
        wraps = wraps | touches
        length = where(within, 0.0, length)
        q0, q1 = where(within, point, q0), where(within, point, q1)
    w0, w1 = axpy3(q0[0], u, scale3(q0[1], v)), axpy3(q1[0], u, scale3(q1[1], v))
    if not sphere and any_lane(wraps):
        length, z0, z1 = helix(p0, p1, a, b, q0, q1, length, wraps)
        w0, w1 = (w0[0], w0[1], z0), (w1[0], w1[1], z1)
    return wraps, length, add3(mat_vec(mat, w0), pos), add3(mat_vec(mat, w1), pos)


@kernel
def plane_of(p0, p1):
    """Two axes of the plane through the origin, p0 and p1, the first along p0; any such plane where the three align."""
    u, _ = normalize3(p0)
    normal, size = normalize3(cross(p0, p1))
    aligned = size < TINY
    if any_lane(aligned):
        x, y, z = absolute(u[0]), absolute(u[1]), absolute(u[2])
        in_y, in_z = (y > x) & (y > z), (z > x) & (z > y)
        other = (where(in_y | in_z, 1.0, 0.0), where(in_y, 0.0, 1.0), where(in_z, 0.0, 1.0))
        substitute, _ = normalize3(cross(u, other))
        normal = where(aligned, substitute, normal)
    v, _ = normalize3(cross(normal, u))
    return u, v


@kernel
def wrap_outside(a, b, side, sided, radius, possible):
    """(whether a string from a to b lies on the circle, on what length, from where, to where).

    From each point two lines touch the circle; of the two ways round, the one that is on the side of `side` or the
    shorter one is taken. A way whose two straight parts cross is none.
    """
    rr = radius * radius
    aa, bb = a[0] * a[0] + a[1] * a[1], b[0] * b[0] + b[1] * b[1]
    dx, dy = b[0] - a[0], b[1] - a[1]
    dd = dx * dx + dy * dy
    wraps = possible & (aa >= rr) & (bb >= rr) & (dd >= TINY)
    t = clip(-(dx * a[0] + dy * a[1]) / where(wraps, dd, 1.0), 0.0, 1.0)
    nx, ny = t * dx + a[0], t * dy + a[1]
    clear = nx * nx + ny * ny > rr
    if sided:
        clear = clear & (side[0] * nx + side[1] * ny >= 0.0)
    wraps = wraps & ~clear
    length = 0.0
    q0, q1 = (0.0, 0.0), (0.0, 0.0)
    if any_lane(wraps):
        ta, tb = radius * sqrt(maximum(aa - rr, 0.0)), radius * sqrt(maximum(bb - rr, 0.0))
        ia, ib = 1.0 / where(wraps, aa, 1.0), 1.0 / where(wraps, bb, 1.0)
        left0, left1 = tangent(a, rr, ta, ia), tangent(b, rr, -tb, ib)
        right0, right1 = tangent(a, rr, -ta, ia), tangent(b, rr, tb, ib)
        left = merit(a, b, left0, left1, side, sided)
        right = merit(a, b, right0, right1, side, sided)
        leftward = left > right
        q0, q1 = where(leftward, (left0, left1), (right0, right1))
        wraps = wraps & ~crosses(a, q0, b, q1)
        turn = q0[1] * q1[0] - q0[0] * q1[1]
        angle = atan2(where(leftward, turn, -turn), q0[0] * q1[0] + q0[1] * q1[1])
        length = radius * where(angle < 0.0, angle + TWO_PI, angle)
    return wraps, length, q0, q1


@kernel
def tangent(p, rr, signed, inverse):
    """Where a line from p touches the circle: (r^2 p + signed (p_y, -p_x)) / |p|^2, signed = +-r sqrt(|p|^2 - r^2)."""
    return (p[0] * rr + signed * p[1]) * inverse, (p[1] * rr - signed * p[0]) * inverse


@kernel
def merit(a, b, q0, q1, side, sided):
    """How good a way from a over q0 and q1 to b is: how far to the given side, or how short its chord."""
    if sided:
        x, y = q0[0] + q1[0], q0[1] + q1[1]
        n = sqrt(x * x + y * y)
        tiny = n < TINY
        s = 1.0 / where(tiny, 1.0, n)
        good = where(tiny, 1.0, x * s) * side[0] + where(tiny, 0.0, y * s) * side[1]
    else:
        x, y = q0[0] - q1[0], q0[1] - q1[1]
        good = -(x * x + y * y)
    return where(crosses(a, q0, b, q1), CROSSED, good)


@kernel
def crosses(a, q0, b, q1):
    """Whether the segments from a to q0 and from b to q1 meet."""
    ax, ay, bx, by = q0[0] - a[0], q0[1] - a[1], q1[0] - b[0], q1[1] - b[1]
    ox, oy = a[0] - b[0], a[1] - b[1]
    det = by * ax - bx * ay
    skew = absolute(det) >= TINY
    inverse = 1.0 / where(skew, det, 1.0)
    s, t = (bx * oy - by * ox) * inverse, (ax * oy - ay * ox) * inverse
    return skew & (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)


@kernel
def wrap_inside(a, b, radius, possible):
    """(whether a string from a to b is held within the circle, the point where it touches the circle).

    The shortest way from a to b over a point of the circle is reflected there: with z the sine of the angle between the
    radius and either part, asin(r z / |a|) + asin(r z / |b|) - 2 asin(z) + (angle between a and b) = 0, solved by
    Newton's method. Where this has no solution, the point is taken halfway.
    """
    la, lb = sqrt(a[0] * a[0] + a[1] * a[1]), sqrt(b[0] * b[0] + b[1] * b[1])
    dx, dy = b[0] - a[0], b[1] - a[1]
    dd = dx * dx + dy * dy
    touches = possible & (la > radius) & (lb > radius) & (la >= TINY) & (lb >= TINY)
    apart = dd > TINY
    t = -(dx * a[0] + dy * a[1]) / where(apart, dd, 1.0)
    nx, ny = t * dx + a[0], t * dy + a[1]
    cut = apart & (t > 0.0) & (t < 1.0) & (nx * nx + ny * ny <= radius * radius)
    touches = touches & ~cut
    ia, ib = 1.0 / where(touches, la, 1.0), 1.0 / where(touches, lb, 1.0)
    cosine = 0.5 * (la * la + lb * lb - dd) * (ia * ib)
    touches = touches & (cosine >= TINY - 1.0)
    point = on_circle(0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), radius)
    solved = touches & (cosine <= 1.0 - TINY)
    if any_lane(solved):
        sa, sb = where(solved, radius * ia, 0.5), where(solved, radius * ib, 0.5)
        solved, z = reflection(sa, sb, acos(where(solved, cosine, 0.0)), solved)
        if any_lane(solved):
            first = a[0] * b[1] - a[1] * b[0] > 0.0
            angle = asin(z) - asin(z * where(first, sa, sb))
            x, y = on_circle(where(first, a[0], b[0]), where(first, a[1], b[1]), radius)
            s, c = sincos(angle)
            point = where(solved, (c * x - s * y, s * x + c * y), point)
    return touches, point


@kernel
def on_circle(x, y, radius):
    """The point of the circle in the direction of (x, y)."""
    n = sqrt(x * x + y * y)
    tiny = n < TINY
    s = radius / where(tiny, 1.0, n)
    return where(tiny, radius, x * s), where(tiny, 0.0, y * s)


@kernel
def reflection(sa, sb, gap, possible):
    """(whether a solution was found, z) of f(z) = asin(sa z) + asin(sb z) - 2 asin(z) + gap = 0, from the right."""
    z = where(possible, START, 0.5)
    f = asin(sa * z) + asin(sb * z) - 2.0 * asin(z) + gap
    good = possible & (f <= 0.0)
    busy = good & (absolute(f) > PRECISE)
    for _ in range(ITERATIONS):
        if not any_lane(busy):
            break
        slope = inverse_cosine(sa, sa * z) + inverse_cosine(sb, sb * z) - inverse_cosine(2.0, z)
        falling = slope <= -TINY
        next_z = z - f / where(falling, slope, -1.0)
        moved = falling & (next_z <= z)
        good = good & (moved | ~busy)
        busy = busy & moved
        z = where(busy, next_z, z)
        f = where(busy, asin(sa * z) + asin(sb * z) - 2.0 * asin(z) + gap, f)
        good = good & ~(busy & (f > PRECISE))
        busy = good & busy & (absolute(f) > PRECISE)
    return good & ~busy, z


@kernel
def inverse_cosine(s, x):
    """s / cos(asin(x)): the slope of asin at x, times s."""
    return s / maximum(TINY, sqrt(1.0 - x * x))


@kernel
def helix(p0, p1, a, b, q0, q1, length, wraps):
    """(length on a cylinder, heights at which the tendon meets and leaves it): height grows evenly along the way."""
    before = sqrt((a[0] - q0[0]) ** 2 + (a[1] - q0[1]) ** 2)
    after = sqrt((b[0] - q1[0]) ** 2 + (b[1] - q1[1]) ** 2)
    rise = (p1[2] - p0[2]) / where(wraps, before + length + after, 1.0)
    z0, z1 = rise * before + p0[2], rise * (before + length) + p0[2]
    height = z1 - z0
    return sqrt(length * length + height * height), z0, z1
