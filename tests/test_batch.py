"""Batches: fields, resets, failures; the same bits whatever the width, the place, the neighbours, the threads."""

from __future__ import annotations

import numpy as np
import pytest
from random_models import random_mjcf, randomise

import corten
from corten.kernel import JIT
from corten.model.contacts import NAMES
from corten.model.enums import DisableBit, Warning

compiled = pytest.mark.skipif(not JIT, reason="about lanes")
SCENE = """
<mujoco>
  <option timestep="0.004"><flag island="disable"/></option>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="mocap" mocap="true" pos="2 0 1"><geom type="sphere" size=".1" contype="0" conaffinity="0"/></body>
    <body pos="0 0 .5">
      <freejoint/>
      <geom type="capsule" size=".08 .2"/>
      <body pos="0 .2 .1">
        <joint name="hinge" axis="1 0 0" range="-60 60" damping=".1"/>
        <geom type="box" size=".06 .08 .1" pos="0 .1 0"/>
        <site name="tip" pos="0 .2 0"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="hinge" gear="2"/></actuator>
  <sensor><framepos objtype="site" objname="tip"/><jointvel joint="hinge"/></sensor>
  <keyframe><key name="up" time="3" qpos="0 0 2 1 0 0 0 .3" ctrl=".5"/></keyframe>
</mujoco>
"""


def scene() -> corten.Model:
    return corten.Model.from_xml_string(SCENE)


def worlds_of(m: corten.Model, count: int, seed: int = 0) -> list[corten.Data]:
    rng = np.random.default_rng(seed)
    worlds = [corten.Data(m) for _ in range(count)]
    for d in worlds:
        randomise(m, d, rng)
        d.qpos[2] = rng.uniform(0.1, 1.0)  # some lie in the floor, some fall
        d.qfrc_applied[:] = 0
        d.xfrc_applied[:] = 0
    return worlds


def batch_of(m: corten.Model, worlds: list[corten.Data], **how: int) -> corten.Batch:
    b = corten.Batch(m, len(worlds), **how)
    for i, d in enumerate(worlds):
        b.set_world(i, d)
    return b


def assert_worlds_equal(b: corten.Batch, worlds: list[corten.Data]) -> None:
    for i, d in enumerate(worlds):
        for name in ("time", "qpos", "qvel", "qacc_warmstart", "sensordata"):
            np.testing.assert_array_equal(getattr(b, name)[i], getattr(d, name), err_msg=f"{name} of world {i}")


@compiled
@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_bits_do_not_depend_on_size_place_neighbours_threads(lanes: int) -> None:
    """Contacts come and go in some lanes only."""
    m = scene()
    worlds = worlds_of(m, 11)
    orders = [list(range(11)), list(range(10, -1, -1)), [3], [7, 2, 9]]
    batches = [batch_of(m, [worlds[i] for i in o], lanes=lanes, threads=1 + k % 2) for k, o in enumerate(orders)]
    counts = set()
    for _ in range(10):
        for d in worlds:
            corten.step(m, d, 15)
            counts.add(d.ncon)
        for b, order in zip(batches, orders, strict=True):
            b.step(15)
            assert_worlds_equal(b, [worlds[i] for i in order])
    assert len(counts) > 2


@compiled
@pytest.mark.parametrize("lanes", [2, 4])
@pytest.mark.parametrize("cone", [0, 1], ids=["pyramidal", "elliptic"])
def test_contacts_of_a_world_are_those_of_a_single_world(cone: int, lanes: int) -> None:
    """Worlds of one block are in different contacts, which appear and vanish in some of them only."""
    m = corten.Model.from_xml_string(random_mjcf(5, bodies=6, floor=True))
    m.opt.cone = cone
    m.opt.disableflags |= DisableBit.ISLAND
    worlds = worlds_of(m, 7, 5)
    b = batch_of(m, worlds, lanes=lanes)
    seen = set()
    for _ in range(4):
        b.step(25)
        for i, d in enumerate(worlds):
            corten.step(m, d, 25)
            mine = b.contact(i)
            assert len(mine) == b.ncon[i] == d.ncon
            seen.add(int(d.ncon))
            for name in NAMES:
                np.testing.assert_array_equal(getattr(mine, name), getattr(d.contact, name), err_msg=name)
    assert len(seen) > 2


def test_fields_that_a_batch_can_not_show_say_where_to_look() -> None:
    b = corten.Batch(scene(), 3)
    b.forward()
    assert b.ncon.shape == (3,)
    with pytest.raises(AttributeError, match=r"contact\(i\)"):
        _ = b.contact_dist
    for name in ("nefc", "efc_J", "efc_type", "H_factor", "nconcap", "slot_on", "steps_done"):
        with pytest.raises(AttributeError, match=rf"world\(i\)\.{name}"):
            getattr(b, name)
    with pytest.raises(AttributeError, match="no attribute or field 'qposs'"):
        _ = b.qposs
    with pytest.raises(AttributeError, match="can not be assigned"):
        b.xpos = 0
    with pytest.raises(ValueError, match="read-only"):
        b.xpos[0] = 1
    with pytest.raises(IndexError, match="world 3 of 3"):
        b.contact(3)


