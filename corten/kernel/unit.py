"""A unit of compilation: one entry with all the kernels it calls, as one LLVM module.

Stages (`@stage`) that it calls are not part of it: they are units of their own, called by name and linked when loaded.
So stages compile in parallel, and an edit recompiles only the stages that can see it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from corten.kernel.errors import KernelError
from corten.kernel.translate import FunctionTranslator
from corten.kernel.types import NONE, Argument, Type, argument_text

INLINE_LINES = 120  # a function up to this many instructions is inlined wherever it is called
COMMON = 'nounwind "prefer-vector-width"="512"'
ATTRIBUTES = f"attributes #0 = {{ {COMMON} }}\nattributes #1 = {{ {COMMON} alwaysinline }}"


def symbol_of(kernel: Any, arguments: list[Argument]) -> str:
    """The linker's name of an entry."""
    return f"{kernel.symbol_name}|{','.join(argument_text(a) for a in arguments)}"


@dataclass
class Unit:
    """One module under translation, and then its text and the stages it needs."""

    kernel: Any
    arguments: list[Argument]
    intrinsics: dict[str, str] = field(default_factory=dict)
    functions: list[str] = field(default_factory=list)
    needs: dict[str, tuple[Any, list[Argument]]] = field(default_factory=dict)
    returns: Type = NONE

    def __post_init__(self) -> None:
        self._known: dict[Any, tuple[str, Type]] = {}
        self._open: list[Any] = []
        self.symbol = symbol_of(self.kernel, self.arguments)

    def translate(self) -> str:
        """The module's text."""
        self.returns = self._define(self.kernel, self.arguments, f'"{self.symbol}"', "#0")
        declarations = list(self.intrinsics.values())
        for symbol, (_, arguments) in self.needs.items():
            kinds = [r for a in arguments if not isinstance(a, tuple) for r in a.regs]
            declarations.append(f'declare void @"{symbol}"({", ".join(kinds)})')
        return "\n".join([*declarations, *self.functions, ATTRIBUTES, "!0 = !{}", ""])

    def callee(self, kernel: Any, arguments: list[Argument]) -> tuple[str, Type]:
        """(symbol, return type) of a kernel for these arguments, translating it if that has not been done."""
        if kernel.is_stage:
            symbol = symbol_of(kernel, arguments)
            self.needs[symbol] = (kernel, arguments)
            return f'"{symbol}"', NONE
        key = (kernel, *arguments)
        if key in self._open:
            raise KernelError("a kernel can not call itself", kernel.__qualname__, kernel.function.__code__.co_filename)
        if key not in self._known:
            symbol = f'"{kernel.__name__}.{len(self._known) + len(self._open)}"'
            self._open.append(key)
            try:
                returns = self._define(kernel, arguments, symbol, None)
            finally:  # the caller may catch the error and try again with wider types
                self._open.pop()
            self._known[key] = symbol, returns
        return self._known[key]

    def _define(self, kernel: Any, arguments: list[Argument], symbol: str, attribute: str | None) -> Type:
        translator = FunctionTranslator(self, kernel.function, arguments)
        returns, body, parameters = translator.run()
        if kernel.is_stage and returns != NONE:
            raise KernelError("a stage returns nothing", kernel.__qualname__, kernel.function.__code__.co_filename)
        linkage = "" if attribute else "internal "
        if attribute is None:
            attribute = "#1" if len(body.lines) <= INLINE_LINES else "#0"
        kinds = returns.regs
        result = "void" if not kinds else kinds[0] if len(kinds) == 1 else "{" + ", ".join(kinds) + "}"
        text = [f"define {linkage}{result} @{symbol}({', '.join(parameters)}) {attribute} {{", "entry:"]
        text += body.allocas
        text += body.lines
        if body.open:
            text.append("  unreachable")
        text.append("}")
        self.functions.append("\n".join(text))
        return returns
