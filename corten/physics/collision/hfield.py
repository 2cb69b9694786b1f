"""Height fields against convex shapes: one contact for each prism under the field's triangles that the shape is in.

A cell of the grid is cut into two triangles; the prism under each goes down to the field's base. All is done in the
field's frame: it is the first geom, and only prisms under the other shape's bounding box are looked at.
"""

from __future__ import annotations

from corten.kernel import floor, kernel, local, unroll
from corten.kernel.vec import add3, load3, load9, mat_vec, part3, scale3, store3, sub3
from corten.physics.collision.contact import MAX_TOUCH, touch
from corten.physics.collision.penetration import penetration
from corten.physics.collision.support import (
    HALF_MARGIN,
    PRISM,
    put_matrix,
    support,
)
from corten.physics.collision.unfused import mat_t_mat, mat_t_vec, normalize3


@kernel
def hfield_touch(m, d, shape, part, a, b, margin):
    """The points in which height field a and convex geom b touch, put into `touch_*`; how many."""
    mat, origin = load9(d.geom_xmat, a), load3(d.geom_xpos, a)
    place = mat_t_vec(mat, sub3(load3(shape, 1), origin))
    store3(shape, 1, place)
    put_matrix(shape, 1, mat_t_mat(mat, load9(d.geom_xmat, b)))
    shape[1, HALF_MARGIN] = 0.0

    field = m.geom_dataid[a]
    x, y = m.hfield_size[field, 0], m.hfield_size[field, 1]
    top, base = m.hfield_size[field, 2], m.hfield_size[field, 3]
    reach = m.geom_rbound[b] + margin
    if not (
        overlap(place[0] - reach, place[0] + reach, -x, x)
        and overlap(place[1] - reach, place[1] + reach, -y, y)
        and overlap(place[2] - reach, place[2] + reach, -base, top)
    ):
        return 0
    xlow, xhigh = extent(m, shape, part, 0)
    ylow, yhigh = extent(m, shape, part, 1)
    zlow, zhigh = extent(m, shape, part, 2)
    if not (
        overlap(xlow - margin, xhigh + margin, -x, x)
        and overlap(ylow - margin, yhigh + margin, -y, y)
        and overlap(zlow - margin, zhigh + margin, -base, top)
    ):
        return 0
    columns, rows = m.hfield_ncol[field], m.hfield_nrow[field]
    first_column, last_column = cells(xlow, xhigh, x, columns)
    first_row, last_row = cells(ylow, yhigh, y, rows)

    shape[1, HALF_MARGIN] = 0.5 * margin
    for k in unroll(3):
        shape[0, PRISM + 3 * k + 2] = -base
    witness = local(d, 1, 6)
    n = 0
    for r in range(first_row, last_row):
        for corner in range(2 * (last_column - first_column + 1)):
            c, row = first_column + corner // 2, r + 1 - corner % 2
            add_corner(m, shape, field, row, c, 2.0 * x / (columns - 1), 2.0 * y / (rows - 1), margin)
            if corner >= 2 and n < MAX_TOUCH and rises_to(shape, zlow):
                count, dist = penetration(m, d, shape, part, witness, 1, 0.0)
                if count > 0 and dist < 0.0:
                    on_a, on_b = part3(witness, 0, 0), part3(witness, 0, 3)
                    normal = normalize3(sub3(on_a, on_b))
                    middle = scale3(0.5, add3(on_a, on_b))
                    touch(d, n, dist, add3(mat_vec(mat, middle), origin), mat_vec(mat, normal))
                    n = n + 1
    return n


@kernel
def overlap(low, high, least, most):
    """Whether two intervals have a point in common."""
    return low <= most and high >= least


@kernel
def extent(m, shape, part, k):
    """The least and the greatest k-th coordinate of the shape that is not the field."""
    x, y, z = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
    high, low = support(m, shape, part, 1, (x, y, z)), support(m, shape, part, 1, (-x, -y, -z))
    if k == 0:
        return low[0], high[0]
    if k == 1:
        return low[1], high[1]
    return low[2], high[2]


@kernel
def cells(low, high, half, count):
    """First and last line of a grid of `count` lines from -half to half between which an interval lies."""
    size = 2.0 * half
    first, last = floor((low + half) / size * (count - 1)), -floor(-((high + half) / size * (count - 1)))
    return max(0, int(first)), min(count - 1, int(last))


@kernel
def add_corner(m, shape, field, row, column, dx, dy, margin):
    """Drop the prism's first corner, and add a point of the grid as its last."""
    for k in unroll(2):
        for i in unroll(2):
            at = PRISM + 3 * k + 9 * i
            for j in unroll(3):
                shape[0, at + j] = shape[0, at + 3 + j]
    east, north = dx * column, dy * row
    x, y = east - m.hfield_size[field, 0], north - m.hfield_size[field, 1]
    height = m.hfield_data[m.hfield_adr[field] + row * m.hfield_ncol[field] + column] * m.hfield_size[field, 2]
    shape[0, PRISM + 6] = x
    shape[0, PRISM + 7] = y
    shape[0, PRISM + 15] = x
    shape[0, PRISM + 16] = y
    shape[0, PRISM + 17] = height + margin


@kernel
def rises_to(shape, low):
    """Whether the top of the prism reaches a height."""
    return shape[0, PRISM + 11] >= low or shape[0, PRISM + 14] >= low or shape[0, PRISM + 17] >= low
