"""Data: the state of one world and everything computed from it."""

from __future__ import annotations

from typing import Any

from corten.kernel.record import Element, Record
from corten.model.checks import check_model
from corten.model.contacts import Contacts
from corten.model.data_fields import DATA
from corten.model.history import initial_history
from corten.model.model import Model
from corten.model.names import NamedAccess, NamedView, data_rows
from corten.model.solver_statistics import SolverStatistics
from corten.model.warnings import Warnings


class Data(NamedAccess, Record):
    """The state of one world of a model and everything computed from it.

    Attributes are NumPy arrays, under MuJoCo's names, over the memory that the compiled physics works on: read and
    write them freely between calls. A new Data is in the model's initial state.
    """

    def __init__(self, m: Model):
        check_model(m)
        super().__init__(DATA, m._all_sizes)
        self._model = m
        initialise(m, self)

    @property
    def model(self) -> Model:
        """The model that this belongs to."""
        return self._model

    def _view(self, kind: str, which: str | int) -> NamedView:
        names = self._model.names
        number = names.find(kind, which)
        return NamedView(self, kind, number, getattr(names, kind)[number], data_rows)

    @property
    def contact(self) -> Contacts:
        """The contacts: `d.contact[i].dist`, or `d.contact.dist` of all."""
        return Contacts(self)

    @property
    def warning(self) -> Warnings:
        """What has gone wrong since the world began: `d.warning[Warning.BADQPOS].number`."""
        return Warnings(self)

    @property
    def solver(self) -> SolverStatistics:
        """What the constraint solver did in each iteration, once `gather_statistics` has asked for it."""
        return SolverStatistics(self)

    def gather_statistics(self) -> None:
        """From now on keep numbers of every iteration of the constraint solver, to be read from `solver`."""
        self.grow({"stat_cap": len(self.solver)})

    def copy(self) -> Data:
        """An independent copy, for the same model."""
        other = Data.__new__(Data)
        Record.__init__(other, DATA, self._all_sizes)
        other._model = self._model
        other.copy_memory(self)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Data:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._model, *self.saved_memory())


def _restore(m: Model, capacities: dict[str, int], memory: bytes) -> Data:
    """A Data from its pickle."""
    d = Data(m)
    d.restore_memory(capacities, memory)
    return d


def block(m: Model, element: Element) -> Record:
    """A record like Data whose numbers are lanes of worlds, or duals; in the initial state."""
    record = Record(DATA, m._all_sizes, None, element)
    initialise(m, record)
    return record


def initialise(m: Model, record: Record) -> None:
    """All fields zero, but for the model's initial state."""
    record.clear_memory()
    record.fill("qpos", m.qpos0)
    record.fill("eq_active", m.eq_active0)
    mocap = m.body_mocapid >= 0
    order = m.body_mocapid[mocap]
    pos, quat = m.body_pos[mocap], m.body_quat[mocap]
    pos[order], quat[order] = pos.copy(), quat.copy()
    record.fill("mocap_pos", pos)
    record.fill("mocap_quat", quat)
    if m.nhistory:
        history = initial_history(m)
        record.fill("history", history)
        record.fill("history_start", history)


def load_keyframe(m: Model, record: Record, number: int) -> None:
    """The state of a keyframe."""
    record.fill("time", m.key_time[number])
    record.fill("qpos", m.key_qpos[number])
    record.fill("qvel", m.key_qvel[number])
    record.fill("act", m.key_act[number])
    record.fill("mocap_pos", m.key_mpos[number].reshape(-1, 3))
    record.fill("mocap_quat", m.key_mquat[number].reshape(-1, 4))
    record.fill("ctrl", m.key_ctrl[number])
