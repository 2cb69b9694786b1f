"""The pages of docs/: what is printed from tables is up to date, and programs run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from corten.kernel import JIT
from corten.model import reference

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.mark.plain
def test_the_field_reference_is_up_to_date() -> None:
    page = (DOCS / "fields.md").read_text(encoding="utf-8")
    assert page == reference.render(), "run: python -m corten.model.reference > docs/fields.md"


@pytest.mark.skipif(not JIT, reason="derivatives have no plain Python form")
def test_the_guide_runs() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / "library.md").read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) > 8
    exec(compile("\n".join(blocks), "docs/library.md", "exec"), {"__name__": "guide"})
