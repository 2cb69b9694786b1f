"""The types of the kernel language, and how each is held in registers and in memory.

A type is a small immutable object. `regs` lists the LLVM types of the registers that hold one value of it. There are no
aggregates: a tuple is just its items' registers side by side, so it costs nothing.

Reals come in four kinds. `FLOAT` is a plain number, the same for all worlds, or one world's number seen through the
lane view; it may drive an `if`. `Lanes(w)` holds the numbers of w worlds; comparing it gives a `Mask(w)`, which drives
`where`. A single world computes on `Lanes(1)`, which is an ordinary double in a register: the language's rules are the
same for one world and for many. `Dual(n)` is a value with n tangents; `Dual(n, branch=True)` is the same seen through
the lane view.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class Type:
    """Base of all types; `key` names the type in symbols, messages and cache entries."""

    regs: tuple[str, ...] = ()
    key: str = "?"

    def __str__(self) -> str:
        return self.key


class Real(Type):
    """Any real element."""


@dataclass(frozen=True, eq=True)
class Float(Real):
    """A number that is the same for all worlds, or one world's own."""

    regs = ("double",)
    key = "float"


@dataclass(frozen=True, eq=True)
class Int(Type):
    """A 64-bit integer."""

    regs = ("i64",)
    key = "int"


@dataclass(frozen=True, eq=True)
class Bool(Type):
    """True or false, for all worlds."""

    regs = ("i1",)
    key = "bool"


@dataclass(frozen=True, eq=True)
class Nothing(Type):
    """The type of None."""

    key = "None"


FLOAT, INT, BOOL, NONE = Float(), Int(), Bool(), Nothing()


def vector(width: int, scalar: str) -> str:
    """The LLVM type of `width` scalars; one is not a vector."""
    return scalar if width == 1 else f"<{width} x {scalar}>"


@dataclass(frozen=True, eq=True)
class Lanes(Real):
    """The numbers of `width` worlds."""

    width: int

    @property
    def regs(self) -> tuple[str, ...]:  # type: ignore[override]  # a class attribute in the simple types
        return (vector(self.width, "double"),)

    @property
    def key(self) -> str:  # type: ignore[override]
        return f"lanes{self.width}"


@dataclass(frozen=True, eq=True)
class Mask(Type):
    """One truth value for each of `width` worlds."""

    width: int

    @property
    def regs(self) -> tuple[str, ...]:  # type: ignore[override]
        return (vector(self.width, "i1"),)

    @property
    def key(self) -> str:  # type: ignore[override]
        return f"mask{self.width}"


