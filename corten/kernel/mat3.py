"""More algebra of 3x3 matrices as tuples of nine: sums, transposes, cross products as matrices."""

from __future__ import annotations

from corten.kernel.dispatch import kernel


@kernel
def mat_add(a, b):
    """A + B"""
    return (
        a[0] + b[0],
        a[1] + b[1],
        a[2] + b[2],
        a[3] + b[3],
        a[4] + b[4],
        a[5] + b[5],
        a[6] + b[6],
        a[7] + b[7],
        a[8] + b[8],
    )


@kernel
def mat_sub(a, b):
    """A - B"""
    return (
        a[0] - b[0],
        a[1] - b[1],
        a[2] - b[2],
        a[3] - b[3],
        a[4] - b[4],
        a[5] - b[5],
        a[6] - b[6],
        a[7] - b[7],
        a[8] - b[8],
    )


@kernel
def mat_scale(s, a):
    """s A"""
    return s * a[0], s * a[1], s * a[2], s * a[3], s * a[4], s * a[5], s * a[6], s * a[7], s * a[8]


@kernel
def mat_transpose(a):
    """A'"""
    return a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]


@kernel
def diagonal9(v):
    """The diagonal matrix of v."""
    return v[0], 0.0, 0.0, 0.0, v[1], 0.0, 0.0, 0.0, v[2]


@kernel
def outer(a, b):
    """a b'"""
    return (
        a[0] * b[0],
        a[0] * b[1],
        a[0] * b[2],
        a[1] * b[0],
        a[1] * b[1],
        a[1] * b[2],
        a[2] * b[0],
        a[2] * b[1],
        a[2] * b[2],
    )


@kernel
def skew(v):
    """The matrix of the cross product with v from the left."""
    return 0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0


@kernel
def cross_mat(v, a):
    """skew(v) A: v x each column."""
    return (
        v[1] * a[6] - v[2] * a[3],
        v[1] * a[7] - v[2] * a[4],
        v[1] * a[8] - v[2] * a[5],
        v[2] * a[0] - v[0] * a[6],
        v[2] * a[1] - v[0] * a[7],
        v[2] * a[2] - v[0] * a[8],
        v[0] * a[3] - v[1] * a[0],
        v[0] * a[4] - v[1] * a[1],
        v[0] * a[5] - v[1] * a[2],
    )


@kernel
def mat_cross(a, v):
    """A skew(v): each row x v."""
    return (
        a[1] * v[2] - a[2] * v[1],
        a[2] * v[0] - a[0] * v[2],
        a[0] * v[1] - a[1] * v[0],
        a[4] * v[2] - a[5] * v[1],
        a[5] * v[0] - a[3] * v[2],
        a[3] * v[1] - a[4] * v[0],
        a[7] * v[2] - a[8] * v[1],
        a[8] * v[0] - a[6] * v[2],
        a[6] * v[1] - a[7] * v[0],
    )
