"""`corten warmup`: compile the engine ahead of its first use."""

from __future__ import annotations


def warmup() -> None:
    """Compile all kernels into the cache, so that the first step of a program starts at once."""
    import time

    import corten
    from corten import kernel
    from corten.cli.output import console, progress

    if not kernel.JIT:
        console.print("CORTEN_JIT=0: kernels run as plain Python, there is nothing to compile")
        return
    start = time.perf_counter()
    with progress("compiling", None) as bar:
        corten.warmup(bar.at)
    console.print(f"all kernels are in the cache ({time.perf_counter() - start:.1f} s)")
