"""What a step does where it can not go on: numbers that are bad, memory that does not suffice."""

from __future__ import annotations

import numpy as np
import pytest
from contact_scenes import cones, mixed, moving, solvers
from twins import Twins

import corten
from corten.model.enums import DisableBit, Solver, Warning

FALLING = """
<mujoco>
  <worldbody>
    <body name="hand" mocap="true" pos="1 2 3"><geom size=".1" contype="0" conaffinity="0"/></body>
    <body pos="0 0 1"><freejoint/><geom size=".1"/></body>
    <body pos="0 1 1"><joint name="hinge" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body>
  </worldbody>
  <actuator><general joint="hinge" dyntype="filter" dynprm=".1" gainprm="2"/></actuator>
  <equality><joint joint1="hinge" active="false"/></equality>
</mujoco>"""
KINDS = {"qpos": Warning.BADQPOS, "qvel": Warning.BADQVEL, "qfrc_applied": Warning.BADQACC}
KEPT = ("qpos", "qvel", "act", "ctrl", "qacc", "qacc_warmstart", "mocap_pos", "qfrc_applied", "xfrc_applied")


def broken(field: str, number: int, bad: float, autoreset: bool) -> Twins:
    """Both engines some steps on, with a bad number in one place, and one step further."""
    twins = Twins(FALLING, disableflags=0 if autoreset else DisableBit.AUTORESET)
    twins.put(mocap_pos=[[1.0, 1.0, 1.0]], xfrc_applied=0.1, eq_active=1, ctrl=0.5)
    twins.step(5)
    values = getattr(twins.ref_d, field).copy()
    values[number] = bad
    twins.put(**{field: values})
    twins.step()
    return twins


def warnings(d: corten.Data) -> dict[Warning, tuple[int, int]]:
    """How often each kind was given, where it was, and the number it was about."""
    counts = zip(d.warning_number.tolist(), d.warning_lastinfo.tolist(), strict=True)
    return {Warning(kind): count for kind, count in enumerate(counts) if count[0]}


@pytest.mark.reference
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 2e10])
@pytest.mark.parametrize("field", KINDS)
@pytest.mark.parametrize("number", [2, 6])
def test_a_bad_number_resets_the_world(field: str, number: int, bad: float) -> None:
    """As in the reference: everything is as at the start, then one step is made, and a warning tells what it was."""
    twins = broken(field, number, bad if field != "qfrc_applied" else bad * 1e10, True)
    assert warnings(twins.d) == {KINDS[field]: (1, number)}
    theirs = twins.ref_d.warning[int(KINDS[field])]
    assert (theirs.number, theirs.lastinfo) == (1, number)
    twins.assert_agree(KEPT)
    assert twins.d.time == twins.ref_d.time < 2.5 * twins.m.opt.timestep
    np.testing.assert_array_equal(twins.d.eq_active, twins.ref_d.eq_active)


@pytest.mark.reference
@pytest.mark.parametrize("field", KINDS)
def test_without_autoreset_a_bad_number_is_only_told(field: str) -> None:
    """The state goes on as it is; once for a step, where the reference counts it twice."""
    twins = broken(field, 2, np.nan, False)
    assert warnings(twins.d)[KINDS[field]] == (1, 2)
    assert twins.ref_d.warning[int(KINDS[field])].lastinfo == 2
    for name in ("qpos", "qvel"):
        assert np.isnan(getattr(twins.d, name)[2]) and np.isnan(getattr(twins.ref_d, name)[2])
    assert twins.d.time == pytest.approx(6 * twins.m.opt.timestep)


def test_numbers_up_to_the_bound_are_good() -> None:
    m = corten.Model.from_xml_string(FALLING)
    d = corten.Data(m)
    d.qpos[0] = d.qvel[1] = 0.99e10
    corten.step(m, d)
    assert not d.warning_number.any()
    assert d.qpos[0] == 0.99e10


ROOM = ("nconcap", "nnearcap", "efc_cap", "efcJ_cap", "H_cap", "W_cap")


@solvers
@cones
def test_memory_grows_without_loss(solver: Solver, cone: int) -> None:
    """From no room at all for contacts, rows and matrices a step gives what it gives with plenty, to the last bit."""
    m = corten.Model.from_xml_string(mixed(4))
    m.opt.solver, m.opt.cone, m.opt.noslip_iterations = solver, cone, 2
    plenty = moving(m, 0)
    for name in ROOM:
        m._all_sizes[name] = 1
    tight = corten.Data(m)
    assert {tight.capacities[name] for name in ROOM} == {1}
    tight.qpos[:], tight.qvel[:], tight.time = plenty.qpos, plenty.qvel, plenty.time
    tight.qacc_warmstart[:] = plenty.qacc_warmstart
    corten.forward(m, tight)
    corten.forward(m, plenty)
    assert tight.nefc == plenty.nefc > 20
    for _ in range(3):
        for name in ("qpos", "qvel", "qacc", "qfrc_constraint", "sensordata"):
            np.testing.assert_array_equal(getattr(tight, name), getattr(plenty, name), err_msg=name)
        n = int(plenty.nefc)
        for name in ("efc_J_rownnz", "efc_pos", "efc_D", "efc_aref", "efc_force"):
            np.testing.assert_array_equal(getattr(tight, name)[:n], getattr(plenty, name)[:n], err_msg=name)
        assert tight.capacities["efc_cap"] >= n
        corten.step(m, tight, 7)
        corten.step(m, plenty, 7)
