"""Jacobians, inertia, positions, motions and forces, each against the reference's function of the same name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from elements import centred_difference
from mechanism import loaded, mechanism
from twins import Twins

import corten
from corten import utilities
from corten.engine import SimulationError

POINT, AXIS = np.array([0.1, 0.2, 0.3]), np.array([0.3, -0.4, 0.5])
BODIES = range(6)


@pytest.fixture(scope="module")
def twins() -> Twins:
    both = loaded(mechanism('<accelerometer site="tip"/>'), 1)
    both.forward()
    return both


def reference_jacobian(twins: Twins, function: str, *args: object) -> np.ndarray:
    jac = np.zeros((2, 3, twins.m.nv))
    getattr(twins.mujoco, function)(twins.ref_m, twins.ref_d, jac[0], jac[1], *args)
    return jac


@pytest.mark.reference
@pytest.mark.parametrize("body", BODIES)
def test_jacobians_of_bodies(twins: Twins, body: int) -> None:
    m, d = twins.m, twins.d
    cases = {
        "mj_jac": (utilities.jac(m, d, POINT, body), (POINT, body)),
        "mj_jacBody": (utilities.jac_body(m, d, body), (body,)),
        "mj_jacBodyCom": (utilities.jac_body_com(m, d, body), (body,)),
        "mj_jacDot": (utilities.jac_dot(m, d, POINT, body), (POINT, body)),
        "mj_jacPointAxis": (utilities.jac_point_axis(m, d, POINT, AXIS, body), (POINT, AXIS, body)),
    }
    for function, (mine, args) in cases.items():
        np.testing.assert_allclose(mine, reference_jacobian(twins, function, *args), atol=1e-12, err_msg=function)
    theirs = np.zeros((3, m.nv))
    twins.mujoco.mj_jacSubtreeCom(twins.ref_m, twins.ref_d, theirs, body)
    np.testing.assert_allclose(utilities.jac_subtree_com(m, d, body), theirs, atol=1e-12)


@pytest.mark.reference
def test_jacobians_of_sites_and_geoms(twins: Twins) -> None:
    m, d = twins.m, twins.d
    site, geom = m.names.find("site", "tip"), m.names.find("geom", "tip")
    np.testing.assert_allclose(
        utilities.jac_site(m, d, "tip"), reference_jacobian(twins, "mj_jacSite", site), atol=1e-12
    )
    np.testing.assert_allclose(
        utilities.jac_geom(m, d, "tip"), reference_jacobian(twins, "mj_jacGeom", geom), atol=1e-12
    )


@pytest.mark.reference
def test_rate_of_a_jacobian_is_its_derivative(twins: Twins) -> None:
    """The acceleration of a point with no acceleration of the dofs, against positions before and after."""
    m = twins.m
    body = m.names.find("body", "tip")
    expected = centred_difference(lambda h: _site_velocity(twins, h), 1e-4)
    rate, _ = utilities.jac_dot(m, twins.d, twins.d.site_xpos[m.names.find("site", "tip")], body)
    np.testing.assert_allclose(rate @ twins.d.qvel, expected, atol=1e-8)


def _site_velocity(twins: Twins, h: float) -> np.ndarray:
    d = twins.d.copy()
    utilities.integrate_pos(twins.m, d.qpos, d.qvel, h)
    corten.forward(twins.m, d)
    return utilities.object_velocity(twins.m, d, "site", "tip")[1]


@pytest.mark.reference
def test_inertia(twins: Twins) -> None:
    m, d = twins.m, twins.d
    full = np.zeros((m.nv, m.nv))
    twins.mujoco.mj_fullM(twins.ref_m, full, twins.ref_d.qM)
    np.testing.assert_allclose(utilities.full_mass_matrix(m, d), full, atol=1e-12)
    x = np.random.default_rng(0).normal(size=(3, m.nv))
    np.testing.assert_allclose(utilities.mul_m(m, d, x), x @ full, atol=1e-11)
    np.testing.assert_allclose(utilities.mul_m(m, d, x[0]), full @ x[0], atol=1e-11)
    np.testing.assert_allclose(utilities.solve_m(m, d, utilities.mul_m(m, d, x)), x, atol=1e-9)


@pytest.mark.reference
def test_positions(twins: Twins) -> None:
    m, ref_m, mujoco = twins.m, twins.ref_m, twins.mujoco
    rng = np.random.default_rng(3)
    v, start = rng.normal(size=m.nv), twins.d.qpos.copy()
    mine, theirs = start.copy(), start.copy()
    utilities.integrate_pos(m, mine, v, 0.4)
    mujoco.mj_integratePos(ref_m, theirs, v, 0.4)
    np.testing.assert_allclose(mine, theirs, atol=1e-14)
    found = np.zeros(m.nv)
    utilities.differentiate_pos(m, found, 0.4, start, mine)
    np.testing.assert_allclose(found, v, atol=1e-13)
    mine = theirs = start + 0.3 * rng.normal(size=m.nq)
    theirs = mine.copy()
    utilities.normalize_quat(m, mine)
    mujoco.mj_normalizeQuat(ref_m, theirs)
    np.testing.assert_allclose(mine, theirs, atol=1e-15)


OBJECTS = (("body", "tip"), ("xbody", "tip"), ("geom", "arm"), ("site", "tip"), ("camera", "target"))


@pytest.mark.reference
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(("kind", "name"), OBJECTS)
def test_motion_of_objects(twins: Twins, kind: str, name: str, local: bool) -> None:
    m, d = twins.m, twins.d
    table = "body" if kind == "xbody" else kind
    number, objtype = m.names.find(table, name), getattr(twins.mujoco.mjtObj, f"mjOBJ_{kind.upper()}")
    theirs = np.zeros(6)
    for function, mine in (
        ("mj_objectVelocity", utilities.object_velocity(m, d, kind, name, local)),
        ("mj_objectAcceleration", utilities.object_acceleration(m, d, kind, name, local)),
    ):
        getattr(twins.mujoco, function)(twins.ref_m, twins.ref_d, objtype, number, theirs, local)
        np.testing.assert_allclose(np.concatenate(mine), theirs, atol=1e-10, err_msg=function)


@pytest.mark.reference
def test_forces_and_frames(twins: Twins) -> None:
    m, d = twins.m, twins.d
    body = m.names.find("body", "tip")
    mine, theirs = np.ones(m.nv), np.ones(m.nv)
    utilities.apply_ft(m, d, AXIS, POINT, 2 * POINT, "tip", mine)
    twins.mujoco.mj_applyFT(twins.ref_m, twins.ref_d, AXIS, POINT, 2 * POINT, body, theirs)
    np.testing.assert_allclose(mine, theirs, atol=1e-13)
    site = m.names.find("site", "tip")
    xpos, xmat = utilities.local_to_global(m, d, "tip", m.site_pos[site], m.site_quat[site])
    np.testing.assert_allclose(xpos, d.site_xpos[site], atol=1e-14)
    np.testing.assert_allclose(xmat.ravel(), d.site_xmat[site], atol=1e-14)


WRONG: list[tuple[Callable[..., object], type[Exception], str]] = [
    (lambda m, d: utilities.jac_body(m, d, "tpi"), SimulationError, "did you mean 'tip'"),
    (lambda m, d: utilities.jac(m, d, [1, 2], "tip"), ValueError, "point holds 2 numbers where 3 are needed"),
    (lambda m, d: utilities.mul_m(m, d, [1, 2]), ValueError, r"x has the shape \(2,\)"),
    (lambda m, d: utilities.integrate_pos(m, [0.0] * m.nq, d.qvel, 1), TypeError, "qpos is changed in place"),
    (lambda m, d: utilities.differentiate_pos(m, d.qvel, 0, d.qpos, d.qpos), ValueError, "dt is 0"),
    (lambda m, d: utilities.normalize_quat(m, np.zeros(3)), ValueError, r"qpos has the shape \(3,\)"),
    (lambda m, d: utilities.object_velocity(m, d, "joint", "hinge"), ValueError, "has no frame"),
]


@pytest.mark.parametrize(("call", "error", "message"), WRONG)
def test_bad_arguments(call: Callable[..., object], error: type[Exception], message: str) -> None:
    m = corten.Model.from_xml_string(mechanism())
    with pytest.raises(error, match=message):
        call(m, corten.Data(m))
