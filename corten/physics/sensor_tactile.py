"""Tactile sensors: pressure and sliding on the vertices of a mesh that is fixed to a geom.

A vertex feels the geoms that touch anything welded to the sensor's geom. Inside one, at depth p < 0, its pressure is
p / (0.05 - p), times the squared length of its normal, so it is negative; its sliding is the relative velocity along
its two tangents, without sign. The readings are all pressures, then the sliding along the first, then along the
second tangents. Three oddities are MuJoCo's: the velocity stays in world axes while the tangents are those of the
mesh; the other body's velocity is taken at the centre of its geom; and every third row of normals is taken for a
vertex's own, the two after it for its tangents, though only builtin plates and wedges have these. Meshes that touch
it are not felt, since they have no signed distance.
"""

from __future__ import annotations

from corten.kernel import absolute, clip, kernel, lane, lanes, maximum, minimum, sqrt, stage
from corten.kernel.quat import load4, quat_rotate
from corten.kernel.vec import add3, dot3, load3, load9, mat_t_vec, mat_vec, sub3
from corten.model.enums import GeomType
from corten.physics.objects import point_velocity
from corten.physics.sensor import put_zero

FULL_DEPTH = 0.05


@stage
def tactile_sensor(m, d, i):
    """The image of one sensor in all worlds."""
    put_zero(m, i, d.sensor_fresh, m.sensor_adr[i])
    for l in lanes(d):
        feel(lane(m, l), lane(d, l), i)


@kernel
def feel(m, d, i):
    """Every geom that touches, once, in the order of contacts; where two overlap the later one is felt."""
    b = m.body_weldid[m.geom_bodyid[m.sensor_refid[i]]]
    for s in range(d.nslot):
        for side in range(2):
            g = toucher(m, d, s, side, b)
            known = g < 0
            for earlier in range(s):
                if toucher(m, d, earlier, 0, b) == g or toucher(m, d, earlier, 1, b) == g:
                    known = True
            if not known:
                press(m, d, i, g, b)


@kernel
def toucher(m, d, s, side, b):
    """The other geom of contact s if the one on this side belongs to a body welded to b, else -1."""
    g = d.contact_geom[s, side]
    if g < 0:
        return -1
    return d.contact_geom[s, 1 - side] if m.body_weldid[m.geom_bodyid[g]] == b else -1


@kernel
def press(m, d, i, g, b):
    """What geom g adds to the image of sensor i, whose vertices move with body b."""
    mesh, own, adr = m.sensor_objid[i], m.sensor_refid[i], m.sensor_adr[i]
    n = m.mesh_vertnum[mesh]
    own_pos, own_mat, quat = load3(d.geom_xpos, own), load9(d.geom_xmat, own), load4(m.mesh_quat, mesh)
    pos, mat = load3(d.geom_xpos, g), load9(d.geom_xmat, g)
    _, other = point_velocity(m, d, m.geom_bodyid[g], pos)
    for j in range(n):
        point = add3(mat_vec(own_mat, load3(m.mesh_vert, m.mesh_vertadr[mesh] + j)), own_pos)
        depth = minimum(0.0, signed_distance(m, g, mat_t_vec(mat, sub3(point, pos))))
        if depth < 0.0:
            first = m.mesh_normaladr[mesh] + 3 * j
            normal = direction(m, quat, first)
            _, velocity = point_velocity(m, d, b, point)
            sliding = sub3(velocity, other)
            d.sensor_fresh[adr + j] = depth / (FULL_DEPTH - depth) * dot3(normal, normal)
            for k in range(1, 3):
                d.sensor_fresh[adr + k * n + j] = absolute(dot3(sliding, direction(m, quat, first + k)))


@kernel
def direction(m, quat, row):
    """A row of the normals of all meshes, turned; zero beyond the last."""
    return quat_rotate(quat, load3(m.mesh_normal, row)) if row < m.nmeshnormal else (0.0, 0.0, 0.0)


@kernel
def signed_distance(m, g, x):
    """How far point x, in the axes of geom g, is from its surface; negative inside, 0 for shapes that have none.

    Exact for spheres, capsules, cylinders, planes, and outside of boxes. Inside, a box gives |n| min(a^2 / size) with a
    the distances from its sides and n = size / a; an ellipsoid gives |x / s| (|x / s| - 1) / |x / s^2|.
    """
    kind, s = m.geom_type[g], load3(m.geom_size, g)
    distance = 0.0 * x[2]
    if kind == GeomType.PLANE:
        distance = x[2]
    elif kind == GeomType.SPHERE:
        distance = sqrt(dot3(x, x)) - s[0]
    elif kind == GeomType.CAPSULE:
        a = (x[0], x[1], x[2] - clip(x[2], -s[1], s[1]))
        distance = sqrt(dot3(a, a)) - s[0]
    elif kind == GeomType.CYLINDER:
        out, up = sqrt(x[0] * x[0] + x[1] * x[1]) - s[0], absolute(x[2]) - s[1]
        away, above = maximum(out, 0.0), maximum(up, 0.0)
        distance = minimum(maximum(out, up), 0.0) + sqrt(away * away + above * above)
    elif kind == GeomType.ELLIPSOID:
        a = (x[0] / s[0], x[1] / s[1], x[2] / s[2])
        b = (a[0] / s[0], a[1] / s[1], a[2] / s[2])
        length = sqrt(dot3(a, a))
        distance = length * (length - 1.0) / sqrt(dot3(b, b))
    elif kind == GeomType.BOX:
        a = (absolute(x[0]) - s[0], absolute(x[1]) - s[1], absolute(x[2]) - s[2])
        if maximum(a[0], maximum(a[1], a[2])) < 0.0:
            n = (s[0] / a[0], s[1] / a[1], s[2] / a[2])
            least = minimum(a[0] * a[0] / s[0], minimum(a[1] * a[1] / s[1], a[2] * a[2] / s[2]))
            distance = -sqrt(dot3(n, n)) * least
    return distance
