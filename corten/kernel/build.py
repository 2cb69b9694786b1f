"""Builds entries: finds all the units that one needs, compiles those that are not in the cache, and links them.

Translation (Python) runs here; optimisation and code generation (LLVM) run in helper processes where there is more than
a little of it.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

from corten.kernel import cache, native
from corten.kernel.errors import KernelError
from corten.kernel.target import processors
from corten.kernel.types import Argument, Struct, Type, argument_from_text, argument_text
from corten.kernel.unit import Unit, symbol_of

FEW = 2  # so many missing units are compiled here; more in helper processes
Progress = Callable[[int, int, str], None]  # (done, total, name of the unit just done)


@dataclass
class Planned:
    """A unit on its way: from text or from the cache to code to an address."""

    key: str
    symbol: str
    returns: Type
    text: str = ""
    code: bytes = b""
    calls: list[Any] = field(default_factory=list)  # [module, name, argument texts] of the stages it calls
    needs: list[str] = field(default_factory=list)  # their keys


_addresses: dict[str, int] = {}  # key -> where its code is
_lock = threading.RLock()


def build(requests: Iterable[tuple[Any, list[Argument]]], progress: Progress | None = None) -> list[tuple[int, Type]]:
    """(address, return type) of the machine code of each (kernel, arguments)."""
    with _lock:
        plan: dict[str, Planned] = {}
        roots = [_plan(kernel, arguments, plan) for kernel, arguments in requests]
        _compile([p for p in plan.values() if p.text], progress)
        return [(_link(root, plan), plan[root].returns) for root in roots]


def _plan(kernel: Any, arguments: list[Argument], plan: dict[str, Planned]) -> str:
    """Enter a unit and all that it needs into the plan, from the cache or freshly translated; gives its key."""
    symbol = symbol_of(kernel, arguments)
    records = {a.record.name: a.record for a in arguments if isinstance(a, Struct)}
    key = cache.key(symbol, kernel.digest(), *(repr((n, r.fields)) for n, r in sorted(records.items())))
    if key in plan:
        return key
    found = cache.read(key)
    if found is not None:
        code, (returns, calls) = found
        type_ = argument_from_text(returns, records)
        assert isinstance(type_, Type)
        plan[key] = p = Planned(key, symbol, type_, code=code, calls=calls)
        for module, name, texts in calls:
            inner = _stage(module, name)
            p.needs.append(_plan(inner, [argument_from_text(t, records) for t in texts], plan))
        return key
    unit = Unit(kernel, arguments)
    text = unit.translate()
    plan[key] = p = Planned(key, symbol, unit.returns, text)
    for inner, inner_arguments in unit.needs.values():
        texts = [argument_text(a) for a in inner_arguments]
        p.calls.append([inner.__module__, inner.__qualname__, texts])
        p.needs.append(_plan(inner, inner_arguments, plan))
    return key


def _stage(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module) or importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _compile(missing: list[Planned], progress: Progress | None) -> None:
    """Machine code for all of these, the largest first, filed in the cache."""
    if not missing:
        return
    if progress is None and len(missing) > FEW:
        from corten.kernel.progress import progress_bar

        progress = progress_bar()
    missing.sort(key=lambda p: -len(p.text))
    done = 0
    compiler = _compile_here if len(missing) <= FEW else _compile_in_helpers
    for p in compiler(missing):
        cache.write(p.key, p.code, [p.returns.key, p.calls])
        p.text = ""
        done += 1
        if progress is not None:
            progress(done, len(missing), p.symbol.split("|")[0])


def _compile_here(missing: list[Planned]) -> Iterable[Planned]:
    for p in missing:
        p.code = native.compile_text(p.text)
        yield p


def _compile_in_helpers(missing: list[Planned]) -> Iterable[Planned]:
    """Shares the work among helper processes, one for each core; yields units as they are done."""
    todo: SimpleQueue[Planned | None] = SimpleQueue()
    done: SimpleQueue[Planned | Exception] = SimpleQueue()
    count = min(processors(), len(missing))
    for p in missing:
        todo.put(p)
    for _ in range(count):
        todo.put(None)
        threading.Thread(target=_serve, args=(todo, done), daemon=True).start()
    for _ in missing:
        result = done.get()
        if isinstance(result, Exception):
            raise result
        yield result


def _serve(todo: SimpleQueue[Planned | None], done: SimpleQueue[Planned | Exception]) -> None:
    """Feeds one helper process."""
    command = [sys.executable, "-m", "corten.kernel.worker"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    try:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdin is not None and process.stdout is not None
            while (p := todo.get()) is not None:
                text = p.text.encode()
                process.stdin.write(len(text).to_bytes(8, "little") + text)
                process.stdin.flush()
                size = int.from_bytes(process.stdout.read(8), "little")
                failed = size >= 2**63
                reply = process.stdout.read(size - 2**63 if failed else size)
                if failed or not reply:
                    raise KernelError(f"code generation for {p.symbol} failed: {reply.decode()}")
                p.code = reply
                done.put(p)
    except Exception as error:  # handed to the thread that waits, which raises it
        done.put(error)


def _link(key: str, plan: dict[str, Planned]) -> int:
    """The address of a unit's code, loaded with all that it needs."""
    if key not in _addresses:
        p = plan[key]
        imports = {plan[n].symbol: _link(n, plan) for n in p.needs}
        _addresses[key] = native.link(p.code, p.symbol, imports)
    return _addresses[key]
