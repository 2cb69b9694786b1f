"""XML into elements with typed attributes, checked against the grammar; included files are read in place."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from lxml import etree

from corten.mjcf.errors import MjcfError, MjcfWarning, did_you_mean, located
from corten.mjcf.grammar import MUJOCO, BadValue, Rule
from corten.mjcf.source import MAX_DEPTH, Files, parse_xml


class Element:
    """One element of the file: what it says, nothing inherited.

    `base` is the directory of the file that it comes from, relative to the model's.
    """

    __slots__ = ("attributes", "base", "children", "file", "line", "rule", "tag")

    def __init__(self, tag: str, rule: Rule, attributes: dict[str, Any], file: str, line: int, base: str) -> None:
        self.tag = tag
        self.rule = rule
        self.attributes = attributes
        self.file = file
        self.line = line
        self.base = base
        self.children: list[Element] = []

    def fail(self, message: str, attribute: str = "") -> NoReturn:
        """Raise the error that this element is wrong."""
        subject = f"attribute '{attribute}': " if attribute else ""
        raise MjcfError(subject + message, self.file, self.line, self.tag, attribute)

    def warn(self, message: str, attribute: str) -> None:
        """Warn that this element can hardly be meant as it is."""
        text = located(f"attribute '{attribute}': {message}", self.file, self.line, self.tag)
        warnings.warn(MjcfWarning(text), stacklevel=2)

    def all(self, tag: str) -> Iterator[Element]:
        """Children with this tag."""
        return (child for child in self.children if child.tag == tag)


class Reader:
    """Reads one model with all that it includes; `directory` is where it is, relative to the main model."""

    def __init__(self, files: Files, directory: str = "") -> None:
        self.files = files
        self.directory = directory
        self.included: set[str] = set()

    def read(self, content: bytes | str, file: str) -> Element:
        """The root element of a model."""
        root = parse_xml(content, file)
        if root.tag != "mujoco":
            raise MjcfError(f"expected <mujoco> as root element, found <{root.tag}>", file, root.sourceline or 1)
        self.included.add(file)
        top = _make_element(root, MUJOCO, file, "")
        # an explicit stack, because nesting may be deeper than Python's recursion limit
        pending = [(top, root, file, "", 1)]
        while pending:
            parent, node, file, base, depth = pending.pop()
            if depth > MAX_DEPTH:
                parent.fail(f"is nested deeper than {MAX_DEPTH} elements")
            for child, child_file, child_base in self._expand(node, file, base):
                element = _make_child(parent, child, child_file, child_base)
                parent.children.append(element)
                if len(child):
                    pending.append((element, child, child_file, child_base, depth + 1))
        _check_multiplicity(top)
        return top

    def _expand(self, node: etree._Element, file: str, base: str) -> Iterator[tuple[etree._Element, str, str]]:
        """The children of a node, with includes replaced by what they include."""
        stack = [(iter(node), file, base)]
        while stack:
            children, file, base = stack[-1]
            for child in children:
                if not isinstance(child.tag, str):
                    _refuse_entity(child, file)
                elif child.tag == "include":
                    stack.append(self._include(child, file, base))
                    break
                else:
                    yield child, file, base
            else:
                stack.pop()

    def _include(self, node: etree._Element, file: str, base: str) -> tuple[Iterator[etree._Element], str, str]:
        line = node.sourceline or 0
        if "file" not in node.attrib:
            raise MjcfError("needs attribute 'file'", file, line, "include")
        if len(node):
            raise MjcfError("cannot have children", file, line, "include")
        name = node.attrib["file"]
        if name in self.included:
            raise MjcfError(f"file '{name}' is already included", file, line, "include", "file")
        self.included.add(name)
        beside = name.replace("\\", "/")
        for path in dict.fromkeys((beside, str(Path(base, beside)))):
            content = self.files.read(str(Path(self.directory, path)))
            if content is not None:
                root = parse_xml(content, name)
                if not len(root):
                    raise MjcfError(f"file '{name}' has nothing to include", file, line, "include", "file")
                return iter(root), name, str(Path(path).parent)
        raise MjcfError(f"file '{name}' not found", file, line, "include", "file")


def _refuse_entity(node: etree._Element, file: str) -> None:
    if node.tag is etree.Entity:
        raise MjcfError(f"entity {node.text} is not allowed", file, node.sourceline or 0)


def _make_child(parent: Element, node: etree._Element, file: str, base: str) -> Element:
    rule = parent.rule.children.get(node.tag)
    if rule is None:
        known = parent.rule.children
        hint = did_you_mean(node.tag, known)
        raise MjcfError(f"cannot hold <{node.tag}>{hint}", file, node.sourceline or 0, parent.tag)
    if rule.refused:
        which = node.get("plugin") or node.get("instance")
        named = f" ('{which}')" if which else ""
        raise MjcfError(f"is not supported: {rule.refused}{named}", file, node.sourceline or 0, node.tag)
    return _make_element(node, rule, file, base)


def _make_element(node: etree._Element, rule: Rule, file: str, base: str) -> Element:
    line = node.sourceline or 0
    known = rule.attributes
    values: dict[str, Any] = {}
    for name, text in node.attrib.items():
        attribute = known.get(name)
        if attribute is None:
            hint = did_you_mean(name, known)
            raise MjcfError(f"has no attribute '{name}'{hint}", file, line, rule.tag, name)
        # as in the reference, an attribute that takes numbers or keywords and has none counts as absent, unless it
        # takes one integer
        if (not text or text.isspace()) and attribute.type in ("real", "int", "keywords"):
            if attribute.type != "int" or attribute.most != 1:
                continue
        try:
            values[name] = attribute.read(text)
        except BadValue as error:
            raise MjcfError(f"attribute '{name}': {error}", file, line, rule.tag, name) from None
    element = Element(rule.tag, rule, values, file, line, base)
    if rule.required:
        for name in rule.required:
            if name not in values:
                element.fail(f"needs attribute '{name}'")
    if rule.exclusive or rule.required_one or rule.together:
        _check_combinations(element)
    return element


def _check_combinations(element: Element) -> None:
    given = element.attributes
    for group in element.rule.exclusive:
        present = [name for name in group if name in given]
        if len(present) > 1:
            element.fail(f"cannot have both '{present[0]}' and '{present[1]}'")
    for group in element.rule.required_one:
        if not any(name in given for name in group):
            element.fail(f"needs one of {', '.join(repr(n) for n in group)}")
    for group in element.rule.together:
        if 0 < sum(name in given for name in group) < len(group):
            element.fail(f"needs {' and '.join(repr(n) for n in group)} together")


def _check_multiplicity(top: Element) -> None:
    pending = [top]
    while pending:
        element = pending.pop()
        seen: dict[str, Element] = {}
        for child in element.children:
            if child.rule.most == 1:
                if child.tag in seen:
                    child.fail(f"may appear only once in <{element.tag}>")
                seen[child.tag] = child
            if child.children:
                pending.append(child)
