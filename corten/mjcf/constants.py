"""Constants at the reference pose qpos0 that follow from geometry; those that need dynamics are left to the kernels.

At qpos0 every joint is at rest, so poses are products of the frames in the file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corten.mjcf.rotation import Pose, Vector, compose, conjugate, matrix, multiply, rotate, subtract
from corten.mjcf.spec import NO_POSE, Spec
from corten.model.enums import EqualityType, GeomType, JointType, ObjType, SameFrame

MIN_VALUE = 1e-15
MIN_LENGTH = 1e-5
DEFAULT_SIZE = 0.2
DEFAULT_EXTENT = 2.0


def set_constants(spec: Spec, sizes: dict[str, int], values: dict[str, Any]) -> None:
    """Fill in what follows from the model alone."""
    _scale_mass(spec, values)
    values["body_subtreemass"] = _subtree_sums(values, np.array(values["body_mass"], float))
    world = _World(values)
    values |= _camera_constants(values, world)
    values |= _light_constants(values, world)
    _equality_constants(values, world)
    values |= _statistics(sizes, values, world)
    values |= {f"stat.{name}": value for name, value in spec.statistic.items()}


def _scale_mass(spec: Spec, values: dict[str, Any]) -> None:
    """Scale masses and inertias so that the total is what the file asks for."""
    wanted = spec.settings.settotalmass
    total = float(np.sum(values["body_mass"]))
    if wanted > 0 and total > 0:
        scale = max(MIN_VALUE, wanted / max(MIN_VALUE, total))
        values["body_mass"] = values["body_mass"] * scale
        values["body_inertia"] = values["body_inertia"] * scale


def _subtree_sums(values: dict[str, Any], each: np.ndarray) -> np.ndarray:
    """For each body, the sum over it and all below it."""
    parents = values["body_parentid"]
    for body in range(len(parents) - 1, 0, -1):
        each[parents[body]] += each[body]
    return each


class _World:
    """Global poses at qpos0."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.bodies: list[Pose] = [NO_POSE]
        parents = values["body_parentid"]
        frames = list(zip(values["body_pos"], values["body_quat"], strict=True))
        for body in range(1, len(parents)):
            self.bodies.append(compose(self.bodies[parents[body]], frames[body]))
        self.xpos = np.array([pose[0] for pose in self.bodies])
        self._axes = np.array([matrix(pose[1]) for pose in self.bodies]).reshape(-1, 3, 3)
        every = range(len(parents))
        self.xipos = self.xpos
        self.xipos = self.points(every, values["body_ipos"], values["body_sameframe"])
        self.anchors = self.points(values["jnt_bodyid"], values["jnt_pos"])
        self.geoms = self.points(values["geom_bodyid"], values["geom_pos"], values["geom_sameframe"])
        self.sites = self.points(values["site_bodyid"], values["site_pos"], values["site_sameframe"])
        weighted = _subtree_sums(values, np.asarray(values["body_mass"])[:, None] * self.xipos)
        mass = values["body_subtreemass"][:, None]
        self.subtree_com = np.where(mass < MIN_VALUE, self.xipos, weighted / np.maximum(mass, MIN_VALUE))

    def points(self, bodies: Any, local: Any, sameframe: Any = None) -> np.ndarray:
        """Global positions of points given in frames of bodies; those of a coinciding frame are taken from it."""
        index = np.array(bodies, int)
        local = np.array(local, float).reshape(-1, 3)
        result = self.xpos[index] + np.einsum("nij,nj->ni", self._axes[index], local)
        if sameframe is not None and len(result):
            same = np.array(sameframe)[:, None]
            result = np.where(same == SameFrame.BODY, self.xpos[index], result)
            result = np.where(same == SameFrame.INERTIA, self.xipos[index], result)
        return result


def _camera_constants(values: dict[str, Any], world: _World) -> dict[str, Any]:
    pos0, com0, mat0 = [], [], []
    for body, target, pos, quat in zip(
        values["cam_bodyid"], values["cam_targetbodyid"], values["cam_pos"], values["cam_quat"], strict=True
    ):
        position, orientation = compose(world.bodies[body], (pos, quat))
        pos0.append(subtract(position, world.bodies[body][0]))
        com0.append(np.array(position) - world.subtree_com[target if target >= 0 else body])
        mat0.append(matrix(orientation))
    return {"cam_pos0": pos0, "cam_poscom0": com0, "cam_mat0": mat0}


def _light_constants(values: dict[str, Any], world: _World) -> dict[str, Any]:
    pos0, com0, dir0 = [], [], []
    for body, target, pos, direction in zip(
        values["light_bodyid"], values["light_targetbodyid"], values["light_pos"], values["light_dir"], strict=True
    ):
        offset = rotate(world.bodies[body][1], pos)
        pos0.append(offset)
        com0.append(world.xpos[body] + offset - world.subtree_com[target if target >= 0 else body])
        dir0.append(rotate(world.bodies[body][1], direction))
    return {"light_pos0": pos0, "light_poscom0": com0, "light_dir0": dir0}


def _local(pose: Pose, point: Vector) -> Vector:
    return rotate(conjugate(pose[1]), subtract(point, pose[0]))


