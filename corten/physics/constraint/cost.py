"""The cost of constraints, a sum over rows of functions of jar = J qacc - aref, and its derivatives.

Equality: quadratic. Friction loss: quadratic in the middle, linear beyond its largest force. Limits, frictionless
contacts and edges of pyramids: quadratic below zero, nothing above. Elliptic contacts depend on all their rows: with U
= (mu jar_0, friction_j jar_j), N = U_0 and T = |U_1..|, nothing where N >= mu T, quadratic in all rows where mu N + T
<= 0, and between D_0 / (2 mu^2 (1 + mu^2)) (N - mu T)^2. Forces are minus the gradient.
"""

from __future__ import annotations

from corten.kernel import kernel, sqrt, where
from corten.model.enums import ConstraintState, ConstraintType
from corten.physics.constraint.isles import end_of_rows

TINY = 1e-15


@kernel
def update_rows(m, d, s):
    """(cost of the rows of isle s); efc_force, and the weight that each row has in the Hessian."""
    cost = 0.0
    q, end = d.island_iefcadr[s], end_of_rows(d, s)
    while q < end:
        r = d.map_iefc2efc[q]
        kind = d.efc_type[r]
        if kind == ConstraintType.CONTACT_ELLIPTIC:
            cost = cost + update_cone(m, d, r)
            q += d.efc_dim[r]
            continue
        x, stiffness = d.efc_jar[r], d.efc_D[r]
        force = -(stiffness * x)
        if kind == ConstraintType.EQUALITY:
            weight, share = stiffness, -0.5 * force * x
        elif kind == ConstraintType.FRICTION_DOF or kind == ConstraintType.FRICTION_TENDON:
            most = d.efc_frictionloss[r]
            knee = d.efc_R[r] * most
            low, high = x <= -knee, x >= knee
            linear = where(low, -x, x) * most - 0.5 * knee * most
            share = where(low | high, linear, -0.5 * force * x)
            force = where(low, most, where(high, -most, force))
            weight = where(low | high, 0.0, stiffness)
        else:
            pushes = x < 0.0
            weight = where(pushes, stiffness, 0.0)
            force = where(pushes, force, 0.0)
            share = -0.5 * force * x
        cost = cost + share
        d.efc_force[r] = force
        d.efc_weight[r] = weight
        q += 1
    return cost


@kernel
def tangent_length(d, r, s, rows):
    """T = |friction_j jar_j| over the tangent rows of the contact whose first row is r."""
    total = 0.0
    for j in range(1, rows):
        u = d.efc_jar[r + j] * d.contact_friction[s, j - 1]
        total = u * u + total
    return sqrt(total)


@kernel
def zones(normal, tangent, mu):
    """(free, whole): whether a contact does not push, and whether it sticks; between the two it slides."""
    still = tangent < TINY
    free = (normal >= mu * tangent) | (still & (normal >= 0.0))
    whole = ~free & ((mu * normal + tangent <= 0.0) | still)
    return free, whole


@kernel
def update_cone(m, d, r):
    """The same as `update_rows` for one elliptic contact, whose first row is r."""
    s, rows = d.efc_id[r], d.efc_dim[r]
    mu = d.contact_mu[s]
    normal, tangent = mu * d.efc_jar[r], tangent_length(d, r, s, rows)
    free, whole = zones(normal, tangent, mu)
    slides = ~(free | whole)
    cost = 0.0
    gap = normal - mu * tangent
    steep = d.efc_D[r] / (mu * mu * (1.0 + mu * mu))
    push = -(steep * gap * mu)
    for j in range(rows):
        x = d.efc_jar[r + j]
        weight = where(whole, d.efc_D[r + j], 0.0)
        if j == 0:
            sliding = push
        else:
            friction = d.contact_friction[s, j - 1]
            sliding = -push / where(slides, tangent, 1.0) * (friction * x) * friction
        d.efc_force[r + j] = where(slides, sliding, -(weight * x))
        d.efc_weight[r + j] = weight
        cost = 0.5 * weight * x * x + cost
    on = slides & (d.efc_D[r] > 0.0)
    d.efc_cone[r] = on
    return where(slides, 0.5 * steep * gap * gap, cost)


