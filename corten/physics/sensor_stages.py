"""When sensors are read: at three stages of the step, and at its end into the buffers of those that have one.

A sensor with a delay is read into its buffer at the end of each step and reported from there. A sensor with an interval
is read when its next sampling time has come; until then the last sample stands. Worlds differ in time, so buffers are
seen through the lane view.
"""

from __future__ import annotations

from corten.kernel import kernel, lane, lanes, stage, value
from corten.model.enums import DisableBit, Stage
from corten.physics.history import history_insert, history_value
from corten.physics.sensor_acceleration import acceleration_sensors
from corten.physics.sensor_position import position_sensors
from corten.physics.sensor_velocity import velocity_sensors


@kernel
def sense_positions(m, d):
    """Sensors that depend on positions."""
    if m.nsensorpos > 0 and not m.opt.disableflags & DisableBit.SENSOR:
        position_sensors(m, d, 0)
        if m.nsensorbuffered > 0:
            report_sensors(m, d, Stage.POS)


@kernel
def sense_velocities(m, d):
    """Sensors that depend on velocities."""
    if m.nsensorvel > 0 and not m.opt.disableflags & DisableBit.SENSOR:
        velocity_sensors(m, d, 0)
        if m.nsensorbuffered > 0:
            report_sensors(m, d, Stage.VEL)


@kernel
def sense_accelerations(m, d):
    """Sensors that depend on accelerations and forces."""
    if m.nsensoracc > 0 and not m.opt.disableflags & DisableBit.SENSOR:
        acceleration_sensors(m, d, 0)
        if m.nsensorbuffered > 0:
            report_sensors(m, d, Stage.ACC)


@stage
def report_sensors(m, d, at):
    """Replace the fresh readings of buffered sensors of stage `at` by what they report."""
    for k in range(m.nsensorbuffered):
        i = m.sensor_buffered[k]
        if m.sensor_needstage[i] == at and (m.sensor_delay[i] > 0.0 or m.sensor_interval[i, 0] > 0.0):
            for l in lanes(d):
                report(lane(m, l), lane(d, l), i)


@kernel
def report(m, d, i):
    """What sensor i reports in one world; a fresh reading is in its place already."""
    if m.sensor_delay[i] > 0.0 or not due(m, d, i):
        adr, buffer, dim, n = m.sensor_adr[i], m.sensor_historyadr[i], m.sensor_dim[i], m.sensor_history[i, 0]
        t = d.time - m.sensor_delay[i]
        for c in range(dim):
            d.sensordata[adr + c] = history_value(d, buffer, n, dim, c, t, m.sensor_history[i, 1])


@kernel
def due(m, d, i):
    """Whether the sampling time of sensor i has come, in one world."""
    period = m.sensor_interval[i, 0]
    return period <= 0.0 or value(d.history[m.sensor_historyadr[i]]) + period <= value(d.time)


@stage
def record_sensors(m, d):
    """Put readings into the buffers, at the end of a step: fresh ones of delayed sensors, else what was reported.

    With Runge-Kutta, positions and velocities of bodies are then those of the last trial state, as in MuJoCo; energies
    and momenta follow them, and so do accelerations of bodies if no sensor wanted them at the start of the step.
    """
    if m.nsensorlate > 0:
        position_sensors(m, d, 1)
        velocity_sensors(m, d, 1)
        acceleration_sensors(m, d, 1)
    for k in range(m.nsensorbuffered):
        for l in lanes(d):
            record(lane(m, l), lane(d, l), m.sensor_buffered[k])


@kernel
def record(m, d, i):
    """Put a reading of sensor i into its buffer, in one world, if it is due."""
    if due(m, d, i):
        adr, buffer, dim = m.sensor_adr[i], m.sensor_historyadr[i], m.sensor_dim[i]
        if m.sensor_interval[i, 0] > 0.0:
            d.history[buffer] = d.history[buffer] + m.sensor_interval[i, 0]
        sample = history_insert(d, buffer, m.sensor_history[i, 0], dim, d.time)
        for c in range(dim):
            if m.sensor_delay[i] > 0.0:
                d.history[sample + c] = d.sensor_fresh[adr + c]
            else:
                d.history[sample + c] = d.sensordata[adr + c]
