"""Constants at qpos0 and length ranges, against the reference's compiler, and after edits against its mj_setConst."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import corten
from corten.model.length_range import LengthRangeError, LengthRangeOptions, set_length_ranges

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.reference

CONSTANTS = (
    "body_subtreemass", "body_invweight0", "dof_M0", "dof_invweight0", "dof_length", "tendon_length0",
    "tendon_invweight0", "tendon_lengthspring", "actuator_length0", "actuator_acc0", "actuator_biasprm", "eq_data",
    "cam_pos0", "cam_poscom0", "cam_mat0", "light_pos0", "light_poscom0", "light_dir0",
    "stat.meaninertia", "stat.meanmass", "stat.meansize", "stat.extent", "stat.center",
)  # fmt: skip
COMPILED = (*CONSTANTS, "dof_damping", "jnt_stiffness", "actuator_lengthrange")
SHARED = (
    "dm_control/finger.xml", "dm_control/fish.xml", "dm_control/quadruped.xml", "dm_control/stacker.xml",
    "menagerie/agility_cassie/cassie.xml", "menagerie/robotiq_2f85/2f85.xml", "menagerie/shadow_hand/left_hand.xml",
    "menagerie/skydio_x2/x2.xml", "mujoco/humanoid/humanoid.xml", "mujoco/slider_crank/slider_crank.xml",
    "mujoco/tendon_arm/arm26.xml", "mujoco/replicate/particle_free2d.xml",
)  # fmt: skip
ALL = """
<mujoco>
  <compiler autolimits="true"><lengthrange mode="all" inttotal="20"/></compiler>
  <default><equality solref=".01 1"/></default>
  <worldbody>
    <geom type="plane" size="3 2 .1"/>
    <camera name="still" pos="1 2 3" euler="10 20 30"/>
    <light pos="1 1 2" dir="0 .3 -1"/>
    <site name="hook" pos="0 0 1.5"/>
    <body name="post"><geom size=".1" mass="2"/></body>
    <body name="root" pos="0 0 1">
      <joint name="x" type="slide" axis="1 0 0" range="-1 1"/>
      <geom type="box" size=".2 .1 .1" mass="1"/>
      <body name="arm" pos=".3 0 .1" euler="0 20 10">
        <joint name="ball" type="ball" springdamper=".2 1.1"/>
        <geom type="capsule" fromto="0 0 0 .3 0 0" size=".04"/>
        <site name="grip" pos=".2 .1 0"/>
        <camera name="follow" mode="trackcom" target="hand" pos=".1 0 .2" euler="5 6 7"/>
        <light mode="targetbodycom" target="root" pos=".1 .2 .3" dir="1 0 0"/>
        <body name="hand" pos=".35 0 0">
          <joint name="turn" axis="0 1 .2" springdamper=".1 .9" armature=".01" range="-60 80"/>
          <geom type="ellipsoid" size=".05 .08 .1"/>
          <site name="tip" pos="0 0 .12"/>
        </body>
      </body>
    </body>
    <body name="loose" pos="1 1 1"><freejoint/><geom type="cylinder" size=".1 .2"/></body>
    <body name="flat" pos="-1 1 1">
      <joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><geom size=".1"/>
    </body>
  </worldbody>
  <tendon>
    <spatial name="rope" stiffness="3" armature=".3"><site site="hook"/><site site="grip"/><site site="tip"/></spatial>
    <fixed name="gear" springlength=".1 .3" range="-1 2">
      <joint joint="turn" coef="2"/><joint joint="x" coef="-1"/>
    </fixed>
  </tendon>
  <actuator>
    <position joint="turn" kp="30" dampratio="1.3" gear="2"/>
    <position tendon="gear" kp="10" dampratio=".7"/>
    <muscle joint="turn"/>
    <muscle tendon="gear" lengthrange="-.7 1.5"/>
    <motor joint="x"/>
  </actuator>
  <equality>
    <connect body1="hand" body2="loose" anchor=".1 .2 .3"/>
    <connect site1="tip" site2="hook"/>
    <weld body1="arm" body2="post"/>
    <weld body1="arm" body2="loose" relpose=".1 .2 .3 2 0 0 2"/>
    <weld body1="hand"/>
  </equality>
