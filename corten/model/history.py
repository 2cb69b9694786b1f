"""The delay buffers of a world that has no past yet; `corten.physics.history` describes their layout."""

from __future__ import annotations

from typing import Any

import numpy as np


def initial_history(m: Any) -> np.ndarray:
    """All buffers, filled with zeros taken before time 0: a time step apart, or a sensor's sampling interval."""
    history = np.zeros(m.nhistory)
    h = float(m.opt.timestep)
    for i in np.flatnonzero(m.actuator_history[:, 0] > 0):
        n = int(m.actuator_history[i, 0])
        _fill(history, int(m.actuator_historyadr[i]), 0.0, h * np.arange(-n, 0))
    for i in np.flatnonzero(m.sensor_history[:, 0] > 0):
        n = int(m.sensor_history[i, 0])
        interval, phase = m.sensor_interval[i]
        if interval > 0:
            last = phase if phase != 0 else -interval
            times = np.ceil((last - interval * np.arange(n - 1, -1, -1)) / h) * h
        else:
            last, times = -h, h * np.arange(-n, 0)
        _fill(history, int(m.sensor_historyadr[i]), last, times)
    return history


def _fill(history: np.ndarray, adr: int, last: float, times: np.ndarray) -> None:
    n = len(times)
    history[adr : adr + 2 + n] = (last, n - 1, *times)
