"""Delay buffers: reading them at any time, and giving a world a past."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from corten.engine import SimulationError
from corten.kernel import kernel, lane
from corten.model.checks import reals
from corten.model.data import Data
from corten.model.model import Model
from corten.physics.history import history_value
from corten.utilities.arguments import checked_number

ORDERS = (-1, 0, 1, 2)


@kernel
def _read(d, adr, n, dim, time, order, result):
    w = lane(d, 0)
    for c in range(dim):
        result[c] = history_value(w, adr, n, dim, c, time, order)


def read_ctrl(m: Model, d: Data, actuator: str | int, time: float, interp: int = -1) -> float:
    """The control that acts on an actuator at a time: the one given its delay earlier.

    `interp` is 0 to hold samples, 1 for lines and 2 for cubics between them, -1 for what the model says. Without a
    buffer it is the present control.
    """
    i = checked_number(m, d, "actuator", actuator)
    n, order = int(m.actuator_history[i, 0]), _order(interp, int(m.actuator_history[i, 1]))
    if n == 0:
        return float(d.ctrl[i])
    past = float(time - m.actuator_delay[i])
    return float(_values(d, int(m.actuator_historyadr[i]), n, 1, past, order)[0])


def read_sensor(m: Model, d: Data, sensor: str | int, time: float, interp: int = -1) -> np.ndarray:
    """What a sensor shows at a time: what it measured its delay earlier. Without a buffer, its present values."""
    i = checked_number(m, d, "sensor", sensor)
    n, order = int(m.sensor_history[i, 0]), _order(interp, int(m.sensor_history[i, 1]))
    dim = int(m.sensor_dim[i])
    if n == 0:
        return d.sensordata[m.sensor_adr[i] : m.sensor_adr[i] + dim].copy()
    past = float(time - m.sensor_delay[i])
    return _values(d, int(m.sensor_historyadr[i]), n, dim, past, order)


def init_ctrl_history(m: Model, d: Data, actuator: str | int, times: ArrayLike | None, values: ArrayLike) -> None:
    """Give an actuator past controls, oldest first, one for each sample; without times, at those it has samples of."""
    i = checked_number(m, d, "actuator", actuator)
    _fill(d, int(m.actuator_historyadr[i]), int(m.actuator_history[i, 0]), 1, times, values, 0.0)


def init_sensor_history(
    m: Model, d: Data, sensor: str | int, times: ArrayLike | None, values: ArrayLike, phase: float
) -> None:
    """Give a sensor past values, oldest first, and the time `phase` at which it was last sampled."""
    i = checked_number(m, d, "sensor", sensor)
    _fill(d, int(m.sensor_historyadr[i]), int(m.sensor_history[i, 0]), int(m.sensor_dim[i]), times, values, phase)


def _order(asked: int, model: int) -> int:
    """The order of interpolation: the one asked for, or the model's."""
    if asked not in ORDERS:
        raise SimulationError(f"interp is {asked}, not one of {ORDERS}")
    return model if asked < 0 else asked


def _values(d: Data, adr: int, n: int, dim: int, time: float, order: int) -> np.ndarray:
    """The numbers of a buffer at a time."""
    result = np.zeros(dim)
    _read(d, adr, n, dim, time, order, result)
    return result


def _fill(
    d: Data, adr: int, n: int, dim: int, times: ArrayLike | None, values: ArrayLike, owner: float
) -> None:
    """Write a buffer of n samples anew, in the order of time."""
    if n == 0:
        raise SimulationError("it has no delay buffer (nsample is 0)")
    stamps = d.history[adr + 2 : adr + 2 + n]
    when = np.sort(stamps) if times is None else np.array(reals(times, "times")).ravel()
    if len(when) != n or (np.diff(when) <= 0).any():
        raise SimulationError(f"{n} times are needed, each later than the one before")
    what = reals(values, "values")
    if what.size != n * dim:
        raise SimulationError(f"{what.size} values where {n} samples of {dim} are needed")
    stamps[:] = when
    d.history[adr + 2 + n : adr + 2 + n + n * dim] = what.ravel()
    d.history[adr], d.history[adr + 1] = owner, n - 1
