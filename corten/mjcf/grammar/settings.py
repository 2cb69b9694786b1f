"""Rows of the sections that hold settings: compiler, option, size, statistic, visual."""

from __future__ import annotations

from corten.mjcf.grammar.rules import (
    DRAWING,
    MEMORY,
    TOOLING,
    boolean,
    integer,
    keyword,
    real,
    rule,
    text,
    with_effect,
)
from corten.model.enums import Cone, Integrator, Jacobian, LengthRangeMode, Solver

AUTO = {"false": 0, "true": 1, "auto": 2}
SOLREF = (0.02, 1.0)
SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
SWITCH = {"disable": 0, "enable": 1}

LENGTHRANGE = rule(
    "lengthrange",
    "how the length ranges of actuators are found",
    keyword("mode", "which actuators", {m.name.lower(): m.value for m in LengthRangeMode}, LengthRangeMode.MUSCLE),
    boolean("useexisting", "keep ranges that the file gives", 1),
    boolean("uselimit", "take joint and tendon limits where there are any", 0),
    real("accel", "target acceleration", 20.0),
    real("maxforce", "largest force; 0: unbounded", 0.0),
    real("timeconst", "time constant of the velocity reduction", 1.0),
    real("timestep", "time step of the simulation", 0.01),
    real("inttotal", "simulated time", 10.0),
    real("interval", "time at the end over which the range is measured", 2.0),
    real("tolrange", "tolerance relative to the range", 0.05),
    most=1,
)

COMPILER = rule(
    "compiler",
    "how the file is read and compiled",
    boolean("autolimits", "a range alone makes a limit", 1),
    real("boundmass", "least mass of a body", 0.0),
    real("boundinertia", "least principal moment of a body", 0.0),
    real("settotalmass", "scale all masses to this total; negative: do not", -1.0),
    boolean("balanceinertia", "repair moments of inertia that break the triangle inequality", 0),
    boolean("strippath", "drop directories from file names", 0),
    keyword("coordinate", "local; global frames are no longer supported", {"local": 0, "global": 1}),
    keyword("angle", "unit of angles", {"radian": 0, "degree": 1}, 1),
    boolean("fitaabb", "fit primitives to the bounding box of a mesh, not to its inertia box", 0),
    text("eulerseq", "axes of Euler angles; lower case turns with the frame", "xyz"),
    text("meshdir", "directory of meshes and height fields"),
    text("texturedir", "directory of textures", effect=DRAWING),
    text("assetdir", "directory of all assets"),
    boolean("discardvisual", "drop geoms that cannot touch anything", 0),
    *with_effect(TOOLING, boolean("usethread", "compile in threads"), boolean("saveinertial", "save inertias")),
    boolean("fusestatic", "merge bodies without joints into their parents", 0),
    keyword("inertiafromgeom", "compute inertias from geoms", AUTO, 2),
    integer("inertiagrouprange", "groups of geoms that count", (0, 5), 2),
    boolean("alignfree", "align free bodies with their inertial frame", 0),
    children=[LENGTHRANGE],
)


def _switches(default: int, names: dict[str, str]) -> list:
    return [keyword(name, doc, SWITCH, default) for name, doc in names.items()]


FLAG = rule(
    "flag",
    "features to switch on or off",
    *_switches(1, {
        "constraint": "all constraints",
        "equality": "equality constraints",
        "frictionloss": "dry friction",
        "limit": "joint and tendon limits",
        "contact": "contacts",
        "spring": "springs of joints and tendons",
        "damper": "dampers of joints and tendons",
        "gravity": "gravity",
        "clampctrl": "clamping of controls",
        "warmstart": "warm start of the solver",
        "filterparent": "no contact between parent and child",
        "actuation": "actuators",
        "refsafe": "solref no stiffer than two time steps",
        "sensor": "sensors",
        "midphase": "mid phase of collision",
        "eulerdamp": "implicit damping in the Euler integrator",
        "autoreset": "reset when numbers explode",
        "nativeccd": "native convex collision",
        "island": "constraint islands",
    }),
    *_switches(0, {
        "override": "contact parameters of `option` for all contacts",
        "energy": "energy",
        "fwdinv": "comparison of forward and inverse dynamics",
        "invdiscrete": "inverse dynamics of the discrete step",
        "multiccd": "several contacts per convex pair",
        "sleep": "sleeping trees",
    }),
    most=1,
)

