"""The tangent space of positions: nv directions at every point of the nq coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corten.model.enums import JointType
from corten.model.model import Model


def _quaternion_map(q: np.ndarray) -> np.ndarray:
    """G(q), 4 by 3, with dq = G w for a turn by the small vector w in the frame of q: half of q times (0, w)."""
    w, x, y, z = q
    return 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


@dataclass(frozen=True)
class Layout:
    """Where orientations and other coordinates lie in qpos and in qvel."""

    quaternions: list[tuple[int, int]]  # (place in qpos, place in qvel) of every orientation
    scalars: tuple[np.ndarray, np.ndarray]  # places in qpos and in qvel of all other coordinates


def layout(m: Model) -> Layout:
    """The layout of a model's coordinates; found once."""
    known = m._bound.get(Layout)
    if known is None:
        known = m._bound[Layout] = _find_layout(m)
    return known


def _find_layout(m: Model) -> Layout:
    quaternions = []
    qpos, qvel = np.ones(m.nq, bool), np.ones(m.nv, bool)
    kinds = zip(m.jnt_type.tolist(), m.jnt_qposadr.tolist(), m.jnt_dofadr.tolist(), strict=True)
    for kind, a, i in kinds:
        if kind in (JointType.FREE, JointType.BALL):
            skip = 3 if kind == JointType.FREE else 0
            quaternions.append((a + skip, i + skip))
            qpos[a + skip : a + skip + 4] = False
            qvel[i + skip : i + skip + 3] = False
    return Layout(quaternions, (np.flatnonzero(qpos), np.flatnonzero(qvel)))


def position_seeds(m: Model, qpos: np.ndarray) -> np.ndarray:
    """d qpos / d (tangent), nq by nv."""
    seeds = np.zeros((m.nq, m.nv))
    where = layout(m)
    seeds[where.scalars] = 1.0
    for a, i in where.quaternions:
        q = qpos[a : a + 4]
        length = np.linalg.norm(q)
        unit = q / length if length > 0 else np.array([1.0, 0.0, 0.0, 0.0])
        seeds[a : a + 4, i : i + 3] = _quaternion_map(unit) * (length if length > 0 else 1.0)
    return seeds


def position_tangents(m: Model, dual_qpos: np.ndarray) -> np.ndarray:
    """Derivatives of coordinates, (nq, 1 + n) with the values first, as derivatives in the tangent space, (nv, 1 +
    n).
    """
    tangents = np.zeros((m.nv, dual_qpos.shape[1]))
    where = layout(m)
    from_qpos, to_qvel = where.scalars
    tangents[to_qvel] = dual_qpos[from_qpos]
    for a, i in where.quaternions:
        # G'G = 1/4 for unit quaternions, so 4 G' is the inverse on the tangent space
        tangents[i : i + 3] = 4.0 * _quaternion_map(dual_qpos[a : a + 4, 0]).T @ dual_qpos[a : a + 4]
    return tangents
