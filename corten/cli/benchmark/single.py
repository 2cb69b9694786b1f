"""One world, one thread: steps per second."""

from __future__ import annotations

from corten.cli.benchmark.cases import Case
from corten.cli.benchmark.timing import Row, best_of, once
from corten.conformance.engines import Reference

SECONDS = 0.2  # of one repetition
REPETITIONS = 7


def measure(case: Case, ref: Reference) -> Row:
    """`corten.step(m, d, n)` against `mj_step(m, d, n)`, from the same state, n for about `SECONDS`."""
    import corten

    case.restore()
    corten.step(case.m, case.d, 1)  # compiles, where the cache is empty
    probe = once(lambda: ref.step(case.ref_m, case.ref_d, 50))
    n = max(10, round(50 * SECONDS / max(probe, 1e-9)))
    works = {
        "ours": lambda: corten.step(case.m, case.d, n),
        "theirs": lambda: ref.step(case.ref_m, case.ref_d, n),
    }
    best = best_of(works, REPETITIONS, case.restore)
    case.restore()
    ref.forward(case.ref_m, case.ref_d)
    return Row(case.name, n / best["ours"], n / best["theirs"], "steps/s", case.size)
