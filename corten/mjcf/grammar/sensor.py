"""Rows of the sensors, generated from one list: tag, what it is attached to, meaning."""

from __future__ import annotations

from corten.mjcf.grammar.mechanism import INTERPOLATION
from corten.mjcf.grammar.rules import (
    Attribute,
    Rule,
    identifier,
    integer,
    keyword,
    keywords,
    real,
    reference,
    rule,
    text,
)
from corten.mjcf.grammar.tree import PLUGIN_CONFIG, USER
from corten.model.enums import ContactData, DataType, ObjType, RayData, Stage

FRAME_OBJECTS = {t.name.lower(): t.value for t in (ObjType.BODY, ObjType.XBODY, ObjType.GEOM, ObjType.SITE,
                                                   ObjType.CAMERA)}
REDUCTIONS = {"none": 0, "mindist": 1, "maxforce": 2, "netforce": 3}

_BUFFER = (
    integer("nsample", "samples of the delay buffer", 0),
    keyword("interp", "interpolation in the delay buffer", INTERPOLATION, 0),
    real("delay", "delay in seconds", 0.0),
    real("interval", "sampling period and phase", (0.0, 0.0), (1, 2)),
)
_OUTPUT = (real("cutoff", "values are clamped to this; 0: not", 0.0), real("noise", "standard deviation", 0.0))


def _sensor(tag: str, doc: str, *attributes: Attribute, **more: object) -> Rule:
    return rule(tag, doc, identifier(), *_BUFFER, *_OUTPUT, *attributes, USER, **more)


def _on(kind: str) -> Attribute:
    return reference(kind, f"the {kind}", required=True)


_OBJECT = (keyword("objtype", "kind of object", FRAME_OBJECTS, required=True),
           reference("objname", "object", required=True))
_REFERENCE = (keyword("reftype", "kind of reference", FRAME_OBJECTS), reference("refname", "reference frame"))
_PAIR = tuple(reference(n, f"the {n[:-1]}") for n in ("geom1", "geom2", "body1", "body2"))
_PAIR_RULES = {"exclusive": (("geom1", "body1"), ("geom2", "body2")),
               "required_one": (("geom1", "body1"), ("geom2", "body2"))}

ATTACHED_SENSORS = {
    "site": {
        "touch": "sum of normal contact forces in the site's volume",
        "accelerometer": "linear acceleration, gravity included, in site axes",
        "velocimeter": "linear velocity in site axes",
        "gyro": "angular velocity in site axes",
        "force": "force between body and parent in site axes",
        "torque": "torque between body and parent in site axes",
        "magnetometer": "magnetic flux in site axes",
    },
    "joint": {
        "jointpos": "coordinate of a scalar joint",
        "jointvel": "velocity of a scalar joint",
        "jointactuatorfrc": "total actuator force on a scalar joint",
        "ballquat": "orientation of a ball joint",
        "ballangvel": "angular velocity of a ball joint",
        "jointlimitpos": "distance to the joint limit",
        "jointlimitvel": "velocity of the joint limit",
        "jointlimitfrc": "force of the joint limit",
    },
    "tendon": {
        "tendonpos": "length of a tendon",
        "tendonvel": "velocity of a tendon",
        "tendonactuatorfrc": "total actuator force on a tendon",
        "tendonlimitpos": "distance to the tendon limit",
        "tendonlimitvel": "velocity of the tendon limit",
        "tendonlimitfrc": "force of the tendon limit",
    },
    "actuator": {
        "actuatorpos": "length of an actuator",
        "actuatorvel": "velocity of an actuator",
        "actuatorfrc": "force of an actuator",
    },
    "body": {
        "subtreecom": "centre of mass of a subtree",
        "subtreelinvel": "velocity of the centre of mass of a subtree",
        "subtreeangmom": "angular momentum of a subtree about its centre of mass",
    },
}
FRAME_SENSORS = {
    "framepos": "position of an object",
    "framequat": "orientation of an object",
    "framexaxis": "x axis of an object",
    "frameyaxis": "y axis of an object",
    "framezaxis": "z axis of an object",
    "framelinvel": "linear velocity of an object",
    "frameangvel": "angular velocity of an object",
}

SENSOR = rule(
    "sensor",
    "sensors",
    children=[
        *[_sensor(tag, doc, _on(kind)) for kind, tags in ATTACHED_SENSORS.items() for tag, doc in tags.items()],
        *[_sensor(tag, doc, *_OBJECT, *_REFERENCE, together=(("reftype", "refname"),))
          for tag, doc in FRAME_SENSORS.items()],
        _sensor("framelinacc", "linear acceleration of an object", *_OBJECT),
        _sensor("frameangacc", "angular acceleration of an object", *_OBJECT),
        _sensor("camprojection", "pixel of a site in a camera image", _on("site"), _on("camera")),
        _sensor("rangefinder", "distance to the nearest surface", reference("site", "site whose z axis is the ray"),
                reference("camera", "camera whose pixels are the rays"),
                keywords("data", "what is reported", {r.name.lower(): r.value for r in RayData}),
                exclusive=(("site", "camera"),), required_one=(("site", "camera"),)),
        _sensor("insidesite", "whether an object is inside a site's volume", _on("site"), *_OBJECT),
        _sensor("distance", "distance between geoms", *_PAIR, **_PAIR_RULES),
        _sensor("normal", "direction between geoms", *_PAIR, **_PAIR_RULES),
        _sensor("fromto", "segment between geoms", *_PAIR, **_PAIR_RULES),
        _sensor("contact", "contacts that match", *_PAIR, reference("subtree1", "first subtree"),
                reference("subtree2", "second subtree"), reference("site", "volume"),
                integer("num", "number of contacts reported", 1),
                keywords("data", "what is reported", {c.name.lower(): c.value for c in ContactData}),
                keyword("reduce", "which contacts are reported", REDUCTIONS, 0),
                exclusive=(("geom1", "body1", "subtree1", "site"), ("geom2", "body2", "subtree2"))),
        _sensor("e_potential", "potential energy"),
        _sensor("e_kinetic", "kinetic energy"),
        _sensor("clock", "time"),
        rule("tactile", "pressure on the vertices of a mesh", identifier(), _on("geom"), _on("mesh"), *_BUFFER, USER),
        rule("user", "values written by the user", identifier(), text("objtype", "kind of object"),
             reference("objname", "object"), keyword("datatype", "meaning of the values",
                                                     {d.name.lower(): d.value for d in DataType}, DataType.REAL),
             keyword("needstage", "stage after which it can be computed", {s.name.lower(): s.value for s in Stage},
                     Stage.ACC),
             integer("dim", "number of values", required=True), *_OUTPUT, USER, together=(("objtype", "objname"),)),
        rule("plugin", "sensor of a plugin", children=[PLUGIN_CONFIG], refused="plugins are not supported"),
    ],
)
