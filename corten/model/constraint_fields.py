"""The part of Data's table that holds constraints: rows, the solver's state, islands."""

from __future__ import annotations

from corten.kernel.record import Field

# A row is one scalar constraint. The rows of a block of worlds are those that any of its worlds needs; where a world
# does not need a row, the row's D is zero there. So all worlds share one pattern of the Jacobian.
ROWS = (
    Field("short", (), "block", "whether a stage could not finish for want of memory", ours=True),
    Field("warned", (), "block", "whether the last call has given a warning", ours=True),
    Field("steps_done", (), "block", "steps that the last call has done", ours=True),
    Field("efc_cap", (), "capacity", "room for rows", ours=True),
    Field("efcJ_cap", (), "capacity", "room for entries of the Jacobian", ours=True),
    Field("nefc", (), "block", "constraint rows", "rows"),
    Field("ne", (), "block", "rows of equality constraints", "rows"),
    Field("nf", (), "block", "rows of friction loss", "rows"),
    Field("nl", (), "block", "rows of limits", "rows"),
    Field("nJ", (), "block", "entries of the Jacobian", "rows"),
    Field("tendon_efcadr", ("ntendon",), "block", "first row of each tendon, of an equality its number; or -1", "rows"),
    Field("need_efc", (), "block", "rows that did not fit, and those that did; 0: all did", "rows", ours=True),
    Field("need_efcJ", (), "block", "the same of entries of the Jacobian", "rows", ours=True),
    Field("efc_type", ("efc_cap",), "block", "ConstraintType", "rows"),
    Field("efc_id", ("efc_cap",), "block", "the object that makes the row", "rows"),
    Field(
        "efc_dim", ("efc_cap",), "block", "rows of the same object from its first one on; 0 on the others", ours=True
    ),
    Field("efc_on", ("efc_cap",), "flag", "whether a world needs the row; not of contacts", "rows", ours=True),
    Field("efc_J_rownnz", ("efc_cap",), "block", "Jacobian: entries of each row", "rows"),
    Field("efc_J_rowadr", ("efc_cap",), "block", "Jacobian: start of each row", "rows"),
    Field("efc_J_colind", ("efcJ_cap",), "block", "Jacobian: dof of each entry", "rows"),
    Field("efc_J_side", ("efcJ_cap",), "block", "Jacobian: whose chain the dof is on", ours=True),
    Field("efc_J", ("efcJ_cap",), "real", "Jacobian", "rows"),
    Field("efc_pos", ("efc_cap",), "real", "violation", "rows"),
    Field("efc_margin", ("efc_cap",), "real", "violation at which the constraint acts", "rows"),
    Field("efc_frictionloss", ("efc_cap",), "real", "largest force of friction loss", "rows"),
    Field("efc_diagApprox", ("efc_cap",), "real", "approximate diagonal of J inv(M) J'", "rows"),
    Field("efc_KBIP", ("efc_cap", 4), "real", "stiffness, damping, impedance and its slope", "rows"),
    Field("efc_D", ("efc_cap",), "real", "inverse of R; 0 where a world does not have the row", "rows"),
    Field("efc_R", ("efc_cap",), "real", "regularisation", "rows"),
    Field("efc_vel", ("efc_cap",), "real", "velocity along the row, J qvel", "reference"),
    Field("efc_aref", ("efc_cap",), "real", "reference acceleration", "reference"),
    Field("efc_b", ("efc_cap",), "real", "J qacc_smooth - aref", "constraint"),
    Field("efc_force", ("efc_cap",), "real", "force", "constraint"),
    Field("efc_state", ("efc_cap",), "int", "ConstraintState", "constraint"),
)

