"""Worlds with models of their own: each is the single world with those numbers, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import corten
from corten.batch.parameters import SHARED, expandable, why_shared
from corten.kernel import JIT
from corten.model.derived import MODEL
from corten.model.setconst import CONSTANTS

# One tree, so that islands make no difference; with joints, tendons, actuators, contacts and a medium.
ROBOT = """
<mujoco>
  <option timestep="0.004" density="2" viscosity=".01" wind=".1 0 0"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="held" mocap="true" pos="2 0 1"><geom type="sphere" size=".1" contype="0" conaffinity="0"/></body>
    <body name="torso" pos="0 0 .5">
      <freejoint/>
      <geom type="capsule" size=".08 .2" euler="5 10 0"/>
      <site name="torso"/>
      <body name="arm" pos="0 .2 .1" gravcomp=".5">
        <joint name="shoulder" axis="1 0 0" range="-60 60" damping=".1" stiffness=".5" frictionloss=".02"/>
        <geom type="box" size=".06 .08 .1" pos="0 .1 0" fluidshape="ellipsoid"/>
        <site name="elbow" pos="0 .2 0"/>
        <body name="hand" pos="0 .2 0">
          <joint name="elbow" axis="1 .2 0" range="-40 90" armature=".01"/>
          <joint name="wrist" type="ball" pos="0 .1 0" damping=".05" range="0 50"/>
          <geom type="ellipsoid" size=".04 .1 .05" pos="0 .1 0"/>
          <site name="tip" pos="0 .2 0"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial name="strap" stiffness="3" damping=".1" range=".1 .45" limited="true" frictionloss=".01">
      <site site="torso"/><site site="elbow"/><site site="tip"/>
    </spatial>
    <fixed name="coupled"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-.5"/></fixed>
  </tendon>
  <equality><tendon tendon1="coupled" solref=".05 1"/></equality>
  <actuator>
    <motor joint="shoulder" gear="2" ctrllimited="true" ctrlrange="-1 1"/>
    <position joint="elbow" kp="3" dampratio="1"/>
    <muscle tendon="strap" lengthrange=".1 .5" force="5"/>
    <general site="tip" refsite="torso" gear="0 0 1 0 .1 0" forcelimited="true" forcerange="-2 2"/>
    <intvelocity joint="shoulder" kp="2" actrange="-1 1"/>
  </actuator>
  <sensor><framepos objtype="site" objname="tip"/><tendonvel tendon="strap"/><force site="tip"/></sensor>
