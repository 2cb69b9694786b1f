"""Equality constraints: what they tie together, and the data of each type."""

from __future__ import annotations

from typing import Any

from corten.mjcf.defaults import Defaults
from corten.mjcf.read import Element
from corten.mjcf.spec import Link, Settings, Spec
from corten.model.enums import EqualityType, JointType, ObjType

# constraint rows of each type
ROWS = {EqualityType.CONNECT: 3, EqualityType.WELD: 7}

# what the reference leaves in place of an anchor that is not used: the head of a polynomial
_UNUSED = (0.0, 1.0, 0.0)


def read_equality(element: Element, defaults: Defaults, settings: Settings) -> Link:
    """Any equality constraint."""
    link = Link("equality", element, defaults.values(element, "equality"), settings, "all")
    tag = element.tag
    if tag in ("connect", "weld"):
        said = element.attributes
        if "body1" in said and (tag == "weld" or "anchor" in said):
            kind = "body"
        elif "site1" in said and "site2" in said:
            kind = "site"
        else:
            needed = "'body1' and 'anchor'" if tag == "connect" else "'body1'"
            element.fail(f"needs {needed}, or 'site1' and 'site2'")
        mixed = ("body1", "body2", "anchor", "relpose") if kind == "site" else ("site1", "site2")
        for attribute in mixed:
            if attribute in said:
                element.fail(f"cannot be combined with {kind}s", attribute)
    else:
        kind = {"distance": "geom", "flexvert": "flex"}.get(tag, tag)
    if kind == "flex":
        link.refer(("flex", "flex"))
    link.refer((f"{kind}1", kind), (f"{kind}2", kind))
    link.values["objtype"] = kind
    return link


def _data(link: Link) -> list[float]:
    v, tag = link.values, link.element.tag
    if tag in ("joint", "tendon"):
        # the scale of a weld's rotation is there for every type, as in the reference
        return [*v["polycoef"], 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    if tag == "weld":
        anchor = v["anchor"] if "anchor" in link.element.attributes or v["objtype"] == "body" else _UNUSED
        return [*anchor, *v["relpose"], v["torquescale"]]
    if tag in ("connect", "flex", "flexvert"):
        return [*v.get("anchor", _UNUSED), *(0.0,) * 7, 1.0]
    return [v.get("distance", -1.0), *(0.0,) * 9, 1.0]


def compile_equalities(spec: Spec) -> dict[str, Any]:
    """The `eq_*` arrays; relative poses that the file leaves out are filled in by `constants`."""
    links = spec.links["equality"]
    first, second, objtype = [], [], []
    for link in links:
        kind = link.values["objtype"]
        a, b = spec.need(link, "flex" if kind == "flex" else f"{kind}1"), spec.find(link, f"{kind}2")
        other = b.number if b is not None else 0 if kind == "body" else -1
        if a.number == other:
            link.fail(f"repeats the {kind} '{a.name}'")
        if kind == "joint":
            for joint in (a, b):
                if joint is not None and joint.type not in (JointType.HINGE, JointType.SLIDE):
                    link.fail("works with hinge and slide joints only")
        first.append(a.number)
        second.append(other)
        objtype.append(ObjType[kind.upper()] if kind in ("body", "site", "geom") else ObjType.UNKNOWN)
    types = [EqualityType[link.element.tag.upper()] for link in links]
    return {
        "eq_type": types,
        "eq_obj1id": first,
        "eq_obj2id": second,
        "eq_objtype": objtype,
        "eq_active0": [link.values["active"] for link in links],
        "eq_solref": [link.values["solref"] for link in links],
        "eq_solimp": [link.values["solimp"] for link in links],
        "eq_data": [_data(link) for link in links],
    }


def rows(types: list[int]) -> int:
    """How many constraint rows there are when all are active."""
    return sum(ROWS.get(EqualityType(t), 1) for t in types)
