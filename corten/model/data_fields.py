"""The table of Data: everything that changes from step to step. Names and shapes are MuJoCo's, unless marked ours."""

from __future__ import annotations

from corten.kernel.record import Field, RecordType
from corten.model.constraint_fields import CONSTRAINT_FIELDS

# What a user sets: the state of the world and what acts on it.
STATE = (
    Field("time", (), "real", "simulation time in seconds"),
    Field("qpos", ("nq",), "real", "joint coordinates"),
    Field("qvel", ("nv",), "real", "joint velocities"),
    Field("act", ("na",), "real", "actuator activations"),
    Field("qacc_warmstart", ("nv",), "real", "accelerations at which the constraint solver starts"),
    Field("ctrl", ("nu",), "real", "controls"),
    Field("qfrc_applied", ("nv",), "real", "applied joint forces"),
    Field("xfrc_applied", ("nbody", 6), "real", "applied force and torque at each body's centre of mass, world axes"),
    Field("eq_active", ("neq",), "flag", "which equality constraints are switched on"),
    Field("mocap_pos", ("nmocap", 3), "real", "positions of mocap bodies"),
    Field("mocap_quat", ("nmocap", 4), "real", "orientations of mocap bodies"),
    Field("history", ("nhistory",), "real", "buffers of delayed controls and sensors"),
    Field("userdata", ("nuserdata",), "real", "for the user; the engine leaves it alone"),
)

POSITION = (
    Field("xpos", ("nbody", 3), "real", "positions of bodies", "kinematics"),
    Field("xquat", ("nbody", 4), "real", "orientations of bodies", "kinematics"),
    Field("xmat", ("nbody", 9), "real", "the same as matrices", "kinematics"),
    Field("xipos", ("nbody", 3), "real", "centres of mass of bodies", "kinematics"),
    Field("ximat", ("nbody", 9), "real", "principal axes of inertia of bodies", "kinematics"),
    Field("xanchor", ("njnt", 3), "real", "anchors of joints", "kinematics"),
    Field("xaxis", ("njnt", 3), "real", "axes of joints", "kinematics"),
    Field("geom_xpos", ("ngeom", 3), "real", "positions of geoms", "kinematics"),
    Field("geom_xmat", ("ngeom", 9), "real", "orientations of geoms", "kinematics"),
    Field("site_xpos", ("nsite", 3), "real", "positions of sites", "kinematics"),
    Field("site_xmat", ("nsite", 9), "real", "orientations of sites", "kinematics"),
    Field("cam_xpos", ("ncam", 3), "real", "positions of cameras", "cameras_and_lights"),
    Field("cam_xmat", ("ncam", 9), "real", "orientations of cameras", "cameras_and_lights"),
    Field("light_xpos", ("nlight", 3), "real", "positions of lights", "cameras_and_lights"),
    Field("light_xdir", ("nlight", 3), "real", "directions of lights", "cameras_and_lights"),
    Field("subtree_com", ("nbody", 3), "real", "centre of mass of each body and all below it", "centre_of_mass"),
    Field("cdof", ("nv", 6), "real", "motion axes of dofs about the tree's centre of mass", "centre_of_mass"),
    Field("cinert", ("nbody", 10), "real", "inertias of bodies about the tree's centre of mass", "centre_of_mass"),
    Field("crb", ("nbody", 10), "real", "inertias of bodies and all below them", "joint_inertia"),
    Field("M", ("nC",), "real", "joint-space inertia, sparse rows up to the diagonal", "joint_inertia"),
    Field("qLD", ("nC",), "real", "L and D of M = L' D L, in the places of M", "factor_inertia"),
    Field("qLDiagInv", ("nv",), "real", "1 / D", "factor_inertia"),
    Field("ten_wrapadr", ("ntendon",), "int", "first point of each tendon's path", "tendon"),
    Field("ten_wrapnum", ("ntendon",), "int", "number of points of each tendon's path", "tendon"),
    Field("wrap_obj", ("nwrap", 2), "int", "what points of paths are on: a geom, or -1 a site, -2 a pulley", "tendon"),
    Field("wrap_xpos", ("nwrap", 6), "real", "points of all paths, two to a row", "tendon"),
    Field("ten_length", ("ntendon",), "real", "lengths of tendons", "tendon"),
    Field("ten_J", ("nJten",), "real", "gradients of their lengths by the dofs, sparse rows", "tendon"),
    Field("actuator_length", ("nu",), "real", "lengths of actuators", "transmission"),
    Field("actuator_moment", ("nmoment",), "real", "gradients of lengths by dofs, sparse rows", "transmission"),
    Field("energy", (2,), "real", "potential and kinetic energy", "energy"),
    Field("sensordata", ("nsensordata",), "real", "readings of sensors", "sensors"),
)

