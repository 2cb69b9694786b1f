"""The same model and the same state here and in the reference."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import corten

STATE = ("qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "qfrc_applied", "xfrc_applied")
INTEGRATORS = {"Euler": 0, "RK4": 1, "implicit": 2, "implicitfast": 3}


class Twins:
    """A model (`m`, `d`) and the reference's (`ref_m`, `ref_d`), in one random state."""

    def __init__(self, source: str | Path, seed: int = 0, speed: float = 1.0, **options: Any):
        import mujoco

        self.mujoco = mujoco
        if isinstance(source, Path):
            self.m, self.ref_m = corten.Model.from_xml_path(source), mujoco.MjModel.from_xml_path(str(source))
        else:
            self.m, self.ref_m = corten.Model.from_xml_string(source), mujoco.MjModel.from_xml_string(source)
        for name, value in options.items():
            setattr(self.m.opt, name, value)
            setattr(self.ref_m.opt, name, value)
        self.d, self.ref_d = corten.Data(self.m), mujoco.MjData(self.ref_m)
        rng = np.random.default_rng(seed)
        mujoco.mj_integratePos(self.ref_m, self.ref_d.qpos, rng.normal(size=self.ref_m.nv), 0.3)
        self.ref_d.qvel[:] = speed * rng.normal(size=self.ref_m.nv)
        self.ref_d.ctrl[:] = rng.normal(size=self.ref_m.nu)
        self.ref_d.act[:] = rng.uniform(0.0, 1.0, size=self.ref_m.na)
        self.copy_state()

    def copy_state(self) -> None:
        """Our state becomes the reference's."""
        for name in STATE:
            getattr(self.d, name)[...] = getattr(self.ref_d, name)
        self.d.time = self.ref_d.time

    def put(self, **fields: Any) -> None:
        """The same numbers in both, by field of Data."""
        for name, value in fields.items():
            getattr(self.d, name)[...] = getattr(self.ref_d, name)[...] = value

    def forward(self) -> None:
        """Both."""
        corten.forward(self.m, self.d)
        self.mujoco.mj_forward(self.ref_m, self.ref_d)

    def step(self, count: int = 1) -> None:
        """Both."""
        corten.step(self.m, self.d, count)
        for _ in range(count):
            self.mujoco.mj_step(self.ref_m, self.ref_d)

    def assert_agree(self, names: Sequence[str], rtol: float = 1e-10, atol: float = 1e-12) -> None:
        """Fields agree, relative to the largest number of each."""
        for name in names:
            mine = getattr(self.d, name)
            theirs = np.reshape(getattr(self.ref_d, name), mine.shape)
            scale = np.max(np.abs(theirs), initial=0.0)
            error = np.max(np.abs(mine - theirs), initial=0.0)
            assert error <= rtol * scale + atol, f"{name}: off by {error:.3g}, where the largest is {scale:.3g}"
