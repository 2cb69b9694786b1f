"""The expanding polytope algorithm: how deep two overlapping shapes are in each other, and where.

The origin lies inside the Minkowski difference A - B; the nearest point of its boundary is the shortest way out. A
polytope inside the difference that holds the origin grows: the support point in the direction of the face nearest to
the origin is added, and the faces that it sees are replaced by a fan. It ends when the support point is no farther
than the face.

The polytope lives in five tables: `vertex` and `corner` (support.py), `plane` (FACES, 4): the origin's projection on
each face and its squared distance; `face` (FACES, 7): three vertices, the faces across the edges that begin at them,
and `place`: where in `near` the face is listed, or UNLISTED or REMOVED; `near` (FACES): faces that may be the nearest.
`tally` counts vertices, faces and listed faces. The order of faces is MuJoCo's, so that ties are decided alike.
"""

from __future__ import annotations

from corten.kernel import kernel, local_int, sqrt, unroll
from corten.kernel.vec import sub3
from corten.physics.collision.simplex import areas, blend, foot_on_plane, vertex_of
from corten.physics.collision.support import FAR, TINY, copy_vertex, minkowski, polyhedral
from corten.physics.collision.unfused import cross, divided3, dot3, mat_vec, norm3

EXPANSIONS = 100  # at most, whatever opt.ccd_iterations says
FACES = 6 * EXPANSIONS
VERTICES = 5 + EXPANSIONS
HORIZON = 2 * VERTICES  # edges of faces: those that a new point does not see, or that are still to be crossed
NEIGHBOUR, PLACE = 3, 6
UNLISTED, REMOVED = -1, -2
VERTEX_COUNT, FACE_COUNT, NEAR_COUNT = 0, 1, 2
NOTHING = -1  # no face, no polytope
DONE = -2

# Faces of the first polytopes: three vertices, and the faces across the three edges.
TETRAHEDRON = ((0, 1, 2, 1, 3, 2), (0, 3, 1, 2, 3, 0), (0, 2, 3, 0, 3, 1), (3, 2, 1, 2, 0, 1))
# about the segment of vertices 0 and 1
SPINDLE = (
    (0, 2, 3, 1, 3, 2),
    (0, 4, 2, 2, 4, 0),
    (0, 3, 4, 0, 5, 1),
    (1, 3, 2, 5, 0, 4),
    (1, 2, 4, 3, 1, 5),
    (1, 4, 3, 4, 2, 3),
)
# on both sides of the triangle of vertices 0 to 2
BIPYRAMID = (
    (4, 0, 1, 1, 3, 2),
    (4, 2, 0, 2, 4, 0),
    (4, 1, 2, 0, 5, 1),
    (3, 1, 0, 5, 0, 4),
    (3, 0, 2, 3, 1, 5),
    (3, 2, 1, 4, 2, 3),
)
SHRUNK = 0.999  # of a squared distance, by rounding
SINE, COSINE = 0.86602540378, -0.5  # of a third of a turn


@kernel
def attach(vertex, plane, face, tally, a, b, c, across_a, across_b, across_c):
    """A new face; the square of its plane's distance from the origin, 0 if it spans none."""
    f = tally[FACE_COUNT]
    tally[FACE_COUNT] = f + 1
    face[f, 0], face[f, 1], face[f, 2] = a, b, c
    face[f, NEIGHBOUR], face[f, NEIGHBOUR + 1], face[f, NEIGHBOUR + 2] = across_a, across_b, across_c
    face[f, PLACE] = UNLISTED
    flat, foot = foot_on_plane(vertex_of(vertex, c), vertex_of(vertex, b), vertex_of(vertex, a))
    square = dot3(foot, foot)
    if not flat:
        square = 0.0
    for k in unroll(3):
        plane[f, k] = foot[k]
    plane[f, 3] = square
    return square


@kernel
def listed(near, face, tally, f):
    """Put a face among those that may be the nearest."""
    n = tally[NEAR_COUNT]
    near[n] = f
    face[f, PLACE] = n
    tally[NEAR_COUNT] = n + 1


