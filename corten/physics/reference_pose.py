"""What a model's constants need: inertia, lengths and moments at a pose, and how bodies yield to unit forces there.

J inv(M) J' is found from half a solve: with M = L' D L and y = inv(L') J', it is y' inv(D) y; y is nonzero only on the
dofs between those that J names and the world.
"""

from __future__ import annotations

from corten.kernel import kernel, lane, maximum, sqrt, stage
from corten.kernel.spatial import dot6, inertia_times, load6, load10
from corten.kernel.vec import cross, load3, scale3, sub3
from corten.model.enums import JointType
from corten.physics.inertia import centre_of_mass, factor_inertia, joint_inertia, solve
from corten.physics.kinematics import kinematics
from corten.physics.tendon import tendon, tendon_inertia
from corten.physics.transmission import transmission

MINVAL = 1e-15  # denominators are kept from vanishing


@stage
def pose(m, d):
    """Positions, inertia and its factors, lengths and moments at d.qpos."""
    kinematics(m, d)
    centre_of_mass(m, d)
    if m.ntendon > 0:
        tendon(m, d)
    joint_inertia(m, d)
    if m.ntendon > 0:
        tendon_inertia(m, d)
    factor_inertia(m, d)
    transmission(m, d)


@kernel
def constants(m, d, dof_inertia, dof_weight, body_weight, tendon_weight, acceleration):
    """All of `pose`, and dof_M0, dof_invweight0, body_invweight0, tendon_invweight0, actuator_acc0."""
    pose(m, d)
    w = lane(d, 0)
    dof_inertias(m, w, dof_inertia)
    dof_weights(m, w, dof_weight)
    body_weights(m, w, body_weight)
    tendon_weights(m, w, tendon_weight)
    actuator_accelerations(m, w, acceleration)


@stage
def lengths(m, d):
    """Lengths of tendons at d.qpos."""
    kinematics(m, d)
    tendon(m, d)


@kernel
def dof_inertias(m, w, result):
    """Diagonal of M for rigid bodies and armature, without the inertia of tendons."""
    for i in range(m.nv):
        axis = load6(w.cdof, i)
        result[i] = m.dof_armature[i] + dot6(axis, inertia_times(load10(w.crb, m.dof_bodyid[i]), axis))


@kernel
def dof_weights(m, w, result):
    """dof_invweight0: the diagonal of inv(M), averaged over the translations and over the rotations of a joint."""
    for j in range(m.njnt):
        i, kind = m.jnt_dofadr[j], m.jnt_type[j]
        if m.body_simple[m.jnt_bodyid[j]] == 2:
            result[i] = 1.0 / maximum(MINVAL, m.body_mass[m.jnt_bodyid[j]])
        elif kind == JointType.FREE or kind == JointType.BALL:
            last = i + 3 if kind == JointType.FREE else i
            for first in range(i, last + 1, 3):
                mean = 0.0
                for k in range(first, first + 3):
                    clear(m, w, k)
                    w.scratch_v[k] = 1.0
                    mean = mean + compliance(m, w, k) / 3.0
                for k in range(first, first + 3):
                    result[k] = mean
        else:
            clear(m, w, i)
            w.scratch_v[i] = 1.0
            result[i] = compliance(m, w, i)


@kernel
def body_weights(m, w, result):
    """body_invweight0: how a body's centre of mass yields to a unit force, and the body to a unit torque, averaged.

    A body that does not yield to one of them counts as yielding as to the other.
    """
    for b in range(m.nbody):
        result[b, 0] = 0.0
        result[b, 1] = 0.0
        if m.body_weldid[b] == 0:
            continue
        if m.body_simple[b] == 2:
            result[b, 0] = 1.0 / maximum(MINVAL, m.body_mass[b])
            continue
        arm = sub3(load3(w.xipos, b), load3(w.subtree_com, m.body_rootid[b]))
        for c in range(3):
            u = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
            project(m, w, b, (*cross(arm, u), *u))
            result[b, 0] = result[b, 0] + compliance(m, w, m.body_lastdof[b]) / 3.0
            project(m, w, b, (*u, 0.0, 0.0, 0.0))
            result[b, 1] = result[b, 1] + compliance(m, w, m.body_lastdof[b]) / 3.0
        if result[b, 0] < MINVAL and result[b, 1] > MINVAL:
            result[b, 0] = result[b, 1]
        elif result[b, 1] < MINVAL and result[b, 0] > MINVAL:
            result[b, 1] = result[b, 0]


