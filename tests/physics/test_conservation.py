"""What must be conserved: energy to the integrator's order, momentum to rounding."""

from __future__ import annotations

import numpy as np
import pytest
from random_models import random_mjcf, randomise

import corten
from corten import utilities
from corten.model.enums import DisableBit, EnableBit, Integrator, JointType

PENDULUM = """<mujoco><option integrator="RK4" timestep="{h}"><flag energy="enable"/></option><worldbody>
<body pos="0 0 2"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .1 0 -.5" size=".03"/>
<body pos=".1 0 -.5"><joint axis="0 1 .2"/><geom type="capsule" fromto="0 0 0 0 .1 -.4" size=".03"/></body></body>
</worldbody></mujoco>"""
TUMBLING = """<mujoco><option gravity="0 0 0" timestep="{h}" integrator="{i}"><flag
energy="enable"/></option><worldbody> <body><freejoint/><geom type="box" size=".1 .2 .3"
density="500"/></body></worldbody></mujoco>"""


def energy_error(xml: str, h: float, duration: float = 1.0) -> float:
    """The largest change of the total energy over a second, from a moving start."""
    m = corten.Model.from_xml_string(xml.format(h=h))
    m.opt.disableflags |= DisableBit.CONTACT
    d = corten.Data(m)
    d.qpos[:2] += 0.7
    d.qvel[:] = np.linspace(1.0, 2.0, m.nv)
    corten.forward(m, d)
    start, worst = d.energy.sum(), 0.0
    for _ in range(round(duration / h)):
        corten.step(m, d)
        corten.forward(m, d)
        worst = max(worst, abs(d.energy.sum() - start))
    return worst


def test_a_double_pendulum_keeps_its_energy_to_fourth_order() -> None:
    coarse, fine = energy_error(PENDULUM, 0.008), energy_error(PENDULUM, 0.004)
    assert fine < 1e-5
    assert np.log2(coarse / fine) > 3.7


@pytest.mark.parametrize(
    ("integrator", "step", "order"), [("Euler", 0.001, 0.9), ("implicit", 0.001, 0.9), ("RK4", 0.02, 3.7)]
)
def test_a_tumbling_body_keeps_its_energy_to_the_order_of_the_integrator(
    integrator: str, step: float, order: float
) -> None:
    xml = TUMBLING.replace("{i}", integrator)
    coarse, fine = energy_error(xml, 2 * step), energy_error(xml, step)
    assert fine < 0.05
    assert np.log2(coarse / fine) > order


def momenta(m: corten.Model, d: corten.Data) -> tuple[np.ndarray, np.ndarray]:
    """Linear momentum, and angular momentum about the origin, from velocities of bodies."""
    linear, angular = np.zeros(3), np.zeros(3)
    for b in range(1, m.nbody):
        com = d.subtree_com[m.body_rootid[b]]
        omega, v = d.cvel[b, :3], d.cvel[b, 3:] + np.cross(d.cvel[b, :3], d.xipos[b] - com)
        r = d.ximat[b].reshape(3, 3)
        linear += m.body_mass[b] * v
        angular += r @ (m.body_inertia[b] * (r.T @ omega)) + np.cross(d.xipos[b], m.body_mass[b] * v)
    return linear, angular


def rates_of_momentum(m: corten.Model, d: corten.Data) -> tuple[np.ndarray, float]:
    """Force and torque about the origin that move all bodies, from their accelerations, and the size of the largest."""
    total, largest = np.zeros(6), 0.0
    for b in range(1, m.nbody):
        linear, angular = utilities.jac_body_com(m, d, b)
        linear_dot, angular_dot = utilities.jac_dot(m, d, d.xipos[b], b)
        omega, alpha = angular @ d.qvel, angular @ d.qacc + angular_dot @ d.qvel
        force = m.body_mass[b] * (linear @ d.qacc + linear_dot @ d.qvel)
        inertia = d.ximat[b].reshape(3, 3) * m.body_inertia[b] @ d.ximat[b].reshape(3, 3).T
        torque = inertia @ alpha + np.cross(omega, inertia @ omega) + np.cross(d.xipos[b], force)
        total += np.concatenate([force, torque])
        largest = max(largest, np.abs(force).max(), np.abs(torque).max())
    return total, largest


@pytest.mark.parametrize("seed", range(5))
def test_internal_forces_do_not_change_momentum(seed: int) -> None:
    """Of floating mechanisms, at every instant: springs and dampers push bodies, to 1e-12 of that not the whole."""
    m = corten.Model.from_xml_string(random_mjcf(seed, bodies=7, options='gravity="0 0 0"'))
    free = m.jnt_type[[m.body_jntadr[m.tree_bodyadr[t]] for t in range(m.ntree)]] == JointType.FREE
    if not free.all():
        m = corten.Model.from_xml_string(FLOATING)
    m.opt.disableflags |= DisableBit.CONTACT
    d = corten.Data(m)
    randomise(m, d, np.random.default_rng(seed))
    d.xfrc_applied[:] = 0
    for t in range(m.ntree):  # what pushes a free joint comes from outside
        d.qfrc_applied[m.tree_dofadr[t] : m.tree_dofadr[t] + 6] = 0
    d.ctrl[:] = 0
    corten.forward(m, d)
    total, largest = rates_of_momentum(m, d)
    assert largest > 0.1
    np.testing.assert_allclose(total, 0.0, atol=1e-12 * largest)


FLOATING = """<mujoco><option gravity="0 0 0"/><worldbody><body><freejoint/><geom type="box" size=".1 .2 .3"/>
<body pos=".2 0 0"><joint type="ball"/><geom type="capsule" size=".05 .2" pos=".2 0 0"/>
<body pos=".4 0 0"><joint axis="0 1 1" stiffness="3"/><joint type="slide" axis="1 0 0"/><geom size=".1" pos=".1 .1
0"/></body> </body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("integrator", [Integrator.EULER, Integrator.RK4, Integrator.IMPLICIT], ids=lambda i: i.name)
def test_a_free_mechanism_keeps_its_linear_momentum(integrator: Integrator) -> None:
    """To 1e-12 over a hundred steps of a single free body; the centre of mass moves straight."""
    m = corten.Model.from_xml_string(TUMBLING.format(h=0.002, i="Euler"))
    m.opt.integrator = integrator
    m.opt.enableflags |= EnableBit.ENERGY
    d = corten.Data(m)
    d.qvel[:] = [1.0, -2.0, 0.5, 3.0, 1.0, -2.0]
    start = d.qpos[:3].copy()
    corten.step(m, d, 100)
    np.testing.assert_allclose(d.qvel[:3], [1.0, -2.0, 0.5], atol=1e-12)
    np.testing.assert_allclose(d.qpos[:3] - start, 0.2 * d.qvel[:3], atol=1e-12)
    # with RK4 the angular momentum drifts at the order of the method only
    if integrator == Integrator.RK4:
        corten.forward(m, d)
        first = corten.Data(m)
        first.qvel[:] = [1.0, -2.0, 0.5, 3.0, 1.0, -2.0]
        corten.forward(m, first)
        spin = momenta(m, d)[1] - np.cross(d.xipos[1], momenta(m, d)[0])
        np.testing.assert_allclose(spin, momenta(m, first)[1], rtol=1e-4)