</mujoco>
"""


def disagreements(m: corten.Model, mm: Any, names: tuple[str, ...], tolerance: float = 1e-9) -> dict[str, float]:
    """Fields that differ by more than the tolerance, relative to their largest number."""
    found = {}
    for name in names:
        ours = m.array(name)
        theirs = np.asarray(getattr(mm.stat, name[5:]) if name.startswith("stat.") else getattr(mm, name))
        error = float(np.max(np.abs(ours - theirs.reshape(ours.shape)), initial=0))
        if not error <= tolerance * max(1e-6, float(np.max(np.abs(theirs), initial=0))):
            found[name] = error
    return found


@pytest.fixture(scope="module")
def pair() -> tuple[corten.Model, Any]:
    return corten.Model.from_xml_string(ALL), mujoco.MjModel.from_xml_string(ALL)


def test_everything_in_one_model(pair: tuple[corten.Model, Any]) -> None:
    assert disagreements(*pair, tuple(n for n in COMPILED if n != "actuator_lengthrange")) == {}


@pytest.mark.parametrize("name", SHARED)
def test_shared_models(shared_models: Path, name: str) -> None:
    path = shared_models / name
    m, mm = corten.Model.from_xml_path(path), mujoco.MjModel.from_xml_path(str(path))
    assert disagreements(m, mm, COMPILED) == {}


def test_after_edits() -> None:
    """Masses, frames, gears, spring lengths and damping ratios are changed in both engines."""
    m, mm = corten.Model.from_xml_string(ALL), mujoco.MjModel.from_xml_string(ALL)
    for x in (m, mm):
        x.body_mass[3:] *= 1.7
        x.body_inertia[3:] *= 1.7
        x.body_pos[4] += (0.1, -0.2, 0.05)
        x.dof_armature[0] += 0.3
        x.actuator_gear[0, 0] = 3.0
        x.actuator_biasprm[0, 2] = 0.9
        x.tendon_lengthspring[0] = -1
        x.cam_pos[1] += 0.1
        x.eq_data[2, 6:10] = 0.0
    corten.set_const(m)
    mujoco.mj_setConst(mm, mujoco.MjData(mm))
    assert disagreements(m, mm, CONSTANTS) == {}


def test_where_inertia_is_singular_nothing_is_defined() -> None:
    """Three joints in one plane."""
    joints = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "1 1 0"))
    xml = f'<mujoco><worldbody><body>{joints}<geom size=".1" mass="1"/></body></worldbody></mujoco>'
    m, mm = corten.Model.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    for field in ("dof_invweight0", "body_invweight0"):
        np.testing.assert_array_equal(getattr(m, field), getattr(mm, field))
    assert np.isnan(m.dof_invweight0).all()


def test_constants_of_a_model_without_dofs() -> None:
    xml = '<mujoco><worldbody><body pos="1 2 3"><geom size=".1"/></body></worldbody></mujoco>'
    m, mm = corten.Model.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    assert disagreements(m, mm, CONSTANTS) == {}


@pytest.mark.plain
def test_statistics_of_the_file_win() -> None:
    xml = """<mujoco><statistic meaninertia="3" extent="7"/>
      <worldbody><body><joint/><geom size=".1"/></body></worldbody></mujoco>"""
    m, mm = corten.Model.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    assert (m.stat.meaninertia, m.stat.extent) == (3.0, 7.0)
    assert disagreements(m, mm, CONSTANTS) == {}


PULLED = """
<mujoco>
  <compiler angle="radian"><lengthrange {options}/></compiler>
  <option integrator="{integrator}"/>
  <worldbody>
    <site name="w" pos="0 0 1"/>
    <body pos=".3 0 0">
      <joint name="a" axis="0 1 0" {limit}/>
      <geom size=".1" pos=".3 0 0"/>
      <site name="s" pos=".4 0 0.1"/>
    </body>
  </worldbody>
  <tendon>
    <spatial name="x" {tendon_limit}><site site="w"/><site site="s"/></spatial>
  </tendon>
  <actuator>
    <muscle tendon="x"/>
    <general cranksite="s" slidersite="w" cranklength="0.2"/>
  </actuator>
