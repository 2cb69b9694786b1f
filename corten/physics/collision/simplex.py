"""The point of a simplex that is nearest to the origin, by signed volumes (Montanari, Petrinic and Barbieri 2017).

A simplex is the first rows of a table of vertices. The answer is given as weights of the vertices, zero for those that
the point does not need.
"""

from __future__ import annotations

from corten.kernel import absolute, kernel
from corten.kernel.vec import scale3, sub3
from corten.physics.collision.support import FAR, TINY
from corten.physics.collision.unfused import axpy3, cross, dot3


@kernel
def both_signs(a, b):
    """Whether two numbers are both positive or both negative."""
    return (a > 0.0 and b > 0.0) or (a < 0.0 and b < 0.0)


@kernel
def determinant(a, b, c):
    """a . (b x c)"""
    return dot3(a, cross(b, c))


@kernel
def vertex_of(vertex, row):
    """A vertex of the Minkowski difference."""
    return vertex[row, 0], vertex[row, 1], vertex[row, 2]


@kernel
def foot_on_plane(a, b, c):
    """(whether a, b and c span a plane, the point of it that is nearest to the origin).

    The foot is n (n . b) / (n . n) with n the cross product of two sides. Of the three ways to take these, the first
    that is well conditioned is used.
    """
    ab, ac, bc = sub3(b, a), sub3(c, a), sub3(c, b)
    n = cross(bc, ab)
    height, square = dot3(n, b), dot3(n, n)
    if square == 0.0:
        return False, n
    if height == 0.0 or square <= TINY:
        n = cross(ab, ac)
        height, square = dot3(n, a), dot3(n, n)
        if square == 0.0:
            return False, n
        if height == 0.0 or square <= TINY:
            n = cross(ac, bc)
            height, square = dot3(n, c), dot3(n, n)
            if square == 0.0:
                return False, n
    return True, scale3(height / square, n)


@kernel
def areas(a, b, c, p):
    """Twice the signed areas of pbc, apc, abp and abc, projected along the axis that leaves most of the last."""
    first, second, third = (
        minor(a[1], a[2], b[1], b[2], c[1], c[2]),
        minor(a[0], a[2], b[0], b[2], c[0], c[2]),
        minor(a[0], a[1], b[0], b[1], c[0], c[1]),
    )
    x, y, z = absolute(first), absolute(second), absolute(third)
    whole = third
    au, bu, cu, pu = a[0], b[0], c[0], p[0]
    av, bv, cv, pv = a[1], b[1], c[1], p[1]
    if x >= y and x >= z:
        whole = first
        au, bu, cu, pu = a[1], b[1], c[1], p[1]
        av, bv, cv, pv = a[2], b[2], c[2], p[2]
    elif y >= z:
        whole = second
        av, bv, cv, pv = a[2], b[2], c[2], p[2]
    return area(pu, pv, bu, bv, cu, cv), area(pu, pv, cu, cv, au, av), area(pu, pv, au, av, bu, bv), whole


@kernel
def area(pu, pv, bu, bv, cu, cv):
    """Twice the signed area of a triangle in the plane."""
    x, y, z = pu * bv, pv * cu, bu * cv
    u, v, w = pu * cv, pv * bu, cu * bv
    return x + y + z - u - v - w


@kernel
def minor(au, av, bu, bv, cu, cv):
    """The same with another order of terms."""
    bc, cb, ac = bu * cv, bv * cu, au * cv
    ca, ab, ba = av * cu, au * bv, av * bu
    return bc - cb - ac + ca + ab - ba


@kernel
def blend(wa, a, wb, b, wc, c):
    """wa a + wb b + wc c"""
    return axpy3(wc, c, axpy3(wb, b, scale3(wa, a)))


