"""Meshes against the reference: every array of the compiled model, over file formats, inertia modes and options."""

import numpy as np
import pytest
from assets_compare import SHAPES, assert_same, convex_shape, msh, numbers, obj, reference, star_solid, stl, unpack

from corten.mjcf.assets.builtin import BUILTINS
from corten.mjcf.assets.errors import MeshError
from corten.mjcf.assets.fit import FITTED_SHAPES, fit_primitive
from corten.mjcf.assets.massprops import INERTIA_MODES
from corten.mjcf.assets.mesh import MeshSource, build_mesh

pytestmark = [pytest.mark.reference, pytest.mark.plain]

UNTOUCHABLE = "type='mesh' contype='0' conaffinity='0'"


def outcome(errors, function, *arguments):
    """What `function` returns, and the message of the error that it raises instead."""
    try:
        return function(*arguments), None
    except errors as error:
        return None, str(error)


@pytest.mark.parametrize("seed", range(60))
def test_random_sources(seed):
    """Shape, format, inertia mode and options at random; what the reference refuses is refused."""
    rng = np.random.default_rng(seed)
    vertices, faces = convex_shape(SHAPES[seed % len(SHAPES)], rng)
    touchable = bool(rng.random() < 0.6)
    source = MeshSource(inertia=str(rng.choice(INERTIA_MODES)), needhull=touchable)
    attributes = f"inertia='{source.inertia}'"
    if rng.random() < 0.5:
        source.scale = rng.choice([1, 0.5, 2, -1, 0.1], 3)
        attributes += f" scale='{numbers(source.scale)}'"
    if rng.random() < 0.4:
        source.refpos, source.refquat = rng.normal(size=3), rng.normal(size=4)
        attributes += f" refpos='{numbers(source.refpos)}' refquat='{numbers(source.refquat)}'"
    if rng.random() < 0.3:
        source.smoothnormal = True
        attributes += " smoothnormal='true'"
    if rng.random() < 0.3:
        source.maxhullvert = int(rng.integers(4, 20))
        attributes += f" maxhullvert='{source.maxhullvert}'"

    normals = rng.normal(size=vertices.shape).astype(np.float32) if rng.random() < 0.3 else None
    texcoords = rng.random((len(vertices), 2)).astype(np.float32) if rng.random() < 0.3 else None
    source.format = str(rng.choice(["stl", "obj", "msh", "inline", "points"]))
    if source.format in ("inline", "points"):
        source.vertices, source.normals, source.texcoords = vertices, normals, texcoords
        attributes += f" vertex='{numbers(vertices)}'"
        attributes += f" normal='{numbers(normals)}'" if normals is not None else ""
        attributes += f" texcoord='{numbers(texcoords)}'" if texcoords is not None else ""
        if source.format == "inline":
            source.faces = faces
            attributes += f" face='{' '.join(map(str, faces.ravel()))}'"
    elif source.format == "msh":
        source.content = msh(vertices, faces, normals, texcoords)
    else:
        source.content = {"stl": stl, "obj": obj}[source.format](vertices, faces)

    geom = "type='mesh'" if touchable else UNTOUCHABLE
    model, refusal = outcome(ValueError, reference, attributes, source.content, source.format, geom)
    mesh, error = outcome(MeshError, build_mesh, source)
    assert (refusal is None) == (error is None), f"reference: {refusal}; ours: {error}"
    if mesh:
        assert_same(mesh, model)
    else:
        assert "negative" in refusal and "negative" in error


@pytest.mark.parametrize("mode", INERTIA_MODES)
def test_dented_solid(mode):
    for seed in range(5):
        content = stl(*star_solid(np.random.default_rng(seed)))
        for touchable in (True, False):
            mesh = build_mesh(MeshSource(content=content, format="stl", inertia=mode, needhull=touchable))
            geom = "type='mesh'" if touchable else UNTOUCHABLE
            assert_same(mesh, reference(f"inertia='{mode}'", content, "stl", geom))


