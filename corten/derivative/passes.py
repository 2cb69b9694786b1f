"""The passes on dual numbers, compiled: which inputs get tangents, what is run, and what the tangents say.

A pass has as many columns as a dual has tangents. What an input does not change is not computed again: velocities leave
what depends on positions alone as it is, controls and activations also what depends on velocities. So columns come in
this order, a pass has columns of one kind, and before each kind what it leaves as it is is computed without tangents;
unless one pass has room for all.
From the second pass on the solution of the constraints is known, and only its derivatives are found.
"""

from __future__ import annotations

from corten.kernel import any_lane, kernel, lane, stage, tangent_of, value, with_tangent
from corten.model.enums import Integrator, JointType
from corten.physics.step import (
    acceleration_stages,
    begin,
    gives_up,
    integrate,
    position_stages,
    runge_kutta_4,
    velocity_stages,
)

TANGENTS = 7  # with the value, a vector of eight: one register of AVX-512, two of AVX2
POSITION, VELOCITY, INPUT = 0, 1, 2  # kinds of columns


@stage
def qacc_passes(m, d, x, result):
    """result, (nv, 2 nv + nu) row by row: the derivatives of qacc by qpos, qvel and ctrl at the state of d."""
    passes(m, d, x, result, False)


@stage
def step_passes(m, d, x, result):
    """result, (2 nv + na, 2 nv + na + nu): those of the state after one step by qpos, qvel, act and ctrl."""
    passes(m, d, x, result, True)


@kernel
def passes(m, d, x, result, of_step):
    """All passes, unless memory runs short or strict mode ends the first."""
    begin(x)
    x.solved = 0
    own = 2 * m.nv + (m.na if of_step else 0)
    total = own + m.nu
    single = total <= TANGENTS
    for kind in range(1 if single else 3):
        first = kind * m.nv
        end = total if kind == INPUT or single else first + m.nv
        if first < end:
            prepare(m, d, x, kind)
        while first < end:
            load(m, d, x)
            count = min(TANGENTS, end - first)
            for k in range(count):
                seed(m, lane(x, 0), first + k, k, own)
            evaluate(m, x, kind, of_step)
            if x.short != 0 or x.stopped != 0:
                return
            for k in range(count):
                if of_step:
                    store_state(m, lane(x, 0), result, total, first + k, k)
                else:
                    store_acceleration(m, lane(x, 0), result, total, first + k, k)
            if x.solved == 0 and keeps_solution(m, of_step) and not any_lane(x.unconverged):
                x.solved = 1
                for i in range(m.nv):
                    x.sol_known[i] = value(x.qacc[i])
            first += TANGENTS


@kernel
def keeps_solution(m, of_step):
    """Whether all passes solve the same constraints, with nothing done to the solution afterwards."""
    return m.opt.noslip_iterations == 0 and not (of_step and m.opt.integrator == Integrator.RK4)


@kernel
def prepare(m, d, x, kind):
    """What columns of a kind leave as it is. (Trial states of Runge-Kutta's method change everything.)"""
    if kind > POSITION:
        load(m, d, x)
        if kind == VELOCITY:
            position_stages(m, x)
        else:
            velocity_stages(m, x)


@kernel
def evaluate(m, x, kind, of_step):
    """Accelerations, or one step."""
    whole = of_step and m.opt.integrator == Integrator.RK4
    if kind == POSITION or whole:
        position_stages(m, x)
        if x.short != 0:
            return
    if kind != INPUT or whole:
        velocity_stages(m, x)
    acceleration_stages(m, x)
    if gives_up(m, x):
        return
    if whole:
        runge_kutta_4(m, x)
    elif of_step:
        integrate(m, x)


@kernel
def load(m, d, x):
    """The state and the inputs of d, without tangents."""
    one, to = lane(d, 0), lane(x, 0)
    to.time = one.time
    for i in range(m.nq):
        to.qpos[i] = one.qpos[i]
    for i in range(m.nv):
        to.qvel[i] = one.qvel[i]
        to.qacc_warmstart[i] = value(to.sol_known[i]) if x.solved != 0 else one.qacc_warmstart[i]
        to.qfrc_applied[i] = one.qfrc_applied[i]
    for i in range(m.na):
        to.act[i] = one.act[i]
    for i in range(m.nu):
        to.ctrl[i] = one.ctrl[i]
    for b in range(m.nbody):
        for c in range(6):
            to.xfrc_applied[b, c] = one.xfrc_applied[b, c]
    for e in range(m.neq):
        to.eq_active[e] = one.eq_active[e]
    for b in range(m.nmocap):
        for c in range(3):
            to.mocap_pos[b, c] = one.mocap_pos[b, c]
        for c in range(4):
            to.mocap_quat[b, c] = one.mocap_quat[b, c]
    for i in range(m.nhistory):
        to.history[i] = one.history[i]


