"""What sensors of all stages share: how a reading is stored and limited.

Each sensor is a few numbers in `sensordata`. Fresh readings are made in `sensor_fresh`, from where they are published
at once or put into the buffer of a delayed sensor. Noise is not added: `sensor_noise` is a number for the user, as in
MuJoCo.
"""

from __future__ import annotations

from corten.kernel import clip, kernel, minimum
from corten.model.enums import DataType, SensorType


@kernel
def put3(out, adr, v):
    """Three numbers of a reading."""
    out[adr] = v[0]
    out[adr + 1] = v[1]
    out[adr + 2] = v[2]


@kernel
def put4(out, adr, q):
    """Four numbers of a reading."""
    out[adr] = q[0]
    out[adr + 1] = q[1]
    out[adr + 2] = q[2]
    out[adr + 3] = q[3]


@kernel
def put_zero(m, i, out, adr):
    """A reading of zeros: of user sensors, which nobody computes, and of contact sensors without contacts."""
    for k in range(adr, adr + m.sensor_dim[i]):
        out[k] = 0.0


@kernel
def limit_reading(m, d, i):
    """Clamp a fresh reading to its cutoff: real numbers on both sides, positive ones from above, directions not."""
    cutoff, kind, meaning = m.sensor_cutoff[i], m.sensor_type[i], m.sensor_datatype[i]
    if cutoff > 0.0 and kind != SensorType.CONTACT and kind != SensorType.GEOMFROMTO:
        for k in range(m.sensor_adr[i], m.sensor_adr[i] + m.sensor_dim[i]):
            if meaning == DataType.REAL:
                d.sensor_fresh[k] = clip(d.sensor_fresh[k], -cutoff, cutoff)
            elif meaning == DataType.POSITIVE:
                d.sensor_fresh[k] = minimum(cutoff, d.sensor_fresh[k])


@kernel
def publish(m, d, i):
    """A fresh reading becomes what sensor i reports."""
    for k in range(m.sensor_adr[i], m.sensor_adr[i] + m.sensor_dim[i]):
        d.sensordata[k] = d.sensor_fresh[k]
