"""Simplifications that the file asks for: static bodies merged into their parents, geoms that cannot touch dropped."""

from __future__ import annotations

from typing import Any

from corten.mjcf.bodies import MIN_VALUE
from corten.mjcf.inertia import combined
from corten.mjcf.rotation import IDENTITY, ZERO, Pose, compose, rotate
from corten.mjcf.spec import LINK_KINDS, Body, Item, Spec
from corten.model.enums import ObjType, SensorType


def fuse_static(spec: Spec) -> None:
    """Merge every body without joints into its parent, unless something refers to it by name.

    The reference looks for what is referred to in the list of bodies that are left, by its number before any were
    fused. Where that is beyond the end, it fuses none of the named bodies that come before the one that is referred to.
    """
    bodies = list(spec.world.subtree())
    looked_up = _referred(spec, "body", frames=False)
    furthest = max((body.id for body in bodies if body.name in looked_up), default=0)
    kept = _referred(spec, "body") | _bodies_of_force_sensors(spec)
    left = len(bodies)
    for body in bodies[1:]:
        lost = furthest >= max(left, body.id)
        if not (body.joints or body.values["mocap"] or (body.name and (lost or body.name in kept))):
            _fuse(body)
            left -= 1


def _referred(spec: Spec, kind: str, frames: bool = True) -> set[str]:
    """Names of this kind that links, cameras, lights and skins refer to; those of bodies meant as frames on demand."""
    items = [link for links in LINK_KINDS for link in spec.links[links]]
    items += [item for body in spec.world.subtree() for item in (*body.cameras, *body.lights)]
    names = {
        name for item in items for role, (k, name) in item.refs.items()
        if k == kind and (frames or not _means_frame(item, role))
    }
    if kind == "body":
        bones = (bone for skin in spec.assets["skin"] for bone in skin.element.all("bone"))
        names |= {bone.attributes["body"] for bone in bones}
    return names


def _means_frame(item: Item, role: Any) -> bool:
    """Whether a reference to a body is to its frame (`xbody`)."""
    if item.kind == "tuple":
        return item.element.children[role].attributes["objtype"] == "xbody"
    return item.kind == "sensor" and item.values[f"{role}type"] == ObjType.XBODY


def _bodies_of_force_sensors(spec: Spec) -> set[str]:
    """Names of bodies whose joint with the parent is measured, even where it does not move."""
    tags = (SensorType.FORCE.name.lower(), SensorType.TORQUE.name.lower())
    return {spec.find(link, "obj").body.name for link in spec.links["sensor"] if link.element.tag in tags}


def _fuse(body: Body) -> None:
    parent = body.parent
    pose: Pose = (body.pos, body.quat)
    if parent.parent is not None and body.mass >= MIN_VALUE:
        _take_inertia(parent, body)
    for child in body.bodies:
        child.pos, child.quat = compose(pose, (child.pos, child.quat))
        child.parent = parent
    place = parent.bodies.index(body)
    parent.bodies[place:place + 1] = body.bodies
    for item in (*body.geoms, *body.sites, *body.cameras):
        item.pos, item.quat = compose(pose, (item.pos, item.quat))
        parent.add(item)
    for light in body.lights:
        light.pos, _ = compose(pose, (light.pos, IDENTITY))
        light.dir = rotate(body.quat, light.dir)
        parent.add(light)
    parent.contype |= body.contype
    parent.conaffinity |= body.conaffinity
    parent.margin = max(parent.margin, body.margin)
    body.bodies = []


def _take_inertia(parent: Body, body: Body) -> None:
    """Add the mass of a child.

    As in the reference the frames are composed the wrong way round: its centre is where its own frame would be in its
    inertial frame, and its principal axes count as seen from its own frame. That is right where nothing is turned.
    """
    centre, _ = compose((body.ipos, body.iquat), (body.pos, body.quat))
    own = (parent.mass, (parent.ipos, parent.iquat), parent.inertia)
    if parent.mass + body.mass < MIN_VALUE:
        parent.mass, parent.ipos, parent.iquat, parent.inertia = 0.0, ZERO, IDENTITY, (0.0, 0.0, 0.0)
        return
    result = combined([own, (body.mass, (centre, body.iquat), body.inertia)])
    if result is None:
        body.fail("cannot be fused with its parent: the inertia vanishes in some direction")
    parent.mass, (parent.ipos, parent.iquat), parent.inertia = result


def warn_of_stale_numbers(spec: Spec) -> None:
    """Warn of what refers to a geom or site by the number that it had before bodies were fused."""
    for kind in LINK_KINDS:
        for link in spec.links[kind]:
            for role in link.refs:
                item = spec.find(link, role)
                if item.number != item.id:
                    message = f"bodies are fused; as in the reference, what took the place of '{item.name}' is meant"
                    link.element.warn(message, role if isinstance(role, str) else item.kind)


def discard_visual(spec: Spec) -> None:
    """Drop geoms without contact that nothing refers to, meshes that only they use, and all materials.

    The inertia of bodies has been computed with them.
    """
    used = _referred(spec, "geom")
    kept_meshes = set()
    for body in spec.world.subtree():
        body.geoms = [
            geom for geom in body.geoms
            if geom.values["contype"] or geom.values["conaffinity"] or (geom.name and geom.name in used)
        ]
        for geom in body.geoms:
            geom.matid = -1
            kept_meshes.add(geom.mesh)
    spec.assets["mesh"] = [mesh for mesh in spec.assets["mesh"] if mesh in kept_meshes]
    spec.assets["material"] = []
