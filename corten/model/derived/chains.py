"""Chains of dofs: which dofs move a body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from corten.kernel.record import Field

FIELDS = (Field("body_lastdof", ("nbody",), "int", "last dof that moves the body, or -1", ours=True),)


def derive(sizes: Mapping[str, int], values: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, np.ndarray]]:
    """The last dof on the way from the world to each body."""
    last = np.full(sizes["nbody"], -1, np.int32)
    for b in range(1, sizes["nbody"]):
        count = values["body_dofnum"][b]
        last[b] = values["body_dofadr"][b] + count - 1 if count else last[values["body_parentid"][b]]
    return {}, {"body_lastdof": last}
