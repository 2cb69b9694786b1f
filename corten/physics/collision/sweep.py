"""The broad phase for many geoms: sweep and prune, world by world.

Every geom has a bounding box along the world's axes: what its bounding sphere and its own bounding box, turned, have in
common. The boxes of all geoms of a body that moves are joined; these and the geoms that stand still are what is swept.
They are sorted by where they begin along one axis, the one along which they are most spread. A sweep along it meets all
pairs that overlap there; these are tried further along the other axes, and only then geom by geom. Where many bodies
move, they are parted into strips across a second axis, so wide that bodies meet in the same or in neighbouring strips
only, and each strip is swept by itself: with a single sweep, cost would grow faster than the number of bodies. The
order found is kept as the start of the next sort, which then has little to do. Planes have no bounding box and are
tried with every body that moves. Geoms that stand still are not tried with each other.

The pairs found are put into the order in which contacts are reported: by bodies, explicit pairs first, then by geoms.
"""

from __future__ import annotations

from corten.kernel import absolute, clip, kernel, local_int, maximum, minimum, unroll, value
from corten.kernel.vec import add3, dot3, load3, load9, mat_vec, part3, sub3
from corten.model.enums import DisableBit, EnableBit, GeomType
from corten.physics.collision.plane import column

DISORDER = 8  # where more than one in so many neighbours is out of order, sorting starts with long strides
STRIDE = 3  # ratio of strides
MOST_STRIPS = 64
STRIP = 100.0  # bodies that a strip should hold at least, on average


@kernel
def near_pairs(m, d):
    """The pairs of geoms that are near each other: `near_first`, `near_second`, `near_pair`, in order; how many."""
    moving, end = m.nsweepmove, m.nsweepmove + m.nsweepstill
    if not d.sweep_ready:
        for i in range(end):
            d.sweep_order[i] = i
        d.sweep_ready = 1
    for i in range(end):
        bound_unit(m, d, i)
    axis, across, strips, origin, width, length = layout(m, d)
    starts = local_int(MOST_STRIPS + 1)
    sort_units(d, 0, moving, axis, across, strips, origin, width, length)
    sort_units(d, moving, end, axis, across, 1, origin, width, length)
    mark_strips(m, d, starts, across, strips, origin, width)
    for i in range(m.ncandidate):
        add_near(d, m.candidate_geom[i, 0], m.candidate_geom[i, 1], m.candidate_pair[i])
    sweep_planes(m, d)
    for k in range(strips):
        sweep_strip(m, d, axis, starts[k], starts[k + 1])
        if k + 1 < strips:
            sweep_two(m, d, axis, starts[k], starts[k + 1], starts[k + 1], starts[k + 2])
        sweep_two(m, d, axis, starts[k], starts[k + 1], moving, end)
    count = min(d.nnear_wanted, d.nnearcap)
    sort_by_bodies(m, d, count)
    sort_by_geoms(m, d, count)
    return count


@kernel
def margin_of(m, g):
    """A geom's share of the margin."""
    return 0.5 * m.opt.o_margin if m.opt.enableflags & EnableBit.OVERRIDE else m.geom_margin[g]


@kernel
def bound_unit(m, d, unit):
    """The bounding boxes of a unit and of its geoms, with their margins."""
    low, high = bound_geom(m, d, m.unit_begin[unit])
    for k in range(m.unit_begin[unit] + 1, m.unit_end[unit]):
        also_low, also_high = bound_geom(m, d, k)
        low = (minimum(low[0], also_low[0]), minimum(low[1], also_low[1]), minimum(low[2], also_low[2]))
        high = (maximum(high[0], also_high[0]), maximum(high[1], also_high[1]), maximum(high[2], also_high[2]))
    put_box(d.unit_box, unit, low, high)


@kernel
def put_box(box, i, low, high):
    """Row i becomes the box with these corners."""
    for k in unroll(3):
        box[i, k] = low[k]
        box[i, 3 + k] = high[k]


