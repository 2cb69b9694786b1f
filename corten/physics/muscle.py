"""Muscles: how their activation follows excitation, and the force they give at a length, a velocity and an activation.

Length and velocity are normalised: 1 is the optimal length, at which the muscle is strongest, velocities are in units
of `vmax` of these per second. Nine parameters describe a muscle: the ends of its range in normalised length, peak force
(or -1: `scale` divided by acc0), scale, the shortest and longest length at which it pulls, vmax, and relative to peak
force the passive force at the longest length and the force when lengthening fast.
"""

from __future__ import annotations

from corten.kernel import clip, kernel, maximum, where

MINVAL = 1e-15  # denominators are kept from vanishing


@kernel
def muscle_gain(m, i, length, velocity):
    """Active force per activation: -peak FL(L) FV(V), negative since muscles pull."""
    peak, optimal, start = muscle_scale(m, i, m.actuator_gainprm)
    vmax, fvmax = m.actuator_gainprm[i, 6], m.actuator_gainprm[i, 8]
    normalised = start + (length - m.actuator_lengthrange[i, 0]) * (1.0 / maximum(MINVAL, optimal))
    speed = velocity * (1.0 / maximum(MINVAL, optimal * vmax))
    pull = force_length(normalised, m.actuator_gainprm[i, 4], m.actuator_gainprm[i, 5])
    return -peak * (pull * force_velocity(speed, fvmax))


@kernel
def muscle_gain_slope(m, i, length, velocity):
    """Derivative of `muscle_gain` by the velocity."""
    peak, optimal, start = muscle_scale(m, i, m.actuator_gainprm)
    normalised = start + (length - m.actuator_lengthrange[i, 0]) * (1.0 / maximum(MINVAL, optimal))
    per_speed = 1.0 / maximum(MINVAL, optimal * m.actuator_gainprm[i, 6])
    pull = force_length(normalised, m.actuator_gainprm[i, 4], m.actuator_gainprm[i, 5])
    return -(peak * per_speed) * (pull * force_velocity_slope(velocity * per_speed, m.actuator_gainprm[i, 8]))


@kernel
def muscle_bias(m, i, length):
    """Passive force: zero up to the optimal length, quadratic to halfway between it and the longest, then linear."""
    peak, optimal, start = muscle_scale(m, i, m.actuator_biasprm)
    normalised = start + (length - m.actuator_lengthrange[i, 0]) * (1.0 / maximum(MINVAL, optimal))
    halfway = 0.5 * (1.0 + m.actuator_biasprm[i, 5])
    scale = 1.0 / maximum(MINVAL, halfway - 1.0)
    near, far = (normalised - 1.0) * scale, (normalised - halfway) * scale
    stretch = where(normalised <= 1.0, 0.0, where(normalised <= halfway, 0.5 * near * near, 0.5 + far))
    return -(peak * m.actuator_biasprm[i, 7]) * stretch


@kernel
def muscle_scale(m, i, prm):
    """(peak force, optimal length, normalised length at the lower end of the length range)."""
    peak = where(prm[i, 2] >= 0.0, prm[i, 2], prm[i, 3] / maximum(MINVAL, m.actuator_acc0[i]))
    span = m.actuator_lengthrange[i, 1] - m.actuator_lengthrange[i, 0]
    return peak, span / maximum(MINVAL, prm[i, 1] - prm[i, 0]), prm[i, 0]


@kernel
def force_length(length, shortest, longest):
    """FL: a bump of four parabolas, 0 at and beyond both ends, 1/2 halfway, 1 at length 1."""
    low, high = 0.5 * (shortest + 1.0), 0.5 * (1.0 + longest)
    below = length <= 1.0
    outer = where(below, length - shortest, longest - length)
    inner = where(below, 1.0 - length, length - 1.0)
    scale = where(below, 1.0 / maximum(MINVAL, 1.0 - low), 1.0 / maximum(MINVAL, high - 1.0))
    is_outer = (length <= low) | (length > high)
    x = where(is_outer, outer, inner) * scale
    half = 0.5 * x * x
    inside = (length >= shortest) & (length <= longest)
    return where(inside, where(is_outer, half, 1.0 - half), 0.0)


@kernel
def force_velocity(speed, most):
    """FV: 0 when shortening at or above vmax, 1 at rest, `most` when lengthening fast; two parabolas meet at rest."""
    y = most - 1.0
    missing = y - speed
    lengthening = where(speed <= y, most - missing * missing * (1.0 / maximum(MINVAL, y)), most)
    shortening = where(speed <= -1.0, 0.0, (speed + 1.0) ** 2)
    return where(speed <= 0.0, shortening, lengthening)


@kernel
def force_velocity_slope(speed, most):
    """Derivative of FV by the speed."""
    y = most - 1.0
    lengthening = where(speed <= y, 2.0 * (y - speed) * (1.0 / maximum(MINVAL, y)), 0.0)
    shortening = where(speed <= -1.0, 0.0, 2.0 * speed + 2.0)
    return where(speed <= 0.0, shortening, lengthening)


@kernel
def muscle_dynamics(m, i, ctrl, act):
    """Rate of activation: (ctrl - act) / tau, faster to activate than to deactivate (Millard et al. 2013).

    tau = tau_act (1/2 + 3/2 act) where excitation exceeds activation, tau_deact / (1/2 + 3/2 act) elsewhere; with
    tausmooth, a quintic step of that width goes from one to the other.
    """
    stretch = 0.5 + 1.5 * clip(act, 0.0, 1.0)
    rising = m.actuator_dynprm[i, 0] * stretch
    falling = m.actuator_dynprm[i, 1] / stretch
    excess = clip(ctrl, 0.0, 1.0) - act
    width = m.actuator_dynprm[i, 2]
    sharp = width < MINVAL
    smooth = falling + (rising - falling) * smooth_step(excess * (1.0 / where(sharp, 1.0, width)) + 0.5)
    tau = where(sharp, where(excess > 0.0, rising, falling), smooth)
    return excess / maximum(MINVAL, tau)


@kernel
def smooth_step(x):
    """0 below 0, 1 above 1, 6 x^5 - 15 x^4 + 10 x^3 between: two derivatives are continuous."""
    x = clip(x, 0.0, 1.0)
    return x * x * x * (3.0 * x * (2.0 * x - 5.0) + 10.0)
