"""The sparse pattern of actuator moments: which dofs each actuator may move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from corten.kernel.record import Field
from corten.model.enums import JointType, TrnType

FIELDS = (
    Field("moment_rownnz", ("nu",), "int", "actuator moments: entries of each row", ours=True),
    Field("moment_rowadr", ("nu",), "int", "actuator moments: start of each row", ours=True),
    Field("moment_colind", ("nJmom",), "int", "actuator moments: dof of each entry", ours=True),
)
DOFS = {JointType.FREE: 6, JointType.BALL: 3, JointType.SLIDE: 1, JointType.HINGE: 1}


def derive(sizes: Mapping[str, int], values: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, np.ndarray]]:
    """Rows of dofs, compressed."""
    rows = moment_rows(sizes, values)
    nnz = np.array([len(r) for r in rows], np.int32)
    fields = {
        "moment_rownnz": nnz,
        "moment_rowadr": (np.cumsum(nnz) - nnz).astype(np.int32),
        "moment_colind": np.array([i for r in rows for i in r], np.int32),
    }
    return {"nJmom": int(nnz.sum())}, fields


def moment_rows(sizes: Mapping[str, int], values: Mapping[str, Any]) -> list[list[int]]:
    """The dofs that each actuator may move."""
    rows: list[list[int]] = []
    for i in range(sizes["nu"]):
        kind, target = values["actuator_trntype"][i], values["actuator_trnid"][i][0]
        if kind in (TrnType.JOINT, TrnType.JOINTINPARENT):
            first = int(values["jnt_dofadr"][target])
            rows.append(list(range(first, first + DOFS[JointType(values["jnt_type"][target])])))
        else:
            rows.append([])
    return rows