@kernel
def bound_geom(m, d, k):
    """The least and the most corner of the bounding box of a swept geom, which are put into `geom_box` as well."""
    g = m.unit_geom[k]
    margin, radius = margin_of(m, g), m.geom_rbound[g]
    place = position(d, g)
    reach = (radius + margin, radius + margin, radius + margin)
    low, high = sub3(place, reach), add3(place, reach)
    if m.geom_type[g] != GeomType.SPHERE:
        turn = load9(d.geom_xmat, g)
        x, y, z = part3(m.geom_aabb, g, 3)
        xx, xy, xz, yx, yy, yz, zx, zy, zz = turn
        half = (
            reach_along(xx, xy, xz, x, y, z) + margin,
            reach_along(yx, yy, yz, x, y, z) + margin,
            reach_along(zx, zy, zz, x, y, z) + margin,
        )
        offset = mat_vec(turn, part3(m.geom_aabb, g, 0))
        centre = (place[0] + value(offset[0]), place[1] + value(offset[1]), place[2] + value(offset[2]))
        a, b = sub3(centre, half), add3(centre, half)
        low = (maximum(low[0], a[0]), maximum(low[1], a[1]), maximum(low[2], a[2]))
        high = (minimum(high[0], b[0]), minimum(high[1], b[1]), minimum(high[2], b[2]))
    put_box(d.geom_box, k, low, high)
    return low, high


@kernel
def position(d, g):
    """Where a geom is, without tangents."""
    return value(d.geom_xpos[g, 0]), value(d.geom_xpos[g, 1]), value(d.geom_xpos[g, 2])


@kernel
def reach_along(u, v, w, x, y, z):
    """How far a box with half sizes x, y, z reaches along an axis that it sees as (u, v, w), without tangents."""
    return value(absolute(u) * x + absolute(v) * y + absolute(w) * z)


@kernel
def middle(box, i):
    """Twice the centre of a box."""
    return box[i, 0] + box[i, 3], box[i, 1] + box[i, 4], box[i, 2] + box[i, 5]


@kernel
def layout(m, d):
    """(axis of the sweep, axis across the strips, number of strips, where the first begins, their width, their length).

    The axes are the coordinates in which the moving bodies vary most and second most. Places across the strips are
    those of `middle`.
    """
    first = middle(d.unit_box, 0)
    least, most, total, squares, size = first, first, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(m.nsweepmove):
        x, y, z = middle(d.unit_box, i)
        least = (minimum(least[0], x), minimum(least[1], y), minimum(least[2], z))
        most = (maximum(most[0], x), maximum(most[1], y), maximum(most[2], z))
        total = (total[0] + x, total[1] + y, total[2] + z)
        squares = (x * x + squares[0], y * y + squares[1], z * z + squares[2])
        size = (
            maximum(size[0], d.unit_box[i, 3] - d.unit_box[i, 0]),
            maximum(size[1], d.unit_box[i, 4] - d.unit_box[i, 1]),
            maximum(size[2], d.unit_box[i, 5] - d.unit_box[i, 2]),
        )
    x = squares[0] - total[0] * total[0] / m.nsweepmove
    y = squares[1] - total[1] * total[1] / m.nsweepmove
    z = squares[2] - total[2] * total[2] / m.nsweepmove
    axis, across = 2, 0 if x >= y else 1
    if x >= y and x >= z:
        axis, across = 0, 1 if y >= z else 2
    elif y >= z:
        axis, across = 1, 0 if x >= z else 2
    extent = pick(most, across) - pick(least, across)
    room = minimum(extent / (2.0 * pick(size, across)), m.nsweepmove / STRIP)
    strips = int(clip(room, 1.0, 1.0 * MOST_STRIPS))
    length = pick(most, axis) - pick(least, axis) + 2.0 * pick(size, axis)
    return axis, across, strips, pick(least, across), extent / strips, length


@kernel
def pick(v, k):
    """Item k of three."""
    return v[0] if k == 0 else v[1] if k == 1 else v[2]


