"""Calls of the engine: halves of a step, warnings, memory, objects of Data by name."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from mechanism import loaded, mechanism

import corten
from corten.model.enums import DisableBit, Integrator, Warning

FALLING = """
<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="target" mocap="true" pos="1 0 1"/>
    <body name="ball" pos="0 0 .09">
      <joint name="lift" type="slide" axis="0 0 1"/><joint name="turn" type="ball"/>
      <geom name="ball" size=".1"/><site name="top" pos="0 0 .1"/>
    </body>
  </worldbody>
  <tendon><fixed name="wire"><joint joint="lift" coef="2"/></fixed></tendon>
  <actuator>
    <motor name="push" joint="lift"/>
    <intvelocity name="hold" joint="lift" kp="1" actrange="-1 1"/>
  </actuator>
  <sensor><clock/><framepos name="where" objtype="site" objname="top"/></sensor>
</mujoco>
"""


def falling() -> tuple[corten.Model, corten.Data]:
    m = corten.Model.from_xml_string(FALLING)
    return m, corten.Data(m)


@pytest.mark.plain
@pytest.mark.parametrize("integrator", [i for i in Integrator if i != Integrator.RK4])
def test_two_halves_are_a_step(integrator: Integrator) -> None:
    m, d = falling()
    m.opt.integrator = integrator
    whole = d.copy()
    for _ in range(3):
        corten.step1(m, d)
        d.ctrl[:] = whole.ctrl[:] = -d.qvel[0] + 0.3
        corten.step2(m, d)
        corten.step(m, whole)
    assert d.ncon == 1
    for name in ("time", "qpos", "qvel", "act", "sensordata", "qacc_warmstart"):
        np.testing.assert_array_equal(d.array(name), whole.array(name), err_msg=name)


@pytest.mark.reference
@pytest.mark.parametrize("integrator", [Integrator.EULER, Integrator.RK4, Integrator.IMPLICITFAST])
def test_halves_are_those_of_the_reference(integrator: Integrator) -> None:
    """With Runge-Kutta too, where both fall back to Euler."""
    import mujoco

    twins = loaded(mechanism("<clock/>"))
    for m in (twins.m, twins.ref_m):
        m.opt.integrator = integrator
    for _ in range(4):
        corten.step1(twins.m, twins.d)
        mujoco.mj_step1(twins.ref_m, twins.ref_d)
        twins.d.ctrl[:] = twins.ref_d.ctrl[:] = -0.2 * twins.ref_d.actuator_velocity
        corten.step2(twins.m, twins.d)
        mujoco.mj_step2(twins.ref_m, twins.ref_d)
    np.testing.assert_allclose(twins.d.qpos, twins.ref_d.qpos, atol=1e-12)
    np.testing.assert_allclose(twins.d.qvel, twins.ref_d.qvel, atol=1e-10)


def test_halves_of_a_world_that_fails_begin_again() -> None:
    m, d = falling()
    corten.step1(m, d)
    d.qfrc_applied[0] = np.inf
    corten.step2(m, d)
    fresh = corten.Data(m)
    corten.step(m, fresh)
    np.testing.assert_array_equal(d.qpos, fresh.qpos)
    assert d.warning[Warning.BADQACC].number == 1


@pytest.mark.plain
@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ("qpos", Warning.BADQPOS),
        ("qvel", Warning.BADQVEL),
        ("qfrc_applied", Warning.BADQACC),
        ("ctrl", Warning.BADCTRL),
    ],
)
def test_a_warning_is_counted_and_logged(field: str, kind: Warning, caplog: pytest.LogCaptureFixture) -> None:
    m, d = falling()
    d.array(field)[0] = np.nan
    with caplog.at_level(logging.WARNING, "corten"):
        corten.step(m, d)
        d.ctrl[:] = 0
        corten.step(m, d)
    assert d.warning[kind].number == 1 and d.warning[kind].lastinfo == 0
    assert len(d.warning.given()) == 1
    assert [r.message.split(" (")[0] for r in caplog.records] == list(d.warning.given())
    assert np.isfinite(d.qpos).all()
    corten.reset(m, d)
    assert not d.warning.given()


def test_without_autoreset_the_numbers_stay() -> None:
    m, d = falling()
    m.opt.disableflags |= DisableBit.AUTORESET
    d.qvel[1] = np.nan
    corten.step(m, d)
    assert d.warning[Warning.BADQVEL].number == 1 and d.warning[Warning.BADQVEL].lastinfo == 1
    assert np.isnan(d.qvel).any()


@pytest.mark.plain
def test_objects_of_data_by_name() -> None:
    m, d = falling()
    d.joint("turn").qpos = [0, 1, 0, 0]
    d.joint("lift").qvel = 2.0
    d.actuator("push").ctrl = 0.5
    d.body("ball").xfrc_applied[2] = 3.0
    d.body("target").mocap_pos = [0, 0, 2]
    corten.forward(m, d)
    np.testing.assert_array_equal(d.qpos, [0, 0, 1, 0, 0])
    np.testing.assert_array_equal(d.qvel, [2, 0, 0, 0])
    np.testing.assert_array_equal(d.ctrl, [0.5, 0])
    assert d.xfrc_applied[2, 2] == 3
    np.testing.assert_array_equal(d.body("target").xpos, [0, 0, 2])
    assert d.tendon("wire").velocity == 4.0 and d.actuator("push").velocity == 2.0
    np.testing.assert_allclose(d.sensor("where").data, d.site("top").xpos)
    assert d.actuator("hold").act_dot.shape == (1,) and not hasattr(d.actuator("push"), "act")
    assert d.geom("ball").id == 1 and "qacc" in dir(d.joint(0))
    with pytest.raises(AttributeError, match="joint 'lift' has no field 'qpso' \\(did you mean 'qpos'"):
        _ = d.joint("lift").qpso
    with pytest.raises(KeyError, match="no joint 'lfit'"):
        d.joint("lfit")


def test_memory_grows_in_the_middle_of_many_steps() -> None:
    """Nothing is dropped: the result is that of a Data that has had room from the start."""
    balls = "".join(
        f'<body pos="{0.15 * i} 0 {0.3 + 0.02 * i}"><freejoint/><geom size=".1"/></body>' for i in range(40)
    )
    m = corten.Model.from_xml_string(
        f'<mujoco><worldbody><geom type="plane" size="9 9 1"/>{balls}</worldbody></mujoco>'
    )
    grown, ample = corten.Data(m), corten.Data(m)
    ample.grow({name: 20 * (size + 50) for name, size in ample.capacities.items() if name != "stat_cap"})
    before = grown.capacities
    corten.step(m, grown, 200)
    corten.step(m, ample, 200)
    assert grown.capacities != before
    np.testing.assert_array_equal(grown.qpos, ample.qpos)