def test_a_world_is_a_copy_with_everything_computed() -> None:
    m = scene()
    worlds = worlds_of(m, 3)
    b = batch_of(m, worlds)
    b.userdata[...] = 1.0
    b.mocap_pos[1] = [[1, 2, 3]]
    b.step(5)
    d = b.world(1)
    np.testing.assert_array_equal(d.mocap_pos, [[1, 2, 3]])
    np.testing.assert_array_equal(d.qpos, b.qpos[1])
    b.forward()
    np.testing.assert_array_equal(d.qacc, b.qacc[1])
    d.qpos[:] = 0
    assert b.qpos[1].any()


# -- resets and states -----------------------------------------------------------------------------------------------


def test_reset_by_mask_by_numbers_and_to_a_keyframe() -> None:
    m = scene()
    b = batch_of(m, worlds_of(m, 6))
    b.step(3)
    before = b.qpos.copy()
    b.reset([1, -1])
    fresh = corten.Data(m)
    for i in (1, 5):
        np.testing.assert_array_equal(b.qpos[i], fresh.qpos)
        assert not b.qvel[i].any() and b.time[i] == 0 and not b.ctrl[i].any()
    b.reset(np.array([True, False, False, False, True, False]), "up")
    for i in (0, 4):
        assert b.qpos[i, 2] == 2 and b.time[i] == 3 and b.ctrl[i, 0] == 0.5
    for i in (2, 3):
        np.testing.assert_array_equal(b.qpos[i], before[i])
    b.reset(4)
    np.testing.assert_array_equal(b.qpos[4], fresh.qpos)
    b.reset([])
    assert b.time[0] == 3
    b.reset()
    assert (b.qpos == fresh.qpos).all() and not b.time.any()


def test_a_reset_that_makes_no_sense_is_refused() -> None:
    b = corten.Batch(scene(), 3)
    with pytest.raises(corten.SimulationError, match=r"mask of shape \(2,\) for 3 worlds"):
        b.reset([True, False])
    with pytest.raises(corten.SimulationError, match="not by float64"):
        b.reset([0.5])
    with pytest.raises(IndexError, match="of 3"):
        b.reset([3])
    with pytest.raises(corten.SimulationError, match="down"):
        b.reset(None, "down")


@compiled
@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_resets_in_the_middle_leave_no_trace(lanes: int) -> None:
    """After a reset a world goes on as a fresh one does, and its neighbours as if nothing had been."""
    m = scene()
    worlds = worlds_of(m, 6)
    b = batch_of(m, worlds, lanes=lanes)
    b.step(40)
    for d in worlds:
        corten.step(m, d, 40)
    b.reset([0, 5])
    for i in (0, 5):
        corten.reset(m, worlds[i])
    b.step(40)
    for d in worlds:
        corten.step(m, d, 40)
    assert_worlds_equal(b, worlds)


@pytest.mark.parametrize("parts", [corten.State.FULLPHYSICS, corten.State.INTEGRATION, corten.State.USER])
def test_states_are_those_of_single_worlds(parts: corten.State) -> None:
    m = scene()
    worlds = worlds_of(m, 5)
    b = batch_of(m, worlds)
    b.mocap_pos[2] = 4
    worlds[2].mocap_pos[:] = 4
    states = b.get_state(parts)
    np.testing.assert_array_equal(states, [corten.get_state(d, parts) for d in worlds])
    other = corten.Batch(m, 5)
    other.set_state(states, parts)
    np.testing.assert_array_equal(other.get_state(parts), states)
    other.set_state(states[3], parts)
    np.testing.assert_array_equal(other.get_state(parts), np.tile(states[3], (5, 1)))
    with pytest.raises(corten.SimulationError, match="is needed"):
        b.set_state(states[:, 1:], parts)
    with pytest.raises(corten.SimulationError, match="is needed"):
        b.set_state(states[:2], parts)


# -- failures --------------------------------------------------------------------------------------------------------


@compiled
@pytest.mark.parametrize(
    ("field", "kind"),
    [("qpos", Warning.BADQPOS), ("qvel", Warning.BADQVEL), ("qfrc_applied", Warning.BADQACC)],
    ids=lambda x: getattr(x, "name", x),
)
@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_a_world_that_fails_begins_again_and_its_neighbours_do_not_notice(
    field: str, kind: Warning, lanes: int
) -> None:
    m = scene()
    worlds = worlds_of(m, 8)
    b = batch_of(m, worlds, lanes=lanes)
    b.step(10)
    getattr(b, field)[3, 0] = np.nan
    b.step(10)
    for d in worlds:
        corten.step(m, d, 10)
    getattr(worlds[3], field)[0] = np.nan
    for d in worlds:
        corten.step(m, d, 10)
    assert_worlds_equal(b, worlds)
    np.testing.assert_array_equal(b.ctrl[3], worlds[3].ctrl)
    assert np.isfinite(b.qfrc_applied).all()
    expected = np.zeros((8, 8), int)
    expected[3, kind] = 1
    np.testing.assert_array_equal(b.warning_number, expected)
    b.qpos[3, 2] = np.inf
    b.step()
    assert b.warning_number[3, Warning.BADQPOS] == 1 + (kind == Warning.BADQPOS)
    assert b.warning_lastinfo[3, Warning.BADQPOS] == 2
    b.reset(3)
    assert not b.warning_number.any()