@dataclass(frozen=True, eq=True)
class Dual(Real):
    """A value and `n` tangents.

    In registers the value is a double and the tangents ride in lanes 1..n of a vector of n + 1, whose lane 0 holds
    nothing of meaning; in memory lane 0 holds the value, so one aligned load fetches both.
    """

    n: int
    branch: bool = False

    @property
    def vector(self) -> str:
        """The LLVM type of the tangents' vector."""
        return vector(self.n + 1, "double")

    @property
    def regs(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("double", self.vector)

    @property
    def key(self) -> str:  # type: ignore[override]
        return f"dual{self.n}" + ("v" if self.branch else "")


@dataclass(frozen=True, eq=True)
class Varied(Type):
    """What a model's reals are where some of its fields differ from world to world: floats, or lanes of `width` worlds.

    Bit i of `fields` is set for a varied field number i.
    """

    width: int
    fields: int

    @property
    def key(self) -> str:  # type: ignore[override]
        return f"varied{self.width}:{self.fields:x}"

    def element(self, field: int) -> Type:
        """The element type of a real field, by its number."""
        return Lanes(self.width) if self.fields >> field & 1 else FLOAT


@dataclass(frozen=True, eq=True)
class Tuple(Type):
    """Several values side by side."""

    items: tuple[Type, ...]

    @property
    def regs(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(r for item in self.items for r in item.regs)

    @property
    def key(self) -> str:  # type: ignore[override]
        return "(" + ",".join(i.key for i in self.items) + ")"


@dataclass(frozen=True, eq=True)
class Buffer(Type):
    """A pointer to elements: `tail` gives the static trailing sizes, `step` the distance of neighbours in memory.

    `memory` is the LLVM type of one element in memory. The lane view of a block has step = width: it sees every
    width-th number. `constant` marks memory that no kernel writes, so that loads may be moved and merged freely.
    """

    elem: Type
    memory: str
    tail: tuple[int, ...]
    step: int = 1
    constant: bool = False

    regs = ("ptr",)

    @property
    def ndim(self) -> int:
        """The number of indices that lead to an element."""
        return 1 + len(self.tail)

    @property
    def key(self) -> str:  # type: ignore[override]
        parts = [self.elem.key, self.memory, *map(str, self.tail)]
        return f"[{' '.join(parts)} /{self.step}{'c' if self.constant else ''}]"


@dataclass(frozen=True, eq=True)
class Struct(Type):
    """A record as a kernel sees it: a pointer to its table of words, and for the lane view the lane's number.

    `elem` is the element type of its real fields: `FLOAT` for a model that all worlds share, `Varied` for one that some
    fields of differ from world to world. `lane` says that this is one world of the block. `prefix` is set on a
    sub-record such as `m.opt`.
    """

    record: Any  # a RecordType; typed loosely because records know nothing of types
    elem: Type
    lane: bool = False
    prefix: str = ""

    @property
    def regs(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("ptr", "i64") if self.lane else ("ptr",)

    @property
    def constant(self) -> bool:
        """Whether no kernel writes it: a model."""
        return isinstance(self.elem, (Float, Varied))

    @property
    def key(self) -> str:  # type: ignore[override]
        name = f"{self.record.name}.{self.prefix}" if self.prefix else self.record.name
        return f"{name}<{self.elem.key}{' lane' if self.lane else ''}>"


@dataclass(frozen=True, eq=True)
class Static(Type):
    """A Python object known at compile time: a kernel, a function of the vocabulary, an enumeration, a string."""

    value: Any

    @property
    def key(self) -> str:  # type: ignore[override]
        return f"static {getattr(self.value, '__name__', self.value)}"


def join(a: Type, b: Type) -> Type | None:
    """The smallest type that holds both, or None: int < float < lanes or dual; bool < mask; tuples item by item."""
    if a == b:
        return a
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        items = [join(x, y) for x, y in zip(a.items, b.items, strict=True)]
        return None if None in items else Tuple(tuple(i for i in items if i is not None))
    for x, y in ((a, b), (b, a)):
        if isinstance(x, Int) and isinstance(y, Real):
            return y
        if isinstance(x, Float) and isinstance(y, Real):
            return y
        if isinstance(x, Bool) and isinstance(y, Mask):
            return y
        if isinstance(x, Lanes) and x.width == 1 and isinstance(y, Dual):
            return Dual(y.n)
        if isinstance(x, Dual) and isinstance(y, Dual) and x.n == y.n:
            return Dual(x.n, x.branch and y.branch)
    return None


def mask_of(real: Type) -> Type:
    """The type that a comparison of two reals gives."""
    if isinstance(real, Lanes):
        return Mask(real.width)
    if isinstance(real, Dual) and not real.branch:
        return Mask(1)
    return BOOL


_STRUCT = re.compile(r"(\w+)(?:\.(\w+))?<(float|lanes|dual|varied)(\d*)(?::([0-9a-f]+))?( lane)?>")


# What an entry or callee is translated for: a type, or (type, value) for an argument known at compile time.
Argument = Type | tuple[Type, Any]


def argument_text(argument: Argument) -> str:
    """An argument of an entry in words: its type's key, or `=value` for (type, value) known at compile time."""
    if isinstance(argument, tuple):
        return f"={getattr(argument[1], 'symbol_name', None) or repr(argument[1])}"
    return argument.key


def argument_from_text(text: str, records: Mapping[str, Any]) -> Argument:
    """The inverse of `argument_text` for what a stage may take: records, numbers, truth values and None."""
    if text.startswith("="):
        value = ast.literal_eval(text[1:])
        return (NONE if value is None else BOOL, value)
    simple: dict[str, Type] = {t.key: t for t in (FLOAT, INT, BOOL, NONE)}
    if text in simple:
        return simple[text]
    found = _STRUCT.fullmatch(text)
    if found is None or found[1] not in records:
        raise ValueError(f"'{text}' is not an argument of a stage")
    elem: Type = FLOAT
    if found[3] == "varied":
        elem = Varied(int(found[4]), int(found[5], 16))
    elif found[3] != "float":
        elem = Lanes(int(found[4])) if found[3] == "lanes" else Dual(int(found[4]))
    return Struct(records[found[1]], elem, bool(found[6]), found[2] or "")
