"""Sensors of contacts and limits, forces of constraints between bodies, and inverse dynamics with constraints."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from elements import set_worlds
from twins import Twins

import corten
from corten.engine import inverse
from corten.kernel import kernel, lane
from corten.kernel.record import Element
from corten.model.data import block
from corten.physics.ray_zone import ray_meets_site
from corten.physics.step import forward
from corten.utilities import integrate_pos

SOLVER = 'tolerance="1e-14" iterations="200" ls_iterations="200" ls_tolerance="1e-12"'
ZONES = {"sphere": ".1", "box": ".1 .05 .1", "ellipsoid": ".05 .1 .2", "capsule": ".05 .1", "cylinder": ".1 .1"}
FIELDS = "found force torque dist pos normal tangent"
OBJECTS = (
    "",
    'geom1="box"',
    'body1="a"',
    'subtree1="a"',
    'body2="a"',
    'geom1="ground" body2="g"',
    'body1="g" geom2="ground"',
    'site="abox"',
    'site="gsphere" subtree2="a"',
)


def zones(prefix: str, pos: str) -> str:
    return "".join(
        f'<site name="{prefix}{shape}" type="{shape}" size="{size}" pos="{pos}" euler="10 20 30"/>'
        for shape, size in ZONES.items()
    )


def pile(cone: str, condim: int, sensors: str) -> str:
    """Three bodies on the ground and against each other, with sites at their undersides."""
    return f"""<mujoco><option cone="{cone}" {SOLVER}/>
    <worldbody><geom name="ground" type="plane" size="5 5 1"/>
    <body name="a" pos="0 0 .14"><freejoint/><geom name="box" type="box" size=".2 .15 .15" condim="{condim}"/>
      {zones("a", ".1 .1 -.1")}
      <body name="b" pos=".2 0 .2"><joint axis="0 1 0"/>
        <geom type="capsule" size=".05 .2" condim="{condim}" pos=".1 0 -.1" euler="0 60 0"/>{zones("b", ".2 0 -.2")}
      </body></body>
    <body name="g" pos=".3 .3 .1"><freejoint/><geom type="ellipsoid" size=".15 .12 .13"/>{zones("g", "0 0 -.1")}</body>
    </worldbody><sensor>{sensors}</sensor></mujoco>"""


TOUCH = "".join(f'<touch site="{b}{shape}"/>' for b in "abg" for shape in ZONES)
CONTACT = (
    "".join(
        f'<contact {obj} reduce="{reduce}" num="{1 if reduce == "netforce" else 3}" data="{FIELDS}"/>'
        for reduce in ("none", "mindist", "maxforce", "netforce")
        for obj in OBJECTS
    )
    + '<contact num="2" data="dist normal"/><contact body1="a" num="4" data="force tangent" reduce="mindist"/>'
)


def settle(source: str, seed: int) -> Twins:
    """Twins near the pose of the file, so that things touch."""
    twins = Twins(source, seed, speed=0.3)
    rng = np.random.default_rng(seed)
    twins.ref_d.qpos[:] = twins.ref_m.qpos0
    twins.mujoco.mj_integratePos(twins.ref_m, twins.ref_d.qpos, rng.normal(size=twins.m.nv), 0.06)
    twins.ref_d.qpos[2] = 0.14
    twins.copy_state()
    return twins


@pytest.mark.reference
@pytest.mark.parametrize("condim", [1, 3, 4, 6])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_touch_and_contact_sensors(cone: str, condim: int) -> None:
    felt = 0
    for seed in range(3):
        twins = settle(pile(cone, condim, TOUCH + CONTACT), seed)
        twins.forward()
        assert twins.ref_d.ncon > 2
        twins.assert_agree(("sensordata",), 1e-9)
        felt += np.count_nonzero(twins.d.sensordata[: 3 * len(ZONES)])
    assert 0 < felt < 3 * 3 * len(ZONES)


@kernel
def rays(m, d, points, directions, hits, count):
    for s in range(m.nsite):
        for i in range(count):
            point = (points[i, 0], points[i, 1], points[i, 2])
            direction = (directions[i, 0], directions[i, 1], directions[i, 2])
            hits[s * count + i] = ray_meets_site(m, lane(d, 0), s, point, direction)


@pytest.mark.reference
def test_rays_meet_what_the_reference_says() -> None:
    twins = Twins(
        f"<mujoco><worldbody>{zones('z', '.1 .2 .3')}<site type='capsule' size='.1 .2'/></worldbody></mujoco>"
    )
    twins.forward()
    rng = np.random.default_rng(0)
    along_axes = np.repeat(np.eye(3), 100, axis=0) * rng.choice([-1, 1], (300, 1))
    directions = np.concatenate([rng.normal(size=(1700, 3)), along_axes])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    points = np.array([0.1, 0.2, 0.3]) + rng.normal(size=directions.shape) * rng.choice(
        [0.05, 0.2], (len(directions), 1)
    )
    hits = np.zeros(twins.m.nsite * len(points))
    rays(twins.m, twins.d, points, directions, hits, len(points))
    m, d = twins.ref_m, twins.ref_d
    expected = [
        twins.mujoco.mju_rayGeom(d.site_xpos[s], d.site_xmat[s], m.site_size[s], p, v, m.site_type[s], None) >= 0
        for s in range(m.nsite)
        for p, v in zip(points, directions, strict=True)
    ]
    assert 0.1 < np.mean(expected) < 0.9
    assert np.array_equal(hits, expected)


def test_lanes_feel_what_single_worlds_feel() -> None:
    """Worlds with different contacts; those of the block have gaps. Not to the last bit: sums differ in length."""
    m = corten.Model.from_xml_string(pile("elliptic", 3, TOUCH + CONTACT + '<force site="abox"/>'))
    singles = []
    for w in range(4):
        d = corten.Data(m)
        integrate_pos(m, d.qpos, np.random.default_rng(w).normal(size=m.nv), 0.06)
        d.qpos[2] = 0.12 + 0.02 * w
        singles.append(d)
        corten.forward(m, d)
    assert len({d.ncon for d in singles}) > 1
    lanes = block(m, Element("lanes", 4))
    set_worlds(lanes, singles, ("qpos", "qvel"))
    corten.engine.call(forward, m, lanes)
    for w, d in enumerate(singles):
        np.testing.assert_allclose(lanes.sensordata[:, w], d.sensordata, rtol=1e-6, atol=1e-6)


CHAIN = """<mujoco><option cone="{cone}" {option} {solver}><flag {flag}/></option>
<worldbody><geom type="plane" size="5 5 1"/>
<body name="a" pos="0 0 .14"><freejoint/><geom type="box" size=".2 .15 .15" condim="{condim}"/><site name="a"/>
 <body name="b" pos=".2 0 .2"><joint name="h" axis="0 1 0" limited="true" range="-10 10"/>
 <geom type="capsule" size=".05 .2" condim="{condim}"/><site name="b" pos="0 0 .2"/></body></body>
