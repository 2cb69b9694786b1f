"""Sensors that depend on positions."""

from __future__ import annotations

from corten.kernel import absolute, clip, copysign, kernel, maximum, stage, where
from corten.kernel.quat import load_quat, quat_conj, quat_mul, quat_normalize
from corten.kernel.vec import TINY, dot3, load3, load9, mat_t_vec, sub3
from corten.model.enums import EnableBit, GeomType, SensorType
from corten.physics.energy import kinetic_energy, potential_energy
from corten.physics.objects import object_matrix, object_position, object_quat
from corten.physics.sensor import limit_reading, publish, put3, put4, put_zero
from corten.physics.sensor_geom import distance_sensor, range_sensor
from corten.physics.sensor_limit import limit_sensor


@stage
def position_sensors(m, d, late):
    """Sensors of the position stage: all of them, or `late` only those with a delay, for their buffers.

    Energies that the options ask for are there already when those with a delay are read.
    """
    there = late and m.opt.enableflags & EnableBit.ENERGY
    if not there and (m.nsensorpotentiallate if late else m.nsensorpotential) > 0:
        potential_energy(m, d)
    if not there and (m.nsensorkineticlate if late else m.nsensorkinetic) > 0:
        kinetic_energy(m, d)
    for k in range(m.nsensorpos):
        i = m.sensor_pos[k]
        if not late or m.sensor_delay[i] > 0.0:
            position_sensor(m, d, i, d.sensor_fresh, m.sensor_adr[i])
            limit_reading(m, d, i)
            if not late:
                publish(m, d, i)


@kernel
def position_sensor(m, d, i, out, adr):
    """One reading, at out[adr], not yet limited."""
    kind, obj, ref = m.sensor_type[i], m.sensor_objid[i], m.sensor_refid[i]
    if kind == SensorType.JOINTPOS:
        out[adr] = d.qpos[m.jnt_qposadr[obj]]
    elif kind == SensorType.TENDONPOS:
        out[adr] = d.ten_length[obj]
    elif kind == SensorType.ACTUATORPOS:
        out[adr] = d.actuator_length[obj]
    elif kind == SensorType.BALLQUAT:
        put4(out, adr, quat_normalize(load_quat(d.qpos, m.jnt_qposadr[obj])))
    elif kind == SensorType.MAGNETOMETER:
        flux = (m.opt.magnetic[0], m.opt.magnetic[1], m.opt.magnetic[2])
        put3(out, adr, mat_t_vec(load9(d.site_xmat, obj), flux))
    elif kind == SensorType.CAMPROJECTION:
        u, v = project(m, d, ref, load3(d.site_xpos, obj))
        out[adr] = u
        out[adr + 1] = v
    elif kind == SensorType.SUBTREECOM:
        put3(out, adr, load3(d.subtree_com, obj))
    elif kind == SensorType.INSIDESITE:
        out[adr] = inside_site(m, d, ref, object_position(d, m.sensor_objtype[i], obj))
    elif kind == SensorType.E_POTENTIAL:
        out[adr] = d.energy[0]
    elif kind == SensorType.E_KINETIC:
        out[adr] = d.energy[1]
    elif kind == SensorType.CLOCK:
        out[adr] = d.time
    elif kind == SensorType.FRAMEQUAT:
        frame_orientation(m, d, i, out, adr)
    elif kind == SensorType.FRAMEPOS or SensorType.FRAMEXAXIS <= kind <= SensorType.FRAMEZAXIS:
        frame_vector(m, d, i, out, adr)
    elif kind == SensorType.JOINTLIMITPOS or kind == SensorType.TENDONLIMITPOS:
        out[adr] = limit_sensor(d, kind, obj)
    elif kind == SensorType.RANGEFINDER:
        range_sensor(m, d, i)
    elif kind == SensorType.GEOMDIST or kind == SensorType.GEOMNORMAL or kind == SensorType.GEOMFROMTO:
        distance_sensor(m, d, i)
    else:
        put_zero(m, i, out, adr)


@kernel
def frame_vector(m, d, i, out, adr):
    """Position of an object or one of its axes, in the world or as seen from the reference frame."""
    kind, what, obj = m.sensor_type[i], m.sensor_objtype[i], m.sensor_objid[i]
    of, ref = m.sensor_reftype[i], m.sensor_refid[i]
    if kind == SensorType.FRAMEPOS:
        v = object_position(d, what, obj)
        if ref >= 0:
            v = sub3(v, object_position(d, of, ref))
    else:
        r = object_matrix(d, what, obj)
        if kind == SensorType.FRAMEXAXIS:
            v = (r[0], r[3], r[6])
        elif kind == SensorType.FRAMEYAXIS:
            v = (r[1], r[4], r[7])
        else:
            v = (r[2], r[5], r[8])
    if ref >= 0:
        v = mat_t_vec(object_matrix(d, of, ref), v)
    put3(out, adr, v)


@kernel
def frame_orientation(m, d, i, out, adr):
    """Orientation of an object, in the world or relative to the reference frame."""
    quat = object_quat(m, d, m.sensor_objtype[i], m.sensor_objid[i])
    if m.sensor_refid[i] >= 0:
        quat = quat_mul(quat_conj(object_quat(m, d, m.sensor_reftype[i], m.sensor_refid[i])), quat)
    put4(out, adr, quat)


@kernel
def project(m, d, c, point):
    """The pixel at which camera c sees a point; (0, 0) is the image's upper left corner.

    In the camera's frame, x to the right, y up and looking along -z: u = w/2 - fx x/z, v = h/2 + fy y/z.
    """
    x, y, z = mat_t_vec(load9(d.cam_xmat, c), sub3(point, load3(d.cam_xpos, c)))
    per_depth = 1.0 / where(absolute(z) < TINY, copysign(TINY, z), z)
    half_width, half_height = 0.5 * m.cam_resolution[c, 0], 0.5 * m.cam_resolution[c, 1]
    u = (half_width * z - m.cam_focal[c, 0] * x) * per_depth
    v = (half_height * z + m.cam_focal[c, 1] * y) * per_depth
    return u, v


@kernel
def inside_site(m, d, s, point):
    """1 where a point is inside the shape of site s, 0 elsewhere."""
    kind, size = m.site_type[s], load3(m.site_size, s)
    v = mat_t_vec(load9(d.site_xmat, s), sub3(point, load3(d.site_xpos, s)))
    outside = 1.0 - 0.0 * v[0]
    if kind == GeomType.SPHERE:
        outside = dot3(v, v) - size[0] * size[0]
    elif kind == GeomType.CAPSULE:
        to_segment = (v[0], v[1], v[2] - clip(v[2], -size[1], size[1]))
        outside = dot3(to_segment, to_segment) - size[0] * size[0]
    elif kind == GeomType.ELLIPSOID:
        scaled = (v[0] / size[0], v[1] / size[1], v[2] / size[2])
        outside = dot3(scaled, scaled) - 1.0
    elif kind == GeomType.CYLINDER:
        outside = maximum(absolute(v[2]) - size[1], v[0] * v[0] + v[1] * v[1] - size[0] * size[0])
    elif kind == GeomType.BOX:
        outside = maximum(absolute(v[0]) - size[0], maximum(absolute(v[1]) - size[1], absolute(v[2]) - size[2]))
    return where(outside < 0.0, 1.0, 0.0)
