"""The broad phase for many geoms: sweep and prune, world by world.

Geoms are sorted by where their bounding spheres begin along one axis, the one along which they are most spread. A sweep
along it meets all pairs whose intervals overlap; these are tried further with the spheres themselves. Where many geoms
move, they are parted into strips across a second axis, so wide that geoms meet in the same or in neighbouring strips
only, and each strip is swept by itself: with a single sweep, cost would grow faster than the number of geoms. The order
found is kept as the start of the next sort, which then has little to do. Planes have no bounding sphere and are tried
with every geom that moves. Geoms that stand still are not tried with each other.

The pairs found are put into the order in which contacts are reported: by bodies, explicit pairs first, then by geoms.
"""

from __future__ import annotations

from corten.kernel import clip, kernel, local_int, maximum, minimum, value
from corten.kernel.vec import dot3, load3, sub3
from corten.model.enums import DisableBit, EnableBit, GeomType
from corten.physics.collision.plane import column

DISORDER = 8  # where more than one in so many neighbours is out of order, sorting starts with long strides
STRIDE = 3  # ratio of strides
MOST_STRIPS = 64
STRIP = 100.0  # geoms that a strip should hold at least, on average


@kernel
def near_pairs(m, d):
    """The pairs of geoms that are near each other: `near_first`, `near_second`, `near_pair`, in order; how many."""
    if not d.sweep_ready:
        for i in range(m.nsweepmove):
            d.sweep_order[i] = m.sweep_move[i]
        for i in range(m.nsweepstill):
            d.sweep_order[m.nsweepmove + i] = m.sweep_still[i]
        d.sweep_ready = 1
    axis, across, strips, origin, width, length = layout(m, d)
    starts = local_int(MOST_STRIPS + 1)
    moving, end = m.nsweepmove, m.nsweepmove + m.nsweepstill
    sort_intervals(m, d, 0, moving, axis, across, strips, origin, width, length)
    sort_intervals(m, d, moving, end, axis, across, 1, origin, width, length)
    mark_strips(m, d, starts, across, strips, origin, width)
    for i in range(m.ncandidate):
        add_near(d, m.candidate_geom[i, 0], m.candidate_geom[i, 1], m.candidate_pair[i])
    sweep_planes(m, d)
    for k in range(strips):
        sweep_strip(m, d, starts[k], starts[k + 1])
        if k + 1 < strips:
            sweep_two(m, d, starts[k], starts[k + 1], starts[k + 1], starts[k + 2])
        sweep_two(m, d, starts[k], starts[k + 1], moving, end)
    count = min(d.nnear_wanted, d.nnearcap)
    sort_by_bodies(m, d, count)
    sort_by_geoms(m, d, count)
    return count


@kernel
def reach_of(m, g):
    """Radius of a geom's bounding sphere with its share of the margin."""
    if m.opt.enableflags & EnableBit.OVERRIDE:
        return m.geom_rbound[g] + 0.5 * m.opt.o_margin
    return m.geom_rbound[g] + m.geom_margin[g]


@kernel
def layout(m, d):
    """(axis of the sweep, axis across the strips, number of strips, where the first begins, their width, their length).

    The axes are the coordinates in which the moving geoms vary most and second most.
    """
    first = position(d, m.sweep_move[0])
    least, most, total, squares, reach = first, first, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
    for i in range(m.nsweepmove):
        x, y, z = position(d, m.sweep_move[i])
        least = (minimum(least[0], x), minimum(least[1], y), minimum(least[2], z))
        most = (maximum(most[0], x), maximum(most[1], y), maximum(most[2], z))
        total = (total[0] + x, total[1] + y, total[2] + z)
        squares = (x * x + squares[0], y * y + squares[1], z * z + squares[2])
        reach = maximum(reach, reach_of(m, m.sweep_move[i]))
    x = squares[0] - total[0] * total[0] / m.nsweepmove
    y = squares[1] - total[1] * total[1] / m.nsweepmove
    z = squares[2] - total[2] * total[2] / m.nsweepmove
    axis, across = 2, 0 if x >= y else 1
    if x >= y and x >= z:
        axis, across = 0, 1 if y >= z else 2
    elif y >= z:
        axis, across = 1, 0 if x >= z else 2
    extent = pick(most, across) - pick(least, across)
    room = minimum(extent / (2.0 * reach), m.nsweepmove / STRIP)
    strips = int(clip(room, 1.0, 1.0 * MOST_STRIPS))
    return (
        axis,
        across,
        strips,
        pick(least, across),
        extent / strips,
        pick(most, axis) - pick(least, axis) + 4.0 * reach,
    )


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
        own = strip_of(d.sweep_ball[i, across], strips, origin, width)
        while strip < own:
            strip = strip + 1
            starts[strip] = i
    while strip < strips:
        strip = strip + 1
        starts[strip] = m.nsweepmove


@kernel
def position(d, g):
    """Where a geom is, without tangents."""
    return value(d.geom_xpos[g, 0]), value(d.geom_xpos[g, 1]), value(d.geom_xpos[g, 2])


