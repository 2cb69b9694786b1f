"""The engine's table of contents: what happens in a step, in order.

The order is MuJoCo's, so that every intermediate can be compared with it.
"""

from __future__ import annotations

from corten.kernel import kernel, stage
from corten.model.enums import EnableBit, Integrator
from corten.physics.acceleration import constrained_acceleration, smooth_acceleration
from corten.physics.actuation import actuation
from corten.physics.bias import bias
from corten.physics.energy import kinetic_energy, potential_energy
from corten.physics.inertia import centre_of_mass, factor_inertia, joint_inertia
from corten.physics.integrate import (
    SIXTH,
    THIRD,
    euler,
    runge_kutta_add,
    runge_kutta_begin,
    runge_kutta_end,
    runge_kutta_move,
)
from corten.physics.kinematics import kinematics
from corten.physics.passive import passive
from corten.physics.transmission import actuator_velocity, transmission
from corten.physics.velocity import body_velocity
from corten.physics.wrench import smooth_force


@kernel
def position_stages(m, d):
    """All that depends on positions."""
    kinematics(m, d)
    centre_of_mass(m, d)
    joint_inertia(m, d)
    factor_inertia(m, d)
    transmission(m, d)


@kernel
def velocity_stages(m, d):
    """All that depends on velocities as well."""
    actuator_velocity(m, d)
    body_velocity(m, d)
    passive(m, d)
    bias(m, d)


@kernel
def acceleration_stages(m, d):
    """Forces and accelerations."""
    actuation(m, d)
    smooth_force(m, d)
    smooth_acceleration(m, d)
    constrained_acceleration(m, d)


@stage
def dynamics(m, d):
    """qacc from the state and the controls, without sensors and energy."""
    position_stages(m, d)
    velocity_stages(m, d)
    acceleration_stages(m, d)


@stage
def forward(m, d):
    """Everything that follows from the state and the controls at one instant."""
    position_stages(m, d)
    if m.opt.enableflags & EnableBit.ENERGY:
        potential_energy(m, d)
    velocity_stages(m, d)
    if m.opt.enableflags & EnableBit.ENERGY:
        kinetic_energy(m, d)
    acceleration_stages(m, d)


@stage
def step(m, d, nstep):
    """Advance the state by `nstep` time steps."""
    for _ in range(nstep):
        forward(m, d)
        if m.opt.integrator == Integrator.RK4:
            runge_kutta_4(m, d)
        else:
            euler(m, d)


@kernel
def runge_kutta_4(m, d):
    """The classical Runge-Kutta method: slopes at the start, twice in the middle, and at the end of the step."""
    runge_kutta_begin(m, d)
    runge_kutta_move(m, d, 0.5)
    dynamics(m, d)
    runge_kutta_add(m, d, THIRD)
    runge_kutta_move(m, d, 0.5)
    dynamics(m, d)
    runge_kutta_add(m, d, THIRD)
    runge_kutta_move(m, d, 1.0)
    dynamics(m, d)
    runge_kutta_add(m, d, SIXTH)
    runge_kutta_end(m, d)
