"""Rows of constraints, kind by kind, against the reference: Jacobian, violation, impedance, reference acceleration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from contact_scenes import dense_jacobian
from elements import assert_same_bits, set_worlds
from twins import Twins

import corten
from corten import utilities
from corten.kernel.record import Element
from corten.model.data import block
from corten.model.enums import DisableBit, EnableBit
from corten.physics import step as stages

ROWS = (
    "efc_pos",
    "efc_margin",
    "efc_frictionloss",
    "efc_diagApprox",
    "efc_KBIP",
    "efc_R",
    "efc_D",
    "efc_vel",
    "efc_aref",
)


def assert_same_rows(d: corten.Data, ref: Any) -> None:
    """The numbers of all rows agree, relative to the largest of each field."""
    assert (d.ne, d.nf, d.nl, d.nefc) == (ref.ne, ref.nf, ref.nl, ref.nefc)
    for name in ROWS:
        mine, expected = getattr(d, name)[: d.nefc], np.asarray(getattr(ref, name))
        scale = max(1.0, np.abs(expected).max(initial=0))
        np.testing.assert_allclose(mine, expected, rtol=1e-9, atol=1e-11 * scale, err_msg=name)


TREE = """
<mujoco>
  <option {option}/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <site name="s0" pos=".1 .2 1" euler="10 20 30"/>
    <body name="a" pos="0 0 1">
      <freejoint/><geom size=".1 .2 .3" type="box"/><site name="sa" pos=".1 0 .2" euler="5 0 40"/>
      <body name="b" pos="0 .4 0">
        <joint name="ball" type="ball" {ball}/><geom size=".1 .1" type="capsule"/><site name="sb" pos="0 .1 0"/>
      </body>
    </body>
    <body name="c" pos=".5 0 1">
      <joint name="hinge" axis="0 1 1" {hinge}/><geom size=".1 .1" type="cylinder" pos=".1 0 0"/>
      <body name="d" pos=".3 0 0"><joint name="slide" type="slide" axis="1 0 1" {slide}/><geom size=".1"/></body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="t1" {tendon}><joint joint="hinge" coef="2"/><joint joint="slide" coef="-1"/></fixed>
    <spatial name="t2" {spatial}><site site="s0"/><site site="sb"/></spatial>
  </tendon>
  <equality>{equality}</equality>
</mujoco>"""

# Each case: what fills the places of the model. All others are empty.
CASES: dict[str, dict[str, str]] = {
    "connect bodies": {"equality": '<connect body1="b" body2="d" anchor=".1 .2 .3"/>'},
    "connect to the world": {"equality": '<connect body1="b" anchor=".1 .2 .3" solref="-300 -20"/>'},
    "connect sites": {"equality": '<connect site1="sb" site2="s0" solimp=".5 .99 .1 .3 3"/>'},
    "connect within a tree": {"equality": '<connect body1="a" body2="b" anchor=".1 .2 .3"/>'},
    "weld bodies": {"equality": '<weld body1="b" body2="c" torquescale=".3"/>'},
    "weld at a pose": {"equality": '<weld body1="b" relpose=".1 .2 .3 .5 .5 .5 .5" anchor=".1 0 0"/>'},
    "weld sites": {"equality": '<weld site1="sa" site2="s0" torquescale="2"/>'},
    "joint polynomial": {"equality": '<joint joint1="hinge" joint2="slide" polycoef=".1 .5 .2 -.3 .4"/>'},
    "joint constant": {"equality": '<joint joint1="slide" polycoef=".1 .5 .2 -.3 .4"/>'},
    "tendon polynomial": {"equality": '<tendon tendon1="t2" tendon2="t1" polycoef=".1 .5 .2 -.3 .4"/>'},
    "inactive": {"equality": '<weld body1="b" body2="c" active="false"/><joint joint1="hinge"/>'},
    "friction loss of dofs": {"hinge": 'frictionloss=".3" solreffriction=".05 .5"', "ball": 'frictionloss=".1"'},
    "friction loss of tendons": {
        "tendon": 'frictionloss=".3"',
        "spatial": 'frictionloss=".1" solimpfriction=".5 .6 .01"',
    },
    "limits of joints": {"hinge": 'range="-5 5"', "slide": 'range="-.01 .01" margin=".02"', "ball": 'range="0 3"'},
    "direct limits": {"hinge": 'range="-5 5" solreflimit="-200 -3" solimplimit=".8 .8 .1"', "slide": 'range="-.1 0"'},
    "limits of tendons": {"tendon": 'range="-.1 .1" margin=".3"', "spatial": 'range="0 .3" solreflimit=".05 2"'},
    "all at once": {
        "equality": '<weld body1="b" body2="c"/><tendon tendon1="t1"/>',
        "hinge": 'range="-5 5" frictionloss=".2"',
        "ball": 'range="0 3"',
        "spatial": 'range="0 .3" frictionloss=".1"',
        "option": 'timestep=".02"',
    },
}
PLACES = ("option", "ball", "hinge", "slide", "tendon", "spatial", "equality")

PILE = """
<mujoco>
  <option cone="{cone}" impratio="{impratio}"/>
  <worldbody>
    <geom type="plane" size="5 5 .1" friction=".8 .02 .003" solmix="2" {floor}/>
    <body pos="0 0 .09"><freejoint/><geom size=".1" condim="{condim}" friction=".5 .01 .004" margin=".02"/></body>
    <body pos=".15 0 .12"><freejoint/><geom size=".1 .1" type="capsule" condim="{condim}" solimp=".8 .9 .01"/></body>
    <body pos=".05 .05 .25">
      <joint type="hinge" axis="0 1 0" pos="-.3 0 0"/><geom size=".1" condim="{condim}" margin=".05" gap=".03"/>
    </body>
  </worldbody>
