"""`d.contact`: the contacts of a world as an array of structures, under MuJoCo's names."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from corten.kernel.record import Record
from corten.model.data_fields import CONTACT

PREFIX = "contact_"
NAMES = tuple(f.name.removeprefix(PREFIX) for f in CONTACT if f.name.startswith(PREFIX))
GEOM = {"geom1": 0, "geom2": 1}  # other names for columns of `geom`
SOFT = ("flex", "elem", "vert")  # parts of soft bodies, of which no contact has any: -1
ALL_NAMES = (*NAMES, *GEOM, *SOFT)


class Contact:
    """One contact: attributes are numbers and arrays over the record's memory."""

    __slots__ = ("_number", "_record")

    def __init__(self, record: Record, number: int):
        self._record, self._number = record, number

    def __getattr__(self, name: str) -> Any:
        values = _column(self._record, name)[self._number]
        return values if values.ndim else values.item()

    def __dir__(self) -> list[str]:
        return list(ALL_NAMES)

    def __repr__(self) -> str:
        return f"<contact {self._number}: geoms {self.geom1} and {self.geom2}, dist {self.dist:.6g}>"


class Contacts:
    """All contacts of a world: `d.contact[i].dist`, or `d.contact.dist` for all of them in one array.

    It shows the contacts of the last `forward` or `step`, whenever it was obtained.
    """

    __slots__ = ("_record",)

    def __init__(self, record: Record):
        self._record = record

    def __len__(self) -> int:
        return int(self._record.ncon)

    def __getitem__(self, number: int) -> Contact:
        count, number = len(self), operator.index(number)
        if not -count <= number < count:
            raise IndexError(f"contact {number} of {count}")
        return Contact(self._record, number % count)

    def __iter__(self) -> Iterator[Contact]:
        return (Contact(self._record, i) for i in range(len(self)))

    def __getattr__(self, name: str) -> np.ndarray:
        return _column(self._record, name)[: len(self)]

    def __dir__(self) -> list[str]:
        return list(ALL_NAMES)

    def __repr__(self) -> str:
        return f"<{len(self)} contacts>"


def _column(record: Record, name: str) -> np.ndarray:
    """A field of all rows for contacts."""
    if name in GEOM:
        return record.array("contact_geom")[:, GEOM[name]]
    if name in SOFT:
        return np.full(record.array("contact_geom").shape, -1, np.int32)
    if name not in NAMES:
        raise AttributeError(f"a contact has no field '{name}' (there are: {', '.join(ALL_NAMES)})")
    return record.array(PREFIX + name)
