"""How short and how long an actuator can become: it is pulled both ways until nothing moves any more."""

from __future__ import annotations

from corten.kernel import absolute, exp, kernel, lane, maximum, minimum, sqrt
from corten.physics.check import LARGEST
from corten.physics.reference_pose import MINVAL, actuator_acceleration
from corten.physics.step import acceleration_stages, integrate, position_stages, velocity_stages

MIN_TIMECONST = 0.01
FAR = 1e300  # beyond all lengths


@kernel
def pull(m, d, a, accel, maxforce, timeconst, total, interval, result):
    """Pull actuator a from the state of d on, towards greater length if `accel` is positive.

    Each step applies moment' f, scaled so that |qacc| is `accel` but |force| at most `maxforce` (0: any), and damps
    velocities with `timeconst`. `result`, at first (FAR, -FAR), becomes the least and the greatest length in the last
    `interval` of the `total` time, and again (FAR, -FAR) if the simulation has diverged. If memory for constraint rows
    does not suffice, `d.short` is set, and after growing this goes on where it was when called again.
    """
    w = lane(d, 0)
    decay = exp(-m.opt.timestep / maximum(MIN_TIMECONST, timeconst))
    d.short = 0
    while w.time < total:
        position_stages(m, d)
        if d.short != 0:
            return
        velocity_stages(m, d)
        apply_pull(m, w, a, accel, maxforce)
        acceleration_stages(m, d)
        if d.short != 0:
            return
        integrate(m, d)
        if diverged(m, w):
            result[0] = FAR
            result[1] = -FAR
            return
        if w.time > total - interval:
            result[0] = minimum(result[0], w.actuator_length[a])
            result[1] = maximum(result[1], w.actuator_length[a])
        for i in range(m.nv):
            w.qvel[i] = w.qvel[i] * decay


@kernel
def apply_pull(m, w, a, accel, maxforce):
    """qfrc_applied = moment' accel / |inv(M) moment'|, shortened to `maxforce`."""
    actuator_acceleration(m, w, a)
    yielding = 0.0
    for i in range(m.nv):
        yielding = w.scratch_v[i] ** 2 + yielding
        w.qfrc_applied[i] = 0.0
    scale = accel / maximum(MINVAL, sqrt(yielding))
    force = 0.0
    for k in range(m.moment_rowadr[a], m.moment_rowadr[a] + m.moment_rownnz[a]):
        f = scale * w.actuator_moment[k]
        w.qfrc_applied[m.moment_colind[k]] = f
        force = f * f + force
    force = sqrt(force)
    if maxforce > 0.0 and force > maxforce:
        for i in range(m.nv):
            w.qfrc_applied[i] = w.qfrc_applied[i] * (maxforce / maximum(MINVAL, force))


@kernel
def diverged(m, w):
    """Whether a number of the state is not one, or is huge."""
    for i in range(m.nq):
        if not absolute(w.qpos[i]) <= LARGEST:
            return True
    for i in range(m.nv):
        if not absolute(w.qvel[i]) <= LARGEST:
            return True
    return False
