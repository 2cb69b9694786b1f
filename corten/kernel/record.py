"""Records: named arrays behind one pointer, declared once as a table of fields.

A record type is a list of `Field`. From it follow the Python object (attributes that are NumPy arrays over the
record's memory), the layout that compiled kernels see (a table of one 8-byte word per field), copies, pickles, and the
field reference in the docs. `Model` and `Data` are the two records of the engine; a user's own kernels may declare
more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from corten.kernel.errors import did_you_mean

DTYPES: dict[str, np.dtype[Any]] = {
    "real": np.dtype(np.float64),  # takes the element type of the record: float64, Lanes, Dual
    "float": np.dtype(np.float64),  # always float64, whatever the element type
    "single": np.dtype(np.float32),  # storage of large assets; read as float64
    "int": np.dtype(np.int32),
    "long": np.dtype(np.int64),
    "byte": np.dtype(np.uint8),
    "flag": np.dtype(np.uint8),  # a truth value of each world: a mask where worlds lie in lanes
    "block": np.dtype(np.int32),  # an integer that all worlds of a block share
    "bits": np.dtype(np.int64),  # the same, wide
    "common": np.dtype(np.float64),  # a number that all worlds of a block share: memory for one world after the other
}
SHARED = ("block", "bits", "common")  # by all worlds of a block
COUNTS = ("size", "capacity")  # integers that stand in the record's table itself
ALIGN = 64  # bytes: a cache line, and the widest vector


@dataclass(frozen=True, slots=True)
class Field:
    """One quantity of a record.

    `shape` mixes literal sizes with names of sizes (`("nbody", 3)`); `()` is a scalar, read and written as a number.
    Only the first dimension may be named where a kernel reads the field, because kernels index with static strides.
    `dtype` is a key of `DTYPES`, or "size" for an integer that is fixed for the life of the record, or "capacity" for
    one that is fixed while kernels run and that `Record.grow` may raise between them.
    `name` may carry one prefix, `opt.timestep`: the field is then an attribute of a sub-record.
    """

    name: str
    shape: tuple[str | int, ...]
    dtype: str
    doc: str
    stage: str = ""  # which stage of the step writes it; empty for input
    ours: bool = False  # not in MuJoCo

    def resolve(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """The shape in numbers."""
        return tuple([s if isinstance(s, int) else int(sizes[s]) for s in self.shape])


class RecordType:
    """A named table of fields."""

    def __init__(self, name: str, fields: Iterable[Field]):
        self.name = name
        self.fields = tuple(fields)
        self.index = {f.name: i for i, f in enumerate(self.fields)}
        if len(self.index) != len(self.fields):
            names = [f.name for f in self.fields]
            raise ValueError(f"{name}: field declared twice: {sorted({n for n in names if names.count(n) > 1})}")
        self.prefixes = {f.name.split(".")[0] for f in self.fields if "." in f.name}
        self.capacities = {f.name for f in self.fields if f.dtype == "capacity"}
        self.growing = {f.name for f in self.fields if self.capacities.intersection(f.shape)}
        # number and field of sizes, and of what has memory, by whether it grows
        numbered = list(enumerate(self.fields))
        self.counts = [(i, f.name) for i, f in numbered if f.dtype in COUNTS]
        self.arrays = {
            grows: [(i, f) for i, f in numbered if f.dtype not in COUNTS and (f.name in self.growing) == grows]
            for grows in (False, True)
        }

    def __repr__(self) -> str:
        return f"RecordType({self.name}, {len(self.fields)} fields)"


@dataclass(frozen=True, slots=True)
class Element:
    """What one real number of a record holds: "uniform" (a model), "lanes" of width n, or "dual" with n tangents.

    "varied" is a model of which some real fields hold lanes of width n: bit i of `fields` is set for field number i.
    """

    kind: str
    n: int = 1
    fields: int = 0

    def __post_init__(self) -> None:
        if self.kind == "dual" and self.n not in (1, 3, 7, 15):
            raise ValueError(f"{self.n} tangents: with the value they must fill a vector, so 1, 3, 7 or 15")
        if self.kind == "lanes" and self.n not in (1, 2, 4, 8, 16):
            raise ValueError(f"{self.n} lanes: a vector holds 1, 2, 4, 8 or 16")

    @property
    def width(self) -> int:
        """Numbers stored for each element of a real field."""
        return self.n + 1 if self.kind == "dual" else self.n

    def tail(self, dtype: str) -> tuple[int, ...]:
        """Trailing dimensions that this element type adds to a field's array."""
        if dtype in SHARED:
            return ()
        if self.kind == "dual":
            return (self.width,) if dtype == "real" else ()
        return (self.n,) if self.n > 1 else ()


