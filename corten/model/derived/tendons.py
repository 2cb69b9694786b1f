"""Tendons: the segments of their paths, and which dofs each may move.

A segment runs from one site of the path to the next; between them there may be an obstacle, a geom that the tendon lies
on when it is in the way. A free segment has two ends. One with an obstacle has six: those of the straight way, then
those of the way to the obstacle and of the way from it; which of them count is decided at run time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from corten.kernel.record import Field
from corten.model.derived.ends import Ends, compress, end_fields, opposed, union
from corten.model.enums import TrnType, WrapType

FIELDS = (
    Field("nJten", (), "size", "entries of the sparse tendon Jacobian", ours=True),
    Field("ten_J_rownnz", ("ntendon",), "int", "tendon Jacobian: entries of each row", ours=True),
    Field("ten_J_rowadr", ("ntendon",), "int", "tendon Jacobian: start of each row", ours=True),
    Field("ten_J_colind", ("nJten",), "int", "tendon Jacobian: dof of each entry", ours=True),
    Field("ten_segadr", ("ntendon",), "int", "first segment of each tendon", ours=True),
    Field("ten_segnum", ("ntendon",), "int", "number of segments: 0 for a fixed tendon", ours=True),
    Field("nsegment", (), "size", "segments of all tendons", ours=True),
    Field("segment_site", ("nsegment", 2), "int", "sites between which each segment runs", ours=True),
    Field("segment_scale", ("nsegment",), "real", "what a segment counts: 1 / divisor of its pulley", ours=True),
    Field("segment_obstacle", ("nsegment",), "int", "obstacle on the segment, or -1", ours=True),
    Field("segment_end", ("nsegment",), "int", "first end of each segment", ours=True),
    Field("nobstacle", (), "size", "obstacles of all tendons", ours=True),
    Field("obstacle_geom", ("nobstacle",), "int", "geom of each obstacle", ours=True),
    Field("obstacle_sphere", ("nobstacle",), "byte", "1: a sphere; 0: a cylinder", ours=True),
    Field("obstacle_side", ("nobstacle",), "int", "side site of each obstacle, or -1", ours=True),
    Field("wrap_entry", ("nwrap",), "int", "of a joint, its entry in ten_J; of a geom, its obstacle", ours=True),
    Field("ten_actadr", ("ntendon",), "int", "start of each tendon's actuators", ours=True),
    Field("ten_actnum", ("ntendon",), "int", "number of actuators that act through each tendon", ours=True),
    Field("ntenact", (), "size", "actuators that act through tendons", ours=True),
    Field("ten_act", ("ntenact",), "int", "actuators that act through each tendon", ours=True),
    Field("ntenend", (), "size", "ends of all segments", ours=True),
    Field("ntenenddof", (), "size", "dofs of all ends of segments", ours=True),
    *end_fields("tenend", "segments"),
)
OBSTACLES = (WrapType.SPHERE, WrapType.CYLINDER)


def derive(sizes: Mapping[str, int], values: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, np.ndarray]]:
    """Segments and obstacles along all paths, the rows of the Jacobian, and the ends that fill them."""
    paths = Paths(sizes, values)
    rows = [paths.row(t) for t in range(sizes["ntendon"])]
    pattern = compress(rows, "ten_J")
    ends = Ends(values)
    first_end = []
    for tendon, (row, start) in enumerate(zip(rows, pattern["ten_J_rowadr"], strict=True)):
        for segment in paths.segments[tendon]:
            first_end.append(len(ends))
            for a, b in paths.ways(segment):
                dofs_a, dofs_b = opposed(values, a, b)
                ends.add(b, dofs_b, row, int(start))
                ends.add(a, dofs_a, row, int(start))
        for w in paths.joints[tendon]:
            dof = int(values["jnt_dofadr"][values["wrap_objid"][w]])
            paths.wrap_entry[w] = start + row.index(dof)
    end_sizes, end_values = ends.tables("tenend")
    actuators = _actuators(sizes, values)
    segments = [s for path in paths.segments for s in path]
    counts = np.array([len(path) for path in paths.segments], np.int32)
    fields = {
        **pattern,
        **end_values,
        **actuators,
        "ten_segadr": (np.cumsum(counts) - counts).astype(np.int32),
        "ten_segnum": counts,
        "segment_site": np.array([s[:2] for s in segments], np.int32).reshape(-1, 2),
        "segment_scale": np.array([s[2] for s in segments], float),
        "segment_obstacle": np.array([s[3] for s in segments], np.int32),
        "segment_end": np.array(first_end, np.int32),
        "obstacle_geom": np.array([o[0] for o in paths.obstacles], np.int32),
        "obstacle_sphere": np.array([o[1] for o in paths.obstacles], np.uint8),
        "obstacle_side": np.array([o[2] for o in paths.obstacles], np.int32),
        "wrap_entry": paths.wrap_entry,
    }
    more = {"nJten": len(pattern["ten_J_colind"]), "nsegment": len(segments), "nobstacle": len(paths.obstacles)}
    return {**more, **end_sizes, "ntenact": len(actuators["ten_act"])}, fields


def _actuators(sizes: Mapping[str, int], values: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The actuators of each tendon."""
    rows: list[list[int]] = [[] for _ in range(sizes["ntendon"])]
    for i in range(sizes["nu"]):
        if values["actuator_trntype"][i] == TrnType.TENDON:
            rows[values["actuator_trnid"][i][0]].append(i)
    pattern = compress(rows, "act")
    return {"ten_actadr": pattern["act_rowadr"], "ten_actnum": pattern["act_rownnz"], "ten_act": pattern["act_colind"]}


