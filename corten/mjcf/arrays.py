"""From compiled objects to the arrays of the tree: bodies, joints, dofs, trees, geoms, sites, cameras, lights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from corten.mjcf.rotation import IDENTITY
from corten.mjcf.sparsity import starts
from corten.mjcf.spec import MAX_NUMBERS, Body, Camera, Geom, Joint, Light, Site, Spec
from corten.model.enums import COORDINATES, DOFS, JointType, SameFrame

SAME = 1e-6


def user_width(items: Sequence[Any], said: int) -> int:
    """How many user values each object has: the number that the file asks for, or the largest used."""
    given = [item.values.get("user", ()) for item in items]
    width = max(map(len, given), default=0)
    if said >= 0:
        for item, values in zip(items, given, strict=True):
            if len(values) > said:
                item.fail(f"has {len(values)} values, the model has room for {said}", "user")
        width = said
    if len(items) * width > MAX_NUMBERS:
        items[0].fail(f"has room for {width} values, as have {len(items) - 1} others", "user")
    return width


def user_values(items: Sequence[Any], width: int) -> np.ndarray:
    """User values of all objects, padded to the same number."""
    table = np.zeros((len(items), width))
    for row, item in zip(table, items, strict=True):
        values = item.values.get("user", ())
        row[:len(values)] = values
    return table


def _table(rows: list[Any], width: int) -> np.ndarray:
    return np.array(rows, float).reshape(len(rows), width)


def _null_rotation(quat: np.ndarray) -> np.ndarray:
    return np.abs(np.abs(quat) - IDENTITY).max(axis=1) < SAME if len(quat) else np.zeros(0, bool)


def _same_rotation(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    near = np.minimum(np.abs(a - b).max(axis=1, initial=0), np.abs(a + b).max(axis=1, initial=0))
    return near < SAME


def _small(vectors: np.ndarray) -> np.ndarray:
    return np.abs(vectors).max(axis=1, initial=0) < SAME


def same_frame(pos: np.ndarray, quat: np.ndarray, ipos: np.ndarray, iquat: np.ndarray) -> np.ndarray:
    """Which frame of the body each pose coincides with; the first that fits."""
    turned = ~_null_rotation(quat)
    return np.select(
        [~turned & _small(pos), ~turned, _same_rotation(quat, iquat) & _small(pos - ipos), _same_rotation(quat, iquat)],
        [SameFrame.BODY, SameFrame.BODYROT, SameFrame.INERTIA, SameFrame.INERTIAROT],
        SameFrame.NONE,
    )


def body_arrays(bodies: list[Body]) -> dict[str, Any]:
    """The `body_*` arrays, without those that need dofs of all bodies."""
    parents = [0 if b.parent is None else b.parent.id for b in bodies]
    roots: list[int] = []
    for number, parent in enumerate(parents):
        roots.append(number if parent == 0 else roots[parent])
    mocap = [bool(b.values.get("mocap")) for b in bodies]
    ipos, iquat = _table([b.ipos for b in bodies], 3), _table([b.iquat for b in bodies], 4)
    mass = np.array([b.mass for b in bodies])
    same = np.where(_null_rotation(iquat), np.where(_small(ipos), SameFrame.BODY, SameFrame.BODYROT), SameFrame.NONE)
    return {
        "body_parentid": parents,
        "body_rootid": roots,
        "body_weldid": [b.weldid for b in bodies],
        "body_mocapid": np.where(mocap, np.cumsum(mocap) - 1, -1),
        "body_jntnum": [len(b.joints) for b in bodies],
        "body_jntadr": [b.joints[0].id if b.joints else -1 for b in bodies],
        "body_dofnum": [b.dofnum for b in bodies],
        "body_geomnum": [len(b.geoms) for b in bodies],
        "body_geomadr": [b.geoms[0].id if b.geoms else -1 for b in bodies],
        "body_sameframe": same,
        "body_pos": [b.pos for b in bodies],
        "body_quat": [b.quat for b in bodies],
        "body_ipos": ipos,
        "body_iquat": iquat,
        "body_mass": mass,
        "body_inertia": _table([b.inertia for b in bodies], 3),
        "body_gravcomp": [b.values.get("gravcomp", 0.0) for b in bodies],
        "body_margin": [b.margin for b in bodies],
        "body_contype": [b.contype for b in bodies],
        "body_conaffinity": [b.conaffinity for b in bodies],
    }


def joint_arrays(joints: list[Joint]) -> dict[str, Any]:
    """The `jnt_*` arrays."""
    v = [j.values for j in joints]
    nq, nv = [COORDINATES[j.type] for j in joints], [DOFS[j.type] for j in joints]
    copied = {"group": "group", "actgravcomp": "actuatorgravcomp", "solref": "solreflimit", "solimp": "solimplimit",
              "stiffness": "stiffness", "actfrcrange": "actuatorfrcrange", "margin": "margin"}
    return {
        "jnt_type": [j.type for j in joints],
        "jnt_qposadr": starts(nq),
        "jnt_dofadr": starts(nv),
        "jnt_bodyid": [j.body.id for j in joints],
        "jnt_limited": [j.limited for j in joints],
        "jnt_actfrclimited": [j.actfrclimited for j in joints],
        "jnt_pos": [j.pos for j in joints],
        "jnt_axis": [j.axis for j in joints],
        "jnt_range": [j.range for j in joints],
        **{f"jnt_{field}": [values[name] for values in v] for field, name in copied.items()},
        **_coordinates(joints),
        **_dofs(joints),
    }


def _coordinates(joints: list[Joint]) -> dict[str, Any]:
    qpos0: list[float] = []
    spring: list[float] = []
    for joint in joints:
        if joint.type == JointType.FREE:
            qpos0 += [*joint.body.pos, *joint.body.quat]
        elif joint.type == JointType.BALL:
            qpos0 += IDENTITY
        else:
            qpos0.append(joint.ref)
        spring += [joint.springref] if len(spring) == len(qpos0) - 1 else qpos0[len(spring):]
    return {"qpos0": qpos0, "qpos_spring": spring}


def _dofs(joints: list[Joint]) -> dict[str, Any]:
    each = [joint for joint in joints for _ in range(DOFS[joint.type])]
    copied = {"solref": "solreffriction", "solimp": "solimpfriction", "frictionloss": "frictionloss",
              "armature": "armature", "damping": "damping"}
    return {
        "dof_bodyid": [j.body.id for j in each],
        "dof_jntid": [j.id for j in each],
        **{f"dof_{field}": [j.values[name] for j in each] for field, name in copied.items()},
    }


def simple_bodies(bodies: list[Body], sameframe: Sequence[int]) -> list[int]:
    """Which bodies have an inertia that is diagonal in their dofs: 1, or 2 where all dofs are slides.

    They are children of the world or of a body fixed to it, have no children, their inertial frame is their own, and
    their joints pass through it along its axes, with at most one rotation, which comes last.
    """
    simple = []
    for body, same in zip(bodies, sameframe, strict=True):
        parent = body.parent
        near_root = parent is None or parent.parent is None or (parent.parent.parent is None and not parent.dofnum)
        value = int(same == SameFrame.BODY and near_root and (not body.bodies or parent is None))
        turned = False
        for joint in body.joints:
            scalar = joint.type in (JointType.HINGE, JointType.SLIDE)
            aligned = sum(abs(x) > 1e-14 for x in joint.axis) == 1
            if turned or max(map(abs, joint.pos)) >= SAME or (scalar and not aligned):
                value = 0
            turned = turned or joint.type in (JointType.BALL, JointType.HINGE)
        if value and body.dofnum and all(joint.type == JointType.SLIDE for joint in body.joints):
            value = 2
        simple.append(value)
    return simple


def geom_arrays(geoms: list[Geom]) -> dict[str, Any]:
    """The `geom_*` arrays."""
    v = [g.values for g in geoms]
    copied = ("contype", "conaffinity", "condim", "group", "priority", "solmix", "solref", "solimp", "friction",
              "margin", "gap", "rgba")
    computed = {"type": 1, "matid": 1, "size": 3, "aabb": 6, "rbound": 1, "pos": 3, "quat": 4, "fluid": 12}
    bodies = [g.body for g in geoms]
    ipos, iquat = _table([b.ipos for b in bodies], 3), _table([b.iquat for b in bodies], 4)
    pos, quat = _table([g.pos for g in geoms], 3), _table([g.quat for g in geoms], 4)
    return {
        "geom_bodyid": [b.id for b in bodies],
        "geom_dataid": [next((a.id for a in (g.mesh, g.hfield) if a is not None), -1) for g in geoms],
        "geom_sameframe": same_frame(pos, quat, ipos, iquat),
        **{f"geom_{name}": [values[name] for values in v] for name in copied},
        **{f"geom_{name}": [getattr(g, name) for g in geoms] for name in computed},
    }


def site_arrays(sites: list[Site]) -> dict[str, Any]:
    """The `site_*` arrays."""
    bodies = [s.body for s in sites]
    ipos, iquat = _table([b.ipos for b in bodies], 3), _table([b.iquat for b in bodies], 4)
    pos, quat = _table([s.pos for s in sites], 3), _table([s.quat for s in sites], 4)
    return {
        "site_bodyid": [b.id for b in bodies],
        "site_group": [s.values["group"] for s in sites],
        "site_sameframe": same_frame(pos, quat, ipos, iquat),
        **{f"site_{name}": [getattr(s, name) for s in sites] for name in ("type", "size", "pos", "quat")},
    }


def camera_arrays(spec: Spec, cameras: list[Camera]) -> dict[str, Any]:
    """The `cam_*` arrays."""
    v = [c.values for c in cameras]
    return {
        "cam_mode": [values["mode"] for values in v],
        "cam_bodyid": [c.body.id for c in cameras],
        "cam_targetbodyid": [_target(spec, c) for c in cameras],
        "cam_projection": [values["projection"] for values in v],
        "cam_resolution": [values["resolution"] for values in v],
        "cam_output": [sum(values["output"]) for values in v],
        "cam_sensorsize": [values["sensorsize"] for values in v],
        **{f"cam_{name}": [getattr(c, name) for c in cameras] for name in ("pos", "quat", "fovy", "intrinsic")},
    }


def light_arrays(spec: Spec, lights: list[Light]) -> dict[str, Any]:
    """The `light_*` arrays."""
    return {
        "light_mode": [light.values["mode"] for light in lights],
        "light_bodyid": [light.body.id for light in lights],
        "light_targetbodyid": [_target(spec, light) for light in lights],
        "light_pos": [light.pos for light in lights],
        "light_dir": [light.dir for light in lights],
    }


def _target(spec: Spec, item: Camera | Light) -> int:
    target = spec.find(item, "target")
    return -1 if target is None else target.id
