"""Muscles: their curves against the reference's functions, their dynamics, and arms that they move."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from actuated import ARM, reference, relative_error, run_both
from elements import assert_same_bits, centred_difference, computed_fields, set_worlds

import corten
from corten.kernel.record import Element
from corten.model.data import block
from corten.model.enums import DisableBit
from corten.physics import step as stages

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.reference

PRM = ".75 1.05 5 200 .5 1.6 1.5 1.3 1.2"
MUSCLES = {
    "given force": '<muscle joint="a" lengthrange="-1 1.6" force="40"/>',
    "force from acc0": '<muscle joint="a" lengthrange="-1 1.6" scale="300" gear="2"/>',
    "smooth": '<muscle joint="c" lengthrange="-.5 .6" timeconst=".02 .05" tausmooth=".3" force="5"/>',
    "other curves": """<muscle joint="b" lengthrange="-.5 .6" range=".6 1.3" force="3" lmin=".2" lmax="1.9" vmax=".8"
        fpmax="2" fvmax="1.7"/>""",
    "early": f"""<general joint="b" lengthrange="-1 1" dyntype="muscle" dynprm=".01 .04" gaintype="muscle"
        biastype="muscle" gainprm="{PRM}" biasprm="{PRM}" actearly="true"/>""",
    "gain only": f'<general joint="b" lengthrange="-1 1" gaintype="muscle" gainprm="{PRM}"/>',
}
ONE = ARM.format(actuators='<muscle joint="c" lengthrange="-.5 .5" force="7" tausmooth="{}"/>', integrator="Euler")


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast"])
@pytest.mark.parametrize("actuators", MUSCLES.values(), ids=MUSCLES)
def test_trajectories_agree(actuators: str, integrator: str) -> None:
    fields = ("act", "act_dot", "actuator_force", "qpos", "qvel")
    run_both(ARM.format(actuators=actuators, integrator=integrator), fields, steps=40)


@pytest.mark.parametrize("smoothing", [0.0, 0.2, 1.0])
def test_rate_of_activation(smoothing: float) -> None:
    """On a grid of controls and activations, within and beyond [0, 1]."""
    m, d, _, _ = reference(ONE.format(smoothing))
    for ctrl in np.linspace(-0.5, 1.5, 9):
        for act in np.linspace(-0.4, 1.4, 10):
            d.ctrl[0] = ctrl
            d.act[0] = act
            corten.forward(m, d)
            expected = mujoco.mju_muscleDynamics(ctrl, act, m.actuator_dynprm[0, :3])
            np.testing.assert_allclose(d.act_dot[0], expected, rtol=1e-13, atol=1e-13)


def test_force_on_a_grid() -> None:
    """All pieces of all three curves, their ends included."""
    m, d, _, _ = reference(ONE.format(0.0))
    prm, span, acc0 = m.actuator_gainprm[0, :9], m.actuator_lengthrange[0], float(m.actuator_acc0[0])
    d.act[0] = 0.7
    slide = int(m.jnt_qposadr[m.actuator_trnid[0, 0]])
    optimal = (span[1] - span[0]) / (prm[1] - prm[0])
    for normalised in (0.3, 0.5, 0.6, 0.75, 0.9, 1.0, 1.1, 1.3, 1.45, 1.6, 1.8):
        for speed in (-2.0, -1.0, -0.4, 0.0, 0.1, 0.2, 0.5):
            length = span[0] + (normalised - prm[0]) * optimal
            d.qpos[slide], d.qvel[slide] = length, speed * optimal * prm[6]
            corten.forward(m, d)
            gain = mujoco.mju_muscleGain(length, d.qvel[slide], span, acc0, prm)
            bias = mujoco.mju_muscleBias(length, span, acc0, prm)
            np.testing.assert_allclose(d.actuator_force[0], 0.7 * gain + bias, rtol=1e-12, atol=1e-12)


@pytest.mark.plain
def test_curves_have_the_shape_that_defines_them() -> None:
    """FL is 1 at optimal length and 0 at its ends; FV is 1 at rest; passive force starts at optimal length."""
    m, d, _, _ = reference(ONE.format(0.0))
    prm, span = m.actuator_gainprm[0], m.actuator_lengthrange[0]
    slide = int(m.jnt_qposadr[m.actuator_trnid[0, 0]])
    optimal = (span[1] - span[0]) / (prm[1] - prm[0])

    def force(normalised: float, speed: float, act: float) -> float:
        d.qpos[slide], d.qvel[slide] = span[0] + (normalised - prm[0]) * optimal, speed * optimal * prm[6]
        d.act[0] = act
        corten.forward(m, d)
        return float(d.actuator_force[0])

    peak, lmin, lmax, fpmax, fvmax = (prm[i] for i in (2, 4, 5, 7, 8))
    assert force(1.0, 0.0, 1.0) == pytest.approx(-peak)
    assert force(lmin, 0.0, 1.0) == pytest.approx(0.0, abs=1e-12)
    assert force(1.0, -1.0, 1.0) == pytest.approx(0.0, abs=1e-12)
    assert force(1.0, fvmax, 1.0) == pytest.approx(-fvmax * peak)
    assert force(0.9, 0.0, 0.0) == 0.0
    assert force(0.5 * (1.0 + lmax), 0.0, 0.0) == pytest.approx(-0.5 * fpmax * peak)
    assert force(lmax, 0.0, 0.0) == pytest.approx(-1.5 * fpmax * peak)


@pytest.mark.parametrize("integrator", range(4))
def test_arm_of_muscles(shared_models: Path, integrator: int) -> None:
    """A hundred steps of an arm with six muscles on wrapped tendons and with limited joints."""
    path = shared_models / "mujoco" / "tendon_arm" / "arm26.xml"
    m, mm = corten.Model.from_xml_path(path), mujoco.MjModel.from_xml_path(str(path))
    for option in (m.opt, mm.opt):
        option.integrator = integrator
        option.disableflags = DisableBit.CONSTRAINT
    d, md = corten.Data(m), mujoco.MjData(mm)
    rng = np.random.default_rng(0)
    for _ in range(100):
        d.ctrl[:] = md.ctrl[:] = rng.uniform(size=m.nu)
        corten.step(m, d)
        mujoco.mj_step(mm, md)
    for name in ("qpos", "qvel", "act", "actuator_force"):
        assert relative_error(getattr(d, name), getattr(md, name)) < 1e-8, name


@pytest.mark.parametrize("width", [2, 8])
def test_lanes_are_worlds(width: int) -> None:
    m = corten.Model.from_xml_string(ARM.format(actuators="".join(MUSCLES.values()), integrator="Euler"))
    rng = np.random.default_rng(3)
    worlds = [corten.Data(m) for _ in range(4)]
    for d in worlds:
        d.qpos[:], d.qvel[:] = rng.normal(size=m.nq) * 0.4, 2.0 * rng.normal(size=m.nv)
        d.act[:], d.ctrl[:] = rng.uniform(-0.2, 1.2, size=m.na), rng.normal(size=m.nu)
    lanes = block(m, Element("lanes", width))
    set_worlds(lanes, worlds, ("qpos", "qvel", "act", "ctrl"))
    stages.step(m, lanes, 5)
    for d in worlds:
        corten.step(m, d, 5)
    for lane in range(width):
        assert_same_bits(lanes, lane, worlds[lane % 4], ["qpos", "qvel", "act", *computed_fields(lanes)])


@pytest.mark.parametrize("actuators", MUSCLES.values(), ids=MUSCLES)
@pytest.mark.parametrize("name", ["qpos", "qvel", "act", "ctrl"])
def test_derivatives(actuators: str, name: str) -> None:
    """Of force and rate of activation, away from kinks."""
    m = corten.Model.from_xml_string(ARM.format(actuators=actuators, integrator="Euler"))
    if not m.na and name == "act":
        pytest.skip("has no activation")
    start = corten.Data(m)
    start.qpos[:], start.qvel[:] = (0.21, -0.13, 0.17), (0.4, -0.3, 0.2)
    start.act[:], start.ctrl[:] = 0.4, 0.45
    where = int(m.actuator_trnid[0, 0]) if name in ("qpos", "qvel") else 0

    def after(change: float) -> np.ndarray:
        d = start.copy()
        getattr(d, name)[where] += change
        corten.forward(m, d)
        return np.concatenate([d.actuator_force, d.act_dot])

    dual = block(m, Element("dual", 3))
    for field in ("qpos", "qvel", "act", "ctrl"):
        dual.array(field)[..., 0] = start.array(field)
    dual.array(name)[where, 2] = 1.0
    stages.forward(m, dual)
    exact = np.concatenate([dual.actuator_force[:, 2], dual.act_dot[:, 2]])
    measured = centred_difference(after, 1e-4)
    np.testing.assert_allclose(exact, measured, rtol=1e-6, atol=1e-6 * np.abs(measured).max())
