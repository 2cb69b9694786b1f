"""Plots of a trajectory."""

from __future__ import annotations

from pathlib import Path

from corten.cli.problem import Problem
from corten.cli.running import Trajectory

MANY = 12  # curves of one panel above which a legend says nothing


def require() -> None:
    """Fail before the simulation if there is nothing to plot with."""
    try:
        import matplotlib  # noqa: F401 - only whether it is there
    except ImportError as error:
        raise Problem("plots need matplotlib: pip install 'corten[plot]'") from error


def plot(trajectory: Trajectory, path: Path, title: str) -> None:
    """Positions, velocities and energy over time, as an image of the type that the file name asks for."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = trajectory.columns()
    figure = Figure(figsize=(9, 8), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(3, 1, sharex=True)
    for axes, name in zip(panels, ("qpos", "qvel"), strict=False):
        axes.plot(columns["time"], columns[name], linewidth=0.9)
        axes.set_ylabel(name)
        if columns[name].shape[1] <= MANY:
            axes.legend([f"{name}[{i}]" for i in range(columns[name].shape[1])], fontsize="small", loc="upper right")
    potential, kinetic = columns["energy"].T
    for values, label in ((potential, "potential"), (kinetic, "kinetic"), (potential + kinetic, "sum")):
        panels[2].plot(columns["time"], values, linewidth=0.9, label=label)
    panels[2].set_ylabel("energy (J)")
    panels[2].legend(fontsize="small", loc="upper right")
    panels[2].set_xlabel("time (s)")
    figure.suptitle(title)
    try:
        figure.savefig(path)
    except ValueError as error:  # a suffix that matplotlib has no writer for
        raise Problem(f"cannot plot to {path}: {error}") from error