# Contacts of a block side by side: slot s is the same pair of geoms in all worlds that have it.
SLOTS = (
    Field("nslot", (), "block", "contacts that any world of the block has", "slots", ours=True),
    Field("slot_geom", ("nconcap", 2), "block", "the geoms", "slots", ours=True),
    Field("slot_dim", ("nconcap",), "block", "dimensions of the contact's force", "slots", ours=True),
    Field("contact_slot", ("nconcap",), "int", "slot of each contact, while worlds are merged", "slots", ours=True),
    Field("slot_row", ("nconcap",), "block", "first row, or -1", "rows", ours=True),
    Field("slot_on", ("nconcap",), "flag", "whether a world has the contact and it may push", "slots", ours=True),
)

# The Newton solver's matrix H = M + J' D J in sparse rows up to the diagonal, and vectors that the solvers work in.
SOLVER = (
    Field("H_cap", (), "capacity", "room for entries of H", ours=True),
    Field("need_H", (), "block", "entries of H, if they did not fit; else 0", "constraint", ours=True),
    Field("H_pattern", (), "block", "what H_colind holds: 0 nothing, 1 chains of dofs, 2 coupled branches", ours=True),
    Field("H_rownnz", ("nv",), "block", "H: entries of each row", ours=True),
    Field("H_rowadr", ("nv",), "block", "H: start of each row", ours=True),
    Field("H_colind", ("H_cap",), "block", "H: dof of each entry", ours=True),
    Field("H_nobject", (), "block", "objects whose rows have led to H_colind", ours=True),
    Field("H_objnnz", ("efc_cap",), "block", "how many dofs their rows have", ours=True),
    Field("H_objdof", ("efcJ_cap",), "block", "which dofs", ours=True),
    Field("H_bits", ("nHbits",), "bits", "H: sets of dofs while the pattern is found", ours=True),
    Field("H_base", ("H_cap",), "real", "H without contacts that slide", ours=True),
    Field("H_factor", ("H_cap",), "real", "H, and then its factors", ours=True),
    Field("H_inverse", ("nv",), "real", "inverse diagonal of the factors", ours=True),
    Field("H_weight", ("efc_cap",), "real", "with what weight each row is in H", ours=True),
    Field("solved", (), "block", "whether qacc_warmstart is the solution and efc_force belongs to it", ours=True),
    Field("sol_known", ("nv",), "real", "that solution", ours=True),
    Field("efc_weight", ("efc_cap",), "real", "with what weight each row ought to be there", ours=True),
    Field("efc_cone", ("efc_cap",), "flag", "whether the contact slides: its force is on the cone", ours=True),
    Field("efc_jar", ("efc_cap",), "real", "J qacc - aref", ours=True),
    Field("efc_jv", ("efc_cap",), "real", "J search", ours=True),
    Field("sol_Ma", ("nv",), "real", "M qacc", ours=True),
    Field("sol_Mv", ("nv",), "real", "M search", ours=True),
    Field("sol_grad", ("nv",), "real", "gradient of the cost", ours=True),
    Field("sol_Mgrad", ("nv",), "real", "gradient, preconditioned", ours=True),
    Field("sol_search", ("nv",), "real", "search direction", ours=True),
    Field("sol_oldgrad", ("nv",), "real", "gradient before the last step", ours=True),
    Field("sol_oldMgrad", ("nv",), "real", "the same, preconditioned", ours=True),
    Field("sol_count", (), "real", "iterations so far", ours=True),
    Field("sol_running", (), "flag", "whether they go on", ours=True),
    Field("unconverged", (), "flag", "whether some isle has needed more iterations than it was given", ours=True),
    Field("stopped", (), "block", "whether a step has been given up for that, in strict mode", ours=True),
    Field("solver_niter", (20,), "int", "iterations of the solver, for the first islands", "constraint"),
    Field("stat_cap", (), "capacity", "room for numbers of iterations, 200 for each isle; 0: not gathered", ours=True),
    Field("stat_now", (7,), "real", "numbers of one iteration", ours=True),
    Field("solver_stat", ("stat_cap", 7), "real", "those of all iterations, in mjSolverStat's order", ours=True),
    Field("efc_side", ("efc_cap",), "real", "side of its cost's kinks that a row was on before", ours=True),
)

