"""State as one vector: what must be kept to go on from an instant, in parts that can be chosen."""

from __future__ import annotations

from enum import IntFlag

import numpy as np

from corten.kernel.record import Record
from corten.model.checks import SimulationError, check_data, reals, whole


class State(IntFlag):
    """Parts of the state, with MuJoCo's values, and the usual sums of them."""

    TIME = 1 << 0
    QPOS = 1 << 1
    QVEL = 1 << 2
    ACT = 1 << 3
    HISTORY = 1 << 4
    WARMSTART = 1 << 5
    CTRL = 1 << 6
    QFRC_APPLIED = 1 << 7
    XFRC_APPLIED = 1 << 8
    EQ_ACTIVE = 1 << 9
    MOCAP_POS = 1 << 10
    MOCAP_QUAT = 1 << 11
    USERDATA = 1 << 12
    PLUGIN = 1 << 13
    PHYSICS = QPOS | QVEL | ACT | HISTORY
    FULLPHYSICS = TIME | PHYSICS | PLUGIN
    USER = CTRL | QFRC_APPLIED | XFRC_APPLIED | EQ_ACTIVE | MOCAP_POS | MOCAP_QUAT | USERDATA
    INTEGRATION = FULLPHYSICS | USER | WARMSTART


# The field behind each part, in the order of the vector. There are no plugins, so that part is empty.
FIELDS = {
    State.TIME: "time",
    State.QPOS: "qpos",
    State.QVEL: "qvel",
    State.ACT: "act",
    State.HISTORY: "history",
    State.WARMSTART: "qacc_warmstart",
    State.CTRL: "ctrl",
    State.QFRC_APPLIED: "qfrc_applied",
    State.XFRC_APPLIED: "xfrc_applied",
    State.EQ_ACTIVE: "eq_active",
    State.MOCAP_POS: "mocap_pos",
    State.MOCAP_QUAT: "mocap_quat",
    State.USERDATA: "userdata",
}


def fields_of(parts: int) -> list[str]:
    """The Data fields of the chosen parts, in the order of the vector."""
    if whole(parts, "the choice of parts of the state") & ~int(State.INTEGRATION):
        raise SimulationError(f"{int(parts)} is no sum of parts of the state (corten.State)")
    return [name for part, name in FIELDS.items() if parts & part]


def state_size(record: Record, parts: int = State.FULLPHYSICS) -> int:
    """The length of the state vector of one world."""
    check_data(record)
    tail = record._element.tail("real")
    return sum(record.array(n).size for n in fields_of(parts)) // int(np.prod(tail, dtype=int))


def get_state(d: Record, parts: int = State.FULLPHYSICS) -> np.ndarray:
    """The chosen parts of the state as one vector."""
    check_data(d)
    return np.concatenate([np.zeros(0), *(d.array(n).ravel() for n in fields_of(parts))])


def set_state(d: Record, state: np.ndarray, parts: int = State.FULLPHYSICS) -> None:
    """Set the chosen parts of the state from one vector, the inverse of `get_state`."""
    vector = reals(state, "the state").ravel()
    size = state_size(d, parts)
    if len(vector) != size:
        raise SimulationError(f"a state of {len(vector)} numbers where {size} are needed")
    start = 0
    for name in fields_of(parts):
        array = d.array(name)
        array[...] = vector[start : start + array.size].reshape(array.shape)
        start += array.size
