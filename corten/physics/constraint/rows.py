"""All constraint rows of an instant, in order: equality, friction loss, limits, contacts."""

from __future__ import annotations

from corten.kernel import has_tangents, lane, lanes, stage
from corten.model.enums import DisableBit, Solver
from corten.physics.constraint.contacts import align_contacts, contact_rows
from corten.physics.constraint.equality import equality_rows
from corten.physics.constraint.hessian import find_pattern
from corten.physics.constraint.impedance import impedance
from corten.physics.constraint.limits import friction_rows, limit_rows
from corten.physics.constraint.response import find_response_pattern


@stage
def constraint_rows(m, d):
    """efc_* but for velocities and forces, and the patterns of the solvers' matrices.

    If memory does not suffice, for contacts or for rows, `short` is set and need_* say how much is needed.
    """
    d.nefc = 0
    d.nJ = 0
    d.ne = 0
    d.nf = 0
    d.nl = 0
    for t in range(m.ntendon):
        d.tendon_efcadr[t] = -1
    d.need_efc = 0
    d.need_efcJ = 0
    d.need_H = 0
    d.need_W = 0
    d.short = 0
    for l in lanes(d):
        w = lane(d, l)
        if w.ncon_wanted > d.nconcap or w.nnear_wanted > d.nnearcap:
            d.short = 1
    if d.short != 0:
        return
    if m.opt.disableflags & DisableBit.CONSTRAINT:
        return
    if not m.opt.disableflags & DisableBit.EQUALITY:
        equality_rows(m, d)
    d.ne = d.nefc
    if not m.opt.disableflags & DisableBit.FRICTIONLOSS:
        friction_rows(m, d)
    d.nf = d.nefc - d.ne
    if not m.opt.disableflags & DisableBit.LIMIT:
        limit_rows(m, d)
    d.nl = d.nefc - d.ne - d.nf
    if not m.opt.disableflags & DisableBit.CONTACT:
        if not align_contacts(m, d):
            d.nefc = 0
            d.short = 1
            return
        contact_rows(m, d)
    if d.need_efc > 0:
        d.nefc = 0
        d.short = 1
        return
    impedance(m, d)
    needs_hessian = m.opt.solver == Solver.NEWTON or has_tangents(d)
    if d.nefc > 0 and needs_hessian and not find_pattern(m, d):
        d.short = 1
    needs_response = m.opt.solver == Solver.PGS or m.opt.noslip_iterations > 0
    if d.nefc > 0 and needs_response and not find_response_pattern(m, d):
        d.short = 1
