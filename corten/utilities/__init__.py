"""Functions beside the simulation, after MuJoCo's of the same names: Jacobians, inertia, motion, contacts, rays.

They read what `forward` has computed last, unless said otherwise. Bodies, sites and geoms are given by name or number.
"""

from corten.utilities.constraint import constraint_force
from corten.utilities.contact import contact_force, decode_pyramid, encode_pyramid
from corten.utilities.coordinates import differentiate_pos, integrate_pos, normalize_quat
from corten.utilities.distance import geom_distance
from corten.utilities.frames import apply_ft, local_to_global, object_acceleration, object_velocity
from corten.utilities.history import init_ctrl_history, init_sensor_history, read_ctrl, read_sensor
from corten.utilities.inertia import full_mass_matrix, mul_m, solve_m
from corten.utilities.jacobian import (
    jac,
    jac_body,
    jac_body_com,
    jac_dot,
    jac_geom,
    jac_point_axis,
    jac_site,
    jac_subtree_com,
)
from corten.utilities.rays import ray, rays

__all__ = [
    "apply_ft",
    "constraint_force",
    "contact_force",
    "decode_pyramid",
    "differentiate_pos",
    "encode_pyramid",
    "full_mass_matrix",
    "geom_distance",
    "init_ctrl_history",
    "init_sensor_history",
    "integrate_pos",
    "jac",
    "jac_body",
    "jac_body_com",
    "jac_dot",
    "jac_geom",
    "jac_point_axis",
    "jac_site",
    "jac_subtree_com",
    "local_to_global",
    "mul_m",
    "normalize_quat",
    "object_acceleration",
    "object_velocity",
    "ray",
    "rays",
    "read_ctrl",
    "read_sensor",
    "solve_m",
]
