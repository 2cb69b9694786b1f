"""A whole comparison: models found, loaded in both engines, compared stage by stage, and summed up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corten.model.enums import Cone, EnableBit, Solver

from . import scope
from .compare import Difference, worst
from .compiled import compare_compiled
from .engines import Corten, Engine, Reference, Refused
from .forward import Pair, compare_default_solver, compare_forward, compare_inverse
from .stages import EXACT_SOLVER, FORWARD, STAGES, select
from .states import states_of
from .trajectory import compare_trajectory

SOLVERS = {s.name.lower(): s.value for s in Solver}
CONES = {c.name.lower(): c.value for c in Cone}


@dataclass(slots=True)
class Report:
    """The verdict on one model."""

    path: Path
    status: str = "passed"  # passed, failed, refused (by us alone), skipped (the reference refuses it too)
    reason: str = ""
    stages: tuple[str, ...] = ()
    differences: list[Difference] = field(default_factory=list)
    not_unique: int = 0  # states and trajectories left early because contacts have several right answers
    features: tuple[str, ...] = ()  # what it uses that is not covered yet

    @property
    def worst(self) -> Difference | None:
        """The worst field of the first stage that fails, or of all stages if none does."""
        first = self.first_failing
        return worst([x for x in self.differences if first is None or x.stage == first])

    @property
    def first_failing(self) -> str | None:
        """The first stage with a field out of tolerance."""
        failing = {x.stage for x in self.differences if not x.passed}
        return next((s for s in STAGES if s in failing), None)

    def as_dict(self) -> dict[str, Any]:
        """For `--json`: the verdict, and each stage's worst field with all that fail."""
        stages: dict[str, Any] = {}
        for stage in self.stages:
            mine = [x for x in self.differences if x.stage == stage]
            top = worst(mine)
            failed = {x.field: _entry(x) for x in mine if not x.passed}
            stages[stage] = {
                "compared": len(mine), "worst": _entry(top) if top else None, "failed": list(failed.values())
            }  # fmt: skip
        return {
            "model": self.path.as_posix(),
            "status": self.status,
            "reason": self.reason,
            "first_failing": self.first_failing,
            "not_unique": self.not_unique,
            "features_not_covered": list(self.features),
            "stages": stages,
        }


def _entry(x: Difference) -> dict[str, Any]:
    error = x.error if x.error < float("inf") else None
    return {"field": x.field, "state": x.state, "error": error, "tolerance": x.tolerance, "detail": x.detail}


@dataclass(slots=True)
class Settings:
    """What to compare and how."""

    stages: tuple[str, ...] = STAGES
    disable: tuple[str, ...] = ()  # besides those that scope.DISABLED lists
    integrators: tuple[str, ...] = ()  # of trajectories; empty for the model's own
    solver: str = ""  # "pgs", "cg" or "newton"; empty for the model's own
    cone: str = ""  # "pyramidal" or "elliptic"; empty for the model's own
    seed: int = 0

    def covered(self) -> tuple[str, ...]:
        """The chosen stages without those that are not covered yet."""
        return tuple(s for s in select(self.stages) if s not in scope.STAGES_NOT_COVERED)


