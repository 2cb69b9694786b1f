"""How hard each constraint is: impedance, regularisation R and its inverse D, stiffness and damping of the reference.

A constraint's impedance grows from solimp[0] to solimp[1] over the width solimp[2] of its violation. With the
approximate diagonal A of J inv(M) J', R = (1 - imp) / imp A. The reference acceleration is that of a damped spring
given by solref. (MuJoCo documentation, "Computation", section "Constraint model".)
"""

from __future__ import annotations

from corten.kernel import absolute, any_lane, clip, kernel, maximum, power, sqrt, where
from corten.kernel.vec import load5
from corten.model.enums import ConstraintType, DisableBit, EqualityType
from corten.physics.constraint.equality import owner

TINY = 1e-15
LEAST, MOST = 0.0001, 0.9999  # bounds of the impedance
DEFAULT_SOLREF = (0.02, 1.0)


@kernel
def impedance(m, d):
    """efc_diagApprox, efc_KBIP, efc_R, efc_D of all rows, object by object."""
    r = 0
    while r < d.nefc:
        rows, kind, number = d.efc_dim[r], d.efc_type[r], d.efc_id[r]
        if kind == ConstraintType.EQUALITY:
            solref, solimp = (m.eq_solref[number, 0], m.eq_solref[number, 1]), load5(m.eq_solimp, number)
            set_rows(m, d, r, rows, violation(d, r, rows), solref, solref, solimp, d.efc_on[r])
        elif kind == ConstraintType.FRICTION_DOF:
            solref, solimp = (m.dof_solref[number, 0], m.dof_solref[number, 1]), load5(m.dof_solimp, number)
            set_rows(m, d, r, 1, d.efc_pos[r], solref, solref, solimp, d.efc_on[r])
        elif kind == ConstraintType.FRICTION_TENDON:
            solref = (m.tendon_solref_fri[number, 0], m.tendon_solref_fri[number, 1])
            set_rows(m, d, r, 1, d.efc_pos[r], solref, solref, load5(m.tendon_solimp_fri, number), d.efc_on[r])
        elif kind == ConstraintType.LIMIT_JOINT:
            solref, solimp = (m.jnt_solref[number, 0], m.jnt_solref[number, 1]), load5(m.jnt_solimp, number)
            set_rows(m, d, r, 1, d.efc_pos[r], solref, solref, solimp, d.efc_on[r])
        elif kind == ConstraintType.LIMIT_TENDON:
            solref = (m.tendon_solref_lim[number, 0], m.tendon_solref_lim[number, 1])
            set_rows(m, d, r, 1, d.efc_pos[r], solref, solref, load5(m.tendon_solimp_lim, number), d.efc_on[r])
        else:
            solref = (d.contact_solref[number, 0], d.contact_solref[number, 1])
            along = (d.contact_solreffriction[number, 0], d.contact_solreffriction[number, 1])
            given = ((along[0] != 0.0) | (along[1] != 0.0)) & ~mixed(along)
            along = where(given, along, solref)
            solimp = load5(d.contact_solimp, number)
            set_rows(m, d, r, rows, d.efc_pos[r], solref, along, solimp, d.slot_on[number])
            if rows > 1:
                friction_regularisation(m, d, r, rows, number)
        r += rows


@kernel
def violation(d, r, rows):
    """One number for the violation of an equality constraint: its length over all rows."""
    if rows == 1:
        return d.efc_pos[r]
    total = 0.0
    for j in range(rows):
        total = d.efc_pos[r + j] * d.efc_pos[r + j] + total
    return sqrt(total)


@kernel
def set_rows(m, d, r, rows, pos, solref, along, solimp, on):
    """The numbers of the rows of one object. `along` is the reference of rows along contact tangents; D is 0 unless
    `on`.
    """
    low, high = clip(solimp[0], LEAST, MOST), clip(solimp[1], LEAST, MOST)
    imp, slope = impedance_at(pos - d.efc_margin[r], low, high, maximum(0.0, solimp[2]), solimp[3], solimp[4])
    stiffness, damping = reference(m, solref, high)
    kind = d.efc_type[r]
    dry = kind == ConstraintType.FRICTION_DOF or kind == ConstraintType.FRICTION_TENDON
    for j in range(rows):
        i = r + j
        diagonal = diagonal_approximation(m, d, i, j)
        resistance = maximum(TINY, (1.0 - imp) / imp * diagonal)
        d.efc_diagApprox[i] = diagonal
        d.efc_KBIP[i, 0] = 0.0 if dry else stiffness
        d.efc_KBIP[i, 1] = damping
        d.efc_KBIP[i, 2] = imp
        d.efc_KBIP[i, 3] = slope
        if kind == ConstraintType.CONTACT_ELLIPTIC and j > 0:
            _, damping_along = reference(m, along, high)
            d.efc_KBIP[i, 0] = 0.0
            d.efc_KBIP[i, 1] = damping_along
        d.efc_R[i] = resistance
        d.efc_D[i] = where(on, 1.0 / resistance, 0.0)


