"""Constraint forces and the accelerations that they leave."""

from __future__ import annotations

from corten.kernel import any_lane, has_tangents, lane, lanes, stage
from corten.model.enums import Solver
from corten.physics.constraint.cost import row_states
from corten.physics.constraint.dual import dual
from corten.physics.constraint.implicit_tangents import implicit_tangents, take_solution
from corten.physics.constraint.isles import choose_isles
from corten.physics.constraint.jacobian import multiply_jacobian
from corten.physics.constraint.noslip import noslip
from corten.physics.constraint.primal import primal
from corten.physics.constraint.start import start
from corten.physics.constraint.statistics import COUNTED


@stage
def reference_acceleration(m, d):
    """efc_vel = J qvel; efc_aref = -B efc_vel - K imp (efc_pos - efc_margin)"""
    multiply_jacobian(d, d.efc_vel, d.qvel)
    for r in range(d.nefc):
        stiffness = d.efc_KBIP[r, 0] * d.efc_KBIP[r, 2]
        d.efc_aref[r] = -(d.efc_KBIP[r, 1] * d.efc_vel[r]) - stiffness * (d.efc_pos[r] - d.efc_margin[r])


@stage
def constraint_solve(m, d):
    """qacc, efc_force, qfrc_constraint."""
    for i in range(m.nv):
        d.qacc[i] = d.qacc_smooth[i]
        d.qfrc_constraint[i] = 0.0
    d.unconverged = False
    for l in lanes(d):
        w = lane(d, l)
        for s in range(COUNTED):
            w.solver_niter[s] = 0
    if d.nefc == 0:
        return
    multiply_jacobian(d, d.efc_b, d.qacc_smooth)
    for r in range(d.nefc):
        d.efc_b[r] = d.efc_b[r] - d.efc_aref[r]
    choose_isles(m, d)
    if has_tangents(d) and d.solved != 0:
        for s in range(d.isle_first, d.isle_end):
            take_solution(m, d, s)
        return
    if m.opt.solver != Solver.PGS:
        start(m, d)
    for s in range(d.isle_first, d.isle_end):
        if m.opt.solver == Solver.NEWTON:
            primal(m, d, s, True)
        elif m.opt.solver == Solver.CG:
            primal(m, d, s, False)
        else:
            dual(m, d, s)
        if has_tangents(d) and not any_lane(d.unconverged):
            implicit_tangents(m, d, s, m.opt.solver == Solver.NEWTON)
        if m.opt.noslip_iterations > 0:
            noslip(m, d, s)
    for l in lanes(d):
        row_states(lane(m, l), lane(d, l))
