"""The processor at hand: its name, features, and how wide its vectors are."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Host:
    """What code is generated for."""

    llvm: str
    cpu: str
    features: str
    fma: bool
    lanes: int  # doubles in a vector register

    @property
    def key(self) -> str:
        """What distinguishes machine code for one host from that for another."""
        return f"{self.cpu}|{self.features}|{self.llvm}"


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def host() -> Host:
    """This machine; the environment variable CORTEN_CPU names another processor's code (generic: the oldest)."""
    import llvmlite.binding as llvm  # a large library: loaded when code is first needed

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    version = f"llvm {llvm.llvm_version_info}"
    name = os.environ.get("CORTEN_CPU")
    if name:
        return Host(version, name, "", False, 2)
    features = llvm.get_host_cpu_features()
    lanes = 8 if features.get("avx512f") else 4 if features.get("avx") else 2
    fma = bool(features.get("fma") or features.get("neon"))
    return Host(version, llvm.get_host_cpu_name(), features.flatten(), fma, lanes)
