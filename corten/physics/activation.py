"""Activations: the states of actuators that have some, their rates, and their values a step later."""

from __future__ import annotations

from corten.kernel import clip, exp, kernel, maximum
from corten.model.enums import DisableBit, DynType
from corten.physics.muscle import MINVAL, muscle_dynamics


@kernel
def actuator_disabled(m, i):
    """Whether the group of actuator i is switched off."""
    group = m.actuator_group[i]
    return group >= 0 and group <= 30 and m.opt.disableactuator & (1 << group) != 0


@kernel
def activation_rate(m, d, i):
    """act_dot of actuator i: its input (integrator), (input - act) / tau (filters), or a muscle's law.

    Only the last of several states has dynamics of its own; the others, and those of `user` dynamics, stay.
    """
    first = m.actuator_actadr[i]
    last = first + m.actuator_actnum[i] - 1
    for k in range(first, last + 1):
        d.act_dot[k] = 0.0
    kind = m.actuator_dyntype[i]
    if kind == DynType.INTEGRATOR:
        d.act_dot[last] = d.actuator_input[i]
    elif kind == DynType.FILTER or kind == DynType.FILTEREXACT:
        d.act_dot[last] = (d.actuator_input[i] - d.act[last]) * (1.0 / maximum(MINVAL, m.actuator_dynprm[i, 0]))
    elif kind == DynType.MUSCLE:
        d.act_dot[last] = muscle_dynamics(m, i, d.actuator_input[i], d.act[last])


@kernel
def next_activation(m, i, act, rate):
    """The activation a step later, within its range: along its rate, or for an exact filter along the exponential."""
    h = m.opt.timestep
    if m.actuator_dyntype[i] == DynType.FILTEREXACT:
        tau = maximum(MINVAL, m.actuator_dynprm[i, 0])
        h = tau * (1.0 - exp(-h / tau))
    act = rate * h + act
    if m.actuator_actlimited[i]:
        act = clip(act, m.actuator_actrange[i, 0], m.actuator_actrange[i, 1])
    return act


@kernel
def advance_activations(m, d, act_dot):
    """All activations a step later; those of disabled actuators rest."""
    if m.na == 0 or m.opt.disableflags & DisableBit.ACTUATION:
        return
    for i in range(m.nu):
        first = m.actuator_actadr[i]
        for k in range(first, first + m.actuator_actnum[i]):
            if actuator_disabled(m, i):
                d.act[k] = next_activation(m, i, d.act[k], 0.0)
            else:
                d.act[k] = next_activation(m, i, d.act[k], act_dot[k])
