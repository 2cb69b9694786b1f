"""Rows of the kinematic tree: body, frame, replicate and what they hold."""

from __future__ import annotations

from dataclasses import replace

from corten.mjcf.grammar.rules import (
    DRAWING,
    Attribute,
    BadValue,
    Rule,
    boolean,
    bounds,
    identifier,
    integer,
    keyword,
    keywords,
    numbers,
    own,
    real,
    reference,
    rule,
    text,
    with_effect,
)
from corten.mjcf.grammar.settings import AUTO, SOLIMP, SOLREF
from corten.model.enums import CameraOutput, CameraProjection, GeomType, JointType, LightType, SleepPolicy, TrackingMode

GEOM_TYPES = {g.name.lower(): g.value for g in GeomType}
ORIENTATION_KINDS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
CLASS = own(reference("class", "default class"))[0]
CHILDCLASS = reference("childclass", "default class of what is inside")
CLASS_AS_CHILDCLASS = reference("class", "the same; `childclass` wins")
USER = numbers("user", "user values", ())


def orientation() -> tuple[Attribute, ...]:
    """The five ways to give an orientation; at most one may be given."""
    return (
        real("quat", "orientation as a quaternion", (1.0, 0.0, 0.0, 0.0), 4),
        real("axisangle", "orientation as axis and angle", None, 4),
        real("xyaxes", "orientation as x axis and a vector in the xy plane", None, 6),
        real("zaxis", "orientation as z axis, by the least rotation", None, 3),
        real("euler", "orientation as Euler angles", None, 3),
    )


def colour(default: tuple[float, ...] = (0.5, 0.5, 0.5, 1.0)) -> Attribute:
    """Colour with alpha; a range finder ignores what has alpha 0."""
    return real("rgba", "colour; alpha 0 hides from range finders", default, 4)


PLUGIN_CONFIG = rule("config", "value for a plugin", text("key", "key", required=True), text("value", "value"))
PLUGIN = rule("plugin", "engine plugin", text("plugin", "plugin"), reference("instance", "instance"),
              children=[PLUGIN_CONFIG], refused="plugins are not supported")

INERTIAL = rule(
    "inertial",
    "mass and inertia of the body",
    real("pos", "centre of mass", None, 3, required=True),
    *orientation(),
    real("mass", "mass", required=True),
    real("diaginertia", "principal moments", None, 3),
    real("fullinertia", "inertia matrix: xx, yy, zz, xy, xz, yz", None, 6),
    most=1,
    exclusive=(ORIENTATION_KINDS,),
)

JOINT = rule(
    "joint",
    "motion of the body relative to its parent",
    identifier(),
    CLASS,
    keyword("type", "type", {j.name.lower(): j.value for j in JointType}, JointType.HINGE),
    integer("group", "group", 0),
    real("pos", "anchor", (0.0, 0.0, 0.0), 3),
    real("axis", "axis", (0.0, 0.0, 1.0), 3),
    real("springdamper", "time constant and damping ratio, instead of stiffness and damping", (0.0, 0.0), 2),
    keyword("limited", "whether range limits", AUTO, 2),
    keyword("actuatorfrclimited", "whether actuatorfrcrange limits", AUTO, 2),
    real("solreflimit", "solref of the limit", SOLREF, (1, 2)),
    real("solimplimit", "solimp of the limit", SOLIMP, (1, 5)),
    real("solreffriction", "solref of dry friction", SOLREF, (1, 2)),
    real("solimpfriction", "solimp of dry friction", SOLIMP, (1, 5)),
    real("stiffness", "spring stiffness", 0.0),
    bounds("range", "limits", (0.0, 0.0)),
    bounds("actuatorfrcrange", "limits of the total actuator force", (0.0, 0.0)),
    boolean("actuatorgravcomp", "gravity compensation counts as actuator force", 0),
    real("margin", "distance at which the limit becomes active", 0.0),
    real("ref", "coordinate in the pose of the file", 0.0),
    real("springref", "coordinate at which the spring is slack", 0.0),
    real("armature", "inertia added to the diagonal", 0.0),
    real("damping", "viscous damping", 0.0),
    real("frictionloss", "dry friction", 0.0),
    USER,
)

FREEJOINT = rule("freejoint", "free motion", identifier(), integer("group", "group", 0),
                 keyword("align", "align the body with its inertial frame", AUTO, 2))

