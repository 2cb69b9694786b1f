"""Constants of soft bodies at qpos0: rest lengths and inverse inertias of edges, and the metric around vertices."""

from __future__ import annotations

from typing import Any

import numpy as np

from corten.kernel.record import Record
from corten.physics import reference_pose

MINVAL = 1e-15
EDGES, VERTICES = 1, 2  # flex_edgeequality: lengths are held, each one or on the whole around vertices

FLEX_CONSTANTS = ("flexedge_length0", "flexedge_invweight0", "flex_vertmetric", "flex_vert0")


def set_flexes(m: Any, d: Record) -> None:
    """Set them from positions and the factored inertia at qpos0."""
    m.flexedge_length0[:] = 0
    m.flexedge_invweight0[:] = 0
    held = (m.flex_dim == 2) & (m.flex_edgeequality == VERTICES)
    for f in np.flatnonzero(held).tolist():
        if not m.flex_interp[f]:
            _set_metric(m, f)
        _align(m, f)
    for f in range(m.nflex):
        if m.flex_interp[f]:
            continue
        places = vertices(m, d, f)
        own = slice(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f])
        ends = m.flex_edge[own]
        along = places[ends[:, 1]] - places[ends[:, 0]]
        m.flexedge_length0[own] = np.linalg.norm(along, axis=1)
        m.flexedge_invweight0[own] = _weights(m, d, f, places, along)


def vertices(m: Any, d: Record, f: int) -> np.ndarray:
    """Positions of a flex's vertices, which move with bodies."""
    own = slice(m.flex_vertadr[f], m.flex_vertadr[f] + m.flex_vertnum[f])
    body = m.flex_vertbodyid[own]
    return d.xpos[body] + np.einsum("nij,nj->ni", d.xmat[body].reshape(-1, 3, 3), m.flex_vert[own])


def _weights(m: Any, d: Record, f: int, places: np.ndarray, along: np.ndarray) -> np.ndarray:
    """J inv(M) J' of each edge's length; the mean of both ends' where these are free bodies, and 0 where none moves.

    It is 0 as well, as in the reference, where nothing acts on the edges themselves, unless the ends are free bodies.
    """
    own = slice(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f])
    body = m.flex_vertbodyid[m.flex_vertadr[f] + m.flex_edge[own]]
    result = np.zeros(len(body))
    moving = m.flexedge_rigid[own] == 0
    free = moving & (m.body_simple[body] == 2).all(axis=1)
    result[free] = (1 / m.body_mass[body[free]]).mean(axis=1)
    acted_on = m.flex_edgeequality[f] == EDGES or bool(
        m.flex_edgestiffness[f] or m.flex_edgedamping[f] or m.flex_damping[f]
    )
    other = np.flatnonzero(moving & ~free & acted_on)
    if len(other):
        length = np.linalg.norm(along[other], axis=1, keepdims=True)
        axis = np.where(length > MINVAL, along[other] / np.maximum(length, MINVAL), (1.0, 0.0, 0.0))
        first, second = (places[m.flex_edge[own][other, k]] for k in (0, 1))
        found = np.zeros(len(other))
        reference_pose.edge_weights(m, d, len(other), body[other].astype(np.int32), first, second, axis, found)
        result[other] = found
    return result


def _set_metric(m: Any, f: int) -> None:
    """flex_vertmetric: inv(sum of w dx dx') over the edges dx in the plane, w the mass at the other end."""
    first = m.flex_vertadr[f]
    own = slice(first, first + m.flex_vertnum[f])
    ends = m.flex_edge[m.flex_edgeadr[f]:m.flex_edgeadr[f] + m.flex_edgenum[f]]
    places = m.flex_vert0[own] * (2 * m.flex_size[f])
    along = (places[ends[:, 1]] - places[ends[:, 0]])[:, :2]
    outer = along[:, :, None] * along[:, None, :]
    weight = np.maximum(m.body_mass[m.flex_vertbodyid[own]], MINVAL)
    total = np.zeros((m.flex_vertnum[f], 2, 2))
    for one, other in ((0, 1), (1, 0)):
        np.add.at(total, ends[:, one], outer * weight[ends[:, other], None, None])
    a, b, c, e = total[:, 0, 0], total[:, 0, 1], total[:, 1, 0], total[:, 1, 1]
    determinant = a * e - b * c
    regular = np.abs(determinant) >= MINVAL
    inverse = np.stack([e, -b, -c, a], axis=1) / np.where(regular, determinant, 1.0)[:, None]
    m.flex_vertmetric[own] = np.where(regular[:, None], inverse, 0.0)


def _align(m: Any, f: int) -> None:
    """Turn flex_vert0 so that the normal of the first triangle is z; x counts as its normal if it has none."""
    own = slice(m.flex_vertadr[f], m.flex_vertadr[f] + m.flex_vertnum[f])
    places = m.flex_vert0[own]
    a, b, c = places[m.flex_elem[m.flex_elemdataadr[f]:][:3]]
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal)
    m.flex_vert0[own] = places @ _from_z(normal / length if length >= MINVAL else np.array([1.0, 0.0, 0.0]))


def _from_z(z: np.ndarray) -> np.ndarray:
    """The matrix of the least rotation that takes (0, 0, 1) to the unit vector z."""
    axis = np.array([-z[1], z[0], 0.0])
    sine = np.linalg.norm(axis)
    axis = axis / sine if sine >= MINVAL else np.array([1.0, 0.0, 0.0])
    cosine = z[2]
    cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    return np.eye(3) + sine * cross + (1 - cosine) * cross @ cross
