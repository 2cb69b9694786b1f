"""Velocities of bodies, and how the motion axes turn with them."""

from __future__ import annotations

from corten.kernel import kernel, stage
from corten.kernel.spatial import axpy6, cross_motion, load6, store6
from corten.model.enums import JointType

ZERO6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@stage
def body_velocity(m, d):
    """cvel = parent's cvel + sum of cdof qvel; cdof_dot, the rate of cdof, is the axis carried along by what precedes
    it.

    The three axes of a ball joint turn together, so all see the velocity before the joint. The three translations of a
    free joint do not turn, its rotations are a ball's.
    """
    store6(d.cvel, 0, ZERO6)
    for b in range(1, m.nbody):
        v = load6(d.cvel, m.body_parentid[b])
        for j in range(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b]):
            i = m.jnt_dofadr[j]
            kind = m.jnt_type[j]
            if kind == JointType.FREE:
                for k in range(i, i + 3):
                    store6(d.cdof_dot, k, ZERO6)
                v = three_axes(d, i, v)
                i = i + 3
            if kind == JointType.FREE or kind == JointType.BALL:
                for k in range(i, i + 3):
                    store6(d.cdof_dot, k, cross_motion(v, load6(d.cdof, k)))
                v = three_axes(d, i, v)
            else:
                store6(d.cdof_dot, i, cross_motion(v, load6(d.cdof, i)))
                v = axpy6(d.qvel[i], load6(d.cdof, i), v)
        store6(d.cvel, b, v)


@kernel
def three_axes(d, i, v):
    """v after the motions of dofs i, i + 1 and i + 2."""
    v = axpy6(d.qvel[i], load6(d.cdof, i), v)
    v = axpy6(d.qvel[i + 1], load6(d.cdof, i + 1), v)
    return axpy6(d.qvel[i + 2], load6(d.cdof, i + 2), v)
