"""Accelerations of bodies and forces between them."""

from __future__ import annotations

import numpy as np
import pytest
from contact_scenes import CONDIMS, CONE_NAMES, CONES, mixed, moving
from mechanism import loaded, mechanism

import corten

FIELDS = ("cacc", "cfrc_int", "cfrc_ext")
WANTED = '<force site="tip"/>'


@pytest.mark.reference
@pytest.mark.parametrize("flag", ["", 'gravity="disable"'])
@pytest.mark.parametrize("seed", range(3))
def test_as_in_the_reference(seed: int, flag: str) -> None:
    twins = loaded(mechanism(WANTED, flag=flag), seed)
    twins.forward()
    twins.assert_agree(FIELDS, 1e-10)


@pytest.mark.reference
@pytest.mark.parametrize("condim", CONDIMS)
@pytest.mark.parametrize("cone", CONES, ids=CONE_NAMES)
def test_contacts_and_equalities_as_in_the_reference(cone: int, condim: int) -> None:
    """Boxes on the floor and on each other, a connect to the world, a weld of two bodies."""
    import mujoco

    source = mixed(condim).replace(
        "</mujoco>", '<sensor><framelinacc objtype="body" objname="hung"/></sensor></mujoco>'
    )
    m, theirs = corten.Model.from_xml_string(source), mujoco.MjModel.from_xml_string(source)
    for each in (m, theirs):
        each.opt.cone, each.opt.tolerance = cone, 0
    for seed in range(3):
        d, ref = moving(m, seed, 20 + 20 * seed), mujoco.MjData(theirs)
        ref.qpos[:], ref.qvel[:], ref.qacc_warmstart[:] = d.qpos, d.qvel, d.qacc_warmstart
        mujoco.mj_forward(theirs, ref)
        assert d.ncon and d.ne
        for name in FIELDS:
            expected = getattr(ref, name)
            np.testing.assert_allclose(getattr(d, name), expected, atol=1e-7 * max(1.0, np.abs(expected).max()))
        # nothing is left for the joint between the world and a free body
        np.testing.assert_allclose(d.cfrc_int[1], 0.0, atol=1e-7 * np.abs(d.cfrc_ext).max())


@pytest.mark.reference
def test_momenta_as_in_the_reference() -> None:
    twins = loaded(mechanism('<subtreeangmom body="world"/>'))
    twins.forward()
    twins.assert_agree(("subtree_linvel", "subtree_angmom"), 1e-12)


def test_not_computed_where_nobody_asks() -> None:
    m = corten.Model.from_xml_string(mechanism("<clock/>"))
    d = corten.Data(m)
    corten.forward(m, d)
    assert not d.cacc.any() and not d.cfrc_int.any()


def test_the_world_carries_all_weights() -> None:
    """At rest on welds and hinges the world's part of cfrc_int is the weight of everything."""
    m = corten.Model.from_xml_string(
        """<mujoco><worldbody><body><geom size=".1" mass="2"/><body><geom size=".1" mass="1"/><site name="s"/></body>
        </body><body><geom size=".1" mass="4"/></body></worldbody><sensor><force site="s"/></sensor></mujoco>"""
    )
    d = corten.Data(m)
    corten.forward(m, d)
    np.testing.assert_allclose(d.cfrc_int[0, 3:], [0, 0, 7 * 9.81], atol=1e-13)
    np.testing.assert_allclose(d.cfrc_int[1, 3:], [0, 0, 3 * 9.81], atol=1e-13)