UNIFORM = Element("uniform")
SINGLE = Element("lanes", 1)
UNBOUND = object()  # what a record's functions are bound to before there are any


class Namespace:
    """Attributes over a record's memory: arrays as they are, scalars as numbers, assignment into the memory."""

    _arrays: Mapping[str, np.ndarray] = MappingProxyType({})  # until there is memory
    _called = ""  # in messages; the name of the class if empty

    def _attach(self, arrays: dict[str, np.ndarray]) -> None:
        object.__setattr__(self, "_arrays", arrays)
        for name, array in arrays.items():
            if array.ndim:
                self.__dict__[name] = array

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        array = self._arrays.get(name)
        if array is not None:
            return array.item()
        owner = self._called or type(self).__name__
        raise AttributeError(f"{owner} has no field '{name}'{did_you_mean(name, self._arrays)}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
            return
        array = self._arrays.get(name)
        if array is not None:
            array[...] = value
        else:
            getattr(self, name)  # raises the message with a suggestion
            raise AttributeError(f"'{name}' of {self._called or type(self).__name__} can not be assigned")


class SubRecord(Namespace):
    """The fields of a record that share a prefix: `m.opt`."""

    def __init__(self, prefix: str, arrays: dict[str, np.ndarray]):
        self._called = prefix
        self._attach(arrays)


class Record(Namespace):
    """An instance of a record type: memory, attributes over it, and the table of words that kernels read."""

    def __init__(
        self,
        record_type: RecordType,
        sizes: Mapping[str, int],
        values: Mapping[str, Any] | None = None,
        element: Element = SINGLE,
        table: np.ndarray | None = None,
    ):
        self._record_type = record_type
        self._element = element
        self._bound_to: Any = UNBOUND  # what `_bound` was made with
        self._bound: dict[Any, Any] = {}  # compiled functions bound to this record, kept by their users
        self._sizes = {f.name: int(sizes[f.name]) for f in record_type.fields if f.dtype in COUNTS}
        self._all_sizes = {**sizes, **self._sizes}
        self._table = np.zeros(len(record_type.fields), np.int64) if table is None else table
        self._address = self._table.ctypes.data
        object.__setattr__(self, "_by_name", {})
        self._memory = self._allocate(False)
        self._growing_memory = self._allocate(True)
        self._expose()
        for name, value in (values or {}).items():
            self.fill(name, value)

    def _allocate(self, growing: bool) -> np.ndarray:
        """One zeroed block for all fields that grow, or for all others, and the words of the table that point into
        it.
        """
        places, total = [], 0
        tails = {dtype: self._element.tail(dtype) for dtype in DTYPES}
        sizes = self._all_sizes
        for i, name in self._record_type.counts:
            self._table[i] = self._sizes[name]
        for i, f in self._record_type.arrays[growing]:
            shape = f.resolve(sizes) + tails[f.dtype]
            places.append((i, f, shape, total))
            total += -(-DTYPES[f.dtype].itemsize * math.prod(shape) // ALIGN) * ALIGN
        raw = np.zeros(total + ALIGN, np.uint8)
        start = -raw.ctypes.data % ALIGN
        memory = raw[start : start + total]
        address = memory.ctypes.data
        for i, f, shape, offset in places:
            self._by_name[f.name] = np.ndarray(shape, DTYPES[f.dtype], memory.data, offset)
            self._table[i] = address + offset
        return memory

    def _expose(self) -> None:
        """Arrays and sizes as attributes."""
        arrays = self._by_name
        self.__dict__.update(self._sizes)
        self._attach({k: a for k, a in arrays.items() if "." not in k})
        for prefix in self._record_type.prefixes:
            inner = {k.split(".")[1]: a for k, a in arrays.items() if k.startswith(prefix + ".")}
            self.__dict__[prefix] = SubRecord(prefix, inner)

    @property
    def capacities(self) -> dict[str, int]:
        """The sizes that may grow."""
        return {name: self._sizes[name] for name in self._record_type.capacities}

    def grow(self, capacities: Mapping[str, int]) -> None:
        """Raise capacities. The fields that use one move to new memory, their contents kept; all others stay."""
        for name, size in capacities.items():
            if name not in self._record_type.capacities:
                raise ValueError(f"'{name}' of {self._record_type.name} is not a size that can grow")
            self._sizes[name] = self._all_sizes[name] = max(int(size), self._sizes[name])
        old = {name: self._by_name[name] for name in self._record_type.growing}
        self._growing_memory = self._allocate(True)
        for name, array in old.items():
            self._by_name[name][tuple(slice(n) for n in array.shape)] = array
        self._expose()

    def array(self, name: str) -> np.ndarray:
        """The memory of a field, scalars and dotted names included, with the element type's trailing dimension."""
        array = self._by_name.get(name)
        if array is None:
            raise AttributeError(f"{self._record_type.name} has no field '{name}'")
        return array

    def fill(self, name: str, value: Any) -> None:
        """Give a field the same value in every lane; tangents become zero."""
        array = self.array(name)
        tail = self._element.tail(self._record_type.fields[self._record_type.index[name]].dtype)
        if not tail:
            array[...] = value
        elif self._element.kind == "dual":
            array[...] = 0.0
            array[..., 0] = value
        else:
            array[...] = np.asarray(value)[..., None]

    def copy_memory(self, source: Record) -> None:
        """Take over all memory of a record of the same type, sizes and element."""
        if self._growing_memory.nbytes != source._growing_memory.nbytes:
            self.grow(source.capacities)
        self._memory[...] = source._memory
        for name in self._record_type.growing:
            theirs = source.array(name)
            self.array(name)[tuple(slice(n) for n in theirs.shape)] = theirs

    def clear_memory(self) -> None:
        """All fields become zero."""
        self._memory[...] = 0
        self._growing_memory[...] = 0

    def saved_memory(self) -> tuple[dict[str, int], bytes]:
        """What `restore_memory` takes: the capacities, and the bytes of all fields."""
        return self.capacities, self._memory.tobytes() + self._growing_memory.tobytes()

    def restore_memory(self, capacities: Mapping[str, int], memory: bytes) -> None:
        """All fields from what `saved_memory` of a record of the same type, sizes and element has given."""
        self.grow(capacities)
        fixed = self._memory.nbytes
        if len(memory) != fixed + self._growing_memory.nbytes:
            raise ValueError(f"{len(memory)} bytes do not fit a {self._record_type.name} of {fixed}")
        numbers = np.frombuffer(memory, np.uint8)
        self._memory[...], self._growing_memory[...] = numbers[:fixed], numbers[fixed:]


class RecordArray:
    """Several records of one type and size, whose tables follow each other so that a kernel can go through them."""

    def __init__(self, record_type: RecordType, sizes: Mapping[str, int], count: int, element: Element = SINGLE):
        self._tables = np.zeros((count, len(record_type.fields)), np.int64)
        self.records = [Record(record_type, sizes, None, element, table) for table in self._tables]

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, number: int) -> Record:
        return self.records[number]

    @property
    def first(self) -> Record:
        """The record whose address stands for the whole array in a call of a kernel."""
        return self.records[0]
