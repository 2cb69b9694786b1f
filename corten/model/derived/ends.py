"""Ends: where a force or torque that comes from a length acts on a body, and which dofs it meets there.

The gradient of a length by the dofs (of a tendon, of an actuator) is the sum, over its ends, of a wrench projected on
the motion axes of the dofs that carry the body. Two ends that pull against each other leave alone the dofs that carry
both: these are taken out of both, so that they cost nothing and give zeros and not differences that ought to vanish.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from corten.kernel.record import Field


def carriers(values: Mapping[str, Any], body: int) -> list[int]:
    """The dofs that move a body, in increasing order."""
    chain = []
    dof = int(values["body_lastdof"][body])
    while dof >= 0:
        chain.append(dof)
        dof = int(values["dof_parentid"][dof])
    return chain[::-1]


def opposed(values: Mapping[str, Any], first: int, second: int) -> tuple[list[int], list[int]]:
    """The dofs that move one of two bodies and not the other."""
    a, b = carriers(values, first), carriers(values, second)
    common = set(a) & set(b)
    return [i for i in a if i not in common], [i for i in b if i not in common]


def union(*chains: Sequence[int]) -> list[int]:
    """All dofs of several chains, in increasing order."""
    return sorted(set().union(*chains))


def compress(rows: Sequence[Sequence[int]], prefix: str) -> dict[str, np.ndarray]:
    """The pattern of a sparse matrix: entries, start and columns of its rows."""
    nnz = np.array([len(r) for r in rows], np.int32)
    return {
        f"{prefix}_rownnz": nnz,
        f"{prefix}_rowadr": (np.cumsum(nnz) - nnz).astype(np.int32),
        f"{prefix}_colind": np.array([i for r in rows for i in r], np.int32),
    }


def end_fields(prefix: str, what: str) -> tuple[Field, ...]:
    """The fields of a table of ends."""
    count, dofs = f"n{prefix}", f"n{prefix}dof"
    return (
        Field(f"{prefix}_rootid", (count,), "int", f"ends of {what}: root of the body's tree", ours=True),
        Field(f"{prefix}_adr", (count,), "int", f"ends of {what}: first dof", ours=True),
        Field(f"{prefix}_num", (count,), "int", f"ends of {what}: number of dofs", ours=True),
        Field(f"{prefix}_dof", (dofs,), "int", f"ends of {what}: dofs", ours=True),
        Field(f"{prefix}_entry", (dofs,), "int", f"ends of {what}: entry of the gradient for each dof", ours=True),
    )


class Ends:
    """A table of ends while it is filled."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._root = values["body_rootid"]
        self._roots: list[int] = []
        self._dofs: list[list[int]] = []
        self._entries: list[int] = []

    def __len__(self) -> int:
        return len(self._roots)

    def add(self, body: int, dofs: Sequence[int], row: Sequence[int], start: int) -> None:
        """An end on a body, for a gradient whose columns are `row` and whose first entry is number `start`."""
        place = {dof: start + k for k, dof in enumerate(row)}
        self._roots.append(int(self._root[body]))
        self._dofs.append(list(dofs))
        self._entries += [place[i] for i in dofs]

    def tables(self, prefix: str) -> tuple[dict[str, int], dict[str, np.ndarray]]:
        """The sizes and values of `end_fields(prefix, ...)`."""
        pattern = compress(self._dofs, "end")
        fields = {
            f"{prefix}_rootid": np.array(self._roots, np.int32),
            f"{prefix}_adr": pattern["end_rowadr"],
            f"{prefix}_num": pattern["end_rownnz"],
            f"{prefix}_dof": pattern["end_colind"],
            f"{prefix}_entry": np.array(self._entries, np.int32),
        }
        return {f"n{prefix}": len(self), f"n{prefix}dof": len(self._entries)}, fields