@kernel
def remove(near, face, tally, f):
    """Take a face out of the polytope."""
    place = face[f, PLACE]
    if place >= 0:
        last = tally[NEAR_COUNT] - 1
        tally[NEAR_COUNT] = last
        near[place] = near[last]
        face[near[place], PLACE] = place
    face[f, PLACE] = REMOVED


@kernel
def first_polytope(m, shape, part, n, simplex, simplex_corner, vertex, corner, plane, face, near, tally):
    """Make a polytope that holds the origin of GJK's last simplex with n vertices; whether that was possible.

    Where the origin lies on a face of the tetrahedron or the spindle, that face is what is built upon.
    """
    for i in range(n):
        copy_vertex(vertex, corner, i, simplex, simplex_corner, i)
    tally[VERTEX_COUNT], tally[FACE_COUNT], tally[NEAR_COUNT] = n, 0, 0
    flat = NOTHING
    if n == 4:
        flat = attach_all(vertex, plane, face, near, tally, TETRAHEDRON)
        if flat == DONE:
            return holds_origin(vertex)
    elif n == 2:
        around_segment(m, shape, part, vertex, corner, tally)
        flat = attach_all(vertex, plane, face, near, tally, SPINDLE)
        if flat == DONE:
            return pierces(vertex)
    if flat >= 0:
        for i in range(3):
            copy_vertex(simplex, simplex_corner, i, vertex, corner, face[flat, i])
        for i in range(3):
            copy_vertex(vertex, corner, i, simplex, simplex_corner, i)
        tally[FACE_COUNT], tally[NEAR_COUNT] = 0, 0
    a, b, c = vertex_of(vertex, 0), vertex_of(vertex, 1), vertex_of(vertex, 2)
    normal = cross(sub3(b, a), sub3(c, a))
    length = norm3(normal)
    if length < TINY:
        return False
    minkowski(m, shape, part, vertex, corner, 3, divided3(normal, -length))
    minkowski(m, shape, part, vertex, corner, 4, divided3(normal, length))
    tally[VERTEX_COUNT] = 5
    if on_it(a, b, c, vertex_of(vertex, 3)) or on_it(a, b, c, vertex_of(vertex, 4)):
        return False
    return attach_all(vertex, plane, face, near, tally, BIPYRAMID) == DONE and encloses_origin(m, vertex, plane)


@kernel
def encloses_origin(m, vertex, plane):
    """Whether the origin is on the inner side of all faces of a bipyramid, that on which the vertices' mean is, or as
    near to them as GJK's tolerance lets it be."""
    near = 4.0 * m.opt.ccd_tolerance * m.opt.ccd_tolerance
    x, y, z = 0.0, 0.0, 0.0
    for i in range(5):
        x += vertex[i, 0]
        y += vertex[i, 1]
        z += vertex[i, 2]
    for f in range(len(BIPYRAMID)):
        square = plane[f, 3]
        if square > near and dot3((0.2 * x, 0.2 * y, 0.2 * z), (plane[f, 0], plane[f, 1], plane[f, 2])) > square:
            return False
    return True


@kernel
def attach_all(vertex, plane, face, near, tally, faces):
    """Attach and list the faces of a first polytope: DONE, or the first face whose plane holds the origin."""
    for f in unroll(len(faces)):
        if attach(vertex, plane, face, tally, *faces[f]) < TINY * TINY:
            return f
    for f in range(len(faces)):
        listed(near, face, tally, f)
    return DONE


@kernel
def around_segment(m, shape, part, vertex, corner, tally):
    """Vertices 2 to 4: support points in three directions across the segment of vertices 0 and 1, at equal angles."""
    side = sub3(vertex_of(vertex, 1), vertex_of(vertex, 0))
    x, y, z = abs(side[0]), abs(side[1]), abs(side[2])
    if x <= y and x <= z:
        across = (0.0, -side[2], side[1])
    elif y <= z:
        across = (side[2], 0.0, -side[0])
    else:
        across = (-side[1], side[0], 0.0)
    x, y, z = divided3(side, norm3(side))
    t = 1.0 - COSINE
    xx, yy, zz, xy, xz, yz = x * x * t, y * y * t, z * z * t, x * y * t, x * z * t, y * z * t
    sx, sy, sz = SINE * x, SINE * y, SINE * z
    turn = (COSINE + xx, xy - sz, xz + sy, xy + sz, COSINE + yy, yz - sx, xz - sy, yz + sx, COSINE + zz)
    for k in range(3):
        minkowski(m, shape, part, vertex, corner, 2 + k, divided3(across, norm3(across)))
        across = mat_vec(turn, across)
    tally[VERTEX_COUNT] = 5


