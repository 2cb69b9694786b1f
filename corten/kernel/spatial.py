"""Spatial algebra: motions and forces of six numbers (rotational first), inertias of ten, all about one common point.

An inertia is (Ixx, Iyy, Izz, Ixy, Ixz, Iyz, m cx, m cy, m cz, m): rotational inertia about the point, first moment,
mass. Featherstone, *Rigid Body Dynamics Algorithms*, chapter 2.
"""

from __future__ import annotations

from corten.kernel.dispatch import kernel
from corten.kernel.plain import nonzero


@kernel
def load6(x, i):
    """Row i of an (n, 6) array."""
    return x[i, 0], x[i, 1], x[i, 2], x[i, 3], x[i, 4], x[i, 5]


@kernel
def store6(x, i, v):
    """Row i of an (n, 6) array becomes v."""
    x[i, 0] = v[0]
    x[i, 1] = v[1]
    x[i, 2] = v[2]
    x[i, 3] = v[3]
    x[i, 4] = v[4]
    x[i, 5] = v[5]


@kernel
def load10(x, i):
    """Row i of an (n, 10) array: an inertia."""
    return x[i, 0], x[i, 1], x[i, 2], x[i, 3], x[i, 4], x[i, 5], x[i, 6], x[i, 7], x[i, 8], x[i, 9]


@kernel
def add6(a, b):
    """a + b"""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@kernel
def nonzero6(a):
    """Whether some component differs from zero, or has a tangent that does."""
    return nonzero(a[0]) | nonzero(a[1]) | nonzero(a[2]) | nonzero(a[3]) | nonzero(a[4]) | nonzero(a[5])


@kernel
def scale6(s, a):
    """s a"""
    return s * a[0], s * a[1], s * a[2], s * a[3], s * a[4], s * a[5]


@kernel
def axpy6(s, a, b):
    """s a + b"""
    return (
        s * a[0] + b[0],
        s * a[1] + b[1],
        s * a[2] + b[2],
        s * a[3] + b[3],
        s * a[4] + b[4],
        s * a[5] + b[5],
    )


@kernel
def dot6(a, b):
    """a . b: the power of a force along a motion."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@kernel
def inertia_times(i, v):
    """I v: the momentum of a motion."""
    return (
        i[0] * v[0] + i[3] * v[1] + i[4] * v[2] - i[8] * v[4] + i[7] * v[5],
        i[3] * v[0] + i[1] * v[1] + i[5] * v[2] + i[8] * v[3] - i[6] * v[5],
        i[4] * v[0] + i[5] * v[1] + i[2] * v[2] - i[7] * v[3] + i[6] * v[4],
        i[8] * v[1] - i[7] * v[2] + i[9] * v[3],
        i[6] * v[2] - i[8] * v[0] + i[9] * v[4],
        i[7] * v[0] - i[6] * v[1] + i[9] * v[5],
    )


@kernel
def cross_motion(v, s):
    """v x s: how a motion axis s changes when carried along by v."""
    return (
        v[1] * s[2] - v[2] * s[1],
        v[2] * s[0] - v[0] * s[2],
        v[0] * s[1] - v[1] * s[0],
        v[1] * s[5] - v[2] * s[4] + v[4] * s[2] - v[5] * s[1],
        v[2] * s[3] - v[0] * s[5] + v[5] * s[0] - v[3] * s[2],
        v[0] * s[4] - v[1] * s[3] + v[3] * s[1] - v[4] * s[0],
    )


@kernel
def cross_force(v, f):
    """v x* f: how a momentum f changes when carried along by v."""
    return (
        v[1] * f[2] - v[2] * f[1] + v[4] * f[5] - v[5] * f[4],
        v[2] * f[0] - v[0] * f[2] + v[5] * f[3] - v[3] * f[5],
        v[0] * f[1] - v[1] * f[0] + v[3] * f[4] - v[4] * f[3],
        v[1] * f[5] - v[2] * f[4],
        v[2] * f[3] - v[0] * f[5],
        v[0] * f[4] - v[1] * f[3],
    )
