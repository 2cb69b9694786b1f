"""Actuators against the reference: every dynamics, gain, bias, limit, flag, group and delay, in every element type."""

from __future__ import annotations

import numpy as np
import pytest
from actuated import ARM, controls, reference, relative_error, run_both
from elements import assert_same_bits, centred_difference, computed_fields, set_worlds

import corten
from corten.kernel.record import Element
from corten.model.data import block
from corten.model.enums import DisableBit, Warning
from corten.physics import step as stages

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.reference

COMPARED = ("act", "act_dot", "actuator_force", "qfrc_actuator", "qpos", "qvel")
ACTUATORS = {
    "motor": '<motor joint="a" ctrlrange="-.5 .5" gear="2"/>',
    "motor unlimited": '<motor joint="a" ctrlrange="-.5 .5" ctrllimited="false"/>',
    "position": '<position joint="c" kp="20" kv="1"/>',
    "position filtered": '<position joint="c" kp="20" dampratio="1" timeconst=".03"/>',
    "velocity": '<velocity joint="b" kv="3"/>',
    "intvelocity": '<intvelocity joint="b" kp="3" actrange="-.01 .02"/>',
    "damper": '<damper joint="a" kv="2" ctrlrange="0 1"/>',
    "cylinder": '<cylinder joint="c" timeconst=".1" area="2" bias="1 2 3"/>',
    "integrator": '<general joint="a" dyntype="integrator" gainprm="3"/>',
    "integrator limited": '<general joint="a" dyntype="integrator" actrange="-.01 .02" actlimited="true" gainprm="3"/>',
    "integrator early": '<general joint="a" dyntype="integrator" actrange="-.01 .02" gainprm="30" actearly="true"/>',
    "filter": '<general joint="b" dyntype="filter" dynprm=".1" gainprm="3"/>',
    "filter early": '<general joint="b" dyntype="filter" dynprm=".1" gainprm="3" actearly="true"/>',
    "filterexact": '<general joint="b" dyntype="filterexact" dynprm=".03" gainprm="3"/>',
    "filterexact early": '<general joint="b" dyntype="filterexact" dynprm=".003" gainprm="3" actearly="true"/>',
    "affine": '<general joint="b" gainprm="3 1 2" gaintype="affine" biastype="affine" biasprm="1 2 3"/>',
    "force limited": '<motor joint="b" gear="5" forcerange="-.5 .4"/>',
    "user, without callbacks": '<general joint="a" dyntype="user" gaintype="user" biastype="user" actdim="2"/>',
    "three at a joint": '<motor joint="a"/><motor joint="a" gear="-3"/><position joint="a" kp="2"/>',
}
DELAYED = '<motor joint="a" delay="{delay}" nsample="4" interp="{interp}" ctrlrange="-.8 .8"/>'


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast"])
@pytest.mark.parametrize("actuators", ACTUATORS.values(), ids=ACTUATORS)
def test_trajectories_agree(actuators: str, integrator: str) -> None:
    run_both(ARM.format(actuators=actuators, integrator=integrator), COMPARED, steps=40)


@pytest.mark.plain
def test_a_filter_without_time_constant_follows_at_once() -> None:
    actuators = '<general joint="b" dyntype="filterexact" dynprm="0" gainprm="3"/>'
    run_both(ARM.format(actuators=actuators, integrator="Euler"), COMPARED, steps=10)


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
@pytest.mark.parametrize("interp", ["zoh", "linear", "cubic"])
@pytest.mark.parametrize("delay", [0.005, 0.0085, 0.02, 0.031])
def test_delayed_controls_agree(delay: float, interp: str, integrator: str) -> None:
    """Whole and broken multiples of the step, and more than the buffer holds."""
    xml = ARM.format(actuators=DELAYED.format(delay=delay, interp=interp), integrator=integrator)
    run_both(xml, (*COMPARED, "history"), steps=30)


@pytest.mark.plain
def test_insertions_out_of_order_agree() -> None:
    """Time that is set back inserts among, at, and before the samples that there are."""
    xml = ARM.format(actuators=DELAYED.format(delay=0.011, interp="cubic"), integrator="Euler")
    m, d, mm, md = reference(xml)
    for time in (0.1, 0.05, 0.0725, 0.0725, 0.08, 0.0, 0.3, 0.01):
        d.time = md.time = time
        d.ctrl[:] = md.ctrl[:] = time + 1.0
        corten.step(m, d)
        mujoco.mj_step(mm, md)
        np.testing.assert_allclose(d.history, md.history, rtol=0, atol=1e-14)
        assert relative_error(d.actuator_force, md.actuator_force) < 1e-12


@pytest.mark.parametrize("flag", [DisableBit.ACTUATION, DisableBit.CLAMPCTRL, DisableBit.GRAVITY])
def test_flags_agree(flag: DisableBit) -> None:
    xml = ARM.format(actuators="".join(ACTUATORS.values()), integrator="Euler")
    run_both(xml, (*COMPARED, "actuator_velocity"), steps=20, disable=flag)


@pytest.mark.plain
@pytest.mark.parametrize("groups", [0, 0b1, 0b1000, 0b1001, -1])
def test_groups_agree(groups: int) -> None:
    """Actuators of groups that are switched off give no force, and their activations rest."""
    actuators = "".join(
        f'<general joint="a" dyntype="{dyn}" gainprm="3" group="{group}" actlimited="true" actrange="-.1 .1"/>'
        for group in (0, 3, 31, 40)
        for dyn in ("filter", "integrator")
    )
    run_both(ARM.format(actuators=actuators, integrator="Euler"), COMPARED, steps=20, disableactuator=groups)


