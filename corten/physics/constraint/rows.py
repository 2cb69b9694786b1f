"""All constraint rows of an instant, in order: equality, friction loss, limits, contacts."""

from __future__ import annotations

from corten.kernel import stage
from corten.model.enums import DisableBit
from corten.physics.constraint.contacts import align_contacts, contact_rows
from corten.physics.constraint.equality import equality_rows
from corten.physics.constraint.impedance import impedance
from corten.physics.constraint.limits import friction_rows, limit_rows


@stage
def constraint_rows(m, d):
    """efc_* but for velocities and forces. If memory does not suffice, `need_efc` says how much is needed, and nefc is 0."""
    d.nefc = 0
    d.nJ = 0
    d.ne = 0
    d.nf = 0
    d.nl = 0
    d.need_efc = 0
    d.need_efcJ = 0
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
        align_contacts(m, d)
        contact_rows(m, d)
    if d.need_efc > 0:
        d.nefc = 0
        return
    impedance(m, d)
