"""`d.warning`: what has gone wrong in a world, counted by kind, and said once in the log for each call."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from corten.model.enums import Warning

LOGGER = logging.getLogger("corten")

# What each kind means. Those about memory that runs out can not happen here: it grows.
MEANINGS = {
    Warning.INERTIA: "singular inertia",
    Warning.CONTACTFULL: "too many contacts",
    Warning.CNSTRFULL: "too many constraint rows",
    Warning.VGEOMFULL: "too many drawn geoms",
    Warning.BADQPOS: "bad qpos",
    Warning.BADQVEL: "bad qvel",
    Warning.BADQACC: "bad qacc",
    Warning.BADCTRL: "bad ctrl",
}


class Count:
    """One kind of warning: how often it was given (`number`), and the index that it was last about (`lastinfo`)."""

    __slots__ = ("_kind", "_record")

    def __init__(self, record: Any, kind: Warning):
        self._record, self._kind = record, kind

    @property
    def number(self) -> int:
        """How often it was given since the world began."""
        return int(self._record.array("warning_number")[self._kind])

    @property
    def lastinfo(self) -> int:
        """The index of the number that it was last about."""
        return int(self._record.array("warning_lastinfo")[self._kind])

    def __repr__(self) -> str:
        return f"<{MEANINGS[self._kind]}: {self.number}>"


class Warnings:
    """The warnings of a world: `d.warning[Warning.BADQPOS].number`."""

    __slots__ = ("_record",)

    def __init__(self, record: Any):
        self._record = record

    def __len__(self) -> int:
        return len(Warning)

    def __getitem__(self, kind: int) -> Count:
        return Count(self._record, Warning(kind))

    def __iter__(self) -> Iterator[Count]:
        return (self[kind] for kind in Warning)

    def given(self) -> dict[str, int]:
        """How often each kind was given that was, by its meaning."""
        return {MEANINGS[kind]: self[kind].number for kind in Warning if self[kind].number}

    def log(self) -> None:
        """Say what has been given."""
        for kind in Warning:
            if self[kind].number:
                info = self[kind].lastinfo
                LOGGER.warning("%s (number %d) near time %g", MEANINGS[kind], info, self._record.time)