<body name="c" pos="1 0 .3"><joint name="ball" type="ball" limited="true" range="0 15"/><geom size=".1"/>
<site name="c"/></body>
<body name="e" pos="1 .5 .3"><joint name="s" type="slide" axis="0 0 1" limited="true" range="-.01 .01" margin=".03"/>
<geom size=".1"/><site name="e"/></body>
<body name="f" pos="1 1 .5"><freejoint/><geom size=".1"/><site name="f"/></body>
<body name="g" pos="1 1 .8"><freejoint/><geom size=".1"/><site name="g" euler="10 20 30" pos=".1 0 0"/></body>
</worldbody>
<tendon><fixed name="t" limited="true" range="-.02 .02"><joint joint="h" coef="1"/><joint joint="s" coef="2"/></fixed>
</tendon>
<equality><connect body1="c" body2="f" anchor="0 .2 0"/><weld body1="f" body2="g" relpose="0 0 .31 1 .1 0 0"/>
<connect body1="g" anchor="0 .1 .1"/><weld site1="b" site2="c"/><joint joint1="h" joint2="s"/></equality>
<sensor>{sensors}</sensor></mujoco>"""
HELD = "".join(
    [
        *(f'<{k} site="{s}"/>' for k, s in itertools.product(("force", "torque", "accelerometer"), "abcefg")),
        *(
            f'<{k} joint="{j}"/>'
            for k in ("jointlimitpos", "jointlimitvel", "jointlimitfrc")
            for j in ("h", "s", "ball")
        ),
        *(f'<{k} tendon="t"/>' for k in ("tendonlimitpos", "tendonlimitvel", "tendonlimitfrc")),
    ]
)


@pytest.mark.reference
@pytest.mark.parametrize("condim", [1, 3, 4, 6])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_forces_of_constraints_and_limits(cone: str, condim: int) -> None:
    for seed in range(2):
        text = CHAIN.format(cone=cone, condim=condim, option="", flag="", solver=SOLVER, sensors=HELD)
        twins = settle(text, seed)
        twins.forward()
        twins.assert_agree(("sensordata", "cfrc_ext", "cfrc_int", "cacc"), 1e-9)
        twins.d.qacc[:] = twins.ref_d.qacc[:] = 3 * np.random.default_rng(seed).normal(size=twins.m.nv)
        inverse(twins.m, twins.d)
        twins.mujoco.mj_inverse(twins.ref_m, twins.ref_d)
        twins.assert_agree(("qfrc_inverse", "qfrc_constraint", "sensordata"), 1e-9)


@pytest.mark.reference
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_forward_and_inverse_forces_agree(cone: str) -> None:
    text = CHAIN.format(cone=cone, condim=3, option="", flag='fwdinv="enable"', solver=SOLVER, sensors=HELD)
    twins = settle(text, 1)
    plain = settle(text.replace("fwdinv", "energy"), 1)
    twins.d.solver_fwdinv[:] = 1.0
    corten.step(twins.m, twins.d)
    corten.step(plain.m, plain.d)
    assert np.all(twins.d.solver_fwdinv < 1e-8)
    for name in ("qpos", "qvel", "qfrc_constraint", "efc_force"):
        assert np.array_equal(plain.d.array(name), twins.d.array(name)), name