# What the dual solvers hold: accelerations W f by the forces f of rows, W = inv(M) J'.
DUAL = (
    Field("W_cap", (), "capacity", "room for entries of W", ours=True),
    Field("need_W", (), "block", "entries of W, if they did not fit; else 0", "constraint", ours=True),
    Field("W_rownnz", ("efc_cap",), "block", "W: entries of each row of J", ours=True),
    Field("W_rowadr", ("efc_cap",), "block", "W: start of each row", ours=True),
    Field("W_colind", ("W_cap",), "block", "W: dof of each entry", ours=True),
    Field("W", ("W_cap",), "real", "inv(M) J'", ours=True),
    Field("efc_A", ("efc_cap", 6), "real", "J inv(M) J' among the rows of one object", ours=True),
    Field("efc_Ainv", ("efc_cap",), "real", "1 / (A + R) on the diagonal", ours=True),
    Field("dof_seen", ("nv",), "block", "whether the dof, or one that hangs on it, is in some row", ours=True),
    Field("dof_row", ("nv",), "block", "the last row that was traced through the dof", ours=True),
    Field("dual_x", ("nv",), "real", "a row of W on all dofs", ours=True),
    Field("dual_acc", ("nv",), "real", "W f", ours=True),
)

# Islands: groups of trees that rows join; there are none without rows, or where the model disables them. The solvers
# work on isles: the islands, or all at once, which stands behind the islands (physics/constraint/islands.py).
ISLANDS = (
    Field("nisland", (), "block", "number of islands", "islands"),
    Field("nidof", (), "block", "number of dofs in all islands", "islands"),
    Field("tree_island", ("ntree",), "block", "island of each tree, or -1", "islands"),
    Field("map_itree2tree", ("ntree",), "block", "trees, island by island, then those in none", "islands"),
    Field("dof_island", ("nv",), "block", "island of each dof, or -1", "islands"),
    Field("map_dof2idof", ("nv",), "block", "place of each dof in map_idof2dof", "islands"),
    Field("map_idof2dof", ("nv",), "block", "dofs, island by island, then those in none", "islands"),
    Field("efc_island", ("efc_cap",), "block", "island of each row", "islands"),
    Field("map_efc2iefc", ("efc_cap",), "block", "place of each row in map_iefc2efc", "islands"),
    Field("map_iefc2efc", ("efc_cap",), "block", "rows, island by island", "islands"),
    Field("island_ntree", ("nisle_cap",), "block", "number of trees of each island", "islands"),
    Field("island_itreeadr", ("nisle_cap",), "block", "its first tree in map_itree2tree", "islands"),
    Field("island_nv", ("nisle_cap",), "block", "its number of dofs", "islands"),
    Field("island_idofadr", ("nisle_cap",), "block", "its first dof in map_idof2dof", "islands"),
    Field("island_dofadr", ("nisle_cap",), "block", "its first dof", "islands"),
    Field("island_ne", ("nisle_cap",), "block", "its number of rows of equality constraints", "islands"),
    Field("island_nf", ("nisle_cap",), "block", "its number of rows of friction loss", "islands"),
    Field("island_nefc", ("nisle_cap",), "block", "its number of rows", "islands"),
    Field("island_iefcadr", ("nisle_cap",), "block", "its first row in map_iefc2efc", "islands"),
    Field("itree_first", ("nisle_cap",), "block", "first dof of each tree of map_itree2tree", "islands", ours=True),
    Field("itree_last", ("nisle_cap",), "block", "one past its last dof", "islands", ours=True),
    Field("isle_first", (), "block", "the first isle that the solver goes through", "constraint", ours=True),
    Field("isle_end", (), "block", "one past the last", "constraint", ours=True),
    Field("isle_cost", ("nisle_cap",), "real", "cost of each isle where the solver starts", "constraint", ours=True),
)

CONSTRAINT_FIELDS = ROWS + SLOTS + SOLVER + DUAL + ISLANDS
