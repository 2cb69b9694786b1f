"""The distance of two geoms."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from corten.engine import SimulationError, check
from corten.kernel import kernel, lane
from corten.kernel.vec import store3
from corten.model.data import Data
from corten.model.model import Model
from corten.physics.distance import geom_distance as distance_of
from corten.utilities.arguments import number


class Distance(NamedTuple):
    """The signed distance, negative in penetration, and the nearest points of both geoms; zeros beyond the cutoff."""

    distance: float
    start: np.ndarray
    end: np.ndarray


def geom_distance(m: Model, d: Data, geom1: int | str, geom2: int | str, cutoff: float = 1e10) -> Distance:
    """The distance of two geoms at the poses that `d` holds, or the cutoff if it is larger."""
    check(m, d)
    if not math.isfinite(cutoff):
        raise SimulationError(f"the cutoff {cutoff} is not a finite number")
    a, b = number(m, "geom", geom1), number(m, "geom", geom2)
    result, points = np.empty(1), np.empty((2, 3))
    _distance(m, d, a, b, float(cutoff), result, points)
    return Distance(float(result[0]), points[0], points[1])


@kernel
def _distance(m, d, a, b, cutoff, result, points):
    dist, start, end = distance_of(m, lane(d, 0), a, b, cutoff)
    result[0] = dist
    store3(points, 0, start)
    store3(points, 1, end)
