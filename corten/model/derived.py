"""Tables of the model that our kernels want beyond MuJoCo's: computed from its fields, never stored in files.

Kernels must not search: what follows from the model alone (chains of dofs, patterns of sparse rows) is laid out here once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from corten.kernel.record import Field, RecordType
from corten.model.enums import JointType, TrnType
from corten.model.model_fields import MODEL_FIELDS

DERIVED_FIELDS = (
    Field("body_lastdof", ("nbody",), "int", "last dof that moves the body, or -1", ours=True),
    Field("moment_rownnz", ("nu",), "int", "actuator moments: entries of each row", ours=True),
    Field("moment_rowadr", ("nu",), "int", "actuator moments: start of each row", ours=True),
    Field("moment_colind", ("nJmom",), "int", "actuator moments: dof of each entry", ours=True),
)

MODEL = RecordType("Model", MODEL_FIELDS + DERIVED_FIELDS)


def derive(sizes: Mapping[str, int], values: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, np.ndarray]]:
    """(sizes, values) of what this module adds or decides."""
    rows = moment_pattern(sizes, values)
    nnz = np.array([len(r) for r in rows], np.int32)
    adr = np.concatenate([[0], np.cumsum(nnz)[:-1]]) if rows else np.zeros(0, np.int32)
    fields = {
        "body_lastdof": last_dofs(sizes, values),
        "moment_rownnz": nnz,
        "moment_rowadr": adr.astype(np.int32),
        "moment_colind": np.array([i for r in rows for i in r], np.int32),
    }
    return {"nJmom": int(nnz.sum())}, fields


def last_dofs(sizes: Mapping[str, int], values: Mapping[str, Any]) -> np.ndarray:
    """The last dof on the way from the world to each body."""
    last = np.full(sizes["nbody"], -1, np.int32)
    for b in range(1, sizes["nbody"]):
        count = values["body_dofnum"][b]
        last[b] = values["body_dofadr"][b] + count - 1 if count else last[values["body_parentid"][b]]
    return last


def moment_pattern(sizes: Mapping[str, int], values: Mapping[str, Any]) -> list[list[int]]:
    """The dofs that each actuator may move."""
    width = {JointType.FREE: 6, JointType.BALL: 3, JointType.SLIDE: 1, JointType.HINGE: 1}
    rows: list[list[int]] = []
    for i in range(sizes["nu"]):
        kind, target = values["actuator_trntype"][i], values["actuator_trnid"][i][0]
        if kind in (TrnType.JOINT, TrnType.JOINTINPARENT):
            first = int(values["jnt_dofadr"][target])
            rows.append(list(range(first, first + width[JointType(values["jnt_type"][target])])))
        else:
            rows.append([])
    return rows
