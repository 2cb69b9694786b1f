"""Orientations and enclosing frames: from what a file says to a position and a quaternion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corten.mjcf.grammar.tree import ORIENTATION_KINDS
from corten.mjcf.read import Element
from corten.mjcf.rotation import (
    EPS,
    Pose,
    Quaternion,
    Vector,
    compose,
    cross,
    degrees,
    dot,
    from_axes,
    from_axis_angle,
    from_euler,
    from_z_axis,
    norm,
    normalised,
    subtract,
    unit,
)
from corten.mjcf.spec import Item, Settings


def orientation(values: Mapping[str, Any], element: Element, settings: Settings) -> Quaternion:
    """The unit quaternion of an element that gives `quat`, `axisangle`, `xyaxes`, `zaxis` or `euler`."""
    return unit(*given_orientation(values, element, settings))


def given_orientation(values: Mapping[str, Any], element: Element, settings: Settings) -> Quaternion:
    """The same, of the length that the file gives it; `placed` brings it to unit length."""
    # a class may give one kind and the element another; the reference lets a quaternion lose against any other kind
    kind = next((kind for kind in ORIENTATION_KINDS[1:] if kind in values), None)
    if kind is None:
        if not any(values["quat"]):
            element.fail("zero quaternion", "quat")
        return values["quat"]
    value = values[kind]
    if kind == "axisangle":
        if norm(value[:3]) < EPS:
            element.fail("axis is too small", kind)
        angle = degrees(value[3]) if settings.angle else value[3]
        return from_axis_angle(normalised(value[:3]), angle)
    if kind == "xyaxes":
        return _from_xy(value, element)
    if kind == "zaxis":
        if norm(value) < EPS:
            element.fail("axis is too small", kind)
        return from_z_axis(normalised(value))
    return euler(value, settings)


def euler(angles: Vector, settings: Settings) -> Quaternion:
    """Euler angles in the file's unit and sequence."""
    if settings.angle:
        angles = (degrees(angles[0]), degrees(angles[1]), degrees(angles[2]))
    return from_euler(angles, settings.eulerseq)


def _from_xy(value: tuple[float, ...], element: Element) -> Quaternion:
    if norm(value[:3]) < EPS:
        element.fail("x axis is too small", "xyaxes")
    x = normalised((value[0], value[1], value[2]))
    y: Vector = (value[3], value[4], value[5])
    along = dot(x, y)
    y = subtract(y, (x[0] * along, x[1] * along, x[2] * along))
    if norm(y) < EPS:
        element.fail("y axis is too small or parallel to the x axis", "xyaxes")
    y = normalised(y)
    return from_axes(x, y, normalised(cross(x, y)))


def placed(item: Item, pos: Vector, quat: Quaternion) -> Pose:
    """A pose given inside of the item's enclosing frame, relative to the body."""
    return (pos, unit(*quat)) if item.frame is None else compose(item.frame, (pos, quat))


def from_ends(item: Item, allowed: tuple[int, ...], kind: int, size: tuple[float, ...]) -> tuple[Pose, Vector] | None:
    """Pose and size of a geom or site that gives its end points with `fromto`; None where it does not.

    The z axis points from the second end to the first. A capsule or cylinder takes its half length from the ends; a box
    or ellipsoid takes it as third size, and is as deep as it is wide.
    """
    ends = item.values.get("fromto")
    if ends is None:
        return None
    if kind not in allowed:
        item.fail("works with capsule, cylinder, box and ellipsoid only", "fromto")
    if any(item.values["pos"]):
        item.fail("cannot be combined with 'pos'", "fromto")
    a, b = ends[:3], ends[3:]
    axis = subtract(a, b)
    half = norm(axis) / 2
    if half < EPS:
        item.fail("end points are too close", "fromto")
    capped = kind in allowed[:2]
    middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2)
    return (middle, from_z_axis(normalised(axis))), (size[0], half, size[2]) if capped else (size[0], size[0], half)
