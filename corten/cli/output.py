"""How the command line shows numbers and progress."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from corten.cli.problem import Problem

# Tables go to standard output at the width of the terminal, or wide enough for a file; progress goes to standard error.
console = Console(soft_wrap=False)
if not console.is_terminal:
    console = Console(width=140)
progress_console = Console(stderr=True)


class Bar:
    """Progress of one task."""

    def __init__(self, progress: Progress, what: str, total: int | None) -> None:
        self._progress = progress
        self._task = progress.add_task(what, total=total)

    def at(self, done: int, total: int | None = None, what: str | None = None) -> None:
        """So much is done; perhaps of another total, perhaps under another name."""
        self._progress.update(self._task, completed=done, total=total, description=what)

    def advance(self) -> None:
        """One more is done."""
        self._progress.advance(self._task)


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Bar]:
    """A bar on standard error that vanishes when done."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=progress_console, transient=True) as bar:
        yield Bar(bar, what, total)


def si(value: float) -> str:
    """A rate in three digits: 1.23M, 45.6k, 789."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def write_json(path: Path, content: Any) -> None:
    """Save what a command found, for machines."""
    check_writable(path)
    path.write_text(json.dumps(content, indent=1) + "\n")


def check_writable(path: Path) -> None:
    """Fail before the work is done, not after."""
    if not path.parent.is_dir():
        raise Problem(f"cannot write {path}: there is no folder {path.parent}")