def test_degenerate_triangles():
    """Triangles without area, doubled faces and edges with more than two faces: the same polygons in the same order."""
    compared = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        vertices, faces = convex_shape(SHAPES[seed % len(SHAPES)], rng)
        count = len(vertices)
        specks = vertices[rng.integers(count, size=9)] + rng.normal(size=(9, 3)) * 10.0 ** rng.uniform(-9, -6, (9, 1))
        specks[:3] = rng.normal(size=(3, 3)) * 1e-8
        slivers = np.arange(count, count + 9).reshape(-1, 3)
        points = rng.integers(count, size=(3, 2))[:, [0, 0, 1]]
        faces = np.concatenate([faces, slivers, points, faces[rng.integers(len(faces), size=6)]])
        faces = rng.permutation(faces) if seed % 2 else faces
        content = msh(np.concatenate([vertices, specks]).astype(np.float32), faces)
        model, refusal = outcome(ValueError, reference, "", content, "msh", UNTOUCHABLE)
        mesh, error = outcome(MeshError, build_mesh, MeshSource(content=content, format="msh"))
        assert (refusal is None) == (error is None), f"reference: {refusal}; ours: {error}"
        if mesh:
            for name in ("polyvertnum", "polyvert", "polymap"):
                np.testing.assert_array_equal(getattr(mesh, name), getattr(model, f"mesh_{name}"), err_msg=f"{seed}")
            compared += 1
    assert compared > 30


def test_box_from_first_principles():
    """Volume, moments and half sizes of a box away from the origin, longest axis last."""
    corners = np.array([(x, y, z) for x in (1, 1.5) for y in (2, 3) for z in (-1, 1)])
    mesh = build_mesh(MeshSource(vertices=corners, inertia="convex"))
    assert mesh.volume == pytest.approx(1)
    np.testing.assert_allclose(mesh.pos, [1.25, 2.5, 0], atol=1e-12)
    np.testing.assert_allclose(mesh.inertia, [(4 + 1) / 12, (4 + 0.25) / 12, (1 + 0.25) / 12])
    np.testing.assert_allclose(mesh.box, [0.25, 0.5, 1])
    np.testing.assert_allclose(mesh.aabb, [0, 0, 0, 0.25, 0.5, 1], atol=1e-12)
    assert len(mesh.polyvertnum) == 6 and (mesh.polyvertnum == 4).all()


@pytest.mark.parametrize("limit", [-1, 4, 6, 9, 20])
def test_graph_of_points_in_general_position(limit):
    """Without flat sides the graph is equal to the last number."""
    for seed in range(20):
        points = np.random.default_rng(seed).normal(size=(4 + 3 * seed, 3)).astype(np.float32)
        maximum = "" if limit < 0 else f"maxhullvert='{limit}'"
        mesh = build_mesh(MeshSource(vertices=points, maxhullvert=limit))
        np.testing.assert_array_equal(mesh.graph, reference(f"vertex='{numbers(points)}' {maximum}").mesh_graph)


def test_hull_holds_all_points():
    points = np.random.default_rng(5).normal(size=(500, 3)).astype(np.float32)
    mesh = build_mesh(MeshSource(vertices=points, inertia="convex"))
    vertices, neighbours, faces = unpack(mesh.graph)
    assert len(vertices) - len(faces) / 2 == 2  # Euler, with three edges for two faces
    assert all(v in neighbours[w] for v in neighbours for w in neighbours[v])
    vertices = mesh.vert.astype(float)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    outward = np.cross(b - a, c - a)
    assert ((vertices[:, None] - a) * outward).sum(axis=2).max() < 1e-5


