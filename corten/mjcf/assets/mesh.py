"""From a mesh as the user gives it to that of a model: recentred, aligned, with normals, hull and mass properties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .builtin import SHELLS, builtin_surface
from .eig3 import rotation_matrix, unit_quaternion
from .errors import MeshError
from .hull import Hull, convex_hull
from .massprops import INERTIA_MODES, SMALLEST, mass_properties
from .msh import read_msh
from .normals import normalise_single, vertex_normals
from .obj import read_obj
from .ordered import dot
from .polygons import merge_polygons
from .stl import read_stl
from .surface import Surface, check_finite, check_indices

READERS: dict[str, Callable[[bytes, bool], Surface]] = {"stl": read_stl, "obj": read_obj, "msh": read_msh}


@dataclass
class MeshSource:
    """What a `<mesh>` element says. Geometry comes from a file, from a builtin shape or from the arrays.

    Arrays may accompany a file for the parts that it lacks. They are flat or shaped, as the user wrote them.
    """

    content: bytes | None = None
    format: str = ""  # key of READERS
    builtin: str = ""
    params: ArrayLike = ()
    vertices: ArrayLike | None = None
    faces: ArrayLike | None = None
    normals: ArrayLike | None = None
    texcoords: ArrayLike | None = None
    scale: ArrayLike = (1.0, 1.0, 1.0)
    refpos: ArrayLike = (0.0, 0.0, 0.0)
    refquat: ArrayLike = (1.0, 0.0, 0.0, 0.0)
    inertia: str = "legacy"
    smoothnormal: bool = False
    maxhullvert: int = -1
    needhull: bool = False


@dataclass
class Mesh:
    """The mesh of a model. Arrays are named as in the model, without `mesh_`; addresses start at zero.

    `pos` and `quat` take the frame of the arrays to the frame of the source (after its scale and reference pose):
    `source = R(quat) vert + pos`. `volume` is the area for inertia mode "shell"; `inertia` holds the principal moments
    for unit density in decreasing order, and `box` the half sizes of the box that has them.
    `lower` and `upper` bound the vertices.
    """

    vert: NDArray[np.float32]
    normal: NDArray[np.float32]
    texcoord: NDArray[np.float32]
    face: NDArray[np.int32]
    facenormal: NDArray[np.int32]
    facetexcoord: NDArray[np.int32]
    graph: NDArray[np.int32] | None
    scale: NDArray[np.float64]
    pos: NDArray[np.float64]
    quat: NDArray[np.float64]
    polynormal: NDArray[np.float64]
    polyvertadr: NDArray[np.int32]
    polyvertnum: NDArray[np.int32]
    polyvert: NDArray[np.int32]
    polymapadr: NDArray[np.int32]
    polymapnum: NDArray[np.int32]
    polymap: NDArray[np.int32]
    volume: float
    inertia: NDArray[np.float64]
    box: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    @property
    def aabb(self) -> NDArray[np.float64]:
        """Centre and half sizes of the bounding box."""
        return np.concatenate([(self.upper + self.lower) / 2, (self.upper - self.lower) / 2])

    @property
    def size(self) -> NDArray[np.float64]:
        """Half sizes of the smallest bounding box centred at the origin: the size of a mesh geom."""
        return np.maximum(np.abs(self.lower), np.abs(self.upper))

    @property
    def rbound(self) -> float:
        """Radius of a ball around the origin that holds the box of `size`."""
        return float(np.sqrt(dot(self.size, self.size)))


def build_mesh(source: MeshSource) -> Mesh:
    """Read, process and align a mesh; `MeshError` says what is wrong with it."""
    mode = "shell" if source.builtin in SHELLS else source.inertia
    if mode not in INERTIA_MODES:
        raise MeshError(f"inertia '{mode}' is not one of {', '.join(INERTIA_MODES)}")
    if source.maxhullvert != -1 and source.maxhullvert < 4:
        raise MeshError(f"maxhullvert is {source.maxhullvert}, but a hull needs 4 vertices; -1 sets no limit")
    scale, refpos, refquat = (np.asarray(x, np.float64) for x in (source.scale, source.refpos, source.refquat))
    surface = _read(source, mirrored=bool(np.prod(scale) <= 0))
    raw = surface.vertices.astype(np.float64)
    if mode == "exact":
        _check_orientation(raw, surface.faces)

    hull = None
    if source.needhull or mode == "convex" or len(surface.faces) == 0:
        hull = convex_hull(raw, source.maxhullvert)
    _complete(surface, raw, hull, source.smoothnormal)
    polygons = merge_polygons(raw, hull.faces if hull else surface.faces)

    placed, normals = _place(raw, surface.normals, scale, refpos, refquat)
    solid_faces = hull.faces if hull and mode == "convex" else surface.faces
    mass = mass_properties(placed, surface.faces, solid_faces, mode)
    rotation = rotation_matrix(mass.quat * (1, -1, -1, -1))
    vertices = _rotate(placed - mass.centre, rotation)
    return Mesh(
        vert=vertices.astype(np.float32),
        normal=_rotate(normals.astype(np.float64), rotation).astype(np.float32),
        texcoord=surface.texcoords,
        face=surface.faces,
        facenormal=surface.face_normals,
        facetexcoord=surface.face_texcoords,
        graph=hull.graph if hull else None,
        scale=scale,
        pos=mass.centre,
        quat=mass.quat,
        polynormal=polygons.normals(vertices),
        polyvertadr=polygons.starts,
        polyvertnum=polygons.sizes,
        polyvert=polygons.vertices,
        polymapadr=polygons.of_starts,
        polymapnum=polygons.of_sizes,
        polymap=polygons.of_vertex,
        volume=mass.measure,
        inertia=mass.inertia,
        box=mass.box,
        lower=vertices.min(axis=0),
        upper=vertices.max(axis=0),
    )


def _read(source: MeshSource, mirrored: bool) -> Surface:
    """The surface as given, with its arrays checked."""
    if source.content is not None:
        if source.format not in READERS:
            raise MeshError(f"mesh files of type '{source.format}' are not read, only {', '.join(READERS)}")
        surface = READERS[source.format](source.content, mirrored)
    elif source.builtin:
        surface = builtin_surface(source.builtin, source.params)
    else:
        surface = Surface()
    given = (
        ("vertices", source.vertices, "vertices", np.float32, 3),
        ("faces", source.faces, "faces", np.int32, 3),
        ("normals", source.normals, "normals", np.float32, 3),
        ("texcoords", source.texcoords, "texcoords", np.float32, 2),
    )
    for name, data, title, dtype, columns in given:
        if data is None or np.size(data) == 0:
            continue
        if len(getattr(surface, name)):
            raise MeshError(f"the {title} are given both in the file and in the model")
        setattr(surface, name, _table(data, title, dtype, columns))
    if len(surface.vertices) < 4:
        raise MeshError(f"a mesh needs at least 4 vertices, this one has {len(surface.vertices)}")
    check_finite(surface.vertices)
    check_indices(surface.faces, len(surface.vertices))
    if len(surface.texcoords) and not len(surface.face_texcoords) and source.format != "obj":
        if len(surface.texcoords) != len(surface.vertices):
            raise MeshError(
                f"{len(surface.texcoords)} texture coordinates for {len(surface.vertices)} vertices:"
                " without texture corners of the faces there must be one for each vertex"
            )
    return surface


def _table(data: ArrayLike, title: str, dtype: type, columns: int) -> np.ndarray:
    flat = np.asarray(data, dtype).ravel()
    if flat.size % columns:
        raise MeshError(f"the {title} hold {flat.size} numbers, which is not a multiple of {columns}")
    return flat.reshape(-1, columns)


def _check_orientation(vertices: NDArray[np.float64], faces: NDArray[np.int32]) -> None:
    """Refuse a mesh in which two triangles run through an edge in the same direction; slivers do not count."""
    corner = vertices[faces]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    sound = faces[0.5 * np.sqrt(dot(normal, normal)) > np.sqrt(SMALLEST)].astype(np.int64)
    edges = np.sort((sound * len(vertices) + np.roll(sound, -1, axis=1)).ravel())
    repeated = np.flatnonzero(edges[1:] == edges[:-1])
    if len(repeated):
        first, second = divmod(int(edges[repeated[0]]), len(vertices))
        raise MeshError(f"the faces around vertices {first} and {second} do not agree on which side is outside")


def _complete(surface: Surface, vertices: NDArray[np.float64], hull: Hull | None, smooth: bool) -> None:
    """Fill in the parts of `surface` that are absent: faces from the hull, normals, corners of normals and textures."""
    if len(surface.faces) == 0 and hull:
        surface.faces = hull.faces
    if len(surface.normals) == 0:
        surface.normals = vertex_normals(vertices, surface.faces, smooth)
        surface.face_normals = surface.faces
    if len(surface.face_normals) == 0:
        # several normals for a vertex, as the builtin plates have them, are stored side by side; the first one counts
        surface.face_normals = surface.faces * np.int32(len(surface.normals) // len(vertices))
    if len(surface.face_normals) != len(surface.faces):
        raise MeshError(f"{len(surface.faces)} faces have normals for {len(surface.face_normals)}")
    if len(surface.face_texcoords) == 0:
        surface.face_texcoords = surface.faces if len(surface.texcoords) else np.zeros_like(surface.faces)


def _place(
    vertices: NDArray[np.float64],
    normals: NDArray[np.float32],
    scale: NDArray[np.float64],
    refpos: NDArray[np.float64],
    refquat: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Move the reference pose to the origin, then scale."""
    placed = vertices - refpos
    if (refquat != (1, 0, 0, 0)).any():
        rotation = rotation_matrix(unit_quaternion(refquat)).T
        placed = _rotate(placed, rotation)
        normals = _rotate(normals.astype(np.float64), rotation).astype(np.float32)
    if (scale != 1).any():
        placed = placed * scale
        normals = (normals * scale).astype(np.float32)
    return placed, normalise_single(normals)


def _rotate(vectors: NDArray[np.float64], rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([dot(vectors, row) for row in rotation], axis=-1)
