"""Cameras and lights: where they are and where they look, in each tracking mode."""

from __future__ import annotations

from corten.kernel import kernel, stage
from corten.kernel.quat import load4, quat_mat, quat_mul, quat_rotate
from corten.kernel.vec import add3, cross, load3, load9, normalize3, store3, store9, sub3
from corten.model.enums import TrackingMode

UP = (0.0, 0.0, 1.0)


@stage
def cameras_and_lights(m, d):
    """cam_xpos, cam_xmat, light_xpos, light_xdir."""
    for c in range(m.ncam):
        camera(m, d, c)
    for i in range(m.nlight):
        light(m, d, i)


@kernel
def camera(m, d, c):
    """Frame of a camera, which looks along its negative z axis.

    Fixed cameras are part of their body; tracking ones keep their place relative to the body, or to its subtree's
    centre of mass, in world axes; targeting ones sit on their body and look at another one, with a level x axis.
    """
    b, mode, target = m.cam_bodyid[c], m.cam_mode[c], m.cam_targetbodyid[c]
    if mode == TrackingMode.TRACK:
        store3(d.cam_xpos, c, add3(load3(d.xpos, b), load3(m.cam_pos0, c)))
        store9(d.cam_xmat, c, load9(m.cam_mat0, c))
    elif mode == TrackingMode.TRACKCOM:
        store3(d.cam_xpos, c, add3(load3(d.subtree_com, b), load3(m.cam_poscom0, c)))
        store9(d.cam_xmat, c, load9(m.cam_mat0, c))
    else:
        quat = load4(d.xquat, b)
        pos = add3(load3(d.xpos, b), quat_rotate(quat, load3(m.cam_pos, c)))
        store3(d.cam_xpos, c, pos)
        if mode == TrackingMode.FIXED or target < 0:
            store9(d.cam_xmat, c, quat_mat(quat_mul(quat, load4(m.cam_quat, c))))
        else:
            z, _ = normalize3(sub3(pos, target_point(d, mode, target)))
            x, _ = normalize3(cross(UP, z))
            y, _ = normalize3(cross(z, x))
            store9(d.cam_xmat, c, (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]))


@kernel
def light(m, d, i):
    """Place and unit direction of a light; the tracking modes are those of cameras."""
    b, mode, target = m.light_bodyid[i], m.light_mode[i], m.light_targetbodyid[i]
    if mode == TrackingMode.TRACK or mode == TrackingMode.TRACKCOM:
        if mode == TrackingMode.TRACK:
            pos = add3(load3(d.xpos, b), load3(m.light_pos0, i))
        else:
            pos = add3(load3(d.subtree_com, b), load3(m.light_poscom0, i))
        direction = load3(m.light_dir0, i)
    else:
        quat = load4(d.xquat, b)
        pos = add3(load3(d.xpos, b), quat_rotate(quat, load3(m.light_pos, i)))
        direction = quat_rotate(quat, load3(m.light_dir, i))
        if mode != TrackingMode.FIXED and target >= 0:
            direction = sub3(target_point(d, mode, target), pos)
    unit, _ = normalize3(direction)
    store3(d.light_xpos, i, pos)
    store3(d.light_xdir, i, unit)


@kernel
def target_point(d, mode, target):
    """What a targeting camera or light looks at: a body, or the centre of mass of all that hangs on it."""
    if mode == TrackingMode.TARGETBODYCOM:
        return load3(d.subtree_com, target)
    return load3(d.xpos, target)
