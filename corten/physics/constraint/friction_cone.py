"""The best friction force for a given normal force: a quadratic programme with one quadratic constraint.

Minimise x' A x / 2 + b' x such that the sum of (x_j / friction_j)^2 is at most normal^2. In units of the friction
coefficients the constraint is a ball; the answer is -inv(A + l I) b with the least multiplier l >= 0 that brings it
inside, found by Newton's method on |x(l)|^2 - normal^2, which from l = 0 rises to the root.
"""

from __future__ import annotations

from corten.kernel import any_lane, kernel, local, maximum, minimum, sqrt, where

ROUNDS = 20
SMALL = 1e-10
TINY = 1e-15


@kernel
def best_friction(d, a, b, n, s, normal, wanted):
    """b becomes the friction force of contact s, from A (rows of 6) and b, which are overwritten; 0 unless `wanted`.

    As in MuJoCo a matrix that is nearly singular gives no friction: by its determinant for two or three tangents, else
    by a pivot. Wherever the constraint is active the answer is put on it exactly.
    """
    for j in range(n):
        friction = d.contact_friction[s, j]
        b[j] = friction * b[j]
        for k in range(j + 1):
            a[6 * j + k] = friction * d.contact_friction[s, k] * a[6 * j + k]
    if not any_lane(wanted):
        for j in range(n):
            b[j] = 0.0
        return
    x = local(d, 6)
    if n == 2:
        singular, active = solve_plane(a, b, x, normal, wanted)
    else:
        singular, active = solve_space(d, a, b, x, n, normal, wanted)
    square = 0.0
    for j in range(n):
        square = x[j] * x[j] + square
    scale = where(active, normal / sqrt(where(active, maximum(TINY * TINY, square), 1.0)), 1.0)
    for j in range(n):
        b[j] = where(singular, 0.0, scale * x[j] * d.contact_friction[s, j])


@kernel
def solve_plane(a, b, x, normal, wanted):
    """(singular, active) and in x the answer, in units of friction, for two tangents, which is the most common case."""
    a00, a10, a11, b0, b1 = a[0], a[6], a[7], b[0], b[1]
    multiplier = where(wanted, 0.0, 0.0)
    singular, going = ~wanted, wanted
    x0, x1 = multiplier, multiplier
    for _ in range(ROUNDS):
        p, q = a00 + multiplier, a11 + multiplier
        determinant = p * q - a10 * a10
        singular = singular | (determinant < SMALL)
        inverse = 1.0 / where(singular, 1.0, determinant)
        x0, x1 = (a10 * b1 - q * b0) * inverse, (a10 * b0 - p * b1) * inverse
        excess = x0 * x0 + x1 * x1 - normal * normal
        going = going & ~singular & (excess >= SMALL)
        if not any_lane(going):
            break
        slope = (q * x0 * x0 - 2.0 * a10 * x0 * x1 + p * x1 * x1) * inverse
        change = where(going, excess / where(going, 2.0 * slope, 1.0), 0.0)
        going = going & (change >= SMALL)
        multiplier = where(going, multiplier + change, multiplier)
        if not any_lane(going):
            break
    x[0] = x0
    x[1] = x1
    return singular, (multiplier != 0.0) & ~singular


@kernel
def solve_space(d, a, b, x, n, normal, wanted):
    """The same for any number of tangents, by Cholesky's factors."""
    factors = local(d, 36)
    multiplier = where(wanted, 0.0, 0.0)
    singular = ~wanted
    going = wanted
    for _ in range(ROUNDS):
        singular = singular | factor_shifted(a, n, multiplier, factors)
        square, slope = solve_shifted(d, factors, b, x, n)
        excess = square - normal * normal
        going = going & ~singular & (excess >= SMALL)
        change = where(going, excess / where(going, 2.0 * slope, 1.0), 0.0)
        going = going & (change >= SMALL)
        if not any_lane(going):
            break
        multiplier = where(going, multiplier + change, multiplier)
    return singular, (multiplier != 0.0) & ~singular


@kernel
def factor_shifted(a, n, multiplier, factors):
    """factors = the triangular C with C C' = A + multiplier I, its diagonal inverted; whether that is too small."""
    determinant, least = 1.0, 1.0
    for j in range(n):
        for k in range(j + 1):
            total = a[6 * j + k]
            for e in range(k):
                total = total - factors[6 * j + e] * factors[6 * k + e]
            if k < j:
                factors[6 * j + k] = total * factors[6 * k + k]
            else:
                pivot = total + multiplier
                determinant, least = determinant * pivot, minimum(least, pivot)
                factors[6 * j + j] = 1.0 / sqrt(where(pivot <= TINY, 1.0, pivot))
    return (least if n > 3 else determinant) < SMALL


@kernel
def solve_shifted(d, factors, b, x, n):
    """x = -inv(C C') b; (|x|^2, |inv(C) x|^2)"""
    for j in range(n):
        total = -b[j]
        for k in range(j):
            total = total - factors[6 * j + k] * x[k]
        x[j] = total * factors[6 * j + j]
    for j in range(n - 1, -1, -1):
        total = x[j]
        for k in range(j + 1, n):
            total = total - factors[6 * k + j] * x[k]
        x[j] = total * factors[6 * j + j]
    square, slope = 0.0, 0.0
    y = local(d, 6)
    for j in range(n):
        square = x[j] * x[j] + square
        total = x[j]
        for k in range(j):
            total = total - factors[6 * j + k] * y[k]
        y[j] = total * factors[6 * j + j]
        slope = y[j] * y[j] + slope
    return square, slope
