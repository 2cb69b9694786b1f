"""One state in both engines: set it, run a forward pass, compare every field that both have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import partial
from typing import Any

import numpy as np

from corten.model.enums import Solver, Stage, TrnType

from . import scope
from .compare import Difference, compare, scale_of
from .contacts import Match, collision_difference, excuse, match, row_order
from .engines import SPARSE, Engine, Reference, read
from .exactness import MOVED, SOLVED, Exactness, Nudge, Run
from .stages import (
    ACCELERATION_SENSOR_TOLERANCE,
    DEFAULT_SOLVER_ITERATIONS,
    DEFAULT_SOLVER_TOLERANCE,
    EXACT_SOLVER,
    FORWARD,
    GROUPS,
    INVERSE_TOLERANCE,
    Group,
    group_of,
)
from .states import State

TORN = ("position", "velocity", "actuation", "rows")  # stages with numbers that jump

# Sizes that count the used entries of a field, by the field's beginning; the rest of the array is unused memory.
LIVE = {
    "contact.": "ncon",
    "efc_": "nefc",
    "map_efc2iefc": "nefc",
    "map_iefc2efc": "nefc",
    "island_": "nisland",
}
# Fields whose meaning is an index into rows or contacts: only compared where both engines order them alike.
ORDERED = frozenset(("contact.efc_address", "map_efc2iefc", "map_iefc2efc", "island_iefcadr", "tendon_efcadr"))
# Fields that follow from contacts where an actuator pulls at them.
ADHESIVE = frozenset(
    ("actuator_moment", "actuator_velocity", "actuator_force", "act_dot", "qfrc_actuator", "qfrc_smooth", "qacc_smooth")
)
# Fields that are only written where there is something to write: no rows, no islands, no meaning.
WRITTEN_IF = {
    "tendon_efcadr": "nefc",
    "efc_island": "nisland",
    "tree_island": "nisland",
    "map_itree2tree": "nisland",
    "dof_island": "nisland",
    "map_dof2idof": "nisland",
    "map_idof2dof": "nisland",
    "map_efc2iefc": "nisland",
    "map_iefc2efc": "nisland",
}


class Pair:
    """A model and its data in both engines."""

    def __init__(
        self, reference: Reference, ours: Engine, models: tuple[Any, Any], without: Iterable[str] = ()
    ) -> None:
        self.reference = reference
        self.engines: tuple[Engine, Engine] = (reference, ours)
        self.models = models
        self.without = frozenset(without)  # fields that can not agree for this model
        self.data = (reference.data(models[0]), ours.data(models[1]))

    def set(self, state: State) -> None:
        """Reset both and write the same state to both."""
        for engine, m, d in zip(self.engines, self.models, self.data, strict=True):
            engine.reset(m, d)
            state.write(d)

    def each(self, stage: str, *args: Any) -> None:
        """Run one function of the engines (`forward`, `inverse`, `step`) on both."""
        for engine, m, d in zip(self.engines, self.models, self.data, strict=True):
            getattr(engine, stage)(m, d, *args)

    def against(self, d: Any) -> Pair:
        """The same, with other data of the reference."""
        other = copy(self)
        other.data = (d, self.data[1])
        return other

    def exactness(self, state: State, run: Run | None = None) -> Exactness:
        """How exact the reference is from one state, with the options as they are; after `forward` unless told."""
        return Exactness(self.reference, self.models[0], state, run or self._forward)

    def _forward(self, m: Any, d: Any, nudge: Nudge) -> None:
        """A forward pass of the reference."""
        nudge(d)
        self.reference.forward(m, d)

    @contextmanager
    def options(self, **values: float) -> Iterator[None]:
        """Change options of both models for a while."""
        before = [{n: getattr(m.opt, n) for n in values} for m in self.models]
        for m in self.models:
            for name, value in values.items():
                setattr(m.opt, name, value)
        try:
            yield
        finally:
            for m, old in zip(self.models, before, strict=True):
                for name, value in old.items():
                    setattr(m.opt, name, value)


def data_fields(pair: Pair) -> list[str]:
    """Every field of the data that both engines have and that nothing excludes, in the order of the stages."""
    ours = pair.engines[1].data_fields()
    theirs = set(pair.engines[0].data_fields())
    both = [f for f in ours if f in theirs - pair.without and scope.data_reason(f) is None]
    place = {name: i for i, name in enumerate(n for g in GROUPS for n in g.fields)}
    return sorted(both, key=lambda f: place.get(f, len(place)))


def unlisted(fields: Iterable[str]) -> list[str]:
    """Fields that no stage lists: a hole in the tables of this package, reported as a failure."""
    return [f for f in fields if group_of(f) is None]


def compare_forward(pair: Pair, state: State, stages: tuple[str, ...]) -> tuple[list[Difference], bool]:
    """Differences of one state, stage by stage, and whether its contacts were unique (rows and forces compared)."""
    with pair.options(**EXACT_SOLVER):
        pair.set(state)
        pair.each("forward")
        fields, exactness = data_fields(pair), pair.exactness(state)
        found, unique = _compare_stages(pair, state, stages, fields, exactness)
        if any(not x.passed and x.stage in TORN for x in found):
            # Where the last digit decides, as of a tendon that begins on the surface that it may wrap around, all must
            # be as the reference has it for one state nearby.
            fields = [name for name in fields if name not in MOVED]
            for d in exactness.runs():
                nearby, same = _compare_stages(pair.against(d), state, stages, fields, exactness, strict=True)
                if all(x.passed for x in nearby):
                    return nearby, same
        return found, unique


def _compare_stages(
    pair: Pair, state: State, stages: tuple[str, ...], fields: list[str], exactness: Exactness, strict: bool = False
) -> tuple[list[Difference], bool]:
    """Differences of some fields of both data after a forward pass; if `strict`, only up to the first that fails."""
    reference, ours = pair.data
    found = [Difference("position", f, state.label, float("inf"), 0.0, "no stage lists it") for f in unlisted(fields)]
    contacts = Match(order=np.arange(int(reference.ncon)))
    if "contact.pos" in fields:
        contacts = match(pair.models[0], reference, ours)
        if contacts.wrong:
            contacts = excuse(contacts, pair.models[0], exactness.neighbours(), ours)
        if "collision" in stages:
            found.append(collision_difference(contacts, state.label))
    if contacts.order is None and np.any(np.asarray(pair.models[0].actuator_trntype) == TrnType.BODY):
        fields = [name for name in fields if name not in ADHESIVE]
    rows = None
    for group in GROUPS:
        if group.stage not in stages or group.stage not in FORWARD:
            continue
        if contacts.order is None and group.stage in ("rows", "solve", "sensors"):
            continue
        if group.asked and not getattr(reference, group.asked, True):
            continue
        for name in group.fields:
            if name not in fields:
                continue
            if name == "nefc" and int(ours.nefc) == int(reference.nefc) and contacts.order is not None:
                rows = row_order(reference, ours, contacts.order)
            if name.startswith("efc_") and rows is None:
                continue
            if not getattr(reference, WRITTEN_IF.get(name, ""), True):
                continue
            difference = _compare_field(pair, group, name, state.label, contacts.order, rows, exactness)
            if difference is not None:
                found.append(difference)
                if strict and not difference.passed:
                    return found, False
    return found, contacts.order is not None


def _compare_field(
    pair: Pair, group: Group, name: str, state: str, order: Any, rows: Any, exactness: Exactness
) -> Difference | None:
    """One field, cut to its used entries and brought into the reference's order."""
    m, reference = pair.models[0], pair.data[0]
    if name in SPARSE:
        values = [e.dense(x, d, name) for e, x, d in zip(pair.engines, pair.models, pair.data, strict=True)]
    else:
        values = [_live(np.asarray(read(d, name)), name, d) for d in pair.data]
    theirs, mine = values
    if name == "ncon":
        return compare(group.stage, name, state, theirs, mine, 0.0) if order is not None else None
    if name.startswith("contact.") and order is None:
        return None
    if name in ORDERED and (order is None or not _in_order(order) or (rows is not None and not _in_order(rows))):
        return None
    if name.startswith("contact.") and len(mine) == len(order):
        mine = mine[order]
    elif name.startswith("efc_") and len(mine) == len(rows):
        mine = mine[rows]
        if name == "efc_id":
            mine = _contact_ids(mine, np.asarray(reference.efc_type)[: len(mine)], order)
    elif name in ("wrap_xpos", "wrap_obj"):
        used = int(np.sum(reference.ten_wrapnum))
        width = 3 if name == "wrap_xpos" else 1
        theirs, mine = theirs.reshape(-1, width)[:used], mine.reshape(-1, width)[:used]
    elif name == "sensordata":
        return _compare_sensors(m, group, state, theirs, mine, exactness)
    difference = compare(group.stage, name, state, theirs, mine, group.tolerance)
    return exactness.allow(difference, converged=True) if name in SOLVED else difference