</mujoco>
"""
FIELDS = tuple(f.name for f in MODEL.fields if f.dtype == "real")
WORLDS = 6


def robots(*names: str) -> corten.Batch:
    m = corten.Model.from_xml_string(ROBOT)
    b = corten.Batch(m, WORLDS, threads=2, lanes=4)
    b.expand(*names)
    return b


def own(b: corten.Batch, name: str) -> np.ndarray:
    """The array of an expanded field."""
    prefix, _, rest = name.rpartition(".")
    array: np.ndarray = getattr(getattr(b, prefix), rest) if prefix else getattr(b, name)
    return array


def start(b: corten.Batch, seed: int = 0) -> list[tuple[corten.Model, corten.Data]]:
    """Worlds in states of their own, some on the floor, and single worlds with the same models and states."""
    rng = np.random.default_rng(seed)
    b.reset()
    b.qpos[:, 2] = rng.uniform(0.05, 0.4, WORLDS)
    b.qvel += 0.3 * rng.normal(size=b.qvel.shape)
    b.ctrl += rng.normal(size=b.ctrl.shape)
    singles = []
    for i in range(WORLDS):
        m = b.world_model(i)
        d = corten.Data(m)
        for name in ("qpos", "qvel", "ctrl", "mocap_pos", "mocap_quat"):
            d.array(name)[...] = getattr(b, name)[i]
        singles.append((m, d))
    return singles


def assert_same(b: corten.Batch, singles: list[tuple[corten.Model, corten.Data]], steps: int) -> None:
    b.step(steps)
    for i, (m, d) in enumerate(singles):
        corten.step(m, d, steps)
        for name in ("time", "qpos", "qvel", "act", "sensordata", "actuator_force", "qfrc_passive"):
            mine = getattr(b, name)[i]
            np.testing.assert_array_equal(mine, getattr(d, name), err_msg=f"{name} of world {i}")


@pytest.mark.plain
def test_everything_that_can_differ_differs() -> None:
    """All fields at once, each a few percent off in each world."""
    b = robots(*expandable())
    rng = np.random.default_rng(1)
    for name in b.expanded:
        own(b, name)[...] *= 1 + 0.03 * rng.normal(size=own(b, name).shape)
    assert_same(b, start(b), 50 if JIT else 3)


def test_what_is_zero_in_some_worlds_only() -> None:
    """Work that a single world without springs, dampers, friction or a medium leaves out changes nothing there."""
    b = robots(*expandable())
    for name in (
        "jnt_stiffness", "dof_damping", "dof_frictionloss", "tendon_stiffness", "tendon_damping", "tendon_frictionloss",
        "opt.density", "opt.viscosity", "body_gravcomp", "actuator_gear", "jnt_margin",
    ):  # fmt: skip
        own(b, name)[::2] = 0
    assert_same(b, start(b, 2), 50)


@pytest.mark.plain
def test_constants_follow_as_in_a_single_model() -> None:
    b = robots("body_mass", "body_inertia")
    rng = np.random.default_rng(3)
    scale = rng.uniform(0.5, 2, (WORLDS, b.model.nbody))
    b.body_mass *= scale
    b.body_inertia *= scale[..., None]
    b.set_const([0, 3])
    for i in (0, 3):
        m = b.model.copy()
        m.body_mass *= scale[i]
        m.body_inertia *= scale[i, :, None]
        corten.set_const(m)
        mine = b.world_model(i)
        for name in CONSTANTS:
            if why_shared(name) is None:
                np.testing.assert_array_equal(mine.array(name), m.array(name), err_msg=name)
    assert np.array_equal(b.world_model(1).dof_invweight0, b.model.dof_invweight0)
    assert {"dof_invweight0", "body_subtreemass", "stat.meaninertia"} <= set(b.expanded)
    assert not {"eq_data", "tendon_length0", "stat.extent"} & set(b.expanded)


def test_the_rest_of_the_model_is_shared() -> None:
    b = robots("opt.gravity")
    b.opt.gravity[2] = [0, 0, 5]
    b.opt.gravity = b.opt.gravity * 1.0
    b.model.body_gravcomp[:] = 0
    singles = start(b, 4)
    assert_same(b, singles, 20)
    assert singles[2][0].opt.gravity[2] == 5


def test_worlds_begin_where_their_models_say() -> None:
    b = robots(*expandable())
    b.qpos0[1, 7] = 0.3
    b.body_pos[:, 1] = np.arange(WORLDS)[:, None]
    b.reset()
    assert b.qpos[1, 7] == 0.3 and b.qpos[0, 7] == 0
    np.testing.assert_array_equal(b.mocap_pos[:, 0], b.body_pos[:, 1])
    b.qvel[1] = np.nan
    b.step()
    m = b.world_model(1)
    d = corten.Data(m)
    corten.step(m, d)
    np.testing.assert_array_equal(b.qpos[1], d.qpos)


def test_expanding_more_keeps_what_has_been_set() -> None:
    b = robots("dof_damping")
    b.dof_damping[3] = 7
    b.expand("dof_armature", "dof_damping")
    assert b.expanded == ("dof_armature", "dof_damping")
    assert np.all(b.dof_damping[3] == 7) and np.array_equal(b.dof_damping[0], b.model.dof_damping)
    b.dof_armature = 2.0
    assert np.all(b.world(5)._model.dof_armature == 2.0)


@pytest.mark.parametrize("name", ["geom_type", "nbody", "sensor_cutoff", "body_user", "opt.sor", "names"])
def test_what_can_not_differ_says_why(name: str) -> None:
    b = corten.Batch(corten.Model.from_xml_string(ROBOT), 2)
    with pytest.raises((corten.SimulationError, AttributeError), match=f"'{name}'"):
        b.expand(name)


def test_a_misspelt_field_is_suggested() -> None:
    b = corten.Batch(corten.Model.from_xml_string(ROBOT), 2)
    with pytest.raises(AttributeError, match="did you mean 'body_mass'"):
        b.expand("body_mas")


def test_every_reason_is_for_a_field() -> None:
    for pattern in SHARED:
        assert any(why_shared(f) == SHARED[pattern] for f in FIELDS), pattern
