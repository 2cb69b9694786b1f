"""What a solver reports of its iterations: how many, whether they sufficed, and numbers of each of them.

The numbers (mjSolverStat's) are only gathered if there is memory for them: `Data.gather_statistics` asks for it.
"""

from __future__ import annotations

from corten.kernel import kernel, lane, lanes, where
from corten.model.enums import ConstraintType
from corten.physics.constraint.isles import end_of_rows

COUNTED = 20  # isles that are reported
KEPT = 200  # iterations of each of them
NUMBERS = ("improvement", "gradient", "lineslope", "nactive", "nchange", "neval", "nupdate")


@kernel
def count_iterations(d, s, count, running):
    """Iterations of isle s, on top of those that are counted; worlds that are still running have not converged."""
    d.unconverged = d.unconverged | running
    d.sol_count = count
    number = s - d.isle_first
    if number < COUNTED:
        for l in lanes(d):
            w = lane(d, l)
            w.solver_niter[number] += int(w.sol_count)


@kernel
def save_statistics(d, s, count, running, improvement, gradient, lineslope, neval):
    """Numbers of the iteration that follows `count` others, in worlds that are running; there is memory for them."""
    number = s - d.isle_first
    if number >= COUNTED:
        return
    active, changed, updated = count_states(d, s)
    d.stat_now[0] = improvement
    d.stat_now[1] = gradient
    d.stat_now[2] = lineslope
    d.stat_now[3] = active
    d.stat_now[4] = changed
    d.stat_now[5] = neval
    d.stat_now[6] = updated
    d.sol_count = count
    d.sol_running = running
    for l in lanes(d):
        w = lane(d, l)
        k = w.solver_niter[number] + int(w.sol_count)
        if w.sol_running and k < KEPT:
            for c in range(7):
                w.solver_stat[number * KEPT + k, c] = w.stat_now[c]


@kernel
def count_states(d, s):
    """(rows that push or could, rows that have changed sides since the last count, rows whose weight has changed)

    Sides: 0 free, 1 quadratic, 2 on a cone, 3 and 4 at either end of friction loss.
    """
    active, changed, updated = 0.0, 0.0, 0.0
    q, end = d.island_iefcadr[s], end_of_rows(d, s)
    while q < end:
        first = d.map_iefc2efc[q]
        kind, rows, together = d.efc_type[first], d.efc_dim[first], 1.0
        if kind == ConstraintType.CONTACT_ELLIPTIC:
            together, rows = float(rows), 1
        for k in range(rows):
            r = first + k
            side = where(d.efc_weight[r] > 0.0, 1.0, 0.0)
            if kind == ConstraintType.CONTACT_ELLIPTIC:
                side = where(d.efc_cone[r], 2.0, side)
            elif kind == ConstraintType.FRICTION_DOF or kind == ConstraintType.FRICTION_TENDON:
                side = where(side > 0.0, 1.0, where(d.efc_force[r] > 0.0, 3.0, 4.0))
            before = d.efc_side[r]
            active = where(side > 0.0, active + together, active)
            changed = where(side != before, changed + together, changed)
            updated = where((side == 1.0) ^ (before == 1.0), updated + together, updated)
            d.efc_side[r] = side
        q += d.efc_dim[first]
    return active, changed, updated
