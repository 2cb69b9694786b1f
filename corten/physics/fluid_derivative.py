"""How the forces of the medium change with the velocities of the dofs.

Each body gives a 6x6 gain from its own velocity to the wrench on it, both about the tree's centre of mass in world
axes. Two dofs, one above the other, see the sum G of the gains of all bodies below the lower one: their entry of the
derivative is cdof_i' G cdof_j. The guards against vanishing divisors are the reference's.
"""

from __future__ import annotations

from corten.kernel import absolute, all_lanes, kernel, maximum, sqrt, where
from corten.kernel.mat3 import cross_mat, diagonal9, mat_add, mat_cross, mat_scale, mat_sub, mat_transpose, outer, skew
from corten.kernel.spatial import dot6, load6
from corten.kernel.vec import axpy3, dot3, load3, load9, mat_mul, norm3, scale3, sub3
from corten.physics.fluid import (
    PI,
    TINY,
    added_mass,
    box_coefficients,
    has_ellipsoid,
    largest_area,
    magnus_coefficient,
    projected_area,
    projection,
    relative_velocity,
    semiaxes,
    stokes,
    times3,
    turn_coefficients,
)

ZERO9 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def add_fluid_derivative(m, d, full):
    """qDeriv += d qfrc_fluid / d qvel; where not `full`, the symmetric part of each body's gain is taken."""
    for b in range(m.nbody):
        for k in range(36):
            d.fluid_gain[b, k] = 0.0
        massless = m.body_mass[b] < TINY
        if not all_lanes(massless):
            if has_ellipsoid(m, b):
                ellipsoid_gains(m, d, b, full)
            else:
                box_gain(m, d, b)
            for k in range(36):
                d.fluid_gain[b, k] = where(massless, 0.0, d.fluid_gain[b, k])
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        if p > 0:
            for k in range(36):
                d.fluid_gain[p, k] = d.fluid_gain[p, k] + d.fluid_gain[b, k]
    for i in range(m.nv):
        b = m.dof_bodyid[i]
        axis = load6(d.cdof, i)
        above, below = gain_times(d.fluid_gain, b, axis), gain_transposed_times(d.fluid_gain, b, axis)
        first = m.D_rowadr[i]
        diagonal = first + m.D_diag[i]
        for k in range(first, diagonal):
            other = load6(d.cdof, m.D_colind[k])
            d.qDeriv[k] = d.qDeriv[k] + dot6(below, other)
            t = m.D_transpose[k]
            d.qDeriv[t] = d.qDeriv[t] + dot6(above, other)
        d.qDeriv[diagonal] = d.qDeriv[diagonal] + dot6(above, axis)


@kernel
def gain_times(gain, b, s):
    """G s, with G in row b of an (n, 36) array."""
    return (
        gain_row(gain, b, 0, s),
        gain_row(gain, b, 6, s),
        gain_row(gain, b, 12, s),
        gain_row(gain, b, 18, s),
        gain_row(gain, b, 24, s),
        gain_row(gain, b, 30, s),
    )


@kernel
def gain_row(gain, b, k, s):
    """The row of G that starts at k, times s."""
    return dot6((gain[b, k], gain[b, k + 1], gain[b, k + 2], gain[b, k + 3], gain[b, k + 4], gain[b, k + 5]), s)


@kernel
def gain_transposed_times(gain, b, s):
    """G' s, with G in row b of an (n, 36) array."""
    return (
        gain_column(gain, b, 0, s),
        gain_column(gain, b, 1, s),
        gain_column(gain, b, 2, s),
        gain_column(gain, b, 3, s),
        gain_column(gain, b, 4, s),
        gain_column(gain, b, 5, s),
    )


@kernel
def gain_column(gain, b, k, s):
    """Column k of G, times s."""
    return dot6((gain[b, k], gain[b, k + 6], gain[b, k + 12], gain[b, k + 18], gain[b, k + 24], gain[b, k + 30]), s)


