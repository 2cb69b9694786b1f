"""Rows of the remaining sections: default, asset, deformable, custom, extension, keyframe, and the root."""

from __future__ import annotations

from corten.mjcf.grammar.flex import FLEX
from corten.mjcf.grammar.mechanism import ACTUATOR, ACTUATORS, CONTACT, EQUALITY, EQUALITY_BASE, PAIR, SPATIAL, TENDON
from corten.mjcf.grammar.rules import (
    DRAWING,
    Rule,
    boolean,
    file,
    identifier,
    inherited_rule,
    integer,
    keyword,
    numbers,
    own,
    real,
    reference,
    rule,
    text,
    with_effect,
)
from corten.mjcf.grammar.sensor import SENSOR
from corten.mjcf.grammar.settings import COMPILER, OPTION, SIZE, STATISTIC, VISUAL
from corten.mjcf.grammar.tree import (
    BODY,
    CAMERA,
    CLASS,
    FRAME,
    GEOM,
    JOINT,
    LIGHT,
    PLUGIN,
    PLUGIN_CONFIG,
    REPLICATE,
    SITE,
    WORLDBODY,
    colour,
)
from corten.model.enums import MeshBuiltin, MeshInertia

MESH = rule(
    "mesh",
    "triangle mesh",
    identifier(),
    CLASS,
    *own(
        text("content_type", "format, if not by the file's suffix"),
        file("file", "STL, OBJ or MSH file"),
        real("vertex", "vertices", None, (1, None)),
        real("normal", "normals", None, (1, None)),
        real("texcoord", "texture coordinates", None, (1, None)),
        integer("face", "triangles", None, (1, None)),
        real("refpos", "position of the mesh's own frame", (0.0, 0.0, 0.0), 3),
        real("refquat", "orientation of the mesh's own frame", (1.0, 0.0, 0.0, 0.0), 4),
        boolean("smoothnormal", "smooth normals over sharp edges", 0),
        keyword("builtin", "generated shape", {b.name.lower(): b.value for b in MeshBuiltin}),
        real("params", "parameters of the generated shape", None, (1, None)),
        reference("material", "material of geoms that name none"),
    ),
    real("scale", "scale", (1.0, 1.0, 1.0), 3),
    integer("maxhullvert", "most vertices of the convex hull; -1: unbounded", -1),
    keyword("inertia", "how inertia is computed", {i.name.lower(): i.value for i in MeshInertia}, MeshInertia.LEGACY),
    children=[PLUGIN],
    exclusive=(("builtin", "file"), ("builtin", "vertex")),
)
HFIELD = rule(
    "hfield",
    "height field",
    identifier(),
    text("content_type", "format, if not by the file's suffix"),
    file("file", "PNG or binary file"),
    integer("nrow", "rows", 0),
    integer("ncol", "columns", 0),
    real("size", "half x, half y, top, bottom", None, 4, required=True),
    real("elevation", "samples, top row first", None, (1, None)),
)
TEXTURE = rule(
    "texture",
    "texture",
    identifier(),
    *with_effect(
        DRAWING,
        keyword("type", "type", {"2d": 0, "cube": 1, "skybox": 2}, 1),
        keyword("colorspace", "colour space", {"auto": 0, "linear": 1, "sRGB": 2}),
        text("content_type", "format"),
        file("file", "file"),
        *[file(f"file{side}", side) for side in ("right", "left", "up", "down", "front", "back")],
        integer("gridsize", "grid", None, 2), text("gridlayout", "layout"),
        keyword("builtin", "pattern", {"none": 0, "gradient": 1, "checker": 2, "flat": 3}),
        keyword("mark", "marks", {"none": 0, "edge": 1, "cross": 2, "random": 3}),
        real("rgb1", "colour", None, 3), real("rgb2", "colour", None, 3), real("markrgb", "colour", None, 3),
        real("random", "density of random marks"), integer("width", "width"), integer("height", "height"),
        boolean("hflip", "flip"), boolean("vflip", "flip"), integer("nchannel", "channels"),
    ),
)
MATERIAL = rule(
    "material",
    "material",
    identifier(),
    CLASS,
    reference("texture", "texture", effect=DRAWING),
    *with_effect(DRAWING, real("texrepeat", "repetitions", None, 2), boolean("texuniform", "uniform"),
                 *[real(n, n) for n in ("emission", "specular", "shininess", "reflectance", "metallic", "roughness")]),
    colour((1.0, 1.0, 1.0, 1.0)),
    children=[rule("layer", "texture layer", reference("texture", "texture", required=True, effect=DRAWING),
                   text("role", "role", required=True, effect=DRAWING))],
)
SKIN = rule(
    "skin",
    "deforming surface",
    identifier(),
    *with_effect(DRAWING, file("file", "file"), reference("material", "material"), colour(), real("inflate", "offset"),
                 real("vertex", "vertices", None, (1, None)), real("texcoord", "coordinates", None, (1, None)),
                 integer("face", "triangles", None, (1, None)), integer("group", "group")),
    children=[rule("bone", "bone", *with_effect(
        DRAWING, reference("body", "body", required=True), real("bindpos", "pose", None, 3),
        real("bindquat", "pose", None, 4), integer("vertid", "vertices", None, (1, None)),
        real("vertweight", "weights", None, (1, None))))],
)
MODEL = rule("model", "another model, to attach", identifier(), file("file", "file", required=True),
             text("content_type", "format"))