@pytest.mark.plain
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 2e10])
@pytest.mark.parametrize("which", [0, 1])
def test_a_bad_control_stops_all(bad: float, which: int) -> None:
    """As in the reference: infinity is bad only where no range makes it finite."""
    actuators = '<motor joint="a"/><motor joint="b" ctrlrange="-1 1"/><motor joint="c"/>'
    m, d, mm, md = reference(ARM.format(actuators=actuators, integrator="Euler"))
    d.ctrl[:] = md.ctrl[:] = 0.5
    d.ctrl[which] = md.ctrl[which] = bad
    for _ in range(2):
        corten.forward(m, d)
        mujoco.mj_forward(mm, md)
    np.testing.assert_array_equal(d.actuator_force, md.actuator_force)
    theirs = md.warning[mujoco.mjtWarning.mjWARN_BADCTRL]
    assert d.warning_number[Warning.BADCTRL] == theirs.number
    assert d.warning_lastinfo[Warning.BADCTRL] == theirs.lastinfo


@pytest.mark.parametrize("width", [2, 4, 8])
def test_lanes_are_worlds(width: int) -> None:
    """Different states, controls, delays in each lane; one world has a bad control, the others do not notice."""
    actuators = "".join(ACTUATORS.values()) + DELAYED.format(delay=0.0085, interp="cubic")
    m = corten.Model.from_xml_string(ARM.format(actuators=actuators, integrator="RK4"))
    rng = np.random.default_rng(1)
    worlds = [corten.Data(m) for _ in range(4)]
    for k, d in enumerate(worlds):
        d.qpos[:], d.qvel[:] = rng.normal(size=m.nq) * 0.3, rng.normal(size=m.nv)
        d.act[:], d.time = rng.normal(size=m.na), 0.1 * k
    lanes = block(m, Element("lanes", width))
    inputs = ("time", "qpos", "qvel", "act", "ctrl", "history")
    set_worlds(lanes, worlds, inputs)
    for number in range(5):
        for d in worlds:
            d.ctrl[:] = rng.normal(size=m.nu)
        worlds[1].ctrl[2] = np.nan if number == 3 else 0.1
        set_worlds(lanes, worlds, ("ctrl",))
        for d in worlds:
            corten.step(m, d)
        stages.step(m, lanes, 1)
        for lane in range(width):
            assert_same_bits(lanes, lane, worlds[lane % 4], [*inputs, *computed_fields(lanes)])
            assert (lanes.warning_number[:, lane] == worlds[lane % 4].warning_number).all()


@pytest.mark.parametrize("actuators", ACTUATORS.values(), ids=ACTUATORS)
def test_derivatives_of_a_step(actuators: str) -> None:
    """Of the next velocities and activations, by a control, an activation and a velocity, away from kinks."""
    m = corten.Model.from_xml_string(ARM.format(actuators=actuators, integrator="Euler"))
    rng = np.random.default_rng(2)
    start = corten.Data(m)
    start.qpos[:], start.qvel[:] = rng.normal(size=m.nq) * 0.3, rng.normal(size=m.nv)
    start.ctrl[:], start.act[:] = controls(m, rng) * 0.3, 0.005
    for name in ("ctrl", "qvel", *(["act"] if m.na else [])):

        def after(change: float, name: str = name) -> np.ndarray:
            d = start.copy()
            getattr(d, name)[0] += change
            corten.step(m, d)
            return np.concatenate([d.qvel, d.act, d.actuator_force])

        dual = block(m, Element("dual", 7))
        for field in ("qpos", "qvel", "ctrl", "act"):
            dual.array(field)[..., 0] = start.array(field)
        dual.array(name)[0, 1] = 1.0
        stages.step(m, dual, 1)
        exact = np.concatenate([dual.array(f)[:, 1] for f in ("qvel", "act", "actuator_force")])
        measured = centred_difference(after, 1e-4)
        np.testing.assert_allclose(exact, measured, rtol=1e-6, atol=1e-6 * np.abs(measured).max())


def test_derivative_of_a_delayed_control() -> None:
    """What was put into the buffer with a tangent comes out with it."""
    actuators = DELAYED.format(delay=0.0085, interp="linear")
    m = corten.Model.from_xml_string(ARM.format(actuators=actuators, integrator="Euler"))
    dual = block(m, Element("dual", 1))
    dual.ctrl[0] = (0.5, 1.0)
    stages.step(m, dual, 1)
    dual.ctrl[0] = (0.3, 0.0)
    stages.step(m, dual, 2)
    # the last step starts at 0.01, so it reads the control at 0.0015: 0.7 of that at 0, 0.3 of that at 0.005
    np.testing.assert_allclose(dual.actuator_force[0], (0.7 * 0.5 + 0.3 * 0.3, 0.7), rtol=1e-12)


def test_exact_filter_is_exact() -> None:
    """After any number of steps the activation is 1 - exp(-t / tau), however long the step."""
    xml = ARM.format(actuators=ACTUATORS["filterexact"], integrator="Euler")
    m = corten.Model.from_xml_string(xml)
    m.opt.timestep = 0.05
    d = corten.Data(m)
    d.ctrl[0] = 1.0
    corten.step(m, d, 4)
    np.testing.assert_allclose(d.act[0], 1.0 - np.exp(-0.2 / 0.03), rtol=1e-13)
