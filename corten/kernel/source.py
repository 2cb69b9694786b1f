"""From a kernel to its text: the syntax tree, the names it refers to, and a digest of everything it depends on."""

from __future__ import annotations

import ast
import builtins
import enum
import functools
import hashlib
import linecache
import textwrap
import types
from collections.abc import Callable, Iterator
from typing import Any

from corten.kernel.errors import KernelError


def _file_lines(function: Callable[..., Any]) -> list[str]:
    name = function.__code__.co_filename
    linecache.checkcache(name)
    lines = linecache.getlines(name, function.__globals__)
    if not lines:
        raise KernelError("its source text is not to be had", function.__qualname__, name)
    return lines


@functools.cache
def _module_functions(file: str, text: str) -> dict[int, ast.FunctionDef]:
    """Every function definition of a file by the lines of its `def` and of its first decorator."""
    found: dict[int, ast.FunctionDef] = {}
    for node in ast.walk(ast.parse(textwrap.dedent(text), file)):
        if isinstance(node, ast.FunctionDef):
            found[node.lineno] = node
            if node.decorator_list:
                found[node.decorator_list[0].lineno] = node
    return found


def syntax(function: Callable[..., Any]) -> ast.FunctionDef:
    """The syntax tree of a function."""
    text = "".join(_file_lines(function))
    node = _module_functions(function.__code__.co_filename, text).get(function.__code__.co_firstlineno)
    if node is None:
        raise KernelError(
            "its source text is not where Python says", function.__qualname__, function.__code__.co_filename
        )
    return node


def resolve(function: Callable[..., Any], name: str) -> Any:
    """What a name that the function does not assign refers to: closure, module, builtins; KeyError if nothing."""
    code = function.__code__
    if name in code.co_freevars and function.__closure__ is not None:
        return function.__closure__[code.co_freevars.index(name)].cell_contents
    if name in function.__globals__:
        return function.__globals__[name]
    return vars(builtins)[name]


def references(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """(name, object) for every global or closure name that the function may use."""
    for name in (*function.__code__.co_names, *function.__code__.co_freevars):
        try:
            yield name, resolve(function, name)
        except KeyError:
            continue  # an attribute's name, or undefined: the translator says so if it is used


def constant_text(obj: Any) -> str | None:
    """The text by which a constant enters a digest; None if the object is not a constant."""
    if isinstance(obj, (bool, int, float, str, type(None))):
        return repr(obj)
    if isinstance(obj, tuple):
        parts = [constant_text(o) for o in obj]
        return None if None in parts else f"({','.join(str(p) for p in parts)})"
    if isinstance(obj, type) and issubclass(obj, enum.Enum):
        return repr([(m.name, m.value) for m in obj])
    return None


def closure_digest(roots: list[Callable[..., Any]], kernel_of: Callable[[Any], Callable[..., Any] | None]) -> str:
    """A digest of all source that compiling the roots can read.

    Follows kernels to kernels (`kernel_of` gives the function of a kernel, None for anything else and for a stage,
    which is compiled apart). A file counts whole; constants that come from elsewhere count by their value. So there is
    no edit that changes the code of a kernel and not its digest.
    """
    seen: set[int] = set()
    texts: set[str] = set()
    todo = list(roots)
    while todo:
        function = todo.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        texts.add(
            f"{function.__qualname__}@{_file_digest(function.__code__.co_filename, ''.join(_file_lines(function)))}"
        )
        for name, obj in references(function):
            inner = kernel_of(obj)
            if inner is not None:
                todo.append(inner)
                continue
            text = constant_text(obj)
            if text is not None:
                texts.add(f"{function.__module__}.{name}={text}")
            elif isinstance(obj, types.FunctionType):
                texts.add(f"{obj.__module__}.{obj.__qualname__}")
        for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            texts.add(f"{function.__qualname__}:{constant_text(default)}")
    return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()


@functools.cache
def _file_digest(file: str, text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
