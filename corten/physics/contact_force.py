"""The force of a contact in its own frame."""

from __future__ import annotations

from corten.kernel import kernel
from corten.kernel.vec import load9, mat_t_vec
from corten.model.enums import ConstraintType

NOTHING = (0.0, 0.0, 0.0)


@kernel
def contact_force(m, d, s):
    """(force, torque) on the second body at contact s, along its normal and two tangents; zero where it has no rows.

    The rows of an elliptic cone are the components themselves. Those of a pyramid are forces along its edges: the
    normal force is their sum, a tangential one the difference of its two edges, times the friction coefficient.
    """
    r = d.slot_row[s]
    if r < 0:
        return NOTHING, NOTHING
    dim, kind = d.slot_dim[s], d.efc_type[r]
    if kind == ConstraintType.CONTACT_PYRAMIDAL:
        normal = d.efc_force[r]
        for k in range(1, 2 * (dim - 1)):
            normal = normal + d.efc_force[r + k]
        force = (normal, edge_difference(d, s, r, 0), edge_difference(d, s, r, 1))
        torque = NOTHING
        if dim > 3:
            torque = (edge_difference(d, s, r, 2), 0.0, 0.0)
        if dim > 4:
            torque = (torque[0], edge_difference(d, s, r, 3), edge_difference(d, s, r, 4))
        return force, torque
    force = (d.efc_force[r], 0.0, 0.0)
    torque = NOTHING
    if dim > 1:
        force = (force[0], d.efc_force[r + 1], d.efc_force[r + 2])
    if dim > 3:
        torque = (d.efc_force[r + 3], 0.0, 0.0)
    if dim > 4:
        torque = (torque[0], d.efc_force[r + 4], d.efc_force[r + 5])
    return force, torque


@kernel
def edge_difference(d, s, r, t):
    """What the two edges of a pyramid along tangent t give in its direction."""
    return (d.efc_force[r + 2 * t] - d.efc_force[r + 2 * t + 1]) * d.contact_friction[s, t]


@kernel
def contact_wrench(m, d, s):
    """The same in world axes."""
    force, torque = contact_force(m, d, s)
    axes = load9(d.contact_frame, s)
    return mat_t_vec(axes, force), mat_t_vec(axes, torque)
