"""The bar that is shown while kernels compile."""

from __future__ import annotations

import sys
from collections.abc import Callable


def progress_bar() -> Callable[[int, int, str], None] | None:
    """A callback that draws a bar on a terminal; None where standard error is not one."""
    if not sys.stderr.isatty():
        return None
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("compiling"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("", total=None)
    bar.start()

    def update(done: int, total: int, name: str) -> None:
        bar.update(task, completed=done, total=total, description=name.removeprefix("corten."))
        if done == total:
            bar.stop()

    return update
