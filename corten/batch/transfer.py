"""Kernels that move worlds between rows that a user sees and lanes that the physics works on, and step blocks."""

from __future__ import annotations

from corten.kernel import block, kernel, lane, lanes, stage
from corten.kernel.record import Field, RecordType
from corten.model.data_fields import STATE, WARNINGS
from corten.model.enums import Warning
from corten.physics.step import forward, step

# What a user reads and writes for all worlds, row by row: the shape is (nworld, n), flat here. Each is a field of Data
# with `n` numbers per world. Warnings are kept so too, added up over calls.
KEPT = STATE + WARNINGS
ROWS = tuple(f.name for f in KEPT)

WORLDS = RecordType(
    "Worlds",
    [
        Field("any_short", (), "block", "whether some block has run short of memory"),
        Field("any_stopped", (), "block", "whether some block has been stopped by strict mode"),
        Field("reached", ("nblock",), "block", "steps of a rollout that a block has recorded"),
        *(Field(f"n_{f.name}", (), "size", f"numbers of {f.name} in one world") for f in KEPT),
        *(Field(f.name, (f"all_{f.name}",), f.dtype, f"{f.name} of all worlds") for f in KEPT),
    ],
)


@kernel
def load_parameters(p, b, width):
    """Rows of the model's numbers that differ from world to world, into the lanes of block b."""
    for l in range(width):
        row = (b * width + l) * p.count
        for k in range(p.count):
            p.lanes[(b * p.count + k) * width + l] = p.rows[row + k]


@kernel
def load_worlds(d, w, first):
    """Rows first, first + 1, ... into the lanes of a block."""
    for l in lanes(d):
        one, i = lane(d, l), first + l
        one.time = w.time[i]
        copy_in(w.qpos, i * w.n_qpos, w.n_qpos, one.qpos)
        copy_in(w.qvel, i * w.n_qvel, w.n_qvel, one.qvel)
        copy_in(w.act, i * w.n_act, w.n_act, one.act)
        copy_in(w.qacc_warmstart, i * w.n_qacc_warmstart, w.n_qacc_warmstart, one.qacc_warmstart)
        copy_in(w.ctrl, i * w.n_ctrl, w.n_ctrl, one.ctrl)
        copy_in(w.qfrc_applied, i * w.n_qfrc_applied, w.n_qfrc_applied, one.qfrc_applied)
        copy_rows_in(w.xfrc_applied, i * w.n_xfrc_applied, w.n_xfrc_applied, one.xfrc_applied, 6)
        copy_in(w.eq_active, i * w.n_eq_active, w.n_eq_active, one.eq_active)
        copy_rows_in(w.mocap_pos, i * w.n_mocap_pos, w.n_mocap_pos, one.mocap_pos, 3)
        copy_rows_in(w.mocap_quat, i * w.n_mocap_quat, w.n_mocap_quat, one.mocap_quat, 4)
        copy_in(w.history, i * w.n_history, w.n_history, one.history)
    clear_warnings(d)


@kernel
def store_worlds(d, w, first):
    """What steps have changed in the lanes of a block into rows first, first + 1, ..."""
    for l in lanes(d):
        one, i = lane(d, l), first + l
        w.time[i] = one.time
        copy_out(one.qpos, w.n_qpos, w.qpos, i * w.n_qpos)
        copy_out(one.qvel, w.n_qvel, w.qvel, i * w.n_qvel)
        copy_out(one.act, w.n_act, w.act, i * w.n_act)
        copy_out(one.qacc_warmstart, w.n_qacc_warmstart, w.qacc_warmstart, i * w.n_qacc_warmstart)
        copy_out(one.history, w.n_history, w.history, i * w.n_history)
        if has_failed(one):
            store_inputs(one, w, i)


@kernel
def has_failed(d):
    """Whether one world has begun again since it was loaded."""
    number = d.warning_number
    return number[Warning.BADQPOS] + number[Warning.BADQVEL] + number[Warning.BADQACC] > 0


@kernel
def store_inputs(d, w, i):
    """What only a world that has begun again changes of its inputs into row i."""
    copy_out(d.ctrl, w.n_ctrl, w.ctrl, i * w.n_ctrl)
    copy_out(d.qfrc_applied, w.n_qfrc_applied, w.qfrc_applied, i * w.n_qfrc_applied)
    copy_rows_out(d.xfrc_applied, w.n_xfrc_applied, w.xfrc_applied, i * w.n_xfrc_applied, 6)
    copy_out(d.eq_active, w.n_eq_active, w.eq_active, i * w.n_eq_active)
    copy_rows_out(d.mocap_pos, w.n_mocap_pos, w.mocap_pos, i * w.n_mocap_pos, 3)
    copy_rows_out(d.mocap_quat, w.n_mocap_quat, w.mocap_quat, i * w.n_mocap_quat, 4)


