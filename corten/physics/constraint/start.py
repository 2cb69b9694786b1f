"""Where the primal solvers start: at qacc_warmstart or at qacc_smooth, whichever costs less in each world.

The two are compared for the whole system, trees that no row touches included, and all isles start from the same one.
"""

from __future__ import annotations

from corten.kernel import any_lane, kernel, where
from corten.model.enums import DisableBit
from corten.physics.constraint.cost import update_rows
from corten.physics.constraint.isles import end_of_rows, end_of_trees, multiply_inertia_isle, residuals


@kernel
def start(m, d):
    """qacc, M qacc, J qacc - aref, the forces of rows and isle_cost there."""
    if m.opt.disableflags & DisableBit.WARMSTART:
        for s in range(d.isle_first, d.isle_end):
            d.isle_cost[s] = start_smooth(m, d, s)
        return
    smooth_cost, warm_cost = 0.0, cost_of_free_trees(m, d)
    for s in range(d.isle_first, d.isle_end):
        smooth_cost = smooth_cost + start_smooth(m, d, s)
        d.isle_cost[s] = start_warm(m, d, s)
        warm_cost = warm_cost + d.isle_cost[s]
    warm = warm_cost <= smooth_cost
    if any_lane(~warm):
        for s in range(d.isle_first, d.isle_end):
            d.isle_cost[s] = choose(m, d, s, warm)


@kernel
def start_smooth(m, d, s):
    """Isle s at qacc_smooth; its cost."""
    for q in range(d.island_iefcadr[s], end_of_rows(d, s)):
        d.efc_jar[d.map_iefc2efc[q]] = d.efc_b[d.map_iefc2efc[q]]
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            d.qacc[i] = d.qacc_smooth[i]
            d.sol_Ma[i] = d.qfrc_smooth[i]
    return update_rows(m, d, s)


@kernel
def start_warm(m, d, s):
    """Isle s at qacc_warmstart; its cost."""
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            d.qacc[i] = d.qacc_warmstart[i]
    residuals(d, s, d.qacc)
    multiply_inertia_isle(m, d, s, d.sol_Ma, d.qacc)
    return update_rows(m, d, s) + gauss(d, s)


@kernel
def choose(m, d, s, warm):
    """Isle s, which is at qacc_warmstart, brought to qacc_smooth in the worlds that do not start warm; its cost."""
    for q in range(d.island_iefcadr[s], end_of_rows(d, s)):
        r = d.map_iefc2efc[q]
        d.efc_jar[r] = where(warm, d.efc_jar[r], d.efc_b[r])
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            d.qacc[i] = where(warm, d.qacc[i], d.qacc_smooth[i])
            d.sol_Ma[i] = where(warm, d.sol_Ma[i], d.qfrc_smooth[i])
    return update_rows(m, d, s) + gauss(d, s)


@kernel
def cost_of_free_trees(m, d):
    """What qacc_warmstart costs in trees that no row touches; their qacc stays qacc_smooth."""
    s = d.nisland
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            d.qacc[i] = d.qacc_warmstart[i]
    multiply_inertia_isle(m, d, s, d.sol_Ma, d.qacc)
    cost = gauss(d, s)
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            d.qacc[i] = d.qacc_smooth[i]
    return cost


@kernel
def gauss(d, s):
    """(qacc - qacc_smooth)' M (qacc - qacc_smooth) / 2"""
    total = 0.0
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            total = (d.sol_Ma[i] - d.qfrc_smooth[i]) * (d.qacc[i] - d.qacc_smooth[i]) + total
    return 0.5 * total
