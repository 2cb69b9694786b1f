"""Names of objects, and access to the fields of one object by its name: `m.body("torso").mass`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

# how the fields of each kind of object are called
PREFIXES = {
    "body": "body",
    "joint": "jnt",
    "geom": "geom",
    "site": "site",
    "camera": "cam",
    "light": "light",
    "mesh": "mesh",
    "hfield": "hfield",
    "material": "mat",
    "pair": "pair",
    "exclude": "exclude",
    "equality": "eq",
    "tendon": "tendon",
    "actuator": "actuator",
    "sensor": "sensor",
    "numeric": "numeric",
    "text": "text",
    "tuple": "tuple",
    "key": "key",
}


class Names:
    """The names of all objects, as one list for each kind: `m.names.body[0] == "world"`; "" where there is no name."""

    def __init__(self, names: Mapping[str, Sequence[str]]) -> None:
        self._index: dict[str, dict[str, int]] = {}
        for kind in PREFIXES:
            listed = list(names.get(kind, ()))
            setattr(self, kind, listed)
            self._index[kind] = {name: number for number, name in enumerate(listed) if name}

    def as_dict(self) -> dict[str, list[str]]:
        """The lists by kind."""
        return {kind: getattr(self, kind) for kind in PREFIXES}

    def find(self, kind: str, which: str | int) -> int:
        """The number of an object given by name or number; `KeyError` tells what there is."""
        index = self._index[kind]
        if isinstance(which, str):
            if which in index:
                return index[which]
            close = difflib.get_close_matches(which, index, 1)
            hint = f"did you mean '{close[0]}'?" if close else f"there are: {', '.join(index) or 'none with a name'}"
            raise KeyError(f"no {kind} '{which}' ({hint})")
        count = len(getattr(self, kind))
        if not 0 <= which < count:
            raise KeyError(f"no {kind} number {which}: there are {count}")
        return int(which)


class NamedView:
    """One object of a record: its fields without their prefix, read and written in place."""

    def __init__(self, record: Any, kind: str, number: int, name: str) -> None:
        self.__dict__.update(_record=record, _kind=kind, id=number, name=name)

    def _rows(self) -> dict[str, Any]:
        """Where each field of the object is: array name by attribute, with the rows that belong to the object."""
        prefix = PREFIXES[self._kind] + "_"
        arrays = self._record._arrays
        rows = {name[len(prefix):]: (name, self.id) for name in arrays if name.startswith(prefix)}
        if self._kind == "joint":
            m = self._record
            first, count = m.jnt_dofadr[self.id], _JOINT_DOFS[int(m.jnt_type[self.id])]
            dofs = slice(first, first + count)
            rows |= {name[4:]: (name, dofs) for name in arrays if name.startswith("dof_") and name[4:] not in rows}
            first, count = m.jnt_qposadr[self.id], _JOINT_COORDINATES[int(m.jnt_type[self.id])]
            rows |= {name: (name, slice(first, first + count)) for name in ("qpos0", "qpos_spring")}
        return rows

    def __getattr__(self, attribute: str) -> Any:
        name, rows = self._locate(attribute)
        value = self._record._arrays[name][rows]
        return value.item() if value.ndim == 0 else value

    def __setattr__(self, attribute: str, value: Any) -> None:
        name, rows = self._locate(attribute)
        self._record._arrays[name][rows] = value

    def _locate(self, attribute: str) -> tuple[str, Any]:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        rows = self._rows()
        if attribute not in rows:
            close = difflib.get_close_matches(attribute, rows, 1)
            hint = f" (did you mean '{close[0]}'?)" if close else ""
            raise AttributeError(f"{self._kind} '{self.name}' has no field '{attribute}'{hint}")
        return rows[attribute]

    def __dir__(self) -> list[str]:
        return ["id", "name", *self._rows()]

    def __repr__(self) -> str:
        return f"<{self._kind} {self.id} '{self.name}'>"


_JOINT_DOFS = (6, 3, 1, 1)
_JOINT_COORDINATES = (7, 4, 1, 1)
