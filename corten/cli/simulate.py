"""`corten simulate`: run a model, print how fast and where to, save and plot the trajectory."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import typer


class Controls(StrEnum):
    """What drives the actuators."""

    ZERO = "zero"
    RANDOM = "random"


MODEL = typer.Argument(..., metavar="MODEL", help="A bundled model's name or a path.")
TIME = typer.Option(None, "--time", help="Seconds to simulate; 5 if neither --time nor --steps is given.", min=0.0)
STEPS = typer.Option(None, "--steps", help="Steps to simulate, instead of --time.", min=1)
KEYFRAME = typer.Option(None, "--keyframe", help="Start from this keyframe (name or number) instead of the default.")
CTRL = typer.Option(Controls.ZERO, "--ctrl", help="Controls: all zero, or random in their ranges.")
SEED = typer.Option(0, "--seed", help="Seed of the random controls.")
OUT = typer.Option(None, "--out", metavar="FILE.npz", help="Save time, qpos, qvel, act, ctrl, sensordata and energy.")
EVERY = typer.Option(1, "--every", help="Save each so many steps.", min=1)
PLOT = typer.Option(None, "--plot", metavar="FILE.png", help="Plot positions, velocities and energy.")


def simulate(
    model: str = MODEL,
    time: float | None = TIME,
    steps: int | None = STEPS,
    keyframe: str | None = KEYFRAME,
    ctrl: Controls = CTRL,
    seed: int = SEED,
    out: Path | None = OUT,
    every: int = EVERY,
    plot: Path | None = PLOT,
) -> None:
    """Simulate a model; print the speed and a summary."""
    from corten.cli import loading, plotting, running
    from corten.cli.output import check_writable, console
    from corten.cli.problem import CHECK_FAILED, Problem

    if time is not None and steps is not None:
        raise Problem("give --time or --steps, not both")
    for path in (out, plot):
        if path is not None:
            check_writable(path)
    if plot is not None:
        plotting.require()
    m = loading.load(model)
    key = None if keyframe is None else loading.keyframe_index(m, keyframe)
    count = steps or max(1, round((5.0 if time is None else time) / m.opt.timestep))
    run = running.run(m, count, key, ctrl == Controls.RANDOM, seed, every if out or plot else None)
    console.print(running.summary(m, run, loading.find(model).stem))
    if out is not None:
        run.trajectory.save(out)
        console.print(f"trajectory of {len(run.trajectory)} rows in {out}")
    if plot is not None:
        plotting.plot(run.trajectory, plot, title=loading.find(model).stem)
        console.print(f"plot in {plot}")
    if not run.finite:
        raise Problem("the simulation became unstable: not all of qpos and qvel are finite", CHECK_FAILED)
