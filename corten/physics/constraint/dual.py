"""The dual solver: projected Gauss-Seidel (PGS) on the forces.

It minimises f' (A + R) f / 2 + b' f over the forces that constraints can exert, A = J inv(M) J', b = J qacc_smooth -
aref, one scalar row or one elliptic contact at a time. A contact first moves along the ray of its force, or along its
normal if it has none, and then takes the best friction that its normal force allows. (MuJoCo documentation,
"Computation", section "Solver algorithms".)
"""

from __future__ import annotations

from corten.kernel import any_lane, clip, kernel, local, maximum, minimum, sqrt, where
from corten.model.enums import ConstraintType, DisableBit
from corten.physics.constraint.cost import update_rows
from corten.physics.constraint.friction_cone import best_friction
from corten.physics.constraint.isles import (
    constraint_force_on_isle,
    end_of_rows,
    end_of_trees,
    residuals,
    solve_inertia_isle,
)
from corten.physics.constraint.response import find_response, push, residual, sum_response
from corten.physics.constraint.statistics import count_iterations, count_states, save_statistics

TINY = 1e-15
TOLERATED = 1e-10  # a rise of the cost that is put down to rounding


@kernel
def dual(m, d, s):
    """Solve isle s by PGS: qacc, efc_force, qfrc_constraint on its dofs and rows."""
    scale = 1.0 / (m.stat.meaninertia * max(1, d.island_nv[s]))
    find_response(m, d, s)
    running = start(m, d, s)
    count = where(running, 0.0, 0.0)
    if d.stat_cap > 0:
        dual_weights(m, d, s)
        count_states(d, s)
    for _ in range(m.opt.iterations):
        improvement = scale * sweep(m, d, s, running)
        if d.stat_cap > 0:
            dual_weights(m, d, s)
            save_statistics(d, s, count, running, improvement, 0.0, 0.0, 0.0)
        count = where(running, count + 1.0, count)
        running = running & (improvement >= m.opt.tolerance)
        if not any_lane(running):
            break
    count_iterations(d, s, count, running)
    dual_weights(m, d, s)
    accelerate(m, d, s)


@kernel
def start(m, d, s):
    """Forces to start from: those at qacc_warmstart unless none at all cost less. All worlds are running."""
    if m.opt.disableflags & DisableBit.WARMSTART:
        for q in range(d.island_iefcadr[s], end_of_rows(d, s)):
            d.efc_force[d.map_iefc2efc[q]] = 0.0
        sum_response(m, d, s)
        return d.time == d.time
    residuals(d, s, d.qacc_warmstart)
    update_rows(m, d, s)
    sum_response(m, d, s)
    cost = dual_cost(d, s)
    keep = ~(cost > 0.0)
    for q in range(d.island_iefcadr[s], end_of_rows(d, s)):
        d.efc_force[d.map_iefc2efc[q]] = where(keep, d.efc_force[d.map_iefc2efc[q]], 0.0)
    if any_lane(~keep):
        sum_response(m, d, s)
    return cost == cost


@kernel
def dual_cost(d, s):
    """f' (A + R) f / 2 + b' f; dual_acc belongs to the forces."""
    total = 0.0
    for q in range(d.island_iefcadr[s], end_of_rows(d, s)):
        r = d.map_iefc2efc[q]
        f = d.efc_force[r]
        total = f * (0.5 * (residual(d, r) + d.efc_b[r] + d.efc_R[r] * f)) + total
    return total


@kernel
def sweep(m, d, s, running):
    """Improve all forces of isle s in turn, in the worlds that are running; by how much the cost falls."""
    improvement = 0.0
    q, end = d.island_iefcadr[s], end_of_rows(d, s)
    while q < end:
        first = d.map_iefc2efc[q]
        rows = d.efc_dim[first]
        on = running & (d.efc_D[first] > 0.0)
        if any_lane(on):
            if d.efc_type[first] == ConstraintType.CONTACT_ELLIPTIC:
                improvement = improvement - update_contact(m, d, first, rows, on)
            else:
                for r in range(first, first + rows):
                    improvement = improvement - update_scalar(m, d, r, on)
        q += rows
    return improvement


@kernel
def update_scalar(m, d, r, on):
    """The best force of row r while all others stay; the change of the cost."""
    kind, old = d.efc_type[r], d.efc_force[r]
    curve = d.efc_A[r, 0] + d.efc_R[r]
    slope = d.efc_R[r] * old + residual(d, r)
    new = old - m.opt.sor * (slope * d.efc_Ainv[r])
    if kind == ConstraintType.FRICTION_DOF or kind == ConstraintType.FRICTION_TENDON:
        new = clip(new, -d.efc_frictionloss[r], d.efc_frictionloss[r])
    elif kind != ConstraintType.EQUALITY:
        new = maximum(0.0, new)
    new = where(on, new, old)
    change = new - old
    d.efc_force[r] = new
    push(d, r, change)
    return change * (0.5 * curve * change + slope)