GEOM = rule(
    "geom",
    "shape with mass that touches others",
    identifier(),
    CLASS,
    keyword("type", "shape", GEOM_TYPES, GeomType.SPHERE),
    integer("contype", "contact filter: bits offered", 1),
    integer("conaffinity", "contact filter: bits accepted", 1),
    integer("condim", "dimension of contacts", 3),
    integer("group", "group", 0),
    integer("priority", "whose contact parameters win", 0),
    real("size", "sizes, by type", (0.0, 0.0, 0.0), (1, 3)),
    reference("material", "material"),
    real("friction", "sliding, torsional and rolling friction", (1.0, 0.005, 0.0001), (1, 3)),
    real("mass", "mass, instead of density"),
    real("density", "density", 1000.0),
    boolean("shellinertia", "mass sits on the surface", 0),
    real("solmix", "weight when parameters are mixed", 1.0),
    real("solref", "solref of contacts", SOLREF, (1, 2)),
    real("solimp", "solimp of contacts", SOLIMP, (1, 5)),
    real("margin", "distance at which contacts are detected", 0.0),
    real("gap", "part of the margin in which contacts are inactive", 0.0),
    real("fromto", "end points, instead of position, orientation and length", None, 6),
    real("pos", "position", (0.0, 0.0, 0.0), 3),
    *orientation(),
    reference("hfield", "height field"),
    reference("mesh", "mesh"),
    real("fitscale", "scale of a primitive fitted to the mesh", 1.0),
    colour(),
    keyword("fluidshape", "fluid model", {"none": 0, "ellipsoid": 1}, 0),
    real("fluidcoef", "drag and lift coefficients", (0.5, 0.25, 1.5, 1.0, 1.0), (1, 5)),
    USER,
    children=[PLUGIN],
    exclusive=(ORIENTATION_KINDS,),
)

SITE = rule(
    "site",
    "frame of interest",
    identifier(),
    CLASS,
    keyword("type", "shape", GEOM_TYPES, GeomType.SPHERE),
    integer("group", "group", 0),
    real("pos", "position", (0.0, 0.0, 0.0), 3),
    *orientation(),
    reference("material", "material", effect=DRAWING),
    real("size", "sizes, by type", (0.005, 0.005, 0.005), (1, 3)),
    real("fromto", "end points, instead of position, orientation and length", None, 6),
    *with_effect(DRAWING, colour()),
    USER,
    exclusive=(ORIENTATION_KINDS,),
)

CAMERA_OUTPUTS = {
    "rgb": CameraOutput.RGB,
    "depth": CameraOutput.DEPTH,
    "distance": CameraOutput.DIST,
    "normal": CameraOutput.NORMAL,
    "segmentation": CameraOutput.SEG,
}
TRACKING_MODES = {t.name.lower(): t.value for t in TrackingMode}

CAMERA = rule(
    "camera",
    "camera",
    identifier(),
    CLASS,
    keyword("projection", "projection", {p.name.lower(): p.value for p in CameraProjection}, 0),
    real("fovy", "vertical field of view", 45.0),
    real("ipd", "eye distance", 0.068, effect=DRAWING),
    integer("resolution", "width and height in pixels", (1, 1), 2),
    keywords("output", "images rendered", CAMERA_OUTPUTS, (CameraOutput.RGB,)),
    real("pos", "position", (0.0, 0.0, 0.0), 3),
    *orientation(),
    keyword("mode", "what it follows", TRACKING_MODES, TrackingMode.FIXED),
    *own(reference("target", "body to follow or look at")),
    real("focal", "focal lengths", (0.0, 0.0), 2),
    real("focalpixel", "focal lengths in pixels", (0.0, 0.0), 2),
    real("principal", "principal point", (0.0, 0.0), 2),
    real("principalpixel", "principal point in pixels", (0.0, 0.0), 2),
    real("sensorsize", "size of the sensor", (0.0, 0.0), 2),
    USER,
    exclusive=(ORIENTATION_KINDS, ("fovy", "sensorsize")),
)

LIGHT = rule(
    "light",
    "light",
    identifier(),
    CLASS,
    *with_effect(
        DRAWING,
        boolean("directional", "legacy: directional"),
        keyword("type", "type", {t.name.lower(): t.value for t in LightType}),
        boolean("castshadow", "casts shadows"),
        boolean("active", "is on"),
        real("bulbradius", "radius"),
        real("intensity", "intensity"),
        real("range", "range"),
        real("attenuation", "attenuation", None, 3),
        real("cutoff", "cutoff"),
        real("exponent", "exponent"),
        real("ambient", "ambient colour", None, 3),
        real("diffuse", "diffuse colour", None, 3),
        real("specular", "specular colour", None, 3),
        *own(reference("texture", "texture")),
    ),
    real("pos", "position", (0.0, 0.0, 0.0), 3),
    real("dir", "direction", (0.0, 0.0, -1.0), 3),
    keyword("mode", "what it follows", TRACKING_MODES, TrackingMode.FIXED),
    *own(reference("target", "body to follow or look at")),
    exclusive=(("directional", "type"),),
)