@kernel
def same_side(a, b, c, p):
    """Whether the origin and p lie on the same side of the plane of a, b and c."""
    n = cross(sub3(b, a), sub3(c, a))
    of_p, of_origin = dot3(n, sub3(p, a)), -dot3(n, a)
    return (of_p > 0.0 and of_origin > 0.0) or (of_p < 0.0 and of_origin < 0.0)


@kernel
def holds_origin(vertex):
    """Whether the origin is inside the tetrahedron of the first four vertices."""
    a, b, c, d = vertex_of(vertex, 0), vertex_of(vertex, 1), vertex_of(vertex, 2), vertex_of(vertex, 3)
    return same_side(a, b, c, d) and same_side(b, c, d, a) and same_side(c, d, a, b) and same_side(d, a, b, c)


@kernel
def pierces(vertex):
    """Whether the segment of vertices 0 and 1 pierces the triangle of 2, 3 and 4: whether the spindle is convex."""
    o, axis = vertex_of(vertex, 0), sub3(vertex_of(vertex, 1), vertex_of(vertex, 0))
    a, b, c = sub3(vertex_of(vertex, 2), o), sub3(vertex_of(vertex, 3), o), sub3(vertex_of(vertex, 4), o)
    ab, bc, ca = dot3(a, cross(b, axis)), dot3(b, cross(c, axis)), dot3(c, cross(a, axis))
    return (ab >= 0.0 and bc >= 0.0 and ca >= 0.0) or (ab <= 0.0 and bc <= 0.0 and ca <= 0.0)


@kernel
def on_it(a, b, c, p):
    """Whether p is a point of the triangle."""
    first, second, third, whole = areas(a, b, c, p)
    first, second, third = first / whole, second / whole, third / whole
    if first < 0.0 or second < 0.0 or third < 0.0:
        return False
    return norm3(sub3(blend(first, a, second, b, third, c), p)) < TINY


@kernel
def expand(m, shape, part, vertex, corner, plane, face, near, tally):
    """Expand the polytope until its nearest face is on the boundary of the difference; that face, or NOTHING."""
    discrete = polyhedral(shape, part, 0) and polyhedral(shape, part, 1)
    tolerance = TINY if discrete else m.opt.ccd_tolerance
    horizon, crossing = local_int(HORIZON, 2), local_int(HORIZON, 2)
    upper, upper_square = FAR, FAR
    nearest = NOTHING
    for _ in range(min(m.opt.ccd_iterations, EXPANSIONS)):
        before = nearest
        lower_square = FAR
        for i in range(tally[NEAR_COUNT]):
            square = plane[near[i], 3]
            if square < lower_square:
                lower_square = square
                nearest = near[i]
        if lower_square > upper_square or nearest < 0:
            return sound(plane, before, upper, m.opt.ccd_tolerance)
        if lower_square <= 0.0:
            return nearest
        lower = sqrt(lower_square)
        new = tally[VERTEX_COUNT]
        tally[VERTEX_COUNT] = new + 1
        normal = (plane[nearest, 0], plane[nearest, 1], plane[nearest, 2])
        minkowski(m, shape, part, vertex, corner, new, divided3(normal, lower))
        reach = dot3(normal, vertex_of(vertex, new)) / lower
        if reach < upper:
            upper, upper_square = reach, reach * reach
        if upper - lower < tolerance:
            return sound(plane, nearest, upper, m.opt.ccd_tolerance)
        if discrete and known(corner, new):
            if corner[new, 0] >= 0 and reach > 1.000001 * lower + m.opt.ccd_tolerance:
                return NOTHING  # a corner of the polytope that lies outside its own face
            return sound(plane, nearest, upper, m.opt.ccd_tolerance)
        near_enough = nearest if upper - lower < m.opt.ccd_tolerance else NOTHING  # where expanding fails
        edges = find_horizon(vertex, plane, face, near, tally, nearest, new, horizon, crossing)
        if edges < 3:
            return near_enough
        if edges > FACES - tally[FACE_COUNT]:
            return nearest
        if not fan(vertex, plane, face, near, tally, new, horizon, edges, lower_square, upper_square):
            return near_enough
        if tally[NEAR_COUNT] == 0:
            return nearest
    return nearest


