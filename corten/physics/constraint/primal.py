"""The primal solvers: Newton and conjugate gradients on the accelerations.

Both minimise (qacc - qacc_smooth)' M (qacc - qacc_smooth) / 2 + sum of the rows' costs, which is convex, by exact line
searches: Newton along -inv(H) times the gradient, CG along -inv(M) times the gradient conjugated by Polak and Ribiere's
rule. (Todorov, "Convex and analytically-invertible dynamics with contacts and constraints", 2014.)
"""

from __future__ import annotations

from corten.kernel import any_lane, kernel, maximum, sqrt, where
from corten.physics.constraint.cost import update_rows
from corten.physics.constraint.hessian import (
    add_changed_rows,
    add_cones,
    begin_sum,
    factor_hessian,
    solve_hessian,
)
from corten.physics.constraint.isles import (
    constraint_force_on_isle,
    dot,
    end_of_rows,
    end_of_trees,
    isle_scale,
    solve_inertia_isle,
)
from corten.physics.constraint.line_search import line_search
from corten.physics.constraint.start import gauss
from corten.physics.constraint.statistics import count_iterations, count_states, save_statistics

TINY = 1e-15


@kernel
def primal(m, d, s, newton):
    """Solve isle s from its start: qacc, efc_force, qfrc_constraint on its dofs and rows."""
    scale = isle_scale(m, d, s)
    cost = d.isle_cost[s]
    if newton:
        begin_sum(m, d, s)
    descend(m, d, s, newton)
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            d.sol_search[i] = -d.sol_Mgrad[i]
    running = cost == cost
    count = where(running, 0.0, 0.0)
    if d.stat_cap > 0:
        count_states(d, s)
    for _ in range(m.opt.iterations):
        alpha, slope, evaluations = line_search(m, d, s, newton, running, scale, cost)
        running = running & (alpha != 0.0)
        if not any_lane(running):
            break
        old = cost
        move(d, s, alpha)
        cost = update_rows(m, d, s) + gauss(d, s)
        remember(d, s, newton)
        descend(m, d, s, newton)
        improvement = scale * (old - cost)
        steepness = scale * sqrt(dot(d, s, d.sol_grad, d.sol_grad))
        if d.stat_cap > 0:
            save_statistics(d, s, count, running, improvement, steepness, slope, evaluations)
        count = where(running, count + 1.0, count)
        running = running & (improvement >= m.opt.tolerance) & (steepness >= m.opt.tolerance)
        if not any_lane(running):
            break
        turn(d, s, newton)
    count_iterations(d, s, count, running)


@kernel
def descend(m, d, s, newton):
    """qfrc_constraint, the gradient M qacc - qfrc_smooth - J' force, and the gradient preconditioned."""
    constraint_force_on_isle(d, s)
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            g = d.sol_Ma[i] - d.qfrc_smooth[i] - d.qfrc_constraint[i]
            d.sol_grad[i] = g
            d.sol_Mgrad[i] = g
    if newton:
        add_changed_rows(d, s)
        add_cones(d, s)
        factor_hessian(d, s)
        solve_hessian(d, s, d.sol_Mgrad)
    else:
        solve_inertia_isle(m, d, s, d.sol_Mgrad)


@kernel
def remember(d, s, newton):
    """The last gradient, for the next direction of CG."""
    if not newton:
        for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
            for i in range(d.itree_first[k], d.itree_last[k]):
                d.sol_oldgrad[i] = d.sol_grad[i]
                d.sol_oldMgrad[i] = d.sol_Mgrad[i]


@kernel
def turn(d, s, newton):
    """The next search direction."""
    beta = 0.0
    if not newton:
        change, size = 0.0, 0.0
        for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
            for i in range(d.itree_first[k], d.itree_last[k]):
                change = d.sol_grad[i] * (d.sol_Mgrad[i] - d.sol_oldMgrad[i]) + change
                size = d.sol_oldgrad[i] * d.sol_oldMgrad[i] + size
        beta = maximum(0.0, change / maximum(TINY, size))
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            d.sol_search[i] = beta * d.sol_search[i] - d.sol_Mgrad[i]


@kernel
def move(d, s, alpha):
    """alpha along the search direction."""
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            d.qacc[i] = alpha * d.sol_search[i] + d.qacc[i]
            d.sol_Ma[i] = alpha * d.sol_Mv[i] + d.sol_Ma[i]
    for q in range(d.island_iefcadr[s], end_of_rows(d, s)):
        r = d.map_iefc2efc[q]
        d.efc_jar[r] = alpha * d.efc_jv[r] + d.efc_jar[r]