@kernel
def impedance_at(x, low, high, width, midpoint, exponent):
    """(impedance, its slope): from low to high over the width, by two arcs of a power that meet at the midpoint."""
    flat = (low == high) | (width <= TINY)
    mid, p = clip(midpoint, LEAST, MOST), maximum(1.0, exponent)
    y = absolute(x) / where(flat, 1.0, width)
    below = y <= mid
    # the arc that holds: from its own end, z of the way to the other arc
    end = where(below, mid, 1.0 - mid)
    z = where(below, y, maximum(0.0, 1.0 - y)) / end
    rise = arc(z, p)
    arc_value, arc_slope = end * z * rise, p * rise
    value = where(below, arc_value, 1.0 - arc_value)
    value, arc_slope = where(y >= 1.0, (1.0, 0.0), (value, arc_slope))
    value, arc_slope = where(y > 0.0, (value, arc_slope), (0.0, 0.0))
    middle = 0.5 * (low + high)
    turn = where(x < 0.0, -arc_slope, arc_slope)
    return where(flat, middle, low + value * (high - low)), where(
        flat, 0.0, turn * (high - low) / where(flat, 1.0, width)
    )


@kernel
def arc(z, p):
    """z^(p-1), at less cost for the usual exponents."""
    result = where(p == 2.0, z, 1.0)
    unusual = (p != 2.0) & (p != 1.0)
    if any_lane(unusual):
        result = where(unusual, power(z, p - 1.0), result)
    return result


@kernel
def mixed(solref):
    """Whether a pair of numbers has mixed signs: neither time constant and ratio nor stiffness and damping."""
    return (solref[0] > 0.0) ^ (solref[1] > 0.0)


@kernel
def reference(m, solref, high):
    """(stiffness, damping) from (time constant, damping ratio), or from both directly if they are not positive.

    A time constant below two time steps would be unstable and is raised, unless `refsafe` is off; numbers of mixed
    signs are replaced by the default.
    """
    time, ratio = where(mixed(solref), DEFAULT_SOLREF, (solref[0], solref[1]))
    if not m.opt.disableflags & DisableBit.REFSAFE:
        time = where(time > 0.0, maximum(time, 2.0 * m.opt.timestep), time)
    product = high * time * ratio
    spring = 1.0 / maximum(TINY, product * product), 2.0 / maximum(TINY, high * time)
    direct = -time / maximum(TINY, high * high), -ratio / maximum(TINY, high)
    return where(time > 0.0, spring, direct)


@kernel
def diagonal_approximation(m, d, i, j):
    """About J inv(M) J' of row i, the j-th of its object, from inverse weights of bodies, dofs and tendons at qpos0."""
    kind, number = d.efc_type[i], d.efc_id[i]
    if kind == ConstraintType.FRICTION_DOF:
        return m.dof_invweight0[number]
    if kind == ConstraintType.FRICTION_TENDON or kind == ConstraintType.LIMIT_TENDON:
        return m.tendon_invweight0[number]
    if kind == ConstraintType.LIMIT_JOINT:
        return m.dof_invweight0[m.jnt_dofadr[number]]
    if kind == ConstraintType.EQUALITY:
        return equality_diagonal(m, number, j)
    b1, b2 = m.geom_bodyid[d.slot_geom[number, 0]], m.geom_bodyid[d.slot_geom[number, 1]]
    slide = m.body_invweight0[b1, 0] + m.body_invweight0[b2, 0]
    turn = m.body_invweight0[b1, 1] + m.body_invweight0[b2, 1]
    if kind == ConstraintType.CONTACT_FRICTIONLESS:
        return slide
    if kind == ConstraintType.CONTACT_ELLIPTIC:
        return slide if j < 3 else turn
    friction = d.contact_friction[number, j // 2]
    return slide + friction * friction * (slide if j < 4 else turn)


@kernel
def equality_diagonal(m, e, j):
    """The same for row j of equality constraint e."""
    kind, o1, o2 = m.eq_type[e], m.eq_obj1id[e], m.eq_obj2id[e]
    if kind == EqualityType.JOINT:
        total = m.dof_invweight0[m.jnt_dofadr[o1]]
        return total + m.dof_invweight0[m.jnt_dofadr[o2]] if o2 >= 0 else total
    if kind == EqualityType.TENDON:
        total = m.tendon_invweight0[o1]
        return total + m.tendon_invweight0[o2] if o2 >= 0 else total
    part = 0 if j < 3 else 1
    return m.body_invweight0[owner(m, e, o1), part] + m.body_invweight0[owner(m, e, o2), part]


@kernel
def friction_regularisation(m, d, r, rows, s):
    """R of the rows of a contact with friction, so that its cone is the one that was asked for; mu, the cone's slope.

    Elliptic: the first tangent has the normal's R / impratio, the others the same times the squared ratio of frictions.
    Pyramidal: all edges have 2 mu^2 R of the first.
    """
    mu0 = d.contact_friction[s, 0]
    if d.efc_type[r] == ConstraintType.CONTACT_ELLIPTIC:
        tangent = d.efc_R[r] / maximum(TINY, m.opt.impratio)
        d.contact_mu[s] = mu0 * sqrt(tangent / d.efc_R[r])
        for j in range(1, rows):
            ratio = mu0 / d.contact_friction[s, j - 1]
            replace_resistance(d, r + j, tangent * ratio * ratio)
    else:
        mu = mu0 * sqrt(1.0 / maximum(TINY, m.opt.impratio))
        d.contact_mu[s] = mu
        edge = 2.0 * mu * mu * d.efc_R[r]
        for j in range(rows):
            replace_resistance(d, r + j, edge)


@kernel
def replace_resistance(d, i, resistance):
    """R, D, and a diagonal approximation that would have given them."""
    safe = maximum(TINY, resistance)
    d.efc_R[i] = safe
    d.efc_D[i] = where(d.efc_D[i] > 0.0, 1.0 / safe, 0.0)
    d.efc_diagApprox[i] = safe * d.efc_KBIP[i, 2] / (1.0 - d.efc_KBIP[i, 2])
