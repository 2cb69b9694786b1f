"""Random states for both engines and for blocks of worlds, and sparse matrices in both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from elements import centred_difference, set_worlds
from twins import STATE, Twins

import corten
from corten.conformance.engines import Corten, Reference
from corten.kernel.record import SINGLE, Element, Record
from corten.model.data import block
from corten.model.enums import JointType
from corten.physics.actuation import actuation
from corten.physics.bias import bias
from corten.physics.inertia import centre_of_mass, joint_inertia
from corten.physics.kinematics import kinematics
from corten.physics.passive import passive
from corten.physics.tendon import tendon, tendon_bias, tendon_inertia, tendon_velocity
from corten.physics.transmission import actuator_velocity, transmission
from corten.physics.velocity import body_velocity

# What tendons and actuators need of a forward pass, in its order: quicker to compile than all of it.
STAGES = (
    kinematics, centre_of_mass, tendon, joint_inertia, tendon_inertia, transmission,
    tendon_velocity, actuator_velocity, body_velocity, passive, bias, tendon_bias, actuation,
)  # fmt: skip


def forces(m: corten.Model, d: Record) -> None:
    """A forward pass up to the forces of actuators, without constraints."""
    for stage in STAGES:
        stage(m, d)


def random_state(m: corten.Model, d: Record, spread: float, rng: np.random.Generator) -> None:
    """Positions off qpos0 by about `spread`, velocities of about 1, controls in [-1, 1]."""
    d.qpos[:] = m.qpos0 + spread * rng.standard_normal(m.nq)
    for kind, adr in zip(m.jnt_type, m.jnt_qposadr, strict=True):
        if kind in (JointType.FREE, JointType.BALL):
            quat = slice(adr + 3, adr + 7) if kind == JointType.FREE else slice(adr, adr + 4)
            d.qpos[quat] /= np.linalg.norm(d.qpos[quat])
    d.qvel[:] = rng.standard_normal(m.nv)
    d.act[:] = rng.uniform(0.0, 1.0, m.na)
    d.ctrl[:] = rng.uniform(-1.0, 1.0, m.nu)


def forward_states(twins: Twins, count: int, spread: float = 0.5) -> Iterator[int]:
    """Put both into one state after the other, the first at qpos0, and run `forward` in each."""
    for number in range(count):
        random_state(twins.m, twins.d, spread if number else 0.0, np.random.default_rng(number))
        for name in STATE:
            getattr(twins.ref_d, name)[...] = getattr(twins.d, name)
        twins.forward()
        yield number


def assert_matrices_agree(twins: Twins, names: Sequence[str], tolerance: float = 1e-10) -> None:
    """Sparse matrices, compared entry by entry of the dense ones."""
    for name in names:
        theirs, mine = Reference().dense(twins.ref_m, twins.ref_d, name), Corten().dense(twins.m, twins.d, name)
        scale = max(1.0, np.abs(theirs).max(initial=0.0))
        np.testing.assert_allclose(mine, theirs, rtol=0.0, atol=tolerance * scale, err_msg=name)


def worlds_and_block(m: corten.Model, element: Element, count: int = 4) -> tuple[list[Record], Record]:
    """Several worlds in different states, and a block of them in the lanes of `element`; nothing is computed yet."""
    worlds = [block(m, SINGLE) for _ in range(count)]
    for number, world in enumerate(worlds):
        random_state(m, world, 0.5, np.random.default_rng(number))
    lanes = block(m, element)
    set_worlds(lanes, worlds, ("qpos", "qvel", "act", "ctrl"))
    return worlds, lanes


def assert_tangents_are_derivatives(
    m: corten.Model, d: corten.Data, fields: Sequence[str], rng: np.random.Generator, floor: float
) -> None:
    """Along a random direction of coordinates that are not quaternions, tangents equal centred differences to 1e-6.

    `floor` is what they may differ by besides, of the largest derivative.
    """
    at = d.qpos.copy()
    direction = np.zeros(m.nq)
    plain = np.concatenate([np.arange(3), m.jnt_qposadr[m.jnt_type >= JointType.SLIDE]])
    direction[plain] = rng.standard_normal(len(plain))

    def moved(s: float) -> np.ndarray:
        d.qpos[:] = at + s * direction
        forces(m, d)
        return np.concatenate([getattr(d, f).ravel() for f in fields])

    dual = block(m, Element("dual", 3))
    dual.fill("qpos", at)
    dual.fill("qvel", d.qvel)
    dual.qpos[:, 1] = direction
    forces(m, dual)
    exact = np.concatenate([dual.array(f)[..., 1].ravel() for f in fields])
    expected = centred_difference(moved, 1e-5)
    np.testing.assert_allclose(exact, expected, rtol=1e-6, atol=floor * max(1.0, np.abs(expected).max()))
