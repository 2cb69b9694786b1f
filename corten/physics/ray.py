"""Where rays meet geoms: range finders, and the public function `ray`.

A ray is a point p and a vector v; it meets a surface at p + t v with the least t >= 0. Every shape is tried in its own
frame and gives t and its outward normal there, or MISS. A ray that begins inside a solid meets it from within; a plane
is met from above only, within its rendered rectangle. Meshes and height fields are in `ray_surface.py`.
"""

from __future__ import annotations

from corten.kernel import absolute, kernel, sqrt, unroll
from corten.kernel.vec import dot3, load3, load9, mat_t_vec, mat_vec, normalize3, sub3
from corten.model.enums import GeomType
from corten.physics.ray_surface import ray_hfield, ray_mesh

MISS = -1.0
TINY = 1e-15
GROUPS = 6
ALL_GROUPS = (1 << GROUPS) - 1
NO_NORMAL = (0.0, 0.0, 0.0)


@kernel
def ray_world(m, d, p, v, groups, still_too, body):
    """(distance in units of v, geom, normal) of the first visible geom that a ray meets; (MISS, -1, 0) if none.

    `groups` are bits; geoms of one body are left out, and those that stand still if `still_too` is 0.
    """
    best, geom, normal = MISS, -1, NO_NORMAL
    for g in range(m.ngeom):
        if seen_by_rays(m, g, groups, still_too, body):
            t, n = ray_geom(m, d, g, p, v)
            if t >= 0.0 and (t < best or geom < 0):
                best, geom, normal = t, g, n
    return best, geom, normal


@kernel
def seen_by_rays(m, g, groups, still_too, body):
    """Whether a geom counts: it is not on the excluded body, not transparent, and in one of the groups."""
    material = m.geom_matid[g]
    alpha = m.geom_rgba[g, 3] if material < 0 else m.mat_rgba[material, 3]
    if m.geom_bodyid[g] == body or alpha == 0.0 or (not still_too and m.body_weldid[m.geom_bodyid[g]] == 0):
        return False
    return groups & (1 << min(GROUPS - 1, max(0, m.geom_group[g]))) != 0


@kernel
def ray_geom(m, d, g, p, v):
    """(distance, normal in world axes) of a geom."""
    mat, kind, size = load9(d.geom_xmat, g), m.geom_type[g], load3(m.geom_size, g)
    q, w = mat_t_vec(mat, sub3(p, load3(d.geom_xpos, g))), mat_t_vec(mat, v)
    t, n = MISS, NO_NORMAL
    if kind == GeomType.PLANE:
        t, n = ray_plane(q, w, size)
    elif kind == GeomType.SPHERE:
        t, n = ray_ellipsoid(q, w, (size[0], size[0], size[0]))
    elif kind == GeomType.CAPSULE:
        t, n = ray_capsule(q, w, size)
    elif kind == GeomType.ELLIPSOID:
        t, n = ray_ellipsoid(q, w, size)
    elif kind == GeomType.CYLINDER:
        t, n = ray_cylinder(q, w, size)
    elif kind == GeomType.BOX:
        t, n = ray_box(q, w, size)
    elif kind == GeomType.MESH:
        if roots(dot3(w, w), dot3(w, q), dot3(q, q) - m.geom_rbound[g] * m.geom_rbound[g])[1] >= 0.0:
            t, n = ray_mesh(m, m.geom_dataid[g], q, w)
    elif kind == GeomType.HFIELD:
        t, n = ray_hfield(m, m.geom_dataid[g], q, w)
    return t, mat_vec(mat, n)


@kernel
def roots(a, b, c):
    """The solutions of a t^2 + 2 b t + c = 0, the smaller first; both MISS if the ray passes by."""
    discriminant = b * b - a * c
    if discriminant < TINY or a < TINY:
        return MISS, MISS
    root = sqrt(discriminant)
    return (-b - root) / a, (root - b) / a


@kernel
def along(p, t, v):
    """p + t v"""
    return t * v[0] + p[0], t * v[1] + p[1], t * v[2] + p[2]