</mujoco>
"""


@pytest.mark.parametrize(
    ("options", "limit", "tendon_limit", "integrator"),
    [
        ('mode="muscle"', "", "", "Euler"),
        ('mode="all"', "", "", "Euler"),
        ('mode="all"', "", "", "implicit"),
        ('mode="all"', "", "", "implicitfast"),
        ('mode="all"', "", "", "RK4"),
        ('mode="none"', "", "", "Euler"),
        ('mode="all" accel="40" timeconst=".5" timestep=".005" inttotal="15" interval="1"', "", "", "Euler"),
        ('mode="all" maxforce="2"', "", "", "Euler"),
        ('mode="muscle"', 'limited="true" range="-.5 .7"', "", "Euler"),
        ('mode="muscle" uselimit="true"', "", 'limited="true" range=".7 1.3"', "Euler"),
    ],
)
def test_length_ranges(options: str, limit: str, tendon_limit: str, integrator: str) -> None:
    xml = PULLED.format(options=options, limit=limit, tendon_limit=tendon_limit, integrator=integrator)
    m, mm = corten.Model.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    np.testing.assert_allclose(m.actuator_lengthrange, mm.actuator_lengthrange, rtol=0, atol=1e-8)
    assert m.opt.timestep == mm.opt.timestep
    assert m.opt.disableflags == mm.opt.disableflags


def test_a_range_is_that_of_the_geometry() -> None:
    """A rope from a point to one on a circle is shortest and longest on the line through the circle's centre."""
    xml = PULLED.format(options='mode="muscle"', limit="", tendon_limit="", integrator="Euler")
    m = corten.Model.from_xml_string(xml)
    to_centre, radius = np.hypot(0.3, 1.0), np.hypot(0.4, 0.1)
    np.testing.assert_allclose(m.actuator_lengthrange[0], (to_centre - radius, to_centre + radius), rtol=1e-4)


def test_a_search_that_does_not_rest_is_an_error() -> None:
    """A joint without limits turns for ever; the message says which actuator it is, and where."""
    xml = """<mujoco>
      <worldbody><body><joint name="a"/><geom size=".1" pos=".1 0 0"/></body></worldbody>
      <actuator><muscle name="m" joint="a"/></actuator></mujoco>"""
    with pytest.raises(corten.MjcfError, match=r":3: <muscle> actuator 0: .*not come to rest"):
        corten.Model.from_xml_string(xml)
    with pytest.raises(ValueError, match="Lengthrange computation did not converge"):
        mujoco.MjModel.from_xml_string(xml)


def test_length_ranges_after_loading(pair: tuple[corten.Model, Any]) -> None:
    """Existing ranges are kept unless asked otherwise."""
    m = pair[0]
    before = np.array(m.actuator_lengthrange)
    m.actuator_lengthrange[:2] = 0.0
    m.actuator_lengthrange[3] = (-0.5, 1.0)
    set_length_ranges(m)
    np.testing.assert_array_equal(m.actuator_lengthrange[:2], 0.0)
    np.testing.assert_array_equal(m.actuator_lengthrange[2], before[2])
    np.testing.assert_array_equal(m.actuator_lengthrange[3], (-0.5, 1.0))
    set_length_ranges(m, LengthRangeOptions(useexisting=0))
    assert m.actuator_lengthrange[3, 1] != 1.0
    m.actuator_lengthrange[:] = 0.0
    with pytest.raises(LengthRangeError, match="unstable"):
        set_length_ranges(m, LengthRangeOptions(accel=1e9))


def test_limits_as_length_ranges() -> None:
    """The limits are those of the target only for the first actuator, as in the reference."""
    bodies = "".join(
        f'<body pos="{i} 0 0"><joint name="j{i}" range="{-9 * i - 5} {7 * i + 8}"/><geom size=".1" pos="1 0 0"/></body>'
        for i in range(5)
    )
    actuators = "".join(f'<muscle joint="j{i}"/>' for i in range(5))
    xml = f"""<mujoco><compiler><lengthrange uselimit="true"/></compiler><worldbody>{bodies}</worldbody>
      <actuator>{actuators}</actuator></mujoco>"""
    m, mm = corten.Model.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    np.testing.assert_allclose(m.actuator_lengthrange, mm.actuator_lengthrange, rtol=0, atol=1e-8)
    np.testing.assert_array_equal(m.actuator_lengthrange[[0, 2, 4]], m.jnt_range[[0, 1, 2]])
