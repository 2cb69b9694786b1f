"""Islands: their numbers and lists of trees, dofs and rows are the reference's; so are the first rows of tendons."""

from __future__ import annotations

import numpy as np
import pytest
from physics_compare import assert_matrices_agree
from twins import Twins

import corten
from corten.model.enums import DisableBit, Solver

ISLANDS = ("tree_island", "map_itree2tree", "dof_island", "map_dof2idof", "map_idof2dof")
OF_EACH = (
    "island_ntree", "island_itreeadr", "island_nv", "island_idofadr", "island_dofadr",
    "island_ne", "island_nf", "island_nefc", "island_iefcadr",
)  # fmt: skip
OF_ROWS = ("efc_island", "map_efc2iefc", "map_iefc2efc")

# Trees in the air and on the ground, two of them joined by a contact, two by a weld, one with dry friction.
SCENE = """
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 5"><freejoint/><geom size=".1"/></body>
    <body pos="1 0 .05"><freejoint/><geom size=".1"/></body>
    <body name="a" pos="2 0 5"><freejoint/><geom size=".1"/></body>
    <body pos="3 0 5"><joint axis="0 1 0"/><joint axis="1 0 0" frictionloss="1"/><geom size=".1"/></body>
    <body pos="1 0 .2"><freejoint/><geom size=".1"/></body>
    <body pos="5 0 .2"><geom size=".1"/></body>
    <body name="b" pos="6 0 5"><joint axis="0 1 0"/><geom size=".1" pos=".1 0 0"/></body>
    <body pos="8 0 .08"><freejoint/><geom size=".1"/></body>
  </worldbody>
  <equality><weld body1="b" body2="a"/></equality>
</mujoco>
"""


def twins_of(source: str, **options: float) -> Twins:
    """Both engines at qpos0, after a forward pass."""
    twins = Twins(source, speed=0.0, **options)
    twins.ref_d.qpos[:] = twins.ref_m.qpos0
    twins.copy_state()
    twins.forward()
    return twins


def assert_same_islands(twins: Twins) -> None:
    d, ref = twins.d, twins.ref_d
    assert (d.nisland, d.nidof, d.nefc) == (ref.nisland, ref.nidof, ref.nefc)
    for names, size in (ISLANDS, None), (OF_EACH, d.nisland), (OF_ROWS, d.nefc):
        for name in names:
            np.testing.assert_array_equal(getattr(d, name)[:size], getattr(ref, name), err_msg=name)


@pytest.mark.plain
@pytest.mark.parametrize(
    "options", [{}, {"solver": Solver.CG}, {"solver": Solver.PGS}, {"noslip_iterations": 3}], ids=str
)
def test_islands_are_the_references(options: dict[str, float]) -> None:
    """Whether or not the solver takes them apart."""
    twins = twins_of(SCENE, **options)
    assert twins.d.nisland == 4 and 0 < twins.d.nidof < twins.m.nv
    assert_same_islands(twins)
    np.testing.assert_allclose(twins.d.qacc, twins.ref_d.qacc, atol=1e-6 * np.abs(twins.ref_d.qacc).max())


@pytest.mark.plain
@pytest.mark.parametrize("flag", [DisableBit.ISLAND, DisableBit.CONSTRAINT])
def test_without_islands_all_is_free(flag: DisableBit) -> None:
    """The reference leaves the lists as they happen to be; ours hold no island, and everything in its own order."""
    twins = twins_of(SCENE, disableflags=flag)
    d = twins.d
    assert (d.nisland, d.nidof) == (twins.ref_d.nisland, twins.ref_d.nidof) == (0, 0)
    assert d.nefc == twins.ref_d.nefc and (d.nefc > 0) == (flag == DisableBit.ISLAND)
    for name in ("tree_island", "dof_island", "efc_island"):
        assert np.all(getattr(d, name)[: d.nefc if name == "efc_island" else None] == -1)
    for name, size in ("map_itree2tree", None), ("map_dof2idof", None), ("map_iefc2efc", d.nefc):
        values = getattr(d, name)[:size]
        np.testing.assert_array_equal(values, np.arange(len(values)))
    np.testing.assert_allclose(d.qacc, twins.ref_d.qacc, atol=1e-6 * np.abs(twins.ref_d.qacc).max())


def test_islands_come_and_go() -> None:
    twins = Twins(SCENE, speed=1.0)
    counts = set()
    for _ in range(40):
        twins.forward()
        counts.add(int(twins.d.nisland))
        assert_same_islands(twins)
        twins.step(10)
        twins.copy_state()
    assert len(counts) > 1