def _live(values: np.ndarray, name: str, d: Any) -> np.ndarray:
    for beginning, size in LIVE.items():
        if name.startswith(beginning) and values.ndim:
            return values[: int(getattr(d, size))]
    return values


def _in_order(order: np.ndarray) -> bool:
    return bool(np.all(order == np.arange(len(order))))


def _contact_ids(ids: np.ndarray, kinds: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Our row owners with contacts numbered as the reference numbers them."""
    numbers = np.empty(len(order), int)
    numbers[order] = np.arange(len(order))
    owner = np.array(ids)
    of_contact = kinds >= 5
    owner[of_contact] = numbers[owner[of_contact]]
    return owner


def _compare_sensors(
    m: Any, group: Group, state: str, theirs: np.ndarray, mine: np.ndarray, exactness: Exactness
) -> Difference:
    """Sensor readings: those of accelerations and forces have a wider tolerance. The worst sensor stands for all."""
    if theirs.shape != mine.shape:
        return compare(group.stage, "sensordata", state, theirs, mine, group.tolerance)
    dim = np.asarray(m.sensor_dim)
    late = np.repeat(np.asarray(m.sensor_needstage), dim) == Stage.ACC
    covered = ~np.isin(np.repeat(np.asarray(m.sensor_type), dim), list(scope.SENSORS_NOT_COVERED))
    found = []
    for part, tolerance in (covered & ~late, group.tolerance), (covered & late, ACCELERATION_SENSOR_TOLERANCE):
        values = np.where(part, theirs, 0.0), np.where(part, mine, 0.0)
        found.append(exactness.allow(compare(group.stage, "sensordata", state, *values, tolerance), part))
    return max(found, key=lambda x: x.ratio)


def compare_default_solver(pair: Pair, state: State) -> list[Difference]:
    """The model's own solver settings: a looser agreement, in about as many iterations."""
    pair.set(state)
    pair.each("forward")
    reference, ours = pair.data
    exactness = pair.exactness(state)
    found = []
    for name in ("qacc", "qfrc_constraint"):
        theirs, mine = read(reference, name), read(ours, name)
        if mine is not None:
            label = f"{state.label}, default solver"
            found.append(exactness.allow(compare("solve", name, label, theirs, mine, DEFAULT_SOLVER_TOLERANCE)))
    counts = read(ours, "solver_niter")
    if counts is not None and int(pair.models[0].opt.solver) == Solver.NEWTON:
        islands = max(1, int(read(reference, "nisland") or 0))
        excess = abs(int(np.max(counts)) - int(np.max(reference.solver_niter[:islands])))
        error = 0.0 if excess <= DEFAULT_SOLVER_ITERATIONS else float(excess)
        detail = f"{int(np.max(counts))} iterations, not {int(np.max(reference.solver_niter[:islands]))}"
        found.append(Difference("solve", "solver_niter", state.label, error, 1.0, detail))
    return found


def compare_inverse(pair: Pair, state: State) -> list[Difference]:
    """Inverse dynamics at the reference's own acceleration."""
    pair.set(state)
    pair.each("forward")
    reference, ours = pair.data
    ours.qacc[:] = reference.qacc
    pair.each("inverse")
    # A difference of forces that may be large: its error is on the scale of its parts.
    floor = scale_of(np.asarray(reference.qfrc_constraint), 1.0)
    theirs, mine = reference.qfrc_inverse, ours.qfrc_inverse
    difference = compare("inverse", "qfrc_inverse", state.label, theirs, mine, INVERSE_TOLERANCE, floor)
    return [pair.exactness(state, partial(_invert, pair, np.array(reference.qacc))).allow(difference)]


def _invert(pair: Pair, qacc: np.ndarray, m: Any, d: Any, nudge: Nudge) -> None:
    """The reference's inverse dynamics at a given acceleration: of stiff rows forces hang on its last digits."""
    nudge(d)
    d.qacc[:] = qacc
    pair.reference.inverse(m, d)
