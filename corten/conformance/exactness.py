"""How exact the reference itself is, which is as far as another engine can agree with it. Two measures:

- Its residual: a solver may have run out of iterations, or of digits of the cost, before it is at the solution.
- Its sensitivity: a solver that stops early, or a motion through contacts, may turn a difference in the last digit into
  one that shows. The reference is run again with inputs that differ in the last digit: the state at each of its
  steps, since each of them rounds (a difference at the start alone is forgotten by an engine that resets a state that
  explodes), and the masses and lengths of the model, which stand for the rounding of forces within a step.

They are added to a tolerance, and only measured where a comparison would fail without them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from .compare import Difference, scale_of
from .engines import Reference, read
from .states import State

# Results of the solver, and which residual says how far off they may be.
RESIDUAL = {"qacc": "acceleration", "qacc_warmstart": "acceleration", "qfrc_constraint": "force", "efc_force": "force"}
# Fields that follow from them, besides readings of sensors.
SOLVED = frozenset((*RESIDUAL, "cacc", "cfrc_int", "cfrc_ext"))

LAST_DIGIT = 1e-15  # relative to max(1, magnitude)
MOVED = ("qpos", "qvel")
MEASURED = ("body_mass", "body_inertia", "body_pos", "body_ipos", "dof_damping", "dof_armature")
RUNS = 6
FACTOR = 4.0  # a difference may be some times the residual, or the largest change in a few runs

Nudge = Callable[[Any], None]  # changes the last digits of a state in place
Run = Callable[[Any, Any, Nudge], None]  # of the reference's model and data; nudges the state wherever it may round


class Exactness:
    """How exact the reference's results of one run from one state are."""

    def __init__(self, reference: Reference, m: Any, state: State, run: Run) -> None:
        self.reference, self.m, self.state, self.run = reference, m, state, run

    @cached_property
    def results(self) -> list[Any]:
        """Data of the reference after the run, from the state itself and from neighbours of it."""
        rng = np.random.default_rng(0)
        neighbours = [self._result(neighbour(self.m, rng), lambda d: nudge(d, MOVED, rng)) for _ in range(RUNS)]
        return [self._result(self.m, lambda d: None), *neighbours]

    def _result(self, m: Any, nudged: Nudge) -> Any:
        d = self.reference.data(m)
        self.reference.reset(m, d)
        self.state.write(d)
        self.run(m, d, nudged)
        return d

    def sensitivity(self, name: str, part: np.ndarray | None = None) -> float:
        """The largest change of a field, or of a part of it, on the scale of its tolerance."""
        first, *others = [np.asarray(read(d, name), float) for d in self.results]
        if part is not None:
            first, others = np.where(part, first, 0.0), [np.where(part, x, 0.0) for x in others]
        changes = [float(np.abs(x - first).max(initial=0.0)) for x in others if x.shape == first.shape]
        return max(changes, default=0.0) / scale_of(first, 1.0)

    def residual(self, name: str) -> float:
        """The residual behind a field, on the same scale; none where the reference has none, as with a singular M."""
        if name not in RESIDUAL:
            return 0.0
        d = self.results[0]
        residual = self.reference.residual(self.m, d)[RESIDUAL[name]]
        return residual / scale_of(np.asarray(read(d, name)), 1.0) if np.isfinite(residual) else 0.0

    def allow(self, difference: Difference, part: np.ndarray | None = None, converged: bool = False) -> Difference:
        """The difference with its tolerance widened, if it needs that.

        `converged` says that the solver was to converge: of a solver that was to stop early the residual is no excuse,
        since two engines that take the same steps have the same.
        """
        if converged and not difference.passed:
            difference = _widened(difference, self.residual(difference.field))
        if not difference.passed and np.isfinite(difference.error):
            difference = _widened(difference, self.sensitivity(difference.field, part))
        return difference


def _widened(difference: Difference, inexact: float) -> Difference:
    return replace(difference, tolerance=difference.tolerance + FACTOR * inexact)


def neighbour(m: Any, rng: np.random.Generator) -> Any:
    """A copy of the model whose masses and lengths differ in the last digit, each relative to itself."""
    other = copy(m)
    nudge(other, MEASURED, rng, floor=0.0)
    return other


def nudge(record: Any, fields: Iterable[str], rng: np.random.Generator, floor: float = 1.0) -> None:
    """Change the last digits of some fields: those of numbers of at least the magnitude `floor`."""
    for name in fields:
        x = np.asarray(getattr(record, name))
        x += LAST_DIGIT * np.maximum(floor, np.abs(x)) * rng.standard_normal(x.shape)
