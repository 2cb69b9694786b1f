"""The MJCF compiler: text in, the sizes and arrays of a Model out.

The compiler and the libraries that it needs are imported when a model is first compiled, so that `import corten` is
quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corten.mjcf.errors import MjcfError, MjcfWarning

if TYPE_CHECKING:
    from corten.mjcf.compile import CompiledModel, compile_path, compile_string

__all__ = ["CompiledModel", "MjcfError", "MjcfWarning", "compile_path", "compile_string"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from corten.mjcf import compile as compiler

        return getattr(compiler, name)
    raise AttributeError(f"module 'corten.mjcf' has no attribute '{name}'")