@kernel
def project(m, w, b, wrench):
    """scratch_v: a wrench on body b about the tree's centre of mass, torque first, on the dofs that move the body."""
    i = m.body_lastdof[b]
    while i >= 0:
        w.scratch_v[i] = dot6(load6(w.cdof, i), wrench)
        i = m.dof_parentid[i]


@kernel
def clear(m, w, last):
    """scratch_v is zero from dof `last` to the world."""
    i = last
    while i >= 0:
        w.scratch_v[i] = 0.0
        i = m.dof_parentid[i]


@kernel
def eliminate(m, w, i):
    """Take what dof i has of scratch_v off its ancestors: a step of solving with L'; what it has."""
    x = w.scratch_v[i]
    row = m.M_rowadr[i]
    for k in range(row, row + m.M_rownnz[i] - 1):
        j = m.M_colind[k]
        w.scratch_v[j] = w.scratch_v[j] - w.qLD[k] * x
    return x


@kernel
def compliance(m, w, last):
    """x' inv(M) x for x in scratch_v, which is nonzero between dof `last` and the world only; scratch_v is used up."""
    total = 0.0
    i = last
    while i >= 0:
        x = eliminate(m, w, i)
        total = x * x * w.qLDiagInv[i] + total
        i = m.dof_parentid[i]
    # where M is singular the answer is undefined rather than infinite: other dofs' infinite shares count 0 times
    return 0.0 * total + total


@kernel
def tendon_weights(m, w, result):
    """tendon_invweight0: J inv(M) J' of each tendon's length."""
    for t in range(m.ntendon):
        for i in range(m.nv):
            w.scratch_v[i] = 0.0
        for k in range(m.ten_J_rowadr[t], m.ten_J_rowadr[t] + m.ten_J_rownnz[t]):
            w.scratch_v[m.ten_J_colind[k]] = w.ten_J[k]
        solve(m, w.qLD, w.qLDiagInv, w.scratch_v)
        total = 0.0
        for k in range(m.ten_J_rowadr[t], m.ten_J_rowadr[t] + m.ten_J_rownnz[t]):
            total = w.ten_J[k] * w.scratch_v[m.ten_J_colind[k]] + total
        result[t] = total


@kernel
def actuator_accelerations(m, w, result):
    """actuator_acc0: |inv(M) moment'|, the acceleration under unit force."""
    for a in range(m.nu):
        actuator_acceleration(m, w, a)
        total = 0.0
        for i in range(m.nv):
            total = w.scratch_v[i] ** 2 + total
        result[a] = sqrt(total)


@kernel
def actuator_acceleration(m, w, a):
    """scratch_v = inv(M) moment' of actuator a"""
    for i in range(m.nv):
        w.scratch_v[i] = 0.0
    for k in range(m.moment_rowadr[a], m.moment_rowadr[a] + m.moment_rownnz[a]):
        w.scratch_v[m.moment_colind[k]] = w.actuator_moment[k]
    solve(m, w.qLD, w.qLDiagInv, w.scratch_v)


@kernel
def edge_weights(m, d, number, bodies, first, second, axes, result):
    """J inv(M) J' of a number of lengths: from points of one body each to points of another, along unit vectors."""
    w = lane(d, 0)
    for e in range(number):
        for i in range(m.nv):
            w.scratch_v[i] = 0.0
        axis = load3(axes, e)
        pull(m, w, bodies[e, 0], load3(first, e), scale3(-1.0, axis))
        pull(m, w, bodies[e, 1], load3(second, e), axis)
        total = 0.0
        for i in range(m.nv - 1, -1, -1):
            x = eliminate(m, w, i)
            total = x * x * w.qLDiagInv[i] + total
        result[e] = total


@kernel
def pull(m, w, b, point, direction):
    """scratch_v takes the force of unit size that acts on body b at a point."""
    arm = sub3(point, load3(w.subtree_com, m.body_rootid[b]))
    wrench = (*cross(arm, direction), *direction)
    i = m.body_lastdof[b]
    while i >= 0:
        w.scratch_v[i] = w.scratch_v[i] + dot6(load6(w.cdof, i), wrench)
        i = m.dof_parentid[i]
