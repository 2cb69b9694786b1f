"""From accelerations to the next state."""

from __future__ import annotations

from corten.kernel import any_lane, kernel, stage, where
from corten.kernel.quat import load_quat, quat_integrate
from corten.model.enums import DisableBit, JointType
from corten.physics.activation import advance_activations
from corten.physics.history import record_history
from corten.physics.inertia import factor, solve
from corten.physics.sensor_stages import record_sensors

SIXTH, THIRD = 1.0 / 6.0, 1.0 / 3.0  # weights of the classical Runge-Kutta method's outer and inner slopes


@kernel
def integrate_positions(m, qpos, qvel, h):
    """qpos moves with qvel for the time h; orientations along their geodesics."""
    for j in range(m.njnt):
        a, i, kind = m.jnt_qposadr[j], m.jnt_dofadr[j], m.jnt_type[j]
        if kind == JointType.SLIDE or kind == JointType.HINGE:
            qpos[a] = h * qvel[i] + qpos[a]
        else:
            if kind == JointType.FREE:
                for c in range(3):
                    qpos[a + c] = h * qvel[i + c] + qpos[a + c]
                a = a + 3
                i = i + 3
            q = quat_integrate(load_quat(qpos, a), (qvel[i], qvel[i + 1], qvel[i + 2]), h)
            qpos[a] = q[0]
            qpos[a + 1] = q[1]
            qpos[a + 2] = q[2]
            qpos[a + 3] = q[3]


@kernel
def advance(m, d, act_dot, qacc, qvel):
    """The state after one step: activations move with act_dot, velocities with qacc, positions with qvel.

    The latter may be the new velocities.
    """
    h = m.opt.timestep
    record_history(m, d)
    if m.nsensorbuffered > 0:
        record_sensors(m, d)
    advance_activations(m, d, act_dot)
    for i in range(m.nv):
        d.qvel[i] = h * qacc[i] + d.qvel[i]
    integrate_positions(m, d.qpos, qvel, h)
    d.time = d.time + h
    for i in range(m.nv):
        d.qacc_warmstart[i] = d.qacc[i]


@stage
def euler(m, d):
    """Semi-implicit Euler. Joint damping is that of the end of the step: (M + h D) qacc = all forces at its start."""
    damps = damped(m)
    if not any_lane(damps):
        advance(m, d, d.act_dot, d.qacc, d.qvel)
        return
    for k in range(m.nC):
        d.qH[k] = d.M[k]
    for i in range(m.nv):
        diagonal = m.M_rowadr[i] + m.M_rownnz[i] - 1
        d.qH[diagonal] = m.opt.timestep * m.dof_damping[i] + d.qH[diagonal]
        d.scratch_v[i] = d.qfrc_smooth[i] + d.qfrc_constraint[i]
    factor(m, d.qH, d.qH, d.qHDiagInv)
    solve(m, d.qH, d.qHDiagInv, d.scratch_v)
    for i in range(m.nv):
        d.scratch_v[i] = where(damps, d.scratch_v[i], d.qacc[i])
    advance(m, d, d.act_dot, d.scratch_v, d.qvel)


@kernel
def damped(m):
    """Whether Euler has damping to take implicitly."""
    some = False
    if not m.opt.disableflags & (DisableBit.EULERDAMP | DisableBit.DAMPER):
        for i in range(m.nv):
            some = some | (m.dof_damping[i] > 0.0)
    return some


@stage
def runge_kutta_begin(m, d):
    """Keep the state at the start of the step, and begin the weighted sums of its rates."""
    d.rk_time = d.time
    for i in range(m.nq):
        d.rk_qpos[i] = d.qpos[i]
    for i in range(m.nv):
        d.rk_qvel[i] = d.qvel[i]
        d.rk_qvel_sum[i] = d.qvel[i] * SIXTH
        d.rk_qacc_sum[i] = d.qacc[i] * SIXTH
    for i in range(m.na):
        d.rk_act[i] = d.act[i]
        d.rk_act_sum[i] = d.act_dot[i] * SIXTH


@stage
def runge_kutta_move(m, d, fraction):
    """The next trial state: from the start of the step, along the slope of the last trial, for a part of the step."""
    h = m.opt.timestep * fraction
    for i in range(m.nq):
        d.qpos[i] = d.rk_qpos[i]
    integrate_positions(m, d.qpos, d.qvel, h)
    for i in range(m.nv):
        d.qvel[i] = h * d.qacc[i] + d.rk_qvel[i]
    for i in range(m.na):
        d.act[i] = h * d.act_dot[i] + d.rk_act[i]
    d.time = d.rk_time + h


@stage
def runge_kutta_add(m, d, weight):
    """Add the slope of a trial state to the weighted sums."""
    for i in range(m.nv):
        d.rk_qvel_sum[i] = weight * d.qvel[i] + d.rk_qvel_sum[i]
        d.rk_qacc_sum[i] = weight * d.qacc[i] + d.rk_qacc_sum[i]
    for i in range(m.na):
        d.rk_act_sum[i] = weight * d.act_dot[i] + d.rk_act_sum[i]


@stage
def runge_kutta_undo(m, d):
    """The state as it was at the start of the step."""
    for i in range(m.nq):
        d.qpos[i] = d.rk_qpos[i]
    for i in range(m.nv):
        d.qvel[i] = d.rk_qvel[i]
    for i in range(m.na):
        d.act[i] = d.rk_act[i]
    d.time = d.rk_time


@stage
def runge_kutta_end(m, d):
    """The state at the end of the step: from its start, along the weighted slopes."""
    runge_kutta_undo(m, d)
    advance(m, d, d.rk_act_sum, d.rk_qacc_sum, d.rk_qvel_sum)
