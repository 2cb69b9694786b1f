"""Keyframes: states given in the file, completed by the state at rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from corten.mjcf.spec import Spec
from corten.model.enums import JointType


def compile_keyframes(spec: Spec, sizes: dict[str, int], values: dict[str, Any]) -> dict[str, Any]:
    """The `key_*` arrays; quaternions are normalised."""
    count = max(len(spec.keys), spec.size["nkey"])
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
    rows: dict[str, list[np.ndarray]] = {name: [] for name in rest}
    for number in range(count):
        key = spec.keys[number] if number < len(spec.keys) else None
        for name, default in rest.items():
            given = key.values[name] if key is not None else ()
            if key is not None and given and len(given) != len(default):
                key.fail(f"expected {len(default)} values, got {len(given)}", name)
            rows[name].append(np.array(given, float) if given else default)
    result: dict[str, Any] = {
        f"key_{name}": np.array(row).reshape(count, len(rest[name])) for name, row in rows.items()
    }
    result["key_time"] = [key.values["time"] for key in spec.keys] + [0.0] * (count - len(spec.keys))
    for kind, adr in zip(values["jnt_type"], values["jnt_qposadr"], strict=True):
        if kind in (JointType.FREE, JointType.BALL):
            start = adr + 3 * (kind == JointType.FREE)
            _normalise(result["key_qpos"][:, start:start + 4])
    result["key_mpos"] = result["key_mpos"].reshape(count, sizes["nmocap"], 3)
    result["key_mquat"] = result["key_mquat"].reshape(count, sizes["nmocap"], 4)
    _normalise(result["key_mquat"])
    return result


def _normalise(quats: np.ndarray) -> None:
    """Scale quaternions to unit length in place; zero becomes the identity."""
    length = np.sqrt(np.sum(quats * quats, axis=-1, keepdims=True))
    small = length[..., 0] < 1e-15
    quats /= np.where(length < 1e-15, 1.0, length)
    quats[small] = (1.0, 0.0, 0.0, 0.0)
