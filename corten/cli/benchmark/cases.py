"""Models and states to measure with: the same in both engines."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corten import models
from corten.cli.problem import Problem
from corten.conformance import scope
from corten.conformance.engines import MissingReference, Reference
from corten.conformance.states import random_ctrl
from corten.model.enums import EnableBit, SensorType

SETTLE = 200  # steps from the default or the first keyframe, so that contacts are there

# Models that the bars of docs/performance.md are about, below the folder of shared models.
SHARED = (
    "mujoco/humanoid/humanoid.xml",
    "mujoco/humanoid/22_humanoids.xml",
    "mujoco/cube/cube_3x3x3.xml",
    "mujoco/tendon_arm/arm26.xml",
    "dm_control/cartpole.xml",
    "dm_control/humanoid_CMU.xml",
    "dm_control/quadruped.xml",
)
GYMNASIUM = ("half_cheetah.xml", "ant.xml", "hopper.xml", "walker2d.xml", "humanoid.xml")


def default_models() -> list[Path]:
    """The bundled models, and those of the shared folder and of gymnasium where they are installed."""
    found = [models.path(n) for n in models.names()]
    shared = Path(os.environ.get("CORTEN_TEST_MODELS", "../shared/models"))
    found += [shared / name for name in SHARED if (shared / name).is_file()]
    spec = importlib.util.find_spec("gymnasium")
    if spec is not None and spec.submodule_search_locations:
        assets = Path(spec.submodule_search_locations[0]) / "envs" / "mujoco" / "assets"
        found += [assets / name for name in GYMNASIUM if (assets / name).is_file()]
    return found


def reference() -> Reference:
    """The engine to compare with, or a problem that says how to install it."""
    try:
        return Reference()
    except MissingReference as error:
        raise Problem(str(error)) from error


@dataclass(slots=True)
class Case:
    """A model in both engines, and the state in which it is measured."""

    name: str
    path: Path
    m: Any
    d: Any
    ref_m: Any
    ref_d: Any
    state: dict[str, np.ndarray]
    missing: tuple[str, ...] = ()  # what the model uses and Corten does not do yet

    STATE = ("time", "qpos", "qvel", "act", "qacc_warmstart", "ctrl")

    def restore(self) -> None:
        """Both engines back to the state."""
        for d in (self.d, self.ref_d):
            for name, value in self.state.items():
                if name == "time":
                    d.time = float(value)
                elif value.size and hasattr(d, name):
                    getattr(d, name)[...] = value

    @property
    def size(self) -> str:
        """What makes it heavy: degrees of freedom and contacts; and what keeps it from being compared."""
        text = f"nv {self.ref_m.nv}, {self.ref_d.ncon} contacts"
        return text + "".join(f"; without {what}" for what in self.missing)


@dataclass(slots=True)
class Refusal:
    """A model that Corten does not take, or not simulate."""

    name: str
    reason: str


def cases(paths: list[Path], ref: Reference, disable: tuple[str, ...], seed: int = 0) -> Iterator[Case | Refusal]:
    """Each model, loaded, with flags switched off in both, settled, with random controls."""
    import corten
    from corten.engine import check_simulated

    bits = ref.disable_bits()
    unknown = [n for n in disable if n not in bits]
    if unknown:
        raise Problem(f"no disable flag is called '{unknown[0]}' (there are: {', '.join(bits)})")
    off = sum(bits[n] for n in set(disable))
    cleared = sum(EnableBit[n.upper()] for n in scope.CLEARED)
    for path in paths:
        name = path.stem if path.parent == models.path("humanoid").parent else "/".join(path.parts[-2:])
        try:
            m, ref_m = corten.Model.from_xml_path(path), ref.load(path)
            check_simulated(m)
        except (corten.MjcfError, corten.SimulationError, OSError) as error:
            yield Refusal(name, str(error))
            continue
        for each in (m, ref_m):
            each.opt.disableflags = int(each.opt.disableflags) | off
            each.opt.enableflags = int(each.opt.enableflags) & ~cleared
        ref_d = ref.data(ref_m)
        if ref_m.nkey:
            ref.mj.mj_resetDataKeyframe(ref_m, ref_d, 0)
        ref.step(ref_m, ref_d, SETTLE)
        if ref_m.nu:
            ref_d.ctrl[:] = random_ctrl(ref_m, np.random.default_rng(seed))
        ref.forward(ref_m, ref_d)
        state = {n: np.array(getattr(ref_d, n)) for n in Case.STATE}
        sensors = {SensorType(int(k)) for k in ref_m.sensor_type} & set(scope.SENSORS_NOT_COVERED)
        missing = (*(f.name for f in scope.features_of(ref_m)), *sorted(k.name.lower() for k in sensors))
        yield Case(name, path, m, corten.Data(m), ref_m, ref_d, state, missing)