@kernel
def ray_plane(p, v, size):
    """The upper side of the rectangle z = 0; a size of 0 is infinite."""
    if v[2] > -TINY or p[2] < 0.0:
        return MISS, NO_NORMAL
    t = -p[2] / v[2]
    x, y, _ = along(p, t, v)
    if (size[0] > 0.0 and absolute(x) > size[0]) or (size[1] > 0.0 and absolute(y) > size[1]):
        return MISS, NO_NORMAL
    return t, (0.0, 0.0, 1.0)


@kernel
def ray_ellipsoid(p, v, size):
    """|S^-1 (p + t v)| = 1, with S the semi-axes; the normal is along S^-2 (p + t v)."""
    x, y, z = 1.0 / size[0], 1.0 / size[1], 1.0 / size[2]
    q, w = (x * p[0], y * p[1], z * p[2]), (x * v[0], y * v[1], z * v[2])
    first, last = roots(dot3(w, w), dot3(w, q), dot3(q, q) - 1.0)
    t = first if first >= 0.0 else last
    if t < 0.0:
        return MISS, NO_NORMAL
    hit = along(q, t, w)
    normal, _ = normalize3((x * hit[0], y * hit[1], z * hit[2]))
    return t, normal


@kernel
def nearer(t, normal, best, best_normal):
    """The first of two hits, either of which may be MISS."""
    if t >= 0.0 and (best < 0.0 or t < best):
        return t, normal
    return best, best_normal


@kernel
def ray_side(p, v, radius, half):
    """The round side of a cylinder: the first crossing counts, or the second if that one is behind."""
    first, last = roots(
        v[0] * v[0] + v[1] * v[1], v[0] * p[0] + v[1] * p[1], p[0] * p[0] + p[1] * p[1] - radius * radius
    )
    t = first if first >= 0.0 else last
    hit = along(p, t, v)
    if t < 0.0 or absolute(hit[2]) > half:
        return MISS, NO_NORMAL
    return t, (hit[0] / radius, hit[1] / radius, 0.0)


@kernel
def ray_end(p, v, radius, half, up):
    """One half of the ball at an end of a capsule, the upper (up = 1) or the lower (-1)."""
    q = (p[0], p[1], p[2] - up * half)
    first, last = roots(dot3(v, v), dot3(v, q), dot3(q, q) - radius * radius)
    for k in unroll(2):
        t = first if k == 0 else last
        hit = along(q, t, v)
        if t >= 0.0 and up * hit[2] >= 0.0:
            return t, (hit[0] / radius, hit[1] / radius, hit[2] / radius)
    return MISS, NO_NORMAL


@kernel
def ray_capsule(p, v, size):
    """The side and the two ends."""
    t, normal = ray_side(p, v, size[0], size[1])
    t, normal = nearer(*ray_end(p, v, size[0], size[1], 1.0), t, normal)
    return nearer(*ray_end(p, v, size[0], size[1], -1.0), t, normal)


@kernel
def ray_cap(p, v, radius, half, up):
    """The disk at an end of a cylinder."""
    if absolute(v[2]) <= TINY:
        return MISS, NO_NORMAL
    t = (up * half - p[2]) / v[2]
    hit = along(p, t, v)
    if t < 0.0 or hit[0] * hit[0] + hit[1] * hit[1] > radius * radius:
        return MISS, NO_NORMAL
    return t, (0.0, 0.0, up)


@kernel
def ray_cylinder(p, v, size):
    """The two disks and the side."""
    t, normal = ray_cap(p, v, size[0], size[1], -1.0)
    t, normal = nearer(*ray_cap(p, v, size[0], size[1], 1.0), t, normal)
    return nearer(*ray_side(p, v, size[0], size[1]), t, normal)


@kernel
def ray_box(p, v, size):
    """The first of the six faces within whose rectangle the ray crosses its plane."""
    best, normal = MISS, NO_NORMAL
    for k in unroll(3):
        if absolute(v[k]) > TINY:
            for up in unroll(-1, 2, 2):
                t = (up * size[k] - p[k]) / v[k]
                hit = along(p, t, v)
                i, j = (k + 1) % 3, (k + 2) % 3
                if absolute(hit[i]) <= size[i] and absolute(hit[j]) <= size[j]:
                    face = (up if k == 0 else 0.0, up if k == 1 else 0.0, up if k == 2 else 0.0)
                    best, normal = nearer(t, face, best, normal)
    return best, normal
