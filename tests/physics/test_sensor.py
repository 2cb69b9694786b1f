"""Sensors against the reference, one by one, and against what they ought to feel."""

from __future__ import annotations

import numpy as np
import pytest
from elements import assert_same_bits, centred_difference, set_worlds
from mechanism import loaded, mechanism
from twins import STATE

import corten
from corten.kernel.record import Element
from corten.model.data import block
from corten.physics.step import forward

OBJECTS = (("body", "tip"), ("xbody", "tip"), ("geom", "arm"), ("site", "tip"), ("camera", "tip"), ("camera", "target"))
REFERENCES = (("body", "torso"), ("xbody", "arm"), ("geom", "second"), ("site", "second"), ("camera", "targetcom"))
FRAMES = ("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel")


def frame(kind: str, obj: tuple[str, str], ref: tuple[str, str] | None = None) -> str:
    relative = f' reftype="{ref[0]}" refname="{ref[1]}"' if ref else ""
    return f'{kind} objtype="{obj[0]}" objname="{obj[1]}"{relative}'


SENSORS = [
    'magnetometer site="tip"',
    *(f'camprojection site="tip" camera="{c}"' for c in ("fixed", "lens", "target", "watching")),
    'jointpos joint="hinge"',
    'jointvel joint="slide"',
    'ballquat joint="ball"',
    'ballangvel joint="ball"',
    'tendonpos tendon="coupled"',
    'tendonvel tendon="coupled"',
    'tendonactuatorfrc tendon="coupled"',
    'actuatorpos actuator="swing"',
    'actuatorvel actuator="root"',
    'actuatorfrc actuator="swing"',
    'jointactuatorfrc joint="hinge"',
    *(f'{k} body="{b}"' for k in ("subtreecom", "subtreelinvel", "subtreeangmom") for b in ("world", "torso", "arm")),
    "clock",
    "e_potential",
    "e_kinetic",
    *(f'accelerometer site="{s}"' for s in ("tip", "second", "pushed", "box")),
    'velocimeter site="tip"',
    'gyro site="tip"',
    *(f'{k} site="{s}"' for k in ("force", "torque") for s in ("tip", "second", "pushed")),
    *(f'user dim="2" needstage="{s}"' for s in ("pos", "vel", "acc")),
    *(frame(k, o) for k in (*FRAMES, "framelinacc", "frameangacc") for o in OBJECTS),
    *(frame(k, o, r) for k in FRAMES for o in (OBJECTS[0], OBJECTS[4]) for r in REFERENCES),
    *(
        f'insidesite site="{s}" objtype="{o}" objname="{n}"'
        for s in ("sphere", "capsule", "ellipsoid", "cylinder", "box")
        for o, n in OBJECTS
    ),
]
ALL = "".join(f"<{s}/>" for s in SENSORS)


@pytest.fixture(scope="module")
def readings() -> list[tuple[np.ndarray, np.ndarray]]:
    """All sensors in one model, in some states: the reference's readings and ours."""
    found = []
    for seed in range(4):
        twins = loaded(mechanism(ALL), seed)
        twins.forward()
        parts = np.cumsum(twins.m.sensor_dim)[:-1]
        found.append((np.split(twins.ref_d.sensordata, parts), np.split(twins.d.sensordata, parts)))
    return found


@pytest.mark.reference
@pytest.mark.parametrize("number", range(len(SENSORS)), ids=[s.replace('"', "") for s in SENSORS])
def test_reading(readings: list, number: int) -> None:
    for theirs, mine in readings:
        np.testing.assert_allclose(mine[number], theirs[number], rtol=1e-9, atol=1e-9)


@pytest.mark.reference
def test_inside_and_outside_both_occur(readings: list) -> None:
    numbers = [i for i, s in enumerate(SENSORS) if s.startswith("insidesite")]
    assert {float(mine[i][0]) for _, mine in readings for i in numbers} == {0.0, 1.0}


CUTOFF = [
    'jointpos joint="hinge" cutoff=".01"',
    'velocimeter site="tip" cutoff=".3"',
    'accelerometer site="tip" cutoff="2"',
    'framepos objtype="site" objname="tip" cutoff=".2"',
    'clock cutoff=".5"',
    'e_potential cutoff="3"',
    'insidesite site="box" objtype="site" objname="tip" cutoff=".5"',
]


