"""Accelerations of discrete time, (v1 - v0) / h over a step, as accelerations of continuous time.

An integrator that takes a part of the forces at the end of the step solves (M - h Q) a = f + g for its acceleration a,
where f are the forces at the start; that of continuous time is inv(M) f = inv(M) ((M - h Q) a - g).
"""

from __future__ import annotations

from corten.kernel import any_lane, kernel, stage, where
from corten.model.enums import DisableBit, Integrator
from corten.physics.inertia import multiply_inertia, solve
from corten.physics.integrate import damped
from corten.physics.velocity_derivative import velocity_derivative


@stage
def continuous_acceleration(m, d):
    """qacc becomes the acceleration of continuous time that the integrator would have made it from.

    The trial states of Runge-Kutta can not be found back: with it, qacc is left as it is.
    """
    kind = m.opt.integrator
    differs = damped(m) | (kind != Integrator.EULER)
    if kind == Integrator.RK4 or not any_lane(differs):
        return
    multiply_inertia(m, d, d.scratch_v, d.qacc)
    if kind == Integrator.IMPLICIT:
        velocity_derivative(m, d, 1)
        subtract_full(m, d)
    elif kind == Integrator.IMPLICITFAST:
        velocity_derivative(m, d, 0)
        subtract_symmetric(m, d)
    else:
        add_joint_terms(m, d, kind == Integrator.IMPLICITSPRINGDAMPER)
    solve(m, d.qLD, d.qLDiagInv, d.scratch_v)
    for i in range(m.nv):
        d.qacc[i] = where(differs, d.scratch_v[i], d.qacc[i])


@kernel
def subtract_full(m, d):
    """scratch_v -= h qDeriv qacc"""
    for i in range(m.nv):
        s = 0.0
        for k in range(m.D_rowadr[i], m.D_rowadr[i] + m.D_rownnz[i]):
            s = d.qDeriv[k] * d.qacc[m.D_colind[k]] + s
        d.scratch_v[i] = d.scratch_v[i] - m.opt.timestep * s


@kernel
def subtract_symmetric(m, d):
    """The same, with the lower triangle of qDeriv standing for both."""
    for i in range(m.nv):
        last = m.M_rowadr[i] + m.M_rownnz[i] - 1
        for k in range(m.M_rowadr[i], last + 1):
            j, slope = m.M_colind[k], m.opt.timestep * d.qDeriv[m.mapD2M[k]]
            d.scratch_v[i] = d.scratch_v[i] - slope * d.qacc[j]
            if k < last:
                d.scratch_v[j] = d.scratch_v[j] - slope * d.qacc[i]


@kernel
def add_joint_terms(m, d, springs):
    """scratch_v += h D qacc, and where `springs`, + h K (qvel + h qacc): dampers and springs of joints."""
    h = m.opt.timestep
    for i in range(m.nv):
        if not m.opt.disableflags & DisableBit.DAMPER:
            d.scratch_v[i] = h * m.dof_damping[i] * d.qacc[i] + d.scratch_v[i]
        if springs and not m.opt.disableflags & DisableBit.SPRING:
            stiffness = h * m.jnt_stiffness[m.dof_jntid[i]]
            d.scratch_v[i] = stiffness * (d.qvel[i] + h * d.qacc[i]) + d.scratch_v[i]
