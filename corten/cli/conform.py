"""`corten conform`: the same numbers as the reference engine?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from corten.conformance import Report, Settings

MODELS = typer.Argument(
    None, metavar="[MODEL]...", help="Model files, folders, or bundled names; all bundled ones if none."
)
STAGE = typer.Option(None, "--stage", help="Only these stages, separated by commas.")
DISABLE = typer.Option(None, "--disable", help="Flags to switch off in both engines, separated by commas.")
INTEGRATOR = typer.Option(None, "--integrator", help="Integrators of the trajectories instead of the model's own.")
SOLVER = typer.Option("", "--solver", help="Solver of constraints (pgs, cg, newton) instead of the model's own.")
CONE = typer.Option("", "--cone", help="Friction cone (pyramidal, elliptic) instead of the model's own.")
SEED = typer.Option(0, "--seed", help="Seed of the random states and controls.")
JSON = typer.Option(None, "--json", metavar="FILE", help="Write everything that was found to a file.")


def conform(
    models: list[str] | None = MODELS,
    stage: str | None = STAGE,
    disable: str | None = DISABLE,
    integrator: str | None = INTEGRATOR,
    solver: str = SOLVER,
    cone: str = CONE,
    seed: int = SEED,
    json: Path | None = JSON,
) -> None:
    """Compare with the reference engine, stage by stage; exit code 1 if a model fails."""
    from corten.cli.output import check_writable, console, progress, write_json
    from corten.cli.problem import CHECK_FAILED, Problem
    from corten.conformance import MissingReference, Settings
    from corten.conformance import conform as compare
    from corten.conformance.stages import STAGES, select

    if json is not None:
        check_writable(json)
    paths = _paths(models or [])
    try:
        chosen = select(_names(stage)) if stage else STAGES
        settings = Settings(chosen, _names(disable), _names(integrator), solver.lower(), cone.lower(), seed)
        reports: list[Report] = []
        with progress("comparing", len(paths)) as bar:
            for report in compare(paths, settings):
                reports.append(report)
                bar.advance()
                console.print(_line(report), highlight=False, soft_wrap=True)
    except (ValueError, MissingReference) as error:
        raise Problem(str(error)) from error
    _print_scope(settings)
    console.print(_summary(reports), highlight=False)
    if json is not None:
        write_json(json, {"scope": _scope(), "models": [r.as_dict() for r in reports]})
    if any(r.status == "failed" for r in reports):
        raise typer.Exit(CHECK_FAILED)


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(n.strip() for n in (text or "").split(",") if n.strip())


def _paths(given: list[str]) -> list[Path]:
    """The model files that the arguments name."""
    from corten import models as bundled
    from corten.cli import loading
    from corten.cli.problem import Problem
    from corten.conformance import find_models

    if not given:
        return [bundled.path(n) for n in bundled.names()]
    found: list[Path] = []
    for name in given:
        found += find_models([Path(name)]) if Path(name).is_dir() else [loading.find(name)]
    if not found:
        raise Problem(f"no model file in {', '.join(given)}")
    return found


MARKS = {
    "passed": "[green]pass[/]",
    "failed": "[red]FAIL[/]",
    "refused": "[yellow]refused[/]",
    "skipped": "[dim]skip[/]",
}


def _line(report: Report) -> str:
    """One line: the verdict, and the worst field of the first stage that fails or of all."""
    from rich.markup import escape

    head = f"{MARKS[report.status]:<18} {escape(_short(report.path))}"
    if report.reason:
        return f"{head}  {escape(report.reason)}"
    notes = [f"{report.not_unique} states end at contacts that are not unique"] if report.not_unique else []
    if report.features:
        notes.append(f"not covered: {', '.join(report.features)}")
    top = report.worst
    if top is None:
        return f"{head}  nothing to compare"
    exact = "" if top.tolerance else " (must be equal)"
    text = f"worst {top.stage} {top.field} {top.error:.1e} of {top.tolerance:.0e}{exact} in {top.state}"
    if not top.passed:
        text += f"; {top.detail}"
    return f"{head}  {escape('; '.join([text, *notes]))}"


def _short(path: Path) -> str:
    """The last two parts of a path: enough to tell models apart."""
    return "/".join(path.parts[-2:])


def _scope() -> dict[str, list[list[str]]]:
    from corten.conformance import scope

    return {
        "not covered yet": [list(x) for x in [*scope.not_covered_yet(), *_missing()]],
        "never compared": [
            ["model field", *x] for x in scope.MODEL_EXCLUDED.items()
        ] + [["data field", *x] for x in scope.DATA_EXCLUDED.items()],
    }  # fmt: skip


def _missing() -> list[tuple[str, str, str]]:
    """Fields that the reference has and Corten has not."""
    from corten.conformance import scope
    from corten.conformance.engines import Corten, Reference

    theirs, ours = Reference(), Corten()
    model = scope.missing_fields(theirs.model_fields(), ours.model_fields(), scope.MODEL_EXCLUDED)
    data = scope.missing_fields(theirs.data_fields(), ours.data_fields(), scope.DATA_EXCLUDED)
    found = [("model fields", model), ("data fields", data)]
    return [(kind, ", ".join(names), "Corten does not have them yet") for kind, names in found if names]


def _print_scope(settings: Settings) -> None:
    """What was left out of this run."""
    from rich.table import Table

    from corten.cli.output import console
    from corten.conformance import scope

    rows = [*scope.not_covered_yet(), *_missing(), *(("flag off", n, "--disable") for n in settings.disable)]
    if not rows:
        return
    table = Table(title="not compared in this run (corten/conformance/scope.py)", title_justify="left", box=None)
    for heading in ("kind", "what", "why"):
        table.add_column(heading)
    for row in rows:
        table.add_row(*row)
    console.print(table)


def _summary(reports: list[Report]) -> str:
    """Counts of the verdicts."""
    counts = {status: sum(r.status == status for r in reports) for status in MARKS}
    fields = sum(len(r.differences) for r in reports)
    return (
        f"{len(reports)} models: {counts['passed']} passed, {counts['failed']} failed, {counts['refused']} refused, "
        f"{counts['skipped']} skipped (the reference refuses them too); {fields} comparisons"
    )
