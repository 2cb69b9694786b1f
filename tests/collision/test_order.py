"""Which geoms are tried, in which order contacts come, listed or swept, and what parameters they get."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from contact_compare import Scene

from corten.model.derived import pairs

pytestmark = pytest.mark.reference

# Bodies of several geoms in random numbering of shapes, welded bodies, parents and children, masks, excludes, pairs.
CROWD = """
<mujoco>
  <option {option}><flag {flag}/></option>
  <default><geom size="0.1 0.15 0.12"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" pos="0 0 -0.2"/>
    <geom name="post" type="box" pos="0.15 0 0"/>
    <geom name="ball" type="sphere" pos="-0.2 0.1 0" contype="2" conaffinity="1"/>
    <body name="shelf" pos="0 0.2 0">
      <geom name="board" type="box" size="0.3 0.05 0.05"/>
      <geom name="wall" type="plane" size="1 1 0.1" pos="0 0.4 0" euler="90 0 0"/>
      <body name="arm">
        <joint type="hinge"/>
        <geom name="upper" type="capsule"/>
        <geom name="elbow" type="sphere" pos="0 0 0.2" priority="1" friction="0.3 0.1 0.2"/>
        <body name="welded" pos="0.1 0 0.1">
          <geom name="guard" type="box" size="0.1 0.1 0.1" condim="4" solmix="3"/>
          <body name="hand" pos="0 0 0.1">
            <joint type="hinge" axis="1 0 0"/>
            <geom name="palm" type="capsule" margin="0.02" gap="0.01"/>
            <geom name="tip" type="sphere" pos="0 0.1 0.1" solref="-100 -5"/>
          </body>
        </body>
      </body>
    </body>
    <body name="one"><freejoint/>
      <geom type="box"/><geom type="sphere" pos="0.1 0 0"/><geom type="capsule" pos="0 0.1 0" condim="6"/>
    </body>
    <body name="two" pos="0.1 0.1 0.1"><freejoint/>
      <geom name="two0" type="sphere" contype="4" conaffinity="2"/><geom name="two1" type="box" solref="0.01 0.5"/>
    </body>
    <body name="three" pos="-0.1 0 0.1"><freejoint/>
      <geom name="three0" type="capsule" solimp="0.5 0.6 0.01 0.4 1.5"/>
    </body>
    <body name="four" pos="0 0 0.1"><freejoint/><geom name="four0" type="sphere" contype="0" conaffinity="0"/></body>
  </worldbody>
  <contact>
    <exclude body1="one" body2="hand"/>
    <exclude body1="three" body2="two"/>
    <pair geom1="three0" geom2="two1" friction="0.4 0.5 0.6 0.7 0.8" margin="0.05" gap="0.01" condim="1"/>
    <pair geom1="four0" geom2="floor" solreffriction="0.05 0.7" condim="6"/>
    <pair geom1="upper" geom2="palm"/>
    <pair geom1="four0" geom2="two0" solref="-50 -2" solimp="0.7 0.8 0.002 0.5 2"/>
    <pair geom1="three0" geom2="post"/>
    <pair geom1="board" geom2="two1"/>
  </contact>
