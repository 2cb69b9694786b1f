"""Geoms: sizes, poses, masses, bounding volumes and fluid coefficients."""

from __future__ import annotations

from math import sqrt

from corten.mjcf import fluid, inertia
from corten.mjcf.frames import from_ends, orientation, placed
from corten.mjcf.rotation import EPS, Pose, Vector, compose
from corten.mjcf.spec import Geom, Spec
from corten.model.enums import GeomType

MESHLIKE = (GeomType.MESH, GeomType.SDF)
WITH_ENDS = (GeomType.CAPSULE, GeomType.CYLINDER, GeomType.ELLIPSOID, GeomType.BOX)
SIZE_COUNT = {GeomType.SPHERE: 1, GeomType.CAPSULE: 2, GeomType.ELLIPSOID: 3, GeomType.CYLINDER: 2, GeomType.BOX: 3}
CONTACT_DIMENSIONS = (1, 3, 4, 6)
FAR = 1e10


def compile_geom(spec: Spec, geom: Geom, weighs: bool) -> None:
    """Compute what the model holds of one geom; its mass too, where it `weighs`."""
    v = geom.values
    kind = geom.type = v["type"]
    if v["condim"] not in CONTACT_DIMENSIONS:
        geom.fail("must be 1, 3, 4 or 6", "condim")
    geom.mesh = spec.find(geom, "mesh")
    geom.hfield = spec.find(geom, "hfield")
    material = spec.find(geom, "material")
    if material is None and geom.mesh is not None:
        material = spec.find(geom.mesh, "material")
    geom.matid = -1 if material is None else material.id
    if kind in MESHLIKE and geom.mesh is None:
        geom.fail("needs attribute 'mesh'")
    if (kind == GeomType.HFIELD) != (geom.hfield is not None):
        geom.fail("needs type 'hfield' and attribute 'hfield' together")
    if kind == GeomType.PLANE and geom.body.weldid != 0:
        geom.fail("is a plane, which only a static body can have")

    pose, geom.size = _pose_and_size(geom, kind)
    _check_size(geom, kind)
    _shape(geom, kind)
    _weigh(geom, kind, weighs)
    geom.fluid = fluid.coefficients(kind, geom.size, v["fluidcoef"]) if v["fluidshape"] else fluid.NONE
    geom.pos, geom.quat = placed(geom, *pose)


def _pose_and_size(geom: Geom, kind: int) -> tuple[Pose, Vector]:
    v = geom.values
    if geom.mesh is not None:
        if "fromto" in v:
            geom.fail("cannot be combined with 'mesh'", "fromto")
        pose = (v["pos"], orientation(v, geom.element, geom.settings))
        if kind in MESHLIKE:
            if v["shellinertia"]:
                geom.fail("belongs to the mesh asset for a mesh geom", "shellinertia")
            return compose(pose, geom.mesh.pose), geom.mesh.half_size
        fitted, size = geom.mesh.fit(geom)
        used = SIZE_COUNT[GeomType(kind)]
        return compose(pose, fitted), (*size[:used], *v["size"][used:])
    ends = from_ends(geom, WITH_ENDS, kind, v["size"])
    if ends is not None:
        return ends
    size = geom.hfield.geom_size if kind == GeomType.HFIELD else v["size"]
    return (v["pos"], orientation(v, geom.element, geom.settings)), size


def _check_size(geom: Geom, kind: int) -> None:
    if kind == GeomType.PLANE:
        if geom.size[2] <= 0:
            geom.fail("the third size of a plane must be positive", "size")
        return
    for number in range(SIZE_COUNT.get(kind, 0)):
        if geom.size[number] <= 0:
            geom.fail(f"size {number + 1} of {SIZE_COUNT[kind]} must be positive", "size")


def _shape(geom: Geom, kind: int) -> None:
    """Bounding box and bounding sphere in the geom's own frame."""
    a, b, c = geom.size
    centre: Vector = (0.0, 0.0, 0.0)
    if kind in MESHLIKE:
        centre, half = geom.mesh.box
        geom.rbound = sqrt(a * a + b * b + c * c)
    elif kind == GeomType.PLANE:
        centre, half, geom.rbound = (0.0, 0.0, -FAR / 2), (FAR, FAR, FAR / 2), 0.0
    elif kind == GeomType.HFIELD:
        x, y, top, bottom = geom.hfield.values["size"]
        centre, half = (0.0, 0.0, (top - bottom) / 2), (x, y, (top + bottom) / 2)
        geom.rbound = sqrt(x * x + y * y + max(top * top, bottom * bottom))
    elif kind == GeomType.SPHERE:
        half, geom.rbound = (a, a, a), a
    elif kind == GeomType.CAPSULE:
        half, geom.rbound = (a, a, a + b), a + b
    elif kind == GeomType.CYLINDER:
        half, geom.rbound = (a, a, b), sqrt(a * a + b * b)
    else:
        half = geom.size
        geom.rbound = max(half) if kind == GeomType.ELLIPSOID else sqrt(a * a + b * b + c * c)
    geom.aabb = (*centre, *half)


def _weigh(geom: Geom, kind: int, weighs: bool) -> None:
    v = geom.values
    geom.mass = 0.0
    geom.inertia = (0.0, 0.0, 0.0)
    if not weighs:
        return
    mass = v.get("mass")
    if mass is not None and mass < 0:
        geom.fail("must not be negative", "mass")
    if mass is None and v["density"] < 0:
        geom.fail("must not be negative", "density")
    if (v["density"] if mass is None else mass) == 0:
        return
    shell = v["shellinertia"]
    volume = geom.mesh.volume if kind in MESHLIKE else inertia.volume(kind, geom.size, shell)
    if mass is None:
        mass = v["density"] * volume
    elif volume <= EPS:
        return
    geom.mass = mass
    if kind in MESHLIKE:
        geom.inertia = inertia.box_moments(geom.mesh.inertia_box, mass)
    else:
        geom.inertia = inertia.principal_moments(kind, geom.size, mass, shell)
