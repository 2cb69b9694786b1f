"""Jacobians: how velocities of the dofs move points, bodies, sites and geoms.

Each function gives (jacp, jacr), arrays of three rows and nv columns: jacp qvel is the linear velocity, jacr qvel the
angular velocity, in world axes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from corten.kernel import kernel, lane
from corten.model.data import Data
from corten.model.model import Model
from corten.physics.jacobian import point_jacobian, point_jacobian_rate, subtree_jacobian
from corten.utilities.arguments import checked_number, vector


@kernel
def _point(m, d, b, point, rate, out):
    position = (point[0], point[1], point[2])
    if rate:
        point_jacobian_rate(m, lane(d, 0), b, position, out)
    else:
        point_jacobian(m, lane(d, 0), b, position, out)


@kernel
def _subtree(m, d, b, out):
    subtree_jacobian(m, lane(d, 0), b, out)


def _rows(m: Model, d: Data, body: int, point: ArrayLike, rate: bool) -> tuple[np.ndarray, np.ndarray]:
    """(jacp, jacr) of a point of a body, or their rates."""
    out = np.zeros((m.nv, 6))
    _point(m, d, body, vector(point, 3, "point"), rate, out)
    return np.ascontiguousarray(out[:, :3].T), np.ascontiguousarray(out[:, 3:].T)


def jac(m: Model, d: Data, point: ArrayLike, body: str | int) -> tuple[np.ndarray, np.ndarray]:
    """(jacp, jacr) of the point of a body that is now at `point`, in world coordinates."""
    return _rows(m, d, checked_number(m, d, "body", body), point, False)


def jac_dot(m: Model, d: Data, point: ArrayLike, body: str | int) -> tuple[np.ndarray, np.ndarray]:
    """The time derivatives of `jac`: the acceleration of the point is jacp qacc + jacp_dot qvel."""
    return _rows(m, d, checked_number(m, d, "body", body), point, True)


def jac_body(m: Model, d: Data, body: str | int) -> tuple[np.ndarray, np.ndarray]:
    """(jacp, jacr) of the origin of a body's frame."""
    b = checked_number(m, d, "body", body)
    return _rows(m, d, b, d.xpos[b], False)


def jac_body_com(m: Model, d: Data, body: str | int) -> tuple[np.ndarray, np.ndarray]:
    """(jacp, jacr) of the centre of mass of a body."""
    b = checked_number(m, d, "body", body)
    return _rows(m, d, b, d.xipos[b], False)


def jac_geom(m: Model, d: Data, geom: str | int) -> tuple[np.ndarray, np.ndarray]:
    """(jacp, jacr) of the centre of a geom."""
    g = checked_number(m, d, "geom", geom)
    return _rows(m, d, int(m.geom_bodyid[g]), d.geom_xpos[g], False)


def jac_site(m: Model, d: Data, site: str | int) -> tuple[np.ndarray, np.ndarray]:
    """(jacp, jacr) of a site."""
    s = checked_number(m, d, "site", site)
    return _rows(m, d, int(m.site_bodyid[s]), d.site_xpos[s], False)


def jac_subtree_com(m: Model, d: Data, body: str | int) -> np.ndarray:
    """jacp of the centre of mass of a body and all that hangs on it."""
    b = checked_number(m, d, "body", body)
    out = np.zeros((m.nv, 6))
    _subtree(m, d, b, out)
    return np.ascontiguousarray(out[:, :3].T)


def jac_point_axis(
    m: Model, d: Data, point: ArrayLike, axis: ArrayLike, body: str | int
) -> tuple[np.ndarray, np.ndarray]:
    """(jacp, jac_axis): of a point of a body, and of an axis fixed in it, both given in the world as they are now."""
    jacp, jacr = jac(m, d, point, body)
    return jacp, np.cross(jacr.T, vector(axis, 3, "axis")).T