@kernel
def clear_warnings(d):
    """Before worlds are stepped: those of earlier calls stand in the rows."""
    for l in lanes(d):
        one = lane(d, l)
        for k in range(8):
            one.warning_number[k] = 0


@kernel
def add_warnings(d, w, first):
    """The warnings that the lanes of a block have given are added to rows first, first + 1, ..."""
    for l in lanes(d):
        one, row = lane(d, l), (first + l) * w.n_warning_number
        for k in range(w.n_warning_number):
            if one.warning_number[k] != 0:
                w.warning_number[row + k] += one.warning_number[k]
                w.warning_lastinfo[row + k] = one.warning_lastinfo[k]


@kernel
def copy_in(rows, start, n, to):
    """to = n numbers of the rows from `start` on."""
    for k in range(n):
        to[k] = rows[start + k]


@kernel
def copy_rows_in(rows, start, n, to, width):
    """The same where `to` has rows of a width itself."""
    for k in range(n):
        to[k // width, k % width] = rows[start + k]


@kernel
def copy_out(source, n, rows, start):
    """n numbers of the rows from `start` on = source."""
    for k in range(n):
        rows[start + k] = source[k]


@kernel
def copy_rows_out(source, n, rows, start, width):
    """The same where the source has rows of a width itself."""
    for k in range(n):
        rows[start + k] = source[k // width, k % width]


@stage
def step_blocks(models, blocks, w, p, first, last, width, nstep, resume):
    """Blocks first to last - 1: rows in, `nstep` steps, rows out.

    A block that runs short of memory is left where it is, and `any_short` is set. Once it has grown it can be resumed:
    it then goes on from its own state.
    """
    one = lane(w, 0)
    for b in range(first, last):
        d = block(blocks, b)
        if resume == 0:
            load_parameters(lane(p, 0), b, width)
            load_worlds(d, one, b * width)
        step(block(models, b), d, nstep)
        if d.stopped != 0:
            one.any_stopped = 1
        if d.short == 0:
            store_worlds(d, one, b * width)
            add_warnings(d, one, b * width)
        else:
            one.any_short = 1


@stage
def forward_blocks(models, blocks, w, p, first, last, width):
    """Blocks first to last - 1: rows in, forward."""
    one = lane(w, 0)
    for b in range(first, last):
        d = block(blocks, b)
        load_parameters(lane(p, 0), b, width)
        load_worlds(d, one, b * width)
        forward(block(models, b), d)
        if d.short == 0:
            add_warnings(d, one, b * width)
        else:
            one.any_short = 1


@kernel
def rollout_blocks(m, blocks, w, p, controls, states, sensors, first, last, width, nworld, nstep, resume):
    """Blocks first to last - 1: rows in, then `nstep` times controls in, a step, state and sensors out.

    The three arrays are flat: world, step, number. Lanes from `nworld` on only fill up the last block. A block that
    runs short of memory stops before the step numbered `reached`, where it can be resumed.
    """
    one = lane(w, 0)
    for b in range(first, last):
        d = block(blocks, b)
        if resume == 0:
            load_worlds(d, one, b * width)
            one.reached[b] = 0
        while one.reached[b] < nstep:
            t = one.reached[b]
            for l in lanes(d):
                i = b * width + l
                if i < nworld:
                    copy_in(controls, (i * nstep + t) * m.nu, m.nu, lane(d, l).ctrl)
            step(m, d, 1)
            if d.short != 0:
                one.any_short = 1
                break
            if d.stopped != 0:
                one.any_stopped = 1
                break
            for l in lanes(d):
                i = b * width + l
                if i < nworld:
                    record_world(m, lane(d, l), states, sensors, i * nstep + t)
            one.reached[b] = t + 1


@kernel
def record_world(m, d, states, sensors, row):
    """The full physics state of one world, in the order of its vector, and its sensors."""
    k = row * (1 + m.nq + m.nv + m.na + m.nhistory)
    states[k] = d.time
    copy_out(d.qpos, m.nq, states, k + 1)
    copy_out(d.qvel, m.nv, states, k + 1 + m.nq)
    copy_out(d.act, m.na, states, k + 1 + m.nq + m.nv)
    copy_out(d.history, m.nhistory, states, k + 1 + m.nq + m.nv + m.na)
    copy_out(d.sensordata, m.nsensordata, sensors, row * m.nsensordata)
