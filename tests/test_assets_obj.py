"""OBJ files against the reference: statements, index forms, groups, and how polygons are cut."""

import numpy as np
import pytest
from assets_compare import assert_same, reference

from corten.mjcf.assets.errors import MeshError
from corten.mjcf.assets.mesh import MeshSource, build_mesh
from corten.mjcf.assets.obj import read_obj
from corten.mjcf.assets.triangulate import clip_polygon, clip_quads

pytestmark = [pytest.mark.reference, pytest.mark.plain]

# six points and two triangles
BASE = "v 0 0 0\nv 3 0 0\nv 3 1 0\nv 0 1 0\nv 0 0 1\nv -1 0.5 0\nf 1 2 5\nf 1 4 6\n"


def check(text: str, mirrored: bool = False) -> None:
    content = text.encode()
    scale = (-1, 1, 1) if mirrored else (1, 1, 1)
    mesh = build_mesh(MeshSource(content=content, format="obj", needhull=True, inertia="shell", scale=scale))
    assert_same(mesh, reference(f"inertia='shell' scale='{scale[0]} 1 1'", content, "obj"))


@pytest.mark.parametrize("lines", [
    "f 1 2 3 4", "f 1 2 3 4 6", "f 1 2 3 5", "f 2 3 5 1", "f 1 3 2 4", "f 1 5 2 3 4 6", "f 1 2",
    "f -1 -2 -3", "v 5 5 5\nf -1 -2 -3", "f 1//1 2//1 3//1", "f 1/1 2/2 3/3", "f 1 1 1", "f 1.5 2 3", "f +1 2 3",
    "vn 0 0 1\nf 1//1 2//1 3//1", "vn 0 0 2\nvt 0 .25\nf 1/1/1 2//1 3/1", "vt 0 0\nvt 1 0\nvt 1 1\nf 1/1 2/2 3/3",
    "vt 0 0 0\nf 3 4 5", "vt 0\nf 3 4 5", "vn 0 0 1\nvn 1 0 0\nf 1/9/-1 2/9/-2 3/9/1",
    "v 1 2\nf 7 2 3", "v 1 x 3\nf 7 1 2", "v 1 2 3 0.1 0.2 0.3\nf 7 1 2", "v 1e0 -.5E1 +2.\nf 7 1 2",
    "\tf  4 5 6 ", "f\t4\t5\t6", "f 3 4 5\\", "#f 1 2 3", "f", "v", "s off", "l 1 2", "p 1", "mtllib x.mtl",
    "g a\nf 1 2 3\ng b\nf 2 3 4", "g\nf 1 2 3", "o a\nf 2 3 4", "g \nf 2 3 4", "usemtl x\nf 2 3 4",
])  # fmt: skip
def test_statements(lines):
    for mirrored in (False, True):
        check(BASE + lines + "\n", mirrored)
        check((BASE + lines).replace("\n", "\r\n"), mirrored)


def test_groups_before_the_first_faces():
    points = BASE.partition("f")[0]
    check(points + "o lines\nl 1 2\no faces\nf 1 2 5\nf 2 3 5\n")
    check(points + "g lines\nl 1 2\ng faces\nf 1 2 5\nf 2 3 5\n")
    check(points + "g empty\nf 1 2\ng faces\nf 1 2 5\nf 2 3 5\ng more\nf 1 2 3\n")
    check(points)