# -- rollouts --------------------------------------------------------------------------------------------------------


def stepped(m: corten.Model, d: corten.Data, controls: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What a rollout must give of one world."""
    states, sensors = [], []
    for ctrl in controls:
        d.ctrl[:] = ctrl
        corten.step(m, d)
        states.append(corten.get_state(d))
        sensors.append(d.sensordata.copy())
    return np.array(states), np.array(sensors)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_rollout_is_what_steps_give(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over several chunks, the last of them smaller."""
    monkeypatch.setattr("corten.batch.rollout.AT_ONCE", 8)
    monkeypatch.setattr("corten.batch.rollout.CHUNKS", 1)
    m = scene()
    count, nstep = (37, 20) if JIT else (2, 2)
    worlds = worlds_of(m, count)
    controls = np.random.default_rng(1).uniform(-1, 1, (count, nstep, m.nu))
    initial = np.array([corten.get_state(d) for d in worlds])
    done = []
    states, sensors = corten.rollout(
        m, initial, controls, threads=threads, progress=lambda n, total: done.append((n, total))
    )
    assert done[-1] == (count, count) and (not JIT or len(done) > 1)
    for i, d in enumerate(worlds):
        expected = stepped(m, d, controls[i])
        np.testing.assert_array_equal(states[i], expected[0])
        np.testing.assert_array_equal(sensors[i], expected[1])


def test_what_all_worlds_share_is_given_once() -> None:
    m = scene()
    nstep = 5 if JIT else 2
    worlds = worlds_of(m, 3)
    initial = np.array([corten.get_state(d) for d in worlds])
    plan = np.linspace(-1, 1, nstep)[:, None]
    full = corten.rollout(m, initial, np.tile(plan, (3, 1, 1)))[0]
    np.testing.assert_array_equal(corten.rollout(m, initial, plan)[0], full)
    one = corten.rollout(m, initial[1], np.tile(plan, (2, 1, 1)))[0]
    np.testing.assert_array_equal(one, np.stack([full[1]] * 2))
    held = corten.rollout(m, initial, np.full((3, 1, 1), 0.5), nstep)[0]
    np.testing.assert_array_equal(held, corten.rollout(m, initial, np.full((nstep, 1), 0.5))[0])
    free = corten.rollout(m, initial, nstep=nstep)[0]
    np.testing.assert_array_equal(free, corten.rollout(m, initial, np.zeros((nstep, 1)))[0])


@compiled
def test_a_rollout_agrees_with_the_reference() -> None:
    mujoco = pytest.importorskip("mujoco")
    from mujoco import rollout

    m, theirs = scene(), mujoco.MjModel.from_xml_string(SCENE)
    worlds = worlds_of(m, 4)
    initial = np.array([corten.get_state(d) for d in worlds])
    controls = np.random.default_rng(1).uniform(-1, 1, (4, 10, m.nu))
    warm = 0.1 * np.random.default_rng(2).normal(size=(4, m.nv))
    expected = rollout.rollout(theirs, mujoco.MjData(theirs), initial, controls, initial_warmstart=warm)
    ours = corten.rollout(m, initial, controls, warmstarts=warm)
    for mine, reference in zip(ours, expected, strict=True):
        assert mine.shape == reference.shape
        np.testing.assert_allclose(mine, reference, atol=1e-6)


def test_rollouts_that_make_no_sense_are_refused() -> None:
    m = scene()
    state = corten.get_state(corten.Data(m))
    with pytest.raises(corten.SimulationError, match="needs nstep"):
        corten.rollout(m, state)
    with pytest.raises(corten.SimulationError, match="nstep is 0, which is less than 1"):
        corten.rollout(m, state, nstep=0)
    with pytest.raises(corten.SimulationError, match="initial states of shape"):
        corten.rollout(m, state[1:], nstep=1)
    with pytest.raises(corten.SimulationError, match="controls of shape"):
        corten.rollout(m, state, np.zeros((3, 2)))
    with pytest.raises(corten.SimulationError, match="do not agree"):
        corten.rollout(m, np.tile(state, (2, 1)), np.zeros((3, 4, 1)))
    with pytest.raises(corten.SimulationError, match="controls of 4 steps for a rollout of 5"):
        corten.rollout(m, state, np.zeros((4, 1)), 5)
    with pytest.raises(corten.SimulationError, match="warm starts of shape"):
        corten.rollout(m, state, nstep=1, warmstarts=np.zeros(2))
