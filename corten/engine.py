"""The public functions of the engine: thin wrappers that check their arguments and call the compiled stages."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from corten.kernel.dispatch import Kernel, struct_type
from corten.kernel.record import UNBOUND, Record
from corten.kernel.types import FLOAT, INT, Argument, Buffer, Dual, Lanes, Struct
from corten.model.checks import SimulationError, check_data, check_model, whole
from corten.model.data import Data, initialise, load_keyframe
from corten.model.data_fields import DATA
from corten.model.derived import MODEL
from corten.model.enums import EnableBit, Integrator, Solver
from corten.model.model import Model
from corten.physics import step as stages

if TYPE_CHECKING:
    from corten.kernel.build import Progress

SLACK = 2  # memory that runs short grows by what is needed and a half more


def run(stage: Any, m: Model, d: Record) -> Callable[..., Any]:
    """A stage bound to a model and a data: the compiled one, or in plain Python the function itself.

    What has been bound is kept on the data, so that a call costs little more than its work.
    """
    if getattr(d, "_bound_to", UNBOUND) is not m:
        check(m, d)
        check_simulated(m)
        d._bound_to, d._bound = m, {}
        d.array("H_pattern")[...] = 0  # found for another model
    bound = d._bound.get(stage)
    if bound is None:
        bound = functools.partial(stage, m, d)
        if isinstance(stage, Kernel):
            scalars = [INT] * (len(stage.signature.parameters) - 2)
            bound = functools.partial(stage.entry([struct_type(m), struct_type(d), *scalars]), m._address, d._address)
        d._bound[stage] = bound
    return bound


def check(m: Model, d: Record) -> None:
    """Refuse a Data that was made for a model of other sizes: its arrays would be overrun."""
    check_model(m)
    check_data(d)
    for name, size in d._all_sizes.items():
        if m._all_sizes.get(name) != size and name not in d.capacities:
            raise SimulationError(
                f"this Data was made for another model: {name} is {size}, the model's {m._all_sizes.get(name)}"
            )


def check_simulated(m: Model) -> None:
    """Refuse a model that compiles but whose physics is not there: its numbers would be wrong without a word."""
    if m.nflex:
        name = m.flex(0).name or "0"
        raise SimulationError(f"soft bodies (flex) are not simulated yet; the first of this model is flex '{name}'")


def forward(m: Model, d: Data) -> None:
    """Compute everything that follows from the state and the controls, accelerations included; the state stays."""
    call(stages.forward, m, d)


def inverse(m: Model, d: Data) -> None:
    """Compute the forces that would have produced `qacc`: qfrc_inverse, and everything else that follows from it."""
    check_model(m)
    if m.opt.enableflags & EnableBit.INVDISCRETE and m.opt.integrator == Integrator.RK4:
        raise SimulationError("inverse dynamics of discrete time (invdiscrete) does not exist for the RK4 integrator")
    call(stages.inverse, m, d)


def step(m: Model, d: Data, nstep: int = 1) -> None:
    """Advance the simulation by `nstep` time steps."""
    if type(nstep) is not int or nstep < 0:
        nstep = whole(nstep, "nstep")
    steps = d._bound.get(stages.take_steps) if getattr(d, "_bound_to", UNBOUND) is m else None
    if steps is None:
        steps = run(stages.take_steps, m, d)
    if outcome := steps(nstep):
        finish(m, d, outcome, rest(steps, d, nstep))


def step1(m: Model, d: Data) -> None:
    """The first half of a step, for controllers that need positions and velocities: all that depends on these."""
    first = run(stages.take_step1, m, d)
    if outcome := first():
        finish(m, d, outcome, first)


def step2(m: Model, d: Data) -> None:
    """The second half, after `step1`: actuation, accelerations, and the next state, by Euler's method for RK4."""
    first, second = run(stages.take_step1, m, d), run(stages.take_step2, m, d)
    if outcome := second():
        finish(m, d, outcome, lambda: first() & stages.SHORT or second())


