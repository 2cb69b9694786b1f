"""Bodies: frames, inertia, and the checks on what hangs on them."""

from __future__ import annotations

from collections.abc import Iterable

from corten.mjcf.frames import orientation, placed
from corten.mjcf.geoms import compile_geom
from corten.mjcf.inertia import combined, principal
from corten.mjcf.joints import compile_joint
from corten.mjcf.rotation import EPS, IDENTITY, ZERO, Pose, compose, inverse, rotate
from corten.mjcf.sites import compile_camera, compile_light, compile_site
from corten.mjcf.spec import Body, Spec
from corten.model.enums import DOFS, JointType

MIN_VALUE = 1e-15
AUTO = 2


def compile_bodies(spec: Spec, bodies: Iterable[Body]) -> None:
    """Compile every body with all that is attached to it; parents come before children."""
    bodies = list(bodies)
    number_welds(bodies)
    for body in bodies:
        _compile_body(spec, body, body.parent)


def number_welds(bodies: Iterable[Body]) -> None:
    """Find the highest ancestor that each body cannot move against; parents come before children."""
    for body in bodies:
        body.weldid = body.id if body.joints or body.parent is None else body.parent.weldid


def _compile_body(spec: Spec, body: Body, parent: Body | None) -> None:
    settings = body.settings
    if parent is None:
        body.pos, body.quat = ZERO, IDENTITY
    else:
        pose = (body.values["pos"], orientation(body.values, body.element, settings))
        body.pos, body.quat = pose

    explicit = body.inertial is not None
    infer = settings.inertiafromgeom == 1 or (settings.inertiafromgeom == AUTO and not explicit)
    low, high = settings.inertiagrouprange
    weighing = parent is not None and (settings.inertiafromgeom == 1 or not explicit)
    for geom in body.geoms:
        compile_geom(spec, geom, weighing and low <= geom.values["group"] <= high)
    _inertia(body, infer and parent is not None)
    if parent is not None:
        body.pos, body.quat = placed(body, body.pos, body.quat)

    body.contype = body.conaffinity = 0
    body.margin = 0.0
    for geom in body.geoms:
        body.contype |= geom.values["contype"]
        body.conaffinity |= geom.values["conaffinity"]
        body.margin = max(body.margin, geom.values["margin"])

    for joint in body.joints:
        compile_joint(joint)
    _check_joints(body)
    for site in body.sites:
        compile_site(site)
    for camera in body.cameras:
        compile_camera(spec, camera)
    for light in body.lights:
        compile_light(light)
    if _aligns(body):
        # where bodies are fused the reference compiles cameras and lights once more, and forgets that they have moved
        _align(body, cameras_and_lights=not spec.settings.fusestatic)


def _inertia(body: Body, infer: bool) -> None:
    """Mass, inertial frame and principal moments: as said, from geoms, or nothing."""
    settings = body.settings
    body.mass, body.inertia = 0.0, (0.0, 0.0, 0.0)
    placed_at: Pose | None = None
    if body.inertial is not None:
        placed_at = _explicit(body)
    if infer:
        low, high = settings.inertiagrouprange
        geoms = [g for g in body.geoms if low <= g.values["group"] <= high and g.mass > EPS]
        if len(geoms) == 1:
            geom = geoms[0]
            placed_at, body.mass, body.inertia = (geom.pos, geom.quat), geom.mass, geom.inertia
        elif geoms:
            result = combined([(g.mass, (g.pos, g.quat), g.inertia) for g in geoms])
            if result is None:
                body.fail("has geoms whose inertia vanishes in some direction")
            body.mass, placed_at, body.inertia = result
    # without any inertia the reference takes the pose of the body itself
    body.ipos, body.iquat = placed_at if placed_at is not None else (body.pos, body.quat)
    if body.parent is None:
        body.ipos, body.iquat = ZERO, IDENTITY
        return

    body.mass = max(body.mass, settings.boundmass)
    a, b, c = (max(x, settings.boundinertia) for x in body.inertia)
    if body.mass < 0 or min(a, b, c) < 0:
        body.fail("mass and inertia cannot be negative")
    if a + b < c or a + c < b or b + c < a:
        if not settings.balanceinertia:
            body.fail("moments of inertia must satisfy A + B >= C; 'balanceinertia' repairs them")
        a = b = c = (a + b + c) / 3
    body.inertia = (a, b, c)


def _explicit(body: Body) -> Pose:
    element = body.inertial
    values = {**element.rule.defaults, **element.attributes}
    body.mass = values["mass"]
    pos, quat = values["pos"], orientation(values, element, body.settings)
    full = values.get("fullinertia")
    body.inertia = values.get("diaginertia", (0.0, 0.0, 0.0))
    if full is not None:
        if any(kind in element.attributes for kind in ("quat", "axisangle", "xyaxes", "zaxis", "euler")):
            element.fail("cannot be combined with an orientation", "fullinertia")
        if any(body.inertia):
            element.fail("cannot be combined with 'diaginertia'", "fullinertia")
        axes = principal(full)
        if axes is None:
            element.fail("must have positive eigenvalues", "fullinertia")
        body.inertia, quat = axes
    return pos, quat


def _check_joints(body: Body) -> None:
    kinds = [joint.type for joint in body.joints]
    body.dofnum = sum(DOFS[kind] for kind in kinds)
    if JointType.FREE in kinds:
        if len(kinds) > 1:
            body.fail("a free joint must be the only joint of its body")
        if body.parent is not None and body.parent.parent is not None:
            body.fail("a free joint is for children of the world only")
    if body.dofnum > 6:
        body.fail("has more than 6 degrees of freedom")
    after_ball = kinds[kinds.index(JointType.BALL) + 1:] if JointType.BALL in kinds else []
    if JointType.BALL in after_ball or JointType.HINGE in after_ball:
        body.fail("has a rotation after a ball joint")
    if body.parent is not None and body.values.get("mocap") and (body.joints or body.parent.parent is not None):
        body.fail("must be a child of the world without joints", "mocap")


def _aligns(body: Body) -> bool:
    if len(body.joints) != 1 or body.bodies or body.joints[0].type != JointType.FREE:
        return False
    align = body.joints[0].values.get("align", AUTO)
    return align == 1 or (align == AUTO and bool(body.settings.alignfree))


def _align(body: Body, cameras_and_lights: bool) -> None:
    """Move the frame of a free body to its inertial frame, and what is attached the other way."""
    inward = inverse((body.ipos, body.iquat))
    body.pos, body.quat = compose((body.pos, body.quat), (body.ipos, body.iquat))
    body.ipos, body.iquat = ZERO, IDENTITY
    for item in (*body.geoms, *body.sites, *(body.cameras if cameras_and_lights else ())):
        item.pos, item.quat = compose(inward, (item.pos, item.quat))
    for light in body.lights if cameras_and_lights else ():
        light.pos, _ = compose(inward, (light.pos, IDENTITY))
        light.dir = rotate(inward[1], light.dir)


def check_moving_masses(bodies: Iterable[Body]) -> None:
    """A body that moves needs mass and inertia, its own or that of a body welded to it."""
    for body in bodies:
        if body.joints and not any(_has_inertia(b) for b in _welded(body)):
            body.fail(f"moves and must have mass and inertia of at least {MIN_VALUE}")


def _welded(body: Body) -> Iterable[Body]:
    pending = [body]
    while pending:
        part = pending.pop()
        yield part
        pending.extend(child for child in part.bodies if not child.joints)


def _has_inertia(body: Body) -> bool:
    return body.mass >= MIN_VALUE and min(body.inertia) >= MIN_VALUE
