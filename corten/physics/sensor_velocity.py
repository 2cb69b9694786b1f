"""Sensors that depend on velocities."""

from __future__ import annotations

from corten.kernel import kernel, stage
from corten.kernel.vec import add3, cross, load3, load9, mat_t_vec, sub3
from corten.model.enums import ObjType, SensorType
from corten.physics.objects import object_matrix, object_position, object_velocity
from corten.physics.sensor import limit_reading, publish, put3, put_zero
from corten.physics.sensor_limit import limit_sensor
from corten.physics.subtree import subtree_velocity


@stage
def velocity_sensors(m, d, late):
    """Sensors of the velocity stage, all or only those with a delay; momenta of subtrees if a sensor wants them."""
    if m.nsensormomentum > 0:
        subtree_velocity(m, d)
    for k in range(m.nsensorvel):
        i = m.sensor_vel[k]
        if not late or m.sensor_delay[i] > 0.0:
            velocity_sensor(m, d, i, d.sensor_fresh, m.sensor_adr[i])
            limit_reading(m, d, i)
            if not late:
                publish(m, d, i)


@kernel
def velocity_sensor(m, d, i, out, adr):
    """One reading, at out[adr], not yet limited."""
    kind, obj = m.sensor_type[i], m.sensor_objid[i]
    if kind == SensorType.JOINTVEL:
        out[adr] = d.qvel[m.jnt_dofadr[obj]]
    elif kind == SensorType.TENDONVEL:
        out[adr] = d.ten_velocity[obj]
    elif kind == SensorType.ACTUATORVEL:
        out[adr] = d.actuator_velocity[obj]
    elif kind == SensorType.BALLANGVEL:
        j = m.jnt_dofadr[obj]
        put3(out, adr, (d.qvel[j], d.qvel[j + 1], d.qvel[j + 2]))
    elif kind == SensorType.VELOCIMETER or kind == SensorType.GYRO:
        w, v = object_velocity(m, d, ObjType.SITE, obj)
        if kind == SensorType.GYRO:
            v = w
        put3(out, adr, mat_t_vec(load9(d.site_xmat, obj), v))
    elif kind == SensorType.SUBTREELINVEL:
        put3(out, adr, load3(d.subtree_linvel, obj))
    elif kind == SensorType.SUBTREEANGMOM:
        put3(out, adr, load3(d.subtree_angmom, obj))
    elif kind == SensorType.FRAMELINVEL or kind == SensorType.FRAMEANGVEL:
        frame_velocity(m, d, i, out, adr)
    elif kind == SensorType.JOINTLIMITVEL or kind == SensorType.TENDONLIMITVEL:
        out[adr] = limit_sensor(d, kind, obj)
    else:
        put_zero(m, i, out, adr)


@kernel
def frame_velocity(m, d, i, out, adr):
    """Velocity of an object, in the world or in a reference frame that moves itself: v - v_ref - w_ref x arm."""
    what, obj, of, ref = m.sensor_objtype[i], m.sensor_objid[i], m.sensor_reftype[i], m.sensor_refid[i]
    w, v = object_velocity(m, d, what, obj)
    if ref >= 0:
        w_ref, v_ref = object_velocity(m, d, of, ref)
        arm = sub3(object_position(d, what, obj), object_position(d, of, ref))
        axes = object_matrix(d, of, ref)
        v = mat_t_vec(axes, add3(sub3(v, v_ref), cross(arm, w_ref)))
        w = mat_t_vec(axes, sub3(w, w_ref))
    if m.sensor_type[i] == SensorType.FRAMEANGVEL:
        v = w
    put3(out, adr, v)
