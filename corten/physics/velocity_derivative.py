"""The derivative of smooth forces by velocities, which implicit integrators take into the inertia.

qDeriv = d (qfrc_actuator + qfrc_passive - qfrc_bias) / d qvel, in the pattern D: both triangles of the inertia's.

Bias forces. With v_b the velocity of body b, S_j the axis of dof j (`cdof`) and S_j' its rate (`cdof_dot`), the
velocity and the acceleration of a body below dof j depend on qvel_j by S_j and by P_j - v_b x S_j, where

    P_j = S_j' + w_j x S_j

with w_j the velocity after the joint of dof j (of a free joint's translations: after these, before its rotations),
so that the force on the body, I a + v x* I v, depends on it by I P_j + B S_j with B = v x* I - I v x + (.) x* (I v). B
maps a motion (a, u) to (X a, 2 a x p): p is the body's linear momentum and X = w x (2 J - tr J) - 2 (v c' - v'c), with
J the rotational inertia, c the first moment, w and v angular and linear velocity. These twelve numbers are summed over
subtrees, as I is. The derivative of the bias force of dof i by the velocity of dof j is S_i' (I P_j + B S_j) with the
sums below the lower of the two. (Featherstone 2008; Singh, Russell and Wensing 2022 give the sums for derivatives.)
"""

from __future__ import annotations

from corten.kernel import any_lane, kernel, stage, where
from corten.kernel.mat3 import cross_mat
from corten.kernel.spatial import add6, axpy6, cross_motion, dot6, inertia_times, load6, load10, scale6, store6
from corten.kernel.vec import add3, cross, dot3, load9, mat_t_vec, mat_vec, scale3
from corten.model.enums import BiasType, DisableBit, GainType, JointType
from corten.physics.activation import actuator_disabled
from corten.physics.actuation import actuator_drive
from corten.physics.fluid import has_fluid
from corten.physics.fluid_derivative import add_fluid_derivative
from corten.physics.muscle import muscle_gain_slope
from corten.physics.passive import has_passive


@stage
def velocity_derivative(m, d, full):
    """qDeriv; where not `full`, without bias forces and with what is symmetric of the medium's."""
    for k in range(m.nD):
        d.qDeriv[k] = 0.0
    if not m.opt.disableflags & DisableBit.ACTUATION:
        for i in range(m.nu):
            if m.actuator_couplenum[i] > 0 and not actuator_disabled(m, i):
                first = m.actuator_coupleadr[i]
                last, slope = first + m.actuator_couplenum[i], actuator_slope(m, d, i)
                add_couplings(d, d.actuator_moment, m.actuator_couple, first, last, slope)
    if has_passive(m) and has_fluid(m):
        add_fluid_derivative(m, d, full)
    if not m.opt.disableflags & DisableBit.DAMPER:
        for i in range(m.nv):
            diagonal = m.D_rowadr[i] + m.D_diag[i]
            d.qDeriv[diagonal] = d.qDeriv[diagonal] - m.dof_damping[i]
        for t in range(m.ntendon):
            if any_lane(m.tendon_damping[t] != 0.0):
                first = m.tendon_coupleadr[t]
                add_couplings(d, d.ten_J, m.tendon_couple, first, first + m.tendon_couplenum[t], -m.tendon_damping[t])
    if full:
        subtract_bias_derivative(m, d)


@kernel
def add_couplings(d, moments, couple, first, last, slope):
    """qDeriv += slope J' J, J a row of moments; the table holds the products and where they belong."""
    for k in range(first, last):
        lower, upper = couple[k, 2], couple[k, 3]
        product = moments[couple[k, 0]] * slope * moments[couple[k, 1]]
        d.qDeriv[lower] = d.qDeriv[lower] + product
        if upper != lower:
            d.qDeriv[upper] = d.qDeriv[upper] + product


@kernel
def actuator_slope(m, d, i):
    """Derivative of the force of actuator i by its velocity; 0 where a limit holds the force."""
    slope = 0.0
    if m.actuator_biastype[i] == BiasType.AFFINE:
        slope = m.actuator_biasprm[i, 2]
    if m.actuator_gaintype[i] == GainType.AFFINE and any_lane(m.actuator_gainprm[i, 2] != 0.0):
        slope = m.actuator_gainprm[i, 2] * slope_drive(m, d, i) + slope
    elif m.actuator_gaintype[i] == GainType.MUSCLE:
        gain = muscle_gain_slope(m, i, d.actuator_length[i], d.actuator_velocity[i])
        slope = gain * slope_drive(m, d, i) + slope
    if m.actuator_forcelimited[i]:
        force = d.actuator_force[i]
        free = (force > m.actuator_forcerange[i, 0]) & (force < m.actuator_forcerange[i, 1])
        slope = where(free, slope, 0.0)
    return slope


