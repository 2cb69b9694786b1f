"""The vocabulary compiled: what each function of `plain.py` becomes in instructions."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, Protocol

from corten.kernel import arithmetic as ar
from corten.kernel import memory, plain
from corten.kernel.errors import KernelError
from corten.kernel.ir import Body, Value, lanes_width, make_tuple, real_literal, splat, static
from corten.kernel.types import FLOAT, INT, Bool, Dual, Float, Int, Lanes, Real, Tuple


class Caller(Protocol):
    """What lowering needs of the translator: a body to write to, and a way to call kernels."""

    body: Body

    def call_kernel(self, kernel: Any, args: list[Value]) -> Value: ...


Lowering = Callable[[Caller, list[Value]], Value]
LOWERINGS: dict[Any, Lowering] = {}
ELEMENTARY = ("sin", "cos", "sincos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "power")


def lowers(*functions: Any) -> Callable[[Lowering], Lowering]:
    """Registers a lowering for functions of the vocabulary."""
    def register(lowering: Lowering) -> Lowering:
        for f in functions:
            LOWERINGS[f] = lowering
        return lowering

    return register


def _number(value: Value, name: str) -> Value:
    if not isinstance(value.type, (Int, Real)):
        raise KernelError(f"{name}() of a {value.type}, not of a number")
    return value


@lowers(plain.where)
def _where(t: Caller, args: list[Value]) -> Value:
    condition, a, b = args
    return ar.select(t.body, condition, a, b)


@lowers(plain.any_lane)
def _any(t: Caller, args: list[Value]) -> Value:
    return ar.reduce_mask(t.body, args[0], every=False)


@lowers(plain.all_lanes)
def _all(t: Caller, args: list[Value]) -> Value:
    return ar.reduce_mask(t.body, args[0], every=True)


@lowers(plain.lane)
def _lane(t: Caller, args: list[Value]) -> Value:
    return memory.lane(t.body, args[0], args[1])


@lowers(plain.one_world)
def _one_world(t: Caller, args: list[Value]) -> Value:
    return static(memory.width_of(args[0]) == 1)


@lowers(plain.has_tangents)
def _has_tangents(t: Caller, args: list[Value]) -> Value:
    return static(memory.holds_duals(args[0]))


@lowers(plain.block)
def _block(t: Caller, args: list[Value]) -> Value:
    return memory.block(t.body, args[0], args[1])


@lowers(plain.lowest_bit)
def _lowest_bit(t: Caller, args: list[Value]) -> Value:
    return _count_zeros(t, args[0], "cttz")


@lowers(plain.highest_bit)
def _highest_bit(t: Caller, args: list[Value]) -> Value:
    return ar.binary(t.body, "-", static(63), _count_zeros(t, args[0], "ctlz"))


def _count_zeros(t: Caller, x: Value, name: str) -> Value:
    if not isinstance(x.type, Int):
        raise KernelError(f"the bits of a {x.type}, not of an integer")
    return Value(INT, (t.body.intrinsic(f"llvm.{name}.i64", "i64", [("i64", x.regs[0]), ("i1", "true")]),))


@lowers(plain.nonzero)
def _nonzero(t: Caller, args: list[Value]) -> Value:
    return ar.nonzero(t.body, _number(args[0], "nonzero"))


@lowers(plain.local)
def _local(t: Caller, args: list[Value]) -> Value:
    return memory.local(t.body, args[0], _sizes(args[1:], "local(d, n)"))


@lowers(plain.local_int)
def _local_int(t: Caller, args: list[Value]) -> Value:
    return memory.local_int(t.body, _sizes(args, "local_int(n)"))


def _sizes(args: list[Value], call: str) -> tuple[int, ...]:
    sizes = tuple(a.const for a in args)
    if not sizes or not all(isinstance(s, int) and s > 0 for s in sizes):
        raise KernelError(f"{call} needs literal sizes")
    return sizes


@lowers(plain.fma)
def _fma(t: Caller, args: list[Value]) -> Value:
    a, b, c = args
    return ar.fma(t.body, a, b, c, exact=True)


@lowers(plain.minimum, min)
def _minimum(t: Caller, args: list[Value]) -> Value:
    a, b = args
    return ar.select(t.body, ar.compare(t.body, "<", a, b), a, b)


@lowers(plain.maximum, max)
def _maximum(t: Caller, args: list[Value]) -> Value:
    a, b = args
    return ar.select(t.body, ar.compare(t.body, ">", a, b), a, b)


@lowers(plain.clip)
def _clip(t: Caller, args: list[Value]) -> Value:
    x, low, high = args
    return _maximum(t, [low, _minimum(t, [x, high])])


@lowers(plain.absolute, builtins.abs)
def _absolute(t: Caller, args: list[Value]) -> Value:
    return ar.absolute(t.body, args[0])


@lowers(plain.sign)
def _sign(t: Caller, args: list[Value]) -> Value:
    x = _value(t, [args[0]])
    down = ar.select(t.body, ar.compare(t.body, "<", x, static(0.0)), static(-1.0), static(0.0))
    return ar.select(t.body, ar.compare(t.body, ">", x, static(0.0)), static(1.0), down)


@lowers(plain.value)
def _value(t: Caller, args: list[Value]) -> Value:
    x = _number(args[0], "value")
    if isinstance(x.type, Dual):
        return Value(FLOAT if x.type.branch else Lanes(1), x.regs[:1])
    return x


@lowers(plain.tangent_of)
def _tangent_of(t: Caller, args: list[Value]) -> Value:
    x, lane = _dual_and_lane(t, args, "tangent_of")
    type_ = FLOAT if x.type.branch else Lanes(1)
    return Value(type_, (t.body.emit(f"extractelement {x.type.vector} {x.regs[1]}, i64 {lane}"),))


@lowers(plain.with_tangent)
def _with_tangent(t: Caller, args: list[Value]) -> Value:
    x, lane = _dual_and_lane(t, args, "with_tangent")
    new = ar.cast(t.body, _value(t, [args[2]]), FLOAT if x.type.branch else Lanes(1))
    vector = t.body.emit(f"insertelement {x.type.vector} {x.regs[1]}, double {new.regs[0]}, i64 {lane}")
    return Value(x.type, (x.regs[0], vector))


def _dual_and_lane(t: Caller, args: list[Value], word: str) -> tuple[Any, str]:
    """A dual with its tangents written out, and the vector's lane of the tangent asked for."""
    if not isinstance(args[0].type, Dual):
        raise KernelError(f"{word}() of a {args[0].type}, which has no tangents")
    if not isinstance(args[1].type, Int):
        raise KernelError(f"{word}(): the number of a tangent is a {args[1].type}")
    return ar.complete(t.body, args[0]), t.body.emit(f"add i64 {args[1].regs[0]}, 1")


