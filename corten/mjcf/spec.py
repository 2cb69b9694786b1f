"""The objects between file and model: a tree of bodies with what they carry, and lists of what refers to it.

An object holds what the file says of it, defaults filled in (`values`), and the names of what it refers to (`refs`);
the passes add what they compute. `frame` is the pose of the enclosing <frame> or <replicate> relative to the body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn, Self

from corten.mjcf.errors import did_you_mean
from corten.mjcf.read import Element
from corten.mjcf.rotation import IDENTITY, ZERO, Pose

Rename = Callable[[str], str]

# most numbers that any one quantity of a model may hold; what asks for more is a mistake or an attack
MAX_NUMBERS = 50_000_000
# bodies and flexes together
MAX_BODIES = 65534


@dataclass(slots=True)
class Settings:
    """The <compiler> settings of one file, and where its assets are; objects of an attached model keep their own."""

    autolimits: int
    boundmass: float
    boundinertia: float
    settotalmass: float
    balanceinertia: int
    strippath: int
    angle: int
    fitaabb: int
    eulerseq: str
    discardvisual: int
    fusestatic: int
    inertiafromgeom: int
    inertiagrouprange: tuple[int, int]
    alignfree: int
    meshdir: str
    lengthrange: dict[str, Any]
    directory: str = ""


class Item:
    """One object of the model.

    `id` is its place in the model and `number` that by which others refer to it. They are the same, except for geoms
    and sites where bodies are fused: as in the reference, what refers to them still has their places before that.
    """

    kind = ""
    __slots__ = ("element", "frame", "id", "name", "number", "refs", "settings", "values")

    def __init__(self, element: Element, values: dict[str, Any], settings: Settings) -> None:
        self.element = element
        self.values = values
        self.settings = settings
        self.name: str = element.attributes.get("name", "")
        self.frame: Pose | None = None
        self.refs: dict[Any, tuple[str, str]] = {}
        self.id = self.number = -1

    def fail(self, message: str, attribute: str = "") -> NoReturn:
        """Raise the error that this object is wrong."""
        named = f" in '{self.name}'" if self.name else ""
        self.element.fail(message + named, attribute)

    def refer(self, *kinds: tuple[str, str]) -> None:
        """Note what the attributes refer to: pairs of attribute and kind of object."""
        for attribute, kind in kinds:
            if name := self.values.get(attribute):
                self.refs[attribute] = (kind, name)

    def copy(self) -> Self:
        """The same object before any pass has run; values are shared, references are not."""
        new = type(self).__new__(type(self))
        new.element = self.element
        new.values = self.values
        new.settings = self.settings
        new.name = self.name
        new.frame = self.frame
        new.refs = self.refs
        new.id = new.number = -1
        return new


class Joint(Item):
    """A joint; compiled by `joints`."""

    kind = "joint"
    __slots__ = ("actfrclimited", "axis", "body", "limited", "pos", "range", "ref", "springref", "type")


class Geom(Item):
    """A geom; compiled by `geoms`."""

    kind = "geom"
    __slots__ = ("aabb", "body", "fluid", "hfield", "inertia", "mass", "matid", "mesh", "pos", "quat", "rbound", "size",
                 "type")


class Site(Item):
    """A site; compiled by `sites`."""

    kind = "site"
    __slots__ = ("body", "pos", "quat", "size", "type")


class Camera(Item):
    """A camera; compiled by `sites`."""

    kind = "camera"
    __slots__ = ("body", "fovy", "intrinsic", "pos", "quat")


class Light(Item):
    """A light; compiled by `sites`."""

    kind = "light"
    __slots__ = ("body", "dir", "pos")


class Body(Item):
    """A body; compiled by `bodies`."""

    kind = "body"
    __slots__ = ("bodies", "cameras", "conaffinity", "contype", "dofnum", "geoms", "inertia", "inertial", "ipos",
                 "iquat", "joints", "lights", "margin", "mass", "parent", "pos", "quat", "sites", "weldid")

    def __init__(self, element: Element, values: dict[str, Any], settings: Settings) -> None:
        super().__init__(element, values, settings)
        self.clear()
        self.inertial: Element | None = None

    def clear(self) -> None:
        """Forget what is attached."""
        self.joints: list[Joint] = []
        self.geoms: list[Geom] = []
        self.sites: list[Site] = []
        self.cameras: list[Camera] = []
        self.lights: list[Light] = []
        self.bodies: list[Body] = []
        self.parent: Body | None = None

    def copy(self) -> Self:
        """The body alone, without what is attached."""
        new = super().copy()
        new.clear()
        new.inertial = self.inertial
        return new

    def attached(self) -> Iterator[Joint | Geom | Site | Camera | Light]:
        """Everything attached to this body itself, bodies excepted."""
        yield from self.joints
        yield from self.geoms
        yield from self.sites
        yield from self.cameras
        yield from self.lights

    def add(self, item: Joint | Geom | Site | Camera | Light | Body) -> None:
        """Attach an object."""
        getattr(self, LISTS[item.kind]).append(item)
        if item.kind == "body":
            item.parent = self
        else:
            item.body = self

    def subtree(self) -> Iterator[Body]:
        """This body and all below it, depth first, parents before children."""
        pending = [self]
        while pending:
            body = pending.pop()
            yield body
            pending.extend(reversed(body.bodies))


LISTS = {"joint": "joints", "geom": "geoms", "site": "sites", "camera": "cameras", "light": "lights", "body": "bodies"}


class Link(Item):
    """Something outside of the tree that refers to it: pair, exclude, flex, tendon, equality, actuator, sensor, tuple.

    When what it refers to is copied, so is the link. `binding` says which references must be to copies: "all"; "any",
    where the others may stay; or "each", where at least one must and every other is tried both ways.
    """

    __slots__ = ("binding", "data", "kind")

    def __init__(self, kind: str, element: Element, values: dict[str, Any], settings: Settings, binding: str) -> None:
        super().__init__(element, values, settings)
        self.kind = kind
        self.binding = binding
        self.data: Any = None

    def copy(self) -> Self:
        """The same link before any pass has run; what its reader has found is shared."""
        new = super().copy()
        new.kind = self.kind
        new.binding = self.binding
        new.data = self.data
        return new


# what a link refers to comes before it
LINK_KINDS = ("pair", "exclude", "flex", "tendon", "equality", "actuator", "sensor", "tuple")
ASSET_KINDS = ("mesh", "hfield", "material", "skin", "texture")


@dataclass(slots=True)
class Spec:
    """One model: settings, tree, links, assets, and who is called what."""

    root: Element
    settings: Settings
    world: Body
    option: dict[str, Any]
    size: dict[str, Any]
    statistic: dict[str, Any]
    znear: float
    name: str
    links: dict[str, list[Link]] = field(default_factory=lambda: {kind: [] for kind in LINK_KINDS})
    assets: dict[str, list[Item]] = field(default_factory=lambda: {kind: [] for kind in ASSET_KINDS})
    models: dict[str, Spec] = field(default_factory=dict)
    numerics: list[Item] = field(default_factory=list)
    texts: list[Item] = field(default_factory=list)
    keys: list[Item] = field(default_factory=list)
    stored_keys: list[Any] = field(default_factory=list)
    names: dict[str, dict[str, Item]] = field(default_factory=dict)

    def index(self, kind: str, items: list[Any], fused: bool = False) -> None:
        """Number the objects of a kind and note their names, which must be unique."""
        known: dict[str, Item] = {}
        stale = fused and kind in ("geom", "site")
        for number, item in enumerate(items):
            item.id = number
            item.number = item.number if stale else number
            if item.name:
                if item.name in known:
                    other = known[item.name].element
                    item.element.fail(f"repeats the {kind} name '{item.name}' of line {other.line}", "name")
                known[item.name] = item
        self.names[kind] = known

    def find(self, item: Item, role: Any) -> Any:
        """What the reference `role` of an object refers to, or None where it has none."""
        if role not in item.refs:
            return None
        kind, name = item.refs[role]
        found = self.names.get(kind, {}).get(name)
        if found is None:
            hint = did_you_mean(name, self.names.get(kind, {}))
            item.element.fail(f"unknown {kind} '{name}'{hint}", role if isinstance(role, str) else "")
        return found

    def need(self, item: Item, role: Any) -> Any:
        """What the reference `role` of an object refers to, which must not be empty."""
        found = self.find(item, role)
        if found is None:
            item.element.fail("must not be empty", role)
        return found


NO_POSE: Pose = (ZERO, IDENTITY)
