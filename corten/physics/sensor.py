"""What sensors of all stages share: how a reading is stored and limited.

Each sensor is a few numbers in `sensordata`. The kernels write to a given array, because a sensor with a delay is also
read into its buffer. Noise is not added: `sensor_noise` is a number for the user, as in MuJoCo.
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
    """A reading of zeros: of user sensors, which nobody computes, and of limits that are not active."""
    for k in range(adr, adr + m.sensor_dim[i]):
        out[k] = 0.0


@kernel
def limit_reading(m, i, out, adr):
    """Clamp a reading to its cutoff: real numbers on both sides, positive ones from above, directions not at all."""
    cutoff, kind, meaning = m.sensor_cutoff[i], m.sensor_type[i], m.sensor_datatype[i]
    if cutoff > 0.0 and kind != SensorType.CONTACT and kind != SensorType.GEOMFROMTO:
        for k in range(adr, adr + m.sensor_dim[i]):
            if meaning == DataType.REAL:
                out[k] = clip(out[k], -cutoff, cutoff)
            elif meaning == DataType.POSITIVE:
                out[k] = minimum(cutoff, out[k])
