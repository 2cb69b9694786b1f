"""Frames of objects in the world: how they move, and forces that act on them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from corten.engine import SimulationError, check, run
from corten.kernel import kernel, lane
from corten.kernel.quat import load4, quat_mat, quat_mul, quat_rotate
from corten.kernel.spatial import store6
from corten.kernel.vec import add3, load3, mat_t_vec, store3, store9
from corten.model.data import Data
from corten.model.enums import ObjType
from corten.model.model import Model
from corten.physics.objects import object_acceleration as acceleration_of
from corten.physics.objects import object_matrix
from corten.physics.objects import object_velocity as velocity_of
from corten.physics.post import body_forces
from corten.physics.wrench import apply_force
from corten.utilities.arguments import in_place, number, vector

# Kinds of objects that have a frame, and the kind of name each goes by.
FRAMED = {
    ObjType.BODY: "body",
    ObjType.XBODY: "body",
    ObjType.GEOM: "geom",
    ObjType.SITE: "site",
    ObjType.CAMERA: "camera",
}


@kernel
def _velocity(m, d, kind, i, own_axes, out):
    one = lane(d, 0)
    w, v = velocity_of(m, one, kind, i)
    _store_motion(one, kind, i, own_axes, w, v, out)


@kernel
def _acceleration(m, d, kind, i, own_axes, out):
    one = lane(d, 0)
    w, v = acceleration_of(m, one, kind, i)
    _store_motion(one, kind, i, own_axes, w, v, out)


@kernel
def _store_motion(d, kind, i, own_axes, w, v, out):
    if own_axes:
        axes = object_matrix(d, kind, i)
        w = mat_t_vec(axes, w)
        v = mat_t_vec(axes, v)
    store6(out, 0, (*w, *v))


@kernel
def _apply(m, d, force, torque, point, b, qfrc):
    f, t, p = load3(force, 0), load3(torque, 0), load3(point, 0)
    apply_force(m, lane(d, 0), qfrc, b, f, t, p)


@kernel
def _to_global(d, b, pos, quat, xpos, xmat):
    one = lane(d, 0)
    body = load4(one.xquat, b)
    store3(xpos, 0, add3(load3(one.xpos, b), quat_rotate(body, load3(pos, 0))))
    store9(xmat, 0, quat_mat(quat_mul(body, load4(quat, 0))))


def object_velocity(
    m: Model, d: Data, objtype: ObjType | str, obj: str | int, local: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """(angular, linear) velocity of an object at its own origin, in world axes or in its own.

    `objtype` is one of "body" (inertial frame), "xbody", "geom", "site" and "camera".
    """
    kind, i = _framed(m, d, objtype, obj)
    out = np.zeros((1, 6))
    _velocity(m, d, int(kind), i, bool(local), out)
    return out[0, :3], out[0, 3:]


def object_acceleration(
    m: Model, d: Data, objtype: ObjType | str, obj: str | int, local: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """(angular, linear) acceleration of an object, as an accelerometer feels it: gravity counts as a push upwards.

    Computes `cacc`, `cfrc_int` and `cfrc_ext` first, which a step leaves out where no sensor asks for them.
    """
    kind, i = _framed(m, d, objtype, obj)
    run(body_forces, m, d)()
    out = np.zeros((1, 6))
    _acceleration(m, d, int(kind), i, bool(local), out)
    return out[0, :3], out[0, 3:]


def apply_ft(
    m: Model, d: Data, force: ArrayLike, torque: ArrayLike, point: ArrayLike, body: str | int, qfrc: np.ndarray
) -> None:
    """Add to `qfrc`, in place, what a force at a point of a body and a torque on it do to the dofs."""
    check(m, d)
    b = number(m, "body", body)
    target = in_place(qfrc, m.nv, "qfrc")
    f, t, p = (vector(v, 3, n)[None] for v, n in ((force, "force"), (torque, "torque"), (point, "point")))
    _apply(m, d, f, t, p, b, target)


def local_to_global(
    m: Model, d: Data, body: str | int, pos: ArrayLike, quat: ArrayLike = (1, 0, 0, 0)
) -> tuple[np.ndarray, np.ndarray]:
    """(position, 3x3 matrix) in the world of a frame given in a body's frame."""
    check(m, d)
    b = number(m, "body", body)
    xpos, xmat = np.zeros((1, 3)), np.zeros((1, 9))
    _to_global(d, b, vector(pos, 3, "pos")[None], vector(quat, 4, "quat")[None], xpos, xmat)
    return xpos[0], xmat.reshape(3, 3)


def _framed(m: Model, d: Data, objtype: ObjType | str, obj: str | int) -> tuple[ObjType, int]:
    """The kind and number of an object that has a frame."""
    check(m, d)
    known = {k.name.lower(): k for k in FRAMED}
    kind = known.get(objtype) if isinstance(objtype, str) else objtype
    if kind not in FRAMED:
        raise SimulationError(f"an object of type {objtype!r} has no frame (there are: {', '.join(known)})")
    return ObjType(kind), number(m, FRAMED[kind], obj)
