"""The exact line search of the primal solvers, in the steps that MuJoCo takes, world by world under masks.

The derivative of the cost along the line rises monotonically. Newton's method first, from one side; once the minimum is
between two points, these close in on it with three candidates a round: the Newton points of both, and their middle. The
same steps give the same point also where a model allows too few of them to converge.

A point is (alpha, cost, first derivative, second derivative).
"""

from __future__ import annotations

from corten.kernel import absolute, any_lane, kernel, maximum, sqrt, where
from corten.physics.constraint.cost import rows_along
from corten.physics.constraint.isles import dot, end_of_trees, multiply_inertia_isle, multiply_rows

TINY = 1e-15


@kernel
def line_search(m, d, s, newton, running, scale, cost):
    """(how far to go along the search direction, slope there, evaluations) in worlds that are running; 0 in the others.

    `cost` is the cost here. Along Newton's own direction the second derivative is minus the first.
    """
    multiply_inertia_isle(m, d, s, d.sol_Mv, d.sol_search)
    multiply_rows(d, s, d.efc_jv, d.sol_search)
    length = sqrt(dot(d, s, d.sol_search, d.sol_search))
    goal = m.opt.tolerance * m.opt.ls_tolerance * length / scale
    running = running & (length >= TINY)
    gauss = gauss_along(d, s)
    zero = where(running, 0.0, 0.0)
    slope = dot(d, s, d.sol_grad, d.sol_search)
    start = (zero, cost, slope, -slope) if newton else along(m, d, s, gauss, zero)
    near = newton_point(m, d, s, gauss, start)
    found, spent = where(running, near, (zero, zero, zero, zero)), where(running, 2.0, 0.0)
    running = running & (absolute(near[2]) >= goal)
    if any_lane(running):
        found, spent = close_in(m, d, s, gauss, start, near, running, goal, found, spent)
    return found[0], scale * absolute(found[2]) / maximum(TINY, length), spent


@kernel
def close_in(m, d, s, gauss, start, near, running, goal, found, spent):
    """(point, evaluations) of the search beyond its first point, in the worlds where that was not good enough."""
    direction = where(near[2] < 0.0, 1.0, -1.0)
    far, moved = near, running & ~running
    while True:
        go = running & (near[2] * direction <= -goal) & (spent < m.opt.ls_iterations)
        if not any_lane(go):
            break
        far, moved = where(go, near, far), moved | go
        near = where(go, newton_point(m, d, s, gauss, near), near)
        spent = where(go, spent + 1.0, spent)
        found = where(go, near, found)
        running = running & ~(go & (absolute(near[2]) < goal))
    running = running & moved & (spent < m.opt.ls_iterations)
    if not any_lane(running):
        return found, spent

    far_next = near
    near_next = newton_point(m, d, s, gauss, near)
    spent = where(running, spent + 1.0, spent)
    while True:
        go = running & (spent < m.opt.ls_iterations)
        if not any_lane(go):
            break
        middle = along(m, d, s, gauss, 0.5 * (near[0] + far[0]))
        spent = where(go, spent + 1.0, spent)
        best, done = middle, absolute(middle[2]) < goal
        for candidate in (far_next, near_next):
            good = absolute(candidate[2]) < goal
            better = good & (~done | (candidate[1] <= best[1]))
            best, done = where(better, candidate, best), done | good
        found = where(go & done, best, found)
        running = running & ~(go & done)
        go = go & ~done
        near, near_moved = closer(near, near_next, far_next, middle, go)
        far, far_moved = closer(far, near_next, far_next, middle, go)
        if any_lane(near_moved):
            near_next = where(near_moved, newton_point(m, d, s, gauss, near), near_next)
            spent = where(near_moved, spent + 1.0, spent)
        if any_lane(far_moved):
            far_next = where(far_moved, newton_point(m, d, s, gauss, far), far_next)
            spent = where(far_moved, spent + 1.0, spent)
        stuck = go & ~near_moved & ~far_moved
        found = where(stuck, middle, found)
        running = running & ~stuck
    best = where(near[1] <= far[1], near, far)
    best = where(best[1] < start[1], best, start)
    return where(running, best, found), spent


@kernel
def gauss_along(d, s):
    """(constant, slope, curve) of the cost's quadratic part along the search direction."""
    constant, slope, curve = 0.0, 0.0, 0.0
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            residual = d.sol_Ma[i] - d.qfrc_smooth[i]
            constant = residual * (d.qacc[i] - d.qacc_smooth[i]) + constant
            slope = d.sol_search[i] * residual + slope
            curve = d.sol_search[i] * d.sol_Mv[i] + curve
    return 0.5 * constant, slope, curve


@kernel
def along(m, d, s, gauss, alpha):
    """The point at alpha."""
    cost, first, second = rows_along(m, d, s, alpha)
    constant, slope, curve = gauss
    half = 0.5 * alpha * curve
    return alpha, cost + (alpha * (slope + half) + constant), first + (alpha * curve + slope), second + curve


@kernel
def newton_point(m, d, s, gauss, point):
    """The point to which Newton's method goes from a point."""
    curve = point[3]
    safe = where(curve > 0.0, curve, 1.0)
    return along(m, d, s, gauss, where(curve > 0.0, point[0] - point[2] / safe, point[0]))


@kernel
def closer(point, a, b, c, go):
    """(point, whether it moved): an end of the bracket moves to the candidate nearest to the minimum on its own
    side.
    """
    moved = go & ~go
    for candidate in (a, b, c):
        rises = (point[2] < 0.0) & (candidate[2] < 0.0) & (point[2] < candidate[2])
        falls = (point[2] > 0.0) & (candidate[2] > 0.0) & (point[2] > candidate[2])
        better = go & (rises | falls)
        point, moved = where(better, candidate, point), moved | better
    return point, moved
