"""LLVM's textual form, written line by line: one `Body` is one function under construction."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

from corten.kernel.types import BOOL, FLOAT, INT, NONE, Dual, Lanes, Static, Tuple, Type


class _Absent:
    """Says that a value is not known at compile time (None is a value)."""


ABSENT = _Absent()


@dataclass(slots=True)
class Value:
    """A value in registers. `const` holds the Python number or object where it is known at compile time.

    A tuple keeps its items; a dual may lack its tangent register, which then is zero.
    """

    type: Type
    regs: tuple[str, ...] = ()
    const: Any = ABSENT
    items: tuple[Value, ...] = ()

    @property
    def known(self) -> bool:
        """Whether it is known at compile time."""
        return self.const is not ABSENT


def real_literal(x: float) -> str:
    """A double, exactly, as LLVM writes it."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


def static(obj: Any) -> Value:
    """A Python object known at compile time as a value of the language."""
    if obj is None:
        return Value(NONE, (), None)
    if isinstance(obj, bool):
        return Value(BOOL, ("true" if obj else "false",), obj)
    if isinstance(obj, int):
        return Value(INT, (str(int(obj)),), int(obj))
    if isinstance(obj, float):
        return Value(FLOAT, (real_literal(obj),), float(obj))
    if isinstance(obj, tuple):
        items = tuple(static(o) for o in obj)
        return make_tuple(items)
    return Value(Static(obj), (), obj)


def make_tuple(items: tuple[Value, ...]) -> Value:
    """Several values as one."""
    return Value(Tuple(tuple(i.type for i in items)), (), ABSENT, items)


def flatten(value: Value) -> tuple[str, ...]:
    """All registers of a value, in order."""
    if isinstance(value.type, Tuple):
        return tuple(r for item in value.items for r in flatten(item))
    if isinstance(value.type, Dual) and len(value.regs) == 1:
        return (*value.regs, "zeroinitializer")
    return value.regs


def unflatten(type_: Type, regs: list[str]) -> Value:
    """The inverse of `flatten`: takes registers from the front of the list."""
    if isinstance(type_, Tuple):
        return make_tuple(tuple(unflatten(t, regs) for t in type_.items))
    n = len(type_.regs)
    taken = tuple(regs[:n])
    del regs[:n]
    return Value(type_, taken)


class Body:
    """The lines of one function: allocations of the entry block apart, the rest in order."""

    def __init__(self, intrinsics: dict[str, str]):
        self.allocas: list[str] = []
        self.lines: list[str] = []
        self.count = 0
        self.label = "entry"  # the block that lines are being added to
        self.open = True  # whether that block can be reached and has no terminator yet
        self.intrinsics = intrinsics  # name -> declaration, shared by the module

    def emit(self, text: str) -> str:
        """An instruction with a result; the register that holds it."""
        self.count += 1
        name = f"%t{self.count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        """An instruction without a result."""
        self.lines.append(f"  {text}")

    def alloca(self, llvm_type: str, count: int = 1, align: int = 0) -> str:
        """Memory on the stack, for the whole of the function; its address."""
        self.count += 1
        name = f"%a{self.count}"
        size = f", i64 {count}" if count > 1 else ""
        self.allocas.append(f"  {name} = alloca {llvm_type}{size}" + (f", align {align}" if align else ""))
        return name

    def new_label(self, hint: str) -> str:
        """A name for a block."""
        self.count += 1
        return f"{hint}{self.count}"

    def place(self, label: str) -> None:
        """Begin a block; control falls into it from an open one."""
        if self.open:
            self.do(f"br label %{label}")
        self.lines.append(f"{label}:")
        self.label = label
        self.open = True

    def jump(self, label: str) -> None:
        """End the block, if control reaches its end, by going to another."""
        if self.open:
            self.do(f"br label %{label}")
        self.open = False

    def branch(self, condition: str, yes: str, no: str) -> None:
        """End the block by going to one of two others."""
        self.do(f"br i1 {condition}, label %{yes}, label %{no}")
        self.open = False

    def finish(self, text: str) -> None:
        """End the block by a return."""
        self.do(text)
        self.open = False

    def intrinsic(self, name: str, result: str, args: list[tuple[str, str]]) -> str:
        """Call an LLVM intrinsic: `args` are (type, register) pairs."""
        types = ", ".join(t for t, _ in args)
        self.intrinsics.setdefault(name, f"declare {result} @{name}({types})")
        actual = ", ".join(f"{t} {r}" for t, r in args)
        return self.emit(f"call {result} @{name}({actual})")


def suffix(llvm_type: str) -> str:
    """How an intrinsic's name spells a type: double -> f64, <8 x double> -> v8f64."""
    if llvm_type == "double":
        return "f64"
    if llvm_type.startswith("<"):
        n, scalar = llvm_type[1:-1].split(" x ")
        return f"v{n}{suffix(scalar)}"
    return llvm_type


def splat(body: Body, scalar: str, register: str, width: int) -> str:
    """The same scalar in every lane."""
    if width == 1:
        return register
    if not register.startswith("%"):
        return f"splat ({scalar} {register})"
    vec = f"<{width} x {scalar}>"
    first = body.emit(f"insertelement {vec} poison, {scalar} {register}, i64 0")
    return body.emit(f"shufflevector {vec} {first}, {vec} poison, <{width} x i32> zeroinitializer")


def lanes_width(type_: Type) -> int:
    """How many worlds a real value holds numbers of."""
    return type_.width if isinstance(type_, Lanes) else 1
