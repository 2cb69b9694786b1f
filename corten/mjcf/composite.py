"""The <composite> element: a cable, that is a chain of bodies along a curve with ball joints between them.

Of the reference's composite types 3.5 builds cables only; the others are errors there too. Nothing in a cable inherits
from default classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from math import atan2, cos, pi, sin
from typing import Any

import numpy as np

from corten.mjcf.defaults import overlaid
from corten.mjcf.grammar.rules import HONOURED
from corten.mjcf.grammar.tree import BODY, GEOM, JOINT, SITE
from corten.mjcf.read import Element
from corten.mjcf.rotation import (
    IDENTITY,
    ZERO,
    Pose,
    Vector,
    add,
    conjugate,
    cross,
    dot,
    from_axes,
    from_axis_angle,
    multiply,
    norm,
    normalised,
    rotate,
    subtract,
)
from corten.mjcf.spec import Body, Geom, Item, Joint, Link, Site, Spec
from corten.model.enums import GeomType, JointType

MAX_POINTS = 50_000
HIDDEN = {"group": 3}  # joints and sites, if not said otherwise

Add = Callable[[Any, Body, Pose | None], None]


def composite(spec: Spec, element: Element, body: Body, frame: Pose | None, add_item: Add) -> None:
    """Add a cable to a body: its bodies, exclusions of contact between neighbours, and a text about it."""
    said = overlaid(element.rule.defaults, element.attributes, element.rule)
    settings = spec.settings
    prefix = said["prefix"]
    joints = [child for child in element.children if child.tag == "joint"]
    if len(joints) > 1:
        joints[1].fail("may appear only once in a cable")
    joint = overlaid({**JOINT.defaults, **HIDDEN, "type": JointType.BALL}, _said(element, "joint"), JOINT)
    geom = overlaid(GEOM.defaults, _said(element, "geom"), GEOM)
    site = overlaid({**SITE.defaults, **HIDDEN}, _said(element, "site"), SITE)
    if geom["type"] not in (GeomType.CYLINDER, GeomType.CAPSULE, GeomType.BOX):
        element.fail("needs a <geom> of type capsule, cylinder or box")

    def item(kind: type[Item], values: dict[str, Any], name: str) -> Any:
        made = kind(element, values, settings)
        made.name = name
        return made

    points = _points(element, said)
    last = len(points) - 2
    spec.texts.append(item(Item, {"data": f"rope_{prefix}".encode()}, f"composite_{prefix}"))
    for number, (length, (pos, quat)) in enumerate(_segments(points)):
        place = "first" if number == 0 else "last" if number == last else str(number)
        if number == 0:
            pos = add(said["offset"], pos)
        child = item(Body, {**BODY.defaults, "pos": pos, "quat": quat}, f"{prefix}B_{place}")
        add_item(child, body, frame if number == 0 else None)
        add_item(item(Geom, _along(geom, length), f"{prefix}G{number}"), child, None)
        if number > 0:
            add_item(item(Joint, joint, f"{prefix}J_{place}"), child, None)
            exclude = Link("exclude", element, {}, settings, "any")
            exclude.refs = {"body1": ("body", body.name), "body2": ("body", child.name)}
            spec.links["exclude"].append(exclude)
        elif said["initial"] != "none":
            values = _freed(joint) if said["initial"] == "free" else joint
            add_item(item(Joint, values, f"{prefix}J_first"), child, None)
        if number in (0, last):
            end = (length if number == last else 0.0, 0.0, 0.0)
            add_item(item(Site, {**site, "pos": end}, f"{prefix}S_{place}"), child, None)
        body = child


def _said(element: Element, tag: str) -> dict[str, Any]:
    """What the child of a kind says that has an effect."""
    child = next(element.all(tag), None)
    if child is None:
        return {}
    return {name: value for name, value in child.attributes.items() if child.rule.attributes[name].effect == HONOURED}


def _points(element: Element, said: dict[str, Any]) -> list[Vector]:
    """The vertices as they are, or points at equal steps of the parameter of the curve, turned by `quat`.

    With s from 0 to 1 the coordinates are size[0] s, size[1] cos(pi size[2] s), size[1] sin(pi size[2] s) or 0.
    """
    count, size, vertices = said["count"], said["size"], said.get("vertex")
    if min(count) < 1:
        element.fail("must be positive", "count")
    if vertices is not None:
        if count[0] > 1:
            element.fail("cannot have both 'vertex' and 'count'")
        points = [(x, y, z) for x, y, z in zip(*[iter(vertices)] * 3, strict=False)]
    else:
        if not any(size):
            element.fail("must not be zero", "size")
        if len(said["curve"]) > 3:
            element.fail("expected at most 3 words", "curve")
        if count[0] > MAX_POINTS:
            element.fail(f"asks for more than {MAX_POINTS} points", "count")
        steps = max(count[0] - 1, 1)
        points = [rotate(said["quat"], _on_curve(number / steps, said["curve"], size)) for number in range(count[0])]
    if len(points) < 2 or max(count[1:]) > 1:
        element.fail("is not a line of two points or more")
    return [_rounded(point) for point in points]


def _rounded(point: Vector) -> Vector:
    """In single precision, in which the reference keeps the points and their differences."""
    x, y, z = (float(np.float32(number)) for number in point)
    return x, y, z


def _on_curve(s: float, curve: tuple[int, ...], size: Vector) -> Vector:
    angle = pi * s * size[2]
    functions = (0.0, s * size[0], size[1] * cos(angle), size[1] * sin(angle))
    x, y, z = (functions[word] for word in (*curve, 0, 0)[:3])
    return x, y, z


def _segments(points: list[Vector]) -> Iterator[tuple[float, Pose]]:
    """Length of each segment, and its frame relative to the one before: x along the segment, without needless twist.

    The first frame's y axis lies in the plane of the first two segments; where they are in line it is left zero, and
    the quaternion is the one that the formula for rotation matrices then gives. Each next frame is the one before
    turned about the normal of both segments by the angle between them.
    """
    edges = [_rounded(subtract(b, a)) for a, b in pairwise(points)]
    tangents = [normalised(edge) for edge in edges]
    y, before, length = ZERO, IDENTITY, 0.0
    for number, (edge, x) in enumerate(zip(edges, tangents, strict=True)):
        if number == 0:
            following = tangents[1] if len(tangents) > 1 else ZERO
            z = normalised(cross(x, following))
            y = normalised(cross(z, x))
        else:
            across = cross(tangents[number - 1], x)
            angle = atan2(norm(across), dot(tangents[number - 1], x))
            y = normalised(rotate(from_axis_angle(normalised(across), angle), y))
            z = normalised(cross(x, y))
        quat = from_axes(x, y, z)
        place = points[0] if number == 0 else (length, 0.0, 0.0)
        length = norm(edge)
        yield length, (place, multiply(conjugate(before), quat))
        before = quat


def _along(geom: dict[str, Any], length: float) -> dict[str, Any]:
    """The geom of a segment."""
    if geom["type"] == GeomType.BOX:
        return {**geom, "pos": (length / 2, 0.0, 0.0), "size": (length / 2, *geom["size"][1:])}
    return {**geom, "fromto": (0.0, 0.0, 0.0, length, 0.0, 0.0)}


def _freed(joint: dict[str, Any]) -> dict[str, Any]:
    """The joint of a first body that moves freely: what resists motion belongs to the cable's own joints only."""
    return {**joint, "type": JointType.FREE, "damping": 0.0, "armature": 0.0, "frictionloss": 0.0}
