"""`@kernel` and `@stage`: what a decorated function is, and how Python calls it."""

from __future__ import annotations

import ctypes
import functools
import inspect
import os
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from corten.kernel import source
from corten.kernel.errors import KernelError
from corten.kernel.record import Element, Record
from corten.kernel.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    Argument,
    Buffer,
    Dual,
    Lanes,
    Struct,
    Type,
    Varied,
)

JIT = os.environ.get("CORTEN_JIT", "1") != "0"
F = TypeVar("F", bound=Callable[..., Any])
C_TYPES: dict[str, Any] = {
    "double": ctypes.c_double,
    "i64": ctypes.c_int64,
    "ptr": ctypes.c_void_p,
    "i1": ctypes.c_bool,
}
ARRAYS: dict[Any, tuple[Type, str]] = {
    np.dtype(np.float64): (FLOAT, "double"),
    np.dtype(np.int64): (INT, "i64"),
    np.dtype(np.int32): (INT, "i32"),
    np.dtype(np.uint8): (INT, "i8"),
}


class Kernel:
    """A function in the kernel language: compiled when first called, once for each combination of argument types."""

    def __init__(self, function: Callable[..., Any], is_stage: bool):
        functools.update_wrapper(self, function)
        self.function = function
        self.is_stage = is_stage
        self.__name__ = function.__name__
        self.__qualname__ = function.__qualname__
        self.symbol_name = f"{function.__module__}.{function.__qualname__}"
        self._entries: dict[tuple[Any, ...], Callable[..., Any]] = {}
        self._compiled: dict[tuple[Argument, ...], Callable[..., Any]] = {}

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        """The parameters and their defaults."""
        return inspect.signature(self.function)

    def digest(self) -> str:
        """A digest of all source that compiling this kernel reads, stages that it calls excepted."""
        return source.closure_digest([self.function], _function_inside)

    def __call__(self, *args: Any) -> Any:
        if len(args) < len(self.signature.parameters):
            bound = self.signature.bind(*args)
            bound.apply_defaults()
            args = bound.args
        entry = self._entries.get(key := tuple([_key(a) for a in args]))
        if entry is None:
            entry = self._entries[key] = self.entry([argument_type(a) for a in args])
        return entry(*[_machine(a) for a in args if not (a is None or a is True or a is False)])

    def entry(self, arguments: list[Argument]) -> Callable[..., Any]:
        """The machine code for these argument types as a C function; compiles if need be. It releases the GIL."""
        known = self._compiled.get(tuple(arguments))
        if known is not None:
            return known
        from corten.kernel.build import build

        address, returns = build([(self, arguments)])[0]
        if len(returns.regs) > 1 or (returns.regs and returns.regs[0] not in C_TYPES):
            raise KernelError(f"its result, a {returns}, can not be given to Python", self.__qualname__)
        kinds = [C_TYPES[r] for a in arguments if not isinstance(a, tuple) for r in a.regs]
        result = C_TYPES[returns.regs[0]] if returns.regs else None
        entry = ctypes.CFUNCTYPE(result, *kinds)(address)
        self._compiled[tuple(arguments)] = entry
        return entry

    def text(self, *args: Any) -> str:
        """The LLVM text for arguments such as these, before optimisation."""
        from corten.kernel.unit import Unit

        return Unit(self, [argument_type(a) for a in args]).translate()

    def assembly(self, *args: Any) -> str:
        """The machine code for arguments such as these, in words."""
        from corten.kernel.native import assembly

        return assembly(self.text(*args))

    def __repr__(self) -> str:
        return f"<{'stage' if self.is_stage else 'kernel'} {self.symbol_name}>"


def _function_inside(obj: Any) -> Callable[..., Any] | None:
    return obj.function if isinstance(obj, Kernel) and not obj.is_stage else None


def kernel(function: F) -> F:
    """Makes a function a kernel: compiled for whatever element types it is called with.

    It may be called from other kernels, and from Python with records, numbers and arrays. With `CORTEN_JIT=0` the
    function is returned unchanged.
    """
    return Kernel(function, False) if JIT else function  # type: ignore[return-value]  # a Kernel stands in for it


def stage(function: F) -> F:
    """Makes a function a stage: a kernel that is compiled and cached on its own, and called, never inlined.

    It takes records and numbers and returns nothing. Stages compile in parallel, and editing one leaves the others be.
    """
    return Kernel(function, True) if JIT else function  # type: ignore[return-value]


def element_type(element: Element) -> Type:
    """The element type, in kernels, of a record's reals."""
    if element.kind == "varied":
        return Varied(element.n, element.fields)
    return {"uniform": lambda n: FLOAT, "lanes": Lanes, "dual": Dual}[element.kind](element.n)


def struct_type(record: Record) -> Struct:
    """The type by which kernels know a record."""
    return Struct(record._record_type, element_type(record._element))


def argument_type(arg: Any) -> Argument:
    """The type of a Python object as an argument of a kernel."""
    if isinstance(arg, Record):
        return struct_type(arg)
    if arg is None or isinstance(arg, bool):
        return (NONE if arg is None else BOOL, arg)
    if isinstance(arg, (int, np.integer)):
        return INT
    if isinstance(arg, (float, np.floating)):
        return FLOAT
    if isinstance(arg, np.ndarray) and arg.dtype in ARRAYS and arg.ndim and arg.flags.c_contiguous:
        elem, memory = ARRAYS[arg.dtype]
        return Buffer(elem, memory, arg.shape[1:])
    raise KernelError(f"a {type(arg).__name__} can not be given to a kernel")


def _key(arg: Any) -> Any:
    """What distinguishes argument types, found fast."""
    if isinstance(arg, Record):
        return arg._record_type, arg._element
    if isinstance(arg, np.ndarray):
        return arg.dtype, arg.shape[1:]
    return arg if arg is None or arg is True or arg is False else type(arg)


def _machine(arg: Any) -> Any:
    """What is passed to machine code for an argument."""
    if isinstance(arg, Record):
        return arg._address
    return arg.ctypes.data if isinstance(arg, np.ndarray) else arg
