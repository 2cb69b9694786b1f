"""Sensors by the stage that computes them, what they ask of the stages, and lenses of cameras in pixels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from corten.kernel.record import Field
from corten.model.enums import SensorType, Stage

# Sensors whose stage does not compute them: their readings stay zero.
NOT_COMPUTED = frozenset((SensorType.PLUGIN,))
MOMENTUM = (SensorType.SUBTREELINVEL, SensorType.SUBTREEANGMOM)
FORCE = (
    SensorType.ACCELEROMETER,
    SensorType.FORCE,
    SensorType.TORQUE,
    SensorType.FRAMELINACC,
    SensorType.FRAMEANGACC,
)

FIELDS = (
    Field("nsensorpos", (), "size", "sensors of the position stage", ours=True),
    Field("nsensorvel", (), "size", "sensors of the velocity stage", ours=True),
    Field("nsensoracc", (), "size", "sensors of the acceleration stage", ours=True),
    Field("nsensormomentum", (), "size", "sensors that need the momenta of subtrees", ours=True),
    Field("nsensorforce", (), "size", "sensors that need accelerations of bodies or forces between them", ours=True),
    Field("nsensorforcelate", (), "size", "the same for sensors with a delay, read at the end of a step", ours=True),
    Field("nsensorlate", (), "size", "sensors with a delay", ours=True),
    Field("nsensorpotential", (), "size", "sensors of potential energy", ours=True),
    Field("nsensorkinetic", (), "size", "sensors of kinetic energy", ours=True),
    Field("nsensorpotentiallate", (), "size", "sensors of potential energy with a delay", ours=True),
    Field("nsensorkineticlate", (), "size", "sensors of kinetic energy with a delay", ours=True),
    Field("nsensorbuffered", (), "size", "sensors with a buffer", ours=True),
    Field("sensor_pos", ("nsensorpos",), "int", "which sensors these are", ours=True),
    Field("sensor_vel", ("nsensorvel",), "int", "which sensors these are", ours=True),
    Field("sensor_acc", ("nsensoracc",), "int", "which sensors these are", ours=True),
    Field("sensor_buffered", ("nsensorbuffered",), "int", "which sensors have a buffer", ours=True),
    Field("cam_focal", ("ncam", 2), "real", "focal lengths in pixels, horizontal and vertical", ours=True),
    Field("cam_centre", ("ncam", 2), "real", "where the rays of a range finder meet the image, in pixels", ours=True),
)


def derive(sizes: Mapping[str, int], values: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, np.ndarray]]:
    """Lists of sensors, and how many of them ask for what is not computed otherwise."""
    kinds, stages = values["sensor_type"], values["sensor_needstage"]
    late = values["sensor_delay"] > 0
    computed = [i for i in range(sizes["nsensor"]) if kinds[i] not in NOT_COMPUTED]
    lists = {
        name: np.array([i for i in computed if stages[i] == stage], np.int32)
        for name, stage in (("sensor_pos", Stage.POS), ("sensor_vel", Stage.VEL), ("sensor_acc", Stage.ACC))
    }
    lists["sensor_buffered"] = np.array([i for i in computed if values["sensor_history"][i][0] > 0], np.int32)
    users = [stages[i] for i in computed if kinds[i] == SensorType.USER]
    counts = {
        "nsensormomentum": sum(k in MOMENTUM for k in kinds) + users.count(Stage.VEL),
        "nsensorforce": sum(k in FORCE and not t for k, t in zip(kinds, late, strict=True)) + users.count(Stage.ACC),
        "nsensorforcelate": sum(k in FORCE and bool(t) for k, t in zip(kinds, late, strict=True)),
        "nsensorlate": int(np.count_nonzero(late)),
        "nsensorpotential": sum(k == SensorType.E_POTENTIAL for k in kinds),
        "nsensorkinetic": sum(k == SensorType.E_KINETIC for k in kinds),
        "nsensorpotentiallate": int(np.count_nonzero(late & (np.asarray(kinds) == SensorType.E_POTENTIAL))),
        "nsensorkineticlate": int(np.count_nonzero(late & (np.asarray(kinds) == SensorType.E_KINETIC))),
    }
    counts |= {"n" + name.replace("_", ""): len(ids) for name, ids in lists.items()}
    lenses = np.array([lens(values, c) for c in range(sizes["ncam"])]).reshape(-1, 4)
    return counts, {**lists, "cam_focal": lenses[:, :2], "cam_centre": lenses[:, 2:]}


def lens(values: Mapping[str, Any], c: int) -> tuple[float, ...]:
    """Focal lengths and centre of camera c in pixels, from its sensor's size (in single precision) or field of view.

    As in MuJoCo the centre is the principal point if there is a sensor's size, although that is an offset elsewhere.
    """
    width, height = (float(n) for n in values["cam_resolution"][c])
    size = np.asarray(values["cam_sensorsize"][c], np.float32)
    if size[0] and size[1]:
        intrinsic = np.asarray(values["cam_intrinsic"][c], np.float32).reshape(2, 2)
        return tuple(float(n) for n in (intrinsic / size * np.array((width, height), np.float32)).ravel())
    angle = math.radians(float(values["cam_fovy"][c]))
    focal = 0.5 * height / math.tan(0.5 * angle) if angle else math.inf
    return focal, focal, 0.5 * width, 0.5 * height
