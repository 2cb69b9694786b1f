"""Whether a ray meets the shape of a site: the zone in which a touch sensor feels contacts."""

from __future__ import annotations

from corten.kernel import absolute, kernel, maximum, minimum, sqrt, where
from corten.kernel.vec import TINY, dot3, load3, load9, mat_t_vec, sub3
from corten.model.enums import GeomType

FAR = 1e15  # where a ray that runs along a slab leaves it


@kernel
def ray_meets_site(m, d, s, point, direction):
    """1 where the half line from `point` meets site s, 0 elsewhere; a ray that starts inside does."""
    axes, size, kind = load9(d.site_xmat, s), load3(m.site_size, s), m.site_type[s]
    p, v = mat_t_vec(axes, sub3(point, load3(d.site_xpos, s))), mat_t_vec(axes, direction)
    if kind == GeomType.ELLIPSOID or kind == GeomType.SPHERE:
        sx, sy, sz = 1.0 / size[0], 1.0 / size[0], 1.0 / size[0]
        if kind == GeomType.ELLIPSOID:
            sy, sz = 1.0 / size[1], 1.0 / size[2]
        enter, leave = ball_interval((p[0] * sx, p[1] * sy, p[2] * sz), (v[0] * sx, v[1] * sy, v[2] * sz), 1.0)
        return where((enter <= leave) & (leave >= 0.0), 1.0, 0.0)
    if kind == GeomType.BOX:
        x0, x1 = slab_interval(p[0], v[0], size[0])
        y0, y1 = slab_interval(p[1], v[1], size[1])
        z0, z1 = slab_interval(p[2], v[2], size[2])
        enter, leave = maximum(x0, maximum(y0, z0)), minimum(x1, minimum(y1, z1))
        return where((enter <= leave) & (leave >= 0.0), 1.0, 0.0)
    enter, leave = ball_interval((p[0], p[1], 0.0), (v[0], v[1], 0.0), size[0])
    z0, z1 = slab_interval(p[2], v[2], size[1])
    first, last = maximum(enter, z0), minimum(leave, z1)
    meets = (first <= last) & (last >= 0.0)
    if kind == GeomType.CAPSULE:
        enter, leave = ball_interval((p[0], p[1], p[2] - size[1]), v, size[0])
        meets = meets | ((enter <= leave) & (leave >= 0.0))
        enter, leave = ball_interval((p[0], p[1], p[2] + size[1]), v, size[0])
        meets = meets | ((enter <= leave) & (leave >= 0.0))
    return where(meets, 1.0, 0.0)


@kernel
def ball_interval(p, v, radius):
    """Where the line p + t v enters and leaves a ball, or in two dimensions a cylinder; in that order only if it does.

    A line that does not move (along a cylinder's axis) is inside for ever or never.
    """
    a, b, c = dot3(v, v), dot3(p, v), dot3(p, p) - radius * radius
    discriminant = b * b - a * c
    still = a < TINY * TINY
    per_speed = 1.0 / where(still, 1.0, a)
    half = sqrt(maximum(discriminant, 0.0)) * per_speed
    middle = -(b * per_speed)
    never = where(still, c > 0.0, discriminant < 0.0)
    enter, leave = where(still, -FAR, middle - half), where(still, FAR, middle + half)
    return where(never, FAR, enter), where(never, -FAR, leave)


@kernel
def slab_interval(p, v, half):
    """Where the line p + t v enters and leaves [-half, half]; in that order only if it does."""
    still = absolute(v) < TINY
    per_speed = 1.0 / where(still, 1.0, v)
    to_low, to_high = (-half - p) * per_speed, (half - p) * per_speed
    outside = absolute(p) > half
    enter = where(still, where(outside, FAR, -FAR), minimum(to_low, to_high))
    leave = where(still, where(outside, -FAR, FAR), maximum(to_low, to_high))
    return enter, leave
