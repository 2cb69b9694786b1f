"""Constants of a model that follow from the rest of it at the poses qpos0 and qpos_spring."""

from __future__ import annotations

from typing import Any

import numpy as np

from corten.kernel.record import SINGLE, Record
from corten.model.checks import check_model
from corten.model.data import block
from corten.model.enums import EqualityType, ObjType
from corten.model.flex_constants import FLEX_CONSTANTS, set_flexes
from corten.model.statistics import set_statistics
from corten.physics import reference_pose

MINVAL = 1e-15  # denominators are kept from vanishing

# What `set_const` sets.
CONSTANTS = (
    "body_subtreemass", "dof_M0", "dof_invweight0", "body_invweight0", "tendon_invweight0", "actuator_acc0",
    "tendon_length0", "actuator_length0", "actuator_biasprm", "tendon_lengthspring", "eq_data",
    "dof_length", "cam_pos0", "cam_poscom0", "cam_mat0", "light_pos0", "light_poscom0", "light_dir0",
    "stat.meaninertia", "stat.meanmass", "stat.meansize", "stat.extent", "stat.center", *FLEX_CONSTANTS,
)  # fmt: skip


def set_const(m: Any) -> None:
    """Bring a model's derived constants up to date; call it after an edit of masses, inertias, frames or gears.

    It sets what the compiler finds at qpos0 and qpos_spring: masses of subtrees, inverse inertias of bodies, dofs,
    tendons and edges of soft bodies, rest lengths, accelerations of actuators, damping of those that give a damping
    ratio, offsets of cameras and lights, anchors and relative poses of equality constraints that are not given, and the
    statistics.
    """
    check_model(m)
    m.body_subtreemass[:] = m.body_mass
    for b in range(m.nbody - 1, 0, -1):
        m.body_subtreemass[m.body_parentid[b]] += m.body_subtreemass[b]
    d = block(m, SINGLE)
    _set_inertias(m, d)
    m.tendon_length0[:] = d.ten_length
    m.actuator_length0[:] = d.actuator_length
    _set_damping(m, d)
    _set_equalities(m, d)
    _set_distances(m, d)
    _set_cameras(m, d)
    _set_lights(m, d)
    set_flexes(m, d)
    set_statistics(m, d)
    _set_springs(m, d)


def set_spring_dampers(m: Any, springdamper: np.ndarray) -> None:
    """Stiffness and damping of joints from a time constant T and a damping ratio r, a row each, both positive.

    With I the mean of what the joint's dofs see at qpos0, k = I / (T r)^2 and damping = 2 I / T.
    """
    for j in np.flatnonzero((springdamper > 0).all(axis=1)):
        dofs = np.flatnonzero(m.dof_jntid == j)
        inertia = len(dofs) / max(MINVAL, float(m.dof_invweight0[dofs].sum()))
        time, ratio = springdamper[j]
        m.jnt_stiffness[j] = inertia / max(MINVAL, (time * ratio) ** 2)
        m.dof_damping[dofs] = 2 * inertia / max(MINVAL, time)


def _set_inertias(m: Any, d: Record) -> None:
    """Inertias and inverse inertias at qpos0; all of d that they need."""
    fields = (m.dof_M0, m.dof_invweight0, m.body_invweight0, m.tendon_invweight0, m.actuator_acc0)
    results = [np.zeros_like(field) for field in fields]
    reference_pose.constants(m, d, *results)
    for field, result in zip(fields, results, strict=True):
        field[...] = result


def _set_damping(m: Any, d: Record) -> None:
    """The third bias parameter of a servo, where positive, is a damping ratio r: it becomes -kv = -2 r sqrt(kp I).

    I is the inertia that the actuator feels: the sum over its dofs of M0 / moment^2.
    """
    gain, bias = m.actuator_gainprm, m.actuator_biasprm
    for i in np.flatnonzero((gain[:, 0] == -bias[:, 1]) & (bias[:, 2] > 0)):
        row = slice(m.moment_rowadr[i], m.moment_rowadr[i] + m.moment_rownnz[i])
        squared = d.actuator_moment[row] ** 2
        felt = squared > MINVAL
        inertia = float(np.sum(m.dof_M0[m.moment_colind[row][felt]] / squared[felt]))
        bias[i, 2] *= -2 * np.sqrt(gain[i, 0] * inertia)


