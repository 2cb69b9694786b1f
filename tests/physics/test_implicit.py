"""Implicit integrators and the derivative of forces by velocities; convergence and stability of all integrators."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from elements import assert_same_bits, centred_difference, set_worlds
from twins import INTEGRATORS, Twins

import corten
from corten.kernel.record import Element
from corten.model.data import block
from corten.model.enums import DisableBit, Integrator
from corten.physics import step as stages
from corten.physics.velocity_derivative import velocity_derivative

MIXED = """
<mujoco>
  <option timestep="0.002" {option}/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body name="a" pos="0 0 1">
      <freejoint name="free"/>
      <geom type="box" size=".1 .2 .3" {fluid}/>
      <site name="s" pos=".1 .2 .3"/>
      <body pos="0 .5 .2">
        <joint name="ball" type="ball" pos=".1 0 0" damping="0.3" stiffness="2"/>
        <joint name="slide" type="slide" axis="0 1 1" damping="0.2"/>
        <geom type="capsule" size=".1 .3"/>
        <body pos=".2 .3 0">
          <joint name="h1" axis="1 1 0" stiffness="3"/><joint name="h2" axis="0 0 1" damping="0.1" armature="0.01"/>
          <geom type="ellipsoid" size=".1 .2 .1" pos="0 0 .2" {fluid}/>
        </body>
      </body>
      <body pos=".4 0 0">
        <joint name="h3" axis="0 1 0"/>
        <geom size=".1" pos=".1 0 .1"/>
      </body>
    </body>
    <body pos="2 0 0">
      <joint name="h4" axis="0 1 0" damping="0.4"/><geom type="capsule" size=".1" fromto="0 0 0 .3 0 .2"/>
    </body>
    <body pos="3 0 0"><freejoint/><geom type="box" size=".1 .2 .3"/></body>
  </worldbody>
  <tendon>
    <fixed name="t" damping="1.5">
      <joint joint="h1" coef="1"/><joint joint="h3" coef="-2"/><joint joint="h4" coef=".5"/>
    </fixed>
  </tendon>
  <actuator>{actuator}</actuator>