@kernel
def sort_intervals(m, d, begin, end, axis, across, strips, origin, width, length):
    """Sorts places begin..end of the order by where geoms begin, strip after strip; fills `sweep_*` for them."""
    misplaced = 0
    for i in range(begin, end):
        g = d.sweep_order[i]
        d.sweep_geom[i] = g
        place = position(d, g)
        strip = strip_of(pick(place, across), strips, origin, width)
        d.sweep_low[i] = strip * length + (pick(place, axis) - reach_of(m, g))
        if i > begin and d.sweep_low[i] < d.sweep_low[i - 1]:
            misplaced = misplaced + 1
    stride = 1
    if misplaced * DISORDER > end - begin:
        while stride * STRIDE < end - begin:
            stride = stride * STRIDE + 1
    while stride > 0:
        for i in range(begin + stride, end):
            low, g = d.sweep_low[i], d.sweep_geom[i]
            j = i
            while j >= begin + stride and d.sweep_low[j - stride] > low:
                d.sweep_low[j] = d.sweep_low[j - stride]
                d.sweep_geom[j] = d.sweep_geom[j - stride]
                j = j - stride
            d.sweep_low[j] = low
            d.sweep_geom[j] = g
        stride = stride // STRIDE
    for i in range(begin, end):
        g = d.sweep_geom[i]
        d.sweep_order[i] = g
        x, y, z = position(d, g)
        reach = reach_of(m, g)
        d.sweep_ball[i, 0] = x
        d.sweep_ball[i, 1] = y
        d.sweep_ball[i, 2] = z
        d.sweep_ball[i, 3] = reach
        d.sweep_low[i] = pick((x, y, z), axis) - reach
        d.sweep_high[i] = pick((x, y, z), axis) + reach


@kernel
def balls_meet(d, i, j):
    """Whether two swept balls meet."""
    dx = d.sweep_ball[i, 0] - d.sweep_ball[j, 0]
    dy = d.sweep_ball[i, 1] - d.sweep_ball[j, 1]
    dz = d.sweep_ball[i, 2] - d.sweep_ball[j, 2]
    reach = d.sweep_ball[i, 3] + d.sweep_ball[j, 3]
    return dx * dx + dy * dy + dz * dz <= reach * reach


@kernel
def sweep_planes(m, d):
    """Planes against all geoms that move."""
    for k in range(m.nsweepplane):
        a = m.sweep_plane[k]
        for i in range(m.nsweepmove):
            b = m.sweep_move[i]
            if may_touch(m, a, b):
                height = dot3(sub3(load3(d.geom_xpos, b), load3(d.geom_xpos, a)), column(d.geom_xmat, a, 2))
                if height <= reach_of(m, a) + reach_of(m, b):
                    add_near(d, a, b, -1)


@kernel
def sweep_strip(m, d, begin, end):
    """Places begin..end of the order against each other."""
    for i in range(begin, end):
        high = d.sweep_high[i]
        for j in range(i + 1, end):
            if d.sweep_low[j] > high:
                break
            if balls_meet(d, i, j):
                try_pair(m, d, d.sweep_geom[i], d.sweep_geom[j])


@kernel
def sweep_two(m, d, begin, end, other, other_end):
    """Places begin..end of the order against other..other_end: each overlap is met where the later one begins."""
    sweep_begins(m, d, begin, end, other, other_end, False)
    sweep_begins(m, d, other, other_end, begin, end, True)


@kernel
def sweep_begins(m, d, begin, end, other, other_end, strictly):
    """Places begin..end against those of the others that begin within them, strictly or not."""
    first = other
    for i in range(begin, end):
        low, high = d.sweep_low[i], d.sweep_high[i]
        while first < other_end and (d.sweep_low[first] < low or (strictly and d.sweep_low[first] == low)):
            first = first + 1
        for j in range(first, other_end):
            if d.sweep_low[j] > high:
                break
            if balls_meet(d, i, j):
                try_pair(m, d, d.sweep_geom[i], d.sweep_geom[j])


@kernel
def try_pair(m, d, a, b):
    """Adds a pair of geoms if it may touch."""
    if may_touch(m, a, b):
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
def may_touch(m, a, b):
    """Whether two geoms may touch by welds, kinship, masks, excluded bodies and shapes, and are no explicit pair."""
    weld_a, weld_b = m.geom_weld[a], m.geom_weld[b]
    if weld_a == weld_b:
        return False
    if m.geom_contype[a] & m.geom_conaffinity[b] == 0 and m.geom_contype[b] & m.geom_conaffinity[a] == 0:
        return False
    kin = weld_a == m.geom_weldparent[b] or weld_b == m.geom_weldparent[a]
    if kin and weld_a != 0 and weld_b != 0 and m.opt.disableflags & DisableBit.FILTERPARENT == 0:
        return False
    if m.geom_type[a] <= GeomType.HFIELD and m.geom_type[b] <= GeomType.HFIELD:
        return False
    body_a, body_b = m.geom_bodyid[a], m.geom_bodyid[b]
    if m.body_exclude[body_a] and m.body_exclude[body_b] and excluded(m, body_a, body_b):
        return False
    return not (m.body_pair[body_a] and m.body_pair[body_b] and declared(m, a, b))


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
