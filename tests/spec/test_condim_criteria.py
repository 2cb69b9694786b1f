"""Acceptance criteria of spec 004, section 2: contacts of 1, 3, 4 and 6 dimensions, and their cones."""

from __future__ import annotations

import numpy as np
import pytest
from contact_scenes import GRAVITY, ball, cones, dense_jacobian, scene, solvers
from twins import Twins

import corten
from corten import utilities
from corten.model.enums import ConstraintType, DisableBit, Solver

CRITERIA = {"s02": range(19)}
LEFT_OUT = {
    "s02_c00": "compares the other implementation with its own past",
    "s02_c10": "an old fallback: there are pyramidal cones (s32)",
    "s02_c13": "an old fallback of one solver to another",
}

@solvers
@cones
def test_s02_c01_without_friction_there_are_no_tangential_forces(solver: Solver, cone: int) -> None:
    """However the ball is pushed."""
    m = scene(ball(1))
    m.opt.cone, m.opt.solver = cone, solver
    d = corten.Data(m)
    d.qfrc_applied[:2] = 3.0, -2.0
    corten.step(m, d, 100)
    corten.forward(m, d)
    assert d.efc_force[0] > 0.0
    np.testing.assert_allclose(d.qfrc_constraint, [0.0, 0.0, d.efc_force[0], 0.0, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(d.qacc[:2], [3.0, -2.0], atol=1e-12)


@pytest.mark.reference
@pytest.mark.parametrize("condim", ["", 'condim="3"'])
@solvers
@cones
def test_s02_c02_c07_three_dimensions_are_the_default(solver: Solver, cone: int, condim: str) -> None:
    """Said or not, contacts slide as in the reference."""
    source = f"""<mujoco><worldbody><geom type="plane" size="5 5 .1" friction=".4" {condim}/>
        <body pos="0 0 .0999"><freejoint/><geom type="box" size=".1 .2 .1" friction=".4" {condim}/></body>
        </worldbody></mujoco>"""
    iterations = {Solver.PGS: 20, Solver.CG: 1000, Solver.NEWTON: 50}[solver]
    twins = Twins(source, cone=cone, solver=solver, iterations=iterations, tolerance=0)
    twins.put(qpos=twins.m.qpos0, qvel=[1.0, 0.5, 0.0, 0.0, 0.0, 2.0])
    dims = set()
    for _ in range(20):
        twins.copy_state()
        twins.put(qacc_warmstart=0.0)
        twins.step()
        dims.update(twins.d.contact.dim.tolist())
        np.testing.assert_allclose(twins.d.qvel, twins.ref_d.qvel, atol=1e-7)
    assert dims == {3}


@cones
def test_s02_c03_spin_slows_with_torsional_friction_only(cone: int) -> None:
    """Its torque is at most the coefficient times the normal force, which is the weight on average."""
    speeds, start = {}, 20.0
    for condim in (3, 4):
        m = scene(ball(condim, friction="1 .004 .0001"))
        m.opt.cone = cone
        d = corten.Data(m)
        d.qvel[5] = start
        for _ in range(50):
            corten.step(m, d, 10)
            corten.forward(m, d)
            for i in range(d.ncon):
                force = utilities.contact_force(m, d, i)
                assert abs(force[3]) <= 0.004 * force[0] * (1 + 1e-9)
        speeds[condim] = d.qvel[5]
    assert speeds[3] == pytest.approx(start, rel=1e-6)
    assert start - speeds[4] == pytest.approx(0.004 * GRAVITY / m.body_inertia[1, 2] * d.time, rel=0.05)


@cones
def test_s02_c04_rolling_stops_with_rolling_friction_only(cone: int) -> None:
    speeds = {}
    for condim in (3, 4, 6):
        m = scene(ball(condim, friction="1 .005 .01"))
        m.opt.cone = cone
        d = corten.Data(m)
        d.qvel[0], d.qvel[4] = 0.5, 5.0  # rolling without slip
        for _ in range(10):
            corten.step(m, d, 100)
            corten.forward(m, d)
            force = utilities.contact_force(m, d, 0)
            assert np.abs(force[4:]).max() <= 0.01 * force[0] * (1 + 1e-9)
        speeds[condim] = np.linalg.norm(d.qvel[:2])
    assert speeds[3] == pytest.approx(0.5, rel=1e-2)
    assert speeds[4] == pytest.approx(0.5, rel=1e-2)
    assert speeds[6] < 1e-2


ICE = """
    <body pos="-.3 0 .0499"><freejoint/><geom size=".05" condim="6" friction="1 .005 .01" mass="1"/></body>
    <body pos=".3 0 .0499"><freejoint/><geom size=".05" condim="1" mass="1"/></body>
    <geom type="plane" size="1 1 .1" condim="{}" friction="1 .005 .0001"/>"""


@solvers
@cones
def test_s02_c05_c11_c12_dimensions_can_be_mixed(solver: Solver, cone: int) -> None:
    """A ball that rolls to rest beside one that slides for ever; every solver converges on them."""
    m = scene(ICE.format(1), 'timestep=".001"')
    m.opt.cone, m.opt.solver = cone, solver
    d = corten.Data(m)
    d.qvel[[0, 4]] = 0.05, 1.0
    d.qvel[[6, 10]] = 0.05, 0.0
    corten.step(m, d, 1500)
    corten.forward(m, d)
    assert list(d.contact.dim) == [6, 1]
    assert int(d.solver_niter.max()) < m.opt.iterations
    np.testing.assert_allclose(d.qvel[:6], 0.0, atol=2e-3)
    assert d.qvel[6] == pytest.approx(0.05, rel=1e-9)
    for i in range(2):
        assert utilities.contact_force(m, d, i)[0] == pytest.approx(GRAVITY, rel=1e-3)


@pytest.mark.parametrize("one", [1, 3, 4, 6])
@pytest.mark.parametrize("other", [1, 3, 4, 6])
def test_s02_c06_the_larger_dimension_counts(one: int, other: int) -> None:
    m = scene(
        f'<geom type="plane" size="1 1 1" condim="{one}"/><body><freejoint/><geom size=".1" condim="{other}"/></body>'
    )
    d = corten.Data(m)
    corten.forward(m, d)
    assert d.contact.dim[0] == max(one, other)


SLIDE = """
<mujoco><option cone="elliptic" impratio="10"/><worldbody>
  <geom name="floor" type="plane" size="5 5 .1"/>
  <body pos="0 0 .0999"><freejoint/><geom name="box" type="box" size=".1 .1 .1" mass="1"/></body>
</worldbody><contact><pair geom1="floor" geom2="box" friction="{} .005 .0001 .0001"/></contact></mujoco>"""


@solvers
@pytest.mark.parametrize("across", [0.5, 0.25], ids=["circle", "ellipse"])
def test_s02_c08_c09_sliding_forces_are_on_the_cone(solver: Solver, across: float) -> None:
    """In every direction of motion the contacts push on the ellipse of their two coefficients, never outside it."""
    along = 0.5
    m = corten.Model.from_xml_string(SLIDE.format(f"{along} {across}"))
    m.opt.solver = solver
    d = corten.Data(m)
    sizes = []
    for angle in np.linspace(0.0, 2 * np.pi, 9):
        corten.reset(m, d)
        d.qvel[:2] = np.cos(angle), np.sin(angle)
        corten.forward(m, d)
        for i in range(d.ncon):
            force = utilities.contact_force(m, d, i)
            if force[0] > 1e-6:
                assert np.hypot(force[1] / along, force[2] / across) == pytest.approx(force[0], rel=1e-4)
                motion = d.contact.frame[i].reshape(3, 3)[1:] @ d.qvel[:3]
                assert force[1:3] @ motion < 0.0
                sizes.append(np.hypot(*force[1:3]) / force[0])
    assert max(sizes) == pytest.approx(max(along, across), rel=1e-3)
    assert min(sizes) == pytest.approx(min(along, across), rel=1e-3)


TOUCHING = """
<mujoco><option cone="elliptic" gravity="0 0 0"/>
  <default><geom condim="6" margin="1"/></default>
  <worldbody>
    <body pos="0 0 1"><joint axis="1 2 3" pos=".1 0 0"/><joint type="slide" axis="1 0 1"/>
      <geom type="capsule" size=".05 .1" euler="20 0 0" contype="0" conaffinity="0"/>
      <body pos=".2 0 0"><joint type="ball"/><geom name="one" size=".1"/></body>
    </body>
    <body pos=".5 .1 1.1" euler="10 20 30"><freejoint/><geom name="two" size=".1"/></body>
  </worldbody>
</mujoco>"""


def turning(m: corten.Model, d: corten.Data, dof: int) -> np.ndarray:
    """Rate at which the second geom of contact 0 turns relative to the first as a dof moves, by differences."""
    rates = []
    for geom in d.contact.geom[0]:
        turns = []
        for h in (1e-6, -1e-6):
            one, velocity = d.copy(), np.zeros(m.nv)
            velocity[dof] = 1.0
            utilities.integrate_pos(m, one.qpos, velocity, h)
            corten.forward(m, one)
            turns.append(one.geom_xmat[geom].reshape(3, 3))
        skew = (turns[0] - turns[1]) / 2e-6 @ d.geom_xmat[geom].reshape(3, 3).T
        rates.append(np.array([skew[2, 1], skew[0, 2], skew[1, 0]]))
    return rates[1] - rates[0]


def test_s02_c14_c15_rows_of_torques_are_rates_of_turning() -> None:
    """About the normal for the fourth row, about the tangents for the last two; for dofs of every kind of joint."""
    m = corten.Model.from_xml_string(TOUCHING)
    d = corten.Data(m)
    utilities.integrate_pos(m, d.qpos, np.random.default_rng(0).normal(size=m.nv), 0.1)
    corten.forward(m, d)
    assert d.ncon == 1 and d.nefc == 6
    jacobian, frame = dense_jacobian(m, d), d.contact.frame[0].reshape(3, 3)
    for dof in range(m.nv):
        np.testing.assert_allclose(jacobian[3:, dof], frame @ turning(m, d, dof), atol=1e-8, err_msg=str(dof))
    # a hinge, a slide, a ball joint, a free joint
    turns = [True, False, *[True] * 3, *[False] * 3, *[True] * 3]
    assert jacobian[3:].any(axis=0).tolist() == turns


@solvers
@cones
def test_s02_c16_without_friction_a_contact_is_a_row(solver: Solver, cone: int) -> None:
    m = scene(ICE.format(1).replace('condim="6"', 'condim="1"'))
    m.opt.cone, m.opt.solver = cone, solver
    d = corten.Data(m)
    corten.forward(m, d)
    assert d.nefc == d.ncon == 2
    assert set(d.efc_type[: d.nefc]) == {ConstraintType.CONTACT_FRICTIONLESS}
    np.testing.assert_allclose(d.qfrc_constraint[[2, 8]], d.efc_force[:2])


@solvers
@cones
def test_s02_c17_a_warm_start_survives_a_change_of_dimension(solver: Solver, cone: int) -> None:
    """It is an acceleration, not forces of rows, so it can not be wrong for others: the solution is that from zero."""
    m = scene(ball(6, friction=".3 .02 .01") + '<body pos=".3 0 .0999"><freejoint/><geom size=".1"/></body>')
    m.opt.cone, m.opt.solver, m.opt.iterations, m.opt.tolerance = cone, solver, 2000, 1e-14
    d = corten.Data(m)
    d.qvel[:] = 0.1
    corten.step(m, d, 50)
    for condim in (6, 1, 4, 3):
        m.geom_condim[:] = condim
        one, cold = d.copy(), d.copy()
        corten.forward(m, one)
        m.opt.disableflags |= DisableBit.WARMSTART
        corten.forward(m, cold)
        m.opt.disableflags &= ~DisableBit.WARMSTART
        assert set(one.contact.dim) == {condim}
        np.testing.assert_allclose(one.qacc, cold.qacc, atol=1e-5 * np.abs(cold.qacc).max())


@solvers
@cones
def test_s02_c18_contacts_may_all_vanish(solver: Solver, cone: int) -> None:
    """A ball that is lifted off the floor falls freely, and lands again."""
    m = scene(ball(6))
    m.opt.cone, m.opt.solver = cone, solver
    d = corten.Data(m)
    corten.step(m, d, 10)
    assert d.ncon == 1
    d.qpos[2] = 0.2
    corten.step(m, d)
    assert d.ncon == d.nefc == 0
    np.testing.assert_array_equal(d.qacc, d.qacc_smooth)
    corten.step(m, d, 500)
    assert d.ncon == 1
    assert d.qpos[2] == pytest.approx(0.1, abs=1e-3)