@kernel
def sound(plane, f, upper, tolerance):
    """Face f if it is no farther than the boundary of the difference can be; else NOTHING: rounding has cost faces."""
    if f >= 0 and sqrt(plane[f, 3]) > 1.000001 * upper + tolerance:
        return NOTHING
    return f


@kernel
def known(corner, new):
    """Whether the newest vertex is one that the polytope already has."""
    for i in range(new):
        if corner[i, 0] == corner[new, 0] and corner[i, 1] == corner[new, 1]:
            return True
    return False


@kernel
def find_horizon(vertex, plane, face, near, tally, start, new, horizon, crossing):
    """Remove the faces that the new vertex sees, from the starting face on; how many edges bound them.

    A walk over the faces, depth first: `crossing` is the stack of edges still to be crossed. The horizon lists for each
    edge the face that stays and which of its edges it is; they follow each other round.
    """
    w = vertex_of(vertex, new)
    remove(near, face, tally, start)
    edges, waiting = 0, 3
    for k in range(3):
        crossing[k, 0], crossing[k, 1] = start, 2 - k
    while waiting > 0:
        waiting = waiting - 1
        f, e = crossing[waiting, 0], crossing[waiting, 1]
        across = face[f, NEIGHBOUR + e]
        if face[across, PLACE] == REMOVED:
            continue
        end = face[f, (e + 1) % 3]
        back = 0 if face[across, 0] == end else 1 if face[across, 1] == end else 2
        seen = dot3((plane[across, 0], plane[across, 1], plane[across, 2]), w) - plane[across, 3] > TINY
        if seen:
            if waiting + 2 > HORIZON:
                return 0
            remove(near, face, tally, across)
            crossing[waiting, 0], crossing[waiting, 1] = across, (back + 2) % 3
            crossing[waiting + 1, 0], crossing[waiting + 1, 1] = across, (back + 1) % 3
            waiting = waiting + 2
        else:
            if edges == HORIZON:
                return 0
            horizon[edges, 0], horizon[edges, 1] = across, back
            edges = edges + 1
    return edges


@kernel
def fan(vertex, plane, face, near, tally, new, horizon, edges, lower_square, upper_square):
    """Join the new vertex to all edges of the horizon; whether all new faces are as far out as the polytope was."""
    first = tally[FACE_COUNT]
    for i in range(edges):
        other, e = horizon[i, 0], horizon[i, 1]
        begin, end = face[other, e], face[other, (e + 1) % 3]
        this = first + i
        face[other, NEIGHBOUR + e] = this
        left = first + (edges - 1 if i == 0 else i - 1)
        right = first + (0 if i == edges - 1 else i + 1)
        square = attach(vertex, plane, face, tally, new, end, begin, left, other, right)
        if square < SHRUNK * lower_square:
            return False
        if lower_square <= square <= upper_square:
            listed(near, face, tally, this)
    return True


@kernel
def put_witnesses(vertex, plane, face, f, witness):
    """The points of both shapes that meet in the origin's projection on face f, into row 0."""
    i, j, k = face[f, 0], face[f, 1], face[f, 2]
    foot = (plane[f, 0], plane[f, 1], plane[f, 2])
    first, second, third, whole = areas(vertex_of(vertex, i), vertex_of(vertex, j), vertex_of(vertex, k), foot)
    first, second, third = first / whole, second / whole, third / whole
    for n in unroll(6):
        x, y, z = first * vertex[i, 3 + n], second * vertex[j, 3 + n], third * vertex[k, 3 + n]
        witness[0, n] = x + y + z
