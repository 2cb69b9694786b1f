"""Rays against every shape, groups, exclusions, against the reference and by hand."""

from __future__ import annotations

import numpy as np
import pytest

import corten
from corten.utilities.rays import ray, rays

pytestmark = pytest.mark.reference

MESH = "-1 -1 -1  1 -1 -1  0 1 -1  0.2 0.1 1.3  0.5 -0.6 0.9"
ELEVATION = " ".join(f"{v:.3f}" for v in np.random.default_rng(0).uniform(0, 1, 42))
SHAPES = {
    "plane": '<geom type="plane" size="1.2 0.9 0.1"/>',
    "infinite plane": '<geom type="plane" size="0 0 0.1"/>',
    "sphere": '<geom type="sphere" size="0.8"/>',
    "capsule": '<geom type="capsule" size="0.5 0.7"/>',
    "ellipsoid": '<geom type="ellipsoid" size="0.5 0.7 1.1"/>',
    "cylinder": '<geom type="cylinder" size="0.6 0.8"/>',
    "box": '<geom type="box" size="0.5 0.7 0.9"/>',
    "mesh": '<geom type="mesh" mesh="hull"/>',
    "hfield": '<geom type="hfield" hfield="field"/>',
}
SCENE = f"""
<mujoco>
  <asset>
    <mesh name="hull" vertex="{MESH}"/>
    <hfield name="field" nrow="7" ncol="6" size="1.1 0.9 0.5 0.2" elevation="{ELEVATION}"/>
    <material name="glass" rgba="1 1 1 0"/>
  </asset>
  <worldbody>{{}}</worldbody>
</mujoco>
"""


class Rays:
    """A scene here and in the reference."""

    def __init__(self, geoms: str):
        import mujoco

        self.mujoco = mujoco
        self.m, self.ref_m = corten.Model.from_xml_string(SCENE.format(geoms)), None
        self.ref_m = mujoco.MjModel.from_xml_string(SCENE.format(geoms))
        self.d, self.ref_d = corten.Data(self.m), mujoco.MjData(self.ref_m)
        corten.forward(self.m, self.d)
        mujoco.mj_forward(self.ref_m, self.ref_d)

    def reference(self, p, v, groups=None, static=True, body=-1):
        geom, normal = np.zeros(1, np.int32), np.zeros(3)
        groups = None if groups is None else np.array(groups, np.uint8)
        t = self.mujoco.mj_ray(self.ref_m, self.ref_d, p, v, groups, static, body, geom, normal)
        return t, int(geom[0]), normal


def directions(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rays that begin around or inside the origin and mostly go towards it; some along an axis."""
    rng = np.random.default_rng(seed)
    p = rng.normal(size=(count, 3)) * rng.choice([0.2, 1.0, 3.0], (count, 1))
    v = rng.normal(size=(count, 3)) * 0.4 - p * rng.choice([0.0, 1.0], (count, 1), p=[0.2, 0.8])
    v[::17] = np.eye(3)[rng.integers(0, 3, len(v[::17]))] * -np.sign(p[::17])
    return p, v


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(shape: str) -> None:
    scene = Rays(SHAPES[shape])
    p, v = directions(2000)
    hits = rays(scene.m, scene.d, p, v)
    met = 0
    for i in range(len(p)):
        t, geom, normal = scene.reference(p[i], v[i])
        assert hits.geom[i] == geom, (i, p[i], v[i], hits.distance[i], t)
        assert hits.distance[i] == pytest.approx(t, rel=1e-9, abs=1e-10), i
        if t >= 0:
            met += 1
            np.testing.assert_allclose(hits.normal[i], normal, atol=1e-8)
    assert met > 500


@pytest.mark.parametrize("detail", [1, 4])
def test_trees_of_large_meshes(detail: int) -> None:
    """Through the tree a ray meets what it meets when all triangles are tried."""
    ball = f'<mesh name="ball" builtin="sphere" params="{detail}" scale="1 0.7 1.3"/>'
    model = f'<mujoco><asset>{ball}</asset><worldbody><geom type="mesh" mesh="ball"/></worldbody></mujoco>'
    m, without = corten.Model.from_xml_string(model), corten.Model.from_xml_string(model)
    without.ray_ready = 1
    without.ray_depth[:] = 0
    without.ray_box[:] = [-9, -9, -9, 9, 9, 9]
    without.ray_face[:] = np.arange(without.nmeshface)
    d = corten.Data(m)
    corten.forward(m, d)
    p, v = directions(500)
    hits, all_tried = rays(m, d, p, v), rays(without, d, p, v)
    np.testing.assert_array_equal(hits.distance, all_tried.distance)
    np.testing.assert_allclose(hits.normal, all_tried.normal, atol=1e-12)
    assert np.count_nonzero(hits.geom == 0) > 150


def test_many_geoms() -> None:
    """The nearest geom counts; groups, standing geoms, a body and what is transparent can be left out."""
    rng = np.random.default_rng(3)
    geoms = '<geom type="plane" size="5 5 0.1" pos="0 0 -2"/>'
    for k in range(30):
        x, y, z = rng.uniform(-2, 2, 3)
        look = ('rgba="1 1 1 0"', 'material="glass"', "", "", "")[k % 5]
        shape = f'<geom type="{("sphere", "box", "capsule")[k % 3]}" size="0.3 0.2 0.4" group="{k % 6}" {look}/>'
        joint = "<freejoint/>" if k % 2 else ""
        geoms += f'<body name="b{k}" pos="{x:.3f} {y:.3f} {z:.3f}">{joint}{shape}</body>'
    scene = Rays(geoms)
    p, v = directions(150, 4)
    cases = [{}, {"groups": [1, 0, 1, 0, 0, 1]}, {"static": False}, {"exclude": "b3"}]
    for case in cases:
        body = scene.m.names.find("body", case["exclude"]) if "exclude" in case else -1
        for i in range(len(p)):
            t, geom, normal = scene.reference(p[i], v[i], case.get("groups"), case.get("static", True), body)
            hit = ray(scene.m, scene.d, p[i], v[i], **case)
            assert hit.geom == geom
            assert hit.distance == pytest.approx(t, rel=1e-9)
            if geom >= 0:
                np.testing.assert_allclose(hit.normal, normal, atol=1e-9)


@pytest.mark.plain
def test_by_hand() -> None:
    """A ball of radius 0.8 seen from (2, 0, 0), with a vector of length 2."""
    scene = Rays(SHAPES["sphere"])
    hit = ray(scene.m, scene.d, [2, 0, 0], [-2, 0, 0])
    assert hit.distance == pytest.approx(0.6, abs=1e-15)
    np.testing.assert_allclose(hit.normal, [1, 0, 0], atol=1e-15)
    assert ray(scene.m, scene.d, [2, 0, 0], [2, 0, 0])[:2] == (-1.0, -1)


def test_bad_arguments() -> None:
    scene = Rays(SHAPES["sphere"])
    with pytest.raises(ValueError, match=r"vectors of rays have shape \(3,\), not \(n, 3\)"):
        rays(scene.m, scene.d, [0, 0, 0], [1, 0, 0])
    with pytest.raises(ValueError, match="the vector of ray 1 is zero"):
        rays(scene.m, scene.d, [0, 0, 0], [[1, 0, 0], [0, 0, 0]])
    with pytest.raises(ValueError, match="2 groups, not 6"):
        ray(scene.m, scene.d, [0, 0, 0], [1, 0, 0], groups=[True, False])
