"""From soft bodies to the `flex_*` arrays of the model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corten.mjcf.flex import elasticity
from corten.mjcf.flex.source import Flex, SoftBody
from corten.mjcf.flex.topology import Topology, topology
from corten.mjcf.geoms import CONTACT_DIMENSIONS
from corten.mjcf.grammar.flex import BEND, STRETCH
from corten.mjcf.rotation import IDENTITY, ZERO, Pose, compose, rotate
from corten.mjcf.sparsity import starts
from corten.mjcf.spec import Body, Spec
from corten.model.enums import EqualityType, FlexSelf

EPS = 1e-14
MIN_VALUE = 1e-15
EDGES, VERTICES = 1, 2  # what an equality holds: lengths of edges, each or on the whole around vertices
EQUALITIES = {EqualityType.FLEX: EDGES, EqualityType.FLEXVERT: VERTICES}
Reals = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(slots=True)
class Compiled:
    """One flex with all that is known before dynamics."""

    flex: Flex
    soft: SoftBody
    topology: Topology
    elements: Ints
    bodies: Ints  # of each vertex; -1 where vertices are interpolated
    nodes: Ints
    rigid: bool
    centred: bool
    places: Reals  # of nodes in the world
    stiffness: Reals
    bending: Reals
    size: Reals
    coordinates: Reals  # of vertices in the bounding box, from 0 to 1


def compile_flexes(spec: Spec, bodies: list[Body]) -> list[Compiled]:
    """Compile all flexes; bodies are where they are at qpos0."""
    flexes = spec.links["flex"]
    if not flexes:
        return []
    poses: list[Pose] = []
    for body in bodies:
        parent = (ZERO, IDENTITY) if body.parent is None else poses[body.parent.id]
        poses.append(compose(parent, (body.pos, body.quat)))
    compiled = [_compile(spec, flex, poses) for flex in flexes]
    _check_equalities(spec, compiled)
    return compiled


def _check_equalities(spec: Spec, compiled: list[Compiled]) -> None:
    """Edges of a flex that is rigid cannot be held, and those around vertices only in a plane of constant z."""
    for link in spec.links["equality"]:
        kind = EQUALITIES.get(EqualityType[link.element.tag.upper()])
        if kind is None:
            continue
        held = compiled[spec.need(link, "flex").id]
        if held.rigid:
            link.fail(f"flex '{held.flex.name}' is rigid", "flex")
        if kind == VERTICES and held.soft.dim == 2 and not held.soft.order:
            height = held.coordinates[held.topology.edges, 2]
            if (np.abs((height[:, 1] - height[:, 0]) * 2 * held.size[2]) > MIN_VALUE).any():
                link.fail(f"flex '{held.flex.name}' is not in a plane of constant z", "flex")


def _compile(spec: Spec, flex: Any, poses: list[Pose]) -> Compiled:
    soft: SoftBody = flex.soft
    found = {name: spec.find(flex, ("body", name)) for name in dict.fromkeys((*soft.bodies, *soft.nodes))}
    ids = {name: body.id for name, body in found.items()}
    if soft.dim == 2 and flex.values["elasticity"]["elastic2d"] & BEND:
        for name in soft.bodies:
            if len(found[name].joints) != 3:
                flex.fail(f"bends, and needs bodies with three joints, which '{name}' has not")
    bodies = np.array([ids[name] for name in soft.bodies], np.int64)
    nodes = np.array([ids[name] for name in soft.nodes], np.int64)
    _check(flex, soft)
    rigid = soft.vertices is not None and len(bodies) == 1
    bodies = np.broadcast_to(bodies, soft.nvert)
    if not soft.order:
        rigid = rigid or bool((bodies == bodies[0]).all())
    given = soft.places if soft.order else soft.vertices
    centred = given is None or soft.vertices is None or not given.any()
    places = _in_world(poses, bodies, soft.vertices)
    node_places = _in_world(poses, nodes, soft.places)
    elements = _outward(places, soft.elements) if soft.dim == 3 else soft.elements
    _check_elements(flex, elements, soft.nvert)
    shape = topology(elements, soft.nvert)
    stiffness, bending = _elasticity(flex, soft, elements, shape, places, node_places)
    size, coordinates = _bounds(flex, soft, elements, shape.layer, places)
    bodies = np.full(soft.nvert, -1) if soft.order else bodies
    return Compiled(flex, soft, shape, elements, bodies, nodes, rigid, centred, node_places, stiffness, bending, size,
                    coordinates)


def _check(flex: Flex, soft: SoftBody) -> None:
    contact, material = flex.values["contact"], flex.values["elasticity"]
    if contact["condim"] not in CONTACT_DIMENSIONS:
        flex.fail("condim must be 1, 3, 4 or 6")
    if flex.values["edge"]["stiffness"] > 0 and soft.dim > 1:
        flex.fail("stiffness of edges is for dimension 1; <elasticity> is for others")
    if soft.order and contact["selfcollide"] != FlexSelf.NONE:
        flex.fail("interpolated vertices need selfcollide='none'")
    if soft.order and contact["internal"]:
        flex.fail("interpolated vertices need internal='false'")
    if soft.nvert < soft.dim + 1:
        flex.fail("has too few vertices")
    if material["young"] > 0 and not 0 <= material["poisson"] < 0.5:
        flex.fail("Poisson's ratio must be at least 0 and below 0.5")
    if material["young"] > 0 and soft.dim == 2 and material["elastic2d"] & BEND and material["thickness"] < 0:
        flex.fail("bending needs a thickness")


def _check_elements(flex: Flex, elements: Ints, nvert: int) -> None:
    if elements.min() < 0 or elements.max() >= nvert:
        flex.fail(f"has an element with a vertex beyond its {nvert} vertices", "element")
    arranged = np.sort(elements, axis=1)
    if (arranged[:, 1:] == arranged[:, :-1]).any():
        flex.fail("has an element that repeats a vertex", "element")


def _in_world(poses: list[Pose], bodies: Ints, local: Reals | None) -> Reals:
    """Places in the world at qpos0."""
    result = np.array([poses[b][0] for b in bodies.tolist()], float).reshape(-1, 3)
    if local is None:
        return result
    turned = [rotate(poses[b][1], (v[0], v[1], v[2])) if any(v) else v
              for b, v in zip(bodies.tolist(), local.tolist(), strict=True)]
    return result + np.array(turned, float).reshape(-1, 3)


def _outward(places: Reals, elements: Ints) -> Ints:
    """Tetrahedra with two vertices swapped where the first three run clockwise as seen from outside."""
    valid = (elements >= 0).all() and (elements < len(places)).all()
    if not valid:
        return elements
    x = places[elements]
    a, b, c = (x[:, k] - x[:, 0] for k in (1, 2, 3))
    inward = (np.cross(a, b) * c).sum(axis=1) > 0
    return np.where(inward[:, None], elements[:, [0, 2, 1, 3]], elements)


def _elasticity(
    flex: Flex, soft: SoftBody, elements: Ints, shape: Topology, places: Reals, node_places: Reals
) -> tuple[Reals, Reals]:
    """Numbers of each element and of each edge; zero without a material."""
    material = flex.values["elasticity"]
    stiffness = np.zeros((len(elements), elasticity.WIDTH))
    bending = np.zeros((len(shape.edges), elasticity.BENDING))
    young, poisson, thickness = (material[name] for name in ("young", "poisson", "thickness"))
    if young <= 0:
        return stiffness, bending
    if soft.order:
        matrix = elasticity.box(node_places, young, poisson)
        if matrix.size > stiffness.size:
            flex.fail(f"needs at least {-(-matrix.size // elasticity.WIDTH)} elements for its interpolated vertices")
        stiffness.ravel()[:matrix.size] = matrix
    elif soft.dim == 3:
        stiffness = elasticity.solid(places, elements, young, poisson)
    elif soft.dim == 2 and material["elastic2d"] & STRETCH and thickness > 0:
        stiffness = elasticity.membrane(places, elements, young, poisson, thickness)
    if soft.dim == 2 and material["elastic2d"] & BEND:
        bending = elasticity.bending(places, shape.flaps, young, poisson, thickness)
    if not (np.isfinite(stiffness).all() and np.isfinite(bending).all()):
        flex.fail("has an element without extent, whose stiffness is not defined")
    return stiffness, bending


def _bounds(flex: Flex, soft: SoftBody, elements: Ints, layer: Ints, places: Reals) -> tuple[Reals, Reals]:
    """Half sizes of the box around all elements that can touch others, and vertices relative to it.

    The radius is added and taken away again, as the reference does; a box without extent in some direction has its
    vertices in the middle.
    """
    radius = flex.values["radius"]
    active = elements
    if soft.dim == 3:
        active = elements[layer < flex.values["contact"]["activelayers"]]
        if not len(active):
            flex.fail("has no active layer")
    low, high = places[active].min(axis=1), places[active].max(axis=1)
    centre, half = 0.5 * (high + low), 0.5 * (high - low) + radius
    lower, upper = (centre - half).min(axis=0), (centre + half).max(axis=0)
    flat = np.abs(lower - upper) < EPS
    lower, upper = np.where(flat, lower - EPS, lower), np.where(flat, upper + EPS, upper)
    size = (upper - lower) / 2 - radius
    middle = (upper + lower) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = (places - middle) / (2 * size) + 0.5
    return size, np.where(size > MIN_VALUE, inside, 0.5)


def edge_equalities(spec: Spec) -> dict[int, int]:
    """By number of flex, EDGES or VERTICES where an equality holds them; of several the first counts."""
    held: dict[int, int] = {}
    for link in spec.links["equality"]:
        kind = EQUALITIES.get(EqualityType[link.element.tag.upper()])
        if kind is not None:
            held.setdefault(spec.need(link, "flex").id, kind)
    return held


def flex_arrays(spec: Spec, compiled: list[Compiled], weld: Iterable[int]) -> dict[str, Any]:
    """The `flex_*` and `flexedge_*` arrays that do not need dynamics."""
    v = [c.flex.values for c in compiled]
    held = edge_equalities(spec)
    result: dict[str, Any] = {}
    for name in ("contype", "conaffinity", "condim", "priority", "solmix", "solref", "solimp", "friction", "margin",
                 "gap", "internal", "selfcollide", "activelayers", "passive"):
        result[f"flex_{name}"] = [values["contact"][name] for values in v]
    result |= {
        "flex_dim": [c.soft.dim for c in compiled],
        "flex_group": [values["group"] for values in v],
        "flex_radius": [values["radius"] for values in v],
        "flex_interp": [c.soft.order for c in compiled],
        "flex_size": [c.size for c in compiled],
        "flex_damping": [values["elasticity"]["damping"] for values in v],
        "flex_edgestiffness": [values["edge"]["stiffness"] for values in v],
        "flex_edgedamping": [values["edge"]["damping"] for values in v],
        "flex_edgeequality": [held.get(number, 0) for number in range(len(compiled))],
        "flex_rigid": [c.rigid for c in compiled],
        "flex_centered": [c.centred for c in compiled],
    }
    return result | _joined(compiled) | _vertices(compiled) | _edges(compiled, np.array(list(weld), np.int64))


def _joined(compiled: list[Compiled]) -> dict[str, Any]:
    """Elements, surfaces and collision pairs of all flexes, and where those of each begin."""
    elements = [c.elements for c in compiled]
    pairs = [c.topology.pairs for c in compiled]
    shells = [c.topology.shell for c in compiled]
    npairs, nshells = [len(p) for p in pairs], [len(s) for s in shells]
    return {
        "flex_elemadr": starts([len(e) for e in elements]),
        "flex_elemnum": [len(e) for e in elements],
        "flex_elemdataadr": starts([e.size for e in elements]),
        "flex_elem": _flat(elements),
        "flex_elemedgeadr": starts([c.topology.element_edges.size for c in compiled]),
        "flex_elemedge": _flat([c.topology.element_edges for c in compiled]),
        "flex_elemlayer": _flat([c.topology.layer for c in compiled]),
        "flex_shellnum": nshells,
        "flex_shelldataadr": np.where(np.array(nshells, int) > 0, starts([s.size for s in shells]), -1),
        "flex_shell": _flat(shells),
        "flex_evpairnum": npairs,
        "flex_evpairadr": np.where(np.array(npairs, int) > 0, starts(npairs), -1),
        "flex_evpair": _rows(pairs, 2),
        "flex_stiffness": _rows([c.stiffness for c in compiled], elasticity.WIDTH),
    }


def _vertices(compiled: list[Compiled]) -> dict[str, Any]:
    numbers, nodes = [c.soft.nvert for c in compiled], [len(c.nodes) for c in compiled]
    return {
        "flex_vertadr": starts(numbers),
        "flex_vertnum": numbers,
        "flex_vertbodyid": _flat([c.bodies for c in compiled]),
        "flex_vert": _rows([_kept(c.soft.vertices, c.soft.nvert, c.centred and not c.soft.order) for c in compiled], 3),
        "flex_vert0": _rows([c.coordinates for c in compiled], 3),
        "flex_nodeadr": starts(nodes),
        "flex_nodenum": nodes,
        "flex_nodebodyid": _flat([c.nodes for c in compiled]),
        "flex_node": _rows([_kept(c.soft.places, len(c.nodes), c.centred) for c in compiled], 3),
        "flex_node0": _rows([c.places for c in compiled], 3),
    }


def _edges(compiled: list[Compiled], weld: Ints) -> dict[str, Any]:
    numbers = [len(c.topology.edges) for c in compiled]
    flaps, rigid = [], []
    for c in compiled:
        bends = c.soft.dim == 2 and c.flex.values["elasticity"]["elastic2d"] & BEND
        flaps.append(c.topology.flaps[:, 2:] if bends else np.full((len(c.topology.edges), 2), -1))
        welds = weld[c.bodies[c.topology.edges]]
        stiff = (welds[:, 0] == welds[:, 1]) & (not c.soft.order)
        rigid.append(stiff | c.rigid)
    return {
        "flex_edgeadr": starts(numbers),
        "flex_edgenum": numbers,
        "flex_edge": _rows([c.topology.edges for c in compiled], 2),
        "flex_edgeflap": _rows(flaps, 2),
        "flexedge_rigid": _flat(rigid),
        "flex_bending": _rows([c.bending for c in compiled], elasticity.BENDING),
    }


def _kept(places: Reals | None, number: int, centred: bool) -> Reals:
    return np.zeros((number, 3)) if centred or places is None else places


def _flat(parts: list[Any]) -> Any:
    return np.concatenate([np.ravel(part) for part in parts]) if parts else []


def _rows(parts: list[Any], width: int) -> Any:
    return np.concatenate([np.reshape(part, (-1, width)) for part in parts]) if parts else np.zeros((0, width))
