"""Sensors that depend on accelerations and forces."""

from __future__ import annotations

from corten.kernel import kernel, stage
from corten.kernel.spatial import load6
from corten.kernel.vec import cross, load3, load9, mat_t_vec, sub3
from corten.model.enums import ObjType, SensorType, TrnType
from corten.physics.objects import object_acceleration
from corten.physics.post import body_forces
from corten.physics.sensor import limit_reading, publish, put3, put_zero
from corten.physics.sensor_contact import contact_sensor, touch_sensor
from corten.physics.sensor_limit import limit_sensor
from corten.physics.sensor_tactile import tactile_sensor


@stage
def acceleration_sensors(m, d, late):
    """Sensors of the acceleration stage, all or only those with a delay.

    Forces between bodies are computed if a sensor wants them, and only once for those with and without a delay.
    """
    if (m.nsensorforce == 0 and m.nsensorforcelate > 0) if late else m.nsensorforce > 0:
        body_forces(m, d)
    for k in range(m.nsensoracc):
        i = m.sensor_acc[k]
        if not late or m.sensor_delay[i] > 0.0:
            acceleration_sensor(m, d, i, d.sensor_fresh, m.sensor_adr[i])
            limit_reading(m, d, i)
            if not late:
                publish(m, d, i)


@kernel
def acceleration_sensor(m, d, i, out, adr):
    """One reading, at out[adr], not yet limited."""
    kind, obj = m.sensor_type[i], m.sensor_objid[i]
    if kind == SensorType.ACTUATORFRC:
        out[adr] = d.actuator_force[obj]
    elif kind == SensorType.JOINTACTFRC:
        out[adr] = d.qfrc_actuator[m.jnt_dofadr[obj]]
    elif kind == SensorType.TENDONACTFRC:
        out[adr] = tendon_actuator_force(m, d, obj)
    elif kind == SensorType.ACCELEROMETER:
        _, a = object_acceleration(m, d, ObjType.SITE, obj)
        put3(out, adr, mat_t_vec(load9(d.site_xmat, obj), a))
    elif kind == SensorType.TOUCH:
        out[adr] = touch_sensor(m, d, obj)
    elif kind == SensorType.CONTACT:
        contact_sensor(m, d, i)
    elif kind == SensorType.TACTILE:
        tactile_sensor(m, d, i)
    elif kind == SensorType.FORCE or kind == SensorType.TORQUE:
        interaction(m, d, kind, obj, out, adr)
    elif kind == SensorType.FRAMELINACC or kind == SensorType.FRAMEANGACC:
        alpha, a = object_acceleration(m, d, m.sensor_objtype[i], obj)
        if kind == SensorType.FRAMEANGACC:
            a = alpha
        put3(out, adr, a)
    elif kind == SensorType.JOINTLIMITFRC or kind == SensorType.TENDONLIMITFRC:
        out[adr] = limit_sensor(d, kind, obj)
    else:
        put_zero(m, i, out, adr)


@kernel
def tendon_actuator_force(m, d, t):
    """The sum of the forces of all actuators that pull on tendon t."""
    total = 0.0
    for u in range(m.nu):
        if m.actuator_trntype[u] == TrnType.TENDON and m.actuator_trnid[u, 0] == t:
            total = total + d.actuator_force[u]
    return total


@kernel
def interaction(m, d, kind, s, out, adr):
    """Force or torque, about site s and in its axes, that a body's parent exerts on it."""
    b = m.site_bodyid[s]
    f = load6(d.cfrc_int, b)
    force = (f[3], f[4], f[5])
    v = force
    if kind == SensorType.TORQUE:
        arm = sub3(load3(d.site_xpos, s), load3(d.subtree_com, m.body_rootid[b]))
        v = sub3((f[0], f[1], f[2]), cross(arm, force))
    put3(out, adr, mat_t_vec(load9(d.site_xmat, s), v))