def _equality_constants(values: dict[str, Any], world: _World) -> None:
    """Anchors in the second body, and relative poses that the file leaves out."""
    for number, kind in enumerate(values["eq_type"]):
        data = values["eq_data"][number]
        at_bodies = values["eq_objtype"][number] == ObjType.BODY
        if kind == EqualityType.CONNECT and not at_bodies:
            data[:] = [0.0] * len(data)
        elif kind == EqualityType.DISTANCE:
            _distance(values, world, number)
        elif kind in (EqualityType.CONNECT, EqualityType.WELD) and at_bodies:
            first = world.bodies[values["eq_obj1id"][number]]
            second = world.bodies[values["eq_obj2id"][number]]
            anchor = (data[0], data[1], data[2])
            if kind == EqualityType.CONNECT:
                data[3:6] = _local(second, compose(first, (anchor, NO_POSE[1]))[0])
            elif any(data[6:10]):
                length = float(np.sqrt(np.dot(data[6:10], data[6:10])))
                data[6:10] = [x / length for x in data[6:10]]
            else:
                data[3:6] = _local(first, compose(second, (anchor, NO_POSE[1]))[0])
                data[6:10] = multiply(conjugate(first[1]), second[1])


def _distance(values: dict[str, Any], world: _World, number: int) -> None:
    """A distance that the file leaves out is that at qpos0."""
    data = values["eq_data"][number]
    if data[0] < 0:
        first, second = values["eq_obj1id"][number], values["eq_obj2id"][number]
        other = world.geoms[second] if second >= 0 else np.zeros(3)
        data[0] = float(np.linalg.norm(world.geoms[first] - other))


def _statistics(sizes: dict[str, int], values: dict[str, Any], world: _World) -> dict[str, Any]:
    """Extent and centre of the model, mean mass and size of its bodies, and the length scale of each dof."""
    size = _body_sizes(sizes, values, world)
    angular = [
        kind in (JointType.BALL, JointType.HINGE) or (kind == JointType.FREE and offset >= 3)
        for kind, offset in _dof_kinds(values)
    ]
    lengths = np.where(angular, size[np.array(values["dof_bodyid"], int)], 1.0) if angular else []
    low, high = _bounds(sizes, values, world)
    moving = max(sizes["nbody"] - 1, 0)
    mean_size = float(np.sum(size[1:]) / moving) if moving else DEFAULT_SIZE
    extent = max(MIN_LENGTH, float((high - low).max())) if high[0] > low[0] else DEFAULT_EXTENT
    return {
        "dof_length": lengths,
        "stat.center": (low + high) / 2,
        "stat.extent": max(extent, 2 * mean_size),
        "stat.meansize": mean_size,
        "stat.meanmass": float(np.sum(values["body_mass"][1:]) / moving) if moving else 1.0,
        "stat.meaninertia": 1.0,
    }


def _dof_kinds(values: dict[str, Any]) -> list[tuple[int, int]]:
    """For each dof the type of its joint, and its number in the joint."""
    return [
        (values["jnt_type"][joint], dof - int(values["jnt_dofadr"][joint]))
        for dof, joint in enumerate(values["dof_jntid"])
    ]


def _body_sizes(sizes: dict[str, int], values: dict[str, Any], world: _World) -> np.ndarray:
    """Size of each body: how far its joints, those of its children, and its geoms reach from its centre of mass."""
    size = np.zeros(sizes["nbody"])
    if sizes["njnt"]:
        bodies = np.array(values["jnt_bodyid"], int)
        parents = np.array(values["body_parentid"], int)[bodies]
        np.maximum.at(size, bodies, np.linalg.norm(world.xipos[bodies] - world.anchors, axis=1))
        # the distance to the parent is measured from the parent's centre of mass
        np.maximum.at(size, parents, np.linalg.norm(world.xipos[parents] - world.anchors, axis=1))
    size[0] = 0.0
    if sizes["ngeom"]:
        bodies = np.array(values["geom_bodyid"], int)
        radius = np.array(values["geom_rbound"], float)
        reach = radius + np.linalg.norm(world.xipos[bodies] - world.geoms, axis=1)
        bounded = (radius > 0) & (bodies > 0)
        np.maximum.at(size, bodies[bounded], reach[bounded])
    size[1:] = np.maximum(size[1:], MIN_LENGTH)
    return size


def _bounds(sizes: dict[str, int], values: dict[str, Any], world: _World) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the box that holds bodies, joints, sites, and geoms with their bounding spheres."""
    low, high = np.full(3, 1e10), np.full(3, -1e10)
    radii = np.array([_radius(values, geom) for geom in range(sizes["ngeom"])]).reshape(-1, 1)
    points = (
        (world.xpos[1:], 0.0), (world.xipos[1:], 0.0), (world.anchors, 0.0), (world.sites, 0.0), (world.geoms, radii)
    )
    for where, radius in points:
        if len(where):
            low = np.minimum(low, (where - radius).min(axis=0))
            high = np.maximum(high, (where + radius).max(axis=0))
    return low, high


def _radius(values: dict[str, Any], geom: int) -> float:
    """Bounding radius; for a plane, of which most is scenery, a tenth of its size, or 1 where it is infinite."""
    if values["geom_rbound"][geom] > 0 or values["geom_type"][geom] != GeomType.PLANE:
        return values["geom_rbound"][geom]
    a, b = values["geom_size"][geom][:2]
    return max(a, b) * 0.1 if a or b else 1.0
