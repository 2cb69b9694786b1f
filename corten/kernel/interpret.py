"""Kernels as plain Python functions, in a process that otherwise compiles them: for the debugger and for tests.

`as_python(kernel)` is the kernel's text with every kernel it refers to replaced in the same way. With `CORTEN_JIT=0`
all kernels are such functions from the start.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

from corten.kernel.dispatch import Kernel


def as_python(kernel: Any) -> Callable[..., Any]:
    """A kernel, and all that it calls, as Python."""
    return _Rebuilt().function(kernel)


class _Rebuilt:
    """Functions and module namespaces rebuilt so far."""

    def __init__(self) -> None:
        self._namespaces: dict[int, dict[str, Any]] = {}
        self._functions: dict[int, FunctionType] = {}

    def function(self, kernel: Any) -> Any:
        """A kernel as a function; anything else as it is."""
        if not isinstance(kernel, Kernel):
            return kernel
        original = kernel.function
        if id(original) not in self._functions:
            cells = tuple(CellType(self.function(c.cell_contents)) for c in original.__closure__ or ())
            namespace = self._namespace(original.__globals__)
            if id(original) in self._functions:  # met again on the way through its own module
                return self._functions[id(original)]
            rebuilt = FunctionType(
                original.__code__, namespace, original.__name__, original.__defaults__, cells or None
            )
            self._functions[id(original)] = rebuilt
        return self._functions[id(original)]

    def _namespace(self, original: dict[str, Any]) -> dict[str, Any]:
        if id(original) not in self._namespaces:
            copy = self._namespaces[id(original)] = dict(original)
            for name, value in original.items():
                if isinstance(value, Kernel):
                    copy[name] = self.function(value)
        return self._namespaces[id(original)]
