"""`corten info`: what a model holds."""

from __future__ import annotations

import typer

MODEL = typer.Argument(..., metavar="MODEL", help="A bundled model's name or a path.")

# Sizes in the order in which a reader asks for them; those that are zero are not shown.
SIZES = {
    "nq": "coordinates",
    "nv": "degrees of freedom",
    "nu": "controls",
    "na": "activations",
    "nbody": "bodies, with the world",
    "njnt": "joints",
    "ntree": "trees",
    "ngeom": "geoms",
    "nsite": "sites",
    "ncam": "cameras",
    "nflex": "soft bodies",
    "nflexvert": "vertices of soft bodies",
    "nmesh": "meshes",
    "nhfield": "height fields",
    "ntendon": "tendons",
    "neq": "equality constraints",
    "npair": "contact pairs",
    "nexclude": "contact exclusions",
    "nsensor": "sensors",
    "nsensordata": "sensor values",
    "nmocap": "mocap bodies",
    "nkey": "keyframes",
}


def info(model: str = MODEL) -> None:
    """Show the sizes, options, joints, actuators and keyframes of a model."""
    from rich.table import Table

    from corten.cli import loading
    from corten.cli.output import console

    path = loading.find(model)
    m = loading.load(model)
    sizes = Table(title=str(path.name), title_justify="left", show_header=False, box=None)
    for name, meaning in SIZES.items():
        if getattr(m, name):
            sizes.add_row(name, str(getattr(m, name)), meaning)
    sizes.add_row("", f"{m.body_subtreemass[0]:.4g}", "mass in all")
    console.print(sizes)
    console.print(_options(m))
    if m.njnt:
        console.print(_joints(m))
    if m.nu:
        console.print(_actuators(m))
    if m.nkey:
        console.print("keyframes: " + ", ".join(n or str(i) for i, n in enumerate(loading.keyframe_names(m))))


def _options(m):
    from rich.table import Table

    from corten.model import enums

    table = Table(title="options", title_justify="left", show_header=False, box=None)
    table.add_row("timestep", f"{m.opt.timestep:g} s")
    table.add_row("integrator", enums.Integrator(int(m.opt.integrator)).name)
    table.add_row("gravity", " ".join(f"{g:g}" for g in m.opt.gravity))
    return table


def _joints(m):
    from rich.table import Table

    from corten.model import enums

    table = Table(title="joints", title_justify="left", box=None)
    for heading in ("name", "type", "body", "range", "damping", "armature"):
        table.add_column(heading)
    for i in range(m.njnt):
        dof = m.jnt_dofadr[i]
        span = "{:.3g} .. {:.3g}".format(*m.jnt_range[i]) if m.jnt_limited[i] else ""
        table.add_row(
            m.names.joint[i],
            enums.JointType(int(m.jnt_type[i])).name.lower(),
            m.names.body[m.jnt_bodyid[i]],
            span,
            f"{m.dof_damping[dof]:g}",
            f"{m.dof_armature[dof]:g}",
        )
    return table


def _actuators(m):
    from rich.table import Table

    table = Table(title="actuators", title_justify="left", box=None)
    for heading in ("name", "control range", "gear"):
        table.add_column(heading)
    for i in range(m.nu):
        span = "{:.3g} .. {:.3g}".format(*m.actuator_ctrlrange[i]) if m.actuator_ctrllimited[i] else ""
        table.add_row(m.names.actuator[i], span, f"{m.actuator_gear[i][0]:g}")
    return table