</mujoco>"""

FLOORS = {
    "mixed": 'solref=".03 .9"',
    "priority": 'solref=".03 .9" priority="1"',
    "direct": 'solref="-500 -10" priority="1"',
}


def case_model(case: str) -> str:
    """The XML of a case."""
    return TREE.format(**{place: CASES[case].get(place, "") for place in PLACES})


def scatter(m: corten.Model, d: corten.Data, rng: np.random.Generator) -> None:
    """A state some way off qpos0 in which limits are passed, with velocities."""
    utilities.integrate_pos(m, d.qpos, rng.standard_normal(m.nv), 0.15)
    d.qvel[:] = rng.standard_normal(m.nv)


def assert_rows_agree(source: str, flags: int = 0, scale: float = 0.15) -> int:
    """All rows of several states; gives how many rows there were."""
    import mujoco

    m, theirs = corten.Model.from_xml_string(source), mujoco.MjModel.from_xml_string(source)
    theirs.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    m.opt.disableflags |= flags
    theirs.opt.disableflags |= flags
    total = 0
    for seed in range(5):
        d, ref = corten.Data(m), mujoco.MjData(theirs)
        rng = np.random.default_rng(seed)
        ref.qvel[:] = rng.standard_normal(m.nv)
        mujoco.mj_integratePos(theirs, ref.qpos, ref.qvel, scale)
        ref.qvel[:] = rng.standard_normal(m.nv)
        d.qpos[:], d.qvel[:] = ref.qpos, ref.qvel
        corten.forward(m, d)
        mujoco.mj_forward(theirs, ref)
        n = int(ref.nefc)
        assert_same_rows(d, ref)
        np.testing.assert_array_equal(d.efc_type[:n], ref.efc_type)
        np.testing.assert_array_equal(d.efc_id[:n], ref.efc_id)
        expected = ref.efc_J.reshape(n, m.nv)
        scale = max(1.0, np.abs(expected).max(initial=0))
        np.testing.assert_allclose(dense_jacobian(m, d), expected, atol=1e-10 * scale)
        total += n
    return total


@pytest.mark.reference
@pytest.mark.parametrize("case", CASES)
def test_rows_are_the_references(case: str) -> None:
    assert assert_rows_agree(case_model(case)) > 0


@pytest.mark.reference
@pytest.mark.parametrize(
    "flag",
    [DisableBit.CONSTRAINT, DisableBit.EQUALITY, DisableBit.FRICTIONLOSS, DisableBit.LIMIT, DisableBit.REFSAFE],
    ids=lambda f: f.name,
)
def test_flags_leave_rows_out(flag: DisableBit) -> None:
    """`refsafe` off leaves them all, with stiffer references at a long time step."""
    assert (assert_rows_agree(case_model("all at once"), flag) == 0) == (flag == DisableBit.CONSTRAINT)


@pytest.mark.reference
@pytest.mark.parametrize("impratio", ["1", "5"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("condim", ["1", "3", "4", "6"])
@pytest.mark.parametrize("floor", FLOORS.values(), ids=FLOORS.keys())
def test_contact_rows_are_the_references(condim: str, cone: str, impratio: str, floor: str) -> None:
    source = PILE.format(condim=condim, cone=cone, impratio=impratio, floor=floor)
    assert assert_rows_agree(source, scale=0.02) > 10


@pytest.mark.reference
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_an_explicit_pair_of_one_rigid_body_has_rows_that_move_nothing(cone: str) -> None:
    """Their forces are felt by sensors of contacts, though by nothing else."""
    source = f"""
      <mujoco><option cone="{cone}"/><worldbody><body pos="0 0 1"><freejoint/><geom name="x" size=".1"/>
      <geom name="y" size=".1" pos=".1 0 0"/><body pos="0 .1 0"><geom name="z" size=".1"/></body></body></worldbody>
      <contact><pair geom1="x" geom2="y"/><pair geom1="x" geom2="z" condim="1"/></contact></mujoco>"""
    assert assert_rows_agree(source) > 0


@pytest.mark.reference
def test_an_explicit_pair_that_no_dof_moves_is_excluded() -> None:
    twins = Twins("""
      <mujoco><option jacobian="sparse"/><worldbody><geom name="x" size=".1"/><geom name="y" size=".1" pos=".1 0 0"/>
      <body pos="0 0 .19"><freejoint/><geom size=".1"/></body></worldbody>
      <contact><pair geom1="x" geom2="y"/></contact></mujoco>""")
    twins.put(qpos=twins.m.qpos0, qvel=0.0)
    twins.forward()
    assert twins.d.contact_exclude[: twins.d.ncon].tolist() == twins.ref_d.contact.exclude.tolist() == [3, 0]


@pytest.mark.reference
def test_contacts_can_be_overridden() -> None:
    """With the flag `override` the options' parameters replace those of all contacts."""
    import mujoco

    source = PILE.format(condim="3", cone="elliptic", impratio="1", floor=FLOORS["mixed"]).replace(
        "<option ", '<option o_solref=".07 .6" o_solimp=".4 .5 .1" o_friction=".3 .3 .01 .01 .01" o_margin=".04" '
    )
    m, theirs = corten.Model.from_xml_string(source), mujoco.MjModel.from_xml_string(source)
    for each in (m, theirs):
        each.opt.enableflags |= EnableBit.OVERRIDE
    d, ref = corten.Data(m), mujoco.MjData(theirs)
    corten.forward(m, d)
    mujoco.mj_forward(theirs, ref)
    assert d.nefc > 0
    assert_same_rows(d, ref)


