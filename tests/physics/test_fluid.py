"""Forces of the medium: against the reference, and against what drag and viscosity do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from twins import Twins

import corten

MODEL = """
<mujoco>
  <option gravity="0 0 0" {option}/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body pos="0 0 1">
      <freejoint/>
      <geom {first} fluidshape="{shape}" fluidcoef="{coef}" euler="20 30 40"/>
      <geom {second} pos=".3 .1 0"/>
      <body pos="0 .5 .2">
        <joint type="ball" pos=".1 0 0"/>
        <geom {second} fluidshape="{shape}" pos="0 .1 .2"/>
        <body pos=".2 .3 0">
          <joint axis="1 1 0"/><joint type="slide" axis="0 1 1"/>
          <geom {first}/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
SHAPES = {
    "sphere": 'type="sphere" size=".1"',
    "capsule": 'type="capsule" size=".1 .3"',
    "cylinder": 'type="cylinder" size=".1 .3"',
    "ellipsoid": 'type="ellipsoid" size=".1 .2 .3"',
    "box": 'type="box" size=".3 .2 .1"',
}
MEDIA = {
    "dense": 'density="1000"',
    "viscous": 'viscosity="2"',
    "windy": 'density="1.2" viscosity="2e-5" wind="3 -2 1"',
}
COEFFICIENTS = "0.5 0.25 1.5 1.0 1.0"
FORCES = ("qfrc_fluid", "qfrc_passive")


def model(shape: str = "ellipsoid", medium: str = "dense", ellipsoid: bool = True, coef: str = COEFFICIENTS) -> str:
    """A tree of three bodies in a medium."""
    kind = "ellipsoid" if ellipsoid else "none"
    return MODEL.format(option=MEDIA[medium], first=SHAPES[shape], second=SHAPES["capsule"], shape=kind, coef=coef)


@pytest.mark.reference
@pytest.mark.parametrize("ellipsoid", [True, False], ids=["ellipsoid", "box"])
@pytest.mark.parametrize("medium", MEDIA)
@pytest.mark.parametrize("shape", SHAPES)
def test_reference(shape: str, medium: str, ellipsoid: bool) -> None:
    twins = Twins(model(shape, medium, ellipsoid))
    twins.forward()
    assert np.all(twins.d.qfrc_fluid != 0.0)
    twins.assert_agree(FORCES)


@pytest.mark.reference
@pytest.mark.parametrize("number", range(5), ids=["blunt", "slender", "angular", "kutta", "magnus"])
def test_each_coefficient(number: int) -> None:
    coef = ["0"] * 5
    coef[number] = "2.5"
    twins = Twins(model(coef=" ".join(coef)))
    twins.forward()
    twins.assert_agree(FORCES)


@pytest.mark.reference
@pytest.mark.parametrize("flags", [32, 64, 96], ids=["no springs", "no dampers", "neither"])
def test_flags(flags: int) -> None:
    twins = Twins(model(), disableflags=flags)
    twins.forward()
    assert np.any(twins.d.qfrc_fluid != 0.0) == (flags != 96)
    twins.assert_agree(FORCES)


@pytest.mark.parametrize("ellipsoid", [True, False], ids=["ellipsoid", "box"])
def test_nothing_at_rest(ellipsoid: bool) -> None:
    m = corten.Model.from_xml_string(model(ellipsoid=ellipsoid))
    m.opt.viscosity = 1.0
    m.opt.integrator = 2
    d = corten.Data(m)
    corten.step(m, d)
    assert np.all(d.qfrc_fluid == 0.0)
    assert np.all(np.isfinite(d.qDeriv))


@pytest.mark.parametrize("ellipsoid", [True, False], ids=["ellipsoid", "box"])
def test_wind_is_a_velocity(ellipsoid: bool) -> None:
    """A body that moves in a wind feels what it feels when moving against the medium at rest."""
    m = corten.Model.from_xml_string(model(ellipsoid=ellipsoid))
    m.opt.viscosity = 1.0
    d, still = corten.Data(m), corten.Data(m)
    d.qvel[:3] = 1.0, 2.0, 3.0
    d.qvel[3:6] = still.qvel[3:6] = 0.4, -0.5, 0.6
    still.qvel[:3] = 3.0, -1.0, 3.5
    corten.forward(m, still)
    m.opt.wind[:] = -2.0, 3.0, -0.5
    corten.forward(m, d)
    np.testing.assert_allclose(d.qfrc_fluid, still.qfrc_fluid, rtol=1e-12)


def test_stokes() -> None:
    """A sphere sinks at the speed at which 6 pi viscosity radius speed carries its weight."""
    radius, viscosity, mass = 0.05, 2.0, 0.1
    m = corten.Model.from_xml_string(f"""
        <mujoco><option viscosity="{viscosity}" integrator="implicitfast" timestep="0.01"/><worldbody><body><freejoint/>
        <geom size="{radius}" mass="{mass}" fluidshape="ellipsoid" fluidcoef="0 0 0 0 0"/>
        </body></worldbody></mujoco>""")
    d = corten.Data(m)
    corten.step(m, d, 500)
    assert d.qvel[2] == pytest.approx(-mass * 9.81 / (6 * math.pi * viscosity * radius), rel=1e-6)
