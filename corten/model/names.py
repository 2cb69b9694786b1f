"""Names of objects, and access to the fields of one object by its name: `m.body("torso").mass`."""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, SupportsIndex

from corten.kernel.errors import did_you_mean
from corten.model.enums import COORDINATES, DOFS, JointType

Rows = dict[str, tuple[str, Any]]

# how the fields of each kind of object are called
PREFIXES = {
    "body": "body",
    "joint": "jnt",
    "geom": "geom",
    "site": "site",
    "camera": "cam",
    "light": "light",
    "flex": "flex",
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

    def find(self, kind: str, which: str | SupportsIndex) -> int:
        """The number of an object given by name or number; `KeyError` tells what there is."""
        index = self._index[kind]
        if isinstance(which, str):
            if which in index:
                return index[which]
            hint = did_you_mean(which, index) or f" (there are: {', '.join(index) or 'none with a name'})"
            raise KeyError(f"no {kind} '{which}'{hint}")
        try:
            number = operator.index(which)
        except TypeError:
            raise TypeError(f"a {kind} is given by its name or number, not by a {type(which).__name__}") from None
        count = len(getattr(self, kind))
        if not 0 <= number < count:
            raise KeyError(f"no {kind} number {number}: there are {count}")
        return number


class NamedView:
    """One object of a record: its fields without their prefix, read and written in place.

    `rows` tells where they are: by attribute, the name of an array and the rows in it that belong to the object.
    """

    def __init__(self, record: Any, kind: str, number: int, name: str, rows: Callable[..., Rows]) -> None:
        self.__dict__.update(_record=record, _kind=kind, _rows_of=rows, id=number, name=name)

    def _rows(self) -> Rows:
        rows: Rows = self._rows_of(self._record, self._kind, self.id)
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
            hint = did_you_mean(attribute, rows)
            raise AttributeError(f"{self._kind} '{self.name}' has no field '{attribute}'{hint}")
        return rows[attribute]

    def __dir__(self) -> list[str]:
        return ["id", "name", *self._rows()]

    def __repr__(self) -> str:
        return f"<{self._kind} {self.id} '{self.name}'>"


def dofs_of(m: Any, joint: int) -> slice:
    """The degrees of freedom of a joint."""
    return slice(m.jnt_dofadr[joint], m.jnt_dofadr[joint] + DOFS[JointType(m.jnt_type[joint])])


def coordinates_of(m: Any, joint: int) -> slice:
    """The coordinates of a joint."""
    return slice(m.jnt_qposadr[joint], m.jnt_qposadr[joint] + COORDINATES[JointType(m.jnt_type[joint])])


def model_rows(m: Any, kind: str, number: int) -> Rows:
    """The fields of an object of a Model. Those of a joint's dofs are the joint's."""
    prefix = PREFIXES[kind] + "_"
    rows: Rows = {name[len(prefix) :]: (name, number) for name in m._arrays if name.startswith(prefix)}
    if kind == "joint":
        dofs = dofs_of(m, number)
        rows |= {name[4:]: (name, dofs) for name in m._arrays if name.startswith("dof_") and name[4:] not in rows}
        rows |= {name: (name, coordinates_of(m, number)) for name in ("qpos0", "qpos_spring")}
    return rows


# By kind of object, the size that counts its rows in fields of Data, and what these fields' names begin with.
_COUNTED: dict[str, tuple[str, tuple[str, ...]]] = {
    "body": ("nbody", ()),
    "joint": ("njnt", ()),
    "geom": ("ngeom", ("geom_",)),
    "site": ("nsite", ("site_",)),
    "camera": ("ncam", ("cam_",)),
    "light": ("nlight", ("light_",)),
    "equality": ("neq", ("eq_",)),
    "tendon": ("ntendon", ("ten_", "tendon_")),
    "actuator": ("nu", ("actuator_",)),
    "sensor": ("nsensor", ("sensor_",)),
}


def data_rows(d: Any, kind: str, number: int) -> Rows:
    """The fields of an object of a Data: `xpos` of a body, `qpos` of a joint, `ctrl` of an actuator."""
    m = d.model
    size, prefixes = _COUNTED[kind]
    places: dict[str, Any] = {size: number}
    if kind == "joint":
        places |= {"nv": dofs_of(m, number), "nq": coordinates_of(m, number)}
    elif kind == "body" and m.body_mocapid[number] >= 0:
        places["nmocap"] = int(m.body_mocapid[number])
    elif kind == "actuator" and m.actuator_actadr[number] >= 0:
        first = m.actuator_actadr[number]
        places["na"] = slice(first, first + m.actuator_actnum[number])
    rows: Rows = {}
    for f in d._record_type.fields:
        if not f.ours and f.shape and f.shape[0] in places:
            prefix = next((p for p in prefixes if f.name.startswith(p)), "")
            rows[f.name.removeprefix(prefix)] = (f.name, places[f.shape[0]])
    if kind == "sensor":
        first = m.sensor_adr[number]
        rows["data"] = ("sensordata", slice(first, first + m.sensor_dim[number]))
    return rows


class NamedAccess:
    """Objects by name or number, for Model and Data alike."""

    @abstractmethod
    def _view(self, kind: str, which: str | int) -> NamedView:
        """An object of any kind."""

    def body(self, which: str | int) -> NamedView:
        """A body."""
        return self._view("body", which)

    def joint(self, which: str | int) -> NamedView:
        """A joint; fields of its dofs and coordinates are fields of the joint."""
        return self._view("joint", which)

    def geom(self, which: str | int) -> NamedView:
        """A geom."""
        return self._view("geom", which)

    def site(self, which: str | int) -> NamedView:
        """A site."""
        return self._view("site", which)

    def camera(self, which: str | int) -> NamedView:
        """A camera."""
        return self._view("camera", which)

    def light(self, which: str | int) -> NamedView:
        """A light."""
        return self._view("light", which)

    def equality(self, which: str | int) -> NamedView:
        """An equality constraint."""
        return self._view("equality", which)

    def tendon(self, which: str | int) -> NamedView:
        """A tendon."""
        return self._view("tendon", which)

    def actuator(self, which: str | int) -> NamedView:
        """An actuator."""
        return self._view("actuator", which)

    def sensor(self, which: str | int) -> NamedView:
        """A sensor."""
        return self._view("sensor", which)