@kernel
def on_segment(a, b):
    """(weights of a and b, squared distance) of the nearest point of a segment; one of its ends where both are zero."""
    side = sub3(b, a)
    foot = axpy3(-(dot3(b, side) / dot3(side, side)), side, b)
    widest, inner, outer = a[0] - b[0], foot[0] - b[0], a[0] - foot[0]
    if absolute(a[1] - b[1]) >= absolute(widest):
        widest, inner, outer = a[1] - b[1], foot[1] - b[1], a[1] - foot[1]
    if absolute(a[2] - b[2]) >= absolute(widest):
        widest, inner, outer = a[2] - b[2], foot[2] - b[2], a[2] - foot[2]
    if both_signs(widest, inner) and both_signs(widest, outer):
        wa, wb = inner / widest, outer / widest
    else:
        wa, wb = 0.0, 1.0
    nearest = axpy3(wa, a, scale3(wb, b))
    return wa, wb, dot3(nearest, nearest)


@kernel
def on_triangle(a, b, c):
    """(weights of a, b and c, squared distance) of the nearest point of a triangle."""
    flat, foot = foot_on_plane(a, b, c)
    if not flat:
        wa, wb, least = on_segment(a, b)
        return wa, wb, 0.0, least
    first, second, third, whole = areas(a, b, c, foot)
    past_a, past_b = not both_signs(whole, first), not both_signs(whole, second)
    past_c = not both_signs(whole, third)
    if not (past_a or past_b or past_c):
        wa, wb, wc = first / whole, second / whole, third / whole
        nearest = blend(wa, a, wb, b, wc, c)
        return wa, wb, wc, dot3(nearest, nearest)
    wa, wb, wc, least = 0.0, 0.0, 0.0, FAR
    if past_a:
        u, v, square = on_segment(b, c)
        wa, wb, wc, least = 0.0, u, v, square
    if past_b:
        u, v, square = on_segment(a, c)
        if square < least:
            wa, wb, wc, least = u, 0.0, v, square
    if past_c:
        u, v, square = on_segment(a, b)
        if square < least:
            wa, wb, wc, least = u, v, 0.0, square
    return wa, wb, wc, least


@kernel
def on_tetrahedron(a, b, c, d):
    """Weights of a, b, c and d for the nearest point of a tetrahedron; all positive where it holds the origin."""
    first, second = -determinant(b, c, d), determinant(a, c, d)
    third, fourth = -determinant(a, b, d), determinant(a, b, c)
    whole = first + second + third + fourth
    past_a, past_b = not both_signs(whole, first), not both_signs(whole, second)
    past_c, past_d = not both_signs(whole, third), not both_signs(whole, fourth)
    if not (past_a or past_b or past_c or past_d):
        return first / whole, second / whole, third / whole, fourth / whole
    wa, wb, wc, wd, least = 0.0, 0.0, 0.0, 0.0, FAR
    if past_a:
        u, v, w, square = on_triangle(b, c, d)
        wa, wb, wc, wd, least = 0.0, u, v, w, square
    if past_b:
        u, v, w, square = on_triangle(a, c, d)
        if square < least:
            wa, wb, wc, wd, least = u, 0.0, v, w, square
    if past_c:
        u, v, w, square = on_triangle(a, b, d)
        if square < least:
            wa, wb, wc, wd, least = u, v, 0.0, w, square
    if past_d:
        u, v, w, square = on_triangle(a, b, c)
        if square < least:
            wa, wb, wc, wd, least = u, v, w, 0.0, square
    return wa, wb, wc, wd


@kernel
def nearest_weights(vertex, n):
    """Weights of the first n vertices, 1 to 4 of them, for the nearest point of their simplex; zeros for the rest."""
    a = vertex_of(vertex, 0)
    if n == 1:
        return 1.0, 0.0, 0.0, 0.0
    b = vertex_of(vertex, 1)
    if n == 2:
        u, v, _ = on_segment(a, b)
        return u, v, 0.0, 0.0
    c = vertex_of(vertex, 2)
    if n == 3:
        u, v, w, _ = on_triangle(a, b, c)
        return u, v, w, 0.0
    return on_tetrahedron(a, b, c, vertex_of(vertex, 3))
