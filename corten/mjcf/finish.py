"""The last step of the compiler: what the file leaves to dynamics, found by the physics kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from corten.mjcf.spec import Spec
from corten.model.length_range import LengthRangeError, options_from, set_length_ranges
from corten.model.setconst import set_const, set_spring_dampers


def finish(m: Any, spec: Spec) -> None:
    """Set the constants of a model that has just been compiled, and what the file says of them."""
    set_const(m)
    joints = [joint for body in spec.world.subtree() for joint in body.joints]
    set_spring_dampers(m, np.array([joint.values["springdamper"] for joint in joints], float).reshape(-1, 2))
    try:
        set_length_ranges(m, options_from(spec.settings.lengthrange))
    except LengthRangeError as error:
        spec.links["actuator"][error.actuator].fail(str(error))
    for name, value in spec.statistic.items():
        m.array(f"stat.{name}")[...] = value
