"""The two engines behind one interface, so that a comparison names a field once and asks both for it.

`Reference` is mujoco, imported only when one is made; `Corten` is this package. Model and Data of both carry the same
names, so the interface is thin: make a model, set a state, run a stage, read a field by name.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np

REFERENCE_VERSION = "3.5.0"
MEMORY = 2**28  # bytes of working memory that it gets at least: what it gives itself is too little for some scenes
ARRAYS = (np.ndarray, bytes, int, float)


class MissingReference(RuntimeError):
    """mujoco is not installed."""


class Refused(Exception):
    """An engine does not take a model; the message is the engine's own."""


class Engine(Protocol):
    """What a comparison needs of an engine. Records are the engine's own Model and Data."""

    name: str

    def load(self, path: Path) -> Any: ...
    def data(self, m: Any) -> Any: ...
    def reset(self, m: Any, d: Any) -> None: ...
    def forward(self, m: Any, d: Any) -> None: ...
    def inverse(self, m: Any, d: Any) -> None: ...
    def step(self, m: Any, d: Any, nstep: int = 1) -> None: ...
    def model_fields(self) -> list[str]: ...
    def data_fields(self) -> list[str]: ...
    def dense(self, m: Any, d: Any, name: str) -> np.ndarray: ...


def read(record: Any, name: str) -> Any:
    """A field by its dotted name (`opt.timestep`), or None if the record has no such field.

    `contact.dist` is `contact_dist` where contacts are fields of the record and not records of their own.
    """
    owner, _, rest = name.partition(".")
    if rest and not hasattr(record, owner):
        owner, rest = f"{owner}_{rest}", ""
    record = getattr(record, owner, None)
    if rest:
        record = getattr(record, rest, None)
    return np.frombuffer(record, np.uint8) if isinstance(record, bytes) else record


def _rows_from_csr(values: Any, rownnz: Any, rowadr: Any, colind: Any, ncol: int) -> np.ndarray:
    """Dense rows from compressed ones."""
    values, colind = np.ravel(values), np.ravel(colind)
    dense = np.zeros((len(rownnz), ncol))
    for i, (n, start) in enumerate(zip(rownnz, rowadr, strict=True)):
        dense[i, colind[start : start + n]] = values[start : start + n]
    return dense


# Matrices that an engine may store dense or compressed: (values, prefix of the row structure, size with the rows).
SPARSE = {
    "efc_J": ("efc_J_", "nefc"),
    "ten_J": ("ten_J_", "ntendon"),
    "actuator_moment": ("moment_", "nu"),
}


def _dense(m: Any, d: Any, name: str, compressed: bool) -> np.ndarray:
    """One of the SPARSE matrices with all its zeros."""
    prefix, size = SPARSE[name]
    nrow = int(getattr(d, size) if hasattr(d, size) else getattr(m, size))
    values = np.asarray(getattr(d, name), float)
    if not compressed:
        return np.ravel(values)[: nrow * m.nv].reshape(nrow, m.nv)
    # The structure is in the data, or in the model where it never changes.
    parts = [
        np.asarray(getattr(d if hasattr(d, prefix + p) else m, prefix + p)) for p in ("rownnz", "rowadr", "colind")
    ]
    return _rows_from_csr(values, parts[0][:nrow], parts[1][:nrow], parts[2], m.nv)


