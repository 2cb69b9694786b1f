"""Tendons: limits, and the path through joints, or through sites and around geoms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from corten.mjcf.defaults import Defaults
from corten.mjcf.joints import limits
from corten.mjcf.read import Element
from corten.mjcf.sparsity import starts
from corten.mjcf.spec import Link, Settings, Spec
from corten.model.enums import GeomType, WrapType


@dataclass(slots=True)
class Wrap:
    """One object of a path: what it is, which one, and its parameter."""

    type: int
    object: Any
    parameter: float


def read_tendon(element: Element, defaults: Defaults, settings: Settings) -> Link:
    """A <spatial> or <fixed> tendon."""
    link = Link("tendon", element, defaults.values(element, "tendon"), settings, "each")
    for number, child in enumerate(element.children):
        if child.tag != "pulley":
            link.refs[number] = (child.tag, child.attributes[child.tag])
        if side := child.attributes.get("sidesite"):
            link.refs[number, "side"] = ("site", side)
    return link


def compile_tendons(spec: Spec) -> dict[str, Any]:
    """The `tendon_*` and `wrap_*` arrays."""
    links = spec.links["tendon"]
    limited, forced = [], []
    for link in links:
        link.data = _path(spec, link)
        limited.append(_limit(link, "limited", "range"))
        forced.append(_limit(link, "actuatorfrclimited", "actuatorfrcrange"))
        low, high = link.values["actuatorfrcrange"]
        if forced[-1] and (low > 0 or high < 0):
            link.fail("must contain 0", "actuatorfrcrange")
        if link.values["springlength"][0] > link.values["springlength"][1]:
            link.fail("must not decrease", "springlength")
    wraps = [wrap for link in links for wrap in link.data]
    counts = [len(link.data) for link in links]
    copied = {
        "group": "group", "solref_lim": "solreflimit", "solimp_lim": "solimplimit", "solref_fri": "solreffriction",
        "solimp_fri": "solimpfriction", "range": "range", "actfrcrange": "actuatorfrcrange", "margin": "margin",
        "stiffness": "stiffness", "damping": "damping", "armature": "armature", "frictionloss": "frictionloss",
        "lengthspring": "springlength",
    }
    return {
        "tendon_adr": starts(counts),
        "tendon_num": counts,
        "tendon_limited": limited,
        "tendon_actfrclimited": forced,
        **{f"tendon_{field}": [link.values[name] for link in links] for field, name in copied.items()},
        "wrap_type": [wrap.type for wrap in wraps],
        "wrap_objid": [-1 if wrap.object is None else wrap.object.number for wrap in wraps],
        "wrap_prm": [wrap.parameter for wrap in wraps],
    }


def _limit(link: Link, flag: str, attribute: str) -> bool:
    bounds = link.values[attribute]
    limited = limits(link, link.values[flag], bounds, flag, attribute)
    if limited and bounds[0] >= bounds[1]:
        link.fail("must be increasing", attribute)
    return limited


def _path(spec: Spec, link: Link) -> list[Wrap]:
    if not link.element.children:
        link.fail("has an empty path")
    path = [_wrap(spec, link, number, child) for number, child in enumerate(link.element.children)]
    if link.element.tag == "spatial":
        _check_spatial(link, path)
    return path


def _wrap(spec: Spec, link: Link, number: int, child: Element) -> Wrap:
    if child.tag == "pulley":
        divisor = child.attributes["divisor"]
        if divisor <= 0:
            child.fail("must be positive", "divisor")
        return Wrap(WrapType.PULLEY, None, divisor)
    target = spec.find(link, number)
    if child.tag == "joint":
        return Wrap(WrapType.JOINT, target, child.attributes["coef"])
    if child.tag == "site":
        return Wrap(WrapType.SITE, target, 0.0)
    shapes = {GeomType.SPHERE: WrapType.SPHERE, GeomType.CYLINDER: WrapType.CYLINDER}
    if target.type not in shapes:
        child.fail(f"geom '{target.name}' is neither a sphere nor a cylinder", "geom")
    side = spec.find(link, (number, "side"))
    return Wrap(shapes[target.type], target, -1.0 if side is None else float(side.number))


def _check_spatial(link: Link, path: list[Wrap]) -> None:
    if len(path) < 2:
        link.fail("needs at least two objects on its path")
    if link.values["width"] <= 0:
        link.fail("must be positive", "width")
    if link.values["armature"] < 0:
        link.fail("must not be negative", "armature")
    kinds = [WrapType.PULLEY, *(wrap.type for wrap in path), WrapType.PULLEY]
    for number, wrap in enumerate(path):
        child = link.element.children[number]
        before, after = kinds[number], kinds[number + 2]
        if wrap.type == WrapType.PULLEY:
            if number and before == WrapType.PULLEY:
                child.fail("follows another pulley")
            if number == len(path) - 1:
                child.fail("ends the path")
        elif wrap.type == WrapType.SITE:
            if before == after == WrapType.PULLEY:
                child.fail("needs a neighbour that is not a pulley")
            if after == WrapType.SITE and path[number + 1].object is wrap.object:
                child.fail(f"repeats site '{wrap.object.name}'")
        else:
            if before != WrapType.SITE or after != WrapType.SITE:
                child.fail("must be between two sites")
            if link.values["armature"] > 0:
                child.fail("cannot be on a tendon with armature")
