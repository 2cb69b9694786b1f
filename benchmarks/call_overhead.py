"""Microseconds that one call of `corten.step` costs beyond the step itself."""

from __future__ import annotations

import corten
from corten import models
from corten.cli.benchmark.timing import best_of

CALLS = 20_000


def main() -> None:
    m = corten.Model.from_xml_path(models.path("pendulum"))
    d = corten.Data(m)
    corten.step(m, d)

    def many_calls() -> None:
        for _ in range(CALLS):
            corten.step(m, d)

    best = best_of({"calls": many_calls, "steps": lambda: corten.step(m, d, CALLS)}, repetitions=7)
    per_call, per_step = (1e6 * best[k] / CALLS for k in ("calls", "steps"))
    print(f"one call of one step   {per_call:6.2f} us")
    print(f"one step inside a call {per_step:6.2f} us")
    print(f"overhead of a call     {per_call - per_step:6.2f} us")


if __name__ == "__main__":
    main()