class Reference:
    """mujoco, the engine that is compared with."""

    name = "reference"

    def __init__(self) -> None:
        try:
            import mujoco
        except ImportError as error:
            raise MissingReference(
                f"the reference engine is not installed: pip install 'corten[test]' brings mujoco {REFERENCE_VERSION}"
            ) from error
        self.mj = mujoco
        # Otherwise it prints every warning and writes a log file into the working directory.
        mujoco.set_mju_user_warning(lambda message: None)
        # Its asset cache forgets whether a mesh was processed with a hull: a later model would get an earlier one's.
        mujoco.mj_setCacheCapacity(mujoco.mj_getCache(), 0)

    @property
    def version(self) -> str:
        """Its version number."""
        return self.mj.__version__

    def load(self, path: Path) -> Any:
        try:
            spec = self.mj.MjSpec.from_file(str(path))
            spec.memory = max(spec.memory, MEMORY)
            return spec.compile()
        except (ValueError, OSError) as error:
            raise Refused(str(error)) from error

    def data(self, m: Any) -> Any:
        return self.mj.MjData(m)

    def reset(self, m: Any, d: Any) -> None:
        self.mj.mj_resetData(m, d)

    def forward(self, m: Any, d: Any) -> None:
        self._run(self.mj.mj_forward, m, d)

    def inverse(self, m: Any, d: Any) -> None:
        self._run(self.mj.mj_inverse, m, d)

    def step(self, m: Any, d: Any, nstep: int = 1) -> None:
        self._run(self.mj.mj_step, m, d, nstep)

    def _run(self, function: Any, *args: Any) -> None:
        """Call a function of the reference that may find the model impossible only now."""
        try:
            function(*args)
        except self.mj.FatalError as error:
            raise Refused(str(error)) from error

    def model_fields(self) -> list[str]:
        """Every array of the model, and the numbers of its options and statistics."""
        m = self.mj.MjModel.from_xml_string("<mujoco/>")
        own = [n for n in dir(m) if not n.startswith("_") and isinstance(getattr(m, n), ARRAYS)]
        parts = [f"{part}.{n}" for part in ("opt", "stat") for n in dir(getattr(m, part)) if not n.startswith("_")]
        return own + parts

    def data_fields(self) -> list[str]:
        """Every array and number of the data, and the arrays of its contacts."""
        d = self.mj.MjData(self.mj.MjModel.from_xml_string("<mujoco/>"))
        own = [n for n in dir(d) if not n.startswith("_") and isinstance(getattr(d, n), ARRAYS)]
        return own + [f"contact.{n}" for n in dir(d.contact) if not n.startswith("_")]

    def dense(self, m: Any, d: Any, name: str) -> np.ndarray:
        compressed = name == "actuator_moment" or bool(self.mj.mj_isSparse(m))
        return _dense(m, d, name, compressed)

    def residual(self, m: Any, d: Any) -> dict[str, float]:
        """How far the solver's result is from a solution: of r = M qacc - qfrc_smooth - qfrc_constraint, the largest
        force, and the largest acceleration inv(M) r. Zero but for rounding if the solver has converged."""
        force, acceleration = np.zeros(m.nv), np.zeros((1, m.nv))
        if m.nv:
            self.mj.mj_mulM(m, d, force, np.array(d.qacc))
            force -= d.qfrc_smooth + d.qfrc_constraint
            self.mj.mj_solveM(m, d, acceleration, force[None])
        largest = {"force": np.abs(force).max(initial=0.0), "acceleration": np.abs(acceleration).max(initial=0.0)}
        return {name: float(value) for name, value in largest.items()}

    def disable_bits(self) -> dict[str, int]:
        """Disable flags by their names in MJCF."""
        return _flag_bits(self.mj.mjtDisableBit, "mjDSBL_")

    def integrators(self) -> dict[str, int]:
        """Integrators by their names in MJCF, in lower case."""
        return _flag_bits(self.mj.mjtIntegrator, "mjINT_")


def _flag_bits(enum: Any, prefix: str) -> dict[str, int]:
    """The numbers of an enumeration by names without their prefix, in lower case."""
    return {n.removeprefix(prefix).lower(): int(v) for n, v in enum.__members__.items() if n.startswith(prefix)}


class Corten:
    """This engine."""

    name = "corten"

    def __init__(self) -> None:
        import corten
        from corten import engine
        from corten.model.contacts import ALL_NAMES
        from corten.model.data_fields import DATA_FIELDS
        from corten.model.model_fields import MODEL_FIELDS

        self.corten: Any = corten
        self.engine: Any = engine
        self._model_fields = [f.name for f in MODEL_FIELDS if not f.ours]
        self._data_fields = [f.name for f in DATA_FIELDS if not f.ours] + [f"contact.{name}" for name in ALL_NAMES]

    def load(self, path: Path) -> Any:
        try:
            return self.corten.Model.from_xml_path(path)
        except self.corten.MjcfError as error:
            raise Refused(str(error)) from error

    def data(self, m: Any) -> Any:
        return self.corten.Data(m)

    def reset(self, m: Any, d: Any) -> None:
        self.engine.reset(m, d)

    def forward(self, m: Any, d: Any) -> None:
        self.engine.forward(m, d)

    def inverse(self, m: Any, d: Any) -> None:
        self.engine.inverse(m, d)

    def step(self, m: Any, d: Any, nstep: int = 1) -> None:
        self.engine.step(m, d, nstep)

    def model_fields(self) -> list[str]:
        return self._model_fields

    def data_fields(self) -> list[str]:
        return self._data_fields

    def dense(self, m: Any, d: Any, name: str) -> np.ndarray:
        rows = SPARSE[name][0] + "rownnz"
        compressed = np.ndim(getattr(d, name)) == 1 and (hasattr(d, rows) or hasattr(m, rows))
        return _dense(m, d, name, compressed)
