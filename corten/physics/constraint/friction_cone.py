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
    factors, x = local(d, 36), local(d, 6)
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
    active = (multiplier != 0.0) & ~singular
    square = 0.0
    for j in range(n):
        square = x[j] * x[j] + square
    scale = where(active, normal / sqrt(where(active, maximum(TINY * TINY, square), 1.0)), 1.0)
    for j in range(n):
        b[j] = where(singular, 0.0, scale * x[j] * d.contact_friction[s, j])


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
