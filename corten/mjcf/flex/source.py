"""A soft body as the file gives it or <flexcomp> generates it: elements, and which bodies their vertices move with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corten.mjcf.errors import did_you_mean
from corten.mjcf.read import Element
from corten.mjcf.spec import Link, Settings, Spec

NODES = {0: 0, 8: 1, 27: 2}  # how many nodes a flex has, and the order of the interpolation between them
SECTIONS = ("contact", "edge", "elasticity")


@dataclass(frozen=True, slots=True)
class SoftBody:
    """What a flex is made of. Places are in the frames of the bodies; without them all are at their bodies' origins."""

    dim: int
    elements: NDArray[np.int64]  # (nelem, dim + 1) numbers of vertices
    bodies: tuple[str, ...]  # of each vertex, or one for all
    vertices: NDArray[np.float64] | None  # (nvert, 3)
    nodes: tuple[str, ...] = ()  # bodies of the nodes between which vertices are interpolated
    places: NDArray[np.float64] | None = None  # (nnode, 3)

    @property
    def nvert(self) -> int:
        """Number of vertices."""
        return len(self.bodies) if self.vertices is None else len(self.vertices)

    @property
    def order(self) -> int:
        """Order of the interpolation between nodes; 0: none."""
        return NODES[len(self.nodes)]


class Flex(Link):
    """A soft body, which refers to the bodies that it is made of."""

    __slots__ = ("soft",)

    def __init__(self, element: Element, values: dict[str, Any], settings: Settings, soft: SoftBody) -> None:
        super().__init__("flex", element, values, settings, "all")
        self.soft = soft
        self.refs = {("body", name): ("body", name) for name in (*soft.bodies, *soft.nodes)}

    def copy(self) -> Flex:
        """The same flex; its parts are shared."""
        new = super().copy()
        new.soft = self.soft
        return new


def read_flex(element: Element, settings: Settings) -> Flex:
    """A <flex> of the <deformable> section."""
    said = {**element.rule.defaults, **element.attributes}
    dim = checked_dim(element, said["dim"])
    vertices = points(element, said.get("vertex"), "vertex")
    bodies, nodes = tuple(said["body"].split()), tuple(said.get("node", "").split())
    if not bodies:
        element.fail("must not be empty", "body")
    if len(nodes) not in NODES:
        element.fail("must be 8 or 27 bodies", "node")
    if vertices is not None and len(bodies) not in (1, len(vertices)):
        element.fail(f"names {len(bodies)} bodies for {len(vertices)} vertices; one is needed, or one each", "body")
    elements = grouped(element, said["element"], dim)
    return Flex(element, flex_values(element, said), settings, SoftBody(dim, elements, bodies, vertices, nodes))


def flex_values(element: Element, said: dict[str, Any]) -> dict[str, Any]:
    """What the element and its sections say of contacts, edges and material, by section; the rest by attribute."""
    values: dict[str, Any] = {name: said[name] for name in ("group", "radius")}
    for tag in SECTIONS:
        child = next(element.all(tag), None)
        rule = element.rule.children[tag]
        values[tag] = dict(rule.defaults)
        if child is not None:
            for name, value in child.attributes.items():
                inherited = rule.defaults[name]
                overlay = name in rule.overlays and len(value) < len(inherited)
                values[tag][name] = value + inherited[len(value):] if overlay else value
    return values


def check_materials(spec: Spec) -> None:
    """The materials that flexes of this file name must exist; those of attached files have been looked for there."""
    known = {material.name for material in spec.assets["material"]}
    for flex in spec.links["flex"]:
        name = flex.element.attributes.get("material", "")
        if name and name not in known and flex.settings is spec.settings:
            flex.element.fail(f"unknown material '{name}'{did_you_mean(name, known)}", "material")


def checked_dim(element: Element, dim: int) -> int:
    """The dimension of the elements."""
    if not 1 <= dim <= 3:
        element.fail("must be 1, 2 or 3", "dim")
    return dim


def points(element: Element, numbers: tuple[float, ...] | None, attribute: str) -> NDArray[np.float64] | None:
    """Places from numbers in a row."""
    if numbers is None:
        return None
    if len(numbers) % 3:
        element.fail(f"holds {len(numbers)} numbers, which is not a multiple of 3", attribute)
    return np.array(numbers, np.float64).reshape(-1, 3)


def grouped(element: Element, numbers: Iterable[int], dim: int) -> NDArray[np.int64]:
    """Elements from numbers in a row."""
    flat = np.array(numbers, np.int64).ravel()
    if not flat.size:
        element.fail("must not be empty", "element")
    if flat.size % (dim + 1):
        element.fail(f"elements hold {flat.size} numbers in all, which is not a multiple of {dim + 1}", "element")
    return flat.reshape(-1, dim + 1)
