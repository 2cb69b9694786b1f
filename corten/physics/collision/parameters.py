"""Parameters of a contact: those of an explicit pair, or mixed from its two geoms; or, if so set, the same for all.

The geom of higher priority decides alone. At equal priority: the larger condim, the larger friction coefficients, and
solver parameters weighted by `solmix`; a solref that gives stiffness and damping directly (not positive) is not mixed,
the smaller numbers win.
"""

from __future__ import annotations

from corten.kernel import kernel, maximum, minimum
from corten.kernel.vec import load3, load5
from corten.model.enums import EnableBit

TINY = 1e-15  # weights below this count as none
LEAST_FRICTION = 1e-5


@kernel
def pair_margin(m, a, b, pair):
    """The distance at which geoms a and b, or those of an explicit pair, begin to be in contact."""
    if m.opt.enableflags & EnableBit.OVERRIDE:
        return m.opt.o_margin
    if pair >= 0:
        return m.pair_margin[pair]
    return m.geom_margin[a] + m.geom_margin[b]


@kernel
def pair_gap(m, a, b, pair):
    """How much closer than the margin they must come for the contact to push."""
    if pair >= 0:
        return m.pair_gap[pair]
    return m.geom_gap[a] + m.geom_gap[b]


@kernel
def pair_dim(m, a, b, pair):
    """Dimensions of the contact's force: 1, 3, 4 or 6."""
    if pair >= 0:
        return m.pair_dim[pair]
    if m.geom_priority[a] > m.geom_priority[b]:
        return m.geom_condim[a]
    if m.geom_priority[a] < m.geom_priority[b]:
        return m.geom_condim[b]
    return max(m.geom_condim[a], m.geom_condim[b])


@kernel
def pair_friction(m, a, b, pair):
    """Coefficients: two of sliding, one of torsion, two of rolling."""
    if m.opt.enableflags & EnableBit.OVERRIDE:
        f = five(m.opt.o_friction)
    elif pair >= 0:
        f = load5(m.pair_friction, pair)
    else:
        x, y = load3(m.geom_friction, a), load3(m.geom_friction, b)
        if m.geom_priority[a] < m.geom_priority[b]:
            x = y
        elif m.geom_priority[a] == m.geom_priority[b]:
            x = (maximum(x[0], y[0]), maximum(x[1], y[1]), maximum(x[2], y[2]))
        f = (x[0], x[0], x[1], x[2], x[2])
    return (
        maximum(LEAST_FRICTION, f[0]),
        maximum(LEAST_FRICTION, f[1]),
        maximum(LEAST_FRICTION, f[2]),
        maximum(LEAST_FRICTION, f[3]),
        maximum(LEAST_FRICTION, f[4]),
    )


@kernel
def five(x):
    """The first five numbers of x."""
    return x[0], x[1], x[2], x[3], x[4]


@kernel
def pair_solref(m, a, b, pair):
    """Reference acceleration along the normal: time constant and damping ratio, or negative stiffness and damping."""
    if m.opt.enableflags & EnableBit.OVERRIDE:
        return m.opt.o_solref[0], m.opt.o_solref[1]
    if pair >= 0:
        return m.pair_solref[pair, 0], m.pair_solref[pair, 1]
    x, y = (m.geom_solref[a, 0], m.geom_solref[a, 1]), (m.geom_solref[b, 0], m.geom_solref[b, 1])
    w = weight(m, a, b)
    if m.geom_priority[a] == m.geom_priority[b] and (x[0] <= 0.0 or y[0] <= 0.0):
        return minimum(x[0], y[0]), minimum(x[1], y[1])
    return w * x[0] + (1.0 - w) * y[0], w * x[1] + (1.0 - w) * y[1]


@kernel
def pair_solref_friction(m, pair):
    """The same along the tangents; zeros stand for that of the normal."""
    if m.opt.enableflags & EnableBit.OVERRIDE:
        return m.opt.o_solref[0], m.opt.o_solref[1]
    if pair >= 0:
        return m.pair_solreffriction[pair, 0], m.pair_solreffriction[pair, 1]
    return 0.0, 0.0


@kernel
def pair_solimp(m, a, b, pair):
    """Impedance: how hard the contact is at what depth."""
    if m.opt.enableflags & EnableBit.OVERRIDE:
        return five(m.opt.o_solimp)
    if pair >= 0:
        return load5(m.pair_solimp, pair)
    x, y = load5(m.geom_solimp, a), load5(m.geom_solimp, b)
    w = weight(m, a, b)
    v = 1.0 - w
    return (
        w * x[0] + v * y[0],
        w * x[1] + v * y[1],
        w * x[2] + v * y[2],
        w * x[3] + v * y[3],
        w * x[4] + v * y[4],
    )


@kernel
def weight(m, a, b):
    """The share of geom a in mixed solver parameters."""
    if m.geom_priority[a] != m.geom_priority[b]:
        return 1.0 if m.geom_priority[a] > m.geom_priority[b] else 0.0
    x, y = m.geom_solmix[a], m.geom_solmix[b]
    if x >= TINY and y >= TINY:
        return x / (x + y)
    if x < TINY and y < TINY:
        return 0.5
    return 0.0 if x < TINY else 1.0
