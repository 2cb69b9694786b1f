"""Sensors of limits of joints and tendons: how far beyond, how fast, how strongly held."""

from __future__ import annotations

from corten.kernel import kernel, where
from corten.model.enums import ConstraintType, SensorType

POSITION, VELOCITY, FORCE = 0, 1, 2


@kernel
def limit_sensor(d, kind, obj):
    """The reading of a sensor that belongs to a limit; 0 where that is not active."""
    if kind <= SensorType.JOINTLIMITFRC:
        return row_of_limit(d, ConstraintType.LIMIT_JOINT, obj, kind - SensorType.JOINTLIMITPOS)
    return row_of_limit(d, ConstraintType.LIMIT_TENDON, obj, kind - SensorType.TENDONLIMITPOS)


@kernel
def row_of_limit(d, kind, obj, what):
    """A number of the first row of a limit that a world has; the lower end of a range comes before the upper one."""
    reading = 0.0
    first = d.ne + d.nf
    for r in range(first + d.nl - 1, first - 1, -1):
        if d.efc_type[r] == kind and d.efc_id[r] == obj:
            number = d.efc_force[r]
            if what == POSITION:
                number = d.efc_pos[r] - d.efc_margin[r]
            elif what == VELOCITY:
                number = d.efc_vel[r]
            reading = where(d.efc_D[r] > 0.0, number, reading)
    return reading
