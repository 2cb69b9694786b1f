"""Translates kernels, as Python syntax trees, to LLVM: statements.

A function is translated once for each combination of argument types, by running over its statements and writing
instructions as it goes. The type of a variable is the join of all that is assigned to it. A variable that is assigned
once is just a name for a value; one that is assigned again, or read outside the block that assigned it, lives in a
stack slot (which LLVM turns back into registers). Both facts are found by doing: when translation meets a wider type or
a missing name it notes the fact and runs again from the start.
"""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from corten.kernel import arithmetic as ar
from corten.kernel import memory, plain, source
from corten.kernel.errors import KernelError
from corten.kernel.expressions import Expressions
from corten.kernel.ir import Body, Value, flatten, make_tuple, static, unflatten
from corten.kernel.types import INT, NONE, Argument, Bool, Int, Mask, Nothing, Static, Struct, Tuple, Type, join


class _Again(Exception):
    """Translation must start over with what has been learned."""


@dataclass(slots=True)
class Slot:
    """A variable in memory: one stack cell for each register of its type."""

    type: Type
    cells: tuple[str, ...]


@dataclass(slots=True)
class Loop:
    """The labels that `break` and `continue` go to, and whether some `break` does."""
    after: str
    next: str
    broken: bool = False


def assigned_names(node: ast.FunctionDef) -> Counter[str]:
    """How often each name is assigned by statements; the variable of a `for` counts not at all unless assigned
    elsewhere.
    """
    counts: Counter[str] = Counter()
    loop_targets: set[str] = set()

    def target(t: ast.expr, into: Any) -> None:
        for n in ast.walk(t):
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                into(n.id)

    for statement in ast.walk(node):
        if isinstance(statement, ast.Assign):
            for t in statement.targets:
                target(t, lambda n: counts.update([n]))
        elif isinstance(statement, ast.AugAssign):
            target(statement.target, lambda n: counts.update([n, n]))
        elif isinstance(statement, ast.AnnAssign):
            target(statement.target, lambda n: counts.update([n]))
        elif isinstance(statement, ast.For):
            target(statement.target, loop_targets.add)
    for name in loop_targets:
        counts[name] += 1 if counts[name] else 0
    for arg in node.args.args:
        if counts[arg.arg]:
            counts[arg.arg] += 1
    for name in loop_targets:
        counts.setdefault(name, 0)
    return counts


