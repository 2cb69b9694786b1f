"""The engine's table of contents: what happens in a step, in order.

The order is MuJoCo's, so that every intermediate can be compared with it.
"""

from __future__ import annotations

from corten.kernel import any_lane, kernel, stage
from corten.model.enums import EnableBit, Integrator
from corten.physics.acceleration import smooth_acceleration
from corten.physics.actuation import actuation
from corten.physics.bias import bias
from corten.physics.camera import cameras_and_lights
from corten.physics.check import bad_acceleration, check_state
from corten.physics.collision.detect import collision
from corten.physics.constraint.islands import islands
from corten.physics.constraint.rows import constraint_rows
from corten.physics.constraint.solve import constraint_solve, reference_acceleration
from corten.physics.energy import energy_of_positions, energy_of_velocities, kinetic_energy, potential_energy
from corten.physics.implicit import implicit, implicit_fast, implicit_spring_damper
from corten.physics.inertia import centre_of_mass, factor_inertia, joint_inertia
from corten.physics.integrate import (
    SIXTH,
    THIRD,
    euler,
    runge_kutta_add,
    runge_kutta_begin,
    runge_kutta_end,
    runge_kutta_move,
    runge_kutta_undo,
)
from corten.physics.inverse import compare_forward_inverse, inverse_dynamics
from corten.physics.kinematics import kinematics
from corten.physics.passive import passive
from corten.physics.sensor_stages import sense_accelerations, sense_positions, sense_velocities
from corten.physics.tendon import tendon, tendon_bias, tendon_inertia, tendon_velocity
from corten.physics.transmission import actuator_velocity, transmission
from corten.physics.velocity import body_velocity
from corten.physics.wrench import smooth_force

SHORT, STOPPED, WARNED = 1, 2, 4  # memory has run short; strict mode has ended the step; a warning has been given


@kernel
def position_stages(m, d):
    """All that depends on positions."""
    kinematics(m, d)
    centre_of_mass(m, d)
    cameras_and_lights(m, d)
    if m.ntendon > 0:
        tendon(m, d)
    joint_inertia(m, d)
    if m.ntendon > 0:
        tendon_inertia(m, d)
    factor_inertia(m, d)
    collision(m, d)
    constraint_rows(m, d)
    islands(m, d)
    transmission(m, d)


@kernel
def velocity_stages(m, d):
    """All that depends on velocities as well."""
    if m.ntendon > 0:
        tendon_velocity(m, d)
    actuator_velocity(m, d)
    body_velocity(m, d)
    passive(m, d)
    reference_acceleration(m, d)
    bias(m, d)
    if m.ntendon > 0:
        tendon_bias(m, d)


@kernel
def acceleration_stages(m, d):
    """Forces and accelerations."""
    actuation(m, d)
    smooth_force(m, d)
    smooth_acceleration(m, d)
    constraint_solve(m, d)


@stage
def dynamics(m, d):
    """qacc from the state and the controls, without sensors; but with the energy, where the options ask for it."""
    position_stages(m, d)
    if d.short == 0:
        if m.opt.enableflags & EnableBit.ENERGY:
            potential_energy(m, d)
            kinetic_energy(m, d)
        else:
            d.energy[0] = 0.0
            d.energy[1] = 0.0
        velocity_stages(m, d)
        acceleration_stages(m, d)


@stage
def forward(m, d):
    """Everything that follows from the state and the controls at one instant.

    If memory for contacts or rows does not suffice, `short` is set and the rest is left out: the caller lets the record
    grow and calls again (`corten/engine.py`).
    """
    state_stages(m, d)
    if d.short == 0:
        acceleration_stages(m, d)
        sense_accelerations(m, d)


@stage
def inverse(m, d):
    """The forces that would have produced qacc, and everything else that follows from it and from the state."""
    state_stages(m, d)
    if d.short == 0:
        inverse_dynamics(m, d)


@kernel
def state_stages(m, d):
    """All that depends on positions and velocities, with sensors and energy."""
    position_stages(m, d)
    if d.short != 0:
        return
    sense_positions(m, d)
    energy_of_positions(m, d)
    velocity_stages(m, d)
    sense_velocities(m, d)
    energy_of_velocities(m, d)


@stage
def step(m, d, nstep):
    """Advance the state by `nstep` time steps, or by `steps_done` of them if memory has run short.

    In strict mode a solver that has not converged also ends it, with `stopped` set.
    """
    begin(d)
    while d.steps_done < nstep:
        check_state(m, d)
        forward(m, d)
        if d.short != 0 or not acceptable(m, d):
            return
        if m.opt.integrator == Integrator.RK4:
            runge_kutta_4(m, d)
            if d.short != 0 or d.stopped != 0:
                return
        else:
            integrate(m, d)
        d.steps_done += 1


@stage
def step1(m, d):
    """The first half of a step, before controls are needed: all that depends on positions and velocities."""
    begin(d)
    check_state(m, d)
    state_stages(m, d)


@stage
def step2(m, d):
    """The second half: actuation, accelerations, and the next state. Not with Runge-Kutta, which becomes Euler."""
    begin(d)
    acceleration_stages(m, d)
    sense_accelerations(m, d)
    if acceptable(m, d):
        integrate(m, d)


@kernel
def begin(d):
    """Nothing has happened yet in this call."""
    d.short = 0
    d.stopped = 0
    d.warned = 0
    d.steps_done = 0


@kernel
def acceptable(m, d):
    """Whether the step may go on with qacc: worlds where it is bad begin again; strict mode may end it."""
    if bad_acceleration(m, d):
        forward(m, d)
        if d.short != 0:
            return False
    if gives_up(m, d):
        return False
    if m.opt.enableflags & EnableBit.FWDINV:
        compare_forward_inverse(m, d)
    return True


@kernel
def take_steps(m, d, nstep):
    """`step`, and what the caller must know of it: bits of SHORT, STOPPED and WARNED; mostly none."""
    step(m, d, nstep)
    return outcome(d)


@kernel
def take_step1(m, d):
    """The same of `step1`."""
    step1(m, d)
    return outcome(d)


@kernel
def take_step2(m, d):
    """The same of `step2`."""
    step2(m, d)
    return outcome(d)


@kernel
def outcome(d):
    """What has happened in this call."""
    return (SHORT if d.short != 0 else 0) + (STOPPED if d.stopped != 0 else 0) + (WARNED if d.warned != 0 else 0)


@kernel
def gives_up(m, d):
    """Whether the solver has not converged in some world, and the model asks to stop then."""
    if m.opt.strict and any_lane(d.unconverged):
        d.stopped = 1
        return True
    return False


@kernel
def integrate(m, d):
    """The state after a step from the forces at its start: by Euler's method unless an implicit one is asked for."""
    if m.opt.integrator == Integrator.IMPLICIT:
        implicit(m, d)
    elif m.opt.integrator == Integrator.IMPLICITFAST:
        implicit_fast(m, d)
    elif m.opt.integrator == Integrator.IMPLICITSPRINGDAMPER:
        implicit_spring_damper(m, d)
    else:
        euler(m, d)


@kernel
def runge_kutta_4(m, d):
    """The classical Runge-Kutta method: slopes at the start, twice in the middle, and at the end of the step."""
    runge_kutta_begin(m, d)
    for fraction, weight in ((0.5, THIRD), (0.5, THIRD), (1.0, SIXTH)):
        runge_kutta_move(m, d, fraction)
        dynamics(m, d)
        if d.short != 0 or gives_up(m, d):
            runge_kutta_undo(m, d)
            return
        runge_kutta_add(m, d, weight)
    runge_kutta_end(m, d)
