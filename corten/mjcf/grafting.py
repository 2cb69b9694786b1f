"""Copies parts of the tree under new names, together with the links and keyframe values that belong to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corten.mjcf.keyframes import StoredKey
from corten.mjcf.read import Element
from corten.mjcf.rotation import Pose, compose
from corten.mjcf.spec import LINK_KINDS, Body, Item, Link, Rename, Spec

MAX_OBJECTS = 200_000


class Names:
    """How many objects of each kind and name there are so far, templates included."""

    def __init__(self) -> None:
        self.count: dict[tuple[str, str], int] = {}

    def add(self, kind: str, name: str, number: int = 1) -> None:
        """Note an object, or with -1 forget one."""
        if name:
            self.count[kind, name] = self.count.get((kind, name), 0) + number

    def __contains__(self, reference: tuple[str, str]) -> bool:
        return self.count.get(reference, 0) > 0


class Grafter:
    """Adds objects to one model and knows which names it holds."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.names = Names()
        self.names.add("body", "world")
        self.objects = 0
        for kind, items in (*spec.links.items(), *spec.assets.items()):
            for item in items:
                self.names.add(kind, item.name)

    def claim(self, number: int, element: Element) -> None:
        """Count new objects, and refuse absurdly many before they take time and memory."""
        self.objects += number
        if self.objects > MAX_OBJECTS:
            element.fail(f"brings the model above {MAX_OBJECTS} objects")

    def content(self, template: Body, body: Body, frame: Pose, rename: Rename) -> None:
        """Copy what is in one body into another, in a frame."""
        for item in template.attached():
            body.add(self.copied(item, frame, rename))
        for child in template.bodies:
            self.body(child, body, frame, rename)

    def body(self, source: Body, body: Body, frame: Pose | None, rename: Rename) -> None:
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
        self.hand_over(item, new)
        return new

    def hand_over(self, old: Item, new: Item) -> None:
        """The first copy of an object inherits its keyframe values."""
        for key in self.spec.stored_keys:
            if old in key.states:
                key.states[new] = key.states.pop(old)

    def replace_links(self, template: Body, renames: list[Rename]) -> None:
        """Replace links to a template by links to its copies."""
        own = {(item.kind, item.name) for item in named(template)}
        for flex in self.spec.links["flex"]:
            if any(ref in own for ref in flex.refs.values()):
                flex.fail("is made of bodies in a <replicate>, which soft bodies cannot be")
        # links to other things are copied as well, if names happen to fit
        candidates = {kind: list(self.spec.links[kind]) for kind in LINK_KINDS}
        # a link to something that comes later in the file is left as it is, and will not be found
        complete = {id(link) for links in candidates.values() for link in links if self._resolves(link.refs)}
        for rename in renames:
            for kind in LINK_KINDS:
                copies = [self.link(link, rename) for link in candidates[kind]]
                # what refers to nothing is copied with every replica, and so are its copies, as in the reference
                candidates[kind] += [copy for copy in copies if copy is not None and not copy.refs]
        for item in named(template):
            self.names.add(item.kind, item.name, -1)
        for kind in LINK_KINDS:
            gone = {id(link) for link in candidates[kind] if id(link) in complete and not self._resolves(link.refs)}
            for link in candidates[kind]:
                self.names.add(kind, link.name, -1 if id(link) in gone else 0)
            self.spec.links[kind] = [link for link in self.spec.links[kind] if id(link) not in gone]

    def _resolves(self, refs: dict[Any, tuple[str, str]]) -> bool:
        return all(ref in self.names for ref in refs.values())

    def link(self, link: Link, rename: Rename) -> Link | None:
        """Add a copy of a link under new names, if what it then refers to exists, or if it refers to nothing."""
        refs = {role: (kind, rename(name)) for role, (kind, name) in link.refs.items()}
        renamed = {role for role, ref in refs.items() if ref in self.names}
        if link.refs and not renamed:
            return None
        if link.binding != "all":
            for role, ref in link.refs.items():
                if role not in renamed:
                    refs[role] = ref
        if not self._resolves(refs):
            return None
        new = link.copy()
        new.refs = refs
        if link.name:
            # as in the reference a soft body keeps its name
            new.name = link.name if link.kind == "flex" else rename(link.name)
            self.names.add(link.kind, new.name)
        self.spec.links[link.kind].append(new)
        self.claim(1, link.element)
        return new


def named(template: Body) -> Iterator[Item]:
    """Everything in a body, itself excepted."""
    for body in template.subtree():
        if body is not template:
            yield body
        yield from body.attached()


def store_keys(source: Spec, target: Spec, prefix: str) -> None:
    """Take the keyframes of an attached model apart, so that each object takes its own values along.

    The prefix is put before every name, even where there is none.
    """
    for key in source.keys:
        target.stored_keys.append(StoredKey.take_apart(key, source, prefix + key.name))
    target.stored_keys += [key.renamed(key.name) for key in source.stored_keys]
