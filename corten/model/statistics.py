"""Statistics of a model at qpos0: extent and centre, mean sizes, masses and inertias, and the length scales of dofs."""

from __future__ import annotations

from typing import Any

import numpy as np

from corten.kernel.record import Record
from corten.model.enums import GeomType, JointType

MIN_LENGTH = 1e-5
SCENERY = 0.1  # the part of a plane or height field that counts as extent


def set_statistics(m: Any, d: Record) -> None:
    """Set m.stat and m.dof_length from positions and inertia at qpos0."""
    size = body_sizes(m, d)
    low, high = bounds(m, d)
    m.stat.center[:] = (low + high) / 2
    if high[0] > low[0]:
        m.stat.extent = max(MIN_LENGTH, float((high - low).max()))
    if m.nbody > 1:
        m.stat.meansize = float(np.mean(size[1:]))
        m.stat.meanmass = float(np.mean(m.body_mass[1:]))
    m.stat.extent = max(m.stat.extent, 2 * m.stat.meansize)
    if m.nv:
        m.stat.meaninertia = float(np.mean(d.M[m.M_rowadr + m.M_rownnz - 1]))
        kind = m.jnt_type[m.dof_jntid]
        slides = (kind == JointType.SLIDE) | (
            (kind == JointType.FREE) & (np.arange(m.nv) - m.jnt_dofadr[m.dof_jntid] < 3)
        )
        m.dof_length[:] = np.where(slides, 1.0, size[m.dof_bodyid])


def body_sizes(m: Any, d: Record) -> np.ndarray:
    """How far from a body's centre of mass its own joints, those of its children, and its geoms reach.

    A body of a flex reaches as far as the edges of its vertices, or as the other nodes.
    """
    size = np.zeros(m.nbody)
    if m.njnt:
        own = m.jnt_bodyid
        for body in (own, m.body_parentid[own]):
            np.maximum.at(size, body, np.linalg.norm(d.xipos[body] - d.xanchor, axis=1))
    bounded = np.flatnonzero(m.geom_rbound > 0)
    body = m.geom_bodyid[bounded]
    reach = m.geom_rbound[bounded] + np.linalg.norm(d.xipos[body] - d.geom_xpos[bounded], axis=1)
    np.maximum.at(size, body, reach)
    for f in range(m.nflex):
        if m.flex_interp[f]:
            body = m.flex_nodebodyid[m.flex_nodeadr[f]:m.flex_nodeadr[f] + m.flex_nodenum[f]]
            apart = np.linalg.norm(d.xpos[body][:, None] - d.xpos[body][None], axis=2)
            np.maximum.at(size, body, apart.max(axis=1))
            continue
        own = slice(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f])
        body = m.flex_vertbodyid[m.flex_vertadr[f] + m.flex_edge[own]]
        for k in (0, 1):
            np.maximum.at(size, body[:, k], m.flexedge_length0[own])
    return np.maximum(size, MIN_LENGTH)


def bounds(m: Any, d: Record) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corner of the box around bodies, joints, sites, and the bounding spheres of geoms."""
    points = np.concatenate([d.xpos[1:], d.xipos[1:], d.xanchor, d.site_xpos, d.geom_xpos])
    if not len(points):
        return np.full(3, 1e10), np.full(3, -1e10)
    radius = np.concatenate([np.zeros(len(points) - m.ngeom), geom_radii(m)])[:, None]
    return (points - radius).min(axis=0), (points + radius).max(axis=0)


def geom_radii(m: Any) -> np.ndarray:
    """Bounding radii; a plane's and a height field's is a part of its largest size, an infinite plane's is 1."""
    radius = m.geom_rbound.copy()
    for g in np.flatnonzero(radius <= 0):
        if m.geom_type[g] == GeomType.PLANE:
            largest = m.geom_size[g, :2].max()
            radius[g] = largest * SCENERY if largest else 1.0
        elif m.geom_type[g] == GeomType.HFIELD:
            radius[g] = m.hfield_size[m.geom_dataid[g]].max() * SCENERY
    return radius