@kernel
def seed(m, x, column, k, own):
    """Tangent k of the inputs is a column: a direction of positions, a velocity, an activation or a control."""
    if column < m.nv:
        seed_position(m, x, column, k)
    elif column < 2 * m.nv:
        x.qvel[column - m.nv] = with_tangent(x.qvel[column - m.nv], k, 1.0)
    elif column < own:
        x.act[column - 2 * m.nv] = with_tangent(x.act[column - 2 * m.nv], k, 1.0)
    else:
        x.ctrl[column - own] = with_tangent(x.ctrl[column - own], k, 1.0)


@kernel
def turned(m, i):
    """(where the quaternion that dof i turns is in qpos, about which of its axes), or (-1, place of its coordinate)."""
    j = m.dof_jntid[i]
    a, c, kind = m.jnt_qposadr[j], i - m.jnt_dofadr[j], m.jnt_type[j]
    if kind == JointType.BALL:
        return a, c
    if kind == JointType.FREE and c > 2:
        return a + 3, c - 3
    return -1, a + c


@kernel
def turn_rate(x, a, axis):
    """dq of the quaternion from qpos[a] on, when it turns about one of its own axes at unit speed: q (0, axis) / 2."""
    w, i, j, k = x.qpos[a], x.qpos[a + 1], x.qpos[a + 2], x.qpos[a + 3]
    if axis == 0:
        return -0.5 * value(i), 0.5 * value(w), 0.5 * value(k), -0.5 * value(j)
    if axis == 1:
        return -0.5 * value(j), -0.5 * value(k), 0.5 * value(w), 0.5 * value(i)
    return -0.5 * value(k), 0.5 * value(j), -0.5 * value(i), 0.5 * value(w)


@kernel
def seed_position(m, x, i, k):
    """Tangent k of qpos is a unit velocity of dof i."""
    a, c = turned(m, i)
    if a < 0:
        x.qpos[c] = with_tangent(x.qpos[c], k, 1.0)
    else:
        rate = turn_rate(x, a, c)
        x.qpos[a] = with_tangent(x.qpos[a], k, rate[0])
        x.qpos[a + 1] = with_tangent(x.qpos[a + 1], k, rate[1])
        x.qpos[a + 2] = with_tangent(x.qpos[a + 2], k, rate[2])
        x.qpos[a + 3] = with_tangent(x.qpos[a + 3], k, rate[3])


@kernel
def position_tangent(m, x, i, k):
    """Tangent k of qpos as a velocity of dof i: for quaternions of unit length 4 dq . (q (0, axis) / 2)."""
    a, c = turned(m, i)
    if a < 0:
        return tangent_of(x.qpos[c], k)
    rate = turn_rate(x, a, c)
    total = 0.0
    total = rate[0] * tangent_of(x.qpos[a], k) + total
    total = rate[1] * tangent_of(x.qpos[a + 1], k) + total
    total = rate[2] * tangent_of(x.qpos[a + 2], k) + total
    total = rate[3] * tangent_of(x.qpos[a + 3], k) + total
    return 4.0 * total


@kernel
def store_acceleration(m, x, result, total, column, k):
    """Tangent k of the accelerations into a column of the result."""
    for i in range(m.nv):
        result[i * total + column] = tangent_of(x.qacc[i], k)


@kernel
def store_state(m, x, result, total, column, k):
    """Tangent k of the state after a step into a column of the result."""
    for i in range(m.nv):
        result[i * total + column] = position_tangent(m, x, i, k)
        result[(m.nv + i) * total + column] = tangent_of(x.qvel[i], k)
    for i in range(m.na):
        result[(2 * m.nv + i) * total + column] = tangent_of(x.act[i], k)
