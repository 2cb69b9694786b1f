"""Pairs of shapes with closed forms, against the reference: aligned, degenerate, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import EXACT_PAIRS, agreement, aligned_quat
from contact_compare import Scene

pytestmark = pytest.mark.reference


@pytest.mark.parametrize("pair", EXACT_PAIRS, ids="-".join)
def test_aligned_poses(pair: tuple[str, str]) -> None:
    """Turned by multiples of 45 degrees: parallel edges, faces on faces. Equal points may differ by the last bit."""
    tally = agreement(pair, 50, turn=aligned_quat)
    assert len(tally.different) <= 1, tally.different
    assert tally.touching >= 90


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