@kernel
def strip_of(y, strips, origin, width):
    """The strip in which a coordinate is."""
    return int(clip((y - origin) / width, 0.0, strips - 1.0)) if strips > 1 else 0


@kernel
def mark_strips(m, d, starts, across, strips, origin, width):
    """starts: where each strip begins in the order, and where the last one ends."""
    strip = 0
    starts[0] = 0
    for i in range(m.nsweepmove):
        own = strip_of(pick(middle(d.sweep_box, i), across), strips, origin, width)
        while strip < own:
            strip = strip + 1
            starts[strip] = i
    while strip < strips:
        strip = strip + 1
        starts[strip] = m.nsweepmove


@kernel
def sort_units(d, begin, end, axis, across, strips, origin, width, length):
    """Sorts places begin..end of the order by where units begin, strip after strip; fills `sweep_*` for them."""
    misplaced = 0
    for i in range(begin, end):
        unit = d.sweep_order[i]
        d.sweep_unit[i] = unit
        strip = strip_of(pick(middle(d.unit_box, unit), across), strips, origin, width)
        d.sweep_low[i] = strip * length + d.unit_box[unit, axis]
        if i > begin and d.sweep_low[i] < d.sweep_low[i - 1]:
            misplaced = misplaced + 1
    stride = 1
    if misplaced * DISORDER > end - begin:
        while stride * STRIDE < end - begin:
            stride = stride * STRIDE + 1
    while stride > 0:
        for i in range(begin + stride, end):
            low, unit = d.sweep_low[i], d.sweep_unit[i]
            j = i
            while j >= begin + stride and d.sweep_low[j - stride] > low:
                d.sweep_low[j] = d.sweep_low[j - stride]
                d.sweep_unit[j] = d.sweep_unit[j - stride]
                j = j - stride
            d.sweep_low[j] = low
            d.sweep_unit[j] = unit
        stride = stride // STRIDE
    for i in range(begin, end):
        unit = d.sweep_unit[i]
        d.sweep_order[i] = unit
        for k in unroll(6):
            d.sweep_box[i, k] = d.unit_box[unit, k]


@kernel
def boxes_overlap(one, i, other, j):
    """Whether two boxes overlap. Without branches: which axis parts two boxes is hard to foresee."""
    x = minimum(one[i, 3] - other[j, 0], other[j, 3] - one[i, 0])
    y = minimum(one[i, 4] - other[j, 1], other[j, 4] - one[i, 1])
    z = minimum(one[i, 5] - other[j, 2], other[j, 5] - one[i, 2])
    return minimum(minimum(x, y), z) >= 0.0


@kernel
def sweep_planes(m, d):
    """Planes against all bodies that move, and then their geoms."""
    for p in range(m.nsweepplane):
        a = m.sweep_plane[p]
        normal, origin = column(d.geom_xmat, a, 2), load3(d.geom_xpos, a)
        room = margin_of(m, a)
        for unit in range(m.nsweepmove):
            if lowest(d.unit_box, unit, normal, origin) <= room:
                for k in range(m.unit_begin[unit], m.unit_end[unit]):
                    b = m.unit_geom[k]
                    if lowest(d.geom_box, k, normal, origin) <= room and bodies_may_touch(m, a, b):
                        if geoms_may_touch(m, a, b):
                            add_near(d, a, b, -1)


@kernel
def lowest(box, i, normal, origin):
    """How high over a plane the lowest corner of a box is."""
    low, high = part3(box, i, 0), part3(box, i, 3)
    half, centre = sub3(high, low), sub3(add3(high, low), add3(origin, origin))
    drop = absolute(normal[0]) * half[0] + absolute(normal[1]) * half[1] + absolute(normal[2]) * half[2]
    return 0.5 * (dot3(normal, centre) - drop)


