"""Forces of constraints on the dofs, by kind: limits, dry friction, contacts, equality constraints."""

from __future__ import annotations

import numpy as np

from corten.engine import SimulationError, check
from corten.model.data import Data
from corten.model.enums import ConstraintType
from corten.model.model import Model

KINDS = {
    "equality": (ConstraintType.EQUALITY,),
    "frictionloss": (ConstraintType.FRICTION_DOF, ConstraintType.FRICTION_TENDON),
    "limit": (ConstraintType.LIMIT_JOINT, ConstraintType.LIMIT_TENDON),
    "contact": (
        ConstraintType.CONTACT_FRICTIONLESS,
        ConstraintType.CONTACT_PYRAMIDAL,
        ConstraintType.CONTACT_ELLIPTIC,
    ),
}


def constraint_force(m: Model, d: Data, kind: str) -> np.ndarray:
    """What constraints of one kind contribute to `qfrc_constraint`: J' efc_force over their rows.

    `kind` is "equality", "frictionloss", "limit" or "contact"; the four add up to `qfrc_constraint`.
    """
    check(m, d)
    if kind not in KINDS:
        raise SimulationError(f"no kind of constraint is called '{kind}' (there are: {', '.join(KINDS)})")
    force = np.zeros(m.nv)
    for r in np.flatnonzero(np.isin(d.efc_type[: d.nefc], KINDS[kind])):
        entries = slice(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r])
        np.add.at(force, d.efc_J_colind[entries], d.efc_J[entries] * d.efc_force[r])
    return force
