"""Gradients of lengths by the dofs, put together from wrenches at their ends (`corten/model/derived/ends.py`)."""

from __future__ import annotations

from corten.kernel import kernel
from corten.kernel.spatial import dot6, load6
from corten.kernel.vec import add3, cross, load3, sub3


@kernel
def wrench_at(d, root, point, force, torque):
    """A force at a point and a torque, as a wrench about the centre of mass of the tree with this root."""
    arm = sub3(point, load3(d.subtree_com, root))
    return (*add3(torque, cross(arm, force)), *force)


@kernel
def project(d, gradient, first, count, dofs, entries, wrench):
    """gradient += the wrench along the motion axes of `count` dofs, each at its entry."""
    for k in range(first, first + count):
        e = entries[k]
        gradient[e] = dot6(load6(d.cdof, dofs[k]), wrench) + gradient[e]
