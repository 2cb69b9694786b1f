"""Products of vectors, rounded after every multiplication: no fused multiply-adds, as in MuJoCo.

Convex collision is full of ties: two triangles of one face are equally far from the origin, all corners of a face
equally far in its direction. Rounding decides them, and with them which of many equally good points of contact is
reported. Rounding in the same way makes these the same points.
"""

from __future__ import annotations

from corten.kernel import kernel, sqrt
from corten.kernel.vec import scale3


@kernel
def dot3(a, b):
    """a . b"""
    x, y, z = a[0] * b[0], a[1] * b[1], a[2] * b[2]
    return x + y + z


@kernel
def norm3(a):
    """The length of a."""
    return sqrt(dot3(a, a))


@kernel
def normalize3(a):
    """a / |a|; the x axis where a has no direction."""
    length = norm3(a)
    if length < 1e-15:
        return 1.0, 0.0, 0.0
    return scale3(1.0 / length, a)


@kernel
def difference(a, b, c, d):
    """a b - c d"""
    x, y = a * b, c * d
    return x - y


@kernel
def cross(a, b):
    """a x b"""
    return (
        difference(a[1], b[2], a[2], b[1]),
        difference(a[2], b[0], a[0], b[2]),
        difference(a[0], b[1], a[1], b[0]),
    )


@kernel
def axpy3(s, a, b):
    """s a + b"""
    x, y, z = s * a[0], s * a[1], s * a[2]
    return x + b[0], y + b[1], z + b[2]


@kernel
def divided3(a, s):
    """a / s"""
    return a[0] / s, a[1] / s, a[2] / s


@kernel
def mat_vec(r, v):
    """R v"""
    return dot3((r[0], r[1], r[2]), v), dot3((r[3], r[4], r[5]), v), dot3((r[6], r[7], r[8]), v)


@kernel
def mat_t_vec(r, v):
    """R' v"""
    return dot3((r[0], r[3], r[6]), v), dot3((r[1], r[4], r[7]), v), dot3((r[2], r[5], r[8]), v)


@kernel
def mat_mul(a, b):
    """A B"""
    return mat_t_mat((a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]), b)


@kernel
def mat_t_mat(a, b):
    """A' B"""
    x = mat_t_vec(a, (b[0], b[3], b[6]))
    y = mat_t_vec(a, (b[1], b[4], b[7]))
    z = mat_t_vec(a, (b[2], b[5], b[8]))
    return x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]
