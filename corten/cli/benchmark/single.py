"""One world, one thread: steps per second."""

from __future__ import annotations

from corten.cli.benchmark.cases import Case
from corten.cli.benchmark.timing import Row, best_of, once
from corten.conformance.engines import Reference

STEPS = 500  # of one repetition: few enough to stay near the state
SECONDS = 1.0  # of all repetitions of one engine, roughly
LEAST, MOST = 5, 200  # repetitions


def measure(case: Case, ref: Reference) -> Row:
    """`corten.step(m, d, STEPS)` against `mj_step(m, d, STEPS)`, from the same state."""
    import corten

    case.restore()
    corten.step(case.m, case.d, 1)  # compiles, where the cache is empty
    works = {
        "ours": lambda: corten.step(case.m, case.d, STEPS),
        "theirs": lambda: ref.step(case.ref_m, case.ref_d, STEPS),
    }
    repetitions = round(SECONDS / max(once(works["theirs"]), 1e-9))
    best = best_of(works, min(max(repetitions, LEAST), MOST), case.restore)
    case.restore()
    ref.forward(case.ref_m, case.ref_d)
    return Row(case.name, STEPS / best["ours"], STEPS / best["theirs"], "steps/s", case.size, fair=not case.missing)