@kernel
def update_contact(m, d, first, rows, on):
    """The same for an elliptic contact, first its ray, then its friction; undone if it raises the cost."""
    block, slope, old, new = local(d, 36), local(d, 6), local(d, 6), local(d, 6)
    for j in range(rows):
        r = first + j
        old[j] = d.efc_force[r]
        slope[j] = d.efc_R[r] * old[j] + residual(d, r)
        for k in range(rows):
            block[6 * j + k] = d.efc_A[r, k]
        block[7 * j] = block[7 * j] + d.efc_R[r]
    move_along_ray(block, d.efc_Ainv[first], slope, old, new, rows)
    choose_friction(d, d.efc_id[first], block, slope, old, new, rows)
    if m.opt.sor != 1.0:
        relax(d, d.efc_id[first], m.opt.sor, old, new, rows)
    change = cost_change(block, slope, old, new, rows)
    better = on & (change <= TOLERATED)
    for j in range(rows):
        force = where(better, new[j], old[j])
        d.efc_force[first + j] = force
        push(d, first + j, force - old[j])
    return where(better, change, 0.0)


@kernel
def move_along_ray(block, inverse, slope, old, new, rows):
    """The best multiple of a force, or the best normal force if there is none."""
    curve, along = 0.0, 0.0
    for j in range(rows):
        total = 0.0
        for k in range(rows):
            total = block[6 * j + k] * old[k] + total
        curve = old[j] * total + curve
        along = old[j] * slope[j] + along
    bent = curve >= TINY
    stretch = where(bent, maximum(-1.0, -along / where(bent, curve, 1.0)), 0.0)
    none = old[0] < TINY
    for j in range(rows):
        alone = maximum(0.0, old[0] - slope[0] * inverse) if j == 0 else 0.0
        new[j] = where(none, alone, stretch * old[j] + old[j])


@kernel
def choose_friction(d, s, block, slope, old, new, rows):
    """The friction in `new` for its normal force, everything else as in `old`."""
    a, b = local(d, 36), local(d, 6)
    pushes = new[0] >= TINY
    for j in range(1, rows):
        total = slope[j] + block[6 * j] * (new[0] - old[0])
        for k in range(1, rows):
            total = total - block[6 * j + k] * old[k]
            a[6 * (j - 1) + k - 1] = block[6 * j + k]
        b[j - 1] = total
    best_friction(d, a, b, rows - 1, s, where(pushes, new[0], 0.0), pushes)
    for j in range(1, rows):
        new[j] = b[j - 1]


@kernel
def relax(d, s, factor, old, new, rows):
    """`new` moved away from `old`, or towards it, by a factor, and back into the cone."""
    size = 0.0
    for j in range(rows):
        new[j] = factor * (new[j] - old[j]) + old[j]
        if j > 0:
            part = new[j] / d.contact_friction[s, j - 1]
            size = part * part + size
    new[0] = maximum(0.0, new[0])
    size = sqrt(size)
    outside = size > new[0]
    shrink = where(outside, new[0] / where(outside, size, 1.0), 1.0)
    for j in range(1, rows):
        new[j] = shrink * new[j]


@kernel
def cost_change(block, slope, old, new, rows):
    """change' A change / 2 + slope' change, over the rows of one object."""
    total = 0.0
    for j in range(rows):
        bend = 0.0
        for k in range(rows):
            bend = block[6 * j + k] * (new[k] - old[k]) + bend
        total = (new[j] - old[j]) * (0.5 * bend + slope[j]) + total
    return total


@kernel
def dual_weights(m, d, s):
    """efc_weight and efc_cone from forces: which side of its cost's kinks each row is on."""
    q, end = d.island_iefcadr[s], end_of_rows(d, s)
    while q < end:
        first = d.map_iefc2efc[q]
        rows, kind = d.efc_dim[first], d.efc_type[first]
        pushes = d.efc_force[first] > 0.0
        if kind == ConstraintType.CONTACT_ELLIPTIC:
            size = 0.0
            for j in range(1, rows):
                part = d.efc_force[first + j] / d.contact_friction[d.efc_id[first], j - 1]
                size = part * part + size
            slides = pushes & (sqrt(size) >= (1.0 - TOLERATED) * d.efc_force[first])
            d.efc_cone[first] = slides
            for r in range(first, first + rows):
                d.efc_weight[r] = where(pushes & ~slides, d.efc_D[r], 0.0)
        else:
            for r in range(first, first + rows):
                force = d.efc_force[r]
                if kind == ConstraintType.FRICTION_DOF or kind == ConstraintType.FRICTION_TENDON:
                    inside = minimum(force + d.efc_frictionloss[r], d.efc_frictionloss[r] - force) > 0.0
                    d.efc_weight[r] = where(inside, d.efc_D[r], 0.0)
                elif kind == ConstraintType.EQUALITY:
                    d.efc_weight[r] = d.efc_D[r]
                else:
                    d.efc_weight[r] = where(force > 0.0, d.efc_D[r], 0.0)
        q += rows


@kernel
def accelerate(m, d, s):
    """qfrc_constraint = J' f and qacc = qacc_smooth + inv(M) qfrc_constraint"""
    constraint_force_on_isle(d, s)
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            d.qacc[i] = d.qfrc_constraint[i]
    solve_inertia_isle(m, d, s, d.qacc)
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            d.qacc[i] = d.qacc_smooth[i] + d.qacc[i]
