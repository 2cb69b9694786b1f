"""Contacts in lanes and in duals, growing memory, and `d.contact`."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from elements import assert_same_bits, centred_difference, set_worlds
from test_order import balls

import corten
from corten.engine import run
from corten.kernel.record import Element
from corten.model.data import block
from corten.model.data_fields import CONTACT
from corten.model.derived import pairs
from corten.physics.collision import collision
from corten.physics.kinematics import kinematics

SHAPES = """
<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 1" margin="0.05"/>
    <body pos="0 0 0.1"><freejoint/><geom size="0.1"/><geom type="capsule" size="0.05 0.1" pos="0.1 0 0"/></body>
    <body pos="0.1 0.1 0.15"><freejoint/><geom type="box" size="0.1 0.12 0.08"/></body>
    <body pos="-0.1 0.1 0.1"><freejoint/><geom type="box" size="0.05 0.1 0.08"/></body>
    <body pos="0.1 -0.1 0.1"><freejoint/><geom type="cylinder" size="0.1 0.06"/></body>
    <body pos="0 0 0.2"><freejoint/><geom type="capsule" size="0.04 0.1"/></body>
  </worldbody>
</mujoco>
"""
ROWS = [f.name for f in CONTACT if f.name.startswith("contact_")]
swept_or_listed = pytest.mark.parametrize("swept", [False, True], ids=["listed", "swept"])


def world(m: corten.Model, seed: int) -> corten.Data:
    """A random state near the initial one."""
    d, rng = corten.Data(m), np.random.default_rng(seed)
    qpos = d.qpos.reshape(-1, 7)
    qpos[:, :3] += rng.normal(size=qpos[:, :3].shape) * 0.05
    qpos[:, 3:] += rng.normal(size=qpos[:, 3:].shape) * 0.5
    return d


def detect(m: corten.Model, d: corten.Data) -> None:
    run(kinematics, m, d)()
    run(collision, m, d)()


@swept_or_listed
@pytest.mark.parametrize("width", [2, 8])
def test_lanes(width: int, swept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each lane of four different worlds has the contacts of its world alone, to the last bit."""
    if swept:
        monkeypatch.setattr(pairs, "MANY_PAIRS", 0)
    m = corten.Model.from_xml_string(SHAPES)
    worlds = [world(m, k) for k in range(4)]
    for d in worlds:
        detect(m, d)
    assert len({d.ncon for d in worlds}) > 1
    lanes = block(m, Element("lanes", width))
    set_worlds(lanes, worlds, ["qpos"])
    kinematics(m, lanes)
    collision(m, lanes)
    for lane in range(width):
        d = worlds[lane % 4]
        assert lanes.array("ncon")[..., lane] == d.ncon > 3
        assert_same_bits(lanes, lane, d, ROWS)


def test_derivatives() -> None:
    """Distances, positions and frames by dual numbers, against differences, in a direction of qpos."""
    m = corten.Model.from_xml_string(SHAPES)
    d = world(m, 1)
    detect(m, d)
    count, start = d.ncon, d.qpos.copy()
    direction = np.random.default_rng(2).normal(size=m.nq)
    geoms = d.contact.geom.copy()
    dual = block(m, Element("dual", 3))
    dual.array("qpos")[:, 0], dual.array("qpos")[:, 2] = start, direction
    kinematics(m, dual)
    collision(m, dual)
    assert int(dual.array("ncon")) == count > 6

    def numbers(step: float, name: str) -> np.ndarray:
        d.qpos[:] = start + step * direction
        detect(m, d)
        np.testing.assert_array_equal(d.contact.geom, geoms)
        return getattr(d.contact, name).copy()

    for name in ("dist", "pos", "frame"):
        exact = dual.array(f"contact_{name}")[:count, ..., 2]
        difference = centred_difference(lambda step, name=name: numbers(step, name), 1e-5)
        np.testing.assert_allclose(exact, difference, rtol=1e-6, atol=1e-6 * np.abs(exact).max())


def test_memory_grows() -> None:
    """Contacts that find no room are counted; growing makes room and moves nothing else."""
    m = corten.Model.from_xml_string(balls(300, 1, 1.0))
    d = corten.Data(m)
    detect(m, d)
    wanted = d.ncon_wanted
    assert wanted == d.ncon > 100

    m._all_sizes["nconcap"] = 7
    small = corten.Data(m)
    qpos = small.qpos
    detect(m, small)
    assert (small.ncon, small.ncon_wanted, len(small.contact)) == (7, wanted, 7)
    small.grow({"nconcap": wanted})
    np.testing.assert_array_equal(small.contact.dist, d.contact.dist[:7])
    assert small.qpos is qpos
    detect(m, small)
    assert small.ncon == wanted
    np.testing.assert_array_equal(small.contact.pos, d.contact.pos)


def test_growing_refuses_fixed_sizes() -> None:
    d = corten.Data(corten.Model.from_xml_string(SHAPES))
    with pytest.raises(ValueError, match="'nq' of Data is not a size that can grow"):
        d.grow({"nq": 10})


def test_copies_of_grown_data() -> None:
    m = corten.Model.from_xml_string(SHAPES)
    d = world(m, 0)
    d.grow({"nconcap": 1000})
    corten.forward(m, d)
    for other in (d.copy(), pickle.loads(pickle.dumps(d))):
        np.testing.assert_array_equal(other.contact.pos, d.contact.pos)
        corten.step(m, other)
    corten.step(m, d)
    np.testing.assert_array_equal(other.qpos, d.qpos)


def test_contact_view() -> None:
    m = corten.Model.from_xml_string(SHAPES)
    d = world(m, 0)
    corten.forward(m, d)
    contacts = d.contact
    assert len(contacts) == d.ncon == len(list(contacts))
    assert contacts[-1].dist == contacts.dist[d.ncon - 1] == d.contact_dist[d.ncon - 1]
    assert contacts.pos.shape == (d.ncon, 3) and contacts[0].frame.shape == (9,)
    assert [c.geom1 for c in contacts] == contacts.geom[:, 0].tolist()
    assert "dist" in dir(contacts[0]) and "geoms" in repr(contacts[0])
    with pytest.raises(IndexError, match=f"contact {d.ncon} of {d.ncon}"):
        contacts[d.ncon]
    with pytest.raises(AttributeError, match="no field 'distance'"):
        _ = contacts.distance


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_bodies_that_are_lost(bad: float) -> None:
    """What is nowhere or infinitely far touches nothing, the rest goes on, and nothing remains of it afterwards."""
    m = corten.Model.from_xml_string(balls(700, 1, 1.6))
    d, sound = corten.Data(m), corten.Data(m)
    detect(m, sound)
    d.qpos[7 * 5], d.qpos[7 * 9 + 1] = bad, bad
    detect(m, d)
    kept = ~np.isin(sound.contact.geom, [6, 10]).any(axis=1)
    np.testing.assert_array_equal(d.contact.geom, sound.contact.geom[kept])
    d.qpos[:] = sound.qpos
    detect(m, d)
    np.testing.assert_array_equal(d.contact.pos, sound.contact.pos)
