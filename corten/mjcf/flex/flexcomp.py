"""The <flexcomp> element: points and elements of a shape, and the bodies and joints that its points move with.

The parent body may be the world; an enclosing frame has no effect, as in the reference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corten.mjcf.assets.errors import MeshError
from corten.mjcf.assets.gmsh import read_gmsh
from corten.mjcf.assets.mesh import READERS
from corten.mjcf.assets.surface import merge_repeated
from corten.mjcf.flex import shapes
from corten.mjcf.flex.pins import Grid, pinned_points
from corten.mjcf.flex.source import Flex, SoftBody, checked_dim, flex_values, grouped, points
from corten.mjcf.frames import orientation
from corten.mjcf.grammar.flex import DOF_KINDS, SHAPES, STRETCH
from corten.mjcf.grammar.mechanism import EQUALITY
from corten.mjcf.grammar.tree import BODY, INERTIAL, ORIENTATION_KINDS
from corten.mjcf.meshes import read_asset
from corten.mjcf.read import Element
from corten.mjcf.rotation import ZERO
from corten.mjcf.source import Files
from corten.mjcf.spec import MAX_BODIES, Body, Geom, Item, Joint, Link, Spec
from corten.model.enums import EqualityType, GeomType, JointType

MIN_VALUE = 1e-15
MAX_POINTS = 100_000
GIVEN = ("mesh", "gmsh", "direct")  # shapes whose points the file gives
BOXES = ("box", "cylinder", "ellipsoid")
ORDERS = {"full": 0, "radial": 0, "trilinear": 1, "quadratic": 2}
SPHERE_GROUP = 4  # of the geoms at vertices; those at nodes have the group of their class
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Inherited:
    """What joints and geoms of generated bodies inherit from the default class of the parent body."""

    joint: dict[str, Any]
    geom: dict[str, Any]


def flexcomp(
    spec: Spec, element: Element, body: Body, inherited: Inherited, files: Files, add_item: Callable[[Any, Body], None]
) -> None:
    """Add a flex to the model, with the bodies that it moves with, and the equality that holds its edges."""
    said = {**element.rule.defaults, **element.attributes}
    shape, kind = SHAPES[said["type"]], DOF_KINDS[said["dof"]]
    values = flex_values(element, said)
    _check(element, said, values, body, shape, kind)
    dim, places, elements = _shape(spec, element, said, shape, files)
    if shape in GIVEN:
        places = places * said["scale"]
    # a quaternion is taken as it is; one that is not of unit length distorts the shape, as in the reference
    turned = any(name in said for name in ORIENTATION_KINDS if name != "quat")
    quat = orientation(said, element, spec.settings) if turned else said["quat"]
    places = _placed(places, said["pos"], quat)
    order = ORDERS[kind]
    grid = Grid(dim, said["count"], shape == "grid", order)
    pinned = pinned_points(element, grid, len(places), bool(said["rigid"]), kind == "radial")
    lower, upper = places.min(axis=0), places.max(axis=0)
    rigid = bool(pinned[:len(places)].all())
    centred = not pinned[:len(places)].any()
    if shape in GIVEN:
        places, elements, pinned = _used_only(places, elements, pinned)
    if rigid:
        soft = SoftBody(dim, elements, (body.name,), places)
        spec.links["flex"].append(Flex(element, values, spec.settings, soft))
        return

    free = len(places) - int(pinned[:len(places)].sum())
    if not order and free >= MAX_BODIES:
        element.fail(f"asks for {free} bodies, more than {MAX_BODIES}")
    made = _Maker(spec, element, body, inherited, said, values, add_item)
    if order:
        nodes, at = made.nodes(lower, upper, pinned, order)
        soft = SoftBody(dim, elements, (body.name,) * len(places), places, nodes, None if centred else at)
    else:
        bodies = made.vertices(places, pinned, kind)
        own = np.where(pinned[:len(places), None], places, 0.0)
        soft = SoftBody(dim, elements, bodies, None if centred else own)
    spec.links["flex"].append(Flex(element, values, spec.settings, soft))
    _add_equality(spec, element, values)


def _check(element: Element, said: dict[str, Any], values: dict[str, Any], body: Body, shape: str, kind: str) -> None:
    if "name" not in said:
        element.fail("needs attribute 'name'")
    if not body.name:
        element.fail("needs a parent body with a name")
    parent: Body | None = body
    while parent is not None:
        if parent.element.tag == "replicate":
            element.fail("cannot be in a <replicate>")
        parent = parent.parent
    dim, count = checked_dim(element, said["dim"]), said["count"]
    if min(count) < (2 if (kind == "radial" and dim == 3) or shape in BOXES else 1):
        element.fail("is too small", "count")
    if count[2] != 1 and (shape in ("square", "disc") or (shape in ("grid", "circle") and dim == 2)):
        element.fail(f"the third number is {count[2]}, not 1, in dimension 2", "count")
    if shape not in GIVEN:
        size = 2 * said["radius"] + values["contact"]["margin"]
        if min(said["spacing"]) < size:
            element.fail(f"must be at least twice the radius plus the margin, {size:g}", "spacing")
        # boxes have points on their surfaces only
        number = float(np.prod([float(n) for n in count]))
        if shape in BOXES:
            number -= float(np.prod([max(float(n) - 2, 0) for n in count]))
        if max(number, *count) > MAX_POINTS:
            element.fail(f"asks for more than {MAX_POINTS} points", "count")
    for name in ("scale", "mass", "inertiabox"):
        if np.min(said[name]) < MIN_VALUE:
            element.fail("must be positive", name)
    if shape == "mesh" and dim == 3 and "origin" not in said:
        element.fail("needs attribute 'origin' for a mesh of dimension 3")
    if values["elasticity"]["elastic2d"] & STRETCH and values["edge"]["equality"]:
        element.fail("cannot have both elasticity of surfaces and an equality of edges")


def _shape(
    spec: Spec, element: Element, said: dict[str, Any], shape: str, files: Files
) -> tuple[int, NDArray[np.float64], NDArray[np.int64]]:
    """Dimension, points and elements as they come from the shape; points in the frame of the flexcomp."""
    dim, count, spacing = said["dim"], said["count"], said["spacing"]
    if shape == "direct":
        if "point" not in said or "element" not in said:
            element.fail("needs attributes 'point' and 'element' for type 'direct'")
        places = points(element, said["point"], "point")
        flat = said["element"]
        assert places is not None
    elif shape in GIVEN:
        dim, places, flat = _from_file(spec, element, said, shape, files)
    elif shape in BOXES:
        places, flat = shapes.shell(shape, dim, count, spacing)
    elif shape in ("square", "disc") or dim == 2:
        dim = 2
        places, flat = shapes.sheet(count, spacing, shape == "disc")
    elif dim == 1:
        places, flat = (shapes.circle if shape == "circle" else shapes.line)(count[0], spacing[0])
    else:
        places, flat = shapes.block(count, spacing)
    elements = grouped(element, flat, dim)
    if elements.min() < 0 or elements.max() >= len(places):
        element.fail(f"has an element with a point beyond its {len(places)} points")
    if len(places) > MAX_POINTS or elements.size > 6 * 4 * MAX_POINTS:
        element.fail(f"has more than {MAX_POINTS} points, or too many elements for them")
    return dim, places, elements


def _from_file(
    spec: Spec, element: Element, said: dict[str, Any], shape: str, files: Files
) -> tuple[int, NDArray[np.float64], NDArray[np.int64]]:
    if "file" not in said:
        element.fail(f"needs attribute 'file' for type '{shape}'")
    dim = said["dim"]
    content, form = read_asset(Item(element, said, spec.settings), files, said["file"])
    try:
        if shape == "gmsh":
            mesh = read_gmsh(content)
            return mesh.elements.shape[1] - 1, mesh.points, mesh.elements
        if form not in READERS or form == "msh":
            element.fail(f"files of type '{form}' are not read", "file")
        if dim == 1:
            element.fail("must be 2 or 3 for a mesh", "dim")
        surface = merge_repeated(READERS[form](content, False))
    except MeshError as error:
        element.fail(str(error), "file")
    places, faces = surface.vertices.astype(np.float64), surface.faces.astype(np.int64)
    if not len(places) or not len(faces):
        element.fail("has no vertices and faces", "file")
    if dim == 2:
        return dim, places, faces
    # tetrahedra between triangles and the origin, those of positive volume
    places = np.concatenate([[said["origin"]], places])
    tets = np.insert(faces + 1, 0, 0, axis=1)
    a, b, c = (places[tets[:, k]] - places[0] for k in (1, 2, 3))
    volume = (np.cross(a, b) * c).sum(axis=1)
    return dim, places, tets[volume >= MIN_VALUE]


def _placed(places: NDArray[np.float64], pos: Any, quat: Any) -> NDArray[np.float64]:
    """Points moved to a pose."""
    w, u = quat[0], np.array(quat[1:])
    if u.any():
        places = places + 2 * np.cross(u, w * places + np.cross(u, places))
    return places + pos


def _used_only(
    places: NDArray[np.float64], elements: NDArray[np.int64], pinned: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]]:
    """Leave out points that no element uses. Pins of nodes that have the numbers of points are moved with them."""
    used = np.zeros(len(places), bool)
    used[elements.ravel()] = True
    if used.all():
        return places, elements, pinned
    number = np.cumsum(used) - 1
    kept = pinned.copy()
    kept[:used.sum()] = pinned[:len(places)][used]
    return places[used], number[elements], kept


def _add_equality(spec: Spec, element: Element, values: dict[str, Any]) -> None:
    edge = values["edge"]
    if not edge["equality"]:
        return
    tag = EqualityType(edge["equality"]).name.lower()
    rule = EQUALITY.children[tag]
    name = element.attributes["name"]
    said = {**rule.defaults, "solref": edge["solref"], "solimp": edge["solimp"], "flex": name, "objtype": "flex"}
    made = Element(tag, rule, {"flex": name}, element.file, element.line, element.base)
    link = Link("equality", made, said, spec.settings, "all")
    link.refer(("flex", "flex"))
    spec.links["equality"].append(link)


class _Maker:
    """Makes the bodies of one flex, each with slides and an inertia of its own."""

    def __init__(
        self, spec: Spec, element: Element, body: Body, inherited: Inherited, said: dict[str, Any],
        values: dict[str, Any], add_item: Callable[[Any, Body], None],
    ) -> None:
        self.settings = spec.settings
        self.element = element
        self.parent = body
        self.said = said
        self.add_item = add_item
        self.name = said["name"]
        self.slide = {**inherited.joint, "type": JointType.SLIDE, "pos": ZERO}
        self.sphere: dict[str, Any] | None = None
        if values["contact"]["vertcollide"]:
            size = (said["radius"], *inherited.geom["size"][1:])
            self.sphere = {**inherited.geom, "type": GeomType.SPHERE, "size": size}

    def vertices(self, places: NDArray[np.float64], pinned: NDArray[np.bool_], kind: str) -> tuple[str, ...]:
        """A body for each vertex that is not pinned; the names of the bodies of all vertices."""
        inertial = self._inertial(self.said["mass"] / len(places))
        sphere = None if self.sphere is None else {**self.sphere, "group": SPHERE_GROUP}
        names = []
        for number, (place, fixed) in enumerate(zip(places.tolist(), pinned.tolist(), strict=False)):
            if fixed:
                names.append(self.parent.name)
                continue
            at = (place[0], place[1], place[2])
            axes = (at,) if kind == "radial" else AXES
            names.append(self._body(f"{self.name}_{number}", at, inertial, axes, sphere))
        return tuple(names)

    def nodes(
        self, lower: NDArray[np.float64], upper: NDArray[np.float64], pinned: NDArray[np.bool_], order: int
    ) -> tuple[tuple[str, ...], NDArray[np.float64]]:
        """A body for each node of the box that is not pinned; the names of the bodies and places of all nodes."""
        n = order + 1
        steps = np.indices((n, n, n)).reshape(3, -1).T
        places = lower + (upper - lower) * (steps / order)
        weight = np.array([1.0, 1.0] if order == 1 else [1.0, 4.0, 1.0])
        share = weight[steps].prod(axis=1) / weight.sum() ** 3
        names = []
        for number, (i, j, k) in enumerate(steps.tolist()):
            if pinned[number]:
                names.append(self.parent.name)
                continue
            inertial = self._inertial(self.said["mass"] * float(share[number]))
            x, y, z = places[number].tolist()
            names.append(self._body(f"{self.name}_{i}_{j}_{k}", (x, y, z), inertial, AXES, self.sphere))
        return tuple(names), np.where(pinned[:n**3, None], places, 0.0)

    def _inertial(self, mass: float) -> Element:
        """Mass, and the inertia of a box with all of it at its corners, of half size `inertiabox`."""
        moment = mass * (2.0 * self.said["inertiabox"] ** 2) / 3.0
        values = {"pos": ZERO, "mass": mass, "diaginertia": (moment,) * 3}
        return Element("inertial", INERTIAL, values, self.element.file, self.element.line, self.element.base)

    def _body(self, name: str, at: Any, inertial: Element, axes: Any, sphere: dict[str, Any] | None) -> str:
        body = Body(self.element, {**BODY.defaults, "pos": at}, self.settings)
        body.name = name
        body.inertial = inertial
        self.add_item(body, self.parent)
        if sphere is not None:
            self._attach(Geom, sphere, body)
        for axis in axes:
            self._attach(Joint, {**self.slide, "axis": axis}, body)
        return name

    def _attach(self, kind: type[Item], values: dict[str, Any], body: Body) -> None:
        item = kind(self.element, values, self.settings)
        item.name = ""
        self.add_item(item, body)