# Contacts: the first `ncon` rows. More of them than there are rows makes `ncon_wanted` larger than `ncon`.
CONTACT = (
    Field("nconcap", (), "capacity", "rows for contacts", ours=True),
    Field("ncon", (), "int", "number of contacts", "collision"),
    Field("ncon_wanted", (), "int", "number of contacts if there had been room for all", "collision", ours=True),
    Field("contact_dist", ("nconcap",), "real", "distances; negative in penetration", "collision", ours=True),
    Field("contact_pos", ("nconcap", 3), "real", "positions, midway between the geoms", "collision", ours=True),
    Field("contact_frame", ("nconcap", 9), "real", "axes as rows; the first is the normal", "collision", ours=True),
    Field("contact_includemargin", ("nconcap",), "float", "distances at which they push", "collision", ours=True),
    Field("contact_friction", ("nconcap", 5), "float", "two sliding, torsion, two rolling", "collision", ours=True),
    Field("contact_solref", ("nconcap", 2), "float", "reference, normal", "collision", ours=True),
    Field("contact_solreffriction", ("nconcap", 2), "float", "reference, friction; 0: normal", "collision", ours=True),
    Field("contact_solimp", ("nconcap", 5), "float", "impedance parameters", "collision", ours=True),
    Field("contact_mu", ("nconcap",), "real", "friction of the regularized cone", "constraint", ours=True),
    Field("contact_dim", ("nconcap",), "int", "dimensions of the force: 1, 3, 4 or 6", "collision", ours=True),
    Field("contact_geom", ("nconcap", 2), "int", "the two geoms", "collision", ours=True),
    Field("contact_exclude", ("nconcap",), "int", "0: included, 1: in the gap, 3: unmoved", "collision", ours=True),
    Field("contact_efc_address", ("nconcap",), "int", "first constraint row, or -1", "constraint", ours=True),
    Field("ntouch", (), "int", "number of points in which two geoms touch", ours=True),
    Field("touch_dist", (50,), "real", "points at which two geoms touch: distances", ours=True),
    Field("touch_pos", (50, 3), "real", "their positions", ours=True),
    Field("touch_normal", (50, 3), "real", "their normals, from the first geom to the second", ours=True),
    Field("touch_tangent", (50, 3), "real", "their first tangents; 0: any", ours=True),
)

# Memory of the broad phase for many geoms (corten/physics/collision/sweep.py).
SWEEP = (
    Field("nnearcap", (), "capacity", "rows for pairs of geoms that are near each other", ours=True),
    Field("nnear_wanted", (), "int", "number of such pairs", "collision", ours=True),
    Field("near_first", ("nnearcap",), "block", "first geom of a near pair", ours=True),
    Field("near_second", ("nnearcap",), "block", "second geom", ours=True),
    Field("near_pair", ("nnearcap",), "block", "explicit pair that it is, or -1", ours=True),
    Field("near_first_too", ("nnearcap",), "block", "the same while sorting", ours=True),
    Field("near_second_too", ("nnearcap",), "block", "the same while sorting", ours=True),
    Field("near_pair_too", ("nnearcap",), "block", "the same while sorting", ours=True),
    Field("near_start", ("nsweepbody",), "block", "where the pairs of a body begin", ours=True),
    Field("sweep_ready", (), "int", "whether sweep_order is set", ours=True),
    Field("sweep_order", ("nsweep",), "int", "units that move, then those that stand, as last sorted", ours=True),
    Field("sweep_unit", ("nsweep",), "block", "the same while sweeping one world", ours=True),
    Field("sweep_low", ("nsweep",), "common", "by what they are sorted: where they begin", ours=True),
    Field("sweep_box", ("nsweep", 6), "common", "their bounding boxes in this order: least, most corner", ours=True),
    Field("unit_box", ("nsweep", 6), "common", "the same in the order of the model", ours=True),
    Field("geom_box", ("nsweepgeom", 6), "common", "bounding boxes of the swept geoms", ours=True),
)

VELOCITY = (
    Field("ten_velocity", ("ntendon",), "real", "velocities of tendons", "tendon_velocity"),
    Field("actuator_velocity", ("nu",), "real", "velocities of actuators", "actuator_velocity"),
    Field("cvel", ("nbody", 6), "real", "velocities of bodies about the tree's centre of mass", "body_velocity"),
    Field("cdof_dot", ("nv", 6), "real", "rates of the motion axes", "body_velocity"),
    Field("qfrc_spring", ("nv",), "real", "forces of springs", "passive"),
    Field("qfrc_damper", ("nv",), "real", "forces of dampers", "passive"),
    Field("qfrc_gravcomp", ("nv",), "real", "forces of gravity compensation", "passive"),
    Field("qfrc_fluid", ("nv",), "real", "forces of the medium", "fluid"),
    Field("qfrc_passive", ("nv",), "real", "all passive forces", "passive"),
    Field("qfrc_bias", ("nv",), "real", "gravity, Coriolis and centrifugal forces", "bias"),
    Field("subtree_linvel", ("nbody", 3), "real", "velocities of centres of mass of subtrees", "subtree_velocity"),
    Field("subtree_angmom", ("nbody", 3), "real", "angular momenta of subtrees about these", "subtree_velocity"),
)

