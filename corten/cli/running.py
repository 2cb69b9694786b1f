"""The loop behind `corten simulate`: steps, controls, what is recorded, what is measured."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table

from corten.cli.output import progress, si
from corten.cli.problem import Problem
from corten.conformance import scope
from corten.conformance.states import random_ctrl
from corten.model.enums import EnableBit

if TYPE_CHECKING:
    import corten

HOLD = 0.05  # seconds for which a random control is held
CHUNK = 200  # steps between two looks at the clock


@dataclass(slots=True)
class Trajectory:
    """Rows of a run. A row is the state before a step, the control during it, and what that step computed from them."""

    rows: dict[str, list[np.ndarray]] = field(default_factory=dict)

    STATE = ("time", "qpos", "qvel", "act", "ctrl")
    COMPUTED = ("sensordata", "energy")

    def add(self, d: corten.Data, names: tuple[str, ...]) -> None:
        """Copy fields of the data to the end of their columns."""
        for name in names:
            self.rows.setdefault(name, []).append(np.array(getattr(d, name), float))

    def __len__(self) -> int:
        return len(self.rows.get("time", ()))

    def columns(self) -> dict[str, np.ndarray]:
        """Each field as one array, the first dimension being time."""
        return {name: np.stack(rows) for name, rows in self.rows.items()}

    def save(self, path: Path) -> None:
        """Write the columns as a compressed npz."""
        with path.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **self.columns())


@dataclass(slots=True)
class Run:
    """What came out of a simulation."""

    steps: int
    seconds: float  # spent in steps
    data: corten.Data
    trajectory: Trajectory
    energy_before: np.ndarray
    energy_after: np.ndarray
    largest_velocity: float

    @property
    def finite(self) -> bool:
        """Whether the state is made of numbers."""
        return bool(np.isfinite(self.data.qpos).all() and np.isfinite(self.data.qvel).all())


def run(m: corten.Model, steps: int, keyframe: int | None, random: bool, seed: int, every: int | None) -> Run:
    """Simulate; with `every`, record each so many steps."""
    import corten
    from corten.engine import check_simulated

    try:
        check_simulated(m)
    except corten.SimulationError as error:
        raise Problem(str(error)) from error
    d = corten.Data(m)
    _compile(m, d)
    corten.reset(m, d, keyframe)
    before = _energy(m, d)
    if every is not None:
        m.opt.enableflags = int(m.opt.enableflags) | EnableBit.ENERGY
    rng = np.random.default_rng(seed)
    hold = max(1, round(HOLD / m.opt.timestep))
    trajectory, largest, spent, done = Trajectory(), 0.0, 0.0, 0
    stops = [hold if random and m.nu else steps, every or steps, CHUNK]
    with progress("simulating", steps) as bar:
        while done < steps:
            if random and m.nu and done % hold == 0:
                d.ctrl[:] = random_ctrl(m, rng)
            record = every is not None and done % every == 0
            n = 1 if record else min(min(s - done % s for s in stops), steps - done)
            if record:
                trajectory.add(d, Trajectory.STATE)
            start = time.perf_counter()
            corten.step(m, d, n)
            spent += time.perf_counter() - start
            if record:
                trajectory.add(d, Trajectory.COMPUTED)
            done += n
            largest = max(largest, float(np.abs(d.qvel).max(initial=0.0)))
            if done % CHUNK == 0 or done == steps:
                bar.at(done)
    return Run(steps, spent, d, trajectory, before, _energy(m, d), largest)


def _compile(m: corten.Model, d: corten.Data) -> None:
    """One step before the clock starts: the first one compiles the engine where the cache is empty."""
    import corten

    corten.step(m, d, 1)


def _energy(m: corten.Model, d: corten.Data) -> np.ndarray:
    """Potential and kinetic energy of the present state, on a copy so that the run is not touched."""
    import corten

    flags = int(m.opt.enableflags)
    m.opt.enableflags = flags | EnableBit.ENERGY
    probe = d.copy()
    corten.forward(m, probe)
    m.opt.enableflags = flags
    return np.array(probe.energy, float)


def summary(m: corten.Model, run: Run, name: str) -> Table:
    """Speed and outcome."""
    d = run.data
    rate = run.steps / run.seconds if run.seconds else float("inf")
    table = Table(title=name, title_justify="left", show_header=False, box=None)
    table.add_row("model", f"{m.nv} degrees of freedom, {m.nu} controls, {m.ngeom} geoms")
    table.add_row("steps", f"{run.steps} of {m.opt.timestep:g} s")
    table.add_row("speed", f"{si(rate)} steps/s, {si(rate * m.opt.timestep)} times real time")
    table.add_row("final time", f"{d.time:.6g} s")
    for label, energy in (("energy at start", run.energy_before), ("energy at end", run.energy_after)):
        table.add_row(label, f"{energy.sum():.6g} J (potential {energy[0]:.6g}, kinetic {energy[1]:.6g})")
    table.add_row("largest velocity", f"{run.largest_velocity:.4g}")
    warnings = d.warning.given()
    missing = [*scope.DISABLED, *(f.name for f in scope.features_of(m))]
    if missing:
        table.add_row("not simulated yet", ", ".join(missing))
    table.add_row("warnings", ", ".join(f"{what} ({count})" for what, count in warnings.items()) or "none")
    return table
