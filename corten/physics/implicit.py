"""Integrators that take velocity-dependent forces at the end of the step.

To first order the forces at the end are those at the start plus h qDeriv qacc, so (M - h qDeriv) qacc = forces, after
which the state advances as in the semi-implicit Euler method.
"""

from __future__ import annotations

from corten.kernel import kernel, stage
from corten.model.enums import DisableBit
from corten.physics.inertia import factor, solve
from corten.physics.integrate import advance
from corten.physics.velocity_derivative import velocity_derivative


@stage
def implicit(m, d):
    """All of the derivative; its matrix has no symmetry, and is factored as (U + 1) L in the pattern D."""
    velocity_derivative(m, d, 1)
    for k in range(m.nD):
        d.qLU[k] = -m.opt.timestep * d.qDeriv[k]
        if m.mapM2D[k] >= 0:
            d.qLU[k] = d.qLU[k] + d.M[m.mapM2D[k]]
    factor_unsymmetric(m, d.qLU)
    set_force(m, d)
    solve_unsymmetric(m, d.qLU, d.scratch_v)
    advance(m, d, d.act_dot, d.scratch_v, d.qvel)


@stage
def implicit_fast(m, d):
    """The derivative without bias forces, made symmetric: the matrix has the inertia's pattern and kind of factors."""
    velocity_derivative(m, d, 0)
    for k in range(m.nC):
        d.qH[k] = d.M[k] - m.opt.timestep * d.qDeriv[m.mapD2M[k]]
    set_force(m, d)
    advance_symmetric(m, d)


@stage
def implicit_spring_damper(m, d):
    """Springs and dampers of joints at the end of the step: (M + h D + h^2 K) qacc = forces - h K qvel.

    K and D are diagonal: the stiffness of a ball's spring is taken as the same about all axes.
    """
    h = m.opt.timestep
    spring = not m.opt.disableflags & DisableBit.SPRING
    damper = not m.opt.disableflags & DisableBit.DAMPER
    for k in range(m.nC):
        d.qH[k] = d.M[k]
    set_force(m, d)
    for i in range(m.nv):
        diagonal = m.M_rowadr[i] + m.M_rownnz[i] - 1
        if spring:
            stiffness = m.jnt_stiffness[m.dof_jntid[i]]
            d.qH[diagonal] = h * h * stiffness + d.qH[diagonal]
            d.scratch_v[i] = d.scratch_v[i] - h * stiffness * d.qvel[i]
        if damper:
            d.qH[diagonal] = h * m.dof_damping[i] + d.qH[diagonal]
    advance_symmetric(m, d)


@kernel
def set_force(m, d):
    """scratch_v = all forces at the start of the step."""
    for i in range(m.nv):
        d.scratch_v[i] = d.qfrc_smooth[i] + d.qfrc_constraint[i]


@kernel
def advance_symmetric(m, d):
    """The state after one step with the acceleration inv(qH) scratch_v."""
    factor(m, d.qH, d.qH, d.qHDiagInv)
    solve(m, d.qH, d.qHDiagInv, d.scratch_v)
    advance(m, d, d.act_dot, d.scratch_v, d.qvel)


@kernel
def factor_unsymmetric(m, lu):
    """A = (U + 1) L in place: L with its diagonal below, U without its unit diagonal above.

    From the last dof to the first: column i of its ancestors, divided by the pivot, times row i is taken from what the
    ancestors have among themselves. What row i holds left of its diagonal are its ancestors; those of an ancestor come
    first among them.
    """
    for i in range(m.nv - 1, -1, -1):
        row = m.D_rowadr[i]
        diagonal = row + m.D_diag[i]
        inverse = 1.0 / lu[diagonal]
        for k in range(row, diagonal):
            t = m.D_transpose[k]
            lu[t] = lu[t] * inverse
        for k in range(row, diagonal):
            left, up = lu[k], lu[m.D_transpose[k]]
            ancestor = m.D_rowadr[m.D_colind[k]]
            for c in range(k - row):
                t = m.D_transpose[ancestor + c]
                lu[ancestor + c] = lu[ancestor + c] - up * lu[row + c]
                lu[t] = lu[t] - lu[m.D_transpose[row + c]] * left
            lu[ancestor + k - row] = lu[ancestor + k - row] - up * left


@kernel
def solve_unsymmetric(m, lu, x):
    """x becomes inv((U + 1) L) x."""
    for i in range(m.nv - 1, -1, -1):
        s = x[i]
        for k in range(m.D_rowadr[i] + m.D_diag[i] + 1, m.D_rowadr[i] + m.D_rownnz[i]):
            s = s - lu[k] * x[m.D_colind[k]]
        x[i] = s
    for i in range(m.nv):
        diagonal = m.D_rowadr[i] + m.D_diag[i]
        s = x[i]
        for k in range(m.D_rowadr[i], diagonal):
            s = s - lu[k] * x[m.D_colind[k]]
        x[i] = s / lu[diagonal]