@kernel
def add_gain(d, b, arm, axes, turn_turn, turn_move, move_turn, move_move):
    """fluid_gain[b] += the gain whose blocks (torque or force, by turning or moving) are given at `arm` in `axes`.

    A motion (w, u) about the tree's centre is (w, u + w x arm) at the arm; a force there has the moment arm x force.
    """
    back = mat_transpose(axes)
    move_move = mat_mul(axes, mat_mul(move_move, back))
    turn_move = mat_mul(axes, mat_mul(turn_move, back))
    move_turn = mat_sub(mat_mul(axes, mat_mul(move_turn, back)), mat_cross(move_move, arm))
    turn_turn = mat_sub(mat_mul(axes, mat_mul(turn_turn, back)), mat_cross(turn_move, arm))
    add_block(d.fluid_gain, b, 0, mat_add(turn_turn, cross_mat(arm, move_turn)))
    add_block(d.fluid_gain, b, 3, mat_add(turn_move, cross_mat(arm, move_move)))
    add_block(d.fluid_gain, b, 18, move_turn)
    add_block(d.fluid_gain, b, 21, move_move)


@kernel
def add_block(gain, b, k, r):
    """The 3x3 block of row b's 6x6 matrix that starts at k, plus r."""
    gain[b, k] = gain[b, k] + r[0]
    gain[b, k + 1] = gain[b, k + 1] + r[1]
    gain[b, k + 2] = gain[b, k + 2] + r[2]
    gain[b, k + 6] = gain[b, k + 6] + r[3]
    gain[b, k + 7] = gain[b, k + 7] + r[4]
    gain[b, k + 8] = gain[b, k + 8] + r[5]
    gain[b, k + 12] = gain[b, k + 12] + r[6]
    gain[b, k + 13] = gain[b, k + 13] + r[7]
    gain[b, k + 14] = gain[b, k + 14] + r[8]


@kernel
def box_gain(m, d, b):
    """fluid_gain of a body that the medium takes for its inertia box."""
    arm = sub3(load3(d.xipos, b), load3(d.subtree_com, m.body_rootid[b]))
    axes = load9(d.ximat, b)
    w, v = relative_velocity(m, d, b, arm, axes)
    turn_viscous, turn_drag, viscous, drag = box_coefficients(m, b)
    turn = diagonal9(
        (
            2.0 * turn_drag[0] * absolute(w[0]) + turn_viscous,
            2.0 * turn_drag[1] * absolute(w[1]) + turn_viscous,
            2.0 * turn_drag[2] * absolute(w[2]) + turn_viscous,
        )
    )
    move = diagonal9(
        (
            2.0 * drag[0] * absolute(v[0]) + viscous,
            2.0 * drag[1] * absolute(v[1]) + viscous,
            2.0 * drag[2] * absolute(v[2]) + viscous,
        )
    )
    add_gain(d, b, arm, axes, turn, ZERO9, ZERO9, move)


@kernel
def ellipsoid_gains(m, d, b, full):
    """fluid_gain of a body that the medium takes for the ellipsoids of its geoms."""
    for g in range(m.body_geomadr[b], m.body_geomadr[b] + m.body_geomnum[b]):
        if m.geom_fluid[g, 0] > 0.0:
            arm = sub3(load3(d.geom_xpos, g), load3(d.subtree_com, m.body_rootid[b]))
            axes = load9(d.geom_xmat, g)
            w, v = relative_velocity(m, d, b, arm, axes)
            turn_turn, turn_move, move_turn, move_move = ellipsoid_derivative(m, g, w, v)
            if not full:
                mixed = mat_scale(0.5, mat_add(turn_move, mat_transpose(move_turn)))
                turn_turn = mat_scale(0.5, mat_add(turn_turn, mat_transpose(turn_turn)))
                move_move = mat_scale(0.5, mat_add(move_move, mat_transpose(move_move)))
                turn_move = mixed
                move_turn = mat_transpose(mixed)
            add_gain(d, b, arm, axes, turn_turn, turn_move, move_turn, move_move)


@kernel
def ellipsoid_derivative(m, g, w, v):
    """Derivatives of `ellipsoid_force`: of torque by w and v, of force by w and v."""
    size = semiaxes(m, g)
    mass, inertia = added_mass(m, g)
    momentum, spin = skew(times3(mass, v)), skew(times3(inertia, w))
    magnus = magnus_coefficient(m, g, size)
    turn_turn = mat_add(mat_sub(spin, mat_mul(skew(w), diagonal9(inertia))), turning_drag(m, g, size, w))
    turn_move = mat_sub(momentum, mat_mul(skew(v), diagonal9(mass)))
    move_turn = mat_sub(momentum, skew(scale3(magnus, v)))
    move_move = mat_sub(skew(scale3(magnus, w)), mat_mul(skew(w), diagonal9(mass)))
    return turn_turn, turn_move, move_turn, mat_add(move_move, mat_add(kutta(m, g, size, v), drag(m, g, size, v)))


