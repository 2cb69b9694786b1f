"""The compile stage: every field of the model that both engines have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import scope
from .compare import Difference, compare
from .engines import Engine, read
from .hulls import canonical_graphs
from .stages import COMPILE_FLOOR, COMPILE_TOLERANCE, HULL_FIELDS, HULL_TOLERANCE, LENS_TOLERANCE

# Fields that may be stored in any order, and what brings them into one.
ORDER_FREE: dict[str, Callable[[Any], np.ndarray]] = {"mesh_graph": canonical_graphs}


def model_fields(reference: Engine, ours: Engine) -> list[str]:
    """Every field of the model that both engines have and that nothing excludes."""
    theirs = set(reference.model_fields())
    return [f for f in ours.model_fields() if f in theirs and scope.model_reason(f) is None]


def compare_compiled(reference: Engine, ours: Engine, models: tuple[Any, Any]) -> list[Difference]:
    """Differences of the compiled models, relative to each field's own magnitude."""
    found = []
    for name in model_fields(reference, ours):
        theirs, mine = (ORDER_FREE[name](m) if name in ORDER_FREE else read(m, name) for m in models)
        if theirs is None or mine is None:
            continue
        tolerance = COMPILE_TOLERANCE
        if name in HULL_FIELDS and models[0].nmesh > 0:
            tolerance = HULL_TOLERANCE
        elif name == "cam_fovy" and np.any(read(models[0], "cam_sensorsize")):
            tolerance = LENS_TOLERANCE
        found.append(compare("compile", name, "model", np.asarray(theirs), mine, tolerance, floor=COMPILE_FLOOR))
    return found
