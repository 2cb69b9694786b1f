"""Delay buffers: their first contents, reading at any time, and setting a past, against the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from twins import INTEGRATORS, Twins

import corten
from corten.engine import SimulationError
from corten.utilities import init_ctrl_history, init_sensor_history, read_ctrl, read_sensor

mujoco = pytest.importorskip("mujoco")
pytestmark = [pytest.mark.reference, pytest.mark.plain]

XML = """
<mujoco>
  <option timestep="0.003"/>
  <worldbody>
    <body><joint name="a" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/>
      <body><joint name="b" type="ball"/><geom size=".1" pos=".2 0 0"/></body></body>
  </worldbody>
  <actuator>
    <motor name="plain" joint="a"/>
    <motor name="held" joint="a" delay=".0075" nsample="5" interp="zoh"/>
    <motor name="line" joint="a" delay=".0075" nsample="4" interp="linear"/>
    <motor name="cubic" joint="a" delay=".0075" nsample="6" interp="cubic"/>
  </actuator>
  <sensor>
    <ballangvel name="now" joint="b"/>
    <ballangvel name="late" joint="b" nsample="5" delay=".008" interp="linear"/>
    <ballangvel name="slow" joint="b" nsample="3" interval=".01 -.002"/>
    <ballangvel name="regular" joint="b" nsample="4" interval=".007" delay=".005" interp="cubic"/>
  </sensor>
  <keyframe><key time="0.5" ctrl="1 2 3 4"/></keyframe>
</mujoco>
"""
ACTUATORS, SENSORS = ("plain", "held", "line", "cubic"), ("now", "late", "slow", "regular")


@pytest.fixture
def pair() -> tuple[corten.Model, corten.Data, Any, Any]:
    """Both engines after some steps, so that the buffers have turned round."""
    m, mm = corten.Model.from_xml_string(XML), mujoco.MjModel.from_xml_string(XML)
    d, md = corten.Data(m), mujoco.MjData(mm)
    rng = np.random.default_rng(0)
    for _ in range(8):
        d.ctrl[:] = md.ctrl[:] = rng.normal(size=m.nu)
        corten.step(m, d)
        mujoco.mj_step(mm, md)
    return m, d, mm, md


def test_first_contents(pair: tuple[corten.Model, corten.Data, Any, Any]) -> None:
    """Of a new world, one that was reset, and one at a keyframe."""
    m, d, mm, md = pair
    fresh = mujoco.MjData(mm).history
    np.testing.assert_allclose(corten.Data(m).history, fresh, rtol=0, atol=1e-16)
    np.testing.assert_allclose(d.history, md.history, rtol=0, atol=1e-13)
    corten.reset(m, d)
    np.testing.assert_allclose(d.history, fresh, rtol=0, atol=1e-16)
    corten.reset(m, d, 0)
    mujoco.mj_resetDataKeyframe(mm, md, 0)
    np.testing.assert_allclose(d.history, md.history, rtol=0, atol=1e-16)


@pytest.mark.parametrize("interp", [-1, 0, 1, 2])
def test_reading_at_any_time(pair: tuple[corten.Model, corten.Data, Any, Any], interp: int) -> None:
    """Before, in, at samples of, and after what the buffers hold."""
    m, d, mm, md = pair
    for time in (*np.linspace(-0.01, 0.04, 37), *np.arange(10) * 0.003):
        for i, name in enumerate(ACTUATORS):
            theirs = mujoco.mj_readCtrl(mm, md, i, time, interp)
            np.testing.assert_allclose(read_ctrl(m, d, name, time, interp), theirs, rtol=1e-12, atol=1e-12)
        for i, name in enumerate(SENSORS):
            theirs = mujoco.mj_readSensor(mm, md, i, time, np.zeros(3), interp)
            np.testing.assert_allclose(read_sensor(m, d, name, time, interp), theirs.ravel(), rtol=1e-12, atol=1e-12)


def test_setting_a_past(pair: tuple[corten.Model, corten.Data, Any, Any]) -> None:
    m, d, mm, md = pair
    times, values = np.array([0.001, 0.004, 0.01, 0.02]), np.array([1.0, -2.0, 3.0, 0.5])
    init_ctrl_history(m, d, "line", times, values)
    mujoco.mj_initCtrlHistory(mm, md, 2, times, values)
    vectors = np.arange(12.0).reshape(4, 3)
    init_sensor_history(m, d, "regular", times, vectors, 0.013)
    mujoco.mj_initSensorHistory(mm, md, 3, times, vectors, 0.013)
    np.testing.assert_allclose(d.history, md.history, rtol=0, atol=1e-13)
    corten.step(m, d, 3)
    for _ in range(3):
        mujoco.mj_step(mm, md)
    np.testing.assert_allclose(d.history, md.history, rtol=0, atol=1e-12)


def test_a_past_at_the_times_there_are(pair: tuple[corten.Model, corten.Data, Any, Any]) -> None:
    """Values are in the order of time, wherever the newest sample sits in the ring."""
    m, d, _, _ = pair
    init_ctrl_history(m, d, "line", None, [1, 2, 3, 4])
    steps = [read_ctrl(m, d, "line", k * 0.003 + 0.0075) for k in range(4, 8)]
    np.testing.assert_allclose(steps, [1, 2, 3, 4], rtol=1e-12)


def test_refusals(pair: tuple[corten.Model, corten.Data, Any, Any]) -> None:
    m, d, _, _ = pair
    with pytest.raises(SimulationError, match="no delay buffer"):
        init_ctrl_history(m, d, "plain", None, [])
    with pytest.raises(ValueError, match="4 times are needed, each later"):
        init_ctrl_history(m, d, "line", [0, 1, 1, 2], [1, 2, 3, 4])
    with pytest.raises(ValueError, match="3 values where 4 samples of 1"):
        init_ctrl_history(m, d, "line", None, [1, 2, 3])
    with pytest.raises(ValueError, match="interp is 3"):
        read_ctrl(m, d, "line", 0.0, 3)
    with pytest.raises(SimulationError, match="wrong"):
        read_sensor(m, d, "wrong", 0.0)


@pytest.mark.parametrize("energy", ["enable", "disable"])
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("late", ["e_potential", "e_kinetic", "clock"])
def test_energies_that_are_reported_late(late: str, integrator: str, energy: str) -> None:
    """They are read within the step, which must not disturb it; those without a delay leave those with one alone."""
    source = f"""<mujoco><option><flag energy="{energy}"/></option><worldbody><body>
      <joint axis="0 1 0" damping="1"/><geom size=".1" pos=".2 0 0"/>
      <body><joint type="ball" stiffness="2"/><geom size=".1" pos=".2 0 0"/></body></body></worldbody>
      <sensor><e_potential/><e_kinetic/><{late} delay=".004" nsample="3"/></sensor></mujoco>"""
    twins = Twins(source, integrator=INTEGRATORS[integrator])
    twins.step(5)
    twins.assert_agree(("qpos", "qvel", "energy", "history"))
