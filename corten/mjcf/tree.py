"""From the <worldbody> element to the tree of bodies: frames dissolved, replicas and attachments copied in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from corten.mjcf.attach import attach
from corten.mjcf.composite import composite
from corten.mjcf.defaults import Defaults
from corten.mjcf.flex.flexcomp import Inherited, flexcomp
from corten.mjcf.frames import euler, given_orientation
from corten.mjcf.grafting import Grafter, named
from corten.mjcf.grammar.tree import JOINT
from corten.mjcf.keyframes import StoredKey
from corten.mjcf.read import Element
from corten.mjcf.rotation import ZERO, Pose, compose, unit
from corten.mjcf.source import Files
from corten.mjcf.spec import Body, Camera, Geom, Item, Joint, Light, Rename, Site, Spec
from corten.model.enums import JointType

_CLASSES: dict[str, type[Item]] = {"joint": Joint, "geom": Geom, "site": Site, "camera": Camera, "light": Light}
_REFERENCES = {
    "geom": (("mesh", "mesh"), ("hfield", "hfield"), ("material", "material")),
    "camera": (("target", "body"),),
    "light": (("target", "body"), ("texture", "texture")),
    "site": (("material", "material"),),
    "joint": (),
}


class TreeBuilder:
    """Builds the tree of one file."""

    def __init__(self, spec: Spec, defaults: Defaults, files: Files) -> None:
        self.spec = spec
        self.defaults = defaults
        self.files = files
        self.classes: dict[Body, str] = {}
        self.grafter = Grafter(spec)
        self.frames: set[str] = set()

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
            values = {**JOINT.defaults, **element.attributes, "type": JointType.FREE}
            self._add(Joint(element, values, self.spec.settings), body, frame)
            return None
        if tag == "inertial":
            self._inertial(element, body)
            return None
        if tag == "attach":
            attach(self.grafter, element, body, frame)
            return None
        if tag == "composite":
            composite(self.spec, element, body, frame, self._add)
            return None
        if tag == "flexcomp":
            own = self.classes.get(body, "main")
            inherited = Inherited(self.defaults.inherited("joint", own), self.defaults.inherited("geom", own))
            flexcomp(self.spec, element, body, inherited, self.files, lambda item, to: self._add(item, to, None))
            return None
        # a frame may say `class` instead, as in the reference
        inner_cls = self.defaults.check(element, "childclass") or self.defaults.check(element) or cls
        values = {**element.rule.defaults, **element.attributes}
        if tag == "body":
            child = Body(element, values, self.spec.settings)
            self.classes[child] = inner_cls
            self._add(child, body, frame)
            return child, None, inner_cls, None
        if tag == "frame":
            self._name_frame(values.get("name", ""), element)
            pos, quat = values["pos"], given_orientation(values, element, self.spec.settings)
            return body, (pos, unit(*quat)) if frame is None else compose(frame, (pos, quat)), inner_cls, None
        template = Body(element, {}, self.spec.settings)
        template.parent = body
        return template, None, inner_cls, lambda: self._replicate(element, values, template, body, frame)

    def _name_frame(self, name: str, element: Element) -> None:
        if name and name in self.frames:
            element.fail(f"repeats the frame name '{name}'", "name")
        self.frames.add(name)

    def _add(self, item: Any, body: Body, frame: Pose | None) -> None:
        item.frame = frame
        item.refer(*_REFERENCES.get(item.kind, ()))
        if item.kind == "joint" and body is self.spec.world:
            item.element.fail("cannot be in the world")
        body.add(item)
        self.grafter.names.add(item.kind, item.name)
        self.grafter.claim(1, item.element)

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
        size = sum(1 for _ in named(template))
        self.grafter.claim(max(count, 0) * max(size, 1), element)
        # every copy makes the reference forget the activations and controls of the keys that it has stored so far
        self.spec.stored_keys = [key.without_controls() for key in self.spec.stored_keys]
        keys = self._own_keys(template)
        settings = self.spec.settings
        turn = euler(values["euler"], settings)
        pos = ZERO
        renames: list[Rename] = []
        for number in range(count):
            # the rotation is computed anew each time, so that errors do not add up
            a, b, c = values["euler"]
            pose = (pos, euler((number * a, number * b, number * c), settings))
            suffix = f"{values['sep']}{number:0{len(str(count))}d}"
            renames.append(lambda name, suffix=suffix: name + suffix if name else name)
            self.spec.stored_keys += [key.renamed(key.name + suffix).without_controls() for key in keys]
            self.grafter.content(template, body, pose if frame is None else compose(frame, pose), renames[-1])
            pos, _ = compose(pose, (values["offset"], turn))
        self.grafter.replace_links(template, renames)
        self.spec.stored_keys += keys

    def _own_keys(self, template: Body) -> list[StoredKey]:
        """The keyframes of this model, taken apart; they are for the model without replicas.

        There will be one for each copy, in which the copy is in the state that the file gives, and the original one.
        """
        if not self.spec.keys:
            return []
        # templates of replicas around this one are not in the tree either
        hung, child = [], template
        while child.parent is not None:
            if child not in child.parent.bodies:
                child.parent.bodies.append(child)
                hung.append(child.parent)
            child = child.parent
        keys = [StoredKey.take_apart(key, self.spec, key.name) for key in self.spec.keys]
        for holder in hung:
            holder.bodies.pop()
        self.spec.keys = []
        return keys