class Paths:
    """The paths of all tendons, cut into segments (site, site, scale, obstacle)."""

    def __init__(self, sizes: Mapping[str, int], values: Mapping[str, Any]) -> None:
        self._values = values
        self.wrap_entry = np.full(sizes["nwrap"], -1, np.int32)
        self.obstacles: list[tuple[int, int, int]] = []
        self.segments: list[list[tuple[int, int, float, int]]] = []
        self.joints: list[list[int]] = []
        for t in range(sizes["ntendon"]):
            adr = int(values["tendon_adr"][t])
            self._follow(range(adr, adr + int(values["tendon_num"][t])))

    def _follow(self, path: range) -> None:
        """Cut one path into segments; of a fixed tendon, note the joints."""
        segments, joints = [], []
        site, obstacle, scale = -1, -1, 1.0
        for w in path:
            kind, obj, prm = (self._values[n][w] for n in ("wrap_type", "wrap_objid", "wrap_prm"))
            if kind == WrapType.JOINT:
                joints.append(w)
            elif kind == WrapType.PULLEY:
                site, scale = -1, 1.0 / float(prm)
            elif kind in OBSTACLES:
                obstacle = len(self.obstacles)
                self.obstacles.append((int(obj), int(kind == WrapType.SPHERE), round(float(prm))))
                self.wrap_entry[w] = obstacle
            else:
                if site >= 0:
                    segments.append((site, int(obj), scale, obstacle))
                site, obstacle = int(obj), -1
        self.segments.append(segments)
        self.joints.append(joints)

    def ways(self, segment: tuple[int, int, float, int]) -> list[tuple[int, int]]:
        """Pairs of bodies between which the tendon may run straight."""
        site, obstacle = self._values["site_bodyid"], segment[3]
        first, last = int(site[segment[0]]), int(site[segment[1]])
        if obstacle < 0:
            return [(first, last)]
        geom = int(self._values["geom_bodyid"][self.obstacles[obstacle][0]])
        return [(first, last), (first, geom), (geom, last)]

    def row(self, tendon: int) -> list[int]:
        """The dofs that may change the length of a tendon."""
        chains = [chain for s in self.segments[tendon] for way in self.ways(s) for chain in opposed(self._values, *way)]
        joints = [[int(self._values["jnt_dofadr"][self._values["wrap_objid"][w]])] for w in self.joints[tendon]]
        return union(*chains, *joints)
