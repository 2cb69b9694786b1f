"""Contact pairs and exclusions, sorted by the bodies they concern."""

from __future__ import annotations

from typing import Any

from corten.mjcf.defaults import Defaults
from corten.mjcf.geoms import CONTACT_DIMENSIONS
from corten.mjcf.read import Element
from corten.mjcf.spec import Link, Settings, Spec


def read_contact(element: Element, defaults: Defaults, settings: Settings) -> Link:
    """A <pair> or <exclude>."""
    tag = element.tag
    values = defaults.values(element, tag) if tag == "pair" else dict(element.attributes)
    link = Link(tag, element, values, settings, "any")
    kind = "geom" if tag == "pair" else "body"
    link.refer((f"{kind}1", kind), (f"{kind}2", kind))
    return link


def _sorted_by_bodies(links: list[Link]) -> list[Link]:
    links.sort(key=lambda link: link.data[0])
    return links


def compile_pairs(spec: Spec) -> dict[str, Any]:
    """The `pair_*` arrays."""
    geoms = [geom for body in spec.world.subtree() for geom in body.geoms]
    for link in spec.links["pair"]:
        if link.values["condim"] not in CONTACT_DIMENSIONS:
            link.fail("must be 1, 3, 4 or 6", "condim")
        # the bodies are those of the geoms that count, which may be others where bodies are fused
        numbers = [spec.need(link, role).number for role in ("geom1", "geom2")]
        bodies = [geoms[min(number, len(geoms) - 1)].body.id for number in numbers]
        if bodies[0] > bodies[1]:
            numbers.reverse()
            bodies.reverse()
        link.data = ((bodies[0] << 16) + bodies[1], *numbers)
    pairs = _sorted_by_bodies(spec.links["pair"])
    return {
        "pair_signature": [p.data[0] for p in pairs],
        "pair_geom1": [p.data[1] for p in pairs],
        "pair_geom2": [p.data[2] for p in pairs],
        "pair_dim": [p.values["condim"] for p in pairs],
        **{f"pair_{name}": [p.values[name] for p in pairs]
           for name in ("solref", "solreffriction", "solimp", "margin", "gap", "friction")},
    }


def compile_excludes(spec: Spec) -> dict[str, Any]:
    """The `exclude_*` arrays."""
    for link in spec.links["exclude"]:
        a, b = sorted((spec.need(link, "body1").id, spec.need(link, "body2").id))
        link.data = ((a << 16) + b,)
    return {"exclude_signature": [e.data[0] for e in _sorted_by_bodies(spec.links["exclude"])]}
