"""Rows of soft bodies: flex, what generates them, and the equalities that hold their edges."""

from __future__ import annotations

from dataclasses import replace

from corten.mjcf.grammar.rules import (
    DRAWING,
    Attribute,
    boolean,
    file,
    identifier,
    integer,
    keyword,
    real,
    reference,
    rule,
    text,
    with_effect,
)
from corten.mjcf.grammar.settings import SOLIMP, SOLREF
from corten.mjcf.grammar.tree import BODY, FRAME, ORIENTATION_KINDS, PLUGIN, REPLICATE, WORLDBODY, colour, orientation
from corten.model.enums import EqualityType, FlexSelf

SHAPES = ("grid", "box", "cylinder", "ellipsoid", "square", "disc", "circle", "mesh", "gmsh", "direct")
DOF_KINDS = ("full", "radial", "trilinear", "quadratic")
BEND, STRETCH = 1, 2  # bits of elastic2d

FLEX_CONTACT = rule(
    "contact",
    "how it touches others and itself",
    integer("contype", "contact filter: bits offered", 1),
    integer("conaffinity", "contact filter: bits accepted", 1),
    integer("condim", "dimension of contacts", 3),
    integer("priority", "whose contact parameters win", 0),
    real("friction", "sliding, torsional and rolling friction", (1.0, 0.005, 0.0001), (1, 3)),
    real("solmix", "weight when parameters are mixed", 1.0),
    real("solref", "solref of contacts", SOLREF, (1, 2)),
    real("solimp", "solimp of contacts", SOLIMP, (1, 5)),
    real("margin", "distance at which contacts are detected", 0.0),
    real("gap", "part of the margin in which contacts are inactive", 0.0),
    boolean("internal", "contacts that keep elements from turning inside out", 0),
    keyword("selfcollide", "contacts between its own elements", {f.name.lower(): f.value for f in FlexSelf},
            FlexSelf.AUTO),
    boolean("vertcollide", "flexcomp: a sphere at each body that touches others as geoms do", 0),
    boolean("passive", "contacts are soft forces instead of constraints", 0),
    integer("activelayers", "layers of tetrahedra, from the surface on, that touch others", 1),
    most=1,
)
_STIFFNESS = real("stiffness", "spring stiffness of each edge; lines only", 0.0)
_DAMPING = real("damping", "damping of each edge", 0.0)
FLEX_EDGE = rule("edge", "passive forces along edges", _STIFFNESS, _DAMPING, most=1)
FLEXCOMP_EDGE = rule(
    "edge",
    "passive forces and constraints along edges",
    keyword("equality", "what is held: nothing, the lengths of edges, or the mean lengths around vertices",
            {"false": 0, "true": int(EqualityType.FLEX), "vert": int(EqualityType.FLEXVERT)}, 0),
    real("solref", "solref of the constraint", SOLREF, (1, 2)),
    real("solimp", "solimp of the constraint", SOLIMP, (1, 5)),
    _STIFFNESS,
    _DAMPING,
    most=1,
)
ELASTICITY = rule(
    "elasticity",
    "a finite element model of the material",
    real("young", "Young's modulus", 0.0),
    real("poisson", "Poisson's ratio", 0.0),
    real("damping", "time constant of Rayleigh's damping", 0.0),
    real("thickness", "thickness of a surface", -1.0),
    keyword("elastic2d", "what a surface resists",
            {"none": 0, "bend": BEND, "stretch": STRETCH, "both": BEND | STRETCH}, 0),
    most=1,
)


def _looks() -> tuple[Attribute, ...]:
    return (
        *with_effect(DRAWING, reference("material", "material"), colour(), boolean("flatskin", "flat shading"),
                     real("texcoord", "texture coordinates of vertices", None, (1, None))),
        integer("group", "group for display", 0),
    )


FLEX = rule(
    "flex",
    "soft body: elements between vertices that move with bodies",
    identifier(),
    integer("dim", "1: lines, 2: triangles, 3: tetrahedra", 2),
    real("radius", "thickness around the elements", 0.005),
    text("body", "names of the bodies that the vertices belong to; one for all, or one each", required=True),
    real("vertex", "vertices in the frames of their bodies; nothing: at their origins", None, (1, None)),
    text("node", "names of the bodies between which vertices are interpolated"),
    integer("element", "vertices of each element", None, (1, None), required=True),
    *with_effect(DRAWING, integer("elemtexcoord", "texture coordinates of elements", None, (1, None))),
    *_looks(),
    children=[FLEX_CONTACT, FLEX_EDGE, ELASTICITY],
)

PIN = rule(
    "pin",
    "vertices that stay with the parent body",
    integer("id", "numbers of vertices", (), (1, None)),
    integer("range", "pairs of first and last number", (), (1, None)),
    integer("grid", "grid coordinates", (), (1, None)),
    integer("gridrange", "pairs of corners in grid coordinates", (), (1, None)),
)
FLEXCOMP = rule(
    "flexcomp",
    "generated soft body: a flex, and the bodies and joints that its vertices move with",
    identifier(),
    keyword("type", "shape", {name: number for number, name in enumerate(SHAPES)}, 0),
    keyword("dof", "how vertices move: freely, radially, or with the corners or nodes of a box around all",
            {name: number for number, name in enumerate(DOF_KINDS)}, 0),
    integer("dim", "1: lines, 2: triangles, 3: tetrahedra", 2),
    integer("count", "points along each axis", (10, 10, 10), 3),
    real("spacing", "distance of points along each axis", (0.02, 0.02, 0.02), 3),
    real("radius", "thickness around the elements", 0.005),
    boolean("rigid", "all vertices stay with the parent body", 0),
    real("mass", "mass of all", 1.0),
    real("inertiabox", "half size of the box whose inertia each body has", 0.005),
    real("scale", "scale of points that are given", (1.0, 1.0, 1.0), 3),
    file("file", "mesh: STL or OBJ; gmsh: GMSH 2.2 or 4.1"),
    real("point", "direct: points", None, (1, None)),
    integer("element", "direct: points of each element", None, (1, None)),
    real("origin", "mesh of dimension 3: point that makes a tetrahedron with each triangle", None, 3),
    real("pos", "position in the parent body", (0.0, 0.0, 0.0), 3),
    real("quat", "orientation of the shape; a quaternion that is not of unit length distorts it", (1.0, 0.0, 0.0, 0.0),
         4),
    *(replace(each, doc=each.doc.replace("orientation", "orientation of the shape")) for each in orientation()[1:]),
    *_looks(),
    children=[FLEX_CONTACT, FLEXCOMP_EDGE, ELASTICITY, PIN, PLUGIN],
    exclusive=(ORIENTATION_KINDS,),
)

for _parent in (BODY, FRAME, REPLICATE, WORLDBODY):
    _parent.children[FLEXCOMP.tag] = FLEXCOMP
