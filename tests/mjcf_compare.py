"""Compile a model here and in the reference, and list the fields that differ."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

import corten
from corten.mjcf import CompiledModel
from corten.model.model_fields import MODEL_FIELDS

# patterns of rows are ours
DYNAMIC = frozenset({"nJmom"})


def reference_value(m: Any, name: str) -> Any:
    """A field of the reference's model."""
    for part in name.split("."):
        m = getattr(m, part)
    return np.frombuffer(m, np.uint8) if isinstance(m, bytes) else m


def differences(
    compiled: CompiledModel, m: Any, skip: Iterable[str] = DYNAMIC, tolerance: float = 1e-9
) -> list[str]:
    """Fields that differ: integers at all, reals by more than the tolerance relative to the field's largest."""
    found = []
    skipped = set(skip)
    ours = corten.Model._finished(compiled)
    for f in MODEL_FIELDS:
        if f.dtype == "size" and f.name not in skipped and getattr(ours, f.name) != int(getattr(m, f.name)):
            found.append(f"{f.name}: {getattr(ours, f.name)}, reference {int(getattr(m, f.name))}")
    if found:
        return found
    for f in MODEL_FIELDS:
        if f.dtype == "size" or f.ours or f.name in skipped:
            continue
        mine = ours.array(f.name)
        theirs = np.asarray(reference_value(m, f.name), float).reshape(mine.shape)
        same = (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))
        with np.errstate(invalid="ignore"):
            error = np.where(same, 0.0, np.nan_to_num(np.abs(mine.astype(float) - theirs), nan=np.inf))
        largest = float(np.abs(theirs[np.isfinite(theirs)]).max(initial=0))
        scale = max(1.0, largest) if f.dtype in ("real", "single") else 0.0
        bound = tolerance if f.dtype == "real" else 1e-6 if f.dtype == "single" else 0.0
        if error.max(initial=0) > bound * scale:
            worst = np.unravel_index(int(np.argmax(error)), error.shape) if error.ndim else ()
            found.append(f"{f.name}{list(worst)}: {mine[worst]}, reference {theirs[worst]}")
    return found


def without_cache() -> None:
    """Keep the reference from reusing meshes of another model, which may have been built with other options."""
    import mujoco

    mujoco.mj_setCacheCapacity(mujoco.mj_getCache(), 0)
