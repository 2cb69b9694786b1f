"""Constant matrices of the finite elements of a flex at rest.

Membranes and solids follow Weischedel, "A discrete geometric view on shear-deformable shell models" (2012), remark at
the end of section 4.1: strain in a basis that belongs to the edges. Bending is quadratic in the vertices of two
neighbouring triangles: Wardetzky et al., "Discrete quadratic curvature energies" (2007), and Garg et al., "Cubic
shells" (2007), for what is bent at rest. Boxes between nodes are linear elasticity by Gauss-Legendre quadrature.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Ints = NDArray[np.int64]

WIDTH = 21  # numbers of each element's stiffness: the upper triangle of a matrix over six edges
BENDING = 17  # numbers of each edge: a matrix over four vertices, and a coefficient for what is bent at rest

# for each edge of a tetrahedron, the two faces that do not touch it
_FACES = np.array([[2, 1, 0], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
_AWAY = np.array([[2, 3], [1, 3], [2, 1], [1, 0], [0, 2], [0, 3]])
# for each edge of a triangle, the two others
_SIDES = np.array([[1, 2], [2, 0], [0, 1]])
_OTHERS = np.array([[1, 2], [2, 0], [0, 1]])


def _dot(a: Reals, b: Reals) -> Reals:
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]


def _unit(v: Reals) -> Reals:
    length = np.sqrt(_dot(v, v))[..., None]
    return np.where(length > 1e-14, v / np.maximum(length, 1e-14), v)


def lame(young: float, poisson: float) -> tuple[float, float]:
    """The moduli mu and lambda of a material."""
    return young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))


def membrane(places: Reals, elements: Ints, young: float, poisson: float, thickness: float) -> Reals:
    """Stretching of triangles: the metric of squared edge lengths."""
    x = places[elements]
    side = x[:, _SIDES]  # (n, edge, end, xyz)
    first, second = side[:, _OTHERS[:, 0]], side[:, _OTHERS[:, 1]]
    left, right = first[:, :, 0] - first[:, :, 1], second[:, :, 1] - second[:, :, 0]
    normal = _unit(np.cross(right, left))
    area = 0.5 * np.sqrt(_square(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])))
    return _metric(np.cross(normal, left), np.cross(right, normal), 8 * area**2, area * thickness, young, poisson)


def solid(places: Reals, elements: Ints, young: float, poisson: float) -> Reals:
    """Deformation of tetrahedra: the metric of squared edge lengths."""
    x = places[elements]
    face = x[:, _FACES]
    normal = np.cross(face[:, :, 1] - face[:, :, 0], face[:, :, 2] - face[:, :, 0])
    a, b, c = (x[:, k] - x[:, 0] for k in (1, 2, 3))
    volume = _dot(np.cross(a, b), c) / 6
    left, right = normal[:, _AWAY[:, 0]], normal[:, _AWAY[:, 1]]
    return _metric(left, right, 72 * volume**2, 4 * np.abs(volume), young, poisson)


def _square(v: Reals) -> Reals:
    return _dot(v, v)


def _metric(left: Reals, right: Reals, scale: Reals, measure: Reals, young: float, poisson: float) -> Reals:
    """K[e, f] = (mu tr(B_e B_f) + lambda tr(B_e) tr(B_f)) measure / 4 with B_e = (l_e r_e' + r_e l_e') / scale."""
    mu, la = lame(young, poisson)
    outer = left[..., :, None] * right[..., None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        basis = (outer + np.swapaxes(outer, -1, -2)) / scale[:, None, None, None]
    trace = np.trace(basis, axis1=-2, axis2=-1)
    product = np.einsum("neij,nfji->nef", basis, basis)
    matrix = (mu * product + la * trace[:, :, None] * trace[:, None, :]) * (measure / 4)[:, None, None]
    n = matrix.shape[1]
    result = np.zeros((len(matrix), WIDTH))
    result[:, :n * (n + 1) // 2] = matrix[:, *np.triu_indices(n)]
    return result


def _cotangent(apex: Reals, a: Reals, b: Reals) -> Reals:
    u, v = a - apex, b - apex
    return _dot(u, v) / np.sqrt(_square(np.cross(u, v)))


def bending(places: Reals, flaps: Ints, young: float, poisson: float, thickness: float) -> Reals:
    """Bending about edges between two triangles; zero at the border."""
    result = np.zeros((len(flaps), BENDING))
    inner = np.flatnonzero(flaps[:, 3] >= 0)
    p, q, r, s = (places[flaps[inner, k]] for k in range(4))
    with np.errstate(divide="ignore", invalid="ignore"):
        at_p_r, at_p_s = _cotangent(p, q, r), _cotangent(p, s, q)
        at_q_r, at_q_s = _cotangent(q, r, p), _cotangent(q, p, s)
        c = np.stack([at_q_r + at_q_s, at_p_r + at_p_s, -(at_p_r + at_q_r), -(at_p_s + at_q_s)], axis=1)
        area = 0.5 * (np.sqrt(_square(np.cross(q - p, r - p))) + np.sqrt(_square(np.cross(p - q, s - q))))
        stiffness = 3 * lame(young, poisson)[0] * thickness**3 / (24 * area)
        one = -(at_q_r[:, None] * (r - p) + at_p_r[:, None] * (r - q))
        two = -(at_q_s[:, None] * (s - p) + at_p_s[:, None] * (s - q))
        square = _square(q - p)
        cosine = -_dot(one, two) / square
        matrix = c[:, :, None] * c[:, None, :] * (cosine * stiffness)[:, None, None]
        twist = _dot(np.cross(q - p, r - p), s - p) * (at_p_r - at_q_r) * (at_q_s - at_p_s)
        result[inner, :16] = matrix.reshape(-1, 16)
        result[inner, 16] = twist * stiffness / (square * np.sqrt(square))
    return result


def box(places: Reals, young: float, poisson: float) -> Reals:
    """Linear elasticity of a box between 8 or 27 nodes: minus the stiffness matrix over their coordinates, flat.

    -K = sum over quadrature points of (lambda div u div v + mu sym grad u : sym grad v) for unit displacements u and v;
    the textbook has 2 mu.
    """
    n = round(len(places) ** (1 / 3))
    mu, la = lame(young, poisson)
    extent = places[-1] - places[0]
    weights, value, slope = _basis(n)
    numbers = list(itertools.product(range(n), repeat=3))
    total = np.zeros((len(places), 3, len(places), 3))
    eye = np.eye(3)
    with np.errstate(divide="ignore", invalid="ignore"):
        for point in itertools.product(range(n), repeat=3):
            volume = np.prod(weights[list(point)]) * np.prod(extent)
            gradient = np.array([
                [np.prod([(slope if axis == d else value)[point[axis], node[axis]] for axis in range(3)])
                 for d in range(3)] for node in numbers
            ]) / extent
            both = gradient @ gradient.T
            across = gradient[:, :, None, None] * gradient[None, None, :, :]  # (i, k, j, l): d_k phi_i d_l phi_j
            shear = both[:, None, :, None] * eye[None, :, None, :] + np.swapaxes(across, 1, 3)
            total -= volume * (la * across + mu / 2 * shear)
    return total.ravel()


def _basis(n: int) -> tuple[Reals, Reals, Reals]:
    """Quadrature on [0, 1]: weights, and at the points the values and slopes of the n polynomials that are 1 at one of
    n equal steps and 0 at the others.

    As in the reference the outer points of the rule of three are at sqrt(5/3) from the middle, where sqrt(3/5) would
    be exact, so that a body with 27 nodes is stiffer than its material.
    """
    at, weights = np.polynomial.legendre.leggauss(n)
    if n == 3:
        at = np.array([-1.0, 0.0, 1.0]) * np.sqrt(5 / 3)
    at, weights = (at + 1) / 2, weights / 2
    steps = np.linspace(0, 1, n)
    value, slope = np.empty((n, n)), np.empty((n, n))
    for k in range(n):
        roots = np.delete(steps, k)
        polynomial = np.poly1d(roots, True) / np.prod(steps[k] - roots)
        value[:, k], slope[:, k] = polynomial(at), polynomial.deriv()(at)
    return weights, value, slope
