"""Inverse dynamics: against the reference, and as the inverse of the forward dynamics."""

from __future__ import annotations

import numpy as np
import pytest
from elements import assert_same_bits, set_worlds
from mechanism import loaded, mechanism

import corten
from corten.engine import inverse
from corten.kernel.record import Element
from corten.model.data import block
from corten.model.enums import EnableBit, Integrator
from corten.physics import step as stages
from corten.utilities import full_mass_matrix

DISCRETE = 'invdiscrete="enable"'
SENSED = '<accelerometer site="tip"/><e_potential/>'
INVERTIBLE = [i for i in Integrator if i != Integrator.RK4]  # those that a discrete inverse exists for


@pytest.mark.reference
@pytest.mark.parametrize(
    ("option", "flag"),
    [
        ("", ""),
        ("", 'gravity="disable"'),
        ("", DISCRETE),
        ("", DISCRETE + ' eulerdamp="disable"'),
        ('integrator="implicit"', DISCRETE),
        ('integrator="implicitfast"', DISCRETE),
        ('integrator="implicit" density="100" viscosity=".1"', DISCRETE),
    ],
)
def test_as_in_the_reference(option: str, flag: str) -> None:
    twins = loaded(mechanism(SENSED, option, flag + ' energy="enable"'))
    before = twins.d.qacc.copy()
    inverse(twins.m, twins.d)
    twins.mujoco.mj_inverse(twins.ref_m, twins.ref_d)
    twins.assert_agree(("qfrc_inverse", "sensordata", "energy", "cvel"), 1e-10)
    assert np.array_equal(twins.d.qacc, before)


def applied(m: corten.Model, d: corten.Data) -> np.ndarray:
    """All that pushes the dofs from outside: qfrc_smooth without passive and bias forces."""
    return d.qfrc_smooth - d.qfrc_passive + d.qfrc_bias


@pytest.mark.reference
def test_inverse_of_forward() -> None:
    twins = loaded(mechanism())
    m, d = twins.m, twins.d
    corten.forward(m, d)
    forces = applied(m, d)
    inverse(m, d)
    np.testing.assert_allclose(d.qfrc_inverse, forces, atol=1e-10 * np.abs(forces).max())


@pytest.mark.reference
@pytest.mark.parametrize("integrator", INVERTIBLE)
def test_discrete_inverse_of_a_step(integrator: Integrator) -> None:
    """The change of velocity over a step gives back the forces at its start."""
    m, d = (twins := loaded(mechanism(option='timestep=".01"'))).m, twins.d
    m.opt.integrator = integrator
    m.opt.enableflags = m.opt.enableflags | EnableBit.INVDISCRETE
    start = d.copy()
    corten.forward(m, start)
    forces = applied(m, start)
    corten.step(m, d)
    start.qacc[:] = (d.qvel - start.qvel) / m.opt.timestep
    inverse(m, start)
    np.testing.assert_allclose(start.qfrc_inverse, forces, atol=1e-9 * np.abs(forces).max())


@pytest.mark.reference
def test_forward_and_inverse_agree_after_a_step() -> None:
    m, d = (twins := loaded(mechanism(flag='fwdinv="enable"'))).m, twins.d
    d.solver_fwdinv[:] = 1.0
    corten.step(m, d)
    assert np.all(d.solver_fwdinv < 1e-10)


@pytest.mark.parametrize("integrator", INVERTIBLE)
def test_lanes_are_single_worlds_to_the_last_bit(integrator: Integrator) -> None:
    m = corten.Model.from_xml_string(mechanism(SENSED, flag=DISCRETE))
    m.opt.integrator = integrator
    singles = []
    for w in range(4):
        d = corten.Data(m)
        rng = np.random.default_rng(w)
        d.qpos[:] += 0.2 * rng.normal(size=m.nq)
        d.qvel[:], d.qacc[:] = rng.normal(size=(2, m.nv))
        singles.append(d)
    lanes = block(m, Element("lanes", 4))
    set_worlds(lanes, singles, ("qpos", "qvel", "qacc"))
    stages.inverse(m, lanes)
    for w, d in enumerate(singles):
        inverse(m, d)
        assert_same_bits(lanes, w, d, ("qfrc_inverse", "qacc", "sensordata"))


def test_tangents_are_derivatives() -> None:
    """Forces follow accelerations by the inertia, exactly."""
    m = corten.Model.from_xml_string(mechanism())
    dual = block(m, Element("dual", 7))
    rng = np.random.default_rng(0)
    dual.fill("qvel", rng.normal(size=m.nv))
    dual.qacc[:, 1:] = rng.normal(size=(m.nv, 7))
    stages.inverse(m, dual)
    d = corten.Data(m)
    corten.forward(m, d)
    expected = full_mass_matrix(m, d) @ dual.qacc[:, 1:]
    np.testing.assert_allclose(dual.qfrc_inverse[:, 1:], expected, atol=1e-12)