@kernel
def slope_drive(m, d, i):
    """What the gain multiplies. Like the reference, the derivative takes a control without its limits and its delay."""
    if m.actuator_actadr[i] < 0:
        return d.ctrl[i]
    return actuator_drive(m, d, i)


@kernel
def subtract_bias_derivative(m, d):
    """qDeriv -= d qfrc_bias / d qvel."""
    for b in range(1, m.nbody):
        body_turning(d, b)
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        if p > 0:
            for k in range(12):
                d.turning[p, k] = d.turning[p, k] + d.turning[b, k]
    for j in range(m.njnt):
        joint_rates(m, d, j)
    for i in range(m.nv):
        b = m.dof_bodyid[i]
        axis = load6(d.cdof, i)
        turn, move = (axis[0], axis[1], axis[2]), (axis[3], axis[4], axis[5])
        inertia = load10(d.crb, b)
        x = load9(d.turning, b)
        momentum = (d.turning[b, 9], d.turning[b, 10], d.turning[b, 11])
        # the force below dof i by its own velocity, and what turns motions and rates above it into forces along it
        force = add6(
            inertia_times(inertia, load6(d.cdof_rate, i)),
            (*mat_vec(x, turn), *scale3(2.0, cross(turn, momentum))),
        )
        by_rate = inertia_times(inertia, axis)
        by_turn = add3(mat_t_vec(x, turn), scale3(2.0, cross(momentum, move)))
        first = m.D_rowadr[i]
        diagonal = first + m.D_diag[i]
        for k in range(first, diagonal):
            j = m.D_colind[k]
            other = load6(d.cdof, j)
            below = dot6(by_rate, load6(d.cdof_rate, j)) + dot3(by_turn, (other[0], other[1], other[2]))
            d.qDeriv[k] = d.qDeriv[k] - below
            t = m.D_transpose[k]
            d.qDeriv[t] = d.qDeriv[t] - dot6(other, force)
        d.qDeriv[diagonal] = d.qDeriv[diagonal] - dot6(axis, force)


@kernel
def body_turning(d, b):
    """turning[b]: X and p of body b."""
    xx, yy, zz, xy, xz, yz, hx, hy, hz, mass = load10(d.cinert, b)
    v = load6(d.cvel, b)
    w, u, h = (v[0], v[1], v[2]), (v[3], v[4], v[5]), (hx, hy, hz)
    j = (xx - yy - zz, 2.0 * xy, 2.0 * xz, 2.0 * xy, yy - xx - zz, 2.0 * yz, 2.0 * xz, 2.0 * yz, zz - xx - yy)
    x = cross_mat(w, j)
    ux, uy, uz = scale3(2.0, u)
    d.turning[b, 0] = x[0] + uy * hy + uz * hz
    d.turning[b, 1] = x[1] - ux * hy
    d.turning[b, 2] = x[2] - ux * hz
    d.turning[b, 3] = x[3] - uy * hx
    d.turning[b, 4] = x[4] + ux * hx + uz * hz
    d.turning[b, 5] = x[5] - uy * hz
    d.turning[b, 6] = x[6] - uz * hx
    d.turning[b, 7] = x[7] - uz * hy
    d.turning[b, 8] = x[8] + ux * hx + uy * hy
    carried = cross(w, h)
    d.turning[b, 9] = mass * u[0] + carried[0]
    d.turning[b, 10] = mass * u[1] + carried[1]
    d.turning[b, 11] = mass * u[2] + carried[2]


@kernel
def joint_rates(m, d, j):
    """cdof_rate, P above: twice cdof_dot, and for the three axes of a ball how they carry one another along."""
    i, kind = m.jnt_dofadr[j], m.jnt_type[j]
    if kind == JointType.SLIDE or kind == JointType.HINGE:
        store6(d.cdof_rate, i, scale6(2.0, load6(d.cdof_dot, i)))
    else:
        if kind == JointType.FREE:
            for k in range(i, i + 3):
                store6(d.cdof_rate, k, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
            i = i + 3
        own = scale6(d.qvel[i], load6(d.cdof, i))
        own = axpy6(d.qvel[i + 1], load6(d.cdof, i + 1), own)
        own = axpy6(d.qvel[i + 2], load6(d.cdof, i + 2), own)
        for k in range(i, i + 3):
            carried = cross_motion(own, load6(d.cdof, k))
            store6(d.cdof_rate, k, axpy6(2.0, load6(d.cdof_dot, k), carried))
