"""Trajectories: many steps from one state under the same random controls."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from .compare import Difference, compare
from .contacts import match
from .engines import read
from .exactness import Nudge
from .forward import Pair
from .stages import CONTACT_STEPS, LARGEST, TRAJECTORY_STEPS, TRAJECTORY_TOLERANCE
from .states import State, random_ctrl


def compare_trajectory(pair: Pair, state: State, integrator: str, seed: int = 0) -> tuple[list[Difference], bool]:
    """qpos and qvel after `TRAJECTORY_STEPS` steps, or after `CONTACT_STEPS` where there is contact.

    Also whether the trajectory could be judged to its end: it stops before the first step whose contacts are valid in
    both engines but not the same, since from there on the two are both right and apart. A state that both engines are
    to throw away at the next step, being bad, has no digits to compare.
    """
    label = f"{state.label}, {integrator}"
    m, (reference, ours) = pair.models[0], pair.data
    controls = list(_controls(m, seed, TRAJECTORY_STEPS))
    pair.set(state)
    touched, unique, found = False, True, []
    compares_contacts = read(ours, "contact.pos") is not None
    if compares_contacts:
        pair.each("forward")  # some integrators leave the contacts of a later moment than the state's own
        contacts = match(m, reference, ours)
        if not contacts.unique and not contacts.wrong:
            return [], False
        pair.set(state)
    for step in range(1, TRAJECTORY_STEPS + 1):
        for d in pair.data:
            if m.nu:
                d.ctrl[:] = controls[step - 1]
        pair.each("step")
        touched = touched or reference.ncon > 0
        if (reference.ncon or ours.ncon) and compares_contacts:
            contacts = match(m, reference, ours)
            if not contacts.unique and not contacts.wrong:
                unique = False
                break
        if bad(reference) and bad(ours):
            continue
        found = _differences(pair, f"{label}, step {step}")
        if not all(x.passed for x in found):
            exactness = pair.exactness(state, partial(_follow, pair, controls[:step]))
            found = [exactness.allow(x) for x in found]
            break
        if touched and step >= CONTACT_STEPS:
            break
    return found, unique


def bad(d: Any) -> bool:
    """Whether the state is one that the engines give up: not finite, or beyond the largest number that they allow."""
    return not all(np.all(np.abs(read(d, name)) <= LARGEST) for name in ("qpos", "qvel"))


def _controls(m: Any, seed: int, count: int) -> Iterator[np.ndarray]:
    """Random controls, one set for each step."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield random_ctrl(m, rng)


def _follow(pair: Pair, controls: list[np.ndarray], m: Any, d: Any, nudge: Nudge) -> None:
    """The reference's steps under given controls."""
    for ctrl in controls:
        if m.nu:
            d.ctrl[:] = ctrl
        nudge(d)
        pair.reference.step(m, d)


def _differences(pair: Pair, label: str) -> list[Difference]:
    reference, ours = pair.data
    names = ("qpos", "qvel", "act") if pair.models[0].na else ("qpos", "qvel")
    return [
        compare("trajectory", n, label, read(reference, n), read(ours, n), TRAJECTORY_TOLERANCE)
        for n in names
        if read(ours, n) is not None
    ]
