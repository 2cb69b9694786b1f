"""From LLVM text to machine code, and from machine code to addresses."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import llvmlite.binding as llvm

from corten.kernel.target import host

SPEED = 3


@functools.cache
def machine() -> Any:
    """The code generator for the host."""
    h = host()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=h.cpu, features=h.features, opt=SPEED, reloc="pic", codemodel="default")


def compile_text(text: str) -> bytes:
    """Optimised machine code of a module, as an object file."""
    module = optimise(text)
    code: bytes = machine().emit_object(module)
    return code


def optimise(text: str) -> Any:
    """A module, parsed, checked and optimised."""
    module = llvm.parse_assembly(text)
    module.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=SPEED)
    tuning.loop_interleaving = False
    tuning.slp_vectorization = True
    builder = llvm.create_pass_builder(machine(), tuning)
    passes = builder.getModulePassManager()
    passes.run(module, builder)
    return module


def assembly(text: str) -> str:
    """Machine code in words, for a reader who wants to see why a kernel is slow."""
    code: str = machine().emit_assembly(optimise(text))
    return code


@functools.cache
def _jit() -> Any:
    return llvm.create_lljit_compiler(machine(), use_jit_link=False)


_names = itertools.count()
_kept: list[Any] = []  # loaded code lives as long as the process: entries are held by address


def link(code: bytes, symbol: str, imports: dict[str, int]) -> int:
    """Load an object file and give the address of its entry. Symbols come without quotes."""
    builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process().export_symbol(symbol)
    for name, place in imports.items():
        builder.import_symbol(name, place)
    tracker = builder.link(_jit(), f"unit{next(_names)}")
    _kept.append(tracker)
    address: int = tracker[symbol]
    return address