</mujoco>
"""
OPTIONS = {
    "default": ("", ""),
    "parents": ("", 'filterparent="disable"'),
    "no midphase": ("", 'midphase="disable"'),
    "override": (
        'o_margin="0.03" o_solref="0.05 0.9" o_solimp="0.8 0.9 0.01 0.5 2" o_friction="0.5 0.5 0.1 0.01 0.01"',
        'override="enable"',
    ),
}


def crowded(option: str) -> Scene:
    text, flag = OPTIONS[option]
    return Scene(CROWD.format(option=text, flag=flag))


@pytest.mark.parametrize("swept", [False, True], ids=["listed", "swept"])
@pytest.mark.parametrize("option", OPTIONS)
def test_crowd(option: str, swept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if swept:
        monkeypatch.setattr(pairs, "MANY_PAIRS", 0)
    scene = crowded(option)
    assert (scene.m.nsweepmove > 0) == swept
    rng = np.random.default_rng(0)
    most = 0
    for _ in range(40):
        scene.mujoco.mj_resetData(scene.ref_m, scene.ref_d)
        scene.mujoco.mj_integratePos(scene.ref_m, scene.ref_d.qpos, rng.normal(size=scene.ref_m.nv), 0.1)
        scene.detect()
        assert scene.difference() == ""
        most = max(most, scene.ref_d.ncon)
    assert most > 15


@pytest.mark.parametrize("flag", ["contact", "constraint"])
def test_switched_off(flag: str) -> None:
    scene = Scene(CROWD.format(option="", flag=f'{flag}="disable"'))
    scene.detect()
    assert scene.d.ncon == scene.ref_d.ncon == 0


def test_parameters_follow_the_model() -> None:
    """Friction, margins and solver parameters may be changed while simulating."""
    scene = crowded("default")
    rng = np.random.default_rng(1)
    for m in (scene.m, scene.ref_m):
        rng = np.random.default_rng(1)
        m.geom_friction[:] = rng.uniform(0.0, 1.0, m.geom_friction.shape)
        m.geom_margin[:] = rng.uniform(0.0, 0.05, m.ngeom)
        m.geom_solmix[:] = rng.choice([0.0, 1.0, 2.0], m.ngeom)
        m.geom_solref[:, 0] = rng.uniform(0.01, 0.1, m.ngeom)
    scene.ref_m.body_margin[:] = 0.05
    scene.detect()
    assert scene.difference() == ""
    assert scene.d.ncon > 10


def balls(count: int, seed: int, side: float) -> str:
    rng = np.random.default_rng(seed)
    bodies = "".join(
        f'<body pos="{x:.5f} {y:.5f} {z:.5f}"><freejoint/><geom size="{r:.5f}"/></body>'
        for x, y, z, r in np.column_stack([rng.uniform(0, side, (count, 3)), rng.uniform(0.03, 0.1, count)])
    )
    return f'<mujoco><worldbody><geom type="plane" size="1 1 1"/>{bodies}</worldbody></mujoco>'


@pytest.mark.parametrize(("count", "side"), [(10, 0.25), (100, 0.9), (700, 1.6), (2000, 2.5)])
def test_scattered_balls(count: int, side: float) -> None:
    """Few are listed, many swept, very many swept in strips."""
    scene = Scene(balls(count, count, side))
    rng = np.random.default_rng(count)
    for _ in range(3):  # the order of one sweep is the start of the next
        scene.detect()
        assert scene.difference() == ""
        assert scene.ref_d.ncon > count / 4
        scene.ref_d.qpos.reshape(-1, 7)[:, :3] += rng.normal(size=(count, 3)) * 0.05


@pytest.mark.plain
@pytest.mark.parametrize("axis", range(3))
def test_sweeps_along_every_axis(axis: int) -> None:
    scene = Scene(balls(300, 5, 0.9))
    scene.ref_d.qpos.reshape(-1, 7)[:, axis] *= 3.0
    scene.detect()
    assert scene.difference() == ""
    assert scene.ref_d.ncon > 20


CLOSED = frozenset({(0, k) for k in (2, 3, 4, 5, 6)} | {(2, k) for k in (2, 3, 5, 6)} | {(3, 3), (3, 6), (6, 6)})
MODELS = [
    "mujoco/humanoid/humanoid.xml",
    "mujoco/humanoid/22_humanoids.xml",
    "mujoco/replicate/particle.xml",
    "mujoco/replicate/stonehenge.xml",
    "dm_control/humanoid_CMU.xml",
    "dm_control/stacker.xml",
    "menagerie/agility_cassie/scene.xml",
]


@pytest.mark.parametrize("path", MODELS)
def test_shared_models(path: str, shared_models: Path) -> None:
    scene = Scene(shared_models / path)
    for _ in range(3):
        for _ in range(30):
            scene.mujoco.mj_step(scene.ref_m, scene.ref_d)
        scene.detect()
        assert scene.difference(CLOSED) == ""
