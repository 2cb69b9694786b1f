"""Checks of the state: numbers that are not finite, or absurdly large, are noticed before they spread.

A world in which one is found begins again from the model's initial state, unless `autoreset` is off, and a warning says
which number it was.
"""

from __future__ import annotations

from corten.kernel import absolute, all_lanes, kernel, lane, lanes, stage
from corten.kernel.quat import load4, store4
from corten.kernel.vec import load3, store3
from corten.model.enums import DisableBit, Warning

LARGEST = 1e10  # numbers beyond are bad


@stage
def check_state(m, d):
    """Look at qpos and qvel."""
    for i in range(m.nq):
        if not all_lanes(absolute(d.qpos[i]) <= LARGEST):
            for l in lanes(d):
                give_up_if_bad(lane(m, l), lane(d, l), lane(d, l).qpos, m.nq, Warning.BADQPOS)
            break
    for i in range(m.nv):
        if not all_lanes(absolute(d.qvel[i]) <= LARGEST):
            for l in lanes(d):
                give_up_if_bad(lane(m, l), lane(d, l), lane(d, l).qvel, m.nv, Warning.BADQVEL)
            break


@kernel
def bad_acceleration(m, d):
    """Look at qacc; whether forward dynamics must be run again, because a world has begun again."""
    for i in range(m.nv):
        if not all_lanes(absolute(d.qacc[i]) <= LARGEST):
            for l in lanes(d):
                give_up_if_bad(lane(m, l), lane(d, l), lane(d, l).qacc, m.nv, Warning.BADQACC)
            return not m.opt.disableflags & DisableBit.AUTORESET
    return False


@kernel
def give_up_if_bad(m, d, x, n, kind):
    """Warn of the first bad number of x in one world, and begin again."""
    for i in range(n):
        if not absolute(x[i]) <= LARGEST:
            if not m.opt.disableflags & DisableBit.AUTORESET:
                begin_again(m, d)
            warn(d, kind, i)
            return


@kernel
def warn(d, kind, info):
    """Count a warning of one world, and keep the index that it is about."""
    d.warning_number[kind] += 1
    d.warning_lastinfo[kind] = info
    d.warned = 1


@kernel
def begin_again(m, d):
    """The model's initial state, nothing applied, no warnings."""
    d.time = 0.0
    for i in range(m.nq):
        d.qpos[i] = m.qpos0[i]
    for i in range(m.nv):
        d.qvel[i] = 0.0
        d.qacc_warmstart[i] = 0.0
        d.qfrc_applied[i] = 0.0
    for i in range(m.na):
        d.act[i] = 0.0
    for i in range(m.nu):
        d.ctrl[i] = 0.0
    for b in range(m.nbody):
        for k in range(6):
            d.xfrc_applied[b, k] = 0.0
        if m.body_mocapid[b] >= 0:
            store3(d.mocap_pos, m.body_mocapid[b], load3(m.body_pos, b))
            store4(d.mocap_quat, m.body_mocapid[b], load4(m.body_quat, b))
    for e in range(m.neq):
        d.eq_active[e] = m.eq_active0[e] != 0
    for k in range(8):
        d.warning_number[k] = 0
        d.warning_lastinfo[k] = 0
    for k in range(m.nhistory):
        d.history[k] = d.history_start[k]
