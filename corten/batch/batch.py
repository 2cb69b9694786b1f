"""Batch: many worlds of one model, in SIMD lanes, on several threads."""

from __future__ import annotations

import operator
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corten.batch.contacts import contacts_of, count_contacts
from corten.batch.parameters import Parameters, differing
from corten.batch.transfer import ROWS, WORLDS, forward_blocks, step_blocks
from corten.engine import check, check_simulated, forward, keyframe_number, make_room, not_converged
from corten.kernel.dispatch import JIT, Kernel, argument_type, struct_type
from corten.kernel.record import COUNTS, SINGLE, Element, Record, RecordArray
from corten.kernel.target import host, processors
from corten.kernel.types import INT
from corten.model.checks import SimulationError, check_model, reals, whole
from corten.model.contacts import Contacts
from corten.model.data import Data, initialise, load_keyframe
from corten.model.data_fields import DATA
from corten.model.model import Model
from corten.model.setconst import CONSTANTS, set_const
from corten.model.state import State, fields_of

CHUNKS = 4  # pieces of work per thread: threads that finish early take more


class Batch:
    """`nworld` worlds of a model.

    State and inputs (`time`, `qpos`, `qvel`, `act`, `qacc_warmstart`, `ctrl`, `qfrc_applied`, `xfrc_applied`,
    `eq_active`, `mocap_pos`, `mocap_quat`, `history`, `userdata`) are arrays of shape (nworld, ...), read and written
    in place. Other fields of Data can be read under their names, as copies of shape (nworld, ...) that hold what the
    last `step` or `forward` computed; `ncon` too, and `contact(i)` gives the contacts of a world. Constraint rows and
    the solver's memory are laid out for a block: `world(i)` shows them for one world.

    A world whose numbers are no longer finite begins again from the model's initial state, and its neighbours do not
    notice; `warning_number`, (nworld, 8), counts such calls by kind of Warning until the world is reset.

    `expand` makes fields of the model differ from world to world.

    Worlds lie in blocks of `lanes` worlds, one in each SIMD lane. `threads` defaults to the processors at hand, `lanes`
    to the width of their vectors. What a world computes does not depend on either, nor on its neighbours.
    """

    def __init__(self, m: Model, nworld: int, threads: int | None = None, lanes: int | None = None):
        check_model(m)
        check_simulated(m)
        self._m = m
        self._nworld = whole(nworld, "the number of worlds", 1)
        self._lanes = lane_width(lanes)
        count = -(-self._nworld // self._lanes)
        self._threads = min(thread_count(threads), count)
        self._blocks = RecordArray(DATA, m._all_sizes, count, Element("lanes", self._lanes))
        for block in self._blocks.records:
            initialise(m, block)
        self._rows = self._make_rows(count * self._lanes)
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None
        self._entries: dict[Any, Callable[..., None]] = {}
        self._expanded: dict[str, Any] = {}
        self._parameters = Parameters(m, (), self._nworld, count, self._lanes)

    def _make_rows(self, padded: int) -> Record:
        """Rows of state and inputs for all worlds and the lanes that fill up the last block."""
        first = self._blocks[0]
        sizes = {"nblock": len(self._blocks)}
        for name in ROWS:
            n = int(np.prod(self._world_shape(name), dtype=int))
            sizes |= {f"n_{name}": n, f"all_{name}": n * padded}
        rows = Record(WORLDS, sizes)
        for name in ROWS:
            all_rows = rows.array(name).reshape(padded, *self._world_shape(name))
            all_rows[...] = self._of_block(first, name)[0]
            self.__dict__[name] = all_rows[: self._nworld]
        return rows

    def _of_block(self, block: Record, name: str) -> np.ndarray:
        """A field of a block's worlds, worlds first."""
        array = block.array(name)
        return np.moveaxis(array, -1, 0) if self._lanes > 1 else array[None]

    def _world_shape(self, name: str) -> tuple[int, ...]:
        return self._of_block(self._blocks[0], name).shape[1:]

    # -- what there is -----------------------------------------------------------------------------------------------

    @property
    def model(self) -> Model:
        """The model of all worlds, but for what `expand` has made each world's own."""
        return self._m

    @property
    def nworld(self) -> int:
        """The number of worlds."""
        return self._nworld

    @property
    def lanes(self) -> int:
        """Worlds in one block."""
        return self._lanes

    @property
    def threads(self) -> int:
        """Threads that step blocks."""
        return self._threads

    def __len__(self) -> int:
        return self._nworld

    def __getattr__(self, name: str) -> np.ndarray:
        field = DATA.index.get(name)
        if name.startswith("_") or field is None:
            raise AttributeError(f"Batch has no attribute or field '{name}'")
        f = DATA.fields[field]
        if name == "ncon":
            per_block = [count_contacts(self._tailed(b, "contact_exclude"), int(b.nslot)) for b in self._blocks.records]
            return self._finished(per_block)
        if name.startswith("contact_"):
            raise AttributeError(f"'{name}': worlds differ in their contacts; those of world i are contact(i)")
        if f.dtype in (*COUNTS, "block", "bits") or name in DATA.growing:
            raise AttributeError(f"'{name}' is laid out for a block of worlds; that of world i is world(i).{name}")
        return self._finished([self._of_block(block, name) for block in self._blocks.records])

    def _tailed(self, block: Record, name: str) -> np.ndarray:
        """A field of a block's worlds, worlds last."""
        array = block.array(name)
        return array if self._lanes > 1 else array[..., None]

    def _finished(self, per_block: list[np.ndarray]) -> np.ndarray:
        """What a user gets of numbers gathered from all blocks."""
        gathered = np.concatenate(per_block)[: self._nworld]
        gathered.flags.writeable = False
        return gathered

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ROWS or name in self.__dict__.get("_expanded", ()):
            self.__dict__[name][...] = value
        elif name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            raise AttributeError(f"'{name}' of a Batch can not be assigned")

    def contact(self, i: int) -> Contacts:
        """A copy of the contacts of one world, as `d.contact` of a single world gives them."""
        return contacts_of(*self._locate(i))

    # -- running -----------------------------------------------------------------------------------------------------

    def step(self, nstep: int = 1) -> None:
        """Advance every world by `nstep` time steps."""
        self.run(step_blocks, lambda block, left: left - block.steps_done, whole(nstep, "nstep"))

    def forward(self) -> None:
        """Compute in every world everything that follows from state and controls."""
        self.run(forward_blocks)

    def run(
        self,
        stage: Any,
        left: Callable[[Record, int], int] | None = None,
        nstep: int = 0,
        arrays: tuple[np.ndarray, ...] = (),
        fixed: tuple[int, ...] = (),
    ) -> None:
        """A stage of `transfer.py` for all blocks, on all threads, with more memory for those that run short.

        Stages that take steps can be resumed: `left(block, nstep)` tells how many steps a block then has to take.
        """
        numbers = (*fixed, nstep, 0) if left else fixed
        entry = self._entry(stage, arrays, numbers)
        self._everywhere(entry, numbers)
        if self._rows.any_short:
            self._finish_short_blocks(entry, left, nstep, fixed)
        if self._rows.any_stopped:
            self._rows.any_stopped = 0
            time = min(float(np.min(block.array("time"))) for block in self._blocks.records if block.stopped)
            raise SimulationError(not_converged(self._m, time))

    def _finish_short_blocks(
        self,
        entry: Callable[..., None],
        left: Callable[[Record, int], int] | None,
        nstep: int,
        fixed: tuple[int, ...],
    ) -> None:
        """What `run` has left undone for want of memory."""
        for number, block in enumerate(self._blocks.records):
            remaining = nstep
            while block.short:
                numbers = fixed
                if left:
                    remaining = left(block, remaining)
                    numbers = (*fixed, remaining, 1)
                make_room(block)
                entry(number, number + 1, self._lanes, *numbers)
        self._rows.any_short = 0

    def _everywhere(self, entry: Callable[..., None], numbers: tuple[int, ...]) -> None:
        count = len(self._blocks)
        if self._pool is None:
            entry(0, count, self._lanes, *numbers)
            return
        pieces = min(count, self._threads * CHUNKS)
        bounds = [count * k // pieces for k in range(pieces + 1)]
        jobs = [self._pool.submit(entry, *ends, self._lanes, *numbers) for ends in pairwise(bounds)]
        for job in jobs:
            job.result()

    def _entry(self, stage: Any, arrays: tuple[np.ndarray, ...], numbers: tuple[int, ...]) -> Callable[..., None]:
        """A stage bound to the model, the blocks, the rows and arrays; it takes first, last, width and `numbers`."""
        m: Any = self._parameters.models or self._m
        blocks, rows, parameters = self._blocks, self._rows, self._parameters.record
        if not isinstance(stage, Kernel):
            return lambda *n: stage(m, blocks, rows, parameters, *arrays, *n)
        known = self._entries.get(stage)
        if known is None:
            records = [struct_type(r) for r in (m, blocks.first, rows, parameters)]
            types = [*records, *map(argument_type, arrays)]
            known = self._entries[stage] = stage.entry([*types, *([INT] * (3 + len(numbers)))])
        compiled = known
        addresses = (
            m._address, blocks.first._address, rows._address, parameters._address, *(a.ctypes.data for a in arrays)
        )  # fmt: skip
        return lambda *n: compiled(*addresses, *n)

    # -- models that differ ------------------------------------------------------------------------------------------

    @property
    def expanded(self) -> tuple[str, ...]:
        """The fields of the model that are each world's own."""
        return self._parameters.names

    def expand(self, *names: str) -> None:
        """Make real fields of the model each world's own: arrays of shape (nworld, ...) under the fields' names.

        `b.expand("body_mass", "opt.gravity")` gives `b.body_mass` and `b.opt.gravity`, to be read and written in place;
        they begin with the model's numbers. As with a model, what the compiler derives from a field follows by
        `set_const`. The engine is compiled once for each set of fields.
        """
        older = self._parameters
        if all(name in older.names for name in names):
            return
        newer = Parameters(self._m, (*older.names, *names), self._nworld, len(self._blocks), self._lanes)
        newer.take_over(older)
        self._parameters = newer
        self._entries = {}
        self._expanded = {n: a for n, a in newer.arrays.items() if "." not in n} | newer.sub_records()
        self.__dict__.update(self._expanded)

    def set_const(self, which: ArrayLike | None = None) -> None:
        """Bring the constants that follow from expanded fields up to date, as `corten.set_const` does for a model.

        Of all worlds, or of those of a mask or of numbers. Constants that now differ from the model's are expanded.
        """
        chosen = np.arange(self._nworld)[self._chosen(which)]
        found: dict[str, list[np.ndarray]] = {name: [] for name in CONSTANTS}
        one = self._m.copy()
        for i in chosen:
            one.copy_memory(self._m)
            self._parameters.give(one, int(i))
            set_const(one)
            for name, values in found.items():
                values.append(one.array(name).copy())
        constants = {name: np.array(values) for name, values in found.items() if len(chosen)}
        self.expand(*differing(self._m, constants))
        for name in self.expanded:
            if name in constants:
                self._parameters.arrays[name][chosen] = constants[name]

    def world_model(self, i: int) -> Model:
        """A copy of the model as one world has it."""
        self._locate(i)
        one = self._m.copy()
        self._parameters.give(one, i)
        return one

    # -- single worlds -----------------------------------------------------------------------------------------------

    def _locate(self, i: int) -> tuple[Record, int]:
        """The block of a world, and its lane there."""
        i = operator.index(i)
        if not -self._nworld <= i < self._nworld:
            raise IndexError(f"world {i} of {self._nworld}")
        number, lane = divmod(i % self._nworld, self._lanes)
        return self._blocks[number], lane

    def world(self, i: int) -> Data:
        """A copy of one world, with all that follows from its state computed afresh."""
        block, lane = self._locate(i)
        m = self.world_model(i) if self.expanded else self._m
        d = Data(m)
        for name in ROWS:
            d.array(name)[...] = getattr(self, name)[i]
        d.array("history_start")[...] = self._of_block(block, "history_start")[lane]
        forward(m, d)
        return d

    def set_world(self, i: int, d: Data) -> None:
        """Give one world the state and the inputs of a Data."""
        check(self._m, d)
        block, lane = self._locate(i)
        for name in ROWS:
            getattr(self, name)[i] = d.array(name)
        self._of_block(block, "history_start")[lane] = d.array("history_start")

    # -- state of all worlds -----------------------------------------------------------------------------------------

    def reset(self, which: ArrayLike | None = None, keyframe: int | str | None = None) -> None:
        """Put worlds into the model's initial state or a keyframe's: all, or those of a mask or of numbers."""
        d = Data(self._m)
        if keyframe is not None:
            load_keyframe(self._m, d, keyframe_number(self._m, keyframe))
        chosen = self._chosen(which)
        for name in ROWS:
            getattr(self, name)[chosen] = d.array(name)
        if keyframe is None:
            self._parameters.start(self, chosen)

    def _chosen(self, which: ArrayLike | None) -> Any:
        """A mask, numbers or None as an index of worlds."""
        if which is None:
            return slice(None)
        index = np.atleast_1d(np.asarray(which))
        if index.ndim > 1 and index.dtype != bool:
            raise SimulationError(f"numbers of worlds in an array of shape {index.shape}, not in a list of them")
        if index.dtype == bool:
            if index.shape != (self._nworld,):
                raise SimulationError(f"a mask of shape {index.shape} for {self._nworld} worlds")
        elif not index.size:
            index = index.astype(int)
        elif not np.issubdtype(index.dtype, np.integer):
            raise SimulationError(f"worlds are chosen by a mask or by numbers, not by {index.dtype}")
        elif index.min() < -self._nworld or index.max() >= self._nworld:
            raise IndexError(f"worlds {index.min()} to {index.max()} of {self._nworld}")
        return index

    def get_state(self, parts: int = State.FULLPHYSICS) -> np.ndarray:
        """The state vectors of all worlds, (nworld, n), laid out as `corten.get_state` does."""
        columns = [np.asarray(getattr(self, n), float).reshape(self._nworld, -1) for n in fields_of(parts)]
        return np.concatenate([np.zeros((self._nworld, 0)), *columns], axis=1)

    def set_state(self, states: ArrayLike, parts: int = State.FULLPHYSICS) -> None:
        """Set the states of all worlds from (nworld, n) or, the same for all, from one vector."""
        rows = np.atleast_2d(reals(states, "the states"))
        names = fields_of(parts)
        sizes = [int(np.prod(self._world_shape(n), dtype=int)) for n in names]
        if rows.ndim != 2 or rows.shape[1] != sum(sizes) or len(rows) not in (1, self._nworld):
            raise SimulationError(f"states of shape {rows.shape} where ({self._nworld}, {sum(sizes)}) is needed")
        start = 0
        for name, size in zip(names, sizes, strict=True):
            array = getattr(self, name)
            array[...] = rows[:, start : start + size].reshape(len(rows), *self._world_shape(name))
            start += size


def thread_count(threads: int | None = None) -> int:
    """The asked-for number of threads, or one for each processor at hand."""
    return processors() if threads is None else whole(threads, "the number of threads", 1)


def lane_width(lanes: int | None = None) -> int:
    """The asked-for width, or that of this processor's vectors; plain Python knows one world at a time."""
    if not JIT:
        return SINGLE.n
    if lanes is not None:
        return Element("lanes", whole(lanes, "the number of lanes", 1)).n
    return host().lanes
