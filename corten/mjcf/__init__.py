"""The MJCF compiler: text in, the sizes and arrays of a Model out."""

from corten.mjcf.compile import CompiledModel, compile_path, compile_string
from corten.mjcf.errors import MjcfError

__all__ = ["CompiledModel", "MjcfError", "compile_path", "compile_string"]
