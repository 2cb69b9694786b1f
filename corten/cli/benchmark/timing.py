"""Fair timing of two things: in turn, several times, the best of each."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass


def once(work: Callable[[], object]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best_of(
    works: Mapping[str, Callable[[], object]], repetitions: int, before: Callable[[], None] | None = None
) -> dict[str, float]:
    """Best seconds of each, taken in turn so that a slow moment of the machine hits all alike.

    `before` restores what the work changes and is not timed.
    """
    best = dict.fromkeys(works, math.inf)
    for _ in range(repetitions):
        for name, work in works.items():
            if before is not None:
                before()
            best[name] = min(best[name], once(work))
    return best


@dataclass(slots=True)
class Row:
    """One line of a result: what was measured of both engines. Of a unit per second more is better, of a time less."""

    name: str
    ours: float
    theirs: float
    unit: str  # "steps/s", "s", "us"
    note: str = ""
    fair: bool = True  # whether both engines do the same work; if not, it does not count in the mean

    @property
    def ratio(self) -> float:
        """How many times faster Corten is; above 1 is faster."""
        return self.ours / self.theirs if self.unit.endswith("/s") else self.theirs / self.ours

    def as_dict(self) -> dict[str, object]:
        """For a JSON file."""
        return {"name": self.name, "corten": self.ours, "reference": self.theirs, "unit": self.unit,
                "ratio": self.ratio if self.theirs else None, "note": self.note, "fair": self.fair}  # fmt: skip


def geometric_mean(values: Iterable[float]) -> float:
    """exp(mean(log x)): the mean of ratios."""
    logs = [math.log(v) for v in values]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan
