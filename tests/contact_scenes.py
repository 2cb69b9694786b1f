"""Models that tests of the constraint solvers share, from a ball on a floor to all kinds of rows, and what to vary."""

from __future__ import annotations

import numpy as np
import pytest

import corten
from corten.model.enums import Solver

MIXED = """
<mujoco>
  <option timestep="0.005"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .11"><freejoint/><geom type="box" size=".1 .12 .1" mass="1"/></body>
    <body pos=".05 0 .33"><freejoint/><geom type="box" size=".1 .1 .1" mass="2"/></body>
    <body pos="1 0 .3">
      <joint type="hinge" axis="0 1 0" frictionloss=".3" range="-20 20"/>
      <geom type="capsule" fromto="0 0 0 .3 0 0" size=".05"/>
      <body pos=".3 0 0">
        <joint type="ball" range="0 40"/>
        <geom type="capsule" fromto="0 0 0 .3 0 0" size=".05"/>
      </body>
    </body>
    <body name="hung" pos="0 2 1"><freejoint/><geom size=".1"/></body>
    <body name="welded" pos="0 2 .7"><freejoint/><geom size=".05" mass=".2"/></body>
    <body pos="2 0 .5"><joint name="a" type="slide" axis="0 0 1" range="-.1 .1" damping="1"/><geom size=".05"/></body>
    <body pos="2 .5 .5"><joint name="b" type="slide" axis="0 0 1"/><geom size=".05"/></body>
  </worldbody>
  <tendon>
    <fixed name="t" range="-.2 .05" frictionloss=".2"><joint joint="a" coef="1"/><joint joint="b" coef="-.5"/></fixed>
  </tendon>
  <equality>
    <connect body1="hung" anchor="0 .2 0"/>
    <weld body1="hung" body2="welded"/>
    <joint joint1="a" joint2="b" polycoef="0 .5 .3"/>
  </equality>
  <default><geom condim="{condim}" friction=".4 .02 .003"/></default>
</mujoco>"""

PYRAMIDAL, ELLIPTIC = 0, 1
CONES = [PYRAMIDAL, ELLIPTIC]
CONE_NAMES = ["pyramidal", "elliptic"]
CONDIMS = [1, 3, 4, 6]
GRAVITY = 9.81

solvers = pytest.mark.parametrize("solver", list(Solver), ids=lambda s: s.name)
cones = pytest.mark.parametrize("cone", CONES, ids=CONE_NAMES)
condims = pytest.mark.parametrize("condim", CONDIMS)


def scene(worldbody: str, option: str = "", rest: str = "") -> corten.Model:
    """A model from the inside of its worldbody."""
    return corten.Model.from_xml_string(f"<mujoco><option {option}/><worldbody>{worldbody}</worldbody>{rest}</mujoco>")


def ball(condim: int = 3, height: float = 0.0999, friction: str = "1 .005 .0001", contact: str = "") -> str:
    """A ball of radius 0.1 and mass 1 over a floor."""
    geom = f'condim="{condim}" friction="{friction}" {contact}'
    return (
        f'<geom type="plane" size="5 5 .1" {geom}/>'
        f'<body pos="0 0 {height}"><freejoint/><geom size=".1" mass="1" {geom}/></body>'
    )


def stack(count: int = 4) -> str:
    """Boxes on a floor, one on the other."""
    boxes = "".join(
        f'<body pos="0 0 {0.1 + 0.1999 * k}"><freejoint/><geom type="box" size=".1 .1 .1" mass="{1 + k}"/></body>'
        for k in range(count)
    )
    return f'<geom type="plane" size="5 5 .1"/>{boxes}'


def mixed(condim: int = 3) -> str:
    """Every kind of row: contacts, limits, friction loss, equalities, on all joints and on tendons."""
    return MIXED.format(condim=condim)


def moving(m: corten.Model, seed: int, steps: int = 20) -> corten.Data:
    """A world that has fallen for a while from random velocities, ready for the solver."""
    d = corten.Data(m)
    d.qvel[:] = 0.3 * np.random.default_rng(seed).standard_normal(m.nv)
    corten.step(m, d, steps)
    corten.forward(m, d)
    return d


def total_force(d: corten.Data) -> np.ndarray:
    """What M qacc ought to be."""
    return d.qfrc_passive + d.qfrc_actuator + d.qfrc_applied + d.qfrc_constraint - d.qfrc_bias


def dense_jacobian(m: corten.Model, d: corten.Data) -> np.ndarray:
    """efc_J as a matrix (nefc, nv)."""
    dense = np.zeros((d.nefc, m.nv))
    for r in range(d.nefc):
        entries = slice(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r])
        np.add.at(dense[r], d.efc_J_colind[entries], d.efc_J[entries])
    return dense