def test_islands_are_known_before_controls() -> None:
    """After the first half of a step."""
    m = corten.Model.from_xml_string(SCENE)
    d = corten.Data(m)
    corten.step1(m, d)
    assert d.nisland == 4


def test_the_islands_of_a_world_of_a_batch() -> None:
    """A block is solved as a whole; each world has islands nonetheless."""
    m = corten.Model.from_xml_string(SCENE)
    b = corten.Batch(m, 3, lanes=2)
    b.qpos[1, 2] = 0.05  # the first ball lies on the ground
    b.forward()
    assert [b.world(i).nisland for i in range(3)] == [4, 5, 4]
    with pytest.raises(AttributeError, match=r"world\(i\).tree_island"):
        _ = b.tree_island


# Rows of tendons and of coupled joints have room for trees that they may not move: c slides across the cord, b carries
# an obstacle that may be out of the way, the sum counts jd nothing, and je may not depend on jf.
REACH = """
<mujoco>
  <option jacobian="{jacobian}"/>
  <worldbody>
    <site name="s0" pos="0 0 2"/>
    <body pos="0 0 1"><joint name="ja" type="slide" axis="0 0 1"/><geom size=".1"/><site name="s1"/></body>
    <body pos="{b} 0 1.5"><joint type="slide" axis="1 0 0"/><geom name="g" size=".1"/></body>
    <body pos="0 0 .5"><joint name="jc" type="slide" axis="1 0 0"/><geom size=".1"/><site name="s2"/></body>
    <body pos="3 0 1"><joint name="jd"/><geom size=".1" pos=".1 0 0"/></body>
    <body pos="5 0 0"><joint name="je"/><geom size=".1" pos=".1 0 0"/></body>
    <body pos="6 0 0"><joint name="jf"/><geom size=".1" pos=".1 0 0"/></body>
    <body name="w" pos="7 0 0"><joint name="jw"/><geom size=".1"/></body>
  </worldbody>
  <tendon>
    <spatial name="cord" {cord}><site site="s0"/><geom geom="g"/><site site="s1"/><site site="s2"/></spatial>
    <fixed name="sum" frictionloss="1"><joint joint="je" coef="1"/><joint joint="jd" coef="0"/></fixed>
    <fixed name="free"><joint joint="jd" coef="1"/></fixed>
    <fixed name="arm" limited="true" range="1 2"><joint joint="jw" coef="1"/></fixed>
    <fixed name="slack" limited="true" range="-1 1"><joint joint="jw" coef="1"/></fixed>
  </tendon>
  <equality>
    <weld body1="w"/><joint joint1="je" joint2="jf" polycoef="0 {slope} 0 0 0"/>{more}
  </equality>
</mujoco>
"""
CORDS = ("", 'frictionloss="1"', 'limited="true" range="5 6"')
COUPLED = '<tendon tendon1="arm" tendon2="cord" polycoef="0 {slope} 0 0 0"/>'


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("cord", CORDS)
@pytest.mark.parametrize("coupled", [False, True])
@pytest.mark.parametrize(("b", "slope"), [(0.05, 0), (0.05, 1), (0.5, 1)])
def test_rows_join_the_trees_that_they_reach(jacobian: str, cord: str, coupled: bool, b: float, slope: int) -> None:
    more = COUPLED.format(slope=slope) if coupled else ""
    twins = twins_of(REACH.format(jacobian=jacobian, b=b, cord=cord, slope=slope, more=more))
    assert_same_islands(twins)
    np.testing.assert_array_equal(twins.d.tendon_efcadr, twins.ref_d.tendon_efcadr)
    assert_matrices_agree(twins, ["efc_J"])
    np.testing.assert_allclose(twins.d.qacc, twins.ref_d.qacc, atol=1e-6 * np.abs(twins.ref_d.qacc).max())


def test_tendons_without_rows() -> None:
    m = corten.Model.from_xml_string(REACH.format(jacobian="auto", b=1, cord="", slope=1, more=""))
    d = corten.Data(m)
    m.opt.disableflags = DisableBit.CONSTRAINT
    corten.forward(m, d)
    np.testing.assert_array_equal(d.tendon_efcadr, -1)


def test_contacts_are_not_of_soft_bodies() -> None:
    twins = twins_of(SCENE)
    assert len(twins.d.contact) == 3
    for name in ("flex", "elem", "vert", "geom1", "geom2"):
        mine, theirs = getattr(twins.d.contact, name), getattr(twins.ref_d.contact, name)
        np.testing.assert_array_equal(mine, theirs)
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(getattr(twins.d.contact[1], name), theirs[1])