def find_models(paths: Iterable[Path]) -> list[Path]:
    """Files as they are; of folders, every .xml file below them. `FileNotFoundError` for what does not exist."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(path.rglob("*.xml"))
        elif path.is_file():
            found.append(path)
        else:
            raise FileNotFoundError(f"no such file or folder: {path}")
    return found


def conform(
    paths: Iterable[Path], settings: Settings, ours: Engine | None = None, reference: Reference | None = None
) -> Iterator[Report]:
    """Compare each model; one report each, as soon as it is done."""
    reference = reference or Reference()
    ours = ours or Corten()
    check_flags(reference, settings)
    for path in paths:
        yield compare_model(path, settings, reference, ours)


def check_flags(reference: Reference, settings: Settings) -> None:
    """`ValueError` for a flag, an integrator, a solver or a cone that does not exist."""
    for known, given, what in (
        (reference.disable_bits(), settings.disable, "disable flag"),
        (reference.integrators(), [i.lower() for i in settings.integrators], "integrator"),
        (SOLVERS, [settings.solver] if settings.solver else [], "solver"),
        (CONES, [settings.cone] if settings.cone else [], "cone"),
    ):
        for name in given:
            if name not in known:
                raise ValueError(f"no {what} is called '{name}' (there are: {', '.join(known)})")


def compare_model(path: Path, settings: Settings, reference: Reference, ours: Engine) -> Report:
    """One model through all chosen stages. Later stages are compared even when an earlier one fails."""
    report = Report(path)
    try:
        theirs = reference.load(path)
    except Refused as error:
        report.status, report.reason = "skipped", f"the reference does not load it: {_first_line(error)}"
        return report
    try:
        mine = ours.load(path)
    except Refused as error:
        report.status, report.reason = "refused", _first_line(error)
        return report
    except Exception as error:  # whatever goes wrong inside one model is that model's verdict, not the end of the run
        return _crashed(report, error)
    try:
        _compare_stages(report, settings, reference, ours, (theirs, mine))
    except Refused as error:
        report.status, report.reason = "skipped", f"the reference gives up: {_first_line(error)}"
    except Exception as error:
        return _crashed(report, error)
    if report.first_failing:
        report.status = "failed"
    return report


def _crashed(report: Report, error: Exception) -> Report:
    report.status, report.reason = "failed", f"{type(error).__name__}: {_first_line(error)}"
    return report


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def _compare_stages(
    report: Report, settings: Settings, reference: Reference, ours: Engine, models: tuple[Any, Any]
) -> None:
    features = scope.features_of(models[0])
    report.features = tuple(f.name for f in features)
    left_out = {s for f in features for s in f.stages}
    stages = report.stages = tuple(s for s in settings.covered() if s not in left_out)
    if "compile" in stages:
        report.differences += compare_compiled(reference, ours, models)
    if set(stages) <= {"compile"}:
        return
    _set_flags(reference, settings, models)
    pair = Pair(reference, ours, models, without={n for f in features for n in f.fields})
    states = states_of(models[0], settings.seed)
    if any(s in stages for s in (*FORWARD, "inverse")):
        for state in states:
            differences, unique = compare_forward(pair, state, stages)
            report.differences += differences
            report.not_unique += not unique
            if "solve" in stages and unique:
                report.differences += compare_default_solver(pair, state)
            if "inverse" in stages and unique:
                report.differences += compare_inverse(pair, state)
    if "trajectory" in stages:
        _compare_trajectories(report, settings, reference, pair, states)


def _set_flags(reference: Reference, settings: Settings, models: tuple[Any, Any]) -> None:
    """The same flags and settings in both: what is not covered yet switched off, energy switched on."""
    bits = reference.disable_bits()
    off = sum(bits[name] for name in {*settings.disable, *scope.DISABLED})
    cleared = sum(EnableBit[name.upper()] for name in scope.CLEARED)
    for m in models:
        m.opt.disableflags = int(m.opt.disableflags) | off
        m.opt.enableflags = (int(m.opt.enableflags) & ~cleared) | EnableBit.ENERGY
        if settings.solver:
            m.opt.solver = SOLVERS[settings.solver]
        if settings.cone:
            m.opt.cone = CONES[settings.cone]


def _compare_trajectories(
    report: Report, settings: Settings, reference: Reference, pair: Pair, states: list[Any]
) -> None:
    known = reference.integrators()
    names = {number: name for name, number in known.items()}
    own = names[int(pair.models[0].opt.integrator)]
    # conjugate gradients stop anywhere within their tolerance, by paths that rounding decides
    options = EXACT_SOLVER if int(pair.models[0].opt.solver) == Solver.CG else {}
    for integrator in [i.lower() for i in settings.integrators] or [own]:
        with pair.options(integrator=known[integrator], **options):
            for state in states:
                if not state.label.startswith("random"):
                    differences, unique = compare_trajectory(pair, state, integrator, settings.seed)
                    report.differences += differences
                    report.not_unique += not unique
