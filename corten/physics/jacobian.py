"""Jacobians of points and bodies: rows of six numbers per dof, how a unit velocity of it moves something.

The first three are a linear velocity, the last three an angular one. Results go to arrays outside of Data, so these
kernels are for one world: call them with a lane view.
"""

from __future__ import annotations

from corten.kernel import kernel
from corten.kernel.spatial import cross_motion, load6, store6
from corten.kernel.vec import add3, cross, load3, scale3, sub3
from corten.model.enums import JointType
from corten.physics.inertia import NO_MASS
from corten.physics.objects import point_velocity
from corten.physics.velocity import ZERO6


@kernel
def point_jacobian(m, d, b, point, out):
    """Linear and angular velocity of the point of body b that is at `point`; dofs off its way to the world are zero."""
    for i in range(m.nv):
        store6(out, i, ZERO6)
    arm = sub3(point, load3(d.subtree_com, m.body_rootid[b]))
    i = m.body_lastdof[b]
    while i >= 0:
        s = load6(d.cdof, i)
        turn = (s[0], s[1], s[2])
        store6(out, i, (*add3((s[3], s[4], s[5]), cross(turn, arm)), *turn))
        i = m.dof_parentid[i]


@kernel
def point_jacobian_rate(m, d, b, point, out):
    """The time derivative of the same, the point moving with the body.

    The axes of a ball turn with the body that they move: the rate of each is that of a vector fixed in it.
    """
    for i in range(m.nv):
        store6(out, i, ZERO6)
    arm = sub3(point, load3(d.subtree_com, m.body_rootid[b]))
    _, velocity = point_velocity(m, d, b, point)
    i = m.body_lastdof[b]
    while i >= 0:
        j = m.dof_jntid[i]
        s, rate = load6(d.cdof, i), load6(d.cdof_dot, i)
        if m.jnt_type[j] == JointType.BALL or (m.jnt_type[j] == JointType.FREE and i >= m.jnt_dofadr[j] + 3):
            rate = cross_motion(load6(d.cvel, m.dof_bodyid[i]), s)
        turn = (rate[0], rate[1], rate[2])
        linear = add3((rate[3], rate[4], rate[5]), add3(cross(turn, arm), cross((s[0], s[1], s[2]), velocity)))
        store6(out, i, (*linear, *turn))
        i = m.dof_parentid[i]


@kernel
def subtree_jacobian(m, d, b, out):
    """Velocity of the centre of mass of all that hangs on body b.

    A dof above b carries the whole subtree; one inside moves the part below it, which counts by its share of the mass.
    """
    for i in range(m.nv):
        store6(out, i, ZERO6)
    i = m.body_lastdof[b]
    while i >= 0:
        store_centre_motion(m, d, i, b, 1.0, out)
        i = m.dof_parentid[i]
    total = max(m.body_subtreemass[b], NO_MASS)
    for i in range(m.nv):
        c = m.dof_bodyid[i]
        above = c
        while above > b:
            above = m.body_parentid[above]
        if above == b and c != b:
            store_centre_motion(m, d, i, c, m.body_subtreemass[c] / total, out)


@kernel
def store_centre_motion(m, d, i, b, share, out):
    """Row i: a share of how dof i moves the centre of mass of the subtree of body b."""
    s = load6(d.cdof, i)
    arm = sub3(load3(d.subtree_com, b), load3(d.subtree_com, m.body_rootid[b]))
    velocity = add3((s[3], s[4], s[5]), cross((s[0], s[1], s[2]), arm))
    store6(out, i, (*scale3(share, velocity), 0.0, 0.0, 0.0))
