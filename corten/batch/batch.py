"""Batch: many worlds of one model, in SIMD lanes, on several threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from corten.batch.transfer import INPUT, STATE, WORLDS, forward_blocks, step_blocks
from corten.engine import SimulationError, forward, keyframe_number, make_room, not_converged
from corten.kernel.dispatch import JIT, Kernel, struct_type
from corten.kernel.record import SINGLE, Element, Record, RecordArray
from corten.kernel.types import INT
from corten.model.data import Data, initialise, load_keyframe
from corten.model.data_fields import DATA
from corten.model.data_fields import STATE as STATE_FIELDS
from corten.model.model import Model
from corten.model.state import State, fields_of

CHUNKS = 4  # pieces of work per thread: threads that finish early take more


class Batch:
    """`nworld` worlds of a model.

    State and inputs (`qpos`, `qvel`, `act`, `ctrl`, `qfrc_applied`, `xfrc_applied`, `mocap_pos`, `mocap_quat`, `time`)
    are arrays of shape (nworld, ...), read and written in place. Every other field of Data can be read under its name,
    as a copy of shape (nworld, ...) that holds what the last `step` or `forward` computed.

    Worlds lie in blocks of `lanes` worlds, one in each SIMD lane. `threads` defaults to the processors at hand, `lanes`
    to the width of their vectors. What a world computes does not depend on either, nor on its neighbours.
    """

    def __init__(self, m: Model, nworld: int, threads: int | None = None, lanes: int | None = None):
        if nworld < 1:
            raise ValueError(f"a batch of {nworld} worlds")
        if threads is not None and threads < 1:
            raise ValueError(f"a batch on {threads} threads")
        self._m = m
        self._nworld = int(nworld)
        self._lanes = _lane_width(lanes)
        count = -(-self._nworld // self._lanes)
        self._threads = min(threads or _processors(), count)
        self._blocks = RecordArray(DATA, m._all_sizes, count, Element("lanes", self._lanes))
        for block in self._blocks.records:
            initialise(m, block)
        self._rows = self._make_rows(count * self._lanes)
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None
        self._entries: dict[Any, Callable[..., None]] = {}

    def _make_rows(self, padded: int) -> Record:
        """Rows of state and inputs for all worlds and the lanes that fill up the last block."""
        first = self._blocks[0]
        sizes: dict[str, int] = {}
        for name in STATE + INPUT:
            n = first.array(name)[..., 0].size if self._lanes > 1 else first.array(name).size
            sizes |= {f"n_{name}": n, f"all_{name}": n * padded}
        rows = Record(WORLDS, sizes)
        for name in STATE + INPUT:
            shape = self._world_shape(name)
            all_rows = rows.array(name).reshape(padded, *shape)
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
        """The model that all worlds share."""
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
        if name.startswith("_") or name not in DATA.index:
            raise AttributeError(f"Batch has no attribute or field '{name}'")
        gathered = np.concatenate([self._of_block(block, name) for block in self._blocks.records])
        gathered = gathered[: self._nworld]
        gathered.flags.writeable = False
        return gathered

    def __setattr__(self, name: str, value: Any) -> None:
        if name in STATE + INPUT:
            self.__dict__[name][...] = value
        elif name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            raise AttributeError(f"'{name}' of a Batch can not be assigned")

    # -- running -----------------------------------------------------------------------------------------------------

    def step(self, nstep: int = 1) -> None:
        """Advance every world by `nstep` time steps."""
        self._run(step_blocks, nstep, 0)
        for number in self._short_blocks():
            block, left = self._blocks[number], nstep
            while block.short:
                left -= block.steps_done
                make_room(block)
                self._enter(step_blocks, number, number + 1, left, 1)
        if self._rows.any_stopped:
            self._rows.any_stopped = 0
            time = min(float(np.min(block.array("time"))) for block in self._blocks.records if block.stopped)
            raise SimulationError(not_converged(self._m, time))

    def forward(self) -> None:
        """Compute in every world everything that follows from state and controls."""
        self._run(forward_blocks)
        for number in self._short_blocks():
            while self._blocks[number].short:
                make_room(self._blocks[number])
                self._enter(forward_blocks, number, number + 1)

    def _short_blocks(self) -> list[int]:
        """Blocks that the last run has left for want of memory."""
        if not self._rows.any_short:
            return []
        self._rows.any_short = 0
        return [i for i, block in enumerate(self._blocks.records) if block.short]

    def _run(self, stage: Any, *numbers: int) -> None:
        """A stage for all blocks, on all threads."""
        count = len(self._blocks)
        if self._pool is None:
            self._enter(stage, 0, count, *numbers)
            return
        pieces = min(count, self._threads * CHUNKS)
        bounds = [count * k // pieces for k in range(pieces + 1)]
        jobs = [self._pool.submit(self._enter, stage, *ends, *numbers) for ends in pairwise(bounds)]
        for job in jobs:
            job.result()

    def _enter(self, stage: Any, first: int, last: int, *numbers: int) -> None:
        """A stage for some blocks, on this thread."""
        entry = self._entries.get(stage)
        if entry is None:
            entry = self._entries[stage] = self._entry(stage, 3 + len(numbers))
        entry(first, last, self._lanes, *numbers)

    def _entry(self, stage: Any, numbers: int) -> Callable[..., None]:
        m, blocks, rows = self._m, self._blocks, self._rows
        if not isinstance(stage, Kernel):
            return lambda *n: stage(m, blocks, rows, *n)
        types = [struct_type(m), struct_type(blocks.first), struct_type(rows)]
        compiled = stage.entry([*types, *([INT] * numbers)])
        addresses = (m._address, blocks.first._address, rows._address)
        return lambda *n: compiled(*addresses, *n)

    # -- single worlds -----------------------------------------------------------------------------------------------

    def _locate(self, i: int) -> tuple[Record, int]:
        if not -self._nworld <= i < self._nworld:
            raise IndexError(f"world {i} of {self._nworld}")
        number, lane = divmod(i % self._nworld, self._lanes)
        return self._blocks[number], lane

    def world(self, i: int) -> Data:
        """A copy of one world, with all that follows from its state computed afresh."""
        block, lane = self._locate(i)
        d = Data(self._m)
        for f in STATE_FIELDS:
            d.array(f.name)[...] = self._of_block(block, f.name)[lane]
        for name in STATE + INPUT:
            d.array(name)[...] = getattr(self, name)[i]
        forward(self._m, d)
        return d

    def set_world(self, i: int, d: Data) -> None:
        """Give one world the state and the inputs of a Data."""
        block, lane = self._locate(i)
        for f in STATE_FIELDS:
            self._of_block(block, f.name)[lane] = d.array(f.name)
        for name in STATE + INPUT:
            getattr(self, name)[i] = d.array(name)

    def reset(self, which: Any = None, keyframe: int | str | None = None) -> None:
        """Put worlds into the model's initial state or a keyframe's: all, or those of a mask or of numbers."""
        d = Data(self._m)
        if keyframe is not None:
            load_keyframe(self._m, d, keyframe_number(self._m, keyframe))
        chosen = np.arange(self._nworld)
        for i in chosen if which is None else chosen[np.asarray(which)].ravel():
            self.set_world(int(i), d)

    def get_state(self, parts: int = State.FULLPHYSICS) -> np.ndarray:
        """The state vectors of all worlds, (nworld, n), laid out as `corten.get_state` does."""
        columns = [np.asarray(getattr(self, n), float).reshape(self._nworld, -1) for n in fields_of(parts)]
        return np.concatenate([np.zeros((self._nworld, 0)), *columns], axis=1)

    def set_state(self, states: np.ndarray, parts: int = State.FULLPHYSICS) -> None:
        """Set the states of all worlds from (nworld, n) or, the same for all, from one vector."""
        states = np.broadcast_to(np.asarray(states, float), (self._nworld, np.shape(states)[-1]))
        start = 0
        names = fields_of(parts)
        sizes = [int(np.prod(self._world_shape(n), dtype=int)) for n in names]
        if sum(sizes) != states.shape[1]:
            raise SimulationError(f"states of {states.shape[1]} numbers where {sum(sizes)} are needed")
        for name, size in zip(names, sizes, strict=True):
            part = states[:, start : start + size].reshape(self._nworld, *self._world_shape(name))
            start += size
            if name in STATE + INPUT:
                getattr(self, name)[...] = part
                continue
            for i in range(self._nworld):
                block, lane = self._locate(i)
                self._of_block(block, name)[lane] = part[i]


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _lane_width(lanes: int | None) -> int:
    """The asked-for width, or that of this processor's vectors; plain Python knows one world at a time."""
    if not JIT:
        return SINGLE.n
    if lanes is not None:
        return Element("lanes", lanes).n
    from corten.kernel.target import host

    return host().lanes
