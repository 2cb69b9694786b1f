"""What belongs to which stage, and how close it must be.

The stages follow the order of a forward pass, so the first one that differs names the cause and later ones its
consequences. Tolerances are relative to max(1, largest magnitude of the field) unless noted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

STAGES = (
    "compile", "position", "collision", "velocity", "actuation", "rows",
    "solve", "sensors", "energy", "inverse", "trajectory",
)  # fmt: skip

# Stages read from the data after one forward pass, in the order in which they are compared.
FORWARD = ("position", "collision", "velocity", "actuation", "rows", "solve", "sensors", "energy")

COMPILE_TOLERANCE = 1e-9  # relative to the field's largest magnitude
COMPILE_FLOOR = 1e-3  # magnitudes below this are compared absolutely, to COMPILE_TOLERANCE times this
HULL_TOLERANCE = 1e-6  # fields that come out of a mesh's hull or volume integral
LENS_TOLERANCE = 2.5e-7  # cam_fovy of a lens: the C library's arctangent in single precision, right to its last place

DEFAULT_SOLVER_TOLERANCE = 1e-4  # qacc with the model's own solver settings
DEFAULT_SOLVER_ITERATIONS = 2  # number of iterations may differ by this, for Newton
EXACT_SOLVER = {"tolerance": 0.0, "iterations": 500, "ls_iterations": 100}

TRAJECTORY_TOLERANCE = 1e-6
TRAJECTORY_STEPS = 100  # without contact
CONTACT_STEPS = 20  # with contact
LARGEST = 1e10  # positions and velocities beyond are bad: the next step resets the state

INVERSE_TOLERANCE = 1e-7
ACCELERATION_SENSOR_TOLERANCE = 1e-6

# Fields whose compiled value follows from the shape of a mesh.
HULL_FIELDS = frozenset(
    """
    body_mass body_subtreemass body_inertia body_ipos body_iquat body_invweight0 dof_invweight0 dof_M0 dof_length
    geom_pos geom_quat geom_size geom_aabb geom_rbound mesh_pos mesh_quat mesh_vert mesh_normal mesh_polynormal
    tendon_invweight0 tendon_length0 actuator_acc0 actuator_length0 flexedge_invweight0 cam_poscom0 light_poscom0
    stat.meaninertia stat.meanmass stat.meansize stat.extent stat.center
    """.split()
)


@dataclass(frozen=True, slots=True)
class Group:
    """Fields of the data that one stage writes."""

    stage: str
    tolerance: float
    fields: tuple[str, ...]
    asked: str = ""  # flag of the reference's data: compared only where a sensor made the reference compute it


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


GROUPS = (
    Group("position", 0.0, _names("time qpos qvel act ctrl qfrc_applied xfrc_applied eq_active mocap_pos mocap_quat")),
    Group("position", 0.0, _names("history userdata tree_asleep tree_awake body_awake")),
    Group("position", 0.0, _names("ntree_awake nbody_awake nparent_awake nv_awake")),
    Group(
        "position",
        1e-10,
        _names(
            """
            xpos xquat xmat xipos ximat xanchor xaxis geom_xpos geom_xmat site_xpos site_xmat cam_xpos cam_xmat
            light_xpos light_xdir subtree_com cinert cdof crb
            flexvert_xpos flexelem_aabb flexedge_J flexedge_length flexvert_J flexvert_length
            ten_wrapadr ten_wrapnum wrap_obj wrap_xpos ten_length ten_J actuator_length actuator_moment
            M qLD qLDiagInv
            """
        ),
    ),
    Group(
        "collision",
        1e-9,
        _names(
            """
            ncon contact.geom contact.geom1 contact.geom2 contact.dim contact.exclude contact.dist contact.pos
            contact.frame contact.includemargin contact.friction contact.solref contact.solreffriction contact.solimp
            contact.flex contact.elem contact.vert
            """
        ),
    ),
    Group(
        "velocity",
        1e-10,
        _names(
            """
            cvel cdof_dot flexedge_velocity ten_velocity actuator_velocity
            qfrc_spring qfrc_damper qfrc_gravcomp qfrc_fluid qfrc_passive qfrc_bias
            """
        ),
    ),
    Group("velocity", 1e-10, _names("subtree_linvel subtree_angmom"), asked="flg_subtreevel"),
    Group("actuation", 1e-9, _names("act_dot actuator_force qfrc_actuator qfrc_smooth qacc_smooth")),
    Group(
        "rows",
        1e-9,
        _names(
            """
            ne nf nl nefc efc_type efc_id efc_J efc_pos efc_margin efc_frictionloss efc_diagApprox efc_KBIP efc_D
            efc_R efc_vel efc_aref tendon_efcadr contact.mu contact.efc_address
            nisland nidof tree_island island_ntree island_itreeadr map_itree2tree dof_island island_nv island_idofadr
            island_dofadr map_dof2idof map_idof2dof efc_island island_ne island_nf island_nefc island_iefcadr
            map_efc2iefc map_iefc2efc
            """
        ),
    ),
    Group("solve", 1e-7, _names("qacc qfrc_constraint qacc_warmstart")),
    Group("solve", 1e-5, _names("efc_force")),
    Group("sensors", 1e-8, _names("sensordata")),
    Group("sensors", 1e-6, _names("cacc cfrc_int cfrc_ext"), asked="flg_rnepost"),
    Group("energy", 1e-9, _names("energy")),
    Group("inverse", INVERSE_TOLERANCE, _names("qfrc_inverse")),
)

_GROUP_OF = {name: group for group in GROUPS for name in group.fields}


def group_of(field: str) -> Group | None:
    """The group of a field of the data, or None if no stage lists it."""
    return _GROUP_OF.get(field)


def select(stages: Iterable[str]) -> tuple[str, ...]:
    """The named stages in their order; `ValueError` for a name that is not a stage."""
    wanted = set(stages)
    unknown = sorted(wanted - set(STAGES))
    if unknown:
        raise ValueError(f"no stage is called '{unknown[0]}' (stages: {', '.join(STAGES)})")
    return tuple(s for s in STAGES if s in wanted) or STAGES
