"""What a user waits for: import, load a model, first step, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from corten.cli.benchmark.timing import Row
from corten.cli.problem import CHECK_FAILED, Problem

WARM_RUNS = 5

OURS = """
import sys, time
start = time.perf_counter()
import corten
m = corten.Model.from_xml_path(sys.argv[1])
corten.step(m, corten.Data(m))
print(time.perf_counter() - start)
"""

THEIRS = """
import sys, time
start = time.perf_counter()
import mujoco
m = mujoco.MjModel.from_xml_path(sys.argv[1])
mujoco.mj_step(m, mujoco.MjData(m))
print(time.perf_counter() - start)
"""


def measure(path: Path, advance: Callable[[], None]) -> list[Row]:
    """Seconds with an empty cache (once) and with a filled one (best of several)."""
    with tempfile.TemporaryDirectory(prefix="corten-bench-") as cache:
        environment = {**os.environ, "CORTEN_CACHE": cache}
        cold = _seconds(OURS, path, environment)
        advance()
        warm = [_seconds(OURS, path, environment) for _ in range(WARM_RUNS)]
        advance()
    theirs = [_seconds(THEIRS, path, dict(os.environ)) for _ in range(WARM_RUNS)]
    advance()
    return [
        Row("first step ever, empty cache", cold, theirs[0], "s"),
        Row("import, load, first step, warm cache", min(warm), min(theirs), "s"),
    ]


def _seconds(program: str, path: Path, environment: dict[str, str]) -> float:
    command = [sys.executable, "-c", program, str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Problem(f"the start-up process failed:\n{done.stderr.strip()}", CHECK_FAILED)
    return float(done.stdout.split()[-1])
