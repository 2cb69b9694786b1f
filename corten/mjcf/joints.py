"""Joints: limits, axes and reference coordinates."""

from __future__ import annotations

from corten.mjcf.rotation import EPS, IDENTITY, ZERO, Vector, add, degrees, norm, normalised, rotate
from corten.mjcf.spec import Item, Joint
from corten.model.enums import JointType


def limits(item: Item, said: int, bounds: tuple[float, float], flag: str, attribute: str) -> bool:
    """Whether a range limits: as said, or with `auto` where the range is not empty.

    Without `autolimits`, a range whose flag is left open is an error rather than a silent guess.
    """
    if said == 2 and not item.settings.autolimits and any(bounds):
        item.fail(f"needs '{flag}', because the compiler does not infer it (autolimits is false)", attribute)
    return said == 1 or (said == 2 and bounds[0] < bounds[1])


def compile_joint(joint: Joint) -> None:
    """Compute what the model holds of one joint."""
    v = joint.values
    kind = joint.type = v["type"]
    if any(v["springdamper"]) and min(v["springdamper"]) <= 0:
        joint.fail("needs two positive values", "springdamper")

    angular = kind in (JointType.HINGE, JointType.BALL) and joint.settings.angle
    low, high = v["range"]
    joint.limited = kind != JointType.FREE and limits(joint, v["limited"], (low, high), "limited", "range")
    if joint.limited:
        if kind == JointType.BALL and low:
            joint.fail("must start at 0 for a ball joint", "range")
        if kind != JointType.BALL and low >= high:
            joint.fail("must be increasing", "range")
        if angular:
            low, high = degrees(low), degrees(high)
    joint.range = (low, high)

    force = v["actuatorfrcrange"]
    scalar = kind in (JointType.HINGE, JointType.SLIDE)
    joint.actfrclimited = scalar and limits(
        joint, v["actuatorfrclimited"], force, "actuatorfrclimited", "actuatorfrcrange"
    )
    if joint.actfrclimited and force[0] >= force[1]:
        joint.fail("must be increasing", "actuatorfrcrange")

    joint.axis = _axis(joint, v["axis"]) if scalar else (0.0, 0.0, 1.0)
    joint.pos = ZERO if kind == JointType.FREE else v["pos"]
    if joint.frame is not None and kind != JointType.FREE:
        joint.pos = add(joint.frame[0], rotate(joint.frame[1], joint.pos))
    joint.ref, joint.springref = v["ref"], v["springref"]
    if kind == JointType.HINGE and joint.settings.angle:
        joint.ref, joint.springref = degrees(joint.ref), degrees(joint.springref)


def _axis(joint: Joint, axis: Vector) -> Vector:
    if joint.frame is not None and joint.frame[1] != IDENTITY:
        axis = rotate(joint.frame[1], axis)
    if norm(axis) < EPS:
        joint.fail("is too small", "axis")
    return normalised(axis)
