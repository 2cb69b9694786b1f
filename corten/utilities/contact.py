"""Forces of contacts, and pyramids: friction cones of which only the edges can push."""

from __future__ import annotations

import operator

import numpy as np
from numpy.typing import ArrayLike

from corten.engine import SimulationError, check
from corten.kernel import kernel, lane
from corten.kernel.spatial import store6
from corten.model.checks import reals
from corten.model.data import Data
from corten.model.model import Model
from corten.physics.contact_force import contact_force as force_of


@kernel
def _force(m, d, i, out):
    force, torque = force_of(m, lane(d, 0), i)
    store6(out, 0, (*force, *torque))


def contact_force(m: Model, d: Data, contact: int) -> np.ndarray:
    """Force and torque (6 numbers) on the second geom at a contact, along its normal and its two tangents.

    The axes are the rows of `d.contact[contact].frame`. Zero for a contact that does not push.
    """
    check(m, d)
    contact = operator.index(contact)
    if not 0 <= contact < d.ncon:
        raise IndexError(f"contact {contact} of {int(d.ncon)}")
    out = np.zeros((1, 6))
    _force(m, d, contact, out)
    return out[0]


def decode_pyramid(pyramid: ArrayLike, friction: ArrayLike) -> np.ndarray:
    """The force that forces along the edges of a pyramid add up to: normal, then one number for each friction.

    Edges 2 k and 2 k + 1 are the normal plus and minus friction[k] times tangent k. One number alone is a normal force.
    """
    edges, mu = _sizes(pyramid, friction, "pyramid")
    if len(edges) == 1:
        return edges
    return np.concatenate(([edges.sum()], (edges[::2] - edges[1::2]) * mu))


def encode_pyramid(force: ArrayLike, friction: ArrayLike) -> np.ndarray:
    """Forces along the edges of a pyramid that add up to a force; those that would have to pull are 0.

    The normal force is shared equally between the tangents.
    """
    total, mu = _sizes(force, friction, "force")
    if len(total) == 1:
        return total
    share = total[0] / len(mu)
    tangent = np.minimum(share, total[1:] / mu)
    return np.column_stack((0.5 * (share + tangent), 0.5 * (share - tangent))).ravel()


def _sizes(values: ArrayLike, friction: ArrayLike, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Both as arrays, refused if they do not belong together; `friction` cut to what is needed."""
    given, mu = np.array(reals(values, name)).ravel(), reals(friction, "friction").ravel()
    tangents = len(given) // 2 if name == "pyramid" else len(given) - 1
    whole = len(given) == 1 or (tangents > 0 and (name != "pyramid" or len(given) % 2 == 0))
    if not whole:
        raise SimulationError(f"{name} holds {len(given)} numbers, which is no contact's")
    if len(mu) < tangents:
        raise SimulationError(f"friction holds {len(mu)} numbers where {tangents} are needed")
    return given, mu[:tangents]
