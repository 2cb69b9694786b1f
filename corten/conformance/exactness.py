"""How exact the reference itself is, which is as far as another engine can agree with it. Two measures:

- Its residual: a solver may have run out of iterations, or of digits of the cost, before it is at the solution.
- Its sensitivity: a solver that stops early, or a motion through contacts, may turn a difference in the last digit into
  one that shows. The reference is run again with inputs that differ in the last digit: the state at each of its
  steps, since each of them rounds (a difference at the start alone is forgotten by an engine that resets a state that
  explodes), and the masses and lengths of the model, which stand for the rounding of forces within a step.

They are added to a tolerance, and only measured where a comparison would fail without them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import replace
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from .compare import Difference, scale_of
from .contacts import READ as CONTACTS
from .engines import Reference, read
from .states import State

# Results of the solver, and which residual says how far off they may be.
RESIDUAL = {"qacc": "acceleration", "qacc_warmstart": "acceleration", "qfrc_constraint": "force", "efc_force": "force"}
# Fields that follow from them, besides readings of sensors.
SOLVED = frozenset((*RESIDUAL, "cacc", "cfrc_int", "cfrc_ext"))

LAST_DIGIT = 1e-15  # relative to max(1, magnitude)
MOVED = ("qpos", "qvel")
MEASURED = ("body_mass", "body_inertia", "body_pos", "body_ipos", "dof_damping", "dof_armature")
# What is kept of a run: more would be much memory.
KEPT = (*MOVED, "act", *SOLVED, "sensordata", "qfrc_inverse", "ncon", *CONTACTS)
RUNS = 60  # at most: an iterative search may end elsewhere in one of twenty
FACTOR = 4.0  # a difference may be some times the residual, or the largest change in a few runs

Nudge = Callable[[Any], None]  # changes the last digits of a state in place
Run = Callable[[Any, Any, Nudge], None]  # of the reference's model and data; nudges the state wherever it may round


class Exactness:
    """How exact the reference's results of one run from one state are."""

    def __init__(self, reference: Reference, m: Any, state: State, run: Run) -> None:
        self.reference, self.m, self.state, self.run = reference, m, state, run
        self._runs, self._kept = self.runs(), list[Any]()

    @cached_property
    def result(self) -> Any:
        """Data of the reference after the run."""
        return self._result(self.m, lambda d: None)

    def runs(self) -> Iterator[Any]:
        """The same from states and models nearby, one after the other."""
        rng = np.random.default_rng(0)
        for _ in range(RUNS):
            yield self._result(neighbour(self.m, rng), lambda d: nudge(d, MOVED, rng))

    def neighbours(self) -> Iterator[Any]:
        """The most important fields of these; each run is made once, if it is wanted."""
        yield from self._kept
        for d in self._runs:
            self._kept.append(SimpleNamespace(**{name.replace(".", "_"): np.array(read(d, name)) for name in KEPT}))
            yield self._kept[-1]

    def _result(self, m: Any, nudged: Nudge) -> Any:
        d = self.reference.data(m)
        self.reference.reset(m, d)
        self.state.write(d)
        self.run(m, d, nudged)
        return d

    def changes(self, name: str, part: np.ndarray | None = None) -> Iterator[float]:
        """How far a field, or a part of it, moves in each of these runs, on the scale of its tolerance."""
        first = np.asarray(read(self.result, name), float)
        first = first if part is None else np.where(part, first, 0.0)
        for d in self.neighbours():
            other = np.asarray(read(d, name), float)
            other = other if part is None else np.where(part, other, 0.0)
            if other.shape == first.shape:
                yield float(np.abs(other - first).max(initial=0.0)) / scale_of(first, 1.0)

    def residual(self, name: str) -> float:
        """The residual behind a field, on the same scale; none where the reference has none, as with a singular M."""
        if name not in RESIDUAL:
            return 0.0
        d = self.result
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
            most = 0.0
            for change in self.changes(difference.field, part):
                most = max(most, change)
                if _widened(difference, most).passed:
                    break
            return _widened(difference, most)
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
