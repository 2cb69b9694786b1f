"""Microseconds of each stage of a step, beside the reference's function of the same purpose where it has one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from corten.cli.benchmark.cases import Case
from corten.cli.benchmark.timing import Row, best_of
from corten.cli.problem import Problem
from corten.conformance.engines import Reference
from corten.engine import run
from corten.kernel import JIT, Kernel

CALLS = 200  # in one measurement
REPETITIONS = 9
RESOLUTION = 0.02  # microseconds: less can not be told from what a call itself costs

EMPTY = "<mujoco/>"  # a world without anything

# The reference's functions, by the name of our stage.
THEIRS = {
    "kinematics": "mj_kinematics",
    "centre_of_mass": "mj_comPos",
    "cameras_and_lights": "mj_camlight",
    "tendon": "mj_tendon",
    "joint_inertia": "mj_makeM",
    "factor_inertia": "mj_factorM",
    "collision": "mj_collision",
    "constraint_rows": "mj_makeConstraint",
    "transmission": "mj_transmission",
    "body_velocity": "mj_comVel",
    "passive": "mj_passive",
    "reference_acceleration": "mj_referenceConstraint",
    "bias": "mj_rne",
    "actuation": "mj_fwdActuation",
    "smooth_acceleration": "mj_fwdAcceleration",
    "constraint_solve": "mj_fwdConstraint",
    "forward": "mj_forward",
}


def stages() -> Iterator[tuple[str, Kernel]]:
    """The stages of `forward` in the order of their calls, as the source of the step names them."""
    from corten.physics import step

    yield from _stages_in(step.forward, set())


def _stages_in(kernel: Any, seen: set[str]) -> Iterator[tuple[str, Kernel]]:
    for name in kernel.function.__code__.co_names:
        found = kernel.function.__globals__.get(name)
        if isinstance(found, Kernel) and name not in seen:
            seen.add(name)
            if found.is_stage:
                yield name, found
            elif found.function.__module__ == kernel.function.__module__:
                yield from _stages_in(found, seen)


def measure(case: Case, ref: Reference) -> list[Row]:
    """One row for each stage, and one for the whole of `forward`.

    Before each both engines run `forward`, so that every stage finds what the earlier ones compute, and the memory that
    they need. So the solver starts at its own solution. What the same call costs in an empty world is taken off.
    """
    import corten
    from corten.physics import step

    if not JIT:
        raise Problem("CORTEN_JIT=0: there are no compiled stages to measure")
    case.restore()
    idle, ref_idle = corten.Model.from_xml_string(EMPTY), ref.mj.MjModel.from_xml_string(EMPTY)
    ours = [(case.m, case.d), (idle, corten.Data(idle))]
    theirs = [(case.ref_m, case.ref_d), (ref_idle, ref.data(ref_idle))]
    rows = []
    measured: list[tuple[str, Any]] = [*stages(), ("forward", step.forward)]
    for name, kernel in measured:
        for m, d in ours:
            corten.forward(m, d)
        for m, d in theirs:
            ref.forward(m, d)
        works = {f"ours {i}": run(kernel, m, d) for i, (m, d) in enumerate(ours)}
        if name in THEIRS:
            function = getattr(ref.mj, THEIRS[name])
            for i, (m, d) in enumerate(theirs):
                more = (0, np.zeros(m.nv)) if name == "bias" else ()
                works[f"theirs {i}"] = functools.partial(function, m, d, *more)
        best = _microseconds(works)
        net = {side: max(best[f"{side} 0"] - best[f"{side} 1"], RESOLUTION) for side in ("ours", "theirs")
               if f"{side} 0" in best}  # fmt: skip
        rows.append(Row(f"{case.name}: {name}", net["ours"], net.get("theirs", 0.0), "us"))
    return rows


def _microseconds(works: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Of one call each, Python's part included."""

    def many(work: Callable[[], object]) -> Callable[[], object]:
        def repeat() -> None:
            for _ in range(CALLS):
                work()

        return repeat

    best = best_of({name: many(work) for name, work in works.items()}, REPETITIONS)
    return {name: 1e6 * seconds / CALLS for name, seconds in best.items()}