@pytest.mark.reference
@pytest.mark.parametrize("sensor", CUTOFF)
def test_cutoff(sensor: str) -> None:
    twins = loaded(mechanism(f"<{sensor}/>"))
    twins.forward()
    twins.assert_agree(("sensordata",))


BUFFERS = [
    'nsample="5"',
    'nsample="5" delay=".01"',
    'nsample="6" delay=".0123" interp="linear"',
    'nsample="6" delay=".0123" interp="cubic"',
    'nsample="4" interval=".005"',
    'nsample="4" interval=".0053 -.002"',
    'nsample="8" interval=".006" delay=".01" interp="linear"',
]
BUFFERED = [
    'jointpos joint="hinge"',
    'jointvel joint="hinge"',
    'actuatorfrc actuator="swing"',
    'accelerometer site="tip"',
    'framepos objtype="site" objname="tip"',
    'framequat objtype="site" objname="tip"',
    'subtreelinvel body="arm"',
    'camprojection site="tip" camera="track"',
    "e_potential",
]


@pytest.mark.reference
@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicitfast"])
@pytest.mark.parametrize("buffer", BUFFERS)
def test_delays_and_intervals(buffer: str, integrator: str) -> None:
    """Every reading of thirty steps, and the buffers after them."""
    sensors = "".join(f"<{s} {buffer}/>" for s in BUFFERED)
    twins = loaded(mechanism(sensors, f'timestep=".002" integrator="{integrator}"'))
    twins.ref_d.time = twins.d.time = 0.0
    for k in range(30):
        twins.ref_d.ctrl[:] = twins.d.ctrl[:] = np.sin(0.3 * k + np.arange(twins.m.nu))
        twins.step()
        twins.assert_agree(("sensordata",), 1e-9)
    twins.assert_agree(("history",), 1e-9)


@pytest.mark.reference
def test_switched_off() -> None:
    twins = loaded(mechanism(ALL, flag='sensor="disable"'))
    twins.ref_d.sensordata[:] = twins.d.sensordata[:] = 1.5
    twins.forward()
    twins.assert_agree(("sensordata", "energy"))


@pytest.mark.reference
@pytest.mark.parametrize("energy", ["enable", "disable"])
@pytest.mark.parametrize("sensors", ["", "<e_potential/>", "<e_kinetic/>", "<e_potential/><e_kinetic/>"])
def test_energy_where_sensors_ask_for_it(energy: str, sensors: str) -> None:
    twins = loaded(mechanism(sensors, flag=f'energy="{energy}"'))
    twins.forward()
    twins.assert_agree(("sensordata", "energy"))


def test_kinetic_energy_is_of_this_instant() -> None:
    """With `energy` enabled the reference reports that of the step before; we do not."""
    m = corten.Model.from_xml_string(mechanism("<e_kinetic/>", flag='energy="enable"'))
    d = corten.Data(m)
    for _ in range(3):
        corten.step(m, d)
        corten.forward(m, d)
        assert d.sensordata[0] == d.energy[1] > 0


def test_an_accelerometer_at_rest_feels_gravity_upwards() -> None:
    m = corten.Model.from_xml_string(
        """<mujoco><worldbody><body><joint axis="0 0 1"/><geom size=".1"/><site name="s" euler="90 0 0"/></body>
        </worldbody><sensor><accelerometer site="s"/></sensor></mujoco>"""
    )
    d = corten.Data(m)
    corten.forward(m, d)
    np.testing.assert_allclose(d.sensordata, [0, 9.81, 0], atol=1e-14)


def test_an_accelerometer_on_a_turntable_feels_the_centripetal_force() -> None:
    m = corten.Model.from_xml_string(
        """<mujoco><option gravity="0 0 0"/><worldbody><body><joint axis="0 0 1"/><geom size=".1"/>
        <site name="s" pos="2 0 0"/></body></worldbody><sensor><accelerometer site="s"/></sensor></mujoco>"""
    )
    d = corten.Data(m)
    d.qvel[0] = 3.0
    corten.forward(m, d)
    np.testing.assert_allclose(d.sensordata, [-2 * 3.0**2, 0, 0], atol=1e-13)


def test_a_beam_carries_its_weight() -> None:
    m = corten.Model.from_xml_string(
        """<mujoco><worldbody><body><geom type="box" size=".5 .1 .1" pos=".5 0 0" mass="3"/><site name="s"/></body>
        </worldbody><sensor><force site="s"/><torque site="s"/></sensor></mujoco>"""
    )
    d = corten.Data(m)
    corten.forward(m, d)
    np.testing.assert_allclose(d.sensordata, [0, 0, 3 * 9.81, 0, -3 * 9.81 * 0.5, 0], atol=1e-13)