EACH_KIND = """
<mujoco>
  <option cone="elliptic"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body><freejoint/><geom name="ball" size=".1" mass="1"/></body>
    <body pos="0 2 1">
      <joint name="hinge" axis="0 1 0" range="-5 5" margin=".02" frictionloss=".3"/><geom size=".1" pos=".1 0 0"/>
    </body>
  </worldbody>
  <contact><pair geom1="floor" geom2="ball" margin=".01"/></contact>
  <equality><joint joint1="hinge"/></equality>
</mujoco>"""


def any_solref(rng: np.random.Generator) -> np.ndarray:
    """Of both formats, of mixed signs, zero."""
    kinds = [rng.uniform(1e-4, 0.2, 2) * [1, 10], -rng.uniform(0, 500, 2), np.zeros(2), rng.uniform(-1, 1, 2)]
    return kinds[rng.integers(len(kinds))] * rng.choice([0.0, 1.0], 2, p=[0.1, 0.9])


def any_solimp(rng: np.random.Generator) -> list[float]:
    """Within the bounds and out of them, least and most in either order, no width."""
    bounds = rng.choice([-0.5, 0.0, 0.1, 0.5, 0.9, 0.95, 1.0, 2.0], 2)
    width, midpoint = rng.choice([-1.0, 0.0, 1e-16, 1e-3, 0.01, 0.1, 1.0]), rng.choice([-0.5, 0.0, 0.1, 0.5, 1.0, 2.0])
    return [*bounds, width, midpoint, rng.choice([-1.0, 0.5, 1.0, 1.5, 2.0, 3.0, 6.0])]


