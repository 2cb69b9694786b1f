"""Convex shapes by physics alone: nothing is lost, nothing is NaN, and depths are what support functions say."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import CONVEX_PAIRS
from convex_scenes import CLOSED, evenly, option, overlap, pairs_xml, text

import corten
from corten.engine import run
from corten.physics.collision import collision
from corten.physics.kinematics import kinematics

PAIRS = [p for p in CONVEX_PAIRS if p not in CLOSED]
AROUND = evenly(1500)
COARSE = 0.06  # what the depth may be overestimated by with these directions, by the size of the shapes
CONVERGED = 0.7  # deep in each other, round shapes are given up to so much less than their depth, as the reference does
SIZE = 0.3  # of the largest shapes at scale 1, from the centre to the farthest corner, roughly
KINDS = ("anywhere", "quarter turns", "along an axis", "one centre, aligned", "one centre", "nearly one centre")


def poses(rng: np.random.Generator, count: int, kind: str, scale: float) -> np.ndarray:
    """qpos of `count` pairs: the first of each at the origin."""
    qpos = np.zeros((count, 2, 7))
    q = rng.normal(size=(count, 2, 4))
    if kind in ("quarter turns", "along an axis", "one centre, aligned", "nearly one centre"):
        half = rng.integers(4, size=(count, 2)) * np.pi / 4
        axes = np.eye(3)[rng.integers(3, size=(count, 2))]
        q = np.concatenate([np.cos(half)[..., None], np.sin(half)[..., None] * axes], axis=-1)
    qpos[..., 3:] = q / np.linalg.norm(q, axis=-1, keepdims=True)
    way = rng.normal(size=(count, 3))
    if kind == "along an axis":
        way = np.eye(3)[rng.integers(3, size=count)]
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    length = rng.uniform(0.0, 0.5, count)
    if kind.startswith("one centre"):
        length[:] = 0.0
    if kind == "nearly one centre":
        length = 10.0 ** rng.uniform(-17, -2, count)
    qpos[:, 1, :3] = scale * length[:, None] * way
    return qpos.ravel()


def detect(m: corten.Model, d: corten.Data) -> None:
    run(kinematics, m, d)()
    run(collision, m, d)()
    while d.ncon < d.ncon_wanted:
        d.grow({"nconcap": d.ncon_wanted})
        run(collision, m, d)()


def fuzz(kind: str, scale: float, rounds: int, seed: int = 0, searched: float = 1.0) -> int:
    """Poses tried. Every pair is judged by its support functions along the normal; a share of them all round."""
    rng = np.random.default_rng(seed)
    tolerance = 2e-5 * max(1.0, scale)
    m = corten.Model.from_xml_string(pairs_xml(PAIRS, rng, scale))
    m.opt.ccd_iterations = 100
    d = corten.Data(m)
    for _ in range(rounds):
        d.qpos[:] = poses(rng, len(PAIRS), kind, scale)
        detect(m, d)
        contact = d.contact
        for name in ("dist", "pos", "frame"):
            assert np.isfinite(getattr(contact, name)).all(), name
        first = np.minimum(contact.geom[:, 0], contact.geom[:, 1])
        for k, pair in enumerate(PAIRS):
            mine = np.flatnonzero(first == 2 * k)
            if len(mine) == 0:
                least = overlap(m, d, 2 * k, 2 * k + 1, AROUND).min()
                assert least < COARSE * 2.0 * SIZE * scale, f"{pair}: {least} deep and no contact"
                continue
            i = mine[0]
            a, b = contact.geom[i]
            normal = contact.frame[i].reshape(3, 3)[0]
            deep, along = -contact.dist[i], overlap(m, d, a, b, normal[None])[0]
            assert along >= deep - tolerance, f"{pair}: {along} deep along the normal, not {deep}"
            if rng.random() < searched:
                least = overlap(m, d, a, b, AROUND).min()
                assert CONVERGED * least - tolerance <= deep + COARSE * SIZE * scale, (
                    f"{pair}: {least} deep, not {deep}"
                )
                assert deep <= least + tolerance, f"{pair}: {least} deep, not {deep}"
    return rounds * len(PAIRS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [1.0, 1e-2, 30.0])
def test_any_pose(kind: str, scale: float) -> None:
    assert fuzz(kind, scale, 10) > 300


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_million_poses(kind: str) -> None:
    tried, seed = 0, 0
    while tried < 1_000_000 // len(KINDS):
        seed += 1
        tried += fuzz(kind, 10.0 ** (seed % 4 - 2), 100, seed, 0.02)


def two(
    first: str, second: str, place: tuple[float, float, float], assets: str = "", multi: bool = False
) -> corten.Data:
    """Contacts of two geoms, the second at a place."""
    m = corten.Model.from_xml_string(
        f"<mujoco>{option(multi)}<asset>{assets}</asset><worldbody>{first}"
        f'<body pos="{text(np.array(place))}"><freejoint/>{second}</body></worldbody></mujoco>'
    )
    m.opt.ccd_iterations = 100
    d = corten.Data(m)
    detect(m, d)
    return d


def turned(geom: str, quat: str) -> str:
    return geom.replace("<geom ", f'<geom quat="{quat}" ')


def test_aligned_boxes_are_not_lost() -> None:
    """Boxes side by side whose search for the origin goes round in circles: tetrahedra with all corners in a plane."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    sheet = f'<mesh name="m" vertex="{text(corners * [0.2, 0.15, 0.001])}"/>'
    box = turned(
        '<geom type="box" size="0.215706904 0.297828148 0.123889088"/>', "0.7071067811865476 0.7071067811865475 0 0"
    )
    other = turned('<geom type="mesh" mesh="m"/>', "-0.7071067811865475 0.7071067811865476 0 0")
    contact = two(box, other, (0.32898276000966115, 0, 0), sheet).contact[0]
    assert contact.dist == pytest.approx(-0.0867, abs=1e-3)
    np.testing.assert_allclose(np.abs(contact.frame[:3]), [1, 0, 0], atol=1e-3)


