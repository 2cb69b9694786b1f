"""What the public functions are given: checked, with errors that say what is wrong."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corten.kernel.record import Record
from corten.model.data_fields import DATA
from corten.model.model import Model


class SimulationError(ValueError):
    """A call that can not be carried out, or a simulation that has failed."""


def check_model(m: Any) -> None:
    """Refuse what is not a model."""
    if not isinstance(m, Model):
        raise TypeError(f"the model is a {type(m).__name__}, not a corten.Model")


def check_data(d: Any) -> None:
    """Refuse what is not a Data, or a record like it."""
    if not isinstance(d, Record) or d._record_type is not DATA:
        raise TypeError(f"the data is a {type(d).__name__}, not a corten.Data")


def whole(value: Any, what: str, least: int = 0) -> int:
    """A whole number that is not less than `least`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is a {type(value).__name__}, not a whole number") from None
    if number < least:
        raise SimulationError(f"{what} is {number}, which is less than {least}")
    return number


def reals(values: ArrayLike, what: str) -> np.ndarray:
    """An array of real numbers; not a copy where it is one already."""
    try:
        return np.asarray(values, float)
    except (TypeError, ValueError) as error:
        raise SimulationError(f"{what} can not be read as numbers: {error}") from None
