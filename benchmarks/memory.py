"""Memory of one more world: what is allocated for a Data, and for each world of a Batch."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import corten
from corten import models

WORLDS = 256


def kilobytes(make: Callable[[], object]) -> float:
    """Allocated and kept by a call."""
    before = tracemalloc.get_traced_memory()[0]
    kept = make()
    after = tracemalloc.get_traced_memory()[0]
    del kept
    return (after - before) / 1024


def main() -> None:
    tracemalloc.start()
    for name in models.names():
        m = corten.Model.from_xml_path(models.path(name))
        single = kilobytes(lambda m=m: [corten.Data(m) for _ in range(WORLDS)]) / WORLDS
        many = kilobytes(lambda m=m: corten.Batch(m, WORLDS)) / WORLDS
        print(f"{name:16} {single:8.1f} kB as a Data, {many:8.1f} kB in a Batch")


if __name__ == "__main__":
    main()
