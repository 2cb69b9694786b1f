"""Model: everything about a mechanism that does not change while it is simulated."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from corten.kernel.record import DTYPES, UNIFORM, Record
from corten.model.derived import MODEL, derive
from corten.model.model_fields import MODEL_FIELDS
from corten.model.names import NamedAccess, NamedView, Names, model_rows

if TYPE_CHECKING:
    from corten.mjcf.compile import CompiledModel

# The saved form is a NumPy .npz archive without pickles: one array for each field of MODEL_FIELDS that is not a size,
# under the field's name, and `header`, the bytes of a JSON object with `format`, `version`, `name`, `sizes`, `names`.
FORMAT = "corten model"
VERSION = 1


class ModelFileError(ValueError):
    """A file is not a saved model, or one of another version."""


class Model(NamedAccess, Record):
    """The mechanism: sizes, options and arrays under MuJoCo's names, read and written as attributes."""

    def __init__(
        self,
        sizes: Mapping[str, int],
        values: Mapping[str, Any],
        names: Mapping[str, Sequence[str]] | None = None,
        name: str = "",
    ) -> None:
        shaped = {
            f.name: np.asarray(values[f.name]).reshape(f.resolve(sizes)).astype(DTYPES[f.dtype], copy=False)
            for f in MODEL_FIELDS
            if f.dtype != "size" and f.name in values
        }
        all_sizes, all_values = derive(sizes, shaped)
        super().__init__(MODEL, all_sizes, all_values, UNIFORM)
        self._names = Names(names or {})
        self._name = name

    @classmethod
    def from_xml_path(cls, path: str | Path) -> Model:
        """Compile a model file; `MjcfError` says where it is wrong."""
        from corten.mjcf import compile_path

        return cls._finished(compile_path(path))

    @classmethod
    def from_xml_string(cls, xml: str, assets: Mapping[str, bytes | str] | None = None) -> Model:
        """Compile a model given as text; files that it names are looked up in `assets`, then on disk."""
        from corten.mjcf import compile_string

        return cls._finished(compile_string(xml, assets))

    @classmethod
    def _finished(cls, compiled: CompiledModel) -> Model:
        """A model from what the compiler has found, completed by what needs dynamics."""
        from corten.mjcf.constants import finish

        model = cls(compiled.sizes, compiled.values, compiled.names, compiled.name)
        finish(model, compiled.spec)
        return model

    @property
    def name(self) -> str:
        """The name that the file gives the model."""
        return self._name

    @property
    def names(self) -> Names:
        """The names of all objects."""
        return self._names

    def save(self, path: str | Path) -> None:
        """Write the model to a file that `load` reads."""
        Path(path).write_bytes(self.to_bytes())

    @classmethod
    def load(cls, path: str | Path) -> Model:
        """Read a model that `save` has written."""
        return cls.from_bytes(Path(path).read_bytes(), str(path))

    def to_bytes(self) -> bytes:
        """The saved form."""
        header = {
            "format": FORMAT,
            "version": VERSION,
            "name": self._name,
            "sizes": {f.name: self._sizes[f.name] for f in MODEL_FIELDS if f.dtype == "size"},
            "names": self._names.as_dict(),
        }
        contents: dict[str, Any] = {f.name: self.array(f.name) for f in MODEL_FIELDS if f.dtype != "size"}
        contents["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
        stream = io.BytesIO()
        np.savez(stream, **contents)
        return stream.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes, source: str = "data") -> Model:
        """A model from its saved form; nothing in it is executed."""
        if not isinstance(content, bytes) or not zipfile.is_zipfile(io.BytesIO(content)):
            raise ModelFileError(f"{source} is not a saved model")
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as archive:
                header = json.loads(bytes(archive["header"]))
                if header.get("format") != FORMAT or header.get("version") != VERSION:
                    raise ModelFileError(f"{source} is not a '{FORMAT}' of version {VERSION}")
                values = {f.name: archive[f.name] for f in MODEL_FIELDS if f.dtype != "size"}
            return cls(header["sizes"], values, header["names"], header["name"])
        except (KeyError, ValueError, TypeError, AttributeError, OSError, zipfile.BadZipFile, EOFError) as error:
            if isinstance(error, ModelFileError):
                raise
            raise ModelFileError(f"{source} is not a saved model: {error}") from None

    def __reduce__(self) -> tuple[Any, ...]:
        return Model.from_bytes, (self.to_bytes(),)

    def copy(self) -> Model:
        """An independent copy."""
        other = Model.__new__(Model)
        Record.__init__(other, MODEL, self._all_sizes, None, UNIFORM)
        other._names, other._name = self._names, self._name
        other.copy_memory(self)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return self.copy()

    def _view(self, kind: str, which: str | int) -> NamedView:
        number = self._names.find(kind, which)
        return NamedView(self, kind, number, getattr(self._names, kind)[number], model_rows)

    def flex(self, which: str | int) -> NamedView:
        """A soft body by name or number."""
        return self._view("flex", which)

    def mesh(self, which: str | int) -> NamedView:
        """A mesh by name or number."""
        return self._view("mesh", which)

    def hfield(self, which: str | int) -> NamedView:
        """A height field by name or number."""
        return self._view("hfield", which)

    def pair(self, which: str | int) -> NamedView:
        """A contact pair by name or number."""
        return self._view("pair", which)

    def key(self, which: str | int) -> NamedView:
        """A keyframe by name or number."""
        return self._view("key", which)

    def numeric(self, which: str | int) -> np.ndarray:
        """The values of a custom number."""
        number = self._names.find("numeric", which)
        adr = self.numeric_adr[number]
        return self.numeric_data[adr:adr + self.numeric_size[number]]

    def text(self, which: str | int) -> str:
        """A custom text."""
        number = self._names.find("text", which)
        adr = self.text_adr[number]
        return bytes(self.text_data[adr:adr + self.text_size[number] - 1]).decode()
