"""`d.solver`: what the constraint solver did, iteration by iteration, under mjSolverStat's names."""

from __future__ import annotations

import numpy as np

from corten.kernel.record import Record
from corten.physics.constraint.statistics import COUNTED, KEPT, NUMBERS

COUNTS = ("nactive", "nchange", "neval", "nupdate")


class SolverStatistics:
    """Arrays of numbers per iteration: `d.solver.improvement[:d.solver_niter[0]]`.

    Island i has the KEPT entries from KEPT * i on, the first COUNTED islands and KEPT iterations are there; those of
    the no-slip rounds follow the solver's own. `improvement` of the cost and `gradient` are on the scale of the
    tolerance; `lineslope` is the slope where the line search ended, after `neval` evaluations; `nactive` rows pushed,
    `nchange` of them have changed sides, `nupdate` so that the Newton matrix has changed.
    """

    __slots__ = ("_record",)

    def __init__(self, record: Record):
        self._record = record

    def __len__(self) -> int:
        return COUNTED * KEPT

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in NUMBERS:
            raise AttributeError(f"the solver's statistics have no '{name}' (there are: {', '.join(NUMBERS)})")
        column: np.ndarray = self._record.array("solver_stat")[:, NUMBERS.index(name)]
        if len(column) == 0:
            raise AttributeError("the solver's statistics are not gathered: call gather_statistics() of the Data first")
        return column.astype(int) if name in COUNTS else column

    def __dir__(self) -> list[str]:
        return list(NUMBERS)