ASSET = rule("asset", "assets", children=[MESH, HFIELD, SKIN, TEXTURE, MATERIAL, MODEL])

DEFAULT = rule(
    "default",
    "default class",
    reference("class", "name of the class"),
    children=[inherited_rule(r) for r in (MESH, MATERIAL, JOINT, GEOM, SITE, CAMERA, LIGHT, PAIR, *ACTUATORS)]
    + [inherited_rule(EQUALITY_BASE), inherited_rule(SPATIAL, "tendon")],
)
DEFAULT.children["default"] = DEFAULT
# the reference accepts user values in the class of a camera and forgets them
_FORGOTTEN = "accepted in a class, without effect, as in the reference"
DEFAULT.children["camera"].attributes["user"] = with_effect(_FORGOTTEN, CAMERA.attributes["user"])[0]
for _tag in ("mesh", "geom", "tendon"):
    DEFAULT.children[_tag].children.clear()

DEFORMABLE = rule("deformable", "deformable objects",
                  children=[FLEX, SKIN])

CUSTOM = rule(
    "custom",
    "values for the user",
    children=[
        rule("numeric", "numbers", identifier(), integer("size", "number of values"),
             numbers("data", "values", (), 1)),
        rule("text", "text", identifier(), text("data", "text", required=True)),
        rule("tuple", "objects", identifier(), children=[
            rule("element", "object", text("objtype", "kind", required=True),
                 reference("objname", "object", required=True), real("prm", "parameter", 0.0))]),
    ],
)
EXTENSION = rule(
    "extension",
    "engine plugins that the file declares",
    children=[rule("plugin", "plugin", text("plugin", "plugin", required=True), children=[
        rule("instance", "instance", text("name", "name", required=True), children=[PLUGIN_CONFIG])])],
)
KEYFRAME = rule(
    "keyframe",
    "states to reset to",
    children=[rule("key", "state", identifier(), real("time", "time", 0.0),
                   *[real(n, doc, (), (1, None)) for n, doc in {
                       "qpos": "coordinates", "qvel": "velocities", "act": "activations",
                       "mpos": "positions of mocap bodies", "mquat": "orientations of mocap bodies",
                       "ctrl": "controls"}.items()])],
)

MUJOCO: Rule = rule(
    "mujoco",
    "a model",
    text("model", "name of the model", "MuJoCo Model"),
    children=[COMPILER, OPTION, SIZE, VISUAL, STATISTIC, DEFAULT, EXTENSION, CUSTOM, ASSET, WORLDBODY, DEFORMABLE,
              CONTACT, EQUALITY, TENDON, ACTUATOR, SENSOR, KEYFRAME],
)
# parts of bodies outside of <worldbody> are legal, as in the reference, and left aside: files made to be included have
# them, and compile to an empty model on their own
MUJOCO.children |= {r.tag: r for r in (BODY, FRAME, REPLICATE)}