class FunctionTranslator(Expressions):
    """One kernel for one combination of argument types."""

    def __init__(self, unit: Any, function: Any, arguments: list[Argument]):
        self.unit = unit
        self.function = function
        self.node = source.syntax(function)
        self.arguments = arguments
        self.assigned = assigned_names(self.node)
        self.slotted = {n for n, c in self.assigned.items() if c > 1}
        self.slot_types: dict[str, Type] = {}
        self.returns: Type | None = None
        self.line = self.node.lineno

    # -- running -----------------------------------------------------------------------------------------------------

    def run(self) -> tuple[Type, Body, list[str]]:
        """(return type, body, parameter registers with types)."""
        for _ in range(60):
            try:
                self.widened = False
                parameters = self._translate()
                if not self.widened:
                    return self.returns or NONE, self.body, parameters
            except _Again:
                continue
            except KernelError as e:
                if self.widened:
                    continue
                if e.kernel:
                    raise
                name, file = self.function.__qualname__, self.function.__code__.co_filename
                raise KernelError(e.message, name, file, self.line) from None
        raise KernelError("its types do not settle", self.function.__qualname__, self.function.__code__.co_filename)

    def _translate(self) -> list[str]:
        self.body = Body(self.unit.intrinsics)
        self.env: dict[str, Value] = {}
        self.slots: dict[str, Slot] = {}
        self.loops: list[Loop | None] = []
        parameters: list[str] = []
        for name, argument in zip(self._parameter_names(), self.arguments, strict=True):
            if isinstance(argument, tuple):
                value = static(argument[1])
            else:
                regs = []
                for r in argument.regs:
                    regs.append(f"%p{len(parameters)}")
                    parameters.append(f"{r} {regs[-1]}")
                value = unflatten(argument, regs)
            self.assign_name(name, value)
        self.block(self.node.body)
        if self.body.open:
            if self.returns not in (None, NONE):
                raise KernelError("one way through it ends without return, another returns a value")
            self.body.finish("ret void")
        return parameters

    def _parameter_names(self) -> list[str]:
        a = self.node.args
        if a.vararg or a.kwarg or a.posonlyargs or a.kwonlyargs:
            raise KernelError("a kernel takes named positional arguments only")
        return [p.arg for p in a.args]

    # -- variables ---------------------------------------------------------------------------------------------------

    def assign_name(self, name: str, value: Value) -> None:
        """Bind a name, in its slot if it has one; a wider type than so far is noted for the next run."""
        if name not in self.slotted or isinstance(value.type, (Struct, Static)):
            self.env[name] = value
            return
        slot = self.slots.get(name)
        if slot is None:
            known = self.slot_types.get(name)
            type_ = value.type if known is None else join(known, value.type)
            if type_ is None:
                raise KernelError(
                    f"'{name}' is a {known} here and a {value.type} there: a name has one type in a kernel"
                )
            slot = Slot(type_, tuple(self.body.alloca(r) for r in type_.regs))
            self.slots[name] = slot
            self.slot_types[name] = type_
        wide = join(slot.type, value.type)
        if wide is None:
            raise KernelError(
                f"'{name}' is a {slot.type} before and a {value.type} here: a name has one type in a kernel"
            )
        if wide != slot.type:
            self.slot_types[name] = wide
            self.widened = True
            return
        value = ar.cast(self.body, value, slot.type)
        for cell, kind, register in zip(slot.cells, slot.type.regs, flatten(value), strict=True):
            self.body.do(f"store {kind} {register}, ptr {cell}")

    def read_name(self, name: str) -> Value:
        """The value of a name: a variable's, or what the function's module or Python itself means by it."""
        if name in self.env:
            return self.env[name]
        slot = self.slots.get(name)
        if slot is not None:
            regs = [self.body.emit(f"load {k}, ptr {c}") for c, k in zip(slot.cells, slot.type.regs, strict=True)]
            return unflatten(slot.type, regs)
        if name in self.assigned:
            if name in self.slotted:
                raise KernelError(f"'{name}' is read before it is assigned")
            self.slotted.add(name)
            raise _Again
        try:
            return static(source.resolve(self.function, name))
        except KeyError:
            raise KernelError(f"name '{name}' is not defined") from None

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Names bound inside are forgotten after: what was computed there may not have been computed at all."""
        before = dict(self.env)
        yield
        self.env = before

    # -- statements --------------------------------------------------------------------------------------------------

    def block(self, statements: list[ast.stmt]) -> None:
        """Statements in order, up to one that control does not go on from."""
        for statement in statements:
            self.line = statement.lineno
            if not self.body.open:
                return  # after return, break or continue
            handler = getattr(self, f"do_{type(statement).__name__}", None)
            if handler is None:
                raise KernelError(f"'{type(statement).__name__.lower()}' statements are not in the kernel language")
            handler(statement)

    def do_Expr(self, s: ast.Expr) -> None:
        if not isinstance(s.value, ast.Constant):
            self.expression(s.value)

    def do_Pass(self, s: ast.Pass) -> None:
        """Nothing."""

    def do_Assign(self, s: ast.Assign) -> None:
        value = self.expression(s.value)
        for target in s.targets:
            self.assign(target, value)

    def do_AnnAssign(self, s: ast.AnnAssign) -> None:
        if s.value is not None:
            self.assign(s.target, self.expression(s.value))

    def assign(self, target: ast.expr, value: Value) -> None:
        """target = value, for every kind of target."""
        if isinstance(target, ast.Name):
            self.assign_name(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            if not isinstance(value.type, Tuple) or len(value.items) != len(target.elts):
                raise KernelError(f"a {value.type} does not unpack into {len(target.elts)} names")
            for t, v in zip(target.elts, value.items, strict=True):
                self.assign(t, v)
        elif isinstance(target, ast.Subscript):
            memory.store(self.body, self.expression(target.value), self.indices(target), value)
        elif isinstance(target, ast.Attribute):
            owner = self.expression(target.value)
            if not isinstance(owner.type, Struct):
                raise KernelError(f"an attribute of a {owner.type} can not be assigned")
            memory.set_attribute(self.body, owner, target.attr, value)
        else:
            raise KernelError(f"assignment to {type(target).__name__.lower()} is not in the kernel language")

    def do_AugAssign(self, s: ast.AugAssign) -> None:
        target = s.target
        if isinstance(target, ast.Subscript):
            buffer, index = self.expression(target.value), self.indices(target)
            old = memory.load(self.body, buffer, *index)
            memory.store(self.body, buffer, index, self.combine(s.op, old, s.value))
            return
        old = self.expression(ast.copy_location(_as_load(target), target))
        self.assign(target, self.combine(s.op, old, s.value))

    def do_Return(self, s: ast.Return) -> None:
        value = static(None) if s.value is None else self.expression(s.value)
        if self.returns is None:
            self.returns = value.type
        wide = join(self.returns, value.type)
        if wide is None:
            raise KernelError(f"it returns a {self.returns} in one place and a {value.type} in another")
        if wide != self.returns:
            self.returns, self.widened = wide, True
            self.body.finish("unreachable")
            return
        regs = flatten(ar.cast(self.body, value, wide))
        kinds = wide.regs
        if not kinds:
            self.body.finish("ret void")
        elif len(kinds) == 1:
            self.body.finish(f"ret {kinds[0]} {regs[0]}")
        else:
            struct = "{" + ", ".join(kinds) + "}"
            whole = "poison"
            for i, (kind, register) in enumerate(zip(kinds, regs, strict=True)):
                whole = self.body.emit(f"insertvalue {struct} {whole}, {kind} {register}, {i}")
            self.body.finish(f"ret {struct} {whole}")

    def condition(self, test: ast.expr, word: str) -> Value:
        """A test that may branch: the same for all worlds, or of one world alone."""
        value = self.expression(test)
        if isinstance(value.type, Mask):
            raise KernelError(
                f"`{word}` on a value that differs from world to world. Two ways out: choose between values with "
                "where(condition, a, b) (and any_lane(condition) to leave a loop), or do it world by world on the lane "
                "view: for l in lanes(d): work(m, lane(d, l))"
            )
        if isinstance(value.type, (Int, Nothing)) and not value.known:
            return ar.compare(self.body, "!=", value, static(0))
        return memory.truth(value)

    def do_If(self, s: ast.If) -> None:
        test = self.condition(s.test, "if")
        if test.known:
            self.block(s.body if test.const else s.orelse)
            return
        yes, after = self.body.new_label("then"), self.body.new_label("after")
        no = self.body.new_label("else") if s.orelse else after
        self.body.branch(test.regs[0], yes, no)
        self.body.place(yes)
        with self.scope():
            self.block(s.body)
        reached = self.body.open or not s.orelse
        self.body.jump(after)
        if s.orelse:
            self.body.place(no)
            with self.scope():
                self.block(s.orelse)
            reached = reached or self.body.open
            self.body.jump(after)
        if reached:
            self.body.place(after)
            self.body.open = True

    def do_While(self, s: ast.While) -> None:
        self._no_else(s)
        head, inside, after = (self.body.new_label(n) for n in ("while", "do", "done"))
        self.body.place(head)
        test = self.condition(s.test, "while")
        loop = Loop(after, head)
        if test.known and not test.const:
            return
        if test.known:
            self.body.jump(inside)
        else:
            self.body.branch(test.regs[0], inside, after)
        self.body.place(inside)
        self._loop_body(s.body, loop)
        self.body.jump(head)
        if loop.broken or not test.known:
            self.body.place(after)

    def _loop_body(self, statements: list[ast.stmt], loop: Loop | None) -> None:
        self.loops.append(loop)
        with self.scope():
            self.block(statements)
        self.loops.pop()

    @staticmethod
    def _no_else(s: ast.For | ast.While) -> None:
        if s.orelse:
            raise KernelError("`else` of a loop is not in the kernel language")

    def do_For(self, s: ast.For) -> None:
        self._no_else(s)
        call = s.iter
        if isinstance(call, ast.Call) and not call.keywords:
            what = self.expression(call.func)
            args = [self.expression(a) for a in call.args]
            if what.known and what.const is plain.lanes:
                self._count(s, static(0), static(memory.width_of(args[0])), 1)
                return
            if what.known and what.const is plain.unroll:
                self._unroll(s, [static(i) for i in range(*(self._literal(a) for a in args))])
                return
            if what.known and what.const is range:
                start, stop = (static(0), args[0]) if len(args) == 1 else (args[0], args[1])
                self._count(s, start, stop, self._literal(args[2]) if len(args) == 3 else 1)
                return
        over = self.expression(call)
        if not isinstance(over.type, Tuple):
            raise KernelError(f"a loop over a {over.type}; loops go over range(), unroll(), lanes() and tuples")
        self._unroll(s, list(over.items))

    @staticmethod
    def _literal(value: Value) -> int:
        if not value.known or not isinstance(value.const, int):
            raise KernelError("this number must be literal: the loop's step, or what unroll() counts to")
        return int(value.const)

    def _unroll(self, s: ast.For, values: list[Value]) -> None:
        for value in values:
            self.assign(s.target, value)
            self.loops.append(None)
            self.block(s.body)
            self.loops.pop()

    def _count(self, s: ast.For, start: Value, stop: Value, step: int) -> None:
        """for target in range(start, stop, step)"""
        for v in (start, stop):
            if not isinstance(v.type, Int):
                raise KernelError(f"range() of a {v.type}, not of an integer")
        if step == 0:
            raise KernelError("range() with step 0")
        body = self.body
        cell = body.alloca("i64")
        body.do(f"store i64 {start.regs[0]}, ptr {cell}")
        head, inside, latch, after = (body.new_label(n) for n in ("for", "do", "next", "done"))
        body.place(head)
        index = body.emit(f"load i64, ptr {cell}")
        test = body.emit(f"icmp {'slt' if step > 0 else 'sgt'} i64 {index}, {stop.regs[0]}")
        body.branch(test, inside, after)
        body.place(inside)
        loop = Loop(after, latch)
        self.loops.append(loop)
        with self.scope():
            self.assign(s.target, Value(INT, (index,)))
            self.block(s.body)
        self.loops.pop()
        body.place(latch)
        old = body.emit(f"load i64, ptr {cell}")
        moved = body.emit(f"add nsw i64 {old}, {step}")
        body.do(f"store i64 {moved}, ptr {cell}")
        body.jump(head)
        body.place(after)

    def do_Break(self, s: ast.Break) -> None:
        self._innermost("break").broken = True
        self.body.jump(self._innermost("break").after)

    def do_Continue(self, s: ast.Continue) -> None:
        self.body.jump(self._innermost("continue").next)

    def _innermost(self, word: str) -> Loop:
        loop = self.loops[-1] if self.loops else None
        if loop is None:
            raise KernelError(f"`{word}` in a loop that is unrolled")
        return loop

    # -- calls -------------------------------------------------------------------------------------------------------

    def call_kernel(self, kernel: Any, args: list[Value]) -> Value:
        """A call of another kernel: translated for these types if it is not yet, then called."""
        args = bind(kernel, args, {})
        return self._emit_call(kernel, args)

    def _emit_call(self, kernel: Any, args: list[Value]) -> Value:
        symbol, returns = self.unit.callee(kernel, [argument_of(a) for a in args])
        actual = []
        for a in args:
            if not is_static(a):
                actual += [f"{k} {r}" for k, r in zip(a.type.regs, flatten(a), strict=True)]
        kinds = returns.regs
        result = "void" if not kinds else kinds[0] if len(kinds) == 1 else "{" + ", ".join(kinds) + "}"
        call = f"call {result} @{symbol}({', '.join(actual)})"
        if not kinds:
            self.body.do(call)
            return static(None) if returns == NONE else make_tuple(())
        whole = self.body.emit(call)
        if len(kinds) == 1:
            return unflatten(returns, [whole])
        regs = [self.body.emit(f"extractvalue {result} {whole}, {i}") for i in range(len(kinds))]
        return unflatten(returns, regs)


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    raise KernelError("this target of an augmented assignment is not in the kernel language")


def is_static(value: Value) -> bool:
    """Whether an argument is passed at compile time: truth values, None and Python objects that are known."""
    return value.known and isinstance(value.type, (Bool, Nothing, Static))


def argument_of(value: Value) -> Argument:
    """What a callee is translated for: the argument's type, and its value where that is passed at compile time."""
    return (value.type, value.const) if is_static(value) else value.type


def bind(kernel: Any, args: list[Value], keywords: dict[str, Value]) -> list[Value]:
    """Positional and named arguments in the order of the kernel's parameters, with defaults filled in."""
    signature = kernel.signature
    names = list(signature.parameters)
    if len(args) > len(names):
        raise KernelError(f"'{kernel.__name__}' takes {len(names)} arguments, {len(args)} given")
    bound = dict(zip(names, args, strict=False))
    for name, value in keywords.items():
        if name not in signature.parameters or name in bound:
            raise KernelError(f"'{kernel.__name__}' got an unexpected or repeated argument '{name}'")
        bound[name] = value
    for name, parameter in signature.parameters.items():
        if name in bound:
            continue
        if parameter.default is inspect.Parameter.empty:
            raise KernelError(f"'{kernel.__name__}' misses the argument '{name}'")
        bound[name] = static(parameter.default)
    return [bound[n] for n in names]
