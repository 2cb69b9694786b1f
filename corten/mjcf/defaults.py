"""Default classes: what an element inherits when it does not say it itself.

A class starts from its parent's values; the class `main` starts from the grammar's. What is said always replaces what
is inherited; where an attribute takes a range of counts, a shorter list replaces only the head of the inherited one.
"""

from __future__ import annotations

from typing import Any

from corten.mjcf.errors import did_you_mean
from corten.mjcf.grammar import Rule
from corten.mjcf.grammar.mechanism import ACTUATORS
from corten.mjcf.grammar.rules import HONOURED
from corten.mjcf.grammar.tree import BODY, ORIENTATION_KINDS
from corten.mjcf.read import Element

ACTUATOR_TAGS = frozenset(r.tag for r in ACTUATORS)


def overlaid(inherited: dict[str, Any], said: dict[str, Any], rule: Rule) -> dict[str, Any]:
    """What is inherited, replaced by what is said."""
    values = {**inherited, **said}
    # of the other ways to give an orientation the last one counts; a quaternion does not displace any
    if turned := said.keys() & ORIENTATION_KINDS[1:]:
        for kind in ORIENTATION_KINDS[1:]:
            if kind not in turned:
                values.pop(kind, None)
    for name in rule.overlays:
        if name in said and name in inherited and len(said[name]) < len(inherited[name]):
            values[name] = said[name] + inherited[name][len(said[name]):]
    return values


class Defaults:
    """The default classes of one file."""

    def __init__(self, root: Element) -> None:
        self.said: dict[str, dict[str, dict[str, Any]]] = {"main": {}}
        self.actuators: dict[str, tuple[Element, ...]] = {"main": ()}
        self._resolved: dict[tuple[str, str, str], dict[str, Any]] = {}
        for section in root.all("default"):
            name = section.attributes.get("class", "main")
            if name not in ("", "main"):
                section.fail("the outermost class is called 'main'", "class")
            self._read(section, "main")

    def _read(self, section: Element, name: str) -> None:
        pending = [(section, name)]
        while pending:
            section, name = pending.pop()
            said = self.said[name]
            nested = []
            for child in section.children:
                if child.tag == "default":
                    nested.append(child)
                elif child.tag in ACTUATOR_TAGS:
                    self.actuators[name] += (child,)
                else:
                    known = child.rule.attributes
                    kept = {name: v for name, v in child.attributes.items() if known[name].effect == HONOURED}
                    said[child.tag] = overlaid(said.get(child.tag, {}), kept, child.rule)
            for child in nested:
                inner = child.attributes.get("class", "")
                if not inner:
                    child.fail("needs attribute 'class'")
                if inner in self.said:
                    child.fail(f"repeats the class '{inner}'", "class")
                self.said[inner] = dict(said)
                self.actuators[inner] = self.actuators[name]
                pending.append((child, inner))

    def check(self, element: Element, attribute: str = "class") -> str | None:
        """The class that an element names, which must exist; None where it names none."""
        name = element.attributes.get(attribute)
        if name is not None and name not in self.said:
            hint = did_you_mean(name, self.said)
            element.fail(f"unknown default class '{name}'{hint}", attribute)
        return name

    def inherited(self, tag: str, cls: str = "main") -> dict[str, Any]:
        """All attributes of an element of the tree that says nothing itself."""
        rule = BODY.children[tag]
        return overlaid(rule.defaults, self.said[cls].get(tag, {}), rule)

    def values(self, element: Element, tag: str, cls: str = "main") -> dict[str, Any]:
        """All attributes of an element: said, or inherited as a `tag` from its class (else `cls`), or the grammar's."""
        cls = self.check(element) or cls
        rule = element.rule
        key = (rule.doc, tag, cls)
        inherited = self._resolved.get(key)
        if inherited is None:
            inherited = self._resolved[key] = overlaid(rule.defaults, self.said[cls].get(tag, {}), rule)
        return overlaid(inherited, element.attributes, rule)
