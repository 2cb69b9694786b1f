"""A mechanism for tests of actuators, and running it here and in the reference."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

import corten
from corten.model.enums import DisableBit

ARM = """
<mujoco>
  <option timestep="0.005" integrator="{integrator}"/>
  <worldbody>
    <body>
      <joint name="a" axis="0 1 0" actuatorfrcrange="-1.5 1.5" damping=".1"/>
      <geom size=".1" pos=".3 0 0"/>
      <body pos=".5 0 0" gravcomp=".7">
        <joint name="b" axis="0 1 .3" actuatorgravcomp="true"/>
        <joint name="c" type="slide" axis="1 0 0"/>
        <geom size=".1" pos=".3 0 0"/>
      </body>
    </body>
  </worldbody>
  <actuator>{actuators}</actuator>
</mujoco>
"""


def reference(xml: str) -> tuple[corten.Model, corten.Data, Any, Any]:
    """Model and data, ours and the reference's, without constraints."""
    m, mm = corten.Model.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    for option in (m.opt, mm.opt):
        option.disableflags = option.disableflags | DisableBit.CONSTRAINT
    return m, corten.Data(m), mm, mujoco.MjData(mm)


def controls(m: corten.Model, rng: np.random.Generator) -> np.ndarray:
    """Random controls, some beyond their ranges."""
    return rng.normal(size=m.nu)


def relative_error(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The largest difference, relative to the largest number or to 1."""
    return float(np.max(np.abs(ours - theirs), initial=0) / max(1.0, np.max(np.abs(theirs), initial=0)))


def run_both(
    xml: str, fields: tuple[str, ...], steps: int, disable: int = 0, disableactuator: int = 0, tolerance: float = 1e-10
) -> None:
    """Step both engines from a random state under random controls; all fields agree all the time."""
    m, d, mm, md = reference(xml)
    for option in (m.opt, mm.opt):
        option.disableflags = option.disableflags | disable
        option.disableactuator = disableactuator
    rng = np.random.default_rng(0)
    d.qpos[:] = md.qpos[:] = rng.normal(size=m.nq) * 0.3
    d.qvel[:] = md.qvel[:] = rng.normal(size=m.nv)
    d.act[:] = md.act[:] = rng.uniform(-0.1, 1.1, size=m.na)
    for number in range(steps):
        d.ctrl[:] = md.ctrl[:] = controls(m, rng)
        mujoco.mj_step(mm, md)
        corten.step(m, d)
        for name in fields:
            error = relative_error(d.array(name), getattr(md, name))
            assert error < tolerance, f"{name} differs by {error} after {number + 1} steps"
