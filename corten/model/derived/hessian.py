"""Sizes and patterns for the constraint solver: chains of dofs, and first guesses of how much room rows take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from corten.kernel.record import Field

FIELDS = (
    Field("nHchain", (), "size", "entries of rows of dofs and all their ancestors", ours=True),
    Field("Hchain_rownnz", ("nv",), "int", "chains of dofs: entries of each row", ours=True),
    Field("Hchain_rowadr", ("nv",), "int", "chains of dofs: start of each row", ours=True),
    Field("Hchain_colind", ("nHchain",), "int", "chains of dofs: each dof's ancestors and itself", ours=True),
)
WORD = 60  # bits used of each 64-bit word of a set: the sign is left alone
FIRST_ROWS = 64


def derive(sizes: Mapping[str, int], values: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, np.ndarray]]:
    """Chains, and capacities to begin with; these grow when they do not suffice."""
    chains: list[list[int]] = []
    for i, parent in enumerate(np.asarray(values["dof_parentid"]).tolist()):
        chains.append([*(chains[parent] if parent >= 0 else ()), i])
    nnz = np.array([len(c) for c in chains], np.int32)
    total, nv = int(nnz.sum()), sizes["nv"]
    rows = FIRST_ROWS + sizes["neq"] * 6 + nv
    more = {
        "nHchain": total,
        "H_cap": total,
        "W_cap": 0,
        "stat_cap": 0,
        "efc_cap": rows,
        "efcJ_cap": rows * max(1, int(nnz.max(initial=1))),
        "nHbits": nv * (-(-nv // WORD)),
        "nisle_cap": sizes["ntree"] + 2,
    }
    fields = {
        "Hchain_rownnz": nnz,
        "Hchain_rowadr": (np.cumsum(nnz) - nnz).astype(np.int32),
        "Hchain_colind": np.array([i for c in chains for i in c], np.int32),
    }
    return more, fields