ATTACH = rule(
    "attach",
    "part of another model, inserted here",
    reference("model", "model asset", required=True),
    reference("body", "body of it; nothing: all of it"),
    text("prefix", "prefix of the inserted names", required=True),
)

_GONE = {"particle": "<replicate>", "grid": "<flexcomp>", "rope": "a cable", "loop": "<flexcomp>",
         "cloth": "<flexcomp>"}
_CURVES = {"0": 0, "s": 1, "cos(s)": 2, "sin(s)": 3}


def _composite_type() -> Attribute:
    known = keyword("type", "type; a cable is the only one left", {"cable": 0}, required=True)

    def read(text: str) -> int:
        if text in _GONE:
            raise BadValue(f"'{text}' is no longer supported, use {_GONE[text]} instead")
        return known.read(text)

    return replace(known, read=read)


def _some(primary: Rule, names: str) -> list[Attribute]:
    return [primary.attributes[name] for name in names.split()]


COMPOSITE = rule(
    "composite",
    "a cable: bodies along a curve, with ball joints between them",
    _composite_type(),
    text("prefix", "prefix of the names of what is made", ""),
    integer("count", "number of points along the curve", (1, 1, 1), (1, 3)),
    real("offset", "translation of the whole", (0.0, 0.0, 0.0), 3),
    real("quat", "rotation of the curve; one that is not of unit length scales it too", (1.0, 0.0, 0.0, 0.0), 4),
    real("vertex", "the points, instead of count, curve and size", None, (1, None)),
    text("initial", "joint of the first body: ball, free or none", "ball"),
    keywords("curve", "the curve's x, y and z as functions of its parameter", _CURVES, (0, 0, 0)),
    real("size", "length of the part along the parameter, radius and half turns of the round part",
         (1.0, 0.0, 0.0), (1, 3)),
    children=[
        rule("joint", "joints of the cable", keyword("kind", "kind", {"main": 0}, required=True),
             *_some(JOINT, "group stiffness damping armature range margin solreflimit solimplimit frictionloss"
                           " solreffriction solimpfriction"),
             *with_effect("accepted, without effect, as in the reference: cables have ball joints",
                          *_some(JOINT, "type axis limited"), real("solreffix", "solref", None, (1, 2)),
                          real("solimpfix", "solimp", None, (1, 5)))),
        rule("skin", "surface", *with_effect(
            DRAWING, boolean("texcoord", "texture coordinates"), reference("material", "material"), colour(),
            integer("group", "group"), real("inflate", "offset"), integer("subgrid", "subdivisions")), most=1),
        rule("geom", "geoms of the cable: capsules, cylinders or boxes",
             *_some(GEOM, "type contype conaffinity condim group priority size material rgba friction mass density"
                          " solmix solref solimp margin gap"), most=1),
        rule("site", "sites at both ends", *_some(SITE, "group size material rgba"), most=1),
        PLUGIN,
    ],
)

_CONTENTS = [INERTIAL, JOINT, FREEJOINT, GEOM, ATTACH, SITE, CAMERA, LIGHT, PLUGIN, COMPOSITE]
_POSE = (real("pos", "position", (0.0, 0.0, 0.0), 3), *orientation())

BODY = rule(
    "body",
    "rigid body",
    identifier(),
    CHILDCLASS,
    *_POSE,
    boolean("mocap", "moved by the user", 0),
    real("gravcomp", "part of the weight that is compensated", 0.0),
    keyword("sleep", "whether its tree may fall asleep",
            {"auto": SleepPolicy.AUTO, "never": SleepPolicy.NEVER, "allowed": SleepPolicy.ALLOWED,
             "init": SleepPolicy.INIT}, SleepPolicy.AUTO),
    USER,
    children=_CONTENTS,
    exclusive=(ORIENTATION_KINDS,),
)

FRAME = rule("frame", "pose that applies to what is inside", identifier(), CHILDCLASS, CLASS_AS_CHILDCLASS, *_POSE,
             children=_CONTENTS, exclusive=(ORIENTATION_KINDS,))

REPLICATE = rule(
    "replicate",
    "copies of what is inside",
    integer("count", "number of copies", required=True),
    real("offset", "translation from copy to copy", (0.0, 0.0, 0.0), 3),
    real("euler", "rotation from copy to copy", (0.0, 0.0, 0.0), 3),
    text("sep", "text between name and number", ""),
    CHILDCLASS,
    CLASS_AS_CHILDCLASS,
    children=_CONTENTS,
)

WORLDBODY = rule("worldbody", "the fixed root of the tree", children=_CONTENTS)

for _parent in (BODY, FRAME, REPLICATE, WORLDBODY):
    _parent.children.update({child.tag: child for child in (BODY, FRAME, REPLICATE)})
