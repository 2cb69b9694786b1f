"""Keyframes: states given in the file, completed by the state at rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corten.mjcf.spec import MAX_NUMBERS, Item, Spec
from corten.model.enums import COORDINATES, DOFS, DynType, JointType

PARTS = ("qpos", "qvel", "act", "mpos", "mquat", "ctrl")


@dataclass(slots=True)
class StoredKey:
    """A keyframe taken apart: which parts it gives, and the values of each object in them."""

    name: str
    time: float
    parts: frozenset[str]
    states: dict[Item, dict[str, tuple[float, ...]]]

    @classmethod
    def take_apart(cls, key: Item, spec: Spec, name: str) -> StoredKey:
        """Share the values of a key among the objects of the model as it is now."""
        parts = frozenset(part for part in PARTS if key.values[part])
        used = dict.fromkeys(PARTS, 0)
        states: dict[Item, dict[str, tuple[float, ...]]] = {}
        for item, widths in _stateful(spec):
            state = {}
            for part, width in widths.items():
                if part in parts:
                    state[part] = key.values[part][used[part]:used[part] + width]
                    used[part] += width
            states[item] = state
        for part in parts:
            if used[part] != len(key.values[part]):
                key.fail(f"expected {used[part]} values, got {len(key.values[part])}", part)
        return cls(name, key.values["time"], parts, states)

    def renamed(self, name: str) -> StoredKey:
        """The same values under another name."""
        return StoredKey(name, self.time, self.parts, dict(self.states))

    def without_controls(self) -> StoredKey:
        """The same key without activations and controls."""
        states = {
            item: {part: values for part, values in state.items() if part not in ("act", "ctrl")}
            for item, state in self.states.items()
        }
        return StoredKey(self.name, self.time, self.parts, states)

    def put_together(self, spec: Spec, rest: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The parts for a whole model: values of objects that have some, the state at rest for the others."""
        result = {part: rest[part].copy() for part in self.parts}
        used = dict.fromkeys(PARTS, 0)
        for item, widths in _stateful(spec):
            state = self.states.get(item, {})
            for part, width in widths.items():
                if part in state:
                    result[part][used[part]:used[part] + width] = state[part]
                used[part] += width
        return result


def _stateful(spec: Spec) -> Any:
    """Objects with a state, in the order of the state vectors, with the length of each part."""
    for body in spec.world.subtree():
        if body.values.get("mocap"):
            yield body, {"mpos": 3, "mquat": 4}
        for joint in body.joints:
            yield joint, {"qpos": COORDINATES[joint.values["type"]], "qvel": DOFS[joint.values["type"]]}
    for link in spec.links["actuator"]:
        dim, stateless = link.values["actdim"], link.values["dyntype"] == DynType.NONE
        yield link, {"act": dim if dim > 0 else int(not stateless), "ctrl": 1}


def compile_keyframes(spec: Spec, sizes: dict[str, int], values: dict[str, Any]) -> dict[str, Any]:
    """The `key_*` arrays; quaternions are normalised."""
    body_pos, body_quat = np.array(values["body_pos"]), np.array(values["body_quat"])
    mocap = np.array(values["body_mocapid"]) >= 0
    rest = {
        "qpos": np.array(values["qpos0"], float),
        "qvel": np.zeros(sizes["nv"]),
        "act": np.zeros(sizes["na"]),
        "mpos": body_pos[mocap].ravel(),
        "mquat": body_quat[mocap].ravel(),
        "ctrl": np.zeros(sizes["nu"]),
    }
    width = 1 + sum(map(len, rest.values()))
    if spec.size["nkey"] * width > MAX_NUMBERS:
        spec.root.fail(f"asks for {spec.size['nkey']} keyframes of {width} numbers")
    filler = {**{part: np.zeros_like(value) for part, value in rest.items()}, "qpos": _unsaid_coordinates(spec)}
    rows = [_given(key, rest, filler) for key in spec.keys]
    times = [key.values["time"] for key in spec.keys]
    while len(rows) < spec.size["nkey"]:
        rows.append(rest)
        times.append(0.0)
    rows += [rest | key.put_together(spec, rest) for key in spec.stored_keys]
    times += [key.time for key in spec.stored_keys]
    count = len(rows)
    result: dict[str, Any] = {
        f"key_{part}": np.array([row[part] for row in rows]).reshape(count, len(rest[part])) for part in PARTS
    }
    result["key_time"] = times
    for kind, adr in zip(values["jnt_type"], values["jnt_qposadr"], strict=True):
        if kind in (JointType.FREE, JointType.BALL):
            start = adr + 3 * (kind == JointType.FREE)
            _normalise(result["key_qpos"][:, start:start + 4])
    result["key_mpos"] = result["key_mpos"].reshape(count, sizes["nmocap"], 3)
    result["key_mquat"] = result["key_mquat"].reshape(count, sizes["nmocap"], 4)
    _normalise(result["key_mquat"], small_stay=True)
    return result


def key_names(spec: Spec) -> list[str]:
    """The names of all keyframes, in order."""
    own = [key.name for key in spec.keys]
    return own + [""] * (spec.size["nkey"] - len(own)) + [key.name for key in spec.stored_keys]


def _unsaid_coordinates(spec: Spec) -> np.ndarray:
    """What the reference puts in place of coordinates that a key leaves out: `ref` in the file's unit, or zero."""
    filler: list[float] = []
    for body in spec.world.subtree():
        for joint in body.joints:
            width = COORDINATES[joint.type]
            filler += [joint.values["ref"]] if width == 1 else [0.0] * width
    return np.array(filler)


def _given(key: Item, rest: dict[str, np.ndarray], filler: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    row = dict(rest)
    for part in PARTS:
        values = key.values[part]
        if values:
            missing = len(rest[part]) - len(values)
            if missing:
                message = f"expected {len(rest[part])} values, got {len(values)}"
                if missing < 0:
                    key.fail(message, part)
                key.element.warn(message, part)
            row[part] = np.concatenate([values, filler[part][len(values):]])
            # a mocap body of which something is missing stays where it is
            if (width := {"mpos": 3, "mquat": 4}.get(part)) is not None:
                complete = len(values) // width * width
                row[part][complete:] = rest[part][complete:]
    return row


def _normalise(quats: np.ndarray, small_stay: bool = False) -> None:
    """Scale quaternions to unit length in place; zero becomes the identity, or stays as it is."""
    length = np.sqrt(np.sum(quats * quats, axis=-1, keepdims=True))
    small = length < (1e-7 if small_stay else 1e-15)
    quats /= np.where(small, 1.0, length)
    if not small_stay:
        quats[small[..., 0]] = (1.0, 0.0, 0.0, 0.0)
