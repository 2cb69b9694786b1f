"""What the utilities are given: checked, with errors that say what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corten.engine import SimulationError
from corten.model.model import Model


def number(m: Model, kind: str, which: str | int) -> int:
    """The number of an object given by name or number."""
    try:
        return m.names.find(kind, which)
    except KeyError as error:
        raise SimulationError(str(error.args[0])) from None


def vector(values: ArrayLike, length: int, name: str) -> np.ndarray:
    """A new contiguous array of so many numbers."""
    array = np.array(values, float).ravel()
    if len(array) != length:
        raise ValueError(f"{name} holds {len(array)} numbers where {length} are needed")
    return array


def in_place(array: Any, length: int, name: str) -> np.ndarray:
    """An array that a function is to change: of float64 and contiguous, because kernels write to its memory."""
    if not isinstance(array, np.ndarray) or array.dtype != np.float64 or not array.flags.c_contiguous:
        raise TypeError(f"{name} is changed in place: it must be a contiguous NumPy array of float64")
    if array.shape != (length,):
        raise ValueError(f"{name} has the shape {array.shape} where ({length},) is needed")
    return array
