"""What goes wrong in a kernel is said with its name, file and line; and what a wrong word was perhaps meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class KernelError(Exception):
    """A kernel uses something that the kernel language does not have, or uses it wrongly."""

    def __init__(self, message: str, kernel: str = "", file: str = "", line: int = 0):
        self.message, self.kernel, self.file, self.line = message, kernel, file, line
        where = f"{file}:{line}: in kernel '{kernel}': " if kernel else ""
        super().__init__(where + message)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` (did you mean 'damping'?)`, or nothing where no known word is close."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean '{close[0]}'?)" if close else ""