@kernel
def sweep_strip(m, d, axis, begin, end):
    """Places begin..end of the order against each other."""
    for i in range(begin, end):
        high = d.sweep_box[i, 3 + axis]
        for j in range(i + 1, end):
            if d.sweep_box[j, axis] > high:
                break
            if boxes_overlap(d.sweep_box, i, d.sweep_box, j):
                try_units(m, d, i, j)


@kernel
def sweep_two(m, d, axis, begin, end, other, other_end):
    """Places begin..end of the order against other..other_end: each overlap is met where the later one begins."""
    sweep_begins(m, d, axis, begin, end, other, other_end, False)
    sweep_begins(m, d, axis, other, other_end, begin, end, True)


@kernel
def sweep_begins(m, d, axis, begin, end, other, other_end, strictly):
    """Places begin..end against those of the others that begin within them, strictly or not."""
    first = other
    for i in range(begin, end):
        low, high = d.sweep_box[i, axis], d.sweep_box[i, 3 + axis]
        while first < other_end and (
            d.sweep_box[first, axis] < low or (strictly and d.sweep_box[first, axis] == low)
        ):
            first = first + 1
        for j in range(first, other_end):
            if d.sweep_box[j, axis] > high:
                break
            if boxes_overlap(d.sweep_box, i, d.sweep_box, j):
                try_units(m, d, i, j)


@kernel
def try_units(m, d, i, j):
    """Adds the pairs of geoms of two units that may touch, of the units at places i and j of the order."""
    one, two = d.sweep_unit[i], d.sweep_unit[j]
    begin, end = m.unit_begin[two], m.unit_end[two]
    first = m.unit_begin[one]
    if bodies_may_touch(m, m.unit_geom[first], m.unit_geom[begin]):
        if m.unit_end[one] - first == 1 and end - begin == 1:
            try_pair(m, d, m.unit_geom[first], m.unit_geom[begin])
            return
        for p in range(first, m.unit_end[one]):
            if boxes_overlap(d.geom_box, p, d.sweep_box, j):
                for q in range(begin, end):
                    if boxes_overlap(d.geom_box, p, d.geom_box, q):
                        try_pair(m, d, m.unit_geom[p], m.unit_geom[q])


@kernel
def try_pair(m, d, a, b):
    """Adds a pair of geoms of two bodies that may touch, the simpler shape first, if the geoms may."""
    if geoms_may_touch(m, a, b):
        kind_a, kind_b = m.geom_type[a], m.geom_type[b]
        swap = kind_a > kind_b or (kind_a == kind_b and m.geom_bodyid[a] > m.geom_bodyid[b])
        if swap:
            add_near(d, b, a, -1)
        else:
            add_near(d, a, b, -1)


@kernel
def add_near(d, a, b, pair):
    """One more near pair, if there is room."""
    k = d.nnear_wanted
    d.nnear_wanted = k + 1
    if k < d.nnearcap:
        d.near_first[k] = a
        d.near_second[k] = b
        d.near_pair[k] = pair


@kernel
def bodies_may_touch(m, a, b):
    """Whether the bodies of two geoms may touch, by welds, kinship and excluded bodies."""
    weld_a, weld_b = m.geom_weld[a], m.geom_weld[b]
    if weld_a == weld_b:
        return False
    kin = weld_a == m.geom_weldparent[b] or weld_b == m.geom_weldparent[a]
    if kin and weld_a != 0 and weld_b != 0 and m.opt.disableflags & DisableBit.FILTERPARENT == 0:
        return False
    body_a, body_b = m.geom_bodyid[a], m.geom_bodyid[b]
    return not (m.body_exclude[body_a] and m.body_exclude[body_b] and excluded(m, body_a, body_b))


@kernel
def geoms_may_touch(m, a, b):
    """Whether two geoms of such bodies may touch, by masks and shapes, and are no explicit pair."""
    if m.geom_contype[a] & m.geom_conaffinity[b] == 0 and m.geom_contype[b] & m.geom_conaffinity[a] == 0:
        return False
    if m.geom_type[a] <= GeomType.HFIELD and m.geom_type[b] <= GeomType.HFIELD:
        return False
    return not (m.body_pair[m.geom_bodyid[a]] and m.body_pair[m.geom_bodyid[b]] and declared(m, a, b))