ACCELERATION = (
    Field("act_dot", ("na",), "real", "rates of activations", "actuation"),
    Field("actuator_force", ("nu",), "real", "forces of actuators", "actuation"),
    Field("qfrc_actuator", ("nv",), "real", "the same on the dofs", "actuation"),
    Field("qfrc_smooth", ("nv",), "real", "all forces but those of constraints", "smooth_force"),
    Field("qacc_smooth", ("nv",), "real", "accelerations without constraints", "smooth_acceleration"),
    Field("qfrc_constraint", ("nv",), "real", "forces of constraints", "constraint"),
    Field("qacc", ("nv",), "real", "accelerations", "constraint"),
    Field("cacc", ("nbody", 6), "real", "accelerations of bodies about the tree's centre of mass", "body_forces"),
    Field("cfrc_int", ("nbody", 6), "real", "torque and force of each body's parent on it", "body_forces"),
    Field("cfrc_ext", ("nbody", 6), "real", "torque and force on each body from outside", "body_forces"),
    Field("qfrc_inverse", ("nv",), "real", "forces that would give qacc", "inverse"),
    Field("solver_fwdinv", (2,), "real", "forward against inverse dynamics: constraint and applied forces", "inverse"),
    Field("qH", ("nC",), "real", "factors of the inertia modified by the integrator", "integrate"),
    Field("qHDiagInv", ("nv",), "real", "inverse of the diagonal of qH", "integrate"),
    Field("qDeriv", ("nD",), "real", "derivative of smooth forces by velocities", "velocity_derivative"),
    Field("qLU", ("nD",), "real", "factors of the implicit integrator's matrix", "implicit"),
)

# Memory that stages work in. Nothing in it outlives the stage, the Runge-Kutta state excepted, which outlives trial
# states.
SCRATCH = (
    Field("obstacle_length", ("nobstacle",), "real", "length on each obstacle, or -1", "tendon", ours=True),
    Field("obstacle_point", ("nobstacle", 6), "real", "where tendons meet and leave obstacles", "tendon", ours=True),
    Field("bias_acc", ("nbody", 6), "real", "accelerations of bodies with qacc at zero", "bias", ours=True),
    Field("bias_force", ("nbody", 6), "real", "forces that these need", "bias", ours=True),
    Field("actuator_input", ("nu",), "real", "controls as they act: delayed, limited", "actuation", ours=True),
    Field("fluid_wrench", ("nbody", 6), "real", "force of the medium on bodies and all below", "fluid", ours=True),
    Field("fluid_gain", ("nbody", 36), "real", "its derivatives by their velocities", "velocity_derivative", ours=True),
    Field("turning", ("nbody", 12), "real", "how turning changes bias forces", "velocity_derivative", ours=True),
    Field("cdof_rate", ("nv", 6), "real", "rates of motion axes after joints", "velocity_derivative", ours=True),
    Field("history_start", ("nhistory",), "real", "buffers of a world that has no past", ours=True),
    Field("scratch_v", ("nv",), "real", "one number per dof", ours=True),
    Field("sensor_fresh", ("nsensordata",), "real", "readings on their way to a buffer", "sensors", ours=True),
    Field("inverse_qacc", ("nv",), "real", "accelerations before they are made continuous", "inverse", ours=True),
    Field("inverse_force", ("nv",), "real", "forces of the forward dynamics, to compare with", "inverse", ours=True),
    Field("rk_time", (), "real", "time at the start of a Runge-Kutta step", "integrate", ours=True),
    Field("rk_qpos", ("nq",), "real", "positions at the start of a Runge-Kutta step", "integrate", ours=True),
    Field("rk_qvel", ("nv",), "real", "velocities at the start of a Runge-Kutta step", "integrate", ours=True),
    Field("rk_act", ("na",), "real", "activations at the start of a Runge-Kutta step", "integrate", ours=True),
    Field("rk_act_sum", ("na",), "real", "weighted sum of rates of activations", "integrate", ours=True),
    Field("rk_qvel_sum", ("nv",), "real", "weighted sum of velocities of trial states", "integrate", ours=True),
    Field("rk_qacc_sum", ("nv",), "real", "weighted sum of accelerations of trial states", "integrate", ours=True),
)

# What went wrong, by kind of Warning; it adds up until the Data is reset.
WARNINGS = (
    Field("warning_number", (8,), "int", "how often each Warning was given", ours=True),
    Field("warning_lastinfo", (8,), "int", "what it was about when last given: an index", ours=True),
)

DATA_FIELDS = STATE + POSITION + CONTACT + SWEEP + VELOCITY + ACCELERATION + CONSTRAINT_FIELDS + WARNINGS + SCRATCH
DATA = RecordType("Data", DATA_FIELDS)
