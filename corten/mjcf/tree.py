"""From the <worldbody> element to the tree of bodies: frames dissolved, replicas and attachments copied in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from corten.mjcf.defaults import Defaults
from corten.mjcf.errors import MjcfError, did_you_mean
from corten.mjcf.frames import euler, orientation
from corten.mjcf.read import Element
from corten.mjcf.rotation import IDENTITY, ZERO, Pose, compose
from corten.mjcf.spec import (
    LINK_KINDS,
    NO_POSE,
    TREE_KINDS,
    Body,
    Camera,
    Geom,
    Item,
    Joint,
    Light,
    Link,
    Rename,
    Settings,
    Site,
    Spec,
)
from corten.model.enums import JointType

MAX_OBJECTS = 500_000

_CLASSES: dict[str, type[Item]] = {"joint": Joint, "geom": Geom, "site": Site, "camera": Camera, "light": Light}
_REFERENCES = {
    "geom": (("mesh", "mesh"), ("hfield", "hfield"), ("material", "material")),
    "camera": (("target", "body"),),
    "light": (("target", "body"), ("texture", "texture")),
    "site": (("material", "material"),),
    "joint": (),
}


class _Names:
    """How many objects of each kind and name there are in the tree so far, templates included."""

    def __init__(self) -> None:
        self.count: dict[tuple[str, str], int] = {}

    def add(self, kind: str, name: str, number: int = 1) -> None:
        if name:
            self.count[kind, name] = self.count.get((kind, name), 0) + number

    def __contains__(self, reference: tuple[str, str]) -> bool:
        return self.count.get(reference, 0) > 0


class TreeBuilder:
    """Builds the tree of one file, and copies the links into it that replicas and attachments call for."""

    def __init__(self, spec: Spec, defaults: Defaults) -> None:
        self.spec = spec
        self.defaults = defaults
        self.names = _Names()
        self.names.add("body", "world")
        self.objects = 0
        for kind in LINK_KINDS:
            for link in spec.links[kind]:
                self.names.add(kind, link.name)
        for kind, items in spec.assets.items():
            for item in items:
                self.names.add(kind, item.name)

    def build(self, worldbody: Element) -> None:
        """Add the content of one <worldbody> to the world."""
        if worldbody.attributes:
            worldbody.fail("cannot have attributes")
        # pairs of what remains to be read into a body, and what to do when it is
        stack: list[tuple[Iterator[Element], Body, Pose | None, str, Callable[[], None] | None]]
        stack = [(iter(worldbody.children), self.spec.world, None, "main", None)]
        while stack:
            children, body, frame, cls, finish = stack[-1]
            for child in children:
                inside = self._read(child, body, frame, cls)
                if inside is not None:
                    stack.append((iter(child.children), *inside))
                    break
            else:
                stack.pop()
                if finish is not None:
                    finish()

    def _read(
        self, element: Element, body: Body, frame: Pose | None, cls: str
    ) -> tuple[Body, Pose | None, str, Callable[[], None] | None] | None:
        """Read one element; the answer says how to read its children, if it has any that belong to the tree."""
        tag = element.tag
        if tag in _CLASSES:
            self._add(_CLASSES[tag](element, self.defaults.values(element, tag, cls), self.spec.settings), body, frame)
            return None
        if tag == "freejoint":
            values = {**_joint_defaults(), **element.attributes, "type": JointType.FREE}
            self._add(Joint(element, values, self.spec.settings), body, frame)
            return None
        if tag == "inertial":
            self._inertial(element, body)
            return None
        if tag == "attach":
            attach(self, element, body, frame)
            return None
        inner_cls = self.defaults.check(element, "childclass") or cls
        values = {**element.rule.defaults, **element.attributes}
        if tag == "body":
            child = Body(element, values, self.spec.settings)
            self._add(child, body, frame)
            return child, None, inner_cls, None
        if tag == "frame":
            pose = (values["pos"], orientation(values, element, self.spec.settings))
            return body, pose if frame is None else compose(frame, pose), inner_cls, None
        template = Body(element, {}, self.spec.settings)
        template.parent = body
        return template, None, inner_cls, lambda: self._replicate(element, values, template, body, frame)

    def _add(self, item: Any, body: Body, frame: Pose | None) -> None:
        item.frame = frame
        item.refer(*_REFERENCES.get(item.kind, ()))
        if item.kind == "joint" and body is self.spec.world:
            item.element.fail("cannot be in the world")
        body.add(item)
        self.names.add(item.kind, item.name)
        self.claim(1, item.element)

    def claim(self, number: int, element: Element) -> None:
        """Count new objects, and refuse absurdly many before they take time and memory."""
        self.objects += number
        if self.objects > MAX_OBJECTS:
            element.fail(f"brings the model above {MAX_OBJECTS} objects")

    def _inertial(self, element: Element, body: Body) -> None:
        if body is self.spec.world:
            element.fail("cannot be in the world")
        if body.inertial is not None:
            element.fail("repeats the inertia of the body")
        body.inertial = element

    def _replicate(
        self, element: Element, values: dict[str, Any], template: Body, body: Body, frame: Pose | None
    ) -> None:
        count = values["count"]
        members = list(template.subtree())[1:]
        size = sum(1 + sum(1 for _ in member.attached()) for member in members) + sum(1 for _ in template.attached())
        self.claim(max(count, 0) * max(size, 1), element)
        settings = self.spec.settings
        turn = euler(values["euler"], settings)
        pose: Pose = NO_POSE
        digits = len(str(count))
        renames: list[Rename] = []
        for number in range(count):
            # the rotation is computed anew, so that errors do not add up
            a, b, c = values["euler"]
            pose = (pose[0], euler((number * a, number * b, number * c), settings))
            suffix = f"{values['sep']}{number:0{digits}d}"
            renames.append(lambda name, suffix=suffix: name + suffix)
            self.graft(template, body, pose if frame is None else compose(frame, pose), renames[-1])
            pose = compose(pose, (values["offset"], turn))
        self.copy_links(template, renames)

    def graft(self, template: Body, body: Body, frame: Pose, rename: Rename) -> None:
        """Copy the content of a template into a body, in a frame, under new names."""
        for item in template.attached():
            body.add(self.copied(item, frame, rename))
        for child in template.bodies:
            self.graft_body(child, body, frame, rename)

    def graft_body(self, source: Body, body: Body, frame: Pose | None, rename: Rename) -> None:
        """Copy a body and all below it into another body."""
        pending: list[tuple[Body, Body, Pose | None]] = [(source, body, frame)]
        while pending:
            old, parent, outer = pending.pop()
            new = self.copied(old, outer, rename)
            parent.add(new)
            for item in old.attached():
                new.add(self.copied(item, None, rename))
            pending.extend((child, new, None) for child in reversed(old.bodies))

    def copied(self, item: Any, frame: Pose | None, rename: Rename) -> Any:
        """A copy of an object of the tree in an outer frame, under a new name."""
        new = item.copy()
        if frame is not None:
            new.frame = frame if item.frame is None else compose(frame, item.frame)
        if item.name:
            new.name = rename(item.name)
            self.names.add(item.kind, new.name)
        if "target" in item.refs:
            new.refs = {**item.refs, "target": ("body", rename(item.refs["target"][1]))}
        return new

    def copy_links(self, template: Body, renames: list[Rename]) -> None:
        """Replace links to a template by links to its copies."""
        own = {(item.kind, item.name) for item in _named(template)}
        self.names_before = own
        candidates = {
            kind: [link for link in self.spec.links[kind] if any(ref in own for ref in link.refs.values())]
            for kind in LINK_KINDS
        }
        # a tendon of the template makes its actuators and sensors belong to it too
        for kind in ("tendon", "actuator"):
            own |= {(kind, link.name) for link in candidates[kind] if link.name}
            for other in LINK_KINDS:
                known = set(map(id, candidates[other]))
                candidates[other] += [
                    link for link in self.spec.links[other]
                    if id(link) not in known and any(ref in own for ref in link.refs.values())
                ]
        for rename in renames:
            for kind in LINK_KINDS:
                for link in candidates[kind]:
                    self.copy_link(link, rename, self.spec)
        for item in _named(template):
            self.names.add(item.kind, item.name, -1)
        for kind in LINK_KINDS:
            gone = {id(link) for link in candidates[kind] if not self._resolves(link.refs)}
            for link in candidates[kind]:
                if id(link) in gone:
                    self.names.add(kind, link.name, -1)
            self.spec.links[kind] = [link for link in self.spec.links[kind] if id(link) not in gone]

    def _resolves(self, refs: dict[Any, tuple[str, str]]) -> bool:
        return all(ref in self.names for ref in refs.values())

    def copy_link(self, link: Link, rename: Rename, target: Spec) -> None:
        """Add a copy of a link under new names, if what it then refers to exists."""
        refs = {role: (kind, rename(name)) for role, (kind, name) in link.refs.items()}
        found = {role: ref in self.names for role, ref in refs.items()}
        if link.binding == "each" or (link.binding == "any" and any(found.values())):
            for role, ref in link.refs.items():
                if not found[role] and ref in self.names:
                    refs[role] = ref
        if not any(found.values()) or not self._resolves(refs):
            return
        new = link.copy()
        new.refs = refs
        if link.name:
            new.name = rename(link.name)
            self.names.add(link.kind, new.name)
        target.links[link.kind].append(new)
        self.claim(1, link.element)


def _named(template: Body) -> Iterator[Item]:
    for body in template.subtree():
        if body is not template:
            yield body
        yield from body.attached()


def _joint_defaults() -> dict[str, Any]:
    from corten.mjcf.grammar.tree import JOINT

    return JOINT.defaults


def attach(builder: TreeBuilder, element: Element, body: Body, frame: Pose | None) -> None:
    """Copy a body of another model, or all that is in its world, into a body of this one, under prefixed names.

    Its assets come along, and those of its links whose references come along.
    """
    prefix = element.attributes["prefix"]
    name = element.attributes.get("body", "")
    model = element.attributes.get("model")
    source = builder.spec if model is None else builder.spec.models.get(model)
    if source is None:
        element.fail(f"unknown model '{model}'{did_you_mean(str(model), builder.spec.models)}", "model")
    if model is None and not name:
        element.fail("needs attribute 'body' to attach a part of its own model")

    def rename(old: str) -> str:
        return prefix + old if old != "world" else old

    if name:
        found = next((b for b in source.world.subtree() if b.name == name), None)
        if found is None:
            element.fail(f"unknown body '{name}'{did_you_mean(name, [b.name for b in source.world.subtree()])}", "body")
        roots = [found]
    else:
        roots = list(source.world.bodies)
    size = sum(1 + sum(1 for _ in b.attached()) for root in roots for b in root.subtree())
    builder.claim(size, element)
    if source is not builder.spec:
        _attach_assets(builder, source, rename)
    pose = frame or NO_POSE
    if not name:
        for item in source.world.attached():
            body.add(builder.copied(item, pose, rename))
    for root in roots:
        builder.graft_body(root, body, pose, rename)
    if source is not builder.spec:
        for b in body.subtree():
            _prefix_assets(b, source.settings, rename)
    for kind in LINK_KINDS:
        for link in list(source.links[kind]):
            builder.copy_link(link, rename, builder.spec)


def _attach_assets(builder: TreeBuilder, source: Spec, rename: Rename) -> None:
    for kind, items in source.assets.items():
        for item in items:
            if (kind, rename(item.name)) in builder.names:
                continue
            new = item.copy()
            new.name = rename(item.name)
            new.refs = {role: (k, rename(n)) for role, (k, n) in item.refs.items()}
            builder.spec.assets[kind].append(new)
            builder.names.add(kind, new.name)


def _prefix_assets(body: Body, settings: Settings, rename: Rename) -> None:
    for item in body.attached():
        if item.settings is settings:
            item.refs = {
                role: (kind, rename(name)) if kind in ("mesh", "hfield", "material", "texture") else (kind, name)
                for role, (kind, name) in item.refs.items()
            }


__all__ = ["IDENTITY", "TREE_KINDS", "ZERO", "MjcfError", "TreeBuilder"]
