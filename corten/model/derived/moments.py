"""The sparse pattern of actuator moments: which dofs each actuator may move, and the ends at which it pulls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from corten.kernel.record import Field
from corten.model.derived.ends import Ends, carriers, compress, end_fields, opposed, union
from corten.model.enums import DOFS, JointType, TrnType

FIELDS = (
    Field("moment_rownnz", ("nu",), "int", "actuator moments: entries of each row", ours=True),
    Field("moment_rowadr", ("nu",), "int", "actuator moments: start of each row", ours=True),
    Field("nmoment", (), "size", "entries of the actuator moments as stored here", ours=True),
    Field("moment_colind", ("nmoment",), "int", "actuator moments: dof of each entry", ours=True),
    Field("actuator_end", ("nu",), "int", "first end of an actuator on sites, or -1", ours=True),
    Field("nactend", (), "size", "ends of all actuators on sites", ours=True),
    Field("nactenddof", (), "size", "dofs of all ends of actuators", ours=True),
    *end_fields("actend", "actuators on sites"),
)


def derive(sizes: Mapping[str, int], values: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, np.ndarray]]:
    """The rows of the moments, and the ends of actuators on sites."""
    sited = [site_ends(values, i) for i in range(sizes["nu"])]
    rows = [
        union(*(dofs for _, dofs in ends)) if ends else other_row(sizes, values, i) for i, ends in enumerate(sited)
    ]
    pattern = compress(rows, "moment")
    table = Ends(values)
    first_end = np.full(sizes["nu"], -1, np.int32)
    for i, (ends, row, start) in enumerate(zip(sited, rows, pattern["moment_rowadr"], strict=True)):
        if ends:
            first_end[i] = len(table)
        for body, dofs in ends:
            table.add(body, dofs, row, int(start))
    end_sizes, end_values = table.tables("actend")
    fields = {**pattern, **end_values, "actuator_end": first_end}
    more = {"nJmom": bound(sizes, values, rows), "nmoment": len(pattern["moment_colind"])}
    return {**more, **end_sizes}, fields


def bound(sizes: Mapping[str, int], values: Mapping[str, Any], rows: Sequence[Sequence[int]]) -> int:
    """nJmom, by MuJoCo's count: the dofs of its joint for an actuator on a joint, all dofs for any other."""
    joints = (TrnType.JOINT, TrnType.JOINTINPARENT)
    kinds = values["actuator_trntype"]
    return sum(len(row) if kind in joints else sizes["nv"] for kind, row in zip(kinds, rows, strict=True))


def site_ends(values: Mapping[str, Any], i: int) -> list[tuple[int, list[int]]]:
    """(body, dofs) of the ends of an actuator on sites: that of the site, and that of the reference or slider site."""
    kind = values["actuator_trntype"][i]
    if kind not in (TrnType.SITE, TrnType.SLIDERCRANK):
        return []
    site, reference = (int(s) for s in values["actuator_trnid"][i])
    body = int(values["site_bodyid"][site])
    if reference < 0:
        return [(body, carriers(values, body))]
    other = int(values["site_bodyid"][reference])
    dofs, other_dofs = opposed(values, body, other)
    return [(body, dofs), (other, other_dofs)]


def other_row(sizes: Mapping[str, int], values: Mapping[str, Any], i: int) -> list[int]:
    """The dofs that an actuator on anything else may move; adhesion may touch whatever there is."""
    kind, target = values["actuator_trntype"][i], values["actuator_trnid"][i][0]
    if kind in (TrnType.JOINT, TrnType.JOINTINPARENT):
        first = int(values["jnt_dofadr"][target])
        return list(range(first, first + DOFS[JointType(values["jnt_type"][target])]))
    if kind == TrnType.TENDON:
        start = int(values["ten_J_rowadr"][target])
        return [int(j) for j in values["ten_J_colind"][start : start + int(values["ten_J_rownnz"][target])]]
    return list(range(sizes["nv"]))
