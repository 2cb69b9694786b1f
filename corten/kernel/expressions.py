"""Translates kernels, as Python syntax trees, to LLVM: expressions."""

from __future__ import annotations

import ast
import enum
from abc import abstractmethod
from typing import Any

from corten.kernel import arithmetic as ar
from corten.kernel import memory
from corten.kernel.errors import KernelError
from corten.kernel.ir import Body, Value, flatten, make_tuple, static, unflatten
from corten.kernel.lowering import LOWERINGS
from corten.kernel.types import BOOL, Bool, Buffer, Int, Mask, Nothing, Real, Static, Struct, Tuple, join

SYMBOLS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


class Expressions:
    """The expression half of a function's translator."""

    body: Body

    @abstractmethod
    def read_name(self, name: str) -> Value:
        """The value of a name."""

    @abstractmethod
    def condition(self, test: ast.expr, word: str) -> Value:
        """A test that may branch."""

    @abstractmethod
    def _emit_call(self, kernel: Any, args: list[Value]) -> Value:
        """A call of a kernel with arguments in order."""

    def expression(self, node: ast.expr) -> Value:
        """The value of any expression."""
        handler = getattr(self, f"of_{type(node).__name__}", None)
        if handler is None:
            raise KernelError(f"'{type(node).__name__}' expressions are not in the kernel language")
        result: Value = handler(node)
        return result

    def of_Constant(self, e: ast.Constant) -> Value:
        return static(e.value)

    def of_Name(self, e: ast.Name) -> Value:
        return self.read_name(e.id)

    def of_Tuple(self, e: ast.Tuple) -> Value:
        return make_tuple(tuple(self._spread(e.elts)))

    def _spread(self, nodes: list[ast.expr]) -> list[Value]:
        """Values of expressions, with `*tuple` opened."""
        values: list[Value] = []
        for n in nodes:
            if isinstance(n, ast.Starred):
                inner = self.expression(n.value)
                if not isinstance(inner.type, Tuple):
                    raise KernelError(f"* of a {inner.type}, not of a tuple")
                values += inner.items
            else:
                values.append(self.expression(n))
        return values

    def of_Attribute(self, e: ast.Attribute) -> Value:
        owner = self.expression(e.value)
        if isinstance(owner.type, Struct):
            return memory.attribute(self.body, owner, e.attr)
        if isinstance(owner.type, Static) and isinstance(owner.const, type) and issubclass(owner.const, enum.Enum):
            if e.attr not in owner.const.__members__:
                raise KernelError(f"{owner.const.__name__} has no member '{e.attr}'")
            return static(int(owner.const[e.attr].value))
        if isinstance(owner.type, Static):
            raise KernelError(f"attributes of '{owner.type}' are not in the kernel language; import the name itself")
        raise KernelError(f"a {owner.type} has no attribute '{e.attr}'")

    def indices(self, e: ast.Subscript) -> tuple[Value, ...]:
        """What stands between the brackets."""
        parts = e.slice.elts if isinstance(e.slice, ast.Tuple) else [e.slice]
        if any(isinstance(p, ast.Slice) for p in parts):
            raise KernelError("slices are not in the kernel language")
        return tuple(self._spread(parts))

    def of_Subscript(self, e: ast.Subscript) -> Value:
        owner = self.expression(e.value)
        index = self.indices(e)
        if isinstance(owner.type, Tuple):
            if len(index) != 1 or not index[0].known:
                raise KernelError("a tuple is indexed by one literal number (count with unroll() to loop over it)")
            if not -len(owner.items) <= index[0].const < len(owner.items):
                raise KernelError(f"index {index[0].const} of a tuple of {len(owner.items)}")
            return owner.items[index[0].const]
        if isinstance(owner.type, Buffer):
            return memory.load(self.body, owner, *index)
        raise KernelError(f"a {owner.type} can not be indexed")

    def of_UnaryOp(self, e: ast.UnaryOp) -> Value:
        if isinstance(e.op, ast.Not):
            return ar.invert(self.body, self.condition(e.operand, "not"))
        operand = self.expression(e.operand)
        if isinstance(e.op, ast.USub):
            return ar.negate(self.body, operand)
        if isinstance(e.op, ast.Invert):
            if isinstance(operand.type, Int):
                return ar.binary(self.body, "^", operand, static(-1))
            return ar.invert(self.body, operand)
        return operand

    def of_BinOp(self, e: ast.BinOp) -> Value:
        return self.combine(e.op, e.left, e.right)

    def combine(self, op: ast.operator, left: ast.expr | Value, right: ast.expr) -> Value:
        """left op right. A product that is a direct operand of a sum or difference is fused into it, the left one
        first.
        """
        if isinstance(op, (ast.Add, ast.Sub)):
            if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mult):
                a, b, c = self.expression(left.left), self.expression(left.right), self.expression(right)
                if _reals(a, b, c):
                    c = ar.negate(self.body, c) if isinstance(op, ast.Sub) else c
                    return ar.fma(self.body, a, b, c)
                return ar.binary(self.body, SYMBOLS[type(op)], ar.binary(self.body, "*", a, b), c)
            if isinstance(right, ast.BinOp) and isinstance(right.op, ast.Mult):
                c = self._value(left)
                a, b = self.expression(right.left), self.expression(right.right)
                if _reals(a, b, c):
                    a = ar.negate(self.body, a) if isinstance(op, ast.Sub) else a
                    return ar.fma(self.body, a, b, c)
                return ar.binary(self.body, SYMBOLS[type(op)], c, ar.binary(self.body, "*", a, b))
        a, b = self._value(left), self.expression(right)
        if isinstance(op, ast.Pow):
            if not b.known or not isinstance(b.const, int):
                raise KernelError("** takes a literal integer; power(x, y) takes any number")
            return ar.power_by_integer(self.body, a, b.const)
        if type(op) not in SYMBOLS:
            raise KernelError(f"operator '{type(op).__name__}' is not in the kernel language")
        return ar.binary(self.body, SYMBOLS[type(op)], a, b)

    def _value(self, node: ast.expr | Value) -> Value:
        return node if isinstance(node, Value) else self.expression(node)

    def of_Compare(self, e: ast.Compare) -> Value:
        result: Value | None = None
        left = self.expression(e.left)
        for op, node in zip(e.ops, e.comparators, strict=True):
            right = self.expression(node)
            if isinstance(op, (ast.Is, ast.IsNot)):
                if not isinstance(right.type, Nothing):
                    raise KernelError("`is` compares with None only")
                same = isinstance(left.type, Nothing)
                one = static(same if isinstance(op, ast.Is) else not same)
            elif type(op) not in SYMBOLS:
                raise KernelError(f"comparison '{type(op).__name__}' is not in the kernel language")
            else:
                one = ar.compare(self.body, SYMBOLS[type(op)], left, right)
            result = one if result is None else ar.binary(self.body, "&", result, one)
            left = right
        assert result is not None
        return result

    def of_BoolOp(self, e: ast.BoolOp) -> Value:
        """`and`, `or`: the right side is computed only if it is needed."""
        conjunction = isinstance(e.op, ast.And)
        word = "and" if conjunction else "or"
        after = self.body.new_label("logic")
        incoming: list[tuple[str, str]] = []
        for k, node in enumerate(e.values):
            value = self.condition(node, word)
            if value.known and value.const != conjunction and not incoming:
                return value  # decided at compile time
            if value.known and value.const == conjunction and k < len(e.values) - 1:
                continue
            incoming.append((value.regs[0], self.body.label))
            if k < len(e.values) - 1:
                more = self.body.new_label("more")
                yes, no = (more, after) if conjunction else (after, more)
                self.body.branch(value.regs[0], yes, no)
                self.body.place(more)
            elif len(incoming) == 1:
                return value
        self.body.place(after)
        entries = ", ".join(f"[ {register}, %{label} ]" for register, label in incoming)
        return Value(BOOL, (self.body.emit(f"phi i1 {entries}"),))

    def of_IfExp(self, e: ast.IfExp) -> Value:
        """a if test else b: only the chosen side is computed."""
        test = self.condition(e.test, "if")
        if test.known:
            return self.expression(e.body if test.const else e.orelse)
        body = self.body
        yes, no, after = (body.new_label(n) for n in ("yes", "no", "merge"))
        body.branch(test.regs[0], yes, no)
        body.place(yes)
        a = self.expression(e.body)
        tail = len(body.lines)
        end_a = body.label
        body.open = False
        body.place(no)
        b = self.expression(e.orelse)
        type_ = join(a.type, b.type)
        if type_ is None:
            raise KernelError(f"one side of `if` gives a {a.type}, the other a {b.type}")
        b = ar.cast(body, b, type_)
        end_b = body.label
        later = body.lines[tail:]
        del body.lines[tail:]
        body.label = end_a
        a = ar.cast(body, a, type_)
        body.do(f"br label %{after}")
        body.lines += later
        body.label, body.open = end_b, True
        body.place(after)
        pairs = zip(type_.regs, flatten(a), flatten(b), strict=True)
        regs = [body.emit(f"phi {k} [ {x}, %{end_a} ], [ {y}, %{end_b} ]") for k, x, y in pairs]
        return unflatten(type_, regs)

    def of_Call(self, e: ast.Call) -> Value:
        from corten.kernel.dispatch import Kernel
        from corten.kernel.translate import bind

        callee = self.expression(e.func)
        args = self._spread(e.args)
        keywords = {}
        for k in e.keywords:
            if k.arg is None:
                raise KernelError("** arguments are not in the kernel language")
            keywords[k.arg] = self.expression(k.value)
        if callee.known and isinstance(callee.const, Kernel):
            return self._emit_call(callee.const, bind(callee.const, args, keywords))
        lowering = LOWERINGS.get(callee.const) if callee.known else None
        if lowering is None:
            name = getattr(callee.const, "__name__", str(callee.type))
            raise KernelError(
                f"'{name}' is neither a kernel nor a word of the kernel language (decorate it with @kernel)"
            )
        if keywords:
            raise KernelError(f"'{callee.const.__name__}' takes no named arguments")
        try:
            return lowering(self, args)  # type: ignore[arg-type]  # the subclass adds call_kernel
        except (ValueError, IndexError) as error:
            raise KernelError(f"wrong number of arguments for '{callee.const.__name__}'") from error


def _reals(*values: Value) -> bool:
    """Whether a sum of products is one of reals (integers and masks are combined unfused)."""
    numbers = all(isinstance(v.type, (Int, Real)) and not isinstance(v.type, (Bool, Mask)) for v in values)
    return numbers and any(isinstance(v.type, Real) for v in values)
