"""Rows of what acts between bodies: contact, equality, tendon, actuator."""

from __future__ import annotations

from corten.mjcf.grammar.rules import (
    DRAWING,
    Attribute,
    Rule,
    boolean,
    bounds,
    identifier,
    integer,
    keyword,
    own,
    real,
    reference,
    repeated,
    rule,
    text,
)
from corten.mjcf.grammar.settings import AUTO, SOLIMP, SOLREF
from corten.mjcf.grammar.tree import CLASS, PLUGIN_CONFIG, USER, colour
from corten.model.enums import BiasType, DynType, GainType

# the attributes that name what an actuator acts on
TARGETS = ("joint", "jointinparent", "tendon", "cranksite", "site", "body")

INTERPOLATION = {"zoh": 0, "linear": 1, "cubic": 2}

PAIR = rule(
    "pair",
    "contact between two geoms, with its own parameters",
    identifier(),
    CLASS,
    *own(reference("geom1", "first geom", required=True), reference("geom2", "second geom", required=True)),
    integer("condim", "dimension of contacts", 3),
    real("friction", "two tangents, spin, two rolls", (1.0, 1.0, 0.005, 0.0001, 0.0001), (1, 5)),
    real("solref", "solref", SOLREF, (1, 2)),
    real("solreffriction", "solref of friction; zeros: as solref", (0.0, 0.0), (1, 2)),
    real("solimp", "solimp", SOLIMP, (1, 5)),
    real("gap", "part of the margin in which contacts are inactive", 0.0),
    real("margin", "distance at which contacts are detected", 0.0),
)
EXCLUDE = rule("exclude", "no contact between two bodies", identifier(),
               reference("body1", "first body", required=True), reference("body2", "second body", required=True))
CONTACT = rule("contact", "contact pairs and exclusions", children=[PAIR, EXCLUDE])


def _equality(tag: str, doc: str, *attributes: Attribute, **more: object) -> Rule:
    return rule(
        tag,
        doc,
        identifier(),
        CLASS,
        boolean("active", "active at the start", 1),
        real("solref", "solref", SOLREF, (1, 2)),
        real("solimp", "solimp", SOLIMP, (1, 5)),
        *own(*attributes),
        **more,
    )


_POLYNOMIAL = real("polycoef", "coefficients of the polynomial", (0.0, 1.0, 0.0, 0.0, 0.0), (1, 5))
_BODIES = (reference("body1", "first body"), reference("body2", "second body"),
           reference("site1", "first site"), reference("site2", "second site"))

EQUALITY = rule(
    "equality",
    "equality constraints",
    children=[
        _equality("connect", "two bodies share a point", *_BODIES, real("anchor", "the point, in body 1", None, 3)),
        _equality("weld", "two bodies move as one", *_BODIES, real("anchor", "the point, in body 2", (0.0,) * 3, 3),
                  real("relpose", "pose of body 2 in body 1; zero quaternion: that of the file",
                       (0.0,) * 7, 7),
                  real("torquescale", "weight of the rotation", 1.0)),
        _equality("joint", "one joint is a polynomial of another", reference("joint1", "joint", required=True),
                  reference("joint2", "the other joint"), _POLYNOMIAL),
        _equality("tendon", "one tendon is a polynomial of another", reference("tendon1", "tendon", required=True),
                  reference("tendon2", "the other tendon"), _POLYNOMIAL),
        _equality("distance", "ours: distance between the centres of two geoms",
                  reference("geom1", "first geom", required=True), reference("geom2", "second geom; none: the world"),
                  real("distance", "distance; none: that of the file")),
        _equality("flex", "all edges of a flex keep their lengths", reference("flex", "flex", required=True)),
        _equality("flexvert", "edges around each vertex of a flex keep their lengths on the whole",
                  reference("flex", "flex", required=True)),
    ],
)
EQUALITY_BASE = _equality("equality", "any equality constraint")


def _tendon(tag: str, doc: str, *extra: Attribute, children: list[Rule]) -> Rule:
    return rule(
        tag,
        doc,
        identifier(),
        CLASS,
        integer("group", "group", 0),
        keyword("limited", "whether range limits", AUTO, 2),
        *own(keyword("actuatorfrclimited", "whether actuatorfrcrange limits; not inferred", AUTO, 0),
             bounds("actuatorfrcrange", "limits of the total actuator force", (0.0, 0.0)),
             real("armature", "inertia of the length", 0.0)),
        bounds("range", "limits of the length", (0.0, 0.0)),
        real("solreflimit", "solref of the limit", SOLREF, (1, 2)),
        real("solimplimit", "solimp of the limit", SOLIMP, (1, 5)),
        real("solreffriction", "solref of dry friction", SOLREF, (1, 2)),
        real("solimpfriction", "solimp of dry friction", SOLIMP, (1, 5)),
        real("frictionloss", "dry friction", 0.0),
        repeated(real("springlength", "length or range of lengths at which the spring is slack; -1: that of the file",
                      (-1.0, -1.0), (1, 2))),
        real("margin", "distance at which the limit becomes active", 0.0),
        real("stiffness", "spring stiffness", 0.0),
        real("damping", "viscous damping", 0.0),
        *extra,
        USER,
        children=children,
    )


_LOOKS = (real("width", "width", 0.003), reference("material", "material", effect=DRAWING), colour())