@lowers(plain.floor)
def _floor(t: Caller, args: list[Value]) -> Value:
    return ar.unary_intrinsic(t.body, "floor", args[0])


@lowers(plain.rint)
def _rint(t: Caller, args: list[Value]) -> Value:
    return ar.unary_intrinsic(t.body, "roundeven", args[0])


@lowers(plain.sqrt)
def _sqrt(t: Caller, args: list[Value]) -> Value:
    """The root; its derivative is 0.5 / root, and taken as zero at zero."""
    x = args[0]
    root = ar.unary_intrinsic(t.body, "sqrt", x)
    tangent = ar.tangents(x)
    if tangent is None or not isinstance(x.type, Dual):
        return root
    half = t.body.emit(f"fdiv double {real_literal(0.5)}, {root.regs[0]}")
    positive = t.body.emit(f"fcmp ogt double {root.regs[0]}, {ar.ZERO}")
    factor = t.body.emit(f"select i1 {positive}, double {half}, double {ar.ZERO}")
    return ar.make_dual(x.type, root.regs[0], ar.scale_tangents(t.body, x.type, tangent, factor))


@lowers(plain.copysign)
def _copysign(t: Caller, args: list[Value]) -> Value:
    x, y = (_value(t, [a]) for a in args)
    type_ = ar.join(x.type, y.type)
    if not isinstance(type_, (Float, Lanes)):
        raise KernelError(f"copysign() of {x.type} and {y.type}")
    x, y = ar.cast(t.body, x, type_), ar.cast(t.body, y, type_)
    llvm = type_.regs[0]
    name = f"llvm.copysign.{ar.suffix(llvm)}"
    return Value(type_, (t.body.intrinsic(name, llvm, [(llvm, x.regs[0]), (llvm, y.regs[0])]),))


@lowers(plain.exponent)
def _exponent(t: Caller, args: list[Value]) -> Value:
    """The exponent bits, made a real by planting them in the mantissa of 2**52."""
    x = args[0]
    ints, reals = ar.vector_of(x)
    width = lanes_width(x.type)
    bits = t.body.emit(f"bitcast {reals} {x.regs[0]} to {ints}")
    shifted = t.body.emit(f"lshr {ints} {bits}, {splat(t.body, 'i64', '52', width)}")
    field = t.body.emit(f"and {ints} {shifted}, {splat(t.body, 'i64', '2047', width)}")
    planted = t.body.emit(f"or {ints} {field}, {splat(t.body, 'i64', str(0x433 << 52), width)}")
    real = t.body.emit(f"bitcast {ints} {planted} to {reals}")
    bias = splat(t.body, "double", real_literal(2.0**52 + 1023.0), width)
    return Value(x.type, (t.body.emit(f"fsub {reals} {real}, {bias}"),))


