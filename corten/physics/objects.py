"""Frames and motions of whatever has a place in the world: bodies, their inertial frames, geoms, sites and cameras.

`ObjType.XBODY` is a body's own frame, `ObjType.BODY` its inertial frame, as in MuJoCo's sensors.
"""

from __future__ import annotations

from corten.kernel import kernel
from corten.kernel.quat import load4, quat_mul
from corten.kernel.spatial import load6
from corten.kernel.vec import add3, cross, load3, load9, sub3
from corten.model.enums import ObjType


@kernel
def object_body(m, kind, i):
    """The body that carries object i."""
    if kind == ObjType.GEOM:
        return m.geom_bodyid[i]
    if kind == ObjType.SITE:
        return m.site_bodyid[i]
    if kind == ObjType.CAMERA:
        return m.cam_bodyid[i]
    return i


@kernel
def object_position(d, kind, i):
    """Where object i is."""
    if kind == ObjType.XBODY:
        return load3(d.xpos, i)
    if kind == ObjType.GEOM:
        return load3(d.geom_xpos, i)
    if kind == ObjType.SITE:
        return load3(d.site_xpos, i)
    if kind == ObjType.CAMERA:
        return load3(d.cam_xpos, i)
    return load3(d.xipos, i)


@kernel
def object_matrix(d, kind, i):
    """The axes of object i, as the columns of a matrix."""
    if kind == ObjType.XBODY:
        return load9(d.xmat, i)
    if kind == ObjType.GEOM:
        return load9(d.geom_xmat, i)
    if kind == ObjType.SITE:
        return load9(d.site_xmat, i)
    if kind == ObjType.CAMERA:
        return load9(d.cam_xmat, i)
    return load9(d.ximat, i)


@kernel
def object_quat(m, d, kind, i):
    """The orientation of object i; a camera's is that of its place on the body, whatever it tracks."""
    body = load4(d.xquat, object_body(m, kind, i))
    if kind == ObjType.XBODY:
        return body
    if kind == ObjType.GEOM:
        return quat_mul(body, load4(m.geom_quat, i))
    if kind == ObjType.SITE:
        return quat_mul(body, load4(m.site_quat, i))
    if kind == ObjType.CAMERA:
        return quat_mul(body, load4(m.cam_quat, i))
    return quat_mul(body, load4(m.body_iquat, i))


@kernel
def object_velocity(m, d, kind, i):
    """(angular, linear) velocity of object i in world axes, the linear one of its own origin."""
    b = object_body(m, kind, i)
    return point_velocity(m, d, b, object_position(d, kind, i))


@kernel
def point_velocity(m, d, b, point):
    """(angular, linear) velocity of the point of body b that is now at `point`."""
    v = load6(d.cvel, b)
    w = (v[0], v[1], v[2])
    arm = sub3(point, load3(d.subtree_com, m.body_rootid[b]))
    return w, add3((v[3], v[4], v[5]), cross(w, arm))


@kernel
def object_acceleration(m, d, kind, i):
    """(angular, linear) acceleration of object i in world axes, as an accelerometer feels it: at rest it is -gravity.

    What is fixed to the world feels nothing, not even gravity: MuJoCo's convention. The spatial acceleration misses
    the w x v that comes from its frame standing still while the point moves on (Featherstone 2008, section 2.11).
    """
    b = object_body(m, kind, i)
    if m.body_weldid[b] == 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    point = object_position(d, kind, i)
    a = load6(d.cacc, b)
    alpha = (a[0], a[1], a[2])
    arm = sub3(point, load3(d.subtree_com, m.body_rootid[b]))
    w, v = point_velocity(m, d, b, point)
    return alpha, add3(add3((a[3], a[4], a[5]), cross(alpha, arm)), cross(w, v))
