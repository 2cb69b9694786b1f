"""The states in which the two engines are compared: the default, each keyframe, and random ones of a fixed seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from corten.model.enums import JointType

STATES = 8  # in all, unless the keyframes alone are more
LEAST_RANDOM = 2


@dataclass(slots=True)
class State:
    """Inputs of one forward pass, by the names of the fields that they are written to."""

    label: str
    values: dict[str, np.ndarray] = field(default_factory=dict)

    def write(self, d: Any) -> None:
        """Set the fields in the data of either engine."""
        for name, value in self.values.items():
            if name == "time":
                d.time = float(value)
            elif value.size:
                getattr(d, name)[...] = value.reshape(np.shape(getattr(d, name)))


def default_state(m: Any) -> State:
    """qpos0 at rest, mocap bodies where the file puts them."""
    values = {
        "time": np.zeros(()),
        "qpos": np.array(m.qpos0),
        "qvel": np.zeros(m.nv),
        "act": np.zeros(m.na),
        "ctrl": np.zeros(m.nu),
        "qfrc_applied": np.zeros(m.nv),
        "xfrc_applied": np.zeros((m.nbody, 6)),
        "eq_active": np.array(m.eq_active0),
    }
    mocap = np.flatnonzero(np.asarray(m.body_mocapid) >= 0)
    mocap = mocap[np.argsort(np.asarray(m.body_mocapid)[mocap])]
    values["mocap_pos"] = np.array(m.body_pos)[mocap]
    values["mocap_quat"] = np.array(m.body_quat)[mocap]
    return State("default", values)


def keyframe_states(m: Any) -> list[State]:
    """One state for each keyframe of the model."""
    states = []
    for k in range(m.nkey):
        state = default_state(m)
        state.label = f"keyframe {k}"
        for name in ("time", "qpos", "qvel", "act", "ctrl"):
            state.values[name] = np.array(getattr(m, f"key_{name}")[k])
        state.values["mocap_pos"] = np.reshape(m.key_mpos[k], (-1, 3)).copy()
        state.values["mocap_quat"] = np.reshape(m.key_mquat[k], (-1, 4)).copy()
        states.append(state)
    return states


def random_state(m: Any, rng: np.random.Generator, label: str) -> State:
    """Positions, controls and activations within their ranges, normal velocities, small applied forces."""
    state = default_state(m)
    state.label = label
    v = state.values
    v["qpos"] = random_qpos(m, rng)
    v["qvel"] = rng.normal(size=m.nv)
    v["ctrl"] = random_ctrl(m, rng)
    v["act"] = _random_act(m, rng)
    v["qfrc_applied"] = 0.1 * rng.normal(size=m.nv)
    v["xfrc_applied"][1:] = 0.1 * rng.normal(size=(m.nbody - 1, 6))
    v["mocap_pos"] = v["mocap_pos"] + 0.05 * rng.normal(size=v["mocap_pos"].shape)
    v["mocap_quat"] = _unit(v["mocap_quat"] + 0.05 * rng.normal(size=v["mocap_quat"].shape))
    return state


def states_of(m: Any, seed: int = 0) -> list[State]:
    """The default, each keyframe, and random states up to `STATES` in all, at least `LEAST_RANDOM` of them."""
    states = [default_state(m), *keyframe_states(m)]
    rng = np.random.default_rng(seed)
    count = max(LEAST_RANDOM, STATES - len(states))
    return states + [random_state(m, rng, f"random {i}") for i in range(count)]


def random_qpos(m: Any, rng: np.random.Generator) -> np.ndarray:
    """Hinges and slides within their range, or within 1 of zero; orientations uniform; free bodies near qpos0."""
    q = np.array(m.qpos0, float)
    for kind, start, limited, span in zip(m.jnt_type, m.jnt_qposadr, m.jnt_limited, m.jnt_range, strict=True):
        if kind == JointType.FREE:
            q[start : start + 3] += rng.uniform(-0.2, 0.2, 3)
            q[start + 3 : start + 7] = _unit(rng.normal(size=4))
        elif kind == JointType.BALL:
            q[start : start + 4] = _unit(rng.normal(size=4))
        else:
            q[start] = rng.uniform(*_finite(span)) if limited else rng.uniform(-1, 1)
    return q


def random_ctrl(m: Any, rng: np.random.Generator) -> np.ndarray:
    """Uniform in the control range, or within 1 of zero where there is none."""
    limited = np.asarray(m.actuator_ctrllimited, bool)[:, None]
    span = _finite(np.where(limited, m.actuator_ctrlrange, [-1.0, 1.0]))
    return rng.uniform(span[:, 0], span[:, 1])


def _random_act(m: Any, rng: np.random.Generator) -> np.ndarray:
    """Uniform in the activation range, or in [0, 1]."""
    act = rng.uniform(size=m.na)
    rows = zip(m.actuator_actadr, m.actuator_actnum, m.actuator_actlimited, m.actuator_actrange, strict=True)
    for start, count, limited, span in rows:
        if start >= 0 and limited:
            low, high = _finite(span)
            act[start : start + count] = rng.uniform(low, high, size=count)
    return act


def _finite(span: np.ndarray) -> np.ndarray:
    """Ranges with an end that is open replaced: 2 from the other end, or 1 from zero where both are."""
    low, high = np.asarray(span, float).T
    least = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2.0, -1.0))
    most = np.where(np.isfinite(high), high, np.where(np.isfinite(low), low + 2.0, 1.0))
    return np.stack((least, most), axis=-1)


def _unit(v: np.ndarray) -> np.ndarray:
    """Rows divided by their lengths."""
    return v / np.linalg.norm(v, axis=-1, keepdims=True)
