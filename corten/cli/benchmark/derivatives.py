"""The linearised step: exact, on dual numbers, against the reference's finite differences."""

from __future__ import annotations

import numpy as np

from corten.cli.benchmark.cases import Case
from corten.cli.benchmark.timing import Row, best_of
from corten.conformance.engines import Reference
from corten.model.enums import Integrator

REPETITIONS = 7
EPSILON = 1e-6


def measure(case: Case, ref: Reference) -> Row:
    """A and B of one step: `corten.transition` against `mjd_transitionFD`, whose differences are one-sided.

    The reference has none for Runge-Kutta's method: then only Corten is measured.
    """
    import corten

    case.restore()
    corten.transition(case.m, case.d)  # compiles, where the cache is empty
    n = 2 * case.ref_m.nv + case.ref_m.na
    a, b = np.zeros((n, n)), np.zeros((n, case.ref_m.nu))
    controls = b if case.ref_m.nu else None
    works = {"ours": lambda: corten.transition(case.m, case.d)}
    if case.m.opt.integrator != Integrator.RK4:
        works["theirs"] = lambda: ref.mj.mjd_transitionFD(
            case.ref_m, case.ref_d, EPSILON, False, a, controls, None, None
        )
    best = best_of(works, REPETITIONS, case.restore)
    theirs = 1e6 * best.get("theirs", 0.0)
    return Row(case.name, 1e6 * best["ours"], theirs, "us", case.size, fair=not case.missing)
