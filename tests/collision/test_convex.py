"""Pairs without closed form against the reference: several points, height fields, meshes on planes, distances."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import CONVEX_PAIRS, agreement, aligned_quat, place, random_quat
from contact_compare import Scene
from convex_scenes import CLOSED, assets, hilly, pair_xml

from corten.kernel import lane, lanes, stage
from corten.physics.collision.convex import convex

pytestmark = pytest.mark.reference

PAIRS = [p for p in CONVEX_PAIRS if p not in CLOSED]
FLAT = ("capsule", "cylinder", "box", "mesh", "brick", "sheet")


@stage
def distance(m, d, a, b, cutoff):
    """The distance of two geoms, into `touch_*`."""
    for l in lanes(d):
        convex(m, lane(d, l), a, b, 0.0, cutoff)


@pytest.mark.parametrize("pair", [p for p in PAIRS if set(p) <= set(FLAT)], ids="-".join)
def test_faces_on_faces(pair: tuple[str, str]) -> None:
    """Turned by multiples of 45 degrees, with several points of contact, clipped."""
    tally = agreement(pair, 25, (0.0,), True, aligned_quat)
    assert len(tally.different) <= 2, tally.different
    assert tally.touching >= 40


@pytest.mark.parametrize("pair", [("cylinder", "box"), ("box", "mesh"), ("cylinder", "brick")], ids="-".join)
def test_points_by_tilting(pair: tuple[str, str]) -> None:
    """With a margin, several points come from tilting the shapes."""
    tally = agreement(pair, 25, (0.03,), True)
    assert not tally.different
    assert tally.touching >= 40


@pytest.mark.parametrize("margin", [0.0, 0.03])
@pytest.mark.parametrize("kind", ["sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "ball"])
def test_height_fields(kind: str, margin: float) -> None:
    rng = np.random.default_rng(len(kind))
    scene, points = hilly(rng, kind, margin), 0
    for k in range(60):
        scene.ref_d.qpos[:3] = rng.uniform(-1.2, 1.2, 2).tolist() + [rng.uniform(0.0, 0.9)]
        scene.ref_d.qpos[3:] = random_quat(rng)
        scene.detect()
        assert scene.difference() == "", k
        points += scene.d.ncon
    assert points > 60


@pytest.mark.parametrize("mesh", ["mesh", "brick", "ball"])
@pytest.mark.parametrize("hull", [True, False])
def test_planes_and_meshes(mesh: str, hull: bool) -> None:
    """The lowest vertex and its neighbours, or, where the mesh collides with nothing else's hull, all vertices."""
    rng = np.random.default_rng(3)
    other = '<body pos="0 0 9"><freejoint/><geom size=".1"/></body>' if hull else ""
    scene = Scene(
        f"<mujoco><asset>{assets(rng)}</asset><worldbody><geom type='plane' size='1 1 1' euler='10 20 0' margin='.02'/>"
        f"<body><freejoint/><geom type='mesh' mesh='{mesh}'/></body>{other}</worldbody></mujoco>"
    )
    points = 0
    for k in range(150):
        scene.ref_d.qpos[:3] = rng.normal(size=3) * 0.1
        scene.ref_d.qpos[3:7] = scene.ref_m.geom_quat[0] if k % 3 == 0 else random_quat(rng)
        scene.detect()
        assert scene.difference() == "", k
        points += scene.d.ncon
    assert points > 100


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_distances(pair: tuple[str, str]) -> None:
    """Signed distances and nearest points. The reference sometimes reports 0 for polyhedra that are apart."""
    rng = np.random.default_rng(PAIRS.index(pair))
    scene, fromto, compared = Scene(pair_xml(pair, rng)), np.zeros(6), 0
    for k in range(60):
        place(scene, rng, [(-0.5, 0.0), (0.0, 3.0)][k % 2])
        scene.d.geom_xpos[:], scene.d.geom_xmat[:] = scene.ref_d.geom_xpos, scene.ref_d.geom_xmat
        a, b = np.argsort(scene.ref_m.geom_type, kind="stable")
        cutoff = [10.0, 0.1][k // 2 % 2]
        expected = scene.mujoco.mj_geomDistance(scene.ref_m, scene.ref_d, a, b, cutoff, fromto)
        distance(scene.m, scene.d, int(a), int(b), cutoff)
        if expected == 0.0:
            continue
        compared += 1
        assert bool(scene.d.ntouch) == (expected < cutoff)
        if expected < cutoff:
            assert scene.d.touch_dist[0] == pytest.approx(expected, abs=1e-12)
            np.testing.assert_allclose(scene.d.touch_pos[:2].ravel(), fromto, atol=1e-9)
    assert compared > 50
