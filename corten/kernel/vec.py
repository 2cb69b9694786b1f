"""Vectors of three as tuples, and 3x3 matrices as tuples of nine, row by row."""

from __future__ import annotations

from corten.kernel.dispatch import kernel
from corten.kernel.plain import any_lane, sqrt, where

TINY = 1e-15  # lengths below this have no direction


@kernel
def load3(x, i):
    """Row i of an (n, 3) array."""
    return x[i, 0], x[i, 1], x[i, 2]


@kernel
def store3(x, i, v):
    """Row i of an (n, 3) array becomes v."""
    x[i, 0] = v[0]
    x[i, 1] = v[1]
    x[i, 2] = v[2]


@kernel
def part3(x, i, k):
    """Columns k to k + 2 of row i."""
    return x[i, k], x[i, k + 1], x[i, k + 2]


@kernel
def load5(x, i):
    """Row i of an (n, 5) array."""
    return x[i, 0], x[i, 1], x[i, 2], x[i, 3], x[i, 4]


@kernel
def load9(x, i):
    """Row i of an (n, 9) array: a matrix."""
    return x[i, 0], x[i, 1], x[i, 2], x[i, 3], x[i, 4], x[i, 5], x[i, 6], x[i, 7], x[i, 8]


@kernel
def store9(x, i, r):
    """Row i of an (n, 9) array becomes the matrix r."""
    x[i, 0] = r[0]
    x[i, 1] = r[1]
    x[i, 2] = r[2]
    x[i, 3] = r[3]
    x[i, 4] = r[4]
    x[i, 5] = r[5]
    x[i, 6] = r[6]
    x[i, 7] = r[7]
    x[i, 8] = r[8]


@kernel
def add3(a, b):
    """a + b"""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel
def sub3(a, b):
    """a - b"""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel
def scale3(s, a):
    """s a"""
    return s * a[0], s * a[1], s * a[2]


@kernel
def axpy3(s, a, b):
    """s a + b"""
    return s * a[0] + b[0], s * a[1] + b[1], s * a[2] + b[2]


@kernel
def dot3(a, b):
    """a . b"""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    """a x b"""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def norm3(a):
    """The length of a."""
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def some3(a):
    """Whether a differs from zero in some world."""
    return any_lane((a[0] != 0.0) | (a[1] != 0.0) | (a[2] != 0.0))


@kernel
def normalize3(a):
    """(a / |a|, |a|); the x axis where a has no direction."""
    n = norm3(a)
    tiny = n < TINY
    s = 1.0 / where(tiny, 1.0, n)
    return where(tiny, (1.0, 0.0, 0.0), (a[0] * s, a[1] * s, a[2] * s)), n


@kernel
def mat_vec(r, v):
    """R v"""
    return (
        r[0] * v[0] + r[1] * v[1] + r[2] * v[2],
        r[3] * v[0] + r[4] * v[1] + r[5] * v[2],
        r[6] * v[0] + r[7] * v[1] + r[8] * v[2],
    )


@kernel
def mat_t_vec(r, v):
    """R' v"""
    return (
        r[0] * v[0] + r[3] * v[1] + r[6] * v[2],
        r[1] * v[0] + r[4] * v[1] + r[7] * v[2],
        r[2] * v[0] + r[5] * v[1] + r[8] * v[2],
    )


@kernel
def mat_mul(a, b):
    """A B"""
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )
