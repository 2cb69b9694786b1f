"""The field reference of the docs, printed from the tables: `python -m corten.model.reference > docs/fields.md`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from corten.kernel.record import Field
from corten.model.data_fields import DATA
from corten.model.derived import DERIVED_FIELDS
from corten.model.model_fields import MODEL_FIELDS

HEADER = """# Fields of Model and Data

This page is printed from the tables of fields by `python -m corten.model.reference`; do not edit it.

Names, shapes and meanings are MuJoCo's; what is Corten's own is marked *ours*. Every field is an attribute: a NumPy
array over the memory that kernels work on, or a number where the shape is empty. The stage is the one of the step
(`corten/physics/step.py`) that writes a field.
"""

# What a field holds, where it is not its own name that says it.
KINDS = {
    "size": "integer", "capacity": "integer, grows", "int": "integer", "long": "integer", "block": "integer",
    "bits": "integer", "byte": "small integer", "flag": "truth value", "float": "real", "common": "real",
    "single": "real, single precision",
}  # fmt: skip


def render() -> str:
    """The page."""
    sizes = [f for f in MODEL_FIELDS if f.dtype == "size"]
    arrays = [f for f in MODEL_FIELDS if f.dtype != "size"]
    lines = [HEADER]
    for title, fields in (("Model: sizes", sizes), ("Model: options and arrays", arrays)):
        lines += _table(title, fields, staged=False)
    lines += _table("Model: what kernels want beyond these, derived from them", DERIVED_FIELDS, staged=False)
    lines += _table("Data", DATA.fields, staged=True)
    return "\n".join(lines)


def _table(title: str, fields: Iterable[Field], staged: bool) -> Iterator[str]:
    yield f"## {title}\n"
    yield "| field | shape | kind | meaning |" + (" stage |" if staged else "")
    yield "| --- | --- | --- | --- |" + (" --- |" if staged else "")
    for f in fields:
        shape = ", ".join(str(n) for n in f.shape)
        meaning = f"{f.doc}; *ours*" if f.ours else f.doc
        row = f"| `{f.name}` | {shape} | {KINDS.get(f.dtype, f.dtype)} | {meaning} |"
        yield row + (f" {f.stage} |" if staged else "")
    yield ""


if __name__ == "__main__":
    print(render(), end="")
