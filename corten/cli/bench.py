"""`corten bench`: speed of both engines, measured in one run."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from corten.cli.benchmark.cases import Case
    from corten.cli.benchmark.timing import Row
    from corten.conformance.engines import Reference

MODELS = typer.Argument(
    None, metavar="[MODEL]...", help="Models; the bundled and the installed benchmark models if none."
)
SINGLE = typer.Option(False, "--single", help="One world, one thread. The default if nothing else is asked for.")
BATCH = typer.Option(0, "--batch", metavar="N", help="N worlds against mujoco.rollout.", min=0)
THREADS = typer.Option(os.cpu_count() or 1, "--threads", help="Threads of a batch, for both engines.", min=1)
DERIVATIVES = typer.Option(False, "--derivatives", help="Derivatives against the reference's finite differences.")
STARTUP = typer.Option(False, "--startup", help="Import, load and first step, with an empty and a filled cache.")
STAGES = typer.Option(False, "--stages", help="Microseconds of each stage of a step.")
DISABLE = typer.Option(None, "--disable", help="Flags to switch off in both engines, separated by commas.")
STAGE_TITLE = "stages"  # of one step: their ratios have no meaningful mean
JSON = typer.Option(None, "--json", metavar="FILE", help="Write the measurements to a file.")


def bench(
    models: list[str] | None = MODELS,
    single: bool = SINGLE,
    batch: int = BATCH,
    threads: int = THREADS,
    derivatives: bool = DERIVATIVES,
    startup: bool = STARTUP,
    stages: bool = STAGES,
    disable: str | None = DISABLE,
    json: Path | None = JSON,
) -> None:
    """Measure Corten against the reference engine; ratios above 1 mean that Corten is faster."""
    from corten.cli import loading
    from corten.cli.benchmark import cases
    from corten.cli.output import check_writable, console, write_json
    from corten.conformance import scope

    if json is not None:
        check_writable(json)
    asked = {n.strip() for n in (disable or "").split(",") if n.strip()}
    flags = tuple(sorted(asked | set(scope.DISABLED)))  # what Corten does not do yet, the reference must not do either
    paths = [loading.find(n) for n in models] if models else cases.default_models()
    ref = cases.reference()
    kinds = _kinds(ref, batch, threads, single, derivatives, stages, startup)
    console.print(f"reference: mujoco {ref.version}; switched off in both: {', '.join(flags) or 'nothing'}")
    results: dict[str, Any] = {"reference": ref.version, "disabled": list(flags), "threads": threads}
    for title, measure in kinds.items():
        rows = _measure_models(title, measure, paths, ref, flags)
        results[title] = [r.as_dict() for r in rows]
    if startup:
        rows = _measure_startup(paths[0] if models else loading.find("humanoid"))
        results["startup"] = [r.as_dict() for r in rows]
    if json is not None:
        write_json(json, results)


def _kinds(
    ref: Reference, batch: int, threads: int, single: bool, derivatives: bool, stages: bool, startup: bool
) -> dict[str, Any]:
    """What to measure of each model: a title and a function from a case to rows."""
    from corten.cli.benchmark import batch as many
    from corten.cli.benchmark import derivatives as slopes
    from corten.cli.benchmark import single as one
    from corten.cli.benchmark import stage_times

    kinds: dict[str, Any] = {}
    if single or not (batch or derivatives or stages or startup):
        kinds["one world"] = lambda case: [one.measure(case, ref)]
    if batch:
        kinds[f"{batch} worlds, {threads} threads"] = lambda case: [many.measure(case, ref, batch, threads)]
    if derivatives:
        kinds["derivatives"] = lambda case: [slopes.measure(case, ref)]
    if stages:
        kinds[STAGE_TITLE] = lambda case: stage_times.measure(case, ref)
    return kinds


def _measure_models(
    title: str, measure: Callable[[Case], list[Row]], paths: list[Path], ref: Reference, flags: tuple[str, ...]
) -> list[Row]:
    """One table of all models."""
    from corten.cli.benchmark.cases import Refusal, cases
    from corten.cli.output import console, progress

    rows: list[Row] = []
    refused: list[Refusal] = []
    with progress(title, len(paths)) as bar:
        for case in cases(paths, ref, flags):
            if isinstance(case, Refusal):
                refused.append(case)
            else:
                rows += measure(case)
            bar.advance()
    console.print(_table(title, rows, mean=title != STAGE_TITLE))
    for refusal in refused:
        console.print(f"refused: {refusal.name}: {refusal.reason}", highlight=False, soft_wrap=True)
    return rows


def _measure_startup(path: Path) -> list[Row]:
    from corten.cli.benchmark import startup
    from corten.cli.output import console, progress

    with progress("start-up", 3) as bar:
        rows = startup.measure(path, bar.advance)
    console.print(_table(f"start-up with {path.name}", rows, mean=False))
    return rows


def _table(title: str, rows: list[Row], mean: bool) -> Table:
    from rich.table import Table

    from corten.cli.benchmark.timing import geometric_mean
    from corten.cli.output import si

    table = Table(title=title, title_justify="left", box=None)
    for heading in ("", "size", "unit"):
        table.add_column(heading)
    for heading in ("corten", "reference", "ratio"):
        table.add_column(heading, justify="right")
    for row in rows:
        theirs, ratio = (si(row.theirs), f"{row.ratio:.2f}x") if row.theirs else ("", "")
        table.add_row(row.name, row.note, row.unit, si(row.ours), theirs, ratio)
    ratios = [r.ratio for r in rows if r.theirs and r.fair]
    if mean and len(ratios) > 1:
        table.add_section()
        table.add_row("geometric mean", "", "", "", "", f"{geometric_mean(ratios):.2f}x")
    return table
