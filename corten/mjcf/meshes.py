"""Mesh and height field assets: which file, which options, and how geoms use the result."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import Any, Self

import numpy as np

from corten.mjcf.assets.errors import MeshError
from corten.mjcf.assets.fit import FITTED_SHAPES, fit_primitive
from corten.mjcf.assets.hfield import HeightField, load_hfield
from corten.mjcf.assets.mesh import Mesh, MeshSource, build_mesh
from corten.mjcf.geoms import MESHLIKE
from corten.mjcf.read import Element
from corten.mjcf.rotation import Pose, Vector
from corten.mjcf.source import Files
from corten.mjcf.sparsity import starts
from corten.mjcf.spec import Geom, Item, Settings, Spec
from corten.model.enums import GeomType, MeshBuiltin, MeshInertia

CONTENT_TYPES = {"model/stl": "stl", "model/obj": "obj", "model/vnd.mujoco.msh": "msh", "image/png": "png",
                 "image/vnd.mujoco.hfield": "hfield"}

# the joined arrays of all meshes: field, and what its rows are counted by
_JOINED = ("vert", "normal", "texcoord", "face", "facenormal", "facetexcoord", "polynormal", "polyvertnum", "polyvert",
           "polymapnum", "polymap")


def _vector(array: np.ndarray) -> tuple[float, ...]:
    return tuple(float(x) for x in array)


class MeshAsset(Item):
    """A mesh; `needhull` is set when something that uses it can touch."""

    kind = "mesh"
    __slots__ = ("mesh", "needhull")
    mesh: Mesh
    needhull: bool

    def __init__(self, element: Element, values: dict[str, Any], settings: Settings) -> None:
        super().__init__(element, values, settings)
        self.needhull = values["inertia"] == MeshInertia.CONVEX

    def copy(self) -> Self:
        """The same asset before it is built."""
        new = super().copy()
        new.needhull = self.needhull
        return new

    def build(self, files: Files) -> None:
        """Read and process the mesh."""
        v = self.values
        content, form = None, ""
        if "file" in v:
            content, form = read_asset(self, files, v["file"])
        elif "builtin" not in v and "vertex" not in v:
            self.fail("needs one of 'file', 'vertex', 'builtin'")
        if v["maxhullvert"] != -1 and v["maxhullvert"] < 4:
            self.fail("must be 4 or more, or -1", "maxhullvert")
        builtin = MeshBuiltin(v.get("builtin", 0))
        if builtin and "params" not in v:
            self.fail("needs attribute 'params' for a builtin mesh")
        mode = MeshInertia(v["inertia"])
        source = MeshSource(
            content=content, format=form, builtin=builtin.name.lower() if builtin else "", params=v.get("params", ()),
            vertices=v.get("vertex"), faces=v.get("face"), normals=v.get("normal"), texcoords=v.get("texcoord"),
            scale=v["scale"], refpos=v["refpos"], refquat=v["refquat"], inertia=mode.name.lower(),
            smoothnormal=bool(v["smoothnormal"]), maxhullvert=v["maxhullvert"], needhull=self.needhull,
        )
        try:
            self.mesh = build_mesh(source)
        except MeshError as error:
            self.fail(str(error))

    @property
    def pose(self) -> Pose:
        """The frame of the processed mesh in that of the asset."""
        return _vector(self.mesh.pos), _vector(self.mesh.quat)

    @property
    def half_size(self) -> Vector:
        """Half sizes of the smallest box about the origin that holds the mesh."""
        return _vector(self.mesh.size)

    @property
    def box(self) -> tuple[Vector, Vector]:
        """Centre and half sizes of the bounding box."""
        box = _vector(self.mesh.aabb)
        return box[:3], box[3:]

    @property
    def inertia_box(self) -> Vector:
        """Half sizes of the box of equal inertia."""
        return _vector(self.mesh.box)

    @property
    def volume(self) -> float:
        """Volume, or area for a shell."""
        return float(self.mesh.volume)

    @property
    def vertnum(self) -> int:
        """Number of vertices."""
        return len(self.mesh.vert)

    def fit(self, geom: Geom) -> tuple[Pose, Vector]:
        """Pose and size of a primitive that stands for the mesh."""
        shape = GeomType(geom.type).name.lower()
        if shape not in FITTED_SHAPES:
            geom.fail(f"a {shape} cannot be fitted to a mesh", "type")
        size, pos, quat = fit_primitive(self.mesh, shape, geom.values["fitscale"], bool(geom.settings.fitaabb))
        return (_vector(pos), _vector(quat)), _vector(size)


class HFieldAsset(Item):
    """A height field."""

    kind = "hfield"
    __slots__ = ("field",)
    field: HeightField

    def build(self, files: Files) -> None:
        """Read and normalise the elevations."""
        v = self.values
        if min(v["size"]) <= 0:
            self.fail("must be positive", "size")
        try:
            if "file" in v:
                content, form = read_asset(self, files, v["file"])
                self.field = load_hfield(content=content, format=form if form == "png" else "hfield")
            else:
                if v["nrow"] < 1 or v["ncol"] < 1:
                    self.fail("needs attribute 'file', or 'nrow' and 'ncol'")
                self.field = load_hfield(elevation=v.get("elevation"), nrow=v["nrow"], ncol=v["ncol"])
        except MeshError as error:
            self.fail(str(error))

    @property
    def geom_size(self) -> Vector:
        """Sizes of a geom of this height field."""
        x, y, top, bottom = self.values["size"]
        return (x, y, 0.25 * top + 0.5 * bottom)


def read_asset(item: Item, files: Files, path: str) -> tuple[bytes, str]:
    """Content and format of an asset's file.

    It is looked for below the asset directory of its model, and then beside the included file that names it.
    """
    settings = item.settings
    path = path.replace("\\", "/")
    beside = item.element.base
    if settings.strippath:
        path, beside = PurePosixPath(path).name, ""
    form = Path(path).suffix[1:].lower()
    if content_type := item.values.get("content_type"):
        form = CONTENT_TYPES.get(content_type.partition(";")[0], "")
        if not form:
            item.fail(f"'{content_type}' is not one of {', '.join(CONTENT_TYPES)}", "content_type")
    for place in (settings.meshdir, beside) if beside else (settings.meshdir,):
        content = files.read(os.path.normpath(Path(settings.directory, place, path)))
        if content is not None:
            if not content:
                item.fail(f"'{path}' is empty", "file")
            return content, form
    item.fail(f"'{path}' not found", "file")


def read_mesh_asset(element: Element, values: dict[str, Any], settings: Settings) -> Item:
    """A <mesh> or <hfield>; without a name it is called after its file."""
    item: MeshAsset | HFieldAsset
    if element.tag == "mesh":
        item = MeshAsset(element, values, settings)
        item.refer(("material", "material"))
    else:
        item = HFieldAsset(element, values, settings)
    if not item.name and "file" in values:
        item.name = PurePosixPath(values["file"].replace("\\", "/")).stem
    if not item.name:
        element.fail("needs attribute 'name' or 'file'")
    return item


def build_assets(spec: Spec, files: Files) -> None:
    """Read all meshes and height fields, with hulls where something can touch them."""
    touching = [geom for body in spec.world.subtree() for geom in body.geoms
                if geom.values["contype"] or geom.values["conaffinity"]]
    touching += [spec.need(pair, role) for pair in spec.links["pair"] for role in ("geom1", "geom2")]
    for geom in touching:
        if geom.values["type"] in MESHLIKE and "mesh" in geom.refs:
            spec.find(geom, "mesh").needhull = True
    for item in (*spec.assets["mesh"], *spec.assets["hfield"]):
        item.build(files)


def mesh_arrays(meshes: list[MeshAsset]) -> dict[str, Any]:
    """The `mesh_*` arrays: those of all meshes joined, and where each begins."""
    built = [asset.mesh for asset in meshes]
    result: dict[str, Any] = {}
    for name in _JOINED:
        parts = [getattr(mesh, name) for mesh in built]
        result[f"mesh_{name}"] = np.concatenate(parts) if parts else []
    for count, part in (("vert", "vert"), ("face", "face"), ("normal", "normal"), ("texcoord", "texcoord"),
                        ("poly", "polynormal")):
        numbers = [len(getattr(mesh, part)) for mesh in built]
        first = starts(numbers)
        if count == "texcoord":
            first = np.where(np.array(numbers, int) > 0, first, -1)
        result[f"mesh_{count}num"], result[f"mesh_{count}adr"] = numbers, first
    for name, part in (("polyvertadr", "polyvert"), ("polymapadr", "polymap")):
        first = starts([len(getattr(mesh, part)) for mesh in built])
        parts = [getattr(mesh, name) + start for mesh, start in zip(built, first, strict=True)]
        result[f"mesh_{name}"] = np.concatenate(parts) if parts else []
    graphs = [mesh.graph if mesh.graph is not None else [] for mesh in built]
    lengths = [len(graph) for graph in graphs]
    result["mesh_graphadr"] = np.where(np.array(lengths, int) > 0, starts(lengths), -1)
    result["mesh_graph"] = np.concatenate(graphs) if graphs else []
    for name in ("scale", "pos", "quat"):
        result[f"mesh_{name}"] = [getattr(mesh, name) for mesh in built]
    return result


def hfield_arrays(hfields: list[HFieldAsset]) -> dict[str, Any]:
    """The `hfield_*` arrays."""
    return {
        "hfield_size": [asset.values["size"] for asset in hfields],
        "hfield_nrow": [asset.field.nrow for asset in hfields],
        "hfield_ncol": [asset.field.ncol for asset in hfields],
        "hfield_adr": starts([asset.field.data.size for asset in hfields]),
        "hfield_data": np.concatenate([asset.field.data for asset in hfields]) if hfields else [],
    }

