"""The public functions of the engine: thin wrappers that check their arguments and call the compiled stages."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from corten.kernel.dispatch import Kernel, struct_type
from corten.kernel.record import Record
from corten.kernel.types import INT
from corten.model.data import Data, initialise, load_keyframe
from corten.model.model import Model
from corten.physics import step as stages


class SimulationError(Exception):
    """A call that can not be carried out, or a simulation that has failed."""


def run(stage: Any, m: Model, d: Record) -> Callable[..., None]:
    """A stage bound to a model and a data: the compiled one, or in plain Python the function itself.

    What has been bound is kept on the data, so that a call costs little more than its work.
    """
    if d._bound_to is not m:
        check(m, d)
        d._bound_to, d._bound = m, {}
    bound = d._bound.get(stage)
    if bound is None:
        bound = functools.partial(stage, m, d)
        if isinstance(stage, Kernel):
            scalars = [INT] * (len(stage.signature.parameters) - 2)
            bound = functools.partial(stage.entry([struct_type(m), struct_type(d), *scalars]), m._address, d._address)
        d._bound[stage] = bound
    return bound  # type: ignore[no-any-return]


def check(m: Model, d: Record) -> None:
    """Refuse a Data that was made for a model of other sizes: its arrays would be overrun."""
    if not isinstance(m, Model):
        raise TypeError(f"the model is a {type(m).__name__}, not a corten.Model")
    if not isinstance(d, Record):
        raise TypeError(f"the data is a {type(d).__name__}, not a corten.Data")
    for name, size in d._all_sizes.items():
        if m._all_sizes.get(name) != size:
            raise SimulationError(f"this Data was made for another model: {name} is {size}, the model's {m._all_sizes.get(name)}")


def forward(m: Model, d: Data) -> None:
    """Compute everything that follows from the state and the controls, accelerations included; the state stays."""
    run(stages.forward, m, d)()


def step(m: Model, d: Data, nstep: int = 1) -> None:
    """Advance the simulation by `nstep` time steps."""
    run(stages.step, m, d)(nstep)


def reset(m: Model, d: Data, keyframe: int | str | None = None) -> None:
    """Put a Data into the model's initial state, or into that of a keyframe given by name or number."""
    check(m, d)
    initialise(m, d)
    if keyframe is None:
        return
    if isinstance(keyframe, str):
        names = m.names.key
        if keyframe not in names:
            raise SimulationError(f"no keyframe '{keyframe}' (there are: {', '.join(n for n in names if n) or 'none'})")
        keyframe = names.index(keyframe)
    if not 0 <= keyframe < m.nkey:
        raise SimulationError(f"no keyframe {keyframe}: the model has {m.nkey}")
    load_keyframe(m, d, keyframe)
