"""Custom numbers, texts and tuples."""

from __future__ import annotations

from typing import Any

from corten.mjcf.read import Element
from corten.mjcf.sensors import NAMED_KINDS, kind_of
from corten.mjcf.sparsity import starts
from corten.mjcf.spec import Item, Link, Settings, Spec

MAX_NUMBERS = 500


def read_custom(spec: Spec, section: Element) -> None:
    """One <custom> section."""
    for element in section.children:
        if "name" not in element.attributes or (element.tag == "tuple" and not element.attributes["name"]):
            element.fail("needs attribute 'name'")
        if element.tag == "numeric":
            spec.numerics.append(Item(element, _numbers(element), spec.settings))
        elif element.tag == "text":
            spec.texts.append(Item(element, {"data": _text(element)}, spec.settings))
        else:
            spec.links["tuple"].append(_tuple(element, spec.settings))


def _numbers(element: Element) -> dict[str, Any]:
    data = element.attributes.get("data", ())
    size = element.attributes.get("size", len(data))
    if not 1 <= size <= MAX_NUMBERS:
        element.fail(f"must be between 1 and {MAX_NUMBERS}", "size")
    if len(data) > size:
        element.fail(f"has {len(data)} values for a size of {size}", "data")
    return {"data": [*data, *[0.0] * (size - len(data))]}


def _text(element: Element) -> bytes:
    text = element.attributes["data"]
    if not text:
        element.fail("must not be empty", "data")
    return text.encode()


def _tuple(element: Element, settings: Settings) -> Link:
    link = Link("tuple", element, {}, settings, "all")
    if not element.children:
        element.fail("is empty")
    for number, child in enumerate(element.children):
        kind = NAMED_KINDS.get(child.attributes["objtype"])
        if kind is None:
            child.fail(f"'{child.attributes['objtype']}' is not a kind of object", "objtype")
        link.refs[number] = (kind_of(kind), child.attributes["objname"])
    return link


def compile_custom(spec: Spec) -> dict[str, Any]:
    """The `numeric_*`, `text_*` and `tuple_*` arrays."""
    numbers = [item.values["data"] for item in spec.numerics]
    texts = [item.values["data"] + b"\0" for item in spec.texts]
    tuples = spec.links["tuple"]
    objects = [(link, number, child) for link in tuples for number, child in enumerate(link.element.children)]
    return {
        "numeric_adr": starts([len(n) for n in numbers]),
        "numeric_size": [len(n) for n in numbers],
        "numeric_data": [x for n in numbers for x in n],
        "text_adr": starts([len(t) for t in texts]),
        "text_size": [len(t) for t in texts],
        "text_data": list(b"".join(texts)),
        "tuple_adr": starts([len(link.element.children) for link in tuples]),
        "tuple_size": [len(link.element.children) for link in tuples],
        "tuple_objtype": [NAMED_KINDS[child.attributes["objtype"]] for _, _, child in objects],
        "tuple_objid": [spec.find(link, number).number for link, number, _ in objects],
        "tuple_objprm": [child.attributes.get("prm", 0.0) for _, _, child in objects],
    }