def test_spin_of_a_free_system_is_kept() -> None:
    """Nothing acts from outside: the angular momentum about the centre of mass and its velocity stay as they are."""
    m = corten.Model.from_xml_string(
        """<mujoco><option gravity="0 0 0" integrator="RK4" timestep=".001"/><worldbody>
        <body name="a"><freejoint/><geom size=".1 .2 .3" type="box"/>
        <body pos=".4 0 0"><joint axis="0 1 .2"/><geom type="capsule" size=".05 .2" pos="0 0 .2"/></body></body>
        </worldbody><sensor><subtreeangmom body="a"/><subtreelinvel body="a"/></sensor></mujoco>"""
    )
    d = corten.Data(m)
    d.qvel[:] = np.random.default_rng(0).normal(size=m.nv)
    corten.forward(m, d)
    first = d.sensordata.copy()
    corten.step(m, d, 500)
    corten.forward(m, d)
    np.testing.assert_allclose(d.sensordata, first, atol=1e-9 * np.abs(first).max())


FIELDS = ("time", "history", *STATE)


def worlds(m: corten.Model, count: int) -> list[corten.Data]:
    found = []
    for w in range(count):
        rng = np.random.default_rng(w)
        d = corten.Data(m)
        d.time = 0.1 * w
        d.qpos[:] += 0.2 * rng.normal(size=m.nq)
        d.qvel[:] = rng.normal(size=m.nv)
        d.ctrl[:] = rng.normal(size=m.nu)
        d.xfrc_applied[1:] = rng.normal(size=(m.nbody - 1, 6)) * (w % 2)
        found.append(d)
    return found


COMPUTED = ("sensordata", "cam_xmat", "light_xdir", "subtree_angmom", "cacc", "cfrc_int", "cfrc_ext")


def test_lanes_are_single_worlds_to_the_last_bit() -> None:
    m = corten.Model.from_xml_string(mechanism(ALL))
    singles = worlds(m, 4)
    lanes = block(m, Element("lanes", 4))
    set_worlds(lanes, singles, FIELDS)
    forward(m, lanes)
    for w, d in enumerate(singles):
        corten.forward(m, d)
        assert_same_bits(lanes, w, d, COMPUTED)


def test_buffers_of_lanes_are_those_of_single_worlds() -> None:
    """Worlds at different times: intervals end at different steps."""
    from corten.physics.step import step

    sensors = "".join(f"<{s} {b}/>" for s in BUFFERED[:5] for b in BUFFERS)
    m = corten.Model.from_xml_string(mechanism(sensors))
    singles = worlds(m, 4)
    lanes = block(m, Element("lanes", 4))
    set_worlds(lanes, singles, FIELDS)
    step(m, lanes, 12)
    for w, d in enumerate(singles):
        corten.step(m, d, 12)
        assert_same_bits(lanes, w, d, ("sensordata", "history"))


def test_tangents_are_derivatives() -> None:
    smooth = "".join(f"<{s}/>" for s in SENSORS if not s.startswith("insidesite"))
    m = corten.Model.from_xml_string(mechanism(smooth))
    start = worlds(m, 2)[1]
    names = ("qpos", "qvel", "ctrl")
    rng = np.random.default_rng(5)
    directions = [{n: rng.normal(size=start.array(n).shape) for n in names} for _ in range(7)]
    dual = block(m, Element("dual", 7))
    for name in FIELDS:
        dual.fill(name, start.array(name))
    for k, direction in enumerate(directions):
        for name in names:
            dual.array(name)[..., k + 1] = direction[name]
    forward(m, dual)

    def reading(direction: dict[str, np.ndarray], h: float) -> np.ndarray:
        d = start.copy()
        for name in names:
            d.array(name)[...] += h * direction[name]
        corten.forward(m, d)
        return d.sensordata.copy()

    for k, direction in enumerate(directions):
        expected = centred_difference(lambda h, v=direction: reading(v, h), 1e-4)
        mine = dual.array("sensordata")[:, k + 1]
        scale = np.maximum(1.0, np.abs(expected))
        assert np.max(np.abs(mine - expected) / scale) < 1e-6
