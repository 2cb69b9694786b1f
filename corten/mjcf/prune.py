"""Simplifications that the file asks for: static bodies merged into their parents, geoms that cannot touch dropped."""

from __future__ import annotations

from corten.mjcf.bodies import MIN_VALUE
from corten.mjcf.inertia import combined
from corten.mjcf.rotation import IDENTITY, ZERO, Pose, compose, rotate
from corten.mjcf.spec import LINK_KINDS, Body, Spec
from corten.model.enums import SensorType


def fuse_static(spec: Spec) -> None:
    """Merge every body without joints into its parent, unless something refers to it by name."""
    referred = _referred(spec, "body") | _bodies_of_force_sensors(spec)
    for body in list(spec.world.subtree())[1:]:
        named = body.name and body.name in referred
        if not (body.joints or body.values["mocap"] or named):
            _fuse(body)


def _referred(spec: Spec, kind: str) -> set[str]:
    """Names of this kind that links, cameras, lights and skins refer to."""
    items = [link for links in LINK_KINDS for link in spec.links[links]]
    items += [item for body in spec.world.subtree() for item in (*body.cameras, *body.lights)]
    names = {name for item in items for role, (k, name) in item.refs.items() if k == kind}
    if kind == "body":
        bones = (bone for skin in spec.assets["skin"] for bone in skin.element.all("bone"))
        names |= {bone.attributes["body"] for bone in bones}
    return names


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