@kernel
def rows_along(m, d, s, alpha):
    """(cost, its first and second derivative) of the rows of isle s, alpha of the way along the search direction."""
    cost, first, second = 0.0, 0.0, 0.0
    q, end = d.island_iefcadr[s], end_of_rows(d, s)
    while q < end:
        r = d.map_iefc2efc[q]
        kind = d.efc_type[r]
        if kind == ConstraintType.CONTACT_ELLIPTIC:
            share, p, c = cone_along(m, d, r, alpha)
            cost, first, second = cost + share, first + p, second + c
            q += d.efc_dim[r]
            continue
        v, x = d.efc_jv[r], alpha * d.efc_jv[r] + d.efc_jar[r]
        if kind == ConstraintType.FRICTION_DOF or kind == ConstraintType.FRICTION_TENDON:
            most, weighted = d.efc_frictionloss[r], d.efc_D[r] * v
            knee = d.efc_R[r] * most
            low, high = x <= -knee, x >= knee
            linear = where(low, -x, x) * most - 0.5 * knee * most
            cost = cost + where(low | high, linear, 0.5 * d.efc_D[r] * x * x)
            first = first + where(low, -most * v, where(high, most * v, weighted * x))
            second = second + where(low | high, 0.0, weighted * v)
        else:
            stiffness = d.efc_D[r]
            if kind != ConstraintType.EQUALITY:
                stiffness = where(x < 0.0, stiffness, 0.0)
            force, weighted = stiffness * x, stiffness * v
            cost = 0.5 * force * x + cost
            first = force * v + first
            second = weighted * v + second
        q += 1
    return cost, first, second


@kernel
def cone_along(m, d, r, alpha):
    """The same for one elliptic contact: derivatives of N, of T, and of each row's square."""
    s, rows = d.efc_id[r], d.efc_dim[r]
    mu = d.contact_mu[s]
    v, x = d.efc_jv[r], alpha * d.efc_jv[r] + d.efc_jar[r]
    normal, normal_rate = mu * x, mu * v
    weighted = d.efc_D[r] * x
    cost, first, second = weighted * x, weighted * v, d.efc_D[r] * v * v
    uu, uv, vv = 0.0, 0.0, 0.0
    for j in range(1, rows):
        friction = d.contact_friction[s, j - 1]
        v, x = d.efc_jv[r + j], alpha * d.efc_jv[r + j] + d.efc_jar[r + j]
        weighted = d.efc_D[r + j] * x
        cost, first, second = weighted * x + cost, weighted * v + first, d.efc_D[r + j] * v * v + second
        u, w = friction * x, friction * v
        uu, uv, vv = u * u + uu, u * w + uv, w * w + vv
    tangent = sqrt(uu)
    free, whole = zones(normal, tangent, mu)
    slides = ~(free | whole)
    safe = where(slides, tangent, 1.0)
    tangent_rate = uv / safe
    tangent_curve = (vv - tangent_rate * tangent_rate) / safe
    steep = d.efc_D[r] / (mu * mu * (1.0 + mu * mu))
    gap, rate = normal - mu * tangent, normal_rate - mu * tangent_rate
    cone_first = steep * gap * rate
    cone_second = steep * (rate * rate - gap * mu * tangent_curve)
    return (
        where(slides, 0.5 * steep * gap * gap, where(whole, 0.5 * cost, 0.0)),
        where(slides, cone_first, where(whole, first, 0.0)),
        where(slides, cone_second, where(whole, second, 0.0)),
    )


@kernel
def row_states(m, d):
    """efc_state of one world."""
    r = 0
    while r < d.nefc:
        kind, rows = d.efc_type[r], 1
        if kind == ConstraintType.CONTACT_ELLIPTIC:
            rows = d.efc_dim[r]
            state = ConstraintState.SATISFIED
            if d.efc_cone[r]:
                state = ConstraintState.CONE
            elif d.efc_weight[r] > 0.0:
                state = ConstraintState.QUADRATIC
        elif d.efc_weight[r] > 0.0:
            state = ConstraintState.QUADRATIC
        elif kind == ConstraintType.FRICTION_DOF or kind == ConstraintType.FRICTION_TENDON:
            state = ConstraintState.LINEARNEG if d.efc_force[r] > 0.0 else ConstraintState.LINEARPOS
        else:
            state = ConstraintState.SATISFIED
        for j in range(rows):
            d.efc_state[r + j] = state
        r += rows
