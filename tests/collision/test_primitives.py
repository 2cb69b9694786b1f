"""Pairs of shapes with closed forms, against the reference: separated, touching, shallow, deep; aligned; degenerate."""

from __future__ import annotations

import numpy as np
import pytest
from contact_compare import Scene

pytestmark = pytest.mark.reference

SIZES = {"plane": 0, "sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3}
PAIRS = [("plane", other) for other in ("sphere", "capsule", "ellipsoid", "cylinder", "box")] + [
    ("sphere", "sphere"),
    ("sphere", "capsule"),
    ("sphere", "cylinder"),
    ("sphere", "box"),
    ("capsule", "capsule"),
    ("capsule", "box"),
    ("box", "box"),
]
MARGINS = (0.0, 0.02, 0.2)
# distance in units of the smaller size: (least, most)
BANDS = {"separated": (0.0, 0.5), "touching": (-1e-7, 1e-7), "shallow": (-0.05, 0.0), "deep": (-1.5, -0.05)}


def geom(kind: str, rng: np.random.Generator, margin: float) -> str:
    size = " ".join(f"{s:.6g}" for s in rng.uniform(0.05, 0.5, SIZES[kind])) or "5 5 0.1"
    text = f'<geom type="{kind}" size="{size}" margin="{margin}" gap="{margin / 4}"/>'
    return text if kind == "plane" else f"<body><freejoint/>{text}</body>"


def pair_scene(pair: tuple[str, str], rng: np.random.Generator, margin: float) -> Scene:
    return Scene(f"<mujoco><worldbody>{''.join(geom(k, rng, margin) for k in pair)}</worldbody></mujoco>")


def random_quat(rng: np.random.Generator) -> np.ndarray:
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def aligned_quat(rng: np.random.Generator) -> np.ndarray:
    """A turn by a multiple of 45 degrees about an axis of the frame."""
    q = np.zeros(4)
    angle = rng.integers(0, 4) * np.pi / 4
    q[0], q[1 + rng.integers(3)] = np.cos(angle), np.sin(angle)
    return q


def place(scene: Scene, rng: np.random.Generator, band: tuple[float, float], turn=random_quat) -> None:
    """Turn all bodies at random and bring the last one to a distance in the band from the other geom."""
    d, m = scene.ref_d, scene.ref_m
    size = m.geom_size[m.geom_type != 0]
    target = rng.uniform(*band) * size[size > 0].min()
    for b in range(m.nq // 7):
        d.qpos[7 * b : 7 * b + 3], d.qpos[7 * b + 3 : 7 * b + 7] = 0.0, turn(rng)
    way = rng.normal(size=3)
    way = way / np.linalg.norm(way) if m.nq > 7 else np.array([0.0, 0.0, 1.0])
    inner, outer = (0.0, 2.0 * m.geom_rbound.sum() + 1.0) if m.nq > 7 else (-2.0, 2.0)
    for _ in range(40):
        middle = 0.5 * (inner + outer)
        d.qpos[-7:-4] = middle * way
        scene.mujoco.mj_kinematics(m, d)
        far = scene.mujoco.mj_geomDistance(m, d, 0, 1, 10.0, None) > target
        inner, outer = (inner, middle) if far else (middle, outer)


def failures(pair: tuple[str, str], count: int, turn=random_quat) -> tuple[list[str], int]:
    """(what is different, poses that touch) over `count` poses in each band, with fresh shapes now and then."""
    rng = np.random.default_rng(PAIRS.index(pair))
    wrong, touching = [], 0
    for k, (name, band) in enumerate(BANDS.items()):
        for n in range(count):
            if n % 25 == 0:
                scene = pair_scene(pair, rng, MARGINS[(k + n // 25) % 3])
            place(scene, rng, band, turn)
            scene.detect()
            touching += scene.ref_d.ncon > 0
            difference = scene.difference()
            if difference and not grazing(scene):
                wrong.append(f"{name} {n}: {difference}")
    return wrong, touching


def grazing(scene: Scene) -> bool:
    """Whether a pair is so near to its margin that rounding decides whether it touches."""
    if len(scene.d.contact) and scene.ref_d.ncon:
        return False
    dist = [*scene.d.contact.dist, *scene.ref_d.contact.dist]
    return bool(dist) and min(dist) > scene.m.geom_margin.sum() - 1e-12


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_random_poses(pair: tuple[str, str]) -> None:
    wrong, touching = failures(pair, 50)
    assert not wrong
    assert touching >= 100


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_aligned_poses(pair: tuple[str, str]) -> None:
    """Turned by multiples of 45 degrees: parallel edges, faces on faces. Equal points may differ by the last bit."""
    wrong, touching = failures(pair, 50, aligned_quat)
    assert len(wrong) <= 1, wrong
    assert touching >= 90


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_many_random_poses(pair: tuple[str, str]) -> None:
    wrong, _ = failures(pair, 1000)
    assert not wrong


@pytest.mark.plain
def test_concentric() -> None:
    """Balls with one centre, a sphere in the middle of a box, a capsule along the axis of another."""
    shapes = [
        '<geom size="0.1"/>',
        '<geom size="0.1"/>',
        '<geom type="box" size="0.2 0.3 0.4"/>',
        '<geom type="capsule" size="0.1 0.2"/>',
        '<geom type="capsule" size="0.1 0.2" euler="20 30 40"/>',
        '<geom type="cylinder" size="0.1 0.2"/>',
    ]
    bodies = "".join(f"<body><freejoint/>{s}</body>" for s in shapes)
    scene = Scene(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    scene.detect()
    closed = frozenset({(2, 2), (2, 3), (2, 5), (2, 6), (3, 3), (3, 6)})
    assert scene.difference(closed) == ""
    assert len(scene.chosen(scene.d.contact.geom, closed)) >= 12


@pytest.mark.plain
def test_balls_by_hand() -> None:
    """Two balls of radius 0.1 whose centres are 0.15 apart along y."""
    ball = '<body pos="0 {} 0"><freejoint/><geom size="0.1"/></body>'
    scene = Scene(f"<mujoco><worldbody>{ball.format(0)}{ball.format(0.15)}</worldbody></mujoco>")
    scene.detect()
    contact = scene.d.contact[0]
    assert contact.dist == pytest.approx(-0.05, abs=1e-15)
    np.testing.assert_allclose(contact.pos, [0.0, 0.075, 0.0], atol=1e-15)
    np.testing.assert_allclose(contact.frame.reshape(3, 3), [[0, 1, 0], [0, 0, 1], [1, 0, 0]], atol=1e-15)
