"""Points and elements of the shapes that <flexcomp> generates: grids, and the surfaces of boxes.

Points of a grid are numbered with the last axis running fastest. Elements are given as one row of numbers, since some
shapes make sense in several dimensions.
"""

from __future__ import annotations

import itertools
from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray

EPS = 1e-14
Points = NDArray[np.float64]
Elements = NDArray[np.int64]

# corners of a cell: the four of its lower side counter-clockwise, then the four above them
_CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
_TETRAHEDRA = np.array([[0, 3, 1, 7], [0, 1, 4, 7], [1, 3, 2, 7], [1, 2, 6, 7], [1, 5, 4, 7], [1, 6, 5, 7]])
_TRIANGLES = np.array([[0, 1, 2], [0, 2, 3]])
_OTHER_DIAGONAL = np.array([[0, 1, 3], [1, 2, 3]])


def line(count: int, spacing: float) -> tuple[Points, Elements]:
    """Points in a row along x, about the origin."""
    x = spacing * (np.arange(count) - 0.5 * (count - 1))
    first = np.arange(count - 1)
    return np.stack([x, 0 * x, 0 * x], axis=1), np.stack([first, first + 1], axis=1).ravel()


def circle(count: int, spacing: float) -> tuple[Points, Elements]:
    """A closed polygon in the xy plane with edges of length `spacing` and one corner fewer than `count`."""
    number = count - 1
    theta = 2 * pi / max(number, 1)
    radius = spacing / sin(theta / 2) / 2
    places = [(radius * cos(theta * i), radius * sin(theta * i), 0.0) for i in range(number)]
    first = np.arange(number)
    return np.array(places, float).reshape(-1, 3), np.stack([first, (first + 1) % max(number, 1)], axis=1).ravel()


def _centred(count: tuple[int, ...], spacing: tuple[float, ...]) -> Points:
    """The points of a grid about the origin, in as many dimensions as there are counts."""
    axes = [s * (np.arange(n) - 0.5 * (n - 1)) for n, s in zip(count, spacing, strict=True)]
    places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(count))
    return np.pad(places, ((0, 0), (0, 3 - len(count))))


def sheet(count: tuple[int, ...], spacing: tuple[float, ...], disc: bool = False) -> tuple[Points, Elements]:
    """A grid of two triangles a cell in the xy plane; as a disc its outline is drawn in to an ellipse."""
    places = _centred(count[:2], spacing[:2])
    i, j = (x.ravel() for x in np.indices((count[0] - 1, count[1] - 1)))
    corners = [count[1] * (i + di) + (j + dj) for di, dj, _ in _CORNERS[:4]]
    quads = np.stack(corners, axis=1)
    triangles = quads[:, _TRIANGLES]
    if disc:
        x, y = (places[i * count[1] + j, axis] for axis in (0, 1))
        turned = ((x < -EPS) & (y > -EPS)) | ((x > -EPS) & (y < -EPS))
        triangles = np.where(turned[:, None, None], quads[:, _OTHER_DIAGONAL], triangles)
        size = [0.5 * s * (n - 1) for n, s in zip(count[:2], spacing[:2], strict=True)]
        places[:, :2] = _towards_unit(places[:, :2]) * size * np.abs(places[:, :2]).max(axis=1, keepdims=True)
    return places, triangles.ravel()


def block(count: tuple[int, ...], spacing: tuple[float, ...]) -> tuple[Points, Elements]:
    """A grid of six tetrahedra a cell."""
    cells = np.indices([n - 1 for n in count]).reshape(3, -1).T
    at = cells[:, None] + _CORNERS
    corners = (at[..., 0] * count[1] + at[..., 1]) * count[2] + at[..., 2]
    return _centred(count, spacing), corners[:, _TETRAHEDRA].ravel()


def _towards_unit(vectors: Points) -> Points:
    """Vectors at unit length; zero stays zero."""
    length = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    return np.where(length > EPS, vectors / np.maximum(length, EPS), vectors)


def _projected(corner: Points, shape: str, size: NDArray[np.float64]) -> Points:
    """Points of the cube from -1 to 1, on the surface of a box, cylinder or ellipsoid of half sizes `size`."""
    if shape == "cylinder":
        across = np.abs(corner[:, :2]).max(axis=1, keepdims=True)
        corner = np.hstack([_towards_unit(corner[:, :2]) * across, corner[:, 2:]])
    elif shape == "ellipsoid":
        corner = _towards_unit(corner)
    return corner * size


def shell(shape: str, dim: int, count: tuple[int, ...], spacing: tuple[float, ...]) -> tuple[Points, Elements]:
    """The surface of a box, cylinder or ellipsoid; solid with a tetrahedron to the centre for each of its triangles.

    Points run over the lower and upper side, then over what remains of front and back, then of left and right. The
    centre of a solid comes first. As triangles the shape is open at the top.
    """
    nx, ny, nz = count
    is_open = dim == 2
    upper = range(1, nz if is_open else nz - 1)
    sides = [(i, j, k) for k in ((0,) if is_open else (0, nz - 1)) for i in range(nx) for j in range(ny)]
    sides += [(i, j, k) for j in (0, ny - 1) for i in range(nx) for k in upper]
    sides += [(i, j, k) for i in (0, nx - 1) for j in range(1, ny - 1) for k in upper]
    steps = np.array(sides)
    corner = 2.0 * steps / (np.array(count) - 1) - 1
    places = _projected(corner, shape, 0.5 * np.array(spacing) * (np.array(count) - 1))
    solid = dim == 3
    number = np.zeros(count, np.int64)
    number[tuple(steps.T)] = np.arange(len(steps)) + solid
    if solid:
        places = np.concatenate([np.zeros((1, 3)), places])
    faces = [(axis, last) for axis in (2, 1, 0) for last in (False, True) if not (is_open and axis == 2 and last)]
    return places, np.concatenate([_side(number, axis, last, solid).ravel() for axis, last in faces])


def _side(number: Elements, axis: int, last: bool, solid: bool) -> Elements:
    """The elements of one side of a box: two for each cell, which runs along the other two axes in their order."""
    side = np.take(number, -1 if last else 0, axis=axis)
    ll, hl, lh, hh = (side[a, b] for b, a in itertools.product((slice(None, -1), slice(1, None)), repeat=2))
    if solid:
        centre = np.zeros_like(ll)
        pair = ((centre, ll, hl, hh), (centre, ll, lh, hh))
    elif axis == 2:
        # both diagonals occur, so that the outside of each side is where its triangles turn counter-clockwise
        pair = ((ll, hl, hh), (ll, hh, lh)) if last else ((ll, hh, hl), (ll, lh, hh))
    elif last == (axis == 0):
        pair = ((ll, hl, hh), (ll, hh, lh))
    else:
        pair = ((hl, ll, lh), (hl, lh, hh))
    return np.stack([np.stack(part, axis=-1) for part in pair], axis=-2)
