"""The last pass of the compiler: what depends on all of the model, and what the file leaves to dynamics."""

from __future__ import annotations

from typing import Any

import numpy as np

from corten.mjcf.spec import Spec
from corten.model.length_range import LengthRangeError, options_from, set_length_ranges
from corten.model.setconst import set_const, set_spring_dampers

MIN_VALUE = 1e-15
WITHOUT_BODIES = {"meaninertia": 1.0, "meanmass": 1.0, "meansize": 0.2, "extent": 2.0}  # where there is no mean to take


def scale_masses(spec: Spec, values: dict[str, Any]) -> None:
    """Scale masses and inertias so that the total is what the file asks for."""
    wanted = spec.settings.settotalmass
    total = float(np.sum(values["body_mass"]))
    if wanted > 0 and total > 0:
        scale = max(MIN_VALUE, wanted / max(MIN_VALUE, total))
        values["body_mass"] = values["body_mass"] * scale
        values["body_inertia"] = values["body_inertia"] * scale


def finish(m: Any, spec: Spec) -> None:
    """Set the constants of a model that has just been compiled, and what the file says of them."""
    for name, value in WITHOUT_BODIES.items():
        m.array(f"stat.{name}")[...] = value
    set_const(m)
    joints = [joint for body in spec.world.subtree() for joint in body.joints]
    set_spring_dampers(m, np.array([joint.values["springdamper"] for joint in joints], float).reshape(-1, 2))
    try:
        set_length_ranges(m, options_from(spec.settings.lengthrange))
    except LengthRangeError as error:
        spec.links["actuator"][error.actuator].fail(str(error))
    for name, value in spec.statistic.items():
        m.array(f"stat.{name}")[...] = value
