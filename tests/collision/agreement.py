"""Contacts of every pair of shapes at random poses, against the reference: how often the same, how often right.

`python tests/collision/agreement.py [COUNT]` prints the table of docs/conformance.md, from COUNT poses in each band.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from contact_compare import Scene
from convex_scenes import CLOSED, SHAPES, hilly, pair_xml

from corten.conformance.contacts import match

MARGINS = (0.0, 0.03, 0.1)
# distance in units of the smallest size: (least, most)
BANDS = {"separated": (0.0, 0.5), "touching": (-1e-7, 1e-7), "shallow": (-0.05, 0.0), "deep": (-1.5, -0.05)}
FRESH = 25  # poses after which shapes get new sizes
PLANE_PAIRS = [("plane", k) for k in SHAPES]
HFIELD_PAIRS = [("hfield", k) for k in SHAPES]
CONVEX_PAIRS = list(itertools.combinations_with_replacement(SHAPES, 2))
PAIRS = [*PLANE_PAIRS, *HFIELD_PAIRS, *CONVEX_PAIRS]
# the points of these have one closed form, so they are the same to rounding
EXACT_PAIRS = [p for p in PAIRS if p in CLOSED or p[0] == "plane"]

Turn = Callable[[np.random.Generator], np.ndarray]


@dataclass
class Tally:
    """What came of comparing some poses."""

    poses: int = 0
    touching: int = 0  # poses with contacts
    different: list[str] = field(default_factory=list)  # that are not the same contacts, in words
    wrong: list[str] = field(default_factory=list)  # those of them that geometry does not excuse

    def same(self) -> float:
        """Share of poses with the same contacts."""
        return 1 - len(self.different) / self.poses

    def right(self) -> float:
        """Share of poses with the same contacts or others as good."""
        return 1 - len(self.wrong) / self.poses


def random_quat(rng: np.random.Generator) -> np.ndarray:
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def aligned_quat(rng: np.random.Generator) -> np.ndarray:
    """A turn by a multiple of 45 degrees about an axis of the frame."""
    q = np.zeros(4)
    angle = rng.integers(0, 4) * np.pi / 4
    q[0], q[1 + rng.integers(3)] = np.cos(angle), np.sin(angle)
    return q


def place(scene: Scene, rng: np.random.Generator, band: tuple[float, float], turn: Turn = random_quat) -> None:
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


def place_on_hills(scene: Scene, rng: np.random.Generator, band: tuple[float, float]) -> None:
    """Turn the body at random, find the height at which it touches the hills, and lift it from there by the band."""
    d, m = scene.ref_d, scene.ref_m
    d.qpos[:2], d.qpos[3:] = rng.uniform(-0.9, 0.9, 2), random_quat(rng)
    low, high = -0.5, 2.0
    for _ in range(40):
        d.qpos[2] = 0.5 * (low + high)
        scene.mujoco.mj_kinematics(m, d)
        scene.mujoco.mj_collision(m, d)
        apart = d.ncon == 0 or d.contact.dist.min() > 0
        low, high = (low, d.qpos[2]) if apart else (d.qpos[2], high)
    d.qpos[2] += rng.uniform(*band) * m.geom_size[1][m.geom_size[1] > 0].min()


def grazing(scene: Scene) -> bool:
    """Whether the deepest contact is within rounding of the margin, so that there need be none."""
    dist = [*scene.d.contact.dist, *scene.ref_d.contact.dist]
    return not dist or min(dist) > scene.m.geom_margin.sum() - 1e-9


def agreement(
    pair: tuple[str, str],
    count: int,
    margins: tuple[float, ...] = MARGINS,
    multi: bool = False,
    turn: Turn = random_quat,
) -> Tally:
    """`count` poses in each band, with new sizes and another margin now and then."""
    rng = np.random.default_rng(PAIRS.index(pair))
    tally = Tally()
    for k, (name, band) in enumerate(BANDS.items()):
        for n in range(count):
            if n % FRESH == 0:
                margin = margins[(k + n // FRESH) % len(margins)]
                hills = pair[0] == "hfield"
                scene = hilly(rng, pair[1], margin) if hills else Scene(pair_xml(pair, rng, margin, multi))
            place_on_hills(scene, rng, band) if hills else place(scene, rng, band, turn)
            scene.detect()
            tally.poses += 1
            tally.touching += scene.ref_d.ncon > 0
            difference = scene.difference()
            if difference and not grazing(scene):
                tally.different.append(f"{name} {n}: {difference}")
                tally.wrong += match(scene.ref_m, scene.ref_d, scene.d).wrong[:1]
    return tally


def table(count: int) -> str:
    """Percentages of poses with the same contacts, pair by pair, and below how many are as right."""
    tallies = {pair: agreement(pair, count) for pair in PAIRS}
    lines = ["".ljust(10) + "".join(k.rjust(10) for k in SHAPES)]
    for first in ("plane", "hfield", *SHAPES):
        row = [tallies.get((first, second)) for second in SHAPES]
        lines.append(first.ljust(10) + "".join(f"{100 * t.same():.2f}".rjust(10) if t else " " * 10 for t in row))
    poses = sum(t.poses for t in tallies.values())
    touching = sum(t.touching for t in tallies.values())
    right = {pair: 100 * t.right() for pair, t in tallies.items()}
    worst = min(right, key=lambda pair: right[pair])
    lines.append(f"{poses} poses, {touching} with contacts; the same or as right: {right[worst]:.2f} % at least")
    return "\n".join(line.rstrip() for line in lines)


if __name__ == "__main__":
    print(table(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