def test_soup_keeps_its_order():
    """Repeated vertices merge in STL only, and zeros of either sign are the same vertex."""
    vertices = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (-0.0, 0, -0.0), (1, 0, 0)], np.float32)
    faces = np.array([(4, 2, 5), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    for form, write, count in (("stl", stl, 4), ("obj", obj, 6), ("msh", msh, 6)):
        mesh = build_mesh(MeshSource(content=write(vertices, faces), format=form, needhull=True))
        assert len(mesh.vert) == count
        assert_same(mesh, reference("", write(vertices, faces), form))


PARAMS = {
    "sphere": ([0], [1], [3]),
    "hemisphere": ([0], [1], [10]),
    "cone": ([5, 0.5], [6, 0], [3, 1]),
    "supersphere": ([5, 0.5, 0.5], [12, 1, 1], [8, 0, 2]),
    "supertorus": ([5, 0.5, 1, 1], [9, 0.3, 0.5, 2]),
    "wedge": ([4, 3, 30, 20, 0], [5, 4, 60, 45, 0.7]),
    "plate": ([2, 2], [3, 4]),
}


@pytest.mark.parametrize("name,params", [(name, params) for name in PARAMS for params in PARAMS[name]])
def test_builtin(name, params):
    attributes = f"builtin='{name}' params='{numbers(params)}'"
    for mode in ("legacy", "shell"):
        for touchable in (False,) if name == "plate" else (True, False):
            geom = "type='mesh'" if touchable else UNTOUCHABLE
            mesh = build_mesh(MeshSource(builtin=name, params=params, inertia=mode, needhull=touchable))
            # the reference balances the inertia of bodies that are flat
            assert_same(mesh, reference(f"{attributes} inertia='{mode}'", geom=geom), inertia=name != "plate")


def test_builtin_errors():
    assert set(PARAMS) == set(BUILTINS)
    for name, params, message in (
        ("prism", [5], "no builtin mesh 'prism'"),
        ("sphere", [1, 2], r"takes 1 params \(subdivision\), not 2"),
        ("sphere", [5], "between 0 and 4"),
        ("hemisphere", [-1], "between 0 and 10"),
        ("supersphere", [1e9, 1, 1], "resolution"),
        ("supertorus", [5, 2, 1, 1], "radius"),
        ("wedge", [3, 3, 200, 20, 0], "horizontal"),
        ("cone", [float("nan"), 1], "not finite"),
    ):
        with pytest.raises(MeshError, match=message):
            build_mesh(MeshSource(builtin=name, params=params))


@pytest.mark.parametrize("to_aabb", [False, True])
@pytest.mark.parametrize("shape", FITTED_SHAPES)
def test_fitted_primitives(shape, to_aabb):
    rng = np.random.default_rng(7)
    for mode in ("convex", "shell"):
        vertices = (rng.normal(size=(30, 3)) * [0.3, 3, 0.5] + [1, 2, 3]).astype(np.float32)
        model = reference(
            f"vertex='{numbers(vertices)}' inertia='{mode}'",
            geom=f"type='{shape}' fitscale='1.5'",
            compiler=f"fitaabb='{'true' if to_aabb else 'false'}'",
        )
        mesh = build_mesh(MeshSource(vertices=vertices, inertia=mode))
        size, pos, quat = fit_primitive(mesh, shape, 1.5, to_aabb)
        np.testing.assert_allclose(size, model.geom_size[0], rtol=1e-9)
        np.testing.assert_allclose(pos, model.geom_pos[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(quat, model.geom_quat[0], rtol=0, atol=1e-12)


def test_no_primitive_for_a_plane():
    mesh = build_mesh(MeshSource(builtin="sphere", params=[0]))
    with pytest.raises(MeshError, match="'plane' cannot be fitted"):
        fit_primitive(mesh, "plane")


def test_files_of_the_shared_models(shared_models):
    """Every mesh file, in two inertia modes."""
    paths = sorted(p for p in shared_models.rglob("*") if p.suffix.lower() in (".stl", ".obj", ".msh"))
    assert paths
    for path in paths:
        form = path.suffix[1:].lower()
        for mode, touchable in (("legacy", True), ("exact", False)):
            content = path.read_bytes()
            geom = "type='mesh'" if touchable else UNTOUCHABLE
            model, refusal = outcome(ValueError, reference, f"inertia='{mode}'", content, form, geom)
            source = MeshSource(content=content, format=form, inertia=mode, needhull=touchable)
            mesh, error = outcome(MeshError, build_mesh, source)
            assert (refusal is None) == (error is None), f"{path}: {refusal}; {error}"
            if mesh:
                assert_same(mesh, model)


TETRAHEDRON = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], np.float32)
OUTWARD = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
GOOD_STL, GOOD_MSH = stl(TETRAHEDRON, OUTWARD), msh(TETRAHEDRON, OUTWARD)


@pytest.mark.parametrize("arguments,message", [
    ({"vertices": TETRAHEDRON[:3]}, "at least 4 vertices"),
    ({"vertices": range(13)}, "13 numbers"),
    ({"vertices": [[np.nan, 0, 0]] * 4}, "vertex 0 .* not finite"),
    ({"vertices": TETRAHEDRON, "faces": [0, 1, 4]}, "face 0 refers to vertex 4"),
    ({"vertices": TETRAHEDRON * [1, 1, 0]}, "no convex hull"),
    ({"vertices": TETRAHEDRON, "faces": OUTWARD[:, ::-1], "inertia": "exact"}, "negative"),
    ({"vertices": TETRAHEDRON, "faces": [0, 1, 2]}, "too small; inertia='shell'"),
    ({"vertices": TETRAHEDRON, "faces": [0, 0, 0]}, "surface area"),
    ({"vertices": TETRAHEDRON, "faces": [*OUTWARD, OUTWARD[0]], "inertia": "exact"}, "vertices 0 and 2 do not agree"),
    ({"vertices": TETRAHEDRON, "texcoords": [[0, 0]]}, "1 texture coordinates for 4"),
    ({"vertices": TETRAHEDRON, "maxhullvert": 3}, "maxhullvert is 3"),
    ({"vertices": TETRAHEDRON, "inertia": "solid"}, "'solid' is not one of"),
    ({"content": GOOD_STL, "format": "stl", "vertices": TETRAHEDRON}, "both in the file and in the model"),
    ({"content": GOOD_STL, "format": "ply"}, "'ply'"),
    ({"content": b"", "format": "stl"}, "too short"),
    ({"content": GOOD_STL[:-1], "format": "stl"}, "does not fit its 4 faces"),
    ({"content": b"solid x".ljust(200), "format": "stl"}, "text file"),
    ({"content": stl(TETRAHEDRON * 2.0**31, OUTWARD), "format": "stl"}, "beyond"),
    ({"content": stl(TETRAHEDRON * np.float32("nan"), OUTWARD), "format": "stl"}, "not finite"),
    ({"content": b"x", "format": "msh"}, "too short"),
    ({"content": GOOD_MSH + b"x", "format": "msh"}, "header asks for"),
    ({"content": np.array([2**31 - 1, 0, 0, 0], "<i4").tobytes(), "format": "msh"}, "header asks for"),
    ({"content": np.array([4, 3, 0, 0], "<i4").tobytes(), "format": "msh"}, "3 normals"),
    ({"content": b"", "format": "obj"}, "at least 4 vertices"),
])  # fmt: skip
def test_errors_say_what_is_wrong(arguments, message):
    with pytest.raises(MeshError, match=message):
        build_mesh(MeshSource(**arguments))


@pytest.mark.parametrize("form", ["stl", "msh", "obj"])
def test_damaged_files_give_meshes_or_errors(form):
    """Random damage to a valid file never raises anything but `MeshError`."""
    rng = np.random.default_rng(11)
    good = {"stl": stl, "msh": msh, "obj": obj}[form](*star_solid(rng))
    errors = 0
    for _ in range(300):
        damaged = bytearray(good)
        for _ in range(int(rng.integers(1, 6))):
            at = int(rng.integers(len(damaged)))
            if rng.random() < 0.2:
                del damaged[at : at + int(rng.integers(1, 50))]
            else:
                damaged[at] = rng.integers(256) if form != "obj" else rng.choice(list(b"0123456789-./e fvg\n\r\tx"))
        source = MeshSource(content=bytes(damaged), format=form, inertia=str(rng.choice(INERTIA_MODES)), needhull=True)
        with np.errstate(all="ignore"):
            errors += outcome(MeshError, build_mesh, source)[1] is not None
    assert 0 < errors < 300
