"""What the utilities are given: checked, with errors that say what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corten.engine import check
from corten.model.checks import SimulationError, reals
from corten.model.data import Data
from corten.model.model import Model


def number(m: Model, kind: str, which: str | int) -> int:
    """The number of an object given by name or number."""
    try:
        return m.names.find(kind, which)
    except KeyError as error:
        raise SimulationError(str(error.args[0])) from None


def checked_number(m: Model, d: Data, kind: str, which: str | int) -> int:
    """The same, once it is sure that the Data is one of the model."""
    check(m, d)
    return number(m, kind, which)


def vector(values: ArrayLike, length: int, name: str) -> np.ndarray:
    """A new contiguous array of so many numbers."""
    array = np.array(reals(values, name)).ravel()
    if len(array) != length:
        raise SimulationError(f"{name} holds {len(array)} numbers where {length} are needed")
    return array


def in_place(array: Any, length: int, name: str) -> np.ndarray:
    """An array that a function is to change: kernels write to its memory, without asking NumPy."""
    if not isinstance(array, np.ndarray) or array.dtype != np.float64 or not array.flags.carray:
        raise TypeError(f"{name} is changed in place: it must be a contiguous, writeable NumPy array of float64")
    if array.shape != (length,):
        raise SimulationError(f"{name} has the shape {array.shape} where ({length},) is needed")
    return array
