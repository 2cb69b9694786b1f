"""Derivatives of the solution of the constraints, from what it solves and not from how it was found.

At the solution the gradient g(qacc) is zero, whatever it depends on; so the derivatives of qacc are those of one step
of Newton's method, -inv(H) dg, with all that g depends on in dg (the implicit function theorem). How many iterations a
solver has taken, and whether any, does not matter, and the values stay what they are. Only a solver that has run out of
iterations has no solution: then its tangents are those of the iterations that it has taken.
"""

from __future__ import annotations

from corten.kernel import kernel, value
from corten.physics.constraint.cost import update_rows
from corten.physics.constraint.hessian import begin_sum
from corten.physics.constraint.isles import (
    constraint_force_on_isle,
    end_of_rows,
    end_of_trees,
    multiply_inertia_isle,
    residuals,
)
from corten.physics.constraint.primal import descend


@kernel
def implicit_tangents(m, d, s, newton):
    """The tangents of qacc, efc_force and qfrc_constraint in isle s. `newton` says that Newton's method has just left
    inv(H) g in sol_Mgrad."""
    for q in range(d.island_iefcadr[s], end_of_rows(d, s)):
        r = d.map_iefc2efc[q]
        d.efc_jv[r] = value(d.efc_force[r])
    if not newton:
        residuals(d, s, d.qacc)
        multiply_inertia_isle(m, d, s, d.sol_Ma, d.qacc)
        update_rows(m, d, s)
        begin_sum(m, d, s)
        descend(m, d, s, True)
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            d.qacc[i] = d.qacc[i] - tangent(d.sol_Mgrad[i])
    residuals(d, s, d.qacc)
    update_rows(m, d, s)
    for q in range(d.island_iefcadr[s], end_of_rows(d, s)):
        r = d.map_iefc2efc[q]
        d.efc_force[r] = d.efc_jv[r] + tangent(d.efc_force[r])
    constraint_force_on_isle(d, s)


@kernel
def take_solution(m, d, s):
    """The same where qacc_warmstart is known to be the solution: only derivatives are wanted of it."""
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            d.qacc[i] = value(d.qacc_warmstart[i])
    implicit_tangents(m, d, s, False)


@kernel
def tangent(x):
    """x with the value zero"""
    return x - value(x)
