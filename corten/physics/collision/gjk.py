"""Gilbert, Johnson and Keerthi's algorithm: whether two convex shapes overlap, and if not, how far apart they are.

The origin's distance to the Minkowski difference A - B is the distance of the shapes. A simplex of its vertices moves
towards the origin; it either comes to surround it, or its nearest point can not be bettered, which bounds the distance
from below (the Frank-Wolfe gap). The order of tests is MuJoCo's, so that the simplices are the same.
"""

from __future__ import annotations

from corten.kernel import kernel, local, local_int, sqrt, unroll
from corten.kernel.vec import load3, part3, scale3, store3, sub3
from corten.physics.collision.simplex import nearest_weights, vertex_of
from corten.physics.collision.support import FAR, TINY, copy_vertex, minkowski, polyhedral
from corten.physics.collision.unfused import axpy3, cross, dot3

# Vertices of the faces of a tetrahedron, seen from where the fourth lies behind; and that fourth is the face's number.
SIDES = ((2, 1, 3), (0, 2, 3), (1, 0, 3), (0, 1, 2))
INSIDE, OUTSIDE, UNDECIDED = 1, 0, -1


@kernel
def gjk(m, d, shape, part, vertex, corner, witness, cutoff):
    """(vertices of the last simplex, distance) of two shapes; FAR if it is known to exceed the cutoff.

    With a cutoff of zero only overlap is asked for. `vertex` and `corner` have eight rows: the simplex is in the
    first four. Row 0 of `witness` holds the nearest points of the two shapes; on entry points to start from. From
    points that coincide it goes nowhere, and flat tetrahedra may lead it astray until iterations run out. If then
    nothing shows that the shapes are apart, the answer is (0, 0).
    """
    gap = 0.5 * m.opt.ccd_tolerance * m.opt.ccd_tolerance
    if polyhedral(shape, part, 0) and polyhedral(shape, part, 1):
        gap = 0.0
    weight = local(d, 4)
    weight[0] = 1.0
    quick = cutoff == 0.0
    x = sub3(part3(witness, 0, 0), part3(witness, 0, 3))
    length, beyond = 0.0, 0.0
    n, k = 0, 0
    while k < m.opt.ccd_iterations:
        square = dot3(x, x)
        if square < TINY * TINY:
            length = 0.0
            break
        length = sqrt(square)
        minkowski(m, shape, part, vertex, corner, n, scale3(-1.0 / length, x))
        s = vertex_of(vertex, n)
        beyond = dot3(x, s)
        if dot3(x, sub3(x, s)) < gap:
            if k == 0:
                n = 1
            break
        if beyond > 0.0 and (cutoff == 0.0 or (cutoff < FAR and beyond * beyond >= cutoff * cutoff * square)):
            return 0, FAR
        if n == 3 and quick:
            answer, k = surround(m, d, shape, part, vertex, corner, k)
            if answer == INSIDE:
                return 4, 0.0
            if answer == OUTSIDE:
                return 0, FAR
            quick = False
        wa, wb, wc, wd = nearest_weights(vertex, n + 1)
        weight[0], weight[1], weight[2], weight[3] = wa, wb, wc, wd
        n = keep_used(vertex, corner, weight)
        if n == 0:
            return 0, FAR
        nearer = combine(vertex, weight, n, 0)
        step = sub3(nearer, x)
        if -TINY < step[0] < TINY and -TINY < step[1] < TINY and -TINY < step[2] < TINY:
            break
        x = nearer
        if n == 4:
            length = 0.0
            break
        k = k + 1
    if length > m.opt.ccd_tolerance and beyond <= 0.0:
        return 0, 0.0
    a, b = combine(vertex, weight, n, 3), combine(vertex, weight, n, 6)
    for i in unroll(3):
        witness[0, i] = a[i]
        witness[0, 3 + i] = b[i]
    return n, length


@kernel
def keep_used(vertex, corner, weight):
    """Remove vertices of weight zero from the simplex; how many are left."""
    n = 0
    for i in range(4):
        w = weight[i]
        if w != 0.0:
            if n < i:
                copy_vertex(vertex, corner, n, vertex, corner, i)
                weight[n] = w
            n = n + 1
    return n


@kernel
def combine(vertex, weight, n, column):
    """The weighted sum of the first n vertices, or of points of one shape that they come from, by the first column."""
    total = (0.0, 0.0, 0.0)
    for i in range(n):
        total = axpy3(weight[i], part3(vertex, i, column), total)
    return total


@kernel
def surround(m, d, shape, part, vertex, corner, k):
    """(INSIDE, OUTSIDE or UNDECIDED, iterations): where the origin is, by replacing vertices of a tetrahedron.

    Each turn replaces the vertex across the face that the origin is farthest behind. It works on a copy in rows 4 to 7.
    If the origin is inside, the tetrahedron around it is put into rows 0 to 3.
    """
    row = local_int(4)
    height = local(d, 4)
    normal = local(d, 4, 3)
    for i in range(4):
        copy_vertex(vertex, corner, 4 + i, vertex, corner, i)
        row[i] = 4 + i
    while k < m.opt.ccd_iterations:
        for side in unroll(4):
            a, b, c = SIDES[side]
            h, n = height_over(vertex, row[a], row[b], row[c])
            height[side] = h
            store3(normal, side, n)
        if height[0] == 0.0 or height[1] == 0.0 or height[2] == 0.0 or height[3] == 0.0:
            return UNDECIDED, k
        first = 0 if height[0] < height[1] else 1
        second = 2 if height[2] < height[3] else 3
        worst = first if height[first] < height[second] else second
        if height[worst] > 0.0:
            for i in range(4):
                copy_vertex(vertex, corner, i, vertex, corner, row[i])
            return INSIDE, k
        n = load3(normal, worst)
        minkowski(m, shape, part, vertex, corner, row[worst], n)
        if dot3(n, vertex_of(vertex, row[worst])) < 0.0:
            return OUTSIDE, k
        one, other = (worst + 1) & 3, (worst + 2) & 3  # these change places to keep the orientation
        swapped = row[one]
        row[one] = row[other]
        row[other] = swapped
        k = k + 1
    return UNDECIDED, k


@kernel
def height_over(vertex, a, b, c):
    """(signed height of a face over the origin, its normal); FAR if the face is degenerate."""
    p = vertex_of(vertex, a)
    n = cross(sub3(vertex_of(vertex, c), p), sub3(vertex_of(vertex, b), p))
    square = dot3(n, n)
    if square <= TINY * TINY or square >= 1e20:
        return FAR, n
    n = scale3(1.0 / sqrt(square), n)
    return dot3(n, p), n
