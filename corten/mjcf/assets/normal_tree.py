"""A red-black tree of normals, in which almost equal normals are one entry.

Normals are of unit length, except those of triangles without area, which may be of any length or not finite. Such a
normal is almost equal to whatever lies on its side.

Which entry a normal meets on its way down decides whether it counts as new, so the shape of the tree matters. It is
that of the ordered set of a C++ library: insertion at a leaf and the usual recolouring and rotations (Cormen et al.,
"Introduction to Algorithms", chapter on red-black trees).

The tree lies in arrays of integers, a row of `links` for each entry: its children before and after it, its parent, and
whether it is red; -1 stands for no entry. Large meshes have some 100,000 normals, so the work is done by a kernel.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from corten.kernel import kernel

SAME_SIDE_COSINE = 0.99999872
TIE = 1e-15
BEFORE, AFTER, PARENT, RED, WIDTH = 0, 1, 2, 3, 4


def sides(normals: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The side that each normal belongs to, numbered in order of appearance, and the sides in the order of the tree.

    Looking up and inserting compare on different sides, so the search for a place may meet an equal entry that the
    look-up passed by. Then nothing is inserted, and the normal has no side: -1.
    """
    count = len(normals)
    side, entry, order = (np.full(count, -1, np.int64) for _ in range(3))
    links = np.full((count + 1) * WIDTH, -1, np.int64)
    size = np.zeros(1, np.int64)
    with np.errstate(invalid="ignore"):  # where kernels are not compiled
        grow(np.ascontiguousarray(normals, np.float64).ravel(), count, side, entry, links, order, size)
    return side, order[: size[0]]


@kernel
def grow(normals, count, side, entry, links, order, size):
    """Sort `count` normals into the tree; `entry` is the normal of each entry."""
    root, used = -1, 0
    for i in range(count):
        above, bound, node = -1, -1, root
        met_equal, goes_before = 0, 0
        while node >= 0:
            above = node
            if precedes(normals, entry[node], i):
                node, goes_before = links[WIDTH * node + AFTER], 0
            else:
                if met_equal == 0 and not precedes(normals, i, entry[node]):
                    met_equal = 1
                bound = node
                node, goes_before = links[WIDTH * node + BEFORE], 1
        if met_equal == 1:
            if not precedes(normals, i, entry[bound]):
                side[i] = bound
        else:
            entry[used] = i
            side[i] = used
            links[WIDTH * used + PARENT] = above
            links[WIDTH * used + RED] = 1
            if above < 0:
                root = used
            elif goes_before == 1:
                links[WIDTH * above + BEFORE] = used
            else:
                links[WIDTH * above + AFTER] = used
            root = rebalance(links, used, root)
            used += 1
    size[0] = used
    walk(links, root, order)


@kernel
def precedes(normals, i, j):
    """Order by decreasing components; normals of the same side do not precede each other."""
    x, y, z = normals[3 * i], normals[3 * i + 1], normals[3 * i + 2]
    u, v, w = normals[3 * j], normals[3 * j + 1], normals[3 * j + 2]
    # products with names are not fused with sums, so that the cosine is rounded as in the reference
    xu, yv, zw = x * u, y * v, z * w
    if xu + yv + zw > SAME_SIDE_COSINE:
        return False
    if abs(x - u) > TIE:
        return x > u
    if abs(y - v) > TIE:
        return y > v
    return abs(z - w) > TIE and z > w


@kernel
def rebalance(links, node, root):
    """Restore the rule that a red entry has no red child, after `node` became red; the answer is the root."""
    above = links[WIDTH * node + PARENT]
    while above >= 0 and links[WIDTH * above + RED] == 1:
        top = links[WIDTH * above + PARENT]
        near = BEFORE if above == links[WIDTH * top + BEFORE] else AFTER
        far = AFTER - near
        uncle = links[WIDTH * top + far]
        if uncle >= 0 and links[WIDTH * uncle + RED] == 1:
            links[WIDTH * above + RED] = 0
            links[WIDTH * uncle + RED] = 0
            links[WIDTH * top + RED] = 1
            node = top
        else:
            if node == links[WIDTH * above + far]:
                root = rotate(links, above, near, root)
                node, above = above, node
            links[WIDTH * above + RED] = 0
            links[WIDTH * top + RED] = 1
            root = rotate(links, top, far, root)
        above = links[WIDTH * node + PARENT]
    links[WIDTH * root + RED] = 0
    return root


@kernel
def rotate(links, node, towards, root):
    """Move `node` down to the side `towards`; its child on the other side takes its place. The answer is the root."""
    away = AFTER - towards
    rising = links[WIDTH * node + away]
    inner = links[WIDTH * rising + towards]
    links[WIDTH * node + away] = inner
    if inner >= 0:
        links[WIDTH * inner + PARENT] = node
    above = links[WIDTH * node + PARENT]
    links[WIDTH * rising + PARENT] = above
    if above < 0:
        root = rising
    elif links[WIDTH * above + BEFORE] == node:
        links[WIDTH * above + BEFORE] = rising
    else:
        links[WIDTH * above + AFTER] = rising
    links[WIDTH * rising + towards] = node
    links[WIDTH * node + PARENT] = rising
    return root


@kernel
def walk(links, root, order):
    """Entries from first to last."""
    node, place = root, 0
    while node >= 0 and links[WIDTH * node + BEFORE] >= 0:
        node = links[WIDTH * node + BEFORE]
    while node >= 0:
        order[place] = node
        place += 1
        if links[WIDTH * node + AFTER] >= 0:
            node = links[WIDTH * node + AFTER]
            while links[WIDTH * node + BEFORE] >= 0:
                node = links[WIDTH * node + BEFORE]
        else:
            child, node = node, links[WIDTH * node + PARENT]
            while node >= 0 and links[WIDTH * node + AFTER] == child:
                child, node = node, links[WIDTH * node + PARENT]
