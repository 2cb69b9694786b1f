"""How far two arrays are apart, as a multiple of what is allowed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class Difference:
    """One field of one state: its error on the scale of the tolerance, and where the largest element is."""

    stage: str
    field: str
    state: str
    error: float  # absolute error over the scale; inf for a wrong shape, a wrong integer or a NaN
    tolerance: float
    detail: str = ""

    @property
    def ratio(self) -> float:
        """1 is just allowed. A field that must be exact has a ratio of 0 or infinity."""
        if self.tolerance:
            return self.error / self.tolerance
        return 0.0 if self.error == 0 else float("inf")

    @property
    def passed(self) -> bool:
        """Whether the difference is allowed."""
        return self.ratio <= 1.0


def scale_of(reference: np.ndarray, floor: float) -> float:
    """Largest finite magnitude, at least `floor`: what a relative tolerance is relative to."""
    finite = np.abs(reference[np.isfinite(reference)])
    return max(floor, float(finite.max()) if finite.size else 0.0)


def compare(
    stage: str,
    field: str,
    state: str,
    reference: ArrayLike,
    ours: ArrayLike,
    tolerance: float,
    floor: float = 1.0,
) -> Difference:
    """Compare one field. Integers must agree exactly whatever the tolerance; equal infinities and NaNs agree.

    error = max |ours - reference| / max(floor, max |reference|).
    """
    return _compare(stage, field, state, np.asarray(reference), np.asarray(ours), tolerance, floor)


def _compare(
    stage: str, field: str, state: str, reference: np.ndarray, ours: np.ndarray, tolerance: float, floor: float
) -> Difference:
    if ours.shape != reference.shape:
        if ours.size != reference.size:
            detail = f"shape {ours.shape}, not {reference.shape}"
            return Difference(stage, field, state, float("inf"), tolerance, detail)
        ours = ours.reshape(reference.shape)
    if not reference.size:
        return Difference(stage, field, state, 0.0, tolerance)
    if reference.dtype.kind in "biu":
        wrong = np.flatnonzero(np.ravel(reference != ours))
        if not wrong.size:
            return Difference(stage, field, state, 0.0, 0.0)
        detail = _where(reference, ours, int(wrong[0])) + (f" and {wrong.size - 1} more" if wrong.size > 1 else "")
        return Difference(stage, field, state, float("inf"), 0.0, detail)
    reference, ours = reference.astype(float), ours.astype(float)
    same = (reference == ours) | (np.isnan(reference) & np.isnan(ours))
    with np.errstate(invalid="ignore"):
        gap = np.where(same, 0.0, np.abs(ours - reference))
    gap = np.where(np.isnan(gap), np.inf, gap) / scale_of(reference, floor)
    worst = int(np.argmax(gap))
    error = float(np.ravel(gap)[worst])
    return Difference(stage, field, state, error, tolerance, _where(reference, ours, worst) if error else "")


def _where(reference: np.ndarray, ours: np.ndarray, flat: int) -> str:
    """`[3, 1]: 0.5, not 0.7`, the first number being ours."""
    index = ", ".join(str(i) for i in np.unravel_index(flat, reference.shape))
    place = f"[{index}]: " if reference.ndim else ""
    return f"{place}{np.ravel(ours)[flat]:.9g}, not {np.ravel(reference)[flat]:.9g}"


def worst(differences: list[Difference]) -> Difference | None:
    """The largest ratio; of several infinite ones the first."""
    return max(differences, key=lambda x: x.ratio) if differences else None
