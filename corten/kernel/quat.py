"""Rotations as unit quaternions (w, x, y, z), as tuples."""

from __future__ import annotations

from corten.kernel.dispatch import kernel
from corten.kernel.plain import absolute, any_lane, atan2, sincos, sqrt, where
from corten.kernel.vec import TINY, norm3

TWO_PI, PI = 6.283185307179586, 3.141592653589793
NEARLY = 1e-6  # the cube of it is below rounding


@kernel
def load4(x, i):
    """Row i of an (n, 4) array."""
    return x[i, 0], x[i, 1], x[i, 2], x[i, 3]


@kernel
def store4(x, i, q):
    """Row i of an (n, 4) array becomes q."""
    x[i, 0] = q[0]
    x[i, 1] = q[1]
    x[i, 2] = q[2]
    x[i, 3] = q[3]


@kernel
def load_quat(x, i):
    """The four numbers from x[i]: a quaternion inside qpos."""
    return x[i], x[i + 1], x[i + 2], x[i + 3]


@kernel
def quat_mul(p, q):
    """p q: the rotation q, then p."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@kernel
def quat_conj(q):
    """The opposite rotation."""
    return q[0], -q[1], -q[2], -q[3]


@kernel
def quat_normalize(q):
    """q / |q|; the identity where q has no length.

    Mostly |q| is nearly 1, and then the series of 1 / sqrt(1 + off), exact to rounding, is faster.
    """
    off = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0
    s = 1.0 - off * (0.5 - 0.375 * off)
    far = absolute(off) > NEARLY
    if any_lane(far):
        n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
        tiny = n < TINY
        s = where(far, 1.0 / where(tiny, 1.0, n), s)
        return where(tiny, (1.0, 0.0, 0.0, 0.0), (q[0] * s, q[1] * s, q[2] * s, q[3] * s))
    return q[0] * s, q[1] * s, q[2] * s, q[3] * s


@kernel
def quat_rotate(q, v):
    """v turned by q: v + 2 w (u x v) + 2 u x (u x v), with q = (w, u)."""
    tx = 2.0 * (q[2] * v[2] - q[3] * v[1])
    ty = 2.0 * (q[3] * v[0] - q[1] * v[2])
    tz = 2.0 * (q[1] * v[1] - q[2] * v[0])
    return (
        q[0] * tx + (q[2] * tz - q[3] * ty) + v[0],
        q[0] * ty + (q[3] * tx - q[1] * tz) + v[1],
        q[0] * tz + (q[1] * ty - q[2] * tx) + v[2],
    )


@kernel
def quat_mat(q):
    """The rotation matrix of q."""
    ww, xx, yy, zz = q[0] * q[0], q[1] * q[1], q[2] * q[2], q[3] * q[3]
    xy, xz, yz = q[1] * q[2], q[1] * q[3], q[2] * q[3]
    wx, wy, wz = q[0] * q[1], q[0] * q[2], q[0] * q[3]
    return (
        ww + xx - yy - zz,
        2.0 * (xy - wz),
        2.0 * (xz + wy),
        2.0 * (xy + wz),
        ww - xx + yy - zz,
        2.0 * (yz - wx),
        2.0 * (xz - wy),
        2.0 * (yz + wx),
        ww - xx - yy + zz,
    )


@kernel
def axis_angle(axis, angle):
    """The rotation about a unit axis."""
    s, c = sincos(0.5 * angle)
    return c, s * axis[0], s * axis[1], s * axis[2]


@kernel
def quat_velocity(q, dt):
    """The angular velocity that turns the identity into q in the time dt, by the shorter way round."""
    u = (q[1], q[2], q[3])
    n = norm3(u)
    tiny = n < TINY
    s = 1.0 / where(tiny, 1.0, n)
    angle = 2.0 * atan2(n, q[0])
    angle = where(angle > PI, angle - TWO_PI, angle)
    # near the identity sin(angle/2) ~ angle/2: the limit keeps the derivative right
    factor = where(tiny, 2.0, angle * s) / dt
    return u[0] * factor, u[1] * factor, u[2] * factor


@kernel
def quat_integrate(q, w, dt):
    """q after turning with the angular velocity w, in its own frame, for the time dt; unit length."""
    n = norm3(w)
    tiny = n < TINY
    s, c = sincos(0.5 * (n * dt))
    # sin(n dt / 2) / n, and its limit dt / 2
    k = where(tiny, 0.5 * dt, s / where(tiny, 1.0, n))
    return quat_normalize(quat_mul(q, (c, k * w[0], k * w[1], k * w[2])))
