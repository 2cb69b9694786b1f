"""Range finders and sensors of the distance of geoms, against the reference."""

from __future__ import annotations

import numpy as np
import pytest
from elements import set_worlds
from twins import Twins

import corten
from corten.kernel.record import Element
from corten.model.data import block
from corten.physics import step
from corten.utilities import geom_distance

pytestmark = pytest.mark.reference

SCENE = """
<mujoco>
  <option gravity="0 0 0"/>
  <asset><mesh name="tent" vertex="-1 -1 0  1 -1 0  1 1 0  -1 1 0  0 0 0.7  0.3 0.4 0.6"/></asset>
  <worldbody>
    <geom type="plane" size="4 4 0.1"/>
    <geom type="mesh" mesh="tent" pos="1.2 -1.3 0"/>
    <geom name="wall" type="box" size="0.1 2 1" pos="2 0 1"/>
    <body name="robot" pos="0 0 1">
      <freejoint/>
      <geom name="hull" type="box" size="0.2 0.3 0.1"/>
      <geom name="nose" type="sphere" size="0.1" pos="0.28 0 0"/>
      <site name="ahead" pos="0 0 0" zaxis="1 0 0"/>
      <site name="below" pos="0.1 0.1 0" zaxis="0 0.2 -1"/>
      <site name="above" pos="0 0 0" zaxis="0 0 1"/>
      <camera name="eye" pos="0.1 0 0" xyaxes="0 -1 0 0 0 1" fovy="60" resolution="5 4"/>
      <camera name="flat" pos="0.1 0 0" xyaxes="0 -1 0 0 0 1" projection="orthographic" fovy="1" resolution="3 4"/>
      <camera name="lens" pos="0.1 0 0" xyaxes="0 -1 0 0 0 1" focal="0.02 0.03" sensorsize="0.03 0.02"
        principal="0.001 0.002" resolution="4 3"/>
    </body>
    <body name="pole" pos="1 0.5 1"><freejoint/><geom name="pole" type="capsule" size="0.1 0.4"/></body>
    <body name="drum" pos="-1 0.5 1"><freejoint/><geom name="drum" type="cylinder" size="0.2 0.3"/></body>
  </worldbody>
  <sensor>
    <rangefinder site="ahead"/>
    <rangefinder site="below" cutoff="0.9"/>
    <rangefinder site="above"/>
    <rangefinder site="below" data="dist dir origin point normal depth"/>
    <rangefinder site="above" data="dist dir origin point normal depth"/>
    <rangefinder camera="eye" data="dist dir point normal depth"/>
    <rangefinder camera="flat" data="dist dir origin point normal depth"/>
    <rangefinder camera="lens" data="dist depth"/>
    <distance geom1="nose" geom2="wall" cutoff="10"/>
    <distance geom1="wall" geom2="nose" cutoff="0.5"/>
    <distance body1="robot" body2="pole" cutoff="10"/>
    <normal body1="pole" body2="robot" cutoff="10"/>
    <fromto body1="robot" body2="pole" cutoff="10"/>
    <fromto geom1="drum" geom2="wall" cutoff="10"/>
    <distance geom1="hull" geom2="drum" cutoff="10"/>
    <normal geom1="hull" geom2="drum" cutoff="0.1"/>
    <distance geom1="hull" geom2="nose"/>
    <fromto geom1="hull" geom2="nose"/>
  </sensor>
</mujoco>
"""


def test_against_reference() -> None:
    hits = 0
    for seed in range(25):
        twins = Twins(SCENE, seed)
        twins.forward()
        ours, theirs = twins.d.sensordata, twins.ref_d.sensordata
        for i in range(twins.m.nsensor):
            adr, dim = twins.m.sensor_adr[i], twins.m.sensor_dim[i]
            exact = not any("drum" in str(twins.ref_m.geom(g).name) for g in geoms_of(twins, i))
            np.testing.assert_allclose(
                ours[adr : adr + dim], theirs[adr : adr + dim], rtol=0, atol=1e-8 if exact else 1e-3, err_msg=f"{i}"
            )
        hits += np.count_nonzero(theirs)
    assert hits > 2000


def geoms_of(twins: Twins, i: int) -> list[int]:
    """The geoms that a distance sensor names; none for range finders and for sensors of bodies."""
    m, kind = twins.ref_m, twins.mujoco.mjtObj.mjOBJ_GEOM
    pairs = ((m.sensor_objtype[i], m.sensor_objid[i]), (m.sensor_reftype[i], m.sensor_refid[i]))
    return [int(g) for t, g in pairs if t == kind]


def test_lanes_and_duals() -> None:
    """A lane reads what its world reads alone; the reading's derivative by the height of the robot is exact."""
    m = corten.Model.from_xml_string(SCENE)
    worlds = []
    for k in range(4):
        d = corten.Data(m)
        d.qpos[:3] += 0.1 * k
        corten.forward(m, d)
        worlds.append(d)
    lanes = block(m, Element("lanes", 4))
    set_worlds(lanes, worlds, ["qpos"])
    step.forward(m, lanes)
    for lane, d in enumerate(worlds):
        np.testing.assert_array_equal(lanes.array("sensordata")[:, lane], d.sensordata)

    dual = block(m, Element("dual", 1))
    dual.array("qpos")[:, 0], dual.array("qpos")[2, 1] = worlds[1].qpos, 1.0
    step.forward(m, dual)
    slope = dual.array("sensordata")[m.sensor_adr[3], 1]
    tilt = np.array([0.0, 0.2, -1.0]) / np.linalg.norm([0.0, 0.2, -1.0])
    assert slope == pytest.approx(-1.0 / tilt[2], rel=1e-12)


@pytest.mark.plain
def test_geom_distance() -> None:
    """The public function: by name, both ways round, beyond the cutoff, bad arguments."""
    m = corten.Model.from_xml_string(SCENE)
    d = corten.Data(m)
    corten.forward(m, d)
    there, back = geom_distance(m, d, "nose", "wall"), geom_distance(m, d, "wall", "nose")
    assert there.distance == back.distance == pytest.approx(1.52, abs=1e-12)
    np.testing.assert_allclose([there.start, there.end], [[0.38, 0, 1], [1.9, 0, 1]], atol=1e-12)
    np.testing.assert_allclose([back.end, back.start], [[0.38, 0, 1], [1.9, 0, 1]], atol=1e-12)
    far = geom_distance(m, d, "nose", "wall", 1.0)
    assert far.distance == 1.0 and not far.start.any() and not far.end.any()
    with pytest.raises(corten.SimulationError, match="door"):
        geom_distance(m, d, "door", 0)
    with pytest.raises(ValueError, match="the cutoff inf is not a finite number"):
        geom_distance(m, d, 0, 1, np.inf)