@kernel
def excluded(m, a, b):
    """Whether contacts of two bodies are excluded; signatures are in order."""
    signature = (min(a, b) << 16) + max(a, b)
    low, high = 0, m.nexclude
    while low < high:
        middle = (low + high) >> 1
        if m.exclude_signature[middle] < signature:
            low = middle + 1
        else:
            high = middle
    return low < m.nexclude and m.exclude_signature[low] == signature


@kernel
def declared(m, a, b):
    """Whether two geoms are an explicit pair."""
    for k in range(m.npair):
        x, y = m.pair_geom1[k], m.pair_geom2[k]
        if (x == a and y == b) or (x == b and y == a):
            return True
    return False


@kernel
def sort_by_bodies(m, d, count):
    """Near pairs by their larger body, then, keeping that order, by their smaller one: two counting sorts."""
    count_bodies(m, d, count, True)
    for k in range(count):
        a, b = d.near_first[k], d.near_second[k]
        body = max(m.geom_bodyid[a], m.geom_bodyid[b])
        at = d.near_start[body]
        d.near_start[body] = at + 1
        d.near_first_too[at] = a
        d.near_second_too[at] = b
        d.near_pair_too[at] = d.near_pair[k]
    count_bodies(m, d, count, False)
    for k in range(count):
        a, b = d.near_first_too[k], d.near_second_too[k]
        body = min(m.geom_bodyid[a], m.geom_bodyid[b])
        at = d.near_start[body]
        d.near_start[body] = at + 1
        d.near_first[at] = a
        d.near_second[at] = b
        d.near_pair[at] = d.near_pair_too[k]


@kernel
def count_bodies(m, d, count, larger):
    """near_start: where the pairs of each body begin, by their larger body or by their smaller."""
    for body in range(m.nbody):
        d.near_start[body] = 0
    for k in range(count):
        x, y = m.geom_bodyid[d.near_first[k]], m.geom_bodyid[d.near_second[k]]
        body = max(x, y) if larger else min(x, y)
        d.near_start[body] = d.near_start[body] + 1
    total = 0
    for body in range(m.nbody):
        n = d.near_start[body]
        d.near_start[body] = total
        total = total + n


@kernel
def sort_by_geoms(m, d, count):
    """Pairs of the same bodies, which are together by now: explicit ones first, then by geoms."""
    for i in range(1, count):
        a, b, pair = d.near_first[i], d.near_second[i], d.near_pair[i]
        j = i
        while j > 0 and follows(m, d.near_first[j - 1], d.near_second[j - 1], d.near_pair[j - 1], a, b, pair):
            d.near_first[j] = d.near_first[j - 1]
            d.near_second[j] = d.near_second[j - 1]
            d.near_pair[j] = d.near_pair[j - 1]
            j = j - 1
        d.near_first[j] = a
        d.near_second[j] = b
        d.near_pair[j] = pair


@kernel
def follows(m, a, b, pair, a2, b2, pair2):
    """Whether pair (a, b) of the same bodies as (a2, b2) comes after it."""
    body_a, body_b = m.geom_bodyid[a], m.geom_bodyid[b]
    x, y = m.geom_bodyid[a2], m.geom_bodyid[b2]
    if min(body_a, body_b) != min(x, y) or max(body_a, body_b) != max(x, y):
        return False
    if pair >= 0 or pair2 >= 0:
        return pair2 >= 0 and (pair < 0 or pair > pair2)
    if m.opt.disableflags & DisableBit.MIDPHASE:
        # bodies that are gone through geom by geom: those of the first body lead
        if body_a > body_b:
            a, b = b, a
        if x > y:
            a2, b2 = b2, a2
    return a > a2 or (a == a2 and b > b2)