OPTION = rule(
    "option",
    "physics",
    real("timestep", "time step in seconds", 0.002),
    real("impratio", "frictional over normal impedance", 1.0),
    real("tolerance", "solver tolerance", 1e-8),
    real("ls_tolerance", "line search tolerance", 0.01),
    real("noslip_tolerance", "no-slip tolerance", 1e-6),
    real("ccd_tolerance", "convex collision tolerance", 1e-6),
    real("sleep_tolerance", "speed below which trees may fall asleep", 1e-4),
    real("gravity", "gravity", (0.0, 0.0, -9.81), 3),
    real("wind", "velocity of the medium", (0.0, 0.0, 0.0), 3),
    real("magnetic", "magnetic flux", (0.0, -0.5, 0.0), 3),
    real("density", "density of the medium", 0.0),
    real("viscosity", "viscosity of the medium", 0.0),
    real("o_margin", "override: margin", 0.0),
    real("o_solref", "override: solref", SOLREF, (1, 2)),
    real("o_solimp", "override: solimp", SOLIMP, (1, 5)),
    real("o_friction", "override: friction", (1.0, 1.0, 0.005, 0.0001, 0.0001), (1, 5)),
    keyword("integrator", "integrator", {"Euler": Integrator.EULER, "RK4": Integrator.RK4,
            "implicit": Integrator.IMPLICIT, "implicitfast": Integrator.IMPLICITFAST,
            "implicitspringdamper": Integrator.IMPLICITSPRINGDAMPER}, Integrator.EULER),
    keyword("cone", "friction cone", {c.name.lower(): c.value for c in Cone}, Cone.PYRAMIDAL),
    keyword("jacobian", "Jacobian storage", {j.name.lower(): j.value for j in Jacobian}, Jacobian.AUTO),
    keyword("solver", "solver", {"PGS": Solver.PGS, "CG": Solver.CG, "Newton": Solver.NEWTON}, Solver.NEWTON),
    integer("iterations", "most solver iterations", 100),
    integer("ls_iterations", "most line search iterations", 50),
    integer("noslip_iterations", "most no-slip iterations", 0),
    integer("ccd_iterations", "most convex collision iterations", 35),
    integer("sdf_iterations", "most iterations of signed distance descent", 10),
    integer("sdf_initpoints", "starting points of signed distance descent", 40),
    integer("actuatorgroupdisable", "groups of actuators to switch off", (), (1, 31)),
    real("sor", "ours: relaxation factor of the PGS solver", 1.0),
    boolean("strict", "ours: a constraint solver that has not converged stops the simulation with an error", 0),
    children=[FLAG],
)

SIZE = rule(
    "size",
    "sizes",
    text("memory", "bytes of working memory, with a suffix K, M, G, T, P or E", effect=MEMORY),
    *with_effect(MEMORY, integer("nstack", "legacy: working memory")),
    integer("njmax", "legacy: constraint rows", -1),
    integer("nconmax", "legacy: contacts", -1),
    integer("nuserdata", "user values in Data", 0),
    integer("nkey", "least number of keyframes", 0),
    integer("nuser_body", "user values per body; -1: as many as used", -1),
    integer("nuser_jnt", "user values per joint; -1: as many as used", -1),
    integer("nuser_geom", "user values per geom; -1: as many as used", -1),
    integer("nuser_site", "user values per site; -1: as many as used", -1),
    integer("nuser_cam", "user values per camera; -1: as many as used", -1),
    integer("nuser_tendon", "user values per tendon; -1: as many as used", -1),
    integer("nuser_actuator", "user values per actuator; -1: as many as used", -1),
    integer("nuser_sensor", "user values per sensor; -1: as many as used", -1),
    exclusive=(("memory", "nstack"), ("memory", "njmax")),
)

STATISTIC = rule(
    "statistic",
    "statistics of the model, instead of computed ones",
    real("meaninertia", "mean diagonal of the inertia"),
    real("meanmass", "mean mass"),
    real("meansize", "mean size"),
    real("extent", "extent"),
    real("center", "centre", None, 3),
)


def _drawing(tag: str, doc: str, *attributes, most: int | None = 1):
    return rule(tag, doc, *with_effect(DRAWING, *attributes), most=most)


VISUAL = rule(
    "visual",
    "drawing",
    children=[
        _drawing(
            "global", "camera and window",
            integer("cameraid", "camera"), boolean("orthographic", "projection"), real("fovy", "field of view"),
            real("ipd", "eye distance"), real("azimuth", "azimuth"), real("elevation", "elevation"),
            real("linewidth", "line width"), real("glow", "glow"), integer("offwidth", "width"),
            integer("offheight", "height"), real("realtime", "speed"), boolean("ellipsoidinertia", "inertia shape"),
            boolean("bvactive", "active bounding volumes"),
        ),
        _drawing("quality", "rendering quality",
                 *[integer(n, n) for n in ("shadowsize", "offsamples", "numslices", "numstacks", "numquads")]),
        _drawing("headlight", "head light",
                 *[real(n, n, None, 3) for n in ("ambient", "diffuse", "specular")], integer("active", "on")),
        # znear is honoured: it is the focal length of a camera without a sensor
        rule("map", "scales", real("znear", "near plane, also the focal length of a camera without sensor", 0.01),
             *with_effect(DRAWING, *[real(n, n) for n in (
                 "stiffness", "stiffnessrot", "force", "torque", "alpha", "fogstart", "fogend", "zfar", "haze",
                 "shadowclip", "shadowscale", "actuatortendon")]), most=1),
        _drawing("scale", "sizes of decoration", *[real(n, n) for n in (
            "forcewidth", "contactwidth", "contactheight", "connect", "com", "camera", "light", "selectpoint",
            "jointlength", "jointwidth", "actuatorlength", "actuatorwidth", "framelength", "framewidth", "constraint",
            "slidercrank", "frustum")]),
        _drawing("rgba", "colours of decoration", *[real(n, n, None, 4) for n in (
            "fog", "haze", "force", "inertia", "joint", "actuator", "actuatornegative", "actuatorpositive", "com",
            "camera", "light", "selectpoint", "connect", "contactpoint", "contactforce", "contactfriction",
            "contacttorque", "contactgap", "rangefinder", "constraint", "slidercrank", "crankbroken", "frustum", "bv",
            "bvactive")]),
    ],
)
