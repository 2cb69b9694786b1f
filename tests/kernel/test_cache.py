"""The cache of machine code: stale code can not be found, and what is not stale is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from corten.kernel import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="about the compiler")

HELPER = (
    "from corten.kernel import kernel\nfrom constants import C\n@kernel\ndef helper(x):\n    return x * {factor} + C\n"
)
CALLER = """
import numpy as np
from corten.kernel import kernel, stage
from corten.kernel.record import Field, Record, RecordType
from helper import helper

D = RecordType("D", [Field("x", (1,), "real", ""), Field("y", (1,), "real", "")])

@stage
def inner(d, k):
    d.y[0] = helper(d.x[0]) + k

@stage
def outer(d):
    inner(d, 1000)

d = Record(D, {}, {"x": 10.0})
outer(d)
print(d.y[0])
"""


def run(folder: Path, cache: Path) -> tuple[float, set[str]]:
    """What the caller prints, and the names of the files in the cache afterwards."""
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "CORTEN_CACHE": str(cache), "PYTHONPATH": os.pathsep.join([str(root), str(folder)])}
    out = subprocess.run(
        [sys.executable, "-B", str(folder / "caller.py")], env=environment, capture_output=True, text=True, check=True
    )
    return float(out.stdout), {p.name for p in cache.iterdir()}


def test_an_edit_in_another_file_is_seen(tmp_path: Path) -> None:
    folder, cache = tmp_path / "src", tmp_path / "cache"
    folder.mkdir()
    (folder / "constants.py").write_text("C = 0.5\n")
    (folder / "helper.py").write_text(HELPER.format(factor=2.0))
    (folder / "caller.py").write_text(CALLER)
    first, files = run(folder, cache)
    assert first == 1020.5
    again, same = run(folder, cache)
    assert again == first and same == files  # nothing was compiled again
    (folder / "helper.py").write_text(HELPER.format(factor=3.0))
    edited, more = run(folder, cache)
    assert edited == 1030.5
    assert len(more - files) == 1  # `inner` only: `outer` calls it by name
    (folder / "constants.py").write_text("C = 0.25\n")
    assert run(folder, cache)[0] == 1030.25
    (folder / "helper.py").write_text(HELPER.format(factor=2.0))
    (folder / "constants.py").write_text("C = 0.5\n")
    back, after = run(folder, cache)
    assert back == first and len(after) == len(more) + 1  # the first code serves again


def test_a_cache_that_can_not_be_written_costs_time_only(tmp_path: Path) -> None:
    folder = tmp_path / "src"
    folder.mkdir()
    (folder / "constants.py").write_text("C = 0.5\n")
    (folder / "helper.py").write_text(HELPER.format(factor=2.0))
    (folder / "caller.py").write_text(CALLER)
    blocker = tmp_path / "cache"
    blocker.mkdir()
    target = blocker / "file"
    target.write_text("not a folder")
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "CORTEN_CACHE": str(target), "PYTHONPATH": os.pathsep.join([str(root), str(folder)])}
    out = subprocess.run([sys.executable, str(folder / "caller.py")], env=environment, capture_output=True, text=True)
    assert out.returncode == 0 and float(out.stdout) == 1020.5


def test_import_loads_no_compiler() -> None:
    """`import corten` is quick: LLVM, the readers of files and the geometry library come when they are needed."""
    program = "import sys, corten; print(*sorted({'llvmlite', 'lxml', 'scipy', 'typer', 'rich'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.split() == []
