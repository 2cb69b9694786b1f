"""Tactile sensors against the reference, shape by shape, and against a sphere sunk into the ground."""

from __future__ import annotations

import numpy as np
import pytest
from elements import assert_same_bits, centred_difference, set_worlds
from twins import Twins

import corten
from corten.engine import call
from corten.kernel.record import Element
from corten.model.data import block
from corten.physics.step import forward

SHAPES = {
    "plane": 'type="plane" size="3 3 1"',
    "sphere": 'type="sphere" size=".25" pos=".05 0 -.22"',
    "capsule": 'type="capsule" size=".2 .3" pos="0 .02 -.16" euler="80 10 0"',
    "ellipsoid": 'type="ellipsoid" size=".4 .3 .2" pos=".05 .1 -.15" euler="10 20 30"',
    "cylinder": 'type="cylinder" size=".3 .2" pos="0 .1 -.15" euler="70 10 0"',
    "box": 'type="box" size=".4 .3 .2" pos="0 .1 -.14" euler="5 10 20"',
    "two that overlap": 'type="box" size=".2 .3 .2" pos="-.1 0 -.14"/><geom type="sphere" size=".2" pos=".1 0 -.15"',
    "a mesh, which is not felt": 'type="mesh" mesh="stone" pos="0 0 -.2"',
    "nothing": 'type="sphere" size=".25" pos="2 0 0"',
}
MODEL = """<mujoco>
<asset><mesh name="skin" builtin="wedge" params="9 7 60 60 0" scale=".3 .3 .3"/>
  <mesh name="pad" builtin="plate" params="6 5" scale=".3 .2 .2"/>
  <mesh name="stone" builtin="sphere" params="1" scale=".3 .3 .3"/></asset>
<worldbody><geom {shape}/>
  <body name="ball" pos="0 0 .2"><freejoint/><geom size=".3"/>
    <body euler="10 0 0"><geom name="skin" type="mesh" mesh="skin" mass="0" contype="0" conaffinity="0"/></body></body>
  <body name="block" pos="0 0 .66"><joint type="slide"/><joint type="ball"/><geom type="box" size=".3 .2 .2"/>
    <geom name="pad" type="mesh" mesh="pad" mass="0" contype="0" conaffinity="0"/></body>
</worldbody>
<sensor><tactile geom="skin" mesh="skin"/><tactile name="p" geom="pad" mesh="pad"/></sensor></mujoco>"""


def moved(twins: Twins, seed: int) -> Twins:
    rng = np.random.default_rng(seed)
    twins.d.qpos[:] = twins.m.qpos0
    twins.d.qpos[:3] += 0.02 * rng.normal(size=3)
    twins.d.qvel[:] = rng.normal(size=twins.m.nv)
    twins.ref_d.qpos[:], twins.ref_d.qvel[:] = twins.d.qpos, twins.d.qvel
    return twins


@pytest.mark.reference
@pytest.mark.parametrize("shape", SHAPES)
def test_reading(shape: str) -> None:
    for seed in range(3):
        twins = moved(Twins(MODEL.format(shape=SHAPES[shape])), seed)
        twins.forward()
        assert twins.d.ncon > 0
        twins.assert_agree(("sensordata",), 1e-9)
        felt = twins.d.sensordata[: twins.m.sensor_dim[0]]
        assert felt.any() == (shape not in ("a mesh, which is not felt", "nothing"))


def test_pressure_is_depth_over_what_is_left() -> None:
    """A sphere sunk by 0.02: the deepest vertex is near its lowest point, vertices above the ground feel nothing."""
    xml = MODEL.format(shape=SHAPES["plane"]).replace('pos="0 0 .2"', 'pos="0 0 .28"')
    m = corten.Model.from_xml_string(xml)
    d = corten.Data(m)
    corten.forward(m, d)
    n = m.mesh_vertnum[0]
    place = d.geom_xpos[m.sensor_refid[0]] + m.mesh_vert[:n] @ d.geom_xmat[m.sensor_refid[0]].reshape(3, 3).T
    height = np.minimum(place[:, 2], 0)
    np.testing.assert_allclose(d.sensordata[:n], height / (0.05 - height), atol=1e-6)
    assert -0.021 < height.min() < -0.01 and not d.sensordata[n : 3 * n].any()


def scene(seed: int) -> tuple[corten.Model, corten.Data]:
    m = corten.Model.from_xml_string(MODEL.format(shape=SHAPES["box"]))
    d = corten.Data(m)
    rng = np.random.default_rng(seed)
    d.qpos[:3] += 0.02 * rng.normal(size=3)
    d.qvel[:] = rng.normal(size=m.nv)
    return m, d


def test_lanes_are_single_worlds_to_the_last_bit() -> None:
    m, _ = scene(0)
    singles = [scene(w)[1] for w in range(4)]
    lanes = block(m, Element("lanes", 4))
    set_worlds(lanes, singles, ("qpos", "qvel"))
    call(forward, m, lanes)
    for w, d in enumerate(singles):
        corten.forward(m, d)
        assert d.sensordata.any()
        assert_same_bits(lanes, w, d, ("sensordata",))


def test_tangents_are_derivatives() -> None:
    m, start = scene(1)
    direction = np.random.default_rng(3).normal(size=m.nv)
    dual = block(m, Element("dual", 7))
    dual.fill("qpos", start.qpos)
    dual.fill("qvel", start.qvel)
    dual.array("qpos")[:3, 1] = direction[:3]
    dual.array("qvel")[:, 1] = direction
    call(forward, m, dual)

    def reading(h: float) -> np.ndarray:
        d = start.copy()
        d.qpos[:3] += h * direction[:3]
        d.qvel[:] += h * direction
        corten.forward(m, d)
        return d.sensordata.copy()

    expected = centred_difference(reading, 1e-6)
    np.testing.assert_allclose(dual.array("sensordata")[:, 1], expected, atol=1e-6, rtol=1e-6)