def advance(m: Model, d: Record, nstep: int) -> None:
    """Time steps of any record like Data."""
    steps = run(stages.take_steps, m, d)
    if outcome := steps(nstep):
        finish(m, d, outcome, rest(steps, d, nstep))


def rest(steps: Callable[[int], int], d: Record, nstep: int) -> Callable[[], int]:
    """A function that takes those of `nstep` steps that the last call has left undone."""
    left = nstep

    def again() -> int:
        nonlocal left
        left -= d.steps_done
        return steps(left)

    return again


def finish(m: Model, d: Record, outcome: int, again: Callable[[], int]) -> None:
    """What a call has left to do: more memory and the rest of its work, warnings to log, or an error."""
    warned = outcome
    while outcome & stages.SHORT:
        make_room(d)
        outcome = again()
        warned |= outcome
    if warned & stages.WARNED and isinstance(d, Data):
        d.warning.log()
    if outcome & stages.STOPPED:
        raise SimulationError(not_converged(m, np.min(d.array("time"))))


def not_converged(m: Model, time: float) -> str:
    """What strict mode says."""
    solver = Solver(m.opt.solver)
    return (
        f"the {solver.name} solver has not converged to {m.opt.tolerance:g} within {m.opt.iterations} iterations "
        f"at time {time:g}; the state is that before the step (strict mode: opt.strict)"
    )


def call(stage: Any, m: Model, d: Record) -> None:
    """Run a stage, again with more memory for as long as it runs short."""
    stage = run(stage, m, d)
    stage()
    while d.short:
        make_room(d)
        stage()


def make_room(d: Record) -> None:
    """Memory for what a stage could not finish: contacts, constraint rows, or the solver's matrix."""
    wanted = {
        "nconcap": int(np.max(d.array("ncon_wanted"))),
        "nnearcap": int(np.max(d.array("nnear_wanted"))),
        "efc_cap": int(d.need_efc),
        "efcJ_cap": int(d.need_efcJ),
        "H_cap": int(d.need_H),
        "W_cap": int(d.need_W),
    }
    have = d.capacities
    d.grow({name: size + size // SLACK for name, size in wanted.items() if size > have[name]})


def reset(m: Model, d: Data, keyframe: int | str | None = None) -> None:
    """Put a Data into the model's initial state, or into that of a keyframe given by name or number."""
    check(m, d)
    initialise(m, d)
    if keyframe is not None:
        load_keyframe(m, d, keyframe_number(m, keyframe))


def keyframe_number(m: Model, keyframe: int | str) -> int:
    """The number of a keyframe given by name or number."""
    try:
        return m.names.find("key", keyframe)
    except KeyError as error:
        raise SimulationError(str(error.args[0])) from None


def warmup(progress: Progress | None = None) -> None:
    """Compile the engine for one world, for lanes and for derivatives into the cache, on all cores.

    `progress(done, total, what)` is called after each unit.
    """
    from corten.batch.parameters import PARAMETERS
    from corten.batch.transfer import WORLDS, forward_blocks, step_blocks
    from corten.derivative.passes import TANGENTS, qacc_passes, step_passes
    from corten.kernel.build import build  # loads the compiler
    from corten.kernel.target import host

    model = Struct(MODEL, FLOAT)
    one, lanes, dual = (Struct(DATA, elem) for elem in (Lanes(1), Lanes(host().lanes), Dual(TANGENTS)))
    worlds = (Struct(WORLDS, Lanes(1)), Struct(PARAMETERS, Lanes(1)))
    requests: list[tuple[Any, list[Argument]]] = []
    for d in (one, lanes):
        requests += [(stages.forward, [model, d]), (stages.take_steps, [model, d, INT]), (stages.dynamics, [model, d])]
    requests += [(passes, [model, one, dual, Buffer(FLOAT, "double", ())]) for passes in (qacc_passes, step_passes)]
    requests.append((step_blocks, [model, lanes, *worlds, INT, INT, INT, INT, INT]))
    requests.append((forward_blocks, [model, lanes, *worlds, INT, INT, INT]))
    build(requests, progress)
