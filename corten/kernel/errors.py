"""What goes wrong in a kernel is said with its name, file and line."""

from __future__ import annotations


class KernelError(Exception):
    """A kernel uses something that the kernel language does not have, or uses it wrongly."""

    def __init__(self, message: str, kernel: str = "", file: str = "", line: int = 0):
        self.message, self.kernel, self.file, self.line = message, kernel, file, line
        where = f"{file}:{line}: in kernel '{kernel}': " if kernel else ""
        super().__init__(where + message)
