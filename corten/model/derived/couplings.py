"""Places in the matrices of dofs by dofs where forces along actuators and tendons couple two dofs.

A force that acts along a row J of moments and depends on its velocity adds a multiple of J' J to the derivative of the
forces by the velocities. That matrix has the pattern of the inertia's two triangles (D); products that fall outside of
it, between dofs of different branches, are dropped, as in the reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from corten.kernel.record import Field
from corten.model.enums import BiasType, GainType

FIELDS = (
    Field("ncouple_actuator", (), "size", "couplings of dofs by actuators", ours=True),
    Field("ncouple_tendon", (), "size", "couplings of dofs by tendons", ours=True),
    Field("D_transpose", ("nD",), "int", "inertia, both triangles: where the mirrored entry is", ours=True),
    Field("actuator_couplenum", ("nu",), "int", "couplings of dofs by the actuator", ours=True),
    Field("actuator_coupleadr", ("nu",), "int", "the first of them", ours=True),
    Field("actuator_couple", ("ncouple_actuator", 4), "int", "two moments, lower and upper place in D", ours=True),
    Field("tendon_couplenum", ("ntendon",), "int", "couplings of dofs by the tendon", ours=True),
    Field("tendon_coupleadr", ("ntendon",), "int", "the first of them", ours=True),
    Field("tendon_couple", ("ncouple_tendon", 4), "int", "two moments, lower and upper place in D", ours=True),
)
SLOWING = (GainType.AFFINE, GainType.MUSCLE)  # gains that depend on velocity


def derive(sizes: Mapping[str, int], values: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, np.ndarray]]:
    """The mirrored entries of D, and for actuators and tendons the products of two moments and where they belong."""
    nv = sizes["nv"]
    columns = np.asarray(values["D_colind"], np.int64)
    rows = np.repeat(np.arange(nv), values["D_rownnz"])
    keys = rows * nv + columns
    fields = {"D_transpose": np.searchsorted(keys, columns * nv + rows).astype(np.int32)}

    bends = np.isin(values["actuator_gaintype"], SLOWING) | (values["actuator_biastype"] == BiasType.AFFINE)
    counts, none = {}, np.zeros((0, 4), np.int32)
    for name, row, wanted in (("actuator", "moment", bends), ("tendon", "ten_J", np.ones(sizes["ntendon"], bool))):
        start, number, dofs = (np.asarray(values[f"{row}_{part}"]) for part in ("rowadr", "rownnz", "colind"))
        number = np.where(wanted, number, 0)
        tables = [
            row_couplings(int(a), np.asarray(dofs[a : a + n], np.int64), nv, keys) if n else none
            for a, n in zip(start, number, strict=True)
        ]
        count = np.array([len(t) for t in tables], np.int32)
        fields[f"{name}_couplenum"] = count
        fields[f"{name}_coupleadr"] = (np.cumsum(count) - count).astype(np.int32)
        fields[f"{name}_couple"] = np.concatenate([none, *tables])
        counts[f"ncouple_{name}"] = int(count.sum())
    return counts, fields


def row_couplings(start: int, dofs: np.ndarray, nv: int, keys: np.ndarray) -> np.ndarray:
    """The couplings by one row of moments that starts at `start`; `keys` are row * nv + column of the entries of D."""
    first, second = (index.ravel() for index in np.indices((len(dofs), len(dofs))))
    low, high = dofs[first], dofs[second]
    lower, upper = np.searchsorted(keys, low * nv + high), np.searchsorted(keys, high * nv + low)
    inside = (low >= high) & (keys.take(lower, mode="clip") == low * nv + high)
    return np.stack([start + first, start + second, lower, upper], 1)[inside].astype(np.int32)
