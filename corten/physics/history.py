"""Histories: ring buffers of past controls and sensor readings, for delays.

The buffer of n samples of a quantity of dimension `dim` starts at `adr` in `d.history`: a number for the owner (a
sensor's last sampling time), the place of the newest sample, n times, n samples. Sample 0 in time is the oldest. Where
the newest sample is differs from world to world, so all of this works on one world: call it with a lane view.
"""

from __future__ import annotations

from corten.kernel import absolute, kernel, lane, lanes, value

SAME_TIME = 1e-15  # times closer than this are one


@kernel
def history_place(d, adr, n, k):
    """Where in the ring sample k in time is."""
    return (int(value(d.history[adr + 1])) + 1 + k) % n


@kernel
def history_time(d, adr, n, k):
    """The time of sample k."""
    return value(d.history[adr + 2 + history_place(d, adr, n, k)])


@kernel
def history_sample(d, adr, n, dim, k):
    """Where in d.history sample k begins."""
    return adr + 2 + n + history_place(d, adr, n, k) * dim


@kernel
def history_find(d, adr, n, t):
    """The first sample that is not before time t, n if there is none; by bisection."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if history_time(d, adr, n, middle) < t:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def history_insert(d, adr, n, dim, t):
    """Make room for a sample at time t and return where in d.history it is to be written.

    It replaces a sample of the same time; else the oldest is given up.
    """
    now = value(t)
    k = history_find(d, adr, n, now)
    if k < n and absolute(history_time(d, adr, n, k) - now) < SAME_TIME:
        return history_sample(d, adr, n, dim, k)
    if k == n:
        d.history[adr + 1] = float(history_place(d, adr, n, 0))
        k = n - 1
    elif k > 0:
        for later in range(1, k):
            d.history[adr + 2 + history_place(d, adr, n, later - 1)] = history_time(d, adr, n, later)
            old, new = history_sample(d, adr, n, dim, later), history_sample(d, adr, n, dim, later - 1)
            for c in range(dim):
                d.history[new + c] = d.history[old + c]
        k = k - 1
    d.history[adr + 2 + history_place(d, adr, n, k)] = now
    return history_sample(d, adr, n, dim, k)


@kernel
def history_value(d, adr, n, dim, c, t, order):
    """Component c at time t, held beyond both ends.

    Order 0: that of the sample before; 1: linear; 2: the cubic whose slopes at samples are those between their
    neighbours (Catmull and Rom), zero at the ends of the buffer.
    """
    now = value(t)
    if now <= history_time(d, adr, n, 0) + SAME_TIME:
        return d.history[history_sample(d, adr, n, dim, 0) + c]
    if now >= history_time(d, adr, n, n - 1) - SAME_TIME:
        return d.history[history_sample(d, adr, n, dim, n - 1) + c]
    k = history_find(d, adr, n, now)
    after, t1 = d.history[history_sample(d, adr, n, dim, k) + c], history_time(d, adr, n, k)
    if absolute(t1 - now) < SAME_TIME:
        return after
    before, t0 = d.history[history_sample(d, adr, n, dim, k - 1) + c], history_time(d, adr, n, k - 1)
    if order == 0:
        return before
    span = t1 - t0
    x = (now - t0) / span
    if order == 1:
        return before + x * (after - before)
    slope0, slope1 = 0.0, 0.0
    if k > 1:
        earlier = d.history[history_sample(d, adr, n, dim, k - 2) + c]
        slope0 = (after - earlier) * (span / (t1 - history_time(d, adr, n, k - 2)))
    if k < n - 1:
        later = d.history[history_sample(d, adr, n, dim, k + 1) + c]
        slope1 = (later - before) * (span / (history_time(d, adr, n, k + 1) - t0))
    step = x * x * (3.0 - 2.0 * x)
    hermite = before + step * (after - before)
    return hermite + x * (1.0 - x) * ((1.0 - x) * slope0 - x * slope1)


@kernel
def record_history(m, d):
    """Put the present controls into the buffers of the actuators that have one."""
    if m.nhistory > 0:
        for l in lanes(d):
            record_controls(lane(m, l), lane(d, l))


@kernel
def record_controls(m, d):
    """The present controls of one world into their buffers."""
    for i in range(m.nu):
        n = m.actuator_history[i, 0]
        if n > 0:
            k = history_insert(d, m.actuator_historyadr[i], n, 1, d.time)
            d.history[k] = d.ctrl[i]
