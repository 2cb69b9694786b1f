"""Model fields that differ from world to world.

A user reads and writes rows, one for each world. Kernels want lanes: each block of worlds gets a model of its own, a
table of words like the shared model's, in which the words of varied fields point to that block's lanes; all others
point into the shared model. Rows are copied into lanes when a block's worlds are loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import Any

import numpy as np

from corten.engine import SimulationError
from corten.kernel.errors import did_you_mean
from corten.kernel.record import Element, Field, Record, RecordType, SubRecord
from corten.model.derived import MODEL
from corten.model.model import Model

PARAMETERS = RecordType(
    "Parameters",
    [
        Field("count", (), "size", "varied numbers in one world"),
        Field("rows", ("nrow",), "real", "those of all worlds, world by world"),
        Field("lanes", ("nrow",), "real", "the same, block by block, number by number, lane by lane"),
    ],
)

# Patterns of real fields that all worlds share, and why.
SHARED = {
    "*_user": "the step does not read it",
    "stat.meanmass": "the step does not read it",
    "stat.meansize": "the step does not read it",
    "stat.extent": "the step does not read it",
    "stat.center": "the step does not read it",
    "numeric_data": "the step does not read it",
    "tuple_objprm": "the step does not read it",
    "key_*": "keyframes are states: give worlds states of their own",
    "sensor_*": "what sensors report is laid out for all worlds",
    "actuator_delay": "buffers are laid out for all worlds",
    "opt.sor": "how the solver works is the same for all worlds",
    "geom_fluid": "which geoms feel the medium is laid out for all worlds",
    "mesh_*": "assets are shared",
    "hfield_*": "assets are shared",
    "ray_box": "assets are shared",
    "wrap_prm": "paths of tendons are laid out for all worlds",
    "segment_scale": "paths of tendons are laid out for all worlds",
    "cam_fovy": "images of cameras are laid out for all worlds",
    "cam_focal": "images of cameras are laid out for all worlds",
    "cam_centre": "images of cameras are laid out for all worlds",
}


def why_shared(name: str) -> str | None:
    """Why a real field of the model can not differ from world to world, or None if it can."""
    return next((why for pattern, why in SHARED.items() if fnmatchcase(name, pattern)), None)


def expandable() -> tuple[str, ...]:
    """The names of all fields that can."""
    return tuple(f.name for f in MODEL.fields if f.dtype == "real" and why_shared(f.name) is None)


class BlockModels:
    """The models of all blocks, as kernels see them: tables that follow each other."""

    def __init__(self, m: Model, lanes: np.ndarray, places: dict[str, tuple[int, int]]):
        """Of lanes with dimensions block, number and lane, and the numbers from first to last that are a field's."""
        nblock, _, width = lanes.shape
        fields = sum(1 << MODEL.index[name] for name in places)
        self._record_type, self._element = MODEL, Element("varied", width, fields)
        self._m, self._lanes, self._places = m, lanes, places
        self._tables = np.tile(m._table, (nblock, 1))
        self._address = self._tables.ctypes.data
        for name, (first, _) in places.items():
            self._tables[:, MODEL.index[name]] = lanes.ctypes.data + np.arange(nblock) * lanes.strides[0]
            self._tables[:, MODEL.index[name]] += first * lanes.strides[1]

    def __getitem__(self, block: int) -> Record:
        """The model of one block, for plain Python, where blocks have one lane."""
        one = Record.__new__(Record)
        vars(one).update({k: v for k, v in vars(self._m).items() if not isinstance(v, np.ndarray)})
        own = {n: self._lanes[block, a:b].reshape(self._m.array(n).shape) for n, (a, b) in self._places.items()}
        one.__dict__["_by_name"] = {**self._m._by_name, **own}
        one._expose()
        return one


class Parameters:
    """Some real fields of a model, for each world of a batch, at first all as in the model."""

    def __init__(self, m: Model, names: Iterable[str], nworld: int, nblock: int, width: int):
        self.names = tuple(sorted({_checked(m, n) for n in names}, key=MODEL.index.__getitem__))
        self._m, self._nworld = m, nworld
        ends = np.cumsum([0, *(m.array(n).size for n in self.names)]).tolist()
        places = dict(zip(self.names, pairwise(ends), strict=True))
        count = ends[-1]
        self.record = Record(PARAMETERS, {"count": count, "nrow": count * nblock * width})
        rows = self.record.rows.reshape(nblock * width, count)
        self.arrays: dict[str, np.ndarray] = {}
        for name, (start, end) in places.items():
            rows[:, start:end] = m.array(name).reshape(-1)
            strides = (rows.strides[0], *m.array(name).strides)
            shape = (nworld, *m.array(name).shape)
            self.arrays[name] = np.lib.stride_tricks.as_strided(rows[:, start:], shape, strides)
        lanes = self.record.lanes.reshape(nblock, count, width)
        self.models = BlockModels(m, lanes, places) if places else None

    def sub_records(self) -> dict[str, SubRecord]:
        """The arrays of varied fields such as `opt.gravity`: under `opt`, as `gravity`."""
        inner: dict[str, dict[str, np.ndarray]] = {}
        for name, array in self.arrays.items():
            if "." in name:
                prefix, rest = name.split(".")
                inner.setdefault(prefix, {})[rest] = array
        return {prefix: SubRecord(prefix, arrays) for prefix, arrays in inner.items()}

    def start(self, rows: Any, chosen: Any) -> None:
        """Where worlds begin by a pose of their own: qpos, and mocap bodies, in `rows` of these worlds."""
        if "qpos0" in self.arrays:
            rows.qpos[chosen] = self.arrays["qpos0"][chosen]
        bodies = np.flatnonzero(self._m.body_mocapid >= 0)
        for field, state in (("body_pos", "mocap_pos"), ("body_quat", "mocap_quat")):
            if field in self.arrays and len(bodies):
                poses = getattr(rows, state)
                poses[chosen] = self.arrays[field][chosen][:, bodies[np.argsort(self._m.body_mocapid[bodies])]]

    def give(self, one: Model, world: int) -> None:
        """Put the numbers of one world into a model of the same sizes."""
        for name, array in self.arrays.items():
            one.array(name)[...] = array[world]

    def take_over(self, older: Parameters) -> None:
        """The numbers of fields that have been varied before."""
        for name, array in older.arrays.items():
            self.arrays[name][...] = array


def _checked(m: Model, name: str) -> str:
    """A name of a field that can be varied, or an error that says why not."""
    if not isinstance(name, str):
        raise TypeError(f"fields are given by their names, one argument each, not by a {type(name).__name__}")
    if name not in MODEL.index and not hasattr(m, name):
        raise AttributeError(f"Model has no field '{name}'{did_you_mean(name, MODEL.index)}")
    shared = why_shared(name)
    field = MODEL.fields[MODEL.index[name]] if name in MODEL.index else None
    if field is None or field.dtype != "real":
        raise SimulationError(f"'{name}' can not differ from world to world: it is not a real number")
    if shared is not None:
        raise SimulationError(f"'{name}' can not differ from world to world: {shared}")
    return name


def differing(m: Model, values: Mapping[str, np.ndarray]) -> list[str]:
    """Fields that have, in some world, other values than in the model, and that the step reads for each world."""
    return [n for n, v in values.items() if why_shared(n) is None and (v != m.array(n)).any()]
