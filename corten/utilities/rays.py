"""Casting rays at the geoms of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from corten.engine import SimulationError, check
from corten.kernel import kernel, lane
from corten.model.checks import reals
from corten.model.data import Data
from corten.model.derived.ray_tree import plant
from corten.model.model import Model
from corten.physics.ray import ALL_GROUPS, GROUPS, ray_world
from corten.utilities.arguments import number


class RayHit(NamedTuple):
    """What a ray has met: the distance in units of its vector, -1 if nothing; the geom, or -1; the surface's normal."""

    distance: float
    geom: int
    normal: np.ndarray


class RayHits(NamedTuple):
    """What many rays have met, each item an array with one entry for each ray."""

    distance: np.ndarray
    geom: np.ndarray
    normal: np.ndarray


def ray(
    m: Model,
    d: Data,
    point: ArrayLike,
    vector: ArrayLike,
    *,
    groups: Sequence[bool] | None = None,
    static: bool = True,
    exclude: int | str | None = None,
) -> RayHit:
    """The first visible geom that the ray from `point` along `vector` meets, at the poses that `d` holds.

    `groups` are six truth values: which geom groups count. `static=False` leaves out geoms that stand still, `exclude`
    those of one body.
    """
    hits = rays(m, d, point, np.reshape(vector, (1, -1)), groups=groups, static=static, exclude=exclude)
    return RayHit(float(hits.distance[0]), int(hits.geom[0]), hits.normal[0])


def rays(
    m: Model,
    d: Data,
    points: ArrayLike,
    vectors: ArrayLike,
    *,
    groups: Sequence[bool] | None = None,
    static: bool = True,
    exclude: int | str | None = None,
) -> RayHits:
    """The same for many rays: n vectors, and as many points or one for all."""
    check(m, d)
    v = np.ascontiguousarray(reals(vectors, "the vectors of rays"))
    if v.ndim != 2 or v.shape[1] != 3:
        raise SimulationError(f"vectors of rays have shape {v.shape}, not (n, 3)")
    p = reals(points, "the points of rays")
    if p.shape not in ((3,), (1, 3), v.shape):
        raise SimulationError(f"points of rays have shape {p.shape}, not (3,) or {v.shape}")
    p = np.ascontiguousarray(np.broadcast_to(p, v.shape))
    if not (v != 0.0).any(axis=1).all():
        raise SimulationError(f"the vector of ray {int(np.argmin((v != 0.0).any(axis=1)))} is zero")
    if groups is not None and len(groups) != GROUPS:
        raise SimulationError(f"{len(groups)} groups, not {GROUPS}")
    bits = ALL_GROUPS if groups is None else sum(1 << k for k, on in enumerate(groups) if on)
    body = -1 if exclude is None else number(m, "body", exclude)
    if not m.ray_ready:
        plant(m._by_name, m.ray_box, m.ray_face)
        m.ray_ready = 1
    hits = RayHits(np.empty(len(v)), np.empty(len(v), np.int64), np.empty((len(v), 3)))
    _cast(m, d, p, v, bits, int(static), body, len(v), *hits)
    return hits


@kernel
def _cast(m, d, p, v, groups, still_too, body, count, distance, geom, normal):
    """Cast `count` rays."""
    for i in range(count):
        point, vector = (p[i, 0], p[i, 1], p[i, 2]), (v[i, 0], v[i, 1], v[i, 2])
        t, g, n = ray_world(m, lane(d, 0), point, vector, groups, still_too, body)
        distance[i] = t
        geom[i] = g
        normal[i, 0] = n[0]
        normal[i, 1] = n[1]
        normal[i, 2] = n[2]