SPATIAL = _tendon(
    "spatial",
    "string through sites and around geoms",
    *_LOOKS,
    children=[
        rule("site", "passes through a site", reference("site", "site", required=True)),
        rule("geom", "wraps around a sphere or cylinder", reference("geom", "geom", required=True),
             reference("sidesite", "site on the side of which it wraps")),
        rule("pulley", "starts a branch", real("divisor", "division of length", required=True)),
    ],
)
FIXED = _tendon(
    "fixed",
    "weighted sum of joint coordinates",
    children=[rule("joint", "one term", reference("joint", "joint", required=True),
                   real("coef", "weight", required=True))],
)
TENDON = rule("tendon", "tendons", children=[SPATIAL, FIXED])


def _actuator(tag: str, doc: str, *attributes: Attribute, transmission: tuple[str, ...], geared: bool = True,
              limits: tuple[str, ...] = ("ctrllimited", "forcelimited"), children: list[Rule] | None = None,
              refused: str = "") -> Rule:
    targets = own(*[reference(n, f"acts on this {n}") for n in transmission])
    gear = (real("gear", "scale of length and force", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (1, 6)),
            real("cranklength", "length of the crank", 0.0),
            *own(real("lengthrange", "range of lengths that can be reached", (0.0, 0.0), 2))) if geared else ()
    return rule(
        tag,
        doc,
        identifier(),
        CLASS,
        integer("group", "group", 0),
        integer("nsample", "samples of the delay buffer", 0),
        keyword("interp", "interpolation in the delay buffer", INTERPOLATION, 0),
        real("delay", "delay in seconds", 0.0),
        *[keyword(n, f"whether {n[:-7]}range limits", AUTO, 2) for n in limits],
        bounds("ctrlrange", "range of the control", (0.0, 0.0)),
        bounds("forcerange", "range of the force", (0.0, 0.0)),
        *gear,
        *targets,
        *attributes,
        USER,
        children=children or [],
        refused=refused,
        exclusive=(TARGETS,),
    )


_ON_ANYTHING = ("joint", "jointinparent", "tendon", "slidersite", "cranksite", "site", "refsite")
_ACT = (keyword("actlimited", "whether actrange limits", AUTO, 2),
        bounds("actrange", "range of the activation", (0.0, 0.0)))
_DYNAMICS = (
    integer("actdim", "number of activation states; -1: by dyntype", -1),
    keyword("dyntype", "activation dynamics", {d.name.lower(): d.value for d in DynType}, DynType.NONE),
    real("dynprm", "parameters of the dynamics", (1.0,) + (0.0,) * 9, (1, 10)),
    boolean("actearly", "the force uses the next activation", 0),
)
_POSITION = (
    real("kp", "position gain"),
    real("kv", "damping"),
    real("dampratio", "damping ratio, instead of kv"),
    real("inheritrange", "take this fraction of the target's range"),
)

GENERAL = _actuator(
    "general",
    "any actuator",
    *_ACT,
    *_DYNAMICS,
    keyword("gaintype", "gain", {g.name.lower(): g.value for g in GainType}, GainType.FIXED),
    keyword("biastype", "bias", {b.name.lower(): b.value for b in BiasType}, BiasType.NONE),
    real("gainprm", "parameters of the gain", (1.0,) + (0.0,) * 9, (1, 10)),
    real("biasprm", "parameters of the bias", (0.0,) * 10, (1, 10)),
    transmission=(*_ON_ANYTHING, "body"),
)
ACTUATORS = (
    GENERAL,
    _actuator("motor", "direct force", transmission=_ON_ANYTHING),
    _actuator("position", "position servo", *_POSITION, real("timeconst", "time constant of a filter"),
              transmission=_ON_ANYTHING),
    _actuator("velocity", "velocity servo", real("kv", "velocity gain"), transmission=_ON_ANYTHING),
    _actuator("intvelocity", "position servo of an integrated velocity", *_POSITION, _ACT[1],
              transmission=_ON_ANYTHING),
    _actuator("damper", "damper with controlled coefficient", real("kv", "damping per control"),
              transmission=_ON_ANYTHING, limits=("forcelimited",)),
    _actuator("cylinder", "pneumatic or hydraulic cylinder", real("timeconst", "time constant"), real("area", "area"),
              real("diameter", "diameter, instead of area"), real("bias", "bias parameters", None, 3),
              transmission=_ON_ANYTHING),
    _actuator("muscle", "muscle", real("timeconst", "time constants of activation and deactivation", None, 2),
              *own(real("tausmooth", "width of the smooth transition between them")),
              real("range", "operating range in units of optimal length", None, 2),
              real("force", "peak force; negative: by scale"), real("scale", "force in units of 1/acc0"),
              real("lmin", "shortest length"), real("lmax", "longest length"), real("vmax", "fastest shortening"),
              real("fpmax", "passive force at lmax"), real("fvmax", "force at fastest lengthening"),
              transmission=("joint", "jointinparent", "tendon", "slidersite", "cranksite")),
    _actuator("adhesion", "sticking", real("gain", "force per control"), transmission=("body",), geared=False,
              limits=("forcelimited",)),
)
ACTUATOR_PLUGIN = _actuator("plugin", "actuator of a plugin", *own(text("plugin", "plugin")),
                            *own(reference("instance", "instance")), *_ACT, *_DYNAMICS,
                            transmission=_ON_ANYTHING, children=[PLUGIN_CONFIG], refused="plugins are not supported")
ACTUATOR = rule("actuator", "actuators", children=[*ACTUATORS, ACTUATOR_PLUGIN])