@pytest.mark.reference
def test_any_numbers_are_made_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """References and impedances that mean nothing are replaced or bounded as the reference does it."""
    monkeypatch.chdir(tmp_path)  # where the reference writes its warnings to a file
    twins = Twins(EACH_KIND)
    rng = np.random.default_rng(0)
    for _ in range(500):
        for name in ("jnt_solref", "dof_solref", "pair_solref", "pair_solreffriction", "eq_solref"):
            getattr(twins.m, name)[...] = getattr(twins.ref_m, name)[...] = any_solref(rng)
        for name in ("jnt_solimp", "dof_solimp", "pair_solimp", "eq_solimp"):
            getattr(twins.m, name)[...] = getattr(twins.ref_m, name)[...] = any_solimp(rng)
        height, angle = rng.choice([0.09, 0.099, 0.1, 0.109]), rng.choice([-0.3, -0.08, 0.05, 0.087, 0.2])
        twins.put(qpos=[0, 0, height, 1, 0, 0, 0, angle], qvel=rng.normal(size=7), qacc_warmstart=0.0)
        twins.forward()
        assert twins.d.nefc >= 2
        assert_same_rows(twins.d, twins.ref_d)


@pytest.mark.parametrize("case", ["all at once", "weld sites", "limits of joints"])
def test_rows_in_lanes_equal_those_of_single_worlds(case: str) -> None:
    """A world's own rows, found by type and object, are the same to the last bit; the others exert no force on it."""
    m = corten.Model.from_xml_string(case_model(case))
    worlds = []
    for seed in range(4):
        d = corten.Data(m)
        scatter(m, d, np.random.default_rng(seed))
        worlds.append(d)
    lanes = block(m, Element("lanes", 4))
    set_worlds(lanes, worlds, ("qpos", "qvel"))
    corten.engine.call(stages.forward, m, lanes)
    m.opt.disableflags |= DisableBit.ISLAND
    for l, d in enumerate(worlds):
        corten.forward(m, d)
        on = np.flatnonzero(lanes.array("efc_D")[: lanes.nefc, l] > 0.0)
        assert len(on) == d.nefc
        off = np.setdiff1d(np.arange(lanes.nefc), on)
        assert not lanes.array("efc_force")[off, l].any()
        np.testing.assert_array_equal(lanes.efc_type[on], d.efc_type[: d.nefc])
        for name in ROWS:
            np.testing.assert_array_equal(lanes.array(name)[on, ..., l], getattr(d, name)[: d.nefc], err_msg=name)
        assert_same_bits(lanes, l, d, ("qacc_smooth",))

# Constraints that move nothing: their rows are left out where they have no entries, or only zeros in a dense Jacobian.
MOTIONLESS = """
<mujoco>
  <option jacobian="{jacobian}"/>
  <worldbody>
    <site name="w0"/><site name="w1" pos="0 0 1"/>
    <body name="fixed" pos="1 0 0"><geom size=".1"/></body><body name="too" pos="2 0 0"><geom size=".1"/></body>
    <body name="a" pos="0 0 3">
      <joint name="j"/><geom size=".1" pos=".1 0 0"/><site name="a0"/><site name="a1" pos=".3 0 0"/>
    </body>
  </worldbody>
  <tendon>
    <spatial name="in the world" frictionloss="1" range="0 .5"><site site="w0"/><site site="w1"/></spatial>
    <spatial name="on a body" frictionloss="1" range="0 .1"><site site="a0"/><site site="a1"/></spatial>
    <fixed name="of no weight" frictionloss="1" range=".5 1"><joint joint="j" coef="0"/></fixed>
    <fixed name="moving" frictionloss="1" range=".5 1"><joint joint="j" coef=".1"/></fixed>
  </tendon>
  <equality><weld body1="fixed" body2="too"/><connect body1="fixed" anchor="0 0 0"/><weld body1="a"/></equality>
</mujoco>"""


@pytest.mark.parametrize("jacobian", ["dense", "sparse", "auto"])
def test_rows_that_nothing_moves_are_left_out(jacobian: str) -> None:
    twins = Twins(MOTIONLESS.format(jacobian=jacobian))
    twins.forward()
    extra = 1 if jacobian == "sparse" else 0
    assert (twins.d.ne, twins.d.nf, twins.d.nl) == (6, 1 + extra, 1 + extra)
    assert_same_rows(twins.d, twins.ref_d)
