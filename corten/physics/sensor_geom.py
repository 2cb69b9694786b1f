"""Sensors that look at geoms: range finders, and the distance of two geoms or bodies.

They branch on what is met, so worlds are gone through one by one.
"""

from __future__ import annotations

from corten.kernel import kernel, lane, lanes, sqrt, stage
from corten.kernel.vec import add3, axpy3, dot3, load3, load9, mat_vec, normalize3, sub3
from corten.model.enums import CameraProjection, ObjType, RayData, SensorType
from corten.physics.collision.plane import column
from corten.physics.distance import geom_distance
from corten.physics.ray import ALL_GROUPS, ray_world
from corten.physics.sensor import put3

ZERO = (0.0, 0.0, 0.0)


@stage
def range_sensor(m, d, i):
    """A range finder on a site looks along the site's z axis; one on a camera through every pixel, row by row."""
    for l in lanes(d):
        if m.sensor_objtype[i] == ObjType.SITE:
            range_of_site(lane(m, l), lane(d, l), i, m.sensor_objid[i])
        else:
            range_of_camera(lane(m, l), lane(d, l), i, m.sensor_objid[i])


@kernel
def range_of_site(m, d, i, s):
    """One ray; geoms of the site's body are left out. Depth is distance."""
    way = column(d.site_xmat, s, 2)
    look(m, d, i, m.sensor_adr[i], load3(d.site_xpos, s), way, m.site_bodyid[s], way)


@kernel
def range_of_camera(m, d, i, c):
    """A ray through the middle of each pixel; geoms of the camera's body are left out. Depth is along its axis.

    In the camera's frame, x to the right, y up and looking along -z, a perspective ray is (x / fx, -y / fy, -1) with x
    and y in pixels from the principal point; orthographic rays are parallel and begin on the image plane.
    """
    mat, place = load9(d.cam_xmat, c), load3(d.cam_xpos, c)
    width, height = m.cam_resolution[c, 0], m.cam_resolution[c, 1]
    sight = mat_vec(mat, (0.0, 0.0, -1.0))
    adr = m.sensor_adr[i]
    for row in range(height):
        for col in range(width):
            x, y = col + 0.5 - m.cam_centre[c, 0], row + 0.5 - m.cam_centre[c, 1]
            if m.cam_projection[c] == CameraProjection.PERSPECTIVE:
                way, _ = normalize3(mat_vec(mat, (x / m.cam_focal[c, 0], -y / m.cam_focal[c, 1], -1.0)))
                adr = look(m, d, i, adr, place, way, m.cam_bodyid[c], sight)
            else:
                half = 0.5 * m.cam_fovy[c]
                offset = (x / (0.5 * width) * half, -(y / (0.5 * height)) * half, 0.0)
                adr = look(m, d, i, adr, add3(place, mat_vec(mat, offset)), sight, m.cam_bodyid[c], sight)


@kernel
def look(m, d, i, adr, origin, way, body, sight):
    """Cast one ray and write what sensor i is to tell of it; where the next ray's numbers go."""
    what = m.sensor_intprm[i, 0]
    dist, geom, normal = ray_world(m, d, origin, way, ALL_GROUPS, 1, body)
    point, depth = ZERO, -1.0
    if geom < 0:
        way, normal = ZERO, ZERO
    else:
        point = axpy3(dist, way, origin)
        depth = dist * dot3(way, sight)
    if what & (1 << RayData.DIST):
        d.sensor_fresh[adr] = dist
        adr = adr + 1
    if what & (1 << RayData.DIR):
        put3(d.sensor_fresh, adr, way)
        adr = adr + 3
    if what & (1 << RayData.ORIGIN):
        put3(d.sensor_fresh, adr, origin)
        adr = adr + 3
    if what & (1 << RayData.POINT):
        put3(d.sensor_fresh, adr, point)
        adr = adr + 3
    if what & (1 << RayData.NORMAL):
        put3(d.sensor_fresh, adr, normal)
        adr = adr + 3
    if what & (1 << RayData.DEPTH):
        d.sensor_fresh[adr] = depth
        adr = adr + 1
    return adr


@stage
def distance_sensor(m, d, i):
    """The distance of two geoms or bodies, the direction from one to the other, or both nearest points.

    Beyond the sensor's cutoff the distance is the cutoff, and the rest are zeros. The distance of bodies is that of
    their nearest geoms.
    """
    for l in lanes(d):
        one = lane(d, l)
        dist, start, end = nearest_geoms(lane(m, l), one, i)
        kind, adr = m.sensor_type[i], m.sensor_adr[i]
        if kind == SensorType.GEOMDIST:
            one.sensor_fresh[adr] = dist
        elif kind == SensorType.GEOMNORMAL:
            apart = sub3(end, start)
            length = sqrt(dot3(apart, apart))
            inverse = 1.0 / length if length > 0.0 else 0.0
            put3(one.sensor_fresh, adr, (inverse * apart[0], inverse * apart[1], inverse * apart[2]))
        else:
            put3(one.sensor_fresh, adr, start)
            put3(one.sensor_fresh, adr + 3, end)


@kernel
def nearest_geoms(m, d, i):
    """(distance, nearest points) of what sensor i is between; (cutoff, 0, 0) if it is not below that."""
    cutoff = m.sensor_cutoff[i]
    first, count = geoms_of(m, m.sensor_objtype[i], m.sensor_objid[i])
    other, others = geoms_of(m, m.sensor_reftype[i], m.sensor_refid[i])
    best, start, end = cutoff, ZERO, ZERO
    for a in range(first, first + count):
        for b in range(other, other + others):
            dist, on_a, on_b = geom_distance(m, d, a, b, cutoff)
            if dist < best:
                best, start, end = dist, on_a, on_b
    return best, start, end


@kernel
def geoms_of(m, kind, number):
    """(first geom, number of geoms) of a geom or a body."""
    if kind == ObjType.BODY:
        return m.body_geomadr[number], m.body_geomnum[number]
    return number, 1
