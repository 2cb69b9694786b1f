"""Kernels that move worlds between rows that a user sees and lanes that the physics works on, and step blocks."""

from __future__ import annotations

from corten.kernel import block, kernel, lane, lanes, stage
from corten.kernel.record import Field, RecordType
from corten.physics.step import forward, step

# What a user reads and writes for all worlds, row by row: the shape is (nworld, n), flat here. `name` is a field of
# Data with `n` numbers per world; whether stepping changes it decides if it is written back.
INPUT = ("ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat")
STATE = ("time", "qpos", "qvel", "act", "qacc_warmstart")

WORLDS = RecordType(
    "Worlds",
    [
        Field("any_short", (), "block", "whether some block has run short of memory"),
        Field("any_stopped", (), "block", "whether some block has been stopped by strict mode"),
        *(Field(f"n_{name}", (), "size", f"numbers of {name} in one world") for name in STATE + INPUT),
        *(Field(name, (f"all_{name}",), "real", f"{name} of all worlds") for name in STATE + INPUT),
    ],
)


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
        copy_rows_in(w.mocap_pos, i * w.n_mocap_pos, w.n_mocap_pos, one.mocap_pos, 3)
        copy_rows_in(w.mocap_quat, i * w.n_mocap_quat, w.n_mocap_quat, one.mocap_quat, 4)


@kernel
def store_worlds(d, w, first):
    """The state in the lanes of a block into rows first, first + 1, ..."""
    for l in lanes(d):
        one, i = lane(d, l), first + l
        w.time[i] = one.time
        copy_out(one.qpos, w.n_qpos, w.qpos, i * w.n_qpos)
        copy_out(one.qvel, w.n_qvel, w.qvel, i * w.n_qvel)
        copy_out(one.act, w.n_act, w.act, i * w.n_act)
        copy_out(one.qacc_warmstart, w.n_qacc_warmstart, w.qacc_warmstart, i * w.n_qacc_warmstart)


@kernel
def copy_in(rows, start, n, to):
    for k in range(n):
        to[k] = rows[start + k]


@kernel
def copy_rows_in(rows, start, n, to, width):
    for k in range(n):
        to[k // width, k % width] = rows[start + k]


@kernel
def copy_out(source, n, rows, start):
    for k in range(n):
        rows[start + k] = source[k]


@stage
def step_blocks(m, blocks, w, first, last, width, nstep, resume):
    """Blocks first to last - 1: rows in, `nstep` steps, rows out.

    A block that runs short of memory is left where it is, and `any_short` is set. Once it has grown it can be resumed:
    it then goes on from its own state.
    """
    one = lane(w, 0)
    for b in range(first, last):
        d = block(blocks, b)
        if resume == 0:
            load_worlds(d, one, b * width)
        step(m, d, nstep)
        if d.stopped != 0:
            one.any_stopped = 1
        if d.short == 0:
            store_worlds(d, one, b * width)
        else:
            one.any_short = 1


@stage
def forward_blocks(m, blocks, w, first, last, width):
    """Blocks first to last - 1: rows in, forward."""
    one = lane(w, 0)
    for b in range(first, last):
        d = block(blocks, b)
        load_worlds(d, one, b * width)
        forward(m, d)
        if d.short != 0:
            one.any_short = 1