@lowers(plain.mantissa)
def _mantissa(t: Caller, args: list[Value]) -> Value:
    x = args[0]
    ints, reals = ar.vector_of(x)
    width = lanes_width(x.type)
    bits = t.body.emit(f"bitcast {reals} {x.regs[0]} to {ints}")
    kept = t.body.emit(f"and {ints} {bits}, {splat(t.body, 'i64', str((1 << 52) - 1), width)}")
    one = t.body.emit(f"or {ints} {kept}, {splat(t.body, 'i64', str(1023 << 52), width)}")
    return Value(x.type, (t.body.emit(f"bitcast {ints} {one} to {reals}"),))


@lowers(plain.scalb)
def _scalb(t: Caller, args: list[Value]) -> Value:
    """x * 2**n: the power is built by shifting n + 1023 into the exponent bits."""
    x, n = args
    type_ = ar.join(x.type, n.type)
    if not isinstance(type_, (Float, Lanes)):
        raise KernelError(f"scalb() of {x.type} and {n.type}")
    x, n = ar.cast(t.body, x, type_), ar.cast(t.body, n, type_)
    ints, reals = ar.vector_of(n)
    width = lanes_width(type_)
    biased = t.body.emit(f"fadd {reals} {n.regs[0]}, {splat(t.body, 'double', real_literal(2.0**52 + 1023.0), width)}")
    bits = t.body.emit(f"bitcast {reals} {biased} to {ints}")
    shifted = t.body.emit(f"shl {ints} {bits}, {splat(t.body, 'i64', '52', width)}")
    scale = t.body.emit(f"bitcast {ints} {shifted} to {reals}")
    return Value(type_, (t.body.emit(f"fmul {reals} {x.regs[0]}, {scale}"),))


@lowers(int)
def _int(t: Caller, args: list[Value]) -> Value:
    x = args[0]
    if x.known:
        return static(int(x.const))
    if isinstance(x.type, Int):
        return x
    if isinstance(x.type, Bool):
        return Value(INT, (t.body.emit(f"zext i1 {x.regs[0]} to i64"),))
    if isinstance(x.type, Float) or (isinstance(x.type, Dual) and x.type.branch):
        return Value(INT, (t.body.emit(f"fptosi double {x.regs[0]} to i64"),))
    raise KernelError(f"int() of a {x.type}: a number of each world can not become one integer")


@lowers(float)
def _float(t: Caller, args: list[Value]) -> Value:
    x = _number(args[0], "float")
    return ar.int_to_float(t.body, x) if isinstance(x.type, Int) else x


@lowers(len)
def _len(t: Caller, args: list[Value]) -> Value:
    if isinstance(args[0].type, Tuple):
        return static(len(args[0].items))
    raise KernelError(f"len() of a {args[0].type}, not of a tuple")


def _elementary(name: str) -> Lowering:
    """An elementary function: its own kernel on plain numbers and lanes, and the chain rule around it on duals."""

    def lower(t: Caller, args: list[Value]) -> Value:
        from corten.kernel import elementary  # written in the language itself: imported once the language stands

        function = getattr(elementary, name)
        args = [ar.int_to_float(t.body, _number(a, name)) if isinstance(a.type, Int) else a for a in args]
        duals = [a.type for a in args if isinstance(a.type, Dual)]
        if not duals:
            return t.call_kernel(function, args)
        values = [_value(t, [a]) for a in args]
        result = t.call_kernel(function, values)
        partials = t.call_kernel(elementary.DERIVATIVES[name], [*values, *_outputs(result)])
        return _chain(t, duals[0], result, _outputs(partials), args)

    return lower


def _outputs(value: Value) -> list[Value]:
    return list(value.items) if isinstance(value.type, Tuple) else [value]


def _chain(t: Caller, type_: Dual, result: Value, partials: list[Value], args: list[Value]) -> Value:
    """Tangents of f(args): the partial of each output by each argument, times that argument's tangents."""
    outputs = _outputs(result)
    duals = []
    for o, output in enumerate(outputs):
        tangent: str | None = None
        for a, arg in enumerate(args):
            dx = ar.tangents(arg)
            if dx is None:
                continue
            factor = partials[o * len(args) + a].regs[0]
            if tangent is None:
                tangent = ar.scale_tangents(t.body, type_, dx, factor)
            else:
                times = splat(t.body, "double", factor, type_.n + 1)
                tangent = ar.fma_register(t.body, type_.vector, dx, times, tangent)
        duals.append(ar.make_dual(type_, output.regs[0], tangent))
    return make_tuple(tuple(duals)) if isinstance(result.type, Tuple) else duals[0]


for _name in ELEMENTARY:
    LOWERINGS[getattr(plain, _name)] = _elementary(_name)
