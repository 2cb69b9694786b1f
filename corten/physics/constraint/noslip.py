"""Less slip: friction forces found once more, without the regularisation that lets contacts creep.

After any solver, a few rounds of projected Gauss-Seidel on friction loss and on the friction of contacts, whose normal
forces stay, minimise f' A f / 2 + b' f. In a pyramid the two edges of a tangent share their sum. (MuJoCo documentation,
"Computation", section "Solver algorithms".)
"""

from __future__ import annotations

from corten.kernel import any_lane, clip, kernel, local, maximum, where
from corten.model.enums import ConstraintType, Solver
from corten.physics.constraint.dual import TINY, TOLERATED, accelerate, cost_change, dual_weights
from corten.physics.constraint.friction_cone import best_friction
from corten.physics.constraint.isles import end_of_rows
from corten.physics.constraint.response import find_response, push, residual, sum_response
from corten.physics.constraint.statistics import count_iterations, save_statistics

LEAST = 1e-10  # of the diagonal of a contact's part of A


@kernel
def noslip(m, d, s):
    """Better friction forces for isle s, and what follows from them."""
    scale = 1.0 / (m.stat.meaninertia * max(1, d.island_nv[s]))
    if m.opt.solver != Solver.PGS:
        find_response(m, d, s)
    sum_response(m, d, s)
    running = d.time == d.time
    count = where(running, 0.0, 0.0)
    for k in range(m.opt.noslip_iterations):
        left_out = 0.0
        if k == 0:
            left_out = regularisation(d, s)
        improvement = scale * (friction_sweep(d, s, running) + left_out)
        if d.stat_cap > 0:
            dual_weights(m, d, s)
            save_statistics(d, s, count, running, improvement, 0.0, 0.0, 0.0)
        count = where(running, count + 1.0, count)
        running = running & (improvement >= m.opt.noslip_tolerance)
        if not any_lane(running):
            break
    count_iterations(d, s, count, running & ~running)
    dual_weights(m, d, s)
    accelerate(m, d, s)


@kernel
def regularisation(d, s):
    """f' R f / 2: what the cost loses when R is left out."""
    total = 0.0
    for q in range(d.island_iefcadr[s], end_of_rows(d, s)):
        r = d.map_iefc2efc[q]
        f = where(d.efc_D[r] > 0.0, d.efc_force[r], 0.0)
        total = f * f * d.efc_R[r] + total
    return 0.5 * total


@kernel
def friction_sweep(d, s, running):
    """Improve all friction forces in turn, in the worlds that are running; by how much the cost falls."""
    improvement = 0.0
    q, end = d.island_iefcadr[s], end_of_rows(d, s)
    while q < end:
        first = d.map_iefc2efc[q]
        rows, kind = d.efc_dim[first], d.efc_type[first]
        on = running & (d.efc_D[first] > 0.0)
        if kind == ConstraintType.FRICTION_DOF or kind == ConstraintType.FRICTION_TENDON:
            improvement = improvement - update_dry(d, first, on)
        elif kind == ConstraintType.CONTACT_PYRAMIDAL:
            for r in range(first, first + rows, 2):
                improvement = improvement - update_edges(d, r, on)
        elif kind == ConstraintType.CONTACT_ELLIPTIC:
            improvement = improvement - update_tangents(d, first, rows, on)
        q += rows
    return improvement


@kernel
def update_dry(d, r, on):
    """The best friction loss of row r; the change of the cost."""
    old, slope, curve = d.efc_force[r], residual(d, r), maximum(TINY, d.efc_A[r, 0])
    most = d.efc_frictionloss[r]
    new = where(on, clip(old - slope / curve, -most, most), old)
    change = new - old
    d.efc_force[r] = new
    push(d, r, change)
    return change * (0.5 * curve * change + slope)


@kernel
def update_edges(d, r, on):
    """The best difference of the forces along two opposite edges of a pyramid, rows r and r + 1, whose sum stays."""
    f0, f1 = d.efc_force[r], d.efc_force[r + 1]
    slope0, slope1 = residual(d, r), residual(d, r + 1)
    a00, a11 = maximum(LEAST, d.efc_A[r, 0]), maximum(LEAST, d.efc_A[r + 1, 0])
    a01 = d.efc_A[r, 1]
    half, curve = 0.5 * (f0 + f1), a00 + a11 - 2.0 * a01
    bent = curve >= TINY
    # the derivative of the cost by half the difference, at no difference
    level = slope0 - slope1 - (a00 - a01) * (f0 - half) + (a11 - a01) * (f1 - half)
    half_difference = where(bent, clip(-level / where(bent, curve, 1.0), -half, half), 0.0)
    change0, change1 = half + half_difference - f0, half - half_difference - f1
    change = change0 * slope0 + change1 * slope1
    change = change + 0.5 * (a00 * change0 * change0 + a11 * change1 * change1) + a01 * change0 * change1
    better = on & (change <= TOLERATED)
    d.efc_force[r] = where(better, half + half_difference, f0)
    d.efc_force[r + 1] = where(better, half - half_difference, f1)
    push(d, r, d.efc_force[r] - f0)
    push(d, r + 1, d.efc_force[r + 1] - f1)
    return where(better, change, 0.0)


@kernel
def update_tangents(d, first, rows, on):
    """The best friction of an elliptic contact for its normal force, which stays."""
    n = rows - 1
    block, slope, old, new = local(d, 36), local(d, 6), local(d, 6), local(d, 6)
    a = local(d, 36)
    for j in range(n):
        r = first + 1 + j
        old[j] = d.efc_force[r]
        slope[j] = residual(d, r)
    for j in range(n):
        total = slope[j]
        for k in range(n):
            entry = d.efc_A[first + 1 + j, k + 1]
            if k == j:
                entry = maximum(LEAST, entry)
            block[6 * j + k] = entry
            a[6 * j + k] = entry
            total = total - entry * old[k]
        new[j] = total
    normal = d.efc_force[first]
    pushes = normal >= TINY
    best_friction(d, a, new, n, d.efc_id[first], where(pushes, normal, 0.0), pushes)
    change = cost_change(block, slope, old, new, n)
    better = on & (change <= TOLERATED)
    for j in range(n):
        force = where(better, new[j], old[j])
        d.efc_force[first + 1 + j] = force
        push(d, first + 1 + j, force - old[j])
    return where(better, change, 0.0)