def _set_springs(m: Any, d: Record) -> None:
    """Rest lengths of tendon springs that are not given (both -1): those at qpos_spring."""
    open_ended = np.flatnonzero((m.tendon_lengthspring == -1).all(axis=1))
    if len(open_ended):
        d.qpos[:] = m.qpos_spring
        reference_pose.lengths(m, d)
        m.tendon_lengthspring[open_ended] = d.ten_length[open_ended, None]


def _set_equalities(m: Any, d: Record) -> None:
    """Anchors in the other body, and relative poses that are not given: what holds at qpos0."""
    for i in np.flatnonzero(m.eq_type == EqualityType.CONNECT):
        data = m.eq_data[i]
        if m.eq_objtype[i] == ObjType.BODY:
            data[3:6] = _anchor(d, data[:3], m.eq_obj1id[i], m.eq_obj2id[i])
        else:
            data[:] = 0
    for i in np.flatnonzero((m.eq_type == EqualityType.WELD) & (m.eq_objtype == ObjType.BODY)):
        data, first, second = m.eq_data[i], m.eq_obj1id[i], m.eq_obj2id[i]
        if data[6:10].any():
            data[6:10] /= np.linalg.norm(data[6:10])
        else:
            data[3:6] = _anchor(d, data[:3], second, first)
            data[6:10] = _relative_quat(d.xquat[first], d.xquat[second])


def _set_distances(m: Any, d: Record) -> None:
    """Distances that are not given (negative): of a geom's centre from another's or the world's, at qpos0."""
    for i in np.flatnonzero((m.eq_type == EqualityType.DISTANCE) & (m.eq_data[:, 0] < 0)):
        other = m.eq_obj2id[i]
        centre = d.geom_xpos[other] if other >= 0 else np.zeros(3)
        m.eq_data[i, 0] = np.linalg.norm(d.geom_xpos[m.eq_obj1id[i]] - centre)


def _anchor(d: Record, point: np.ndarray, of: int, to: int) -> np.ndarray:
    """A point of one body in the frame of another."""
    place = d.xpos[of] + d.xmat[of].reshape(3, 3) @ point
    return d.xmat[to].reshape(3, 3).T @ (place - d.xpos[to])


def _relative_quat(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """conj(a) b"""
    v = a[0] * b[1:] - b[0] * a[1:] - np.cross(a[1:], b[1:])
    return np.array([a @ b, *v])


def _set_cameras(m: Any, d: Record) -> None:
    """Offsets of cameras from their body and from the centre of mass they follow, and their orientation."""
    if m.ncam:
        axes = d.xmat[m.cam_bodyid].reshape(-1, 3, 3)
        m.cam_pos0[:], m.cam_poscom0[:] = _offsets(d, m.cam_bodyid, m.cam_targetbodyid, m.cam_pos)
        m.cam_mat0[:] = (axes @ _matrices(m.cam_quat)).reshape(-1, 9)


def _set_lights(m: Any, d: Record) -> None:
    """Offsets of lights from their body and from the centre of mass they follow, and their direction."""
    if m.nlight:
        axes = d.xmat[m.light_bodyid].reshape(-1, 3, 3)
        m.light_pos0[:], m.light_poscom0[:] = _offsets(d, m.light_bodyid, m.light_targetbodyid, m.light_pos)
        m.light_dir0[:] = np.einsum("nij,nj->ni", axes, m.light_dir)


def _offsets(d: Record, body: np.ndarray, target: np.ndarray, local: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of points of bodies: offsets from the body, and from the centre of mass of the target's, or its own, subtree."""
    arm = np.einsum("nij,nj->ni", d.xmat[body].reshape(-1, 3, 3), local)
    return arm, d.xpos[body] + arm - d.subtree_com[np.where(target >= 0, target, body)]


def _matrices(quat: np.ndarray) -> np.ndarray:
    """Rotation matrices of unit quaternions."""
    w, x, y, z = quat.T
    rows = (
        (w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )
    return np.moveaxis(np.array(rows), 2, 0)
