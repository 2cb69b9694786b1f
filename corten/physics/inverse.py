"""Inverse dynamics: the forces that would have produced given accelerations."""

from __future__ import annotations

from corten.kernel import kernel, lane, lanes, sqrt, stage
from corten.model.enums import EnableBit
from corten.physics.constraint.cost import row_states, update_rows
from corten.physics.constraint.isles import choose_isles
from corten.physics.constraint.jacobian import constraint_force_on_dofs, multiply_jacobian
from corten.physics.discrete import continuous_acceleration
from corten.physics.inertia import multiply_inertia
from corten.physics.sensor_stages import sense_accelerations
from corten.physics.wrench import cartesian_force


@stage
def inverse_dynamics(m, d):
    """qfrc_inverse at qacc, and the sensors of accelerations; positions and velocities are done.

    With `invdiscrete`, qacc is the change of velocity over a step divided by its length; for the rest of this stage it
    is replaced by the acceleration of continuous time that the integrator would have made it from.
    """
    discrete = m.opt.enableflags & EnableBit.INVDISCRETE
    if discrete:
        for i in range(m.nv):
            d.inverse_qacc[i] = d.qacc[i]
        continuous_acceleration(m, d)
    inverse_constraint(m, d)
    sense_accelerations(m, d)
    inverse_force(m, d)
    if discrete:
        for i in range(m.nv):
            d.qacc[i] = d.inverse_qacc[i]


@kernel
def inverse_force(m, d):
    """qfrc_inverse = M qacc + bias - passive - constraint: what actuators and the user have to add."""
    multiply_inertia(m, d, d.qfrc_inverse, d.qacc)
    for i in range(m.nv):
        d.qfrc_inverse[i] = d.qfrc_inverse[i] + d.qfrc_bias[i] - d.qfrc_passive[i] - d.qfrc_constraint[i]


@kernel
def inverse_constraint(m, d):
    """efc_force and qfrc_constraint at qacc: in the inverse problem they are functions of J qacc - aref, row by row."""
    if d.nefc > 0:
        multiply_jacobian(d, d.efc_jar, d.qacc)
        for r in range(d.nefc):
            d.efc_jar[r] = d.efc_jar[r] - d.efc_aref[r]
        choose_isles(m, d)
        for s in range(d.isle_first, d.isle_end):
            update_rows(m, d, s)
        for l in lanes(d):
            row_states(lane(m, l), lane(d, l))
    constraint_force_on_dofs(m, d)


@stage
def compare_forward_inverse(m, d):
    """solver_fwdinv: how far inverse dynamics at the forward dynamics' qacc is from the forces that went into it.

    The norms of the differences of constraint forces and of all other forces on the dofs. Results of the forward
    dynamics stay as they are.
    """
    for i in range(m.nv):
        d.inverse_force[i] = d.qfrc_constraint[i]
        d.scratch_v[i] = d.qfrc_applied[i] + d.qfrc_actuator[i]
    for r in range(d.nefc):
        d.efc_jv[r] = d.efc_force[r]
    cartesian_force(m, d, d.scratch_v)
    inverse_constraint(m, d)
    inverse_force(m, d)
    constraint, applied = 0.0, 0.0
    for i in range(m.nv):
        constraint = (d.inverse_force[i] - d.qfrc_constraint[i]) ** 2 + constraint
        applied = (d.scratch_v[i] - d.qfrc_inverse[i]) ** 2 + applied
        d.qfrc_constraint[i] = d.inverse_force[i]
    for r in range(d.nefc):
        d.efc_force[r] = d.efc_jv[r]
    d.solver_fwdinv[0] = sqrt(constraint)
    d.solver_fwdinv[1] = sqrt(applied)
