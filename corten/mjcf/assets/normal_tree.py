"""A red-black tree of normals, in which almost equal normals are one entry.

Normals are of unit length, except those of triangles without area, which may be of any length or not finite. Such a
normal is almost equal to whatever lies on its side.

Which entry a normal meets on its way down decides whether it counts as new, so the shape of the tree matters. It is
that of the ordered set of a C++ library: insertion at a leaf and the usual recolouring and rotations (Cormen et al.,
"Introduction to Algorithms", chapter on red-black trees).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, nan

SAME_SIDE_COSINE = 0.99999872
TIE = 1e-15
FAR = 2e-3  # components of unit normals of the same side differ by less: sqrt(2 - 2 SAME_SIDE_COSINE) is 0.0016
LONGEST = 1.001  # a unit normal has no larger component

Normal = list[float]


def precedes(a: Normal, b: Normal) -> bool:
    """Order by decreasing components; normals of the same side do not precede each other."""
    if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] > SAME_SIDE_COSINE:
        return False
    for x, y in zip(a, b, strict=True):
        if abs(x - y) > TIE:
            return x > y
    return False


class NormalTree:
    """Entries are numbered in order of insertion; -1 stands for no entry."""

    def __init__(self) -> None:
        self._normal: list[Normal] = []
        self._first: list[float] = []  # first components of unit normals, which decide most comparisons; else NaN
        self._left: list[int] = []
        self._right: list[int] = []
        self._parent: list[int] = []
        self._red: list[bool] = []
        self._root = -1

    def find_or_insert(self, normal: Normal) -> int:
        """The number of the entry that counts as equal to `normal`, or of the new entry made for it.

        Looking up and inserting compare on different sides, so the search for a place may meet an equal entry that the
        look-up passed by. Then nothing is inserted and the answer is -1.
        """
        first, left, right = self._first, self._left, self._right
        x = normal[0]
        low, high = (x - FAR, x + FAR) if abs(x) <= LONGEST else (-inf, inf)
        parent = bound = -1
        child = self._root
        met_equal = goes_left = False
        while child >= 0:
            parent = child
            y = first[child]
            if y > high:
                child, goes_left = right[child], False
            elif y < low:
                bound, child, goes_left = child, left[child], True
            elif precedes(self._normal[child], normal):
                child, goes_left = right[child], False
            else:
                met_equal = met_equal or not precedes(normal, self._normal[child])
                bound, child, goes_left = child, left[child], True
        if met_equal:
            return -1 if precedes(normal, self._normal[bound]) else bound
        return self._insert(normal, parent, goes_left)

    def in_order(self) -> Iterator[int]:
        """Entries from first to last."""
        stack: list[int] = []
        node = self._root
        while stack or node >= 0:
            while node >= 0:
                stack.append(node)
                node = self._left[node]
            node = stack.pop()
            yield node
            node = self._right[node]

    def _insert(self, normal: Normal, parent: int, goes_left: bool) -> int:
        new = len(self._normal)
        self._normal.append(normal)
        self._first.append(normal[0] if abs(normal[0]) <= LONGEST else nan)
        self._left.append(-1)
        self._right.append(-1)
        self._parent.append(parent)
        self._red.append(True)
        if parent < 0:
            self._root = new
        elif goes_left:
            self._left[parent] = new
        else:
            self._right[parent] = new
        self._rebalance(new)
        return new

    def _rebalance(self, node: int) -> None:
        """Restore the rule that a red entry has no red child, after `node` became red."""
        parent, red = self._parent, self._red
        while (above := parent[node]) >= 0 and red[above]:
            top = parent[above]
            near, far = (self._left, self._right) if above == self._left[top] else (self._right, self._left)
            uncle = far[top]
            if uncle >= 0 and red[uncle]:
                red[above] = red[uncle] = False
                red[top] = True
                node = top
                continue
            if node == far[above]:
                self._rotate(above, near, far)
                node, above = above, node
            red[above], red[top] = False, True
            self._rotate(top, far, near)
        red[self._root] = False

    def _rotate(self, node: int, towards: list[int], away: list[int]) -> None:
        """Move `node` down to the side `towards`; its child on the side `away` takes its place."""
        rising = away[node]
        inner = towards[rising]
        away[node] = inner
        if inner >= 0:
            self._parent[inner] = node
        above = self._parent[node]
        self._parent[rising] = above
        if above < 0:
            self._root = rising
        elif self._left[above] == node:
            self._left[above] = rising
        else:
            self._right[above] = rising
        towards[rising] = node
        self._parent[node] = rising
