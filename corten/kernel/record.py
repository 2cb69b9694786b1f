"""Records: named arrays behind one pointer, declared once as a table of fields.

A record type is a list of `Field`. From it follow the Python object (attributes that are NumPy arrays over the
record's memory), the layout that compiled kernels see (a table of one 8-byte word per field), copies, pickles, and the
field reference in the docs. `Model` and `Data` are the two records of the engine; a user's own kernels may declare more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

DTYPES = {
    "real": np.dtype(np.float64),  # takes the element type of the record: float64, Lanes, Dual
    "float": np.dtype(np.float64),  # always float64, whatever the element type
    "single": np.dtype(np.float32),  # storage of large assets; read as float64
    "int": np.dtype(np.int32),
    "long": np.dtype(np.int64),
    "byte": np.dtype(np.uint8),
}


@dataclass(frozen=True, slots=True)
class Field:
    """One quantity of a record.

    `shape` mixes literal sizes with names of sizes (`("nbody", 3)`); `()` is a scalar, read and written as a number.
    Only the first dimension may be named where a kernel reads the field, because kernels index with static strides.
    `dtype` is a key of `DTYPES`, or "size" for an integer that is fixed for the life of the record.
    `name` may carry one prefix, `opt.timestep`: the field is then an attribute of a sub-record.
    """

    name: str
    shape: tuple[str | int, ...]
    dtype: str
    doc: str
    stage: str = ""  # which stage of the step writes it; empty for input
    ours: bool = False  # not in MuJoCo

    def resolve(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """The shape in numbers."""
        return tuple(s if isinstance(s, int) else int(sizes[s]) for s in self.shape)
