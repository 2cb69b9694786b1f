"""What goes wrong for the user: a message and an exit code, raised anywhere below the command line."""

from __future__ import annotations

CHECK_FAILED = 1
WRONG_USE = 2
INTERRUPTED = 130


class Problem(Exception):
    """An error that is the input's or the user's, told without a traceback."""

    def __init__(self, message: str, code: int = WRONG_USE) -> None:
        super().__init__(message)
        self.code = code