@kernel
def turning_drag(m, g, size, w):
    """Derivative of -(viscous + density |c w|) w by w, c the coefficients of the axes."""
    c = turn_coefficients(m, g, size)
    moment = times3(c, w)
    scale = m.opt.density / maximum(TINY, norm3(moment))
    gradient = scale3(scale, times3(c, moment))
    total = stokes(m, size)[1] + dot3(gradient, w)
    return mat_sub(diagonal9((-total, -total, -total)), outer(w, gradient))


@kernel
def drag(m, g, size, v):
    """Derivative of -(viscous + density |v| Q) v by v; Q = blunt A + slender (A_max - A), A the area of the shadow."""
    c = projection(size)
    area, _, num, den = projected_area(size, v)
    speed = norm3(v)
    blunt, slender = m.geom_fluid[g, 1], m.geom_fluid[g, 2]
    quadratic = m.opt.density * (area * blunt + slender * (largest_area(size) - area)) / maximum(TINY, speed)
    # dA/dv_j = pi c_j v_j (c_j num - den) / sqrt(num^3 den)
    scale = m.opt.density * speed * (blunt - slender) * (PI / maximum(TINY, sqrt(num * num * num * den)))
    x, y, z = c[0] * v[0] * v[0], c[1] * v[1] * v[1], c[2] * v[2] * v[2]
    by_area = (
        scale * c[0] * v[0] * (y * (c[0] - c[1]) + z * (c[0] - c[2])),
        scale * c[1] * v[1] * (x * (c[1] - c[0]) + z * (c[1] - c[2])),
        scale * c[2] * v[2] * (x * (c[2] - c[0]) + y * (c[2] - c[1])),
    )
    total = -(quadratic * dot3(v, v)) - stokes(m, size)[0]
    return mat_sub(diagonal9((total, total, total)), outer(v, axpy3(quadratic, v, by_area)))


@kernel
def kutta(m, g, size, v):
    """Derivative by v of the lift k num ((n x v) x v), k = pi lift density / sqrt(num den |v|^2).

    With e_i = sum_k v_k^2 (c_i - c_k) the force is -k num e_i v_i; n = c v, num = n'v, den = n'n.
    """
    c = projection(size)
    shadow = projected_area(size, v)
    num, den = shadow[2], shadow[3]
    x, y, z = v[0] * v[0], v[1] * v[1], v[2] * v[2]
    square = x + y + z
    k = PI * m.geom_fluid[g, 4] * m.opt.density / maximum(TINY, sqrt(den * num * square))
    steep, cosine = num / maximum(TINY, den), num / maximum(TINY, square)
    f = (
        c[0] * c[0] * steep - c[0] + cosine,
        c[1] * c[1] * steep - c[1] + cosine,
        c[2] * c[2] * steep - c[2] + cosine,
    )
    e = (
        y * (c[0] - c[1]) + z * (c[0] - c[2]),
        x * (c[1] - c[0]) + z * (c[1] - c[2]),
        x * (c[2] - c[0]) + y * (c[2] - c[1]),
    )
    twice = 2.0 * num
    return (
        k * (x * (e[0] * f[0]) - e[0] * num),
        k * (v[0] * v[1]) * (twice * (c[1] - c[0]) + e[0] * f[1]),
        k * (v[0] * v[2]) * (twice * (c[2] - c[0]) + e[0] * f[2]),
        k * (v[1] * v[0]) * (twice * (c[0] - c[1]) + e[1] * f[0]),
        k * (y * (e[1] * f[1]) - e[1] * num),
        k * (v[1] * v[2]) * (twice * (c[2] - c[1]) + e[1] * f[2]),
        k * (v[2] * v[0]) * (twice * (c[0] - c[2]) + e[2] * f[0]),
        k * (v[2] * v[1]) * (twice * (c[1] - c[2]) + e[2] * f[1]),
        k * (z * (e[2] * f[2]) - e[2] * num),
    )
