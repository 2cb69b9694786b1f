"""Arithmetic on every element type: what `+`, `<` or `where` means for floats, lanes and duals.

Products that are summed are fused: `a*b + c` is one rounding, for every element type alike. The translator decides it
from the source text, left product first, never the optimiser; this is why one world and a lane of a batch agree bit for
bit.
"""

from __future__ import annotations

import math
import operator

from corten.kernel import target
from corten.kernel.errors import KernelError
from corten.kernel.ir import (
    Body,
    Value,
    flatten,
    lanes_width,
    make_tuple,
    real_literal,
    splat,
    static,
    suffix,
)
from corten.kernel.types import BOOL, FLOAT, INT, Bool, Dual, Float, Int, Lanes, Mask, Real, Tuple, Type, join, mask_of

ZERO = real_literal(0.0)


def cast(body: Body, value: Value, to: Type) -> Value:
    """The value as the type `to`, which holds it without loss."""
    have = value.type
    if have == to:
        return complete(body, value) if isinstance(to, Dual) else value
    if isinstance(have, Tuple) and isinstance(to, Tuple):
        return make_tuple(tuple(cast(body, v, t) for v, t in zip(value.items, to.items, strict=True)))
    if isinstance(to, Real):
        if isinstance(have, Int):
            value = int_to_float(body, value)
            return cast(body, value, to)
        if isinstance(to, Lanes) and isinstance(have, Float):
            return Value(to, (splat(body, "double", value.regs[0], to.width),))
        if isinstance(to, Dual) and isinstance(have, Dual) and not to.branch:
            return Value(to, complete(body, value).regs)
        if isinstance(to, Dual) and (isinstance(have, Float) or (have == Lanes(1) and not to.branch)):
            return Value(to, (value.regs[0], "zeroinitializer"))
    if isinstance(to, Mask) and isinstance(have, Bool):
        return Value(to, (splat(body, "i1", value.regs[0], to.width),))
    raise KernelError(f"a value of type {have} where {to} is wanted{_hint(have, to)}")


def _hint(have: Type, to: Type) -> str:
    """What to write instead, where that is known."""
    if isinstance(have, (Lanes, Dual)) and isinstance(to, (Float, Dual)):
        return ": one world's place can not take the values of all worlds; read them through the lane view as well"
    if isinstance(have, (Lanes, Dual, Float)) and isinstance(to, Int):
        return ": write int(x) to cut off the fraction"
    return ""


def int_to_float(body: Body, value: Value) -> Value:
    """An integer as a real."""
    if value.known:
        return static(float(value.const))
    return Value(FLOAT, (body.emit(f"sitofp i64 {value.regs[0]} to double"),))


def complete(body: Body, value: Value) -> Value:
    """A dual with its tangents written out, zero where they were left out."""
    if len(value.regs) == 2:
        return value
    return Value(value.type, (value.regs[0], "zeroinitializer"))


def primal(value: Value) -> str:
    """The register of a value without its tangents."""
    return value.regs[0]


def tangents(value: Value) -> str | None:
    """The tangent register of a dual; None for zero tangents and for everything that is not a dual."""
    if isinstance(value.type, Dual) and len(value.regs) == 2 and value.regs[1] != "zeroinitializer":
        return value.regs[1]
    return None


def make_dual(type_: Dual, value: str, tangent: str | None) -> Value:
    """A dual from registers; no tangent register says that all tangents are zero."""
    return Value(type_, (value,) if tangent is None else (value, tangent))


def scale_tangents(body: Body, type_: Dual, tangent: str | None, factor: str) -> str | None:
    """Tangents times a double."""
    if tangent is None:
        return None
    return body.emit(f"fmul {type_.vector} {tangent}, {splat(body, 'double', factor, type_.n + 1)}")


def fma_register(body: Body, llvm_type: str, a: str, b: str, c: str, exact: bool = False) -> str:
    """a*b + c with one rounding, where the processor has the instruction; `exact`: also where it must be emulated."""
    if not exact and not target.host().fma:
        return body.emit(f"fadd {llvm_type} {body.emit(f'fmul {llvm_type} {a}, {b}')}, {c}")
    return body.intrinsic(f"llvm.fma.{suffix(llvm_type)}", llvm_type, [(llvm_type, a), (llvm_type, b), (llvm_type, c)])


def negate(body: Body, value: Value) -> Value:
    """-x"""
    if value.known:
        return static(-value.const)
    type_ = value.type
    if isinstance(type_, Int):
        return Value(INT, (body.emit(f"sub i64 0, {value.regs[0]}"),))
    if isinstance(type_, Real):
        regs = tuple(body.emit(f"fneg {t} {r}") for t, r in zip(type_.regs, value.regs, strict=False))
        return Value(type_, regs)
    raise KernelError(f"minus of a {type_}")