@pytest.mark.parametrize("seed", range(40))
def test_random_files(seed):
    """Polygons that are skew or concave, all index forms, relative indices, groups, line ends."""
    rng = np.random.default_rng(seed)
    nvert, ntexcoord, nnormal = int(rng.integers(6, 20)), int(rng.integers(1, 6)), int(rng.integers(1, 6))
    points = rng.normal(size=(nvert, 3)).round(int(rng.choice([1, 6])))
    lines = ["# random", *(f"v {x} {y} {z}" for x, y, z in points)]
    lines += [f"vt {u:.4f} {v:.4f}" for u, v in rng.random((ntexcoord, 2))]
    lines += [f"vn {x:.4f} {y:.4f} {z:.4f}" for x, y, z in rng.normal(size=(nnormal, 3))]
    form = rng.choice(["v", "v/t", "v//n", "v/t/n", "mixed"])
    relative = rng.random() < 0.3
    for _ in range(int(rng.integers(4, 15))):
        count = int(rng.choice([3, 3, 4, 4, 5, 6, 7, 8]))
        corners = rng.permutation(nvert)[:count]
        if count > 4 and rng.random() < 0.7:
            turn, radius = np.sort(rng.random(count)) * 2 * np.pi, rng.uniform(0.2, 1, count)
            plane = np.linalg.qr(rng.normal(size=(3, 3)))[0][:2]
            star = np.column_stack([radius * np.cos(turn), radius * np.sin(turn)]) @ plane + rng.normal(size=3)
            lines += [f"v {x:.6g} {y:.6g} {z:.6g}" for x, y, z in star]
            corners, nvert = np.arange(nvert, nvert + count), nvert + count
        words = []
        for corner in corners:
            here = form if form != "mixed" else rng.choice(["v", "v//n", "v/t"])
            vertex = corner - nvert if relative else corner + 1
            texcoord, normal = rng.integers(1, ntexcoord + 1), rng.integers(1, nnormal + 1)
            words.append(str(here).replace("v", str(vertex)).replace("t", str(texcoord)).replace("n", str(normal)))
        lines.append("f " + " ".join(words))
        if rng.random() < 0.05:
            lines.append(str(rng.choice(["g a", "o b", "s 1", "usemtl x", "", "g"])))
    check("\n".join(lines), mirrored=bool(rng.random() < 0.5))


def test_quads_and_polygons_are_cut_alike():
    """The vectorised cutting of quadrilaterals is the general one."""
    points = np.random.default_rng(2).normal(size=(200, 4, 3)).astype(np.float32)
    owner, corners = clip_quads(points)
    for number, quad in enumerate(points):
        assert [tuple(c) for c in corners[owner == number].tolist()] == clip_polygon(quad)


def test_convex_polygon_loses_no_area():
    turn = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    polygon = np.column_stack([0 * turn + 3, 2 * np.cos(turn), np.sin(turn)]).astype(np.float32)
    triangles = polygon[np.array(clip_polygon(polygon))]
    area = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1) / 2
    assert area.sum() == pytest.approx(2 * 12 / 2 * np.sin(2 * np.pi / 12), rel=1e-5)


@pytest.mark.parametrize("line,message", [
    ("f 0 1 2", "face 2 has a corner '0'"),
    ("f 1 2 3\nf a b c", "face 3 has a corner 'a'"),
    ("f 1 2 3 # c", "corner '#'"),
    ("vn 0 0 1\nf 1//0 2 3", "corner '1//0'"),
    ("f 1 2 9", "refers to vertex 8"),
    ("f 1 2 -9", "refers to vertex -3"),
    ("f 1 2 99999999999999999999", "refers to vertex"),
    ("v nan 0 0", "vertex 6 .* not finite"),
])  # fmt: skip
def test_errors_say_what_is_wrong(line, message):
    with pytest.raises(MeshError, match=message):
        read_obj((BASE + line).encode(), False)


@pytest.mark.parametrize("corners", [100, 101])
def test_polygons_with_very_many_corners_are_left_out(corners):
    turns = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    rim = [f"v {np.cos(t):.6f} {np.sin(t):.6f} 0" for t in turns]
    sides = [f"f {i + 1} {(i + 1) % corners + 1} {corners + 1}" for i in range(corners)]
    lid = "f " + " ".join(str(corners - i) for i in range(corners))
    check("\n".join([*rim, "v 0 0 1", *sides, lid]) + "\n")