@pytest.mark.parametrize("sizes", [(2, 1.5, 1), (4, 3, 5), (1, 1, 1), (0.382, 0.577, 0.722)])
def test_one_box_in_its_double_is_not_lost(sizes: tuple[float, float, float]) -> None:
    """However its proportions are to the way in which shapes are moved where no polytope is found."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * sizes
    m = corten.Model.from_xml_string(
        f'<mujoco><asset><mesh name="m" vertex="{text(corners)}"/></asset><worldbody>'
        + '<body><freejoint/><geom type="mesh" mesh="m"/></body>' * 2
        + "</worldbody></mujoco>"
    )
    d = corten.Data(m)
    for angle in (0.0, np.pi / 4):
        d.qpos[3:7] = d.qpos[10:14] = np.cos(angle), 0.0, 0.0, np.sin(angle)
        d.qpos[7:10] = -1.2129869795472576e-18, -9.4825229064639194e-17, 2.8048880127739656e-16
        detect(m, d)
        assert d.ncon == 1 and d.contact.dist[0] == pytest.approx(-2 * min(sizes), rel=1e-3)


def test_ellipsoids_by_hand() -> None:
    """Two ellipsoids with axes 0.1, 0.2, 0.3, their centres 0.55 apart along z, and the other way along x."""
    ellipsoid = '<geom type="ellipsoid" size=".1 .2 .3"/>'
    contact = two(ellipsoid, ellipsoid, (0, 0, 0.55)).contact[0]
    assert contact.dist == pytest.approx(-0.05, abs=1e-4)
    np.testing.assert_allclose(contact.pos, [0, 0, 0.275], atol=1e-3)
    np.testing.assert_allclose(contact.frame[:3], [0, 0, 1], atol=1e-2)
    assert two(ellipsoid, ellipsoid, (0.21, 0, 0)).ncon == 0


def test_a_box_on_a_mesh_rests_on_four_corners() -> None:
    """A box of half sizes 0.1 on the top, at 0.2, of a mesh that is a larger box: corners of the box, 0.01 deep."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * [0.5, 0.4, 0.2]
    mesh = f'<mesh name="m" vertex="{text(corners)}"/>'
    d = two('<geom type="mesh" mesh="m"/>', '<geom type="box" size=".1 .1 .1"/>', (0.05, 0.02, 0.29), mesh, True)
    assert d.ncon == 4
    np.testing.assert_allclose(d.contact.dist, -0.01, atol=1e-7)
    xy = d.contact.pos[np.lexsort(d.contact.pos[:, 1::-1].round(6).T), :2] - [0.05, 0.02]
    np.testing.assert_allclose(np.abs(xy), 0.1, atol=1e-7)
    assert len({tuple(np.sign(p)) for p in xy}) == 4
    np.testing.assert_allclose(d.contact.pos[:, 2], 0.195, atol=1e-7)


def test_a_cylinder_on_its_end_stands_on_several_points() -> None:
    d = two('<geom type="box" size="1 1 .1"/>', '<geom type="cylinder" size=".1 .1"/>', (0.1, 0.05, 0.19), "", True)
    assert d.ncon >= 4
    np.testing.assert_allclose(d.contact.dist, -0.01, atol=1e-6)
    offsets = d.contact.pos[:, :2] - [0.1, 0.05]
    angles = np.sort(np.arctan2(offsets[1:, 1], offsets[1:, 0]))
    assert np.diff(np.append(angles, angles[0] + 2 * np.pi)).max() < np.pi


def test_few_iterations_end() -> None:
    """However few iterations are allowed, there is an answer, and a contact is no deeper than the shapes are."""
    rng = np.random.default_rng(0)
    for iterations in (1, 2, 5, 500):
        m = corten.Model.from_xml_string(pairs_xml(PAIRS, rng))
        m.opt.ccd_iterations, m.opt.ccd_tolerance = iterations, 1e-12
        d = corten.Data(m)
        d.qpos[:] = poses(rng, len(PAIRS), "anywhere", 1.0)
        detect(m, d)
        assert np.isfinite(d.contact.dist).all() and (d.contact.dist > -2.0).all()