def _operands(body: Body, symbol: str, a: Value, b: Value) -> tuple[Type, Value, Value]:
    """Both operands as one numeric type. Duals keep a plain operand plain: its tangents are zero."""
    if not isinstance(a.type, (Int, Real)) or not isinstance(b.type, (Int, Real)):
        raise KernelError(f"{a.type} {symbol} {b.type} is not arithmetic on numbers")
    type_ = join(a.type, b.type)
    if type_ is None:
        raise KernelError(f"{a.type} {symbol} {b.type} mixes element types")
    if isinstance(type_, Dual):
        return type_, _plain(body, a), _plain(body, b)
    return type_, cast(body, a, type_), cast(body, b, type_)


def _plain(body: Body, value: Value) -> Value:
    """An integer as a real, anything else as it is."""
    return int_to_float(body, value) if isinstance(value.type, Int) else value


FOLD = {"+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod}
INT_OPS = {"+": "add nsw", "-": "sub nsw", "*": "mul nsw", "&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "ashr"}
REAL_OPS = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}


def binary(body: Body, symbol: str, a: Value, b: Value) -> Value:
    """a symbol b, for numbers and masks."""
    if isinstance(a.type, (Bool, Mask)) and isinstance(b.type, (Bool, Mask)):
        return _logic(body, symbol, a, b)
    if isinstance(a.type, Tuple) and isinstance(b.type, Tuple) and symbol == "+":
        return make_tuple(a.items + b.items)
    if a.known and b.known and isinstance(a.type, (Int, Float)) and isinstance(b.type, (Int, Float)):
        folded = _fold(symbol, a, b)
        if folded is not None:
            return folded
    type_, a, b = _operands(body, symbol, a, b)
    if isinstance(type_, Int):
        return _integer(body, symbol, a, b)
    if symbol not in REAL_OPS:
        raise KernelError(f"operator {symbol} on reals is not in the kernel language")
    if isinstance(type_, Dual):
        return _dual(body, symbol, type_, a, b)
    return Value(type_, (body.emit(f"{REAL_OPS[symbol]} {type_.regs[0]} {a.regs[0]}, {b.regs[0]}"),))


def _fold(symbol: str, a: Value, b: Value) -> Value | None:
    """The result of two known numbers, where the language has the operator for them at compile time."""
    if symbol == "/":
        return static(a.const / b.const) if b.const != 0 else None
    if symbol in FOLD and not (symbol in "//%" and b.const == 0):
        return static(FOLD[symbol](a.const, b.const))
    return None


def _integer(body: Body, symbol: str, a: Value, b: Value) -> Value:
    """Of two integers, with Python's rounding of quotients."""
    x, y = a.regs[0], b.regs[0]
    if symbol in INT_OPS:
        return Value(INT, (body.emit(f"{INT_OPS[symbol]} i64 {x}, {y}"),))
    if symbol == "/":
        return binary(body, "/", int_to_float(body, a), int_to_float(body, b))
    if symbol in ("//", "%"):
        # C rounds the quotient to zero, Python down: step down where a remainder is left and the signs differ
        quotient, rest = body.emit(f"sdiv i64 {x}, {y}"), body.emit(f"srem i64 {x}, {y}")
        signs = body.emit(f"xor i64 {rest}, {y}")
        differ = body.emit(f"icmp slt i64 {signs}, 0")
        left = body.emit(f"icmp ne i64 {rest}, 0")
        adjust = body.emit(f"and i1 {differ}, {left}")
        if symbol == "//":
            return Value(INT, (body.emit(f"sub i64 {quotient}, {body.emit(f'zext i1 {adjust} to i64')}"),))
        shifted = body.emit(f"add i64 {rest}, {y}")
        return Value(INT, (body.emit(f"select i1 {adjust}, i64 {shifted}, i64 {rest}"),))
    raise KernelError(f"operator {symbol} on integers is not in the kernel language")


def _dual(body: Body, symbol: str, type_: Dual, a: Value, b: Value) -> Value:
    """Sum, difference, product and quotient rules."""
    vec, n = type_.vector, type_.n + 1
    x, y, dx, dy = primal(a), primal(b), tangents(a), tangents(b)
    value = body.emit(f"{REAL_OPS[symbol]} double {x}, {y}")
    if symbol in "+-":
        if dx is None or dy is None:
            tangent = dx if dy is None else dy if symbol == "+" else body.emit(f"fneg {vec} {dy}")
        else:
            tangent = body.emit(f"{REAL_OPS[symbol]} {vec} {dx}, {dy}")
        return make_dual(type_, value, tangent)
    if symbol == "*":
        left = scale_tangents(body, type_, dx, y)
        if dy is None:
            return make_dual(type_, value, left)
        if left is None:
            return make_dual(type_, value, scale_tangents(body, type_, dy, x))
        return make_dual(type_, value, fma_register(body, vec, dy, splat(body, "double", x, n), left))
    # (x / y)' = (x' - (x/y) y') / y
    inverse = body.emit(f"fdiv double {real_literal(1.0)}, {y}")
    numerator = dx
    if dy is not None:
        minus = body.emit(f"fneg double {value}")
        times = splat(body, "double", minus, n)
        numerator = fma_register(body, vec, dy, times, dx) if dx else body.emit(f"fmul {vec} {dy}, {times}")
    return make_dual(type_, value, scale_tangents(body, type_, numerator, inverse))


def fma(body: Body, a: Value, b: Value, c: Value, exact: bool = False) -> Value:
    """a*b + c, rounded once (`exact`: on any processor). Integers are computed as such."""
    product = join(a.type, b.type)
    type_ = join(product, c.type) if product else None
    if type_ is None or not isinstance(type_, Real) or (a.known and b.known):
        return binary(body, "+", binary(body, "*", a, b), c)
    if not isinstance(type_, Dual):
        a, b, c = (cast(body, v, type_) for v in (a, b, c))
        return Value(type_, (fma_register(body, type_.regs[0], a.regs[0], b.regs[0], c.regs[0], exact),))
    a, b, c = (_plain(body, v) for v in (a, b, c))
    vec, n = type_.vector, type_.n + 1
    value = fma_register(body, "double", primal(a), primal(b), primal(c))
    tangent = tangents(c)
    for factor, other in ((a, b), (b, a)):
        dx = tangents(factor)
        if dx is not None:
            times = splat(body, "double", primal(other), n)
            tangent = fma_register(body, vec, dx, times, tangent) if tangent else body.emit(f"fmul {vec} {dx}, {times}")
    return make_dual(type_, value, tangent)


def _logic(body: Body, symbol: str, a: Value, b: Value) -> Value:
    """Of two truth values or masks."""
    if symbol not in ("&", "|", "^"):
        raise KernelError(f"operator {symbol} on truth values is not in the kernel language")
    type_ = join(a.type, b.type)
    if type_ is None:
        raise KernelError(f"{a.type} {symbol} {b.type} mixes element types")
    a, b = cast(body, a, type_), cast(body, b, type_)
    return Value(type_, (body.emit(f"{INT_OPS[symbol]} {type_.regs[0]} {a.regs[0]}, {b.regs[0]}"),))


def invert(body: Body, value: Value) -> Value:
    """`~` of a mask, `not` of a truth value."""
    if value.known and isinstance(value.type, Bool):
        return static(not value.const)
    if isinstance(value.type, (Bool, Mask)):
        width = value.type.width if isinstance(value.type, Mask) else 1
        ones = splat(body, "i1", "true", width)
        return Value(value.type, (body.emit(f"xor {value.type.regs[0]} {value.regs[0]}, {ones}"),))
    raise KernelError(f"not of a {value.type}")


COMPARE = {
    "<": ("slt", "olt"),
    "<=": ("sle", "ole"),
    ">": ("sgt", "ogt"),
    ">=": ("sge", "oge"),
    "==": ("eq", "oeq"),
    "!=": ("ne", "une"),
}
COMPARE_FOLD = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def compare(body: Body, symbol: str, a: Value, b: Value) -> Value:
    """a symbol b: a truth value for uniform numbers, a mask for per-world ones. Duals compare by value."""
    simple = (Int, Float, Bool)
    if a.known and b.known and isinstance(a.type, simple) and isinstance(b.type, simple):
        return static(bool(COMPARE_FOLD[symbol](a.const, b.const)))
    type_, a, b = _operands(body, symbol, a, b)
    if isinstance(type_, Int):
        return Value(BOOL, (body.emit(f"icmp {COMPARE[symbol][0]} i64 {a.regs[0]}, {b.regs[0]}"),))
    llvm = "double" if isinstance(type_, Dual) else type_.regs[0]
    return Value(mask_of(type_), (body.emit(f"fcmp {COMPARE[symbol][1]} {llvm} {a.regs[0]}, {b.regs[0]}"),))


def select(body: Body, condition: Value, a: Value, b: Value) -> Value:
    """a where the condition holds, b elsewhere; both are computed."""
    if condition.known:
        return a if condition.const else b
    if isinstance(a.type, Tuple) and isinstance(b.type, Tuple):
        pairs = zip(a.items, b.items, strict=True)
        return make_tuple(tuple(select(body, condition, x, y) for x, y in pairs))
    type_ = join(a.type, b.type)
    if type_ is None:
        raise KernelError(f"where() between {a.type} and {b.type}")
    if isinstance(condition.type, Mask):
        worlds: Type = Mask(condition.type.width) if isinstance(type_, (Bool, Mask)) else Lanes(condition.type.width)
        type_ = join(type_, worlds)
        if type_ is None:
            raise KernelError(f"where() on {condition.type} between {a.type} and {b.type}")
    elif not isinstance(condition.type, Bool):
        raise KernelError(f"the condition of where() is a {condition.type}, not a truth value or mask")
    a, b = cast(body, a, type_), cast(body, b, type_)
    kind = condition.type.regs[0]
    regs = []
    for t, x, y in zip(type_.regs, flatten(a), flatten(b), strict=True):
        regs.append(x if x == y else body.emit(f"select {kind} {condition.regs[0]}, {t} {x}, {t} {y}"))
    return Value(type_, tuple(regs))


def power_by_integer(body: Body, base: Value, exponent: int) -> Value:
    """x**n for a literal n, by squaring."""
    if base.known:
        return static(base.const**exponent)
    if exponent < 0:
        return binary(body, "/", static(1.0), power_by_integer(body, base, -exponent))
    result, square = static(1) if isinstance(base.type, Int) else static(1.0), base
    started = False
    while exponent:
        if exponent & 1:
            result = binary(body, "*", result, square) if started else square
            started = True
        exponent >>= 1
        if exponent:
            square = binary(body, "*", square, square)
    return result


def absolute(body: Body, value: Value) -> Value:
    """|x|; of a dual the derivative is the sign, 1 at zero."""
    type_ = value.type
    if isinstance(type_, Int):
        return select(body, compare(body, "<", value, static(0)), negate(body, value), value)
    if isinstance(type_, Dual):
        return select(body, compare(body, "<", value, static(0.0)), negate(body, value), value)
    if not isinstance(type_, Real):
        raise KernelError(f"abs of a {type_}")
    return unary_intrinsic(body, "fabs", value)


def unary_intrinsic(body: Body, name: str, value: Value) -> Value:
    """An LLVM intrinsic on the primal numbers; tangents become zero."""
    if isinstance(value.type, Int):
        value = int_to_float(body, value)
    if value.known and name == "sqrt" and isinstance(value.type, Float) and value.const >= 0:
        return static(math.sqrt(value.const))
    if not isinstance(value.type, Real):
        raise KernelError(f"{name} of a {value.type}")
    llvm = value.type.regs[0]
    register = body.intrinsic(f"llvm.{name}.{suffix(llvm)}", llvm, [(llvm, value.regs[0])])
    return Value(value.type, (register,))


def reduce_mask(body: Body, value: Value, every: bool) -> Value:
    """Whether a mask holds in any lane, or in every lane."""
    if isinstance(value.type, Bool):
        return value
    if not isinstance(value.type, Mask):
        raise KernelError(f"any_lane / all_lanes of a {value.type}, not of a mask")
    width = value.type.width
    if width == 1:
        return Value(BOOL, value.regs)
    bits = body.emit(f"bitcast {value.type.regs[0]} {value.regs[0]} to i{width}")
    test = f"icmp eq i{width} {bits}, -1" if every else f"icmp ne i{width} {bits}, 0"
    return Value(BOOL, (body.emit(test),))


def nonzero(body: Body, value: Value) -> Value:
    """Whether a number differs from zero; of a dual, whether its value or any tangent does."""
    type_, tangent = value.type, tangents(value)
    if not isinstance(type_, Dual) or tangent is None:
        return compare(body, "!=", value, static(0.0))
    whole = body.emit(f"insertelement {type_.vector} {tangent}, double {primal(value)}, i64 0")
    lanes = body.emit(f"fcmp une {type_.vector} {whole}, zeroinitializer")
    any_ = reduce_mask(body, Value(Mask(type_.n + 1), (lanes,)), every=False)
    return Value(mask_of(type_), any_.regs)


def vector_of(value: Value) -> tuple[str, str]:
    """(integer vector type, real type) of a float or lanes value, for work on its bits."""
    width = lanes_width(value.type)
    return ("i64", "double") if width == 1 else (f"<{width} x i64>", f"<{width} x double>")
