"""Constants at the reference pose; those that need dynamics are set by the physics kernels afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np

from corten.mjcf.spec import Spec


def set_constants(spec: Spec, sizes: dict[str, int], values: dict[str, Any]) -> None:
    """Fill in what follows from the model alone."""
    _scale_mass(spec, values)
    values["body_subtreemass"] = _subtree_masses(values)


def _scale_mass(spec: Spec, values: dict[str, Any]) -> None:
    """Scale masses and inertias so that the total is what the file asks for."""
    wanted = spec.settings.settotalmass
    total = float(np.sum(values["body_mass"]))
    if wanted > 0 and total > 0:
        scale = max(1e-15, wanted / max(1e-15, total))
        values["body_mass"] = values["body_mass"] * scale
        values["body_inertia"] = values["body_inertia"] * scale


def _subtree_masses(values: dict[str, Any]) -> np.ndarray:
    masses = np.array(values["body_mass"], float)
    parents = values["body_parentid"]
    for body in range(len(parents) - 1, 0, -1):
        masses[parents[body]] += masses[body]
    return masses
