"""Positions as coordinates that do not form a vector space: orientations are unit quaternions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from corten.kernel import kernel
from corten.kernel.quat import load_quat, quat_conj, quat_mul, quat_normalize, quat_velocity
from corten.model.checks import SimulationError, check_model
from corten.model.enums import JointType
from corten.model.model import Model
from corten.physics.integrate import integrate_positions
from corten.utilities.arguments import in_place, vector


@kernel
def _integrate(m, qpos, qvel, dt):
    integrate_positions(m, qpos, qvel, dt)


@kernel
def _differentiate(m, qvel, dt, qpos1, qpos2):
    for j in range(m.njnt):
        a, i, kind = m.jnt_qposadr[j], m.jnt_dofadr[j], m.jnt_type[j]
        if kind == JointType.SLIDE or kind == JointType.HINGE:
            qvel[i] = (qpos2[a] - qpos1[a]) / dt
        else:
            if kind == JointType.FREE:
                for c in range(3):
                    qvel[i + c] = (qpos2[a + c] - qpos1[a + c]) / dt
                a = a + 3
                i = i + 3
            v = quat_velocity(quat_mul(quat_conj(load_quat(qpos1, a)), load_quat(qpos2, a)), dt)
            qvel[i] = v[0]
            qvel[i + 1] = v[1]
            qvel[i + 2] = v[2]


@kernel
def _normalize(m, qpos):
    for j in range(m.njnt):
        kind, a = m.jnt_type[j], m.jnt_qposadr[j]
        if kind == JointType.FREE:
            a = a + 3
        if kind == JointType.FREE or kind == JointType.BALL:
            q = quat_normalize(load_quat(qpos, a))
            qpos[a] = q[0]
            qpos[a + 1] = q[1]
            qpos[a + 2] = q[2]
            qpos[a + 3] = q[3]


def integrate_pos(m: Model, qpos: np.ndarray, qvel: ArrayLike, dt: float) -> None:
    """Move `qpos`, in place, with the constant velocity `qvel` for the time `dt`."""
    check_model(m)
    _integrate(m, in_place(qpos, m.nq, "qpos"), vector(qvel, m.nv, "qvel"), float(dt))


def differentiate_pos(m: Model, qvel: np.ndarray, dt: float, qpos1: ArrayLike, qpos2: ArrayLike) -> None:
    """Set `qvel`, in place, to the constant velocity that moves `qpos1` to `qpos2` in the time `dt`."""
    check_model(m)
    if dt == 0:
        raise SimulationError("dt is 0: no velocity moves one position to another in no time")
    first, second = vector(qpos1, m.nq, "qpos1"), vector(qpos2, m.nq, "qpos2")
    _differentiate(m, in_place(qvel, m.nv, "qvel"), float(dt), first, second)


def normalize_quat(m: Model, qpos: np.ndarray) -> None:
    """Give all quaternions in `qpos` unit length, in place."""
    check_model(m)
    _normalize(m, in_place(qpos, m.nq, "qpos"))
