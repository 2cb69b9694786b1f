"""Meshes for the asset tests: makers of files, and the comparison of a `Mesh` with the reference's compiled model."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.spatial import ConvexHull

from corten.mjcf.assets.mesh import Mesh

names = itertools.count()  # the reference caches assets by name, so every file gets a name of its own

FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")])
INTEGERS = ("face", "facenormal", "facetexcoord", "polyvertadr", "polyvertnum", "polyvert", "polymapadr", "polymapnum",
            "polymap")  # fmt: skip
REALS = ("vert", "normal", "texcoord", "polynormal", "scale", "pos", "quat")


def numbers(values) -> str:
    return " ".join(repr(float(x)) for x in np.ravel(values))


def reference(attributes="", content=None, extension="", geom="type='mesh'", compiler=""):
    """The compiled model of one body with one geom of mesh 'a'."""
    import mujoco

    files = {}
    if content is not None:
        name = f"asset{next(names)}.{extension}"
        files[name] = content
        attributes += f" file='{name}'"
    return mujoco.MjModel.from_xml_string(
        f"<mujoco><compiler balanceinertia='true' {compiler}/><asset><mesh name='a' {attributes}/></asset>"
        f"<worldbody><body><freejoint/><geom {geom} mesh='a'/></body></worldbody></mujoco>",
        files,
    )


def assert_same(mesh: Mesh, model, inertia: bool = True) -> None:
    """Every number of the only mesh of `model`, and what its geom and body take from it."""
    for name in INTEGERS:
        np.testing.assert_array_equal(getattr(mesh, name).ravel(), getattr(model, f"mesh_{name}").ravel(), name)
    for name in REALS:
        expected = getattr(model, f"mesh_{name}").ravel()
        scale = np.abs(expected[np.isfinite(expected)]).max(initial=1e-30)
        np.testing.assert_allclose(getattr(mesh, name).ravel(), expected, rtol=1e-9, atol=1e-9 * scale, err_msg=name)
    radius = model.geom_rbound[0]
    np.testing.assert_allclose(mesh.rbound, radius, rtol=1e-9)
    np.testing.assert_allclose(mesh.size, model.geom_size[0], rtol=0, atol=1e-9 * radius)
    np.testing.assert_allclose(mesh.aabb, model.geom_aabb[0], rtol=0, atol=1e-9 * radius)
    np.testing.assert_allclose(1000 * mesh.volume, model.body_mass[1], rtol=1e-9)
    if inertia:
        expected = model.body_inertia[1]
        np.testing.assert_allclose(1000 * mesh.inertia, expected, rtol=0, atol=1e-6 * expected[0])
    assert_same_graph(mesh, model)


def assert_same_graph(mesh: Mesh, model) -> None:
    """The hull graph: the same faces in the same order, the same vertices and neighbours.

    Where flat sides were merged, a few vertices may be numbered differently, see `corten.mjcf.assets.hull`.
    """
    if mesh.graph is None:
        assert model.mesh_graphadr[0] == -1
        return
    (vertices, neighbours, faces), (found, found_neighbours, found_faces) = unpack(model.mesh_graph), unpack(mesh.graph)
    np.testing.assert_array_equal(found_faces, faces)
    assert found_neighbours == neighbours
    assert np.count_nonzero(found != vertices) <= 0.2 * len(vertices)


def unpack(graph: np.ndarray) -> tuple[np.ndarray, dict[int, set[int]], np.ndarray]:
    """The mesh vertices of the hull in order, the neighbours of each, and the faces."""
    nvert, nface = graph[:2]
    address, vertices, edges, faces = np.split(graph[2:], np.cumsum([nvert, nvert, nvert + 3 * nface]))
    assert edges[-1] == -1
    lists = np.split(edges, np.flatnonzero(edges == -1) + 1)[:-1]
    np.testing.assert_array_equal(address, np.cumsum([0] + [len(x) for x in lists[:-1]]))
    neighbours = {int(v): set(vertices[x[:-1]].tolist()) for v, x in zip(vertices, lists, strict=True)}
    return vertices, neighbours, faces.reshape(-1, 3)


def convex_shape(kind: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and outward triangles of a convex solid; all vertices that the triangles skip lie inside or on it."""
    n = int(rng.integers(5, 40))
    if kind == "random":
        vertices = rng.normal(size=(n, 3))
    elif kind == "tetrahedron":
        corners = rng.normal(size=(4, 3))
        vertices = rng.permutation(np.vstack([corners, rng.dirichlet(np.full(4, 0.6), n) @ corners]))
    elif kind == "box":
        vertices = np.array(list(itertools.product(*rng.uniform(0.1, 2, (3, 2)).cumsum(axis=1)))) + rng.normal(size=3)
    elif kind == "cylinder":
        turn = np.arange(n) * 2 * np.pi / n
        vertices = np.array([(np.cos(t), np.sin(t), z) for z in (0, 1) for t in turn])
    else:
        vertices = np.array(list(itertools.product(range(int(rng.integers(2, 5))), repeat=3)), float)
    vertices = vertices.astype(np.float32)
    hull = ConvexHull(vertices.astype(float))
    faces = hull.simplices.copy()
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * hull.equations[:, :3]).sum(axis=1) < 0
    faces[inward] = faces[inward][:, [1, 0, 2]]
    return vertices, faces.astype(np.int32)


SHAPES = ("random", "tetrahedron", "box", "cylinder", "grid")


def star_solid(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A closed surface that is not convex: a ball with dents, seen whole from its centre."""
    directions = rng.normal(size=(60, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    hull = ConvexHull(directions)
    faces = hull.simplices.copy()
    a, b, c = (directions[faces[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * hull.equations[:, :3]).sum(axis=1) < 0
    faces[inward] = faces[inward][:, [1, 0, 2]]
    return (directions * rng.uniform(0.4, 1, (60, 1))).astype(np.float32), faces.astype(np.int32)


def stl(vertices, faces) -> bytes:
    facets = np.zeros(len(faces), FACET)
    facets["corners"] = vertices[faces]
    return b"title".ljust(80) + np.int32(len(faces)).tobytes() + facets.tobytes()


def msh(vertices, faces, normals=None, texcoords=None) -> bytes:
    parts = [vertices, normals, texcoords]
    counts = [0 if x is None else len(x) for x in (*parts, faces)]
    blocks = [np.asarray(x, "<f4").tobytes() for x in parts if x is not None]
    return np.array(counts, "<i4").tobytes() + b"".join(blocks) + np.asarray(faces, "<i4").tobytes()


def obj(vertices, faces) -> bytes:
    lines = [f"v {numbers(v)}" for v in vertices] + ["f " + " ".join(str(i + 1) for i in face) for face in faces]
    return "\n".join(lines).encode()
