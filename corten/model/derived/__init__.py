"""Tables of the model that our kernels want beyond MuJoCo's: computed from its fields, never stored in files.

Kernels must not search: what follows from the model alone (chains of dofs, patterns of sparse rows) is laid out here
once. Each module declares its `FIELDS` and a function `derive(sizes, values)` that gives the sizes and values of these;
a later module may use what an earlier one has derived.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corten.kernel.record import RecordType
from corten.model.derived import chains, couplings, hessian, moments, pairs, ray_tree, sensors, tendons
from corten.model.model_fields import MODEL_FIELDS

MODULES = (chains, tendons, moments, couplings, sensors, pairs, hessian, ray_tree)
DERIVED_FIELDS = tuple(f for module in MODULES for f in module.FIELDS)
MODEL = RecordType("Model", MODEL_FIELDS + DERIVED_FIELDS)


def derive(sizes: Mapping[str, int], values: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, Any]]:
    """(sizes, values) completed by all that is derived from them."""
    all_sizes, all_values = dict(sizes), dict(values)
    for module in MODULES:
        more_sizes, more_values = module.derive(all_sizes, all_values)
        all_sizes.update(more_sizes)
        all_values.update(more_values)
    return all_sizes, all_values