</mujoco>
"""
FLUIDS = {"none": ("", ""), "box": ('density="100" viscosity="2" wind="1 2 3"', "")}
FLUIDS["ellipsoid"] = (FLUIDS["box"][0], 'fluidshape="ellipsoid"')
AFFINE = 'gaintype="affine" gainprm="1 2 3"'
ACTUATORS = {
    "motor": '<motor joint="h1"/>',
    "velocity": '<velocity joint="h1" kv="3"/>',
    "velocity of a ball": '<velocity joint="ball" gear="1 2 3" kv="3"/>',
    "velocity of a body": '<velocity joint="free" gear="1 2 3 4 5 6" kv="3"/>',
    "velocity of a tendon": '<velocity tendon="t" kv="3"/>',
    "velocity of a site": '<velocity site="s" gear="1 2 3 4 5 6" kv="3"/>',
    "position": '<position joint="h2" kp="20" kv="2"/>',
    "intvelocity": '<intvelocity joint="h2" kp="20" kv="2" actrange="-1 1"/>',
    "damper": '<damper joint="h2" kv="2" ctrlrange="0 0.1"/>',
    "affine gain": f'<general joint="h1" {AFFINE}/>',
    "affine gain, control limited": f'<general joint="h1" {AFFINE} ctrlrange="-0.01 0.01"/>',
    "activation": f'<general joint="h1" {AFFINE} dyntype="filter" dynprm="0.1"/>',
    "activation, early": f'<general joint="h1" {AFFINE} dyntype="integrator" actearly="true"/>',
    "disabled group": '<velocity joint="h1" kv="3" group="1"/>',
    "force at its limit": '<velocity joint="h1" kv="3" forcerange="-0.01 0.01"/>',
    "force within its limit": '<velocity joint="h1" kv="3" forcerange="-1000 1000"/>',
    "muscle": '<muscle joint="h3" lengthrange="-1.5 1.5"/>',
}
IMPLICIT = {"implicit": 2, "implicitfast": 3}
MATRICES = {"implicit": ("qDeriv", "qLU"), "implicitfast": ("qDeriv", "qH", "qHDiagInv")}
MODELS = [
    "dm_control/swimmer.xml",
    "dm_control/fish.xml",
    "dm_control/cheetah.xml",
    "dm_control/humanoid.xml",
    "mujoco/tendon_arm/arm26.xml",
    "menagerie/bitcraze_crazyflie_2/cf2.xml",
]


def mixed(fluid: str = "none", actuator: str = "position", integrator: str = "implicit") -> str:
    """A model with all kinds of joints, a medium and an actuator."""
    option, shape = FLUIDS[fluid]
    option = f'{option} integrator="{integrator}"'
    return MIXED.format(option=option, fluid=shape, actuator=ACTUATORS[actuator])


def chain(links: int, seed: int, balls: bool = True) -> str:
    """A chain of hinges and, if wanted, ball joints with random axes, without contacts."""
    rng = np.random.default_rng(seed)
    text = ""
    for link in range(links):
        axis = " ".join(f"{x:.3f}" for x in rng.normal(size=3))
        kind = (
            'type="ball" damping=".05"'
            if balls and link % 3 == 1
            else f'axis="{axis}" damping="{rng.uniform(0, 0.1):.3f}"'
        )
        text += f'<body pos="0 0 .3"><joint {kind}/><geom type="capsule" size=".03 .1" pos="0 0 .15"/>'
    return (
        f"<mujoco><option><flag contact='disable'/></option><worldbody>{text}{'</body>' * links}</worldbody></mujoco>"
    )


def full(m: corten.Model, values: np.ndarray) -> np.ndarray:
    """A matrix in the pattern D, with its zeros."""
    result = np.zeros((m.nv, m.nv))
    result[np.repeat(np.arange(m.nv), m.D_rownnz), m.D_colind] = values
    return result


@pytest.mark.reference
@pytest.mark.parametrize("integrator", IMPLICIT)
@pytest.mark.parametrize("actuator", ACTUATORS)
def test_actuators(actuator: str, integrator: str) -> None:
    disabled = 2 if actuator == "disabled group" else 0
    twins = Twins(mixed(actuator=actuator, integrator=integrator), disableactuator=disabled)
    twins.step()
    twins.assert_agree((*MATRICES[integrator], "qvel", "qpos"))


@pytest.mark.reference
@pytest.mark.parametrize("integrator", IMPLICIT)
@pytest.mark.parametrize("fluid", FLUIDS)
@pytest.mark.parametrize("speed", [1e-9, 1.0, 10.0])
def test_medium(fluid: str, speed: float, integrator: str) -> None:
    twins = Twins(mixed(fluid, integrator=integrator), speed=speed)
    twins.step()
    twins.assert_agree((*MATRICES[integrator], "qvel", "qpos"))


@pytest.mark.reference
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("flag", ["SPRING", "DAMPER", "SPRING DAMPER", "EULERDAMP", "ACTUATION", "GRAVITY"])
def test_flags(flag: str, integrator: str) -> None:
    flags = sum(DisableBit[name] for name in flag.split())
    twins = Twins(mixed("ellipsoid", integrator=integrator), disableflags=flags)
    twins.step(2)
    twins.assert_agree(("qvel", "qpos"))


@pytest.mark.parametrize("actuator", ["velocity of a site", "velocity of a ball", "muscle", "activation"])
@pytest.mark.parametrize("fluid", FLUIDS)
def test_derivative_of_forces(fluid: str, actuator: str) -> None:
    """qDeriv is what centred differences of the forces say."""
    m = corten.Model.from_xml_string(mixed(fluid, actuator))
    d = corten.Data(m)
    rng = np.random.default_rng(1)
    velocity = rng.normal(size=m.nv)
    d.qpos += 0.1 * rng.normal(size=m.nq)
    d.ctrl[:], d.act[:] = 0.7, 0.6
    d.qvel[:] = velocity
    corten.forward(m, d)
    velocity_derivative(m, d, 1)
    matrix = full(m, d.qDeriv)
    coupled = full(m, np.ones(m.nD)) > 0
    for column in range(m.nv):

        def force(change: float, column: int = column) -> np.ndarray:
            d.qvel[:] = velocity
            d.qvel[column] += change
            corten.forward(m, d)
            return d.qfrc_smooth.copy()

        expected = np.where(coupled[:, column], centred_difference(force, 1e-3), 0.0)
        np.testing.assert_allclose(matrix[:, column], expected, rtol=1e-6, atol=1e-6 * np.abs(matrix).max())


@pytest.mark.reference
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", MODELS)
def test_trajectories(shared_models: Path, name: str, integrator: str) -> None:
    """100 steps of models without contact and constraints."""
    flags = DisableBit.CONSTRAINT | DisableBit.CONTACT
    twins = Twins(shared_models / name, disableflags=flags, integrator=INTEGRATORS[integrator], speed=0.1)
    twins.step(100)
    twins.assert_agree(("qpos", "qvel", "act"), rtol=1e-6)


@pytest.mark.reference
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("links", [1, 5, 12])
def test_chains(links: int, integrator: str) -> None:
    twins = Twins(chain(links, links), integrator=INTEGRATORS[integrator])
    twins.step(100)
    twins.assert_agree(("qpos", "qvel"), rtol=1e-6)


@pytest.mark.parametrize("integrator", list(Integrator), ids=lambda i: i.name.lower())
def test_lanes(integrator: Integrator) -> None:
    """Each lane of a block of four different worlds holds the bits of the world alone."""
    m = corten.Model.from_xml_string(mixed("ellipsoid", "muscle"))
    m.opt.integrator = integrator
    rng = np.random.default_rng(2)
    worlds = [corten.Data(m) for _ in range(4)]
    for d in worlds:
        d.qpos += 0.1 * rng.normal(size=m.nq)
        d.qvel[:] = rng.normal(size=m.nv)
        d.ctrl[:], d.act[:] = rng.uniform(size=m.nu), rng.uniform(size=m.na)
    four = block(m, Element("lanes", 4))
    set_worlds(four, worlds, ("qpos", "qvel", "ctrl", "act"))
    stages.step(m, four, 3)
    for lane, d in enumerate(worlds):
        corten.step(m, d, 3)
        assert_same_bits(four, lane, d, ("qpos", "qvel", "act", "qfrc_fluid", "qDeriv", "qLU", "qH"))


@pytest.mark.parametrize("integrator", list(Integrator), ids=lambda i: i.name.lower())
def test_tangents(integrator: Integrator) -> None:
    """Tangents of the velocities after a step agree with centred differences."""
    m = corten.Model.from_xml_string(mixed("ellipsoid", "muscle"))
    m.opt.integrator = integrator
    rng = np.random.default_rng(3)
    velocity, directions = rng.normal(size=m.nv), rng.normal(size=(7, m.nv))
    dual = block(m, Element("dual", 7))
    dual.fill("act", 0.6)
    dual.array("qvel")[:, 0] = velocity
    dual.array("qvel")[:, 1:] = directions.T
    stages.step(m, dual, 1)
    d = corten.Data(m)
    for k, direction in enumerate(directions):

        def after(change: float, direction: np.ndarray = direction) -> np.ndarray:
            corten.reset(m, d)
            d.act[:] = 0.6
            d.qvel[:] = velocity + change * direction
            corten.step(m, d)
            return d.qvel.copy()

        expected = centred_difference(after, 1e-4)
        np.testing.assert_allclose(
            dual.array("qvel")[:, k + 1], expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max()
        )


def test_spring_damper_step() -> None:
    """One step solves (M + h D + h^2 K) qacc = forces - h K qvel."""
    m = corten.Model.from_xml_string(mixed())
    m.opt.integrator = Integrator.IMPLICITSPRINGDAMPER
    d = corten.Data(m)
    d.qvel[:] = before = np.random.default_rng(4).normal(size=m.nv)
    corten.forward(m, d)
    mass = np.zeros((m.nv, m.nv))
    rows = np.repeat(np.arange(m.nv), m.M_rownnz)
    mass[rows, m.M_colind] = mass[m.M_colind, rows] = d.M
    h, stiffness = m.opt.timestep, m.jnt_stiffness[m.dof_jntid]
    assert np.any(stiffness > 0)
    matrix = mass + np.diag(h * m.dof_damping + h * h * stiffness)
    qacc = np.linalg.solve(matrix, d.qfrc_smooth - h * stiffness * before)
    corten.step(m, d)
    np.testing.assert_allclose(d.qvel, before + h * qacc, rtol=1e-10, atol=1e-12)


def oscillator(stiffness: float, damping: float, **options: float) -> tuple[corten.Model, corten.Data]:
    """A unit mass on a spring and a damper, drawn out by one."""
    m = corten.Model.from_xml_string(f"""
        <mujoco><option gravity="0 0 0"/><worldbody><body><geom size=".1" mass="1"/>
        <joint type="slide" stiffness="{stiffness}" damping="{damping}"/></body></worldbody></mujoco>""")
    for name, value in options.items():
        setattr(m.opt, name, value)
    d = corten.Data(m)
    d.qpos[0] = 1.0
    return m, d


def farthest(m: corten.Model, d: corten.Data) -> float:
    """How far the mass gets in 20 steps; a simulation that diverges may have been reset by then."""
    reached = 0.0
    for _ in range(20):
        corten.step(m, d)
        reached = max(reached, abs(d.qpos[0]))
    return reached


DAMPED = (Integrator.IMPLICIT, Integrator.IMPLICITFAST, Integrator.IMPLICITSPRINGDAMPER)


@pytest.mark.parametrize("integrator", DAMPED, ids=lambda i: i.name.lower())
def test_stable_on_stiff_damped_spring(integrator: Integrator) -> None:
    """At 100 times the step h = 2 / damping from which on an explicit method diverges."""
    damping, stiffness = 1e4, 1e4
    step = 100 * 2 / damping
    m, d = oscillator(stiffness, damping, timestep=step, integrator=integrator)
    for _ in range(100):
        corten.step(m, d)
        assert abs(d.qpos[0]) <= 1.0
    assert abs(d.qpos[0]) < np.exp(-stiffness / damping * d.time) + 0.2
    m.opt.integrator, m.opt.disableflags = Integrator.EULER, DisableBit.EULERDAMP
    corten.reset(m, d)
    d.qpos[0] = 1.0
    assert farthest(m, d) > 1e3


def test_stable_on_stiff_spring() -> None:
    """A spring without damping, at 100 times the step 2 / sqrt(k / m) from which on an explicit method diverges."""
    stiffness = 1e6
    step = 100 * 2 / np.sqrt(stiffness)
    m, d = oscillator(stiffness, 0.0, timestep=step, integrator=Integrator.IMPLICITSPRINGDAMPER)
    corten.step(m, d, 100)
    assert abs(d.qpos[0]) < 1.0
    m, d = oscillator(stiffness, 0.0, timestep=step, integrator=Integrator.EULER)
    assert farthest(m, d) > 1e3


ORDERS = {
    Integrator.EULER: 1,
    Integrator.RK4: 4,
    Integrator.IMPLICIT: 1,
    Integrator.IMPLICITFAST: 1,
    Integrator.IMPLICITSPRINGDAMPER: 1,
}


@pytest.mark.parametrize("integrator", ORDERS, ids=lambda i: i.name.lower())
def test_order_of_convergence(integrator: Integrator) -> None:
    """Halving the step divides the error of a chain of hinges after a tenth of a second by 2 to the order.

    With ball joints the Runge-Kutta method is of order 2, as in the reference: it adds velocities of different frames.
    """
    m = corten.Model.from_xml_string(chain(4, 1, balls=False))

    def after(step: float, integrator: Integrator = integrator) -> np.ndarray:
        m.opt.integrator, m.opt.timestep = integrator, step
        d = corten.Data(m)
        d.qvel[:] = 1.0
        corten.step(m, d, round(0.1 / step))
        return np.concatenate([d.qpos, d.qvel])

    exact = after(0.1 / 512, Integrator.RK4)
    errors = [np.linalg.norm(after(0.1 / n) - exact) for n in (16, 32)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(ORDERS[integrator], abs=0.25)
