"""Machine code on disk, filed under a digest of all that it was made from.

The digest covers the source of every kernel that the unit contains, the kernel language itself, the layout of the
records, the compiler's version and the processor. A changed source is another file name, so stale code can not be
found.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from corten.kernel.target import host


def folder() -> Path:
    """Where machine code is kept: CORTEN_CACHE, or the user's cache folder."""
    named = os.environ.get("CORTEN_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "corten"


@functools.cache
def language_digest() -> str:
    """A digest of the kernel language's own source and of the code generator's version and target."""
    h = hashlib.sha256(host().key.encode())
    for file in sorted(Path(__file__).parent.glob("*.py")):
        h.update(file.name.encode() + file.read_bytes())
    return h.hexdigest()


def key(*parts: str) -> str:
    """The key of what follows from these texts, the language and the processor."""
    return hashlib.sha256("\n".join([language_digest(), *parts]).encode()).hexdigest()[:40]


def read(name: str) -> tuple[bytes, list[Any]] | None:
    """(code, needs) under a key, or None."""
    path = folder() / name
    try:
        blob = path.read_bytes()
        size = int.from_bytes(blob[:8], "little")
        needs: list[Any] = json.loads(blob[8 : 8 + size])
    except (OSError, ValueError):
        return None
    return blob[8 + size :], needs


def write(name: str, code: bytes, needs: list[Any]) -> None:
    """File code under a key. A folder that can not be written costs the time of the next compilation, nothing else."""
    head = json.dumps(needs).encode()
    try:
        folder().mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder(), delete=False) as f:
            f.write(len(head).to_bytes(8, "little") + head + code)
        Path(f.name).replace(folder() / name)
    except OSError:
        return
