"""Running one kernel under every element type: worlds in lanes, tangents in duals, and what to compare them with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from corten.kernel.record import SINGLE, Element, Record
from corten.model.enums import JointType

WIDTHS = (2, 4, 8)
ELEMENTS = [SINGLE, *(Element("lanes", w) for w in WIDTHS), Element("dual", 3), Element("dual", 7)]


def element_name(element: Element) -> str:
    """A test's id."""
    return "one" if element == SINGLE else f"{element.kind}{element.n}"


def set_worlds(block: Record, worlds: Sequence[Record], fields: Sequence[str]) -> None:
    """Put fields of single worlds into the lanes of a block, going round the worlds if there are more lanes."""
    for lane in range(block._element.n):
        world = worlds[lane % len(worlds)]
        for name in fields:
            block.array(name)[..., lane] = world.array(name)


def assert_same_bits(block: Record, lane: int, world: Record, fields: Sequence[str]) -> None:
    """A lane of a block holds a single world's numbers, to the last bit."""
    for name in fields:
        mine, theirs = block.array(name)[..., lane], world.array(name)
        differ = ~((mine == theirs) | (np.isnan(mine) & np.isnan(theirs)))
        assert not differ.any(), f"{name} differs in lane {lane}: {mine[differ][:4]} against {theirs[differ][:4]}"


def computed_fields(record: Record, stages: set[str] | None = None) -> list[str]:
    """Real fields that stages write, in the order of the table, scratch left out."""
    fields = record._record_type.fields
    return [
        f.name for f in fields if f.stage and f.dtype == "real" and not f.ours and (not stages or f.stage in stages)
    ]


def centred_difference(f: Callable[[float], Any], step: float = 1e-6) -> np.ndarray:
    """f'(0), from both sides, with Richardson's extrapolation."""
    full = (np.asarray(f(step)) - np.asarray(f(-step))) / (2 * step)
    half = (np.asarray(f(step / 2)) - np.asarray(f(-step / 2))) / step
    return (4 * half - full) / 3


def position_seeds(m: Any, qpos: np.ndarray) -> np.ndarray:
    """The rates of qpos, (nq, nv), at unit velocities of the dofs; a quaternion q turns with q (0, w) / 2."""
    seeds = np.zeros((m.nq, m.nv))
    for kind, a, i in zip(m.jnt_type.tolist(), m.jnt_qposadr.tolist(), m.jnt_dofadr.tolist(), strict=True):
        linear = {JointType.FREE: 3, JointType.BALL: 0}.get(JointType(kind), 1)
        seeds[a : a + linear, i : i + linear] = np.eye(linear)
        if kind in (JointType.FREE, JointType.BALL):
            w, x, y, z = qpos[a + linear : a + linear + 4]
            turn = 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])
            seeds[a + linear : a + linear + 4, i + linear : i + linear + 3] = turn
    return seeds
