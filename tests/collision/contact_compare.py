"""Contacts of the collision stage alone, at poses taken from the reference, against the reference's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import corten
from corten.engine import run
from corten.physics.collision import collision

FIELDS = ("dist", "pos", "frame", "includemargin", "friction", "solref", "solreffriction", "solimp")
EXACT = 1e-9


class Scene:
    """A model here and in the reference; `detect` finds contacts in both at the reference's poses of geoms."""

    def __init__(self, source: str | Path):
        import mujoco

        self.mujoco = mujoco
        if isinstance(source, Path):
            self.m, self.ref_m = corten.Model.from_xml_path(source), mujoco.MjModel.from_xml_path(str(source))
        else:
            self.m, self.ref_m = corten.Model.from_xml_string(source), mujoco.MjModel.from_xml_string(source)
        self.d, self.ref_d = corten.Data(self.m), mujoco.MjData(self.ref_m)

    def detect(self) -> None:
        """Contacts of both, for the reference's qpos."""
        self.mujoco.mj_kinematics(self.ref_m, self.ref_d)
        self.mujoco.mj_comPos(self.ref_m, self.ref_d)
        self.mujoco.mj_collision(self.ref_m, self.ref_d)
        self.d.geom_xpos[:], self.d.geom_xmat[:] = self.ref_d.geom_xpos, self.ref_d.geom_xmat
        while True:
            run(collision, self.m, self.d)()
            wanted = {"nconcap": self.d.ncon_wanted, "nnearcap": self.d.nnear_wanted}
            if all(self.d.capacities[k] >= n for k, n in wanted.items()):
                return
            self.d.grow(wanted)

    def difference(self, kinds: frozenset[tuple[int, int]] | None = None) -> str:
        """What is not the same, in words; empty if all is. `kinds` restricts it to pairs of these types of geom."""
        ours, theirs = self.d.contact, self.ref_d.contact
        mine, ref = self.chosen(ours.geom, kinds), self.chosen(theirs.geom, kinds)
        if not np.array_equal(ours.geom[mine], theirs.geom[ref]):
            return f"geoms {ours.geom[mine].tolist()}, not {theirs.geom[ref].tolist()}"
        for name in ("dim", "exclude"):
            if not np.array_equal(getattr(ours, name)[mine], getattr(theirs, name)[ref]):
                return f"{name} {getattr(ours, name)[mine]}, not {getattr(theirs, name)[ref]}"
        for name in FIELDS:
            error = getattr(ours, name)[mine] - getattr(theirs, name)[ref].reshape(getattr(ours, name)[mine].shape)
            if error.size and np.abs(error).max() > EXACT:
                return f"{name} off by {np.abs(error).max():.3g}"
        return ""

    def chosen(self, geom: Any, kinds: frozenset[tuple[int, int]] | None) -> np.ndarray:
        """Numbers of the contacts of pairs of these types."""
        types = self.ref_m.geom_type[np.asarray(geom)]
        keep = [kinds is None or (int(a), int(b)) in kinds for a, b in types]
        return np.flatnonzero(keep)
