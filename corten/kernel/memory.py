"""Loads and stores: fields of records, elements of buffers, the lane view.

A record is a table of 8-byte words: for a size the number itself, for any other field the address of its memory. The
table does not change while a kernel runs, so its words are loaded as invariant; so is all memory of a uniform record (a
model).
"""

from __future__ import annotations

import math

from corten.kernel.arithmetic import cast
from corten.kernel.errors import KernelError, did_you_mean
from corten.kernel.ir import Body, Value
from corten.kernel.record import COUNTS, Field
from corten.kernel.types import (
    BOOL,
    FLOAT,
    INT,
    Bool,
    Buffer,
    Dual,
    Float,
    Int,
    Lanes,
    Mask,
    Struct,
    Type,
    Varied,
    vector,
)

INVARIANT = ", !invariant.load !0"
MEMORY = {"int": "i32", "long": "i64", "byte": "i8", "single": "float", "block": "i32", "bits": "i64"}


def attribute(body: Body, struct: Value, name: str) -> Value:
    """struct.name: a buffer, the number of a scalar field, a size, or a sub-record."""
    type_ = struct.type
    assert isinstance(type_, Struct)
    if not type_.prefix and name in type_.record.prefixes:
        return Value(Struct(type_.record, type_.elem, type_.lane, name), struct.regs)
    field = _field(type_, name)
    if field.dtype in COUNTS:
        word = body.emit(f"getelementptr inbounds i64, ptr {struct.regs[0]}, i64 {type_.record.index[field.name]}")
        return Value(INT, (body.emit(f"load i64, ptr {word}{INVARIANT}"),))
    buffer = _buffer(body, struct, type_, field)
    return load(body, buffer, Value(INT, ("0",), 0)) if field.shape == () else buffer


def set_attribute(body: Body, struct: Value, name: str, value: Value) -> None:
    """struct.name = value, for a scalar field."""
    type_ = struct.type
    assert isinstance(type_, Struct)
    field = _field(type_, name)
    if field.shape != () or field.dtype in COUNTS:
        raise KernelError(f"'{name}' of {type_.record.name} is not a scalar; assign to its elements")
    store(body, _buffer(body, struct, type_, field), Value(INT, ("0",), 0), value)


def _field(type_: Struct, name: str) -> Field:
    full = f"{type_.prefix}.{name}" if type_.prefix else name
    index = type_.record.index.get(full)
    if index is None:
        raise KernelError(f"{type_.record.name} has no field '{full}'{did_you_mean(full, type_.record.index)}")
    return type_.record.fields[index]


def _buffer(body: Body, struct: Value, type_: Struct, field: Field) -> Value:
    """The memory of a field, as the struct sees it."""
    word = body.emit(f"getelementptr inbounds i64, ptr {struct.regs[0]}, i64 {type_.record.index[field.name]}")
    pointer = body.emit(f"load ptr, ptr {word}{INVARIANT}")
    if any(isinstance(s, str) for s in field.shape[1:]):
        raise KernelError(f"'{field.name}' has a second named size: a kernel can not index it")
    tail = tuple(int(s) for s in field.shape[1:])
    elem, memory, step = _element(type_, field)
    if type_.lane and step > 1:
        scalar = memory
        pointer = body.emit(f"getelementptr inbounds {scalar}, ptr {pointer}, i64 {struct.regs[1]}")
    return Value(Buffer(elem, memory, tail, step, type_.constant), (pointer,))


def _element(type_: Struct, field: Field) -> tuple[Type, str, int]:
    """(element type, LLVM type in memory, step) of a field."""
    whole: Type = type_.elem
    if isinstance(whole, Varied):
        whole = whole.element(type_.record.index[field.name]) if field.dtype == "real" else FLOAT
    width = whole.width if isinstance(whole, Lanes) else 1
    if field.dtype in ("int", "long", "byte"):
        if not type_.lane and not isinstance(whole, Float):
            raise KernelError(
                f"'{field.name}' is an integer of each world: read it through the lane view "
                f"(for l in lanes(d): lane(d, l).{field.name})"
            )
        return INT, MEMORY[field.dtype], width
    if field.dtype in ("block", "bits"):
        return INT, MEMORY[field.dtype], 1
    if field.dtype == "common":
        return FLOAT, "double", 1
    if field.dtype == "flag":
        one = type_.lane or isinstance(whole, Float)
        return (BOOL, "i8", width) if one else (Mask(width), vector(width, "i8"), 1)
    if field.dtype == "single":
        return FLOAT, "float", width
    if isinstance(whole, Dual):
        if field.dtype == "float":
            return (FLOAT if type_.lane else Lanes(1)), "double", 1
        return Dual(whole.n, type_.lane), whole.vector, 1
    if type_.lane:
        return FLOAT, "double", width
    return whole, vector(width, "double"), 1


def lane(body: Body, struct: Value, index: Value) -> Value:
    """One world of a block of worlds."""
    type_ = struct.type
    if not isinstance(type_, Struct):
        raise KernelError(f"lane() of a {type_}, not of a record")
    if type_.lane or isinstance(type_.elem, Float):
        return struct  # it is one world, or the same for all
    if not isinstance(index.type, Int):
        raise KernelError(f"lane() number is a {index.type}")
    return Value(Struct(type_.record, type_.elem, True, type_.prefix), (struct.regs[0], index.regs[0]))


def block(body: Body, struct: Value, index: Value) -> Value:
    """One record of an array of records: their tables follow each other in memory."""
    type_ = struct.type
    if not isinstance(type_, Struct) or type_.lane or not isinstance(index.type, Int):
        raise KernelError(f"block() of a {type_} by a {index.type}, not of records by a number")
    if isinstance(type_.elem, Float):
        return struct  # a model that all blocks share
    words = body.emit(f"mul nsw i64 {index.regs[0]}, {len(type_.record.fields)}")
    return Value(type_, (body.emit(f"getelementptr inbounds i64, ptr {struct.regs[0]}, i64 {words}"),))


def width_of(struct: Value) -> int:
    """How many worlds a record holds."""
    type_ = struct.type
    if not isinstance(type_, Struct):
        raise KernelError(f"lanes() of a {type_}, not of a record")
    return type_.elem.width if isinstance(type_.elem, Lanes) and not type_.lane else 1


def holds_duals(struct: Value) -> bool:
    """Whether the reals of a record are dual numbers."""
    type_ = struct.type
    if not isinstance(type_, Struct):
        raise KernelError(f"has_tangents() of a {type_}, not of a record")
    return isinstance(type_.elem, Dual)


def _address(body: Body, type_: Buffer, buffer: Value, indices: tuple[Value, ...]) -> str:
    if len(indices) > type_.ndim:
        raise KernelError(f"{len(indices)} indices into {type_.ndim} dimensions")
    for i in indices:
        if not isinstance(i.type, Int):
            raise KernelError(f"an index is a {i.type}, not an integer")
        if i.known and i.const < 0:
            raise KernelError("negative indices are not in the kernel language")
    offset, constant = indices[0].regs[0], indices[0].const if indices[0].known else None
    scales = [*type_.tail, type_.step]
    rest = list(indices[1:]) + [Value(INT, ("0",), 0)] * (type_.ndim - len(indices))
    for size, index in zip(scales, [*rest, Value(INT, ("0",), 0)], strict=True):
        if constant is not None and index.known:
            constant = constant * size + index.const
            offset = str(constant)
            continue
        constant = None
        if size != 1:
            offset = body.emit(f"mul nsw i64 {offset}, {size}")
        if not (index.known and index.const == 0):
            offset = body.emit(f"add nsw i64 {offset}, {index.regs[0]}")
    return body.emit(f"getelementptr inbounds {type_.memory}, ptr {buffer.regs[0]}, i64 {offset}")


def load(body: Body, buffer: Value, *indices: Value) -> Value:
    """buffer[indices]: an element, or the sub-buffer where indices are fewer than dimensions."""
    type_ = buffer.type
    if not isinstance(type_, Buffer):
        raise KernelError(f"a {type_} can not be indexed")
    address = _address(body, type_, buffer, indices)
    if len(indices) < type_.ndim:
        return Value(
            Buffer(type_.elem, type_.memory, type_.tail[len(indices) :], type_.step, type_.constant), (address,)
        )
    mark = INVARIANT if type_.constant else ""
    raw = body.emit(f"load {type_.memory}, ptr {address}{mark}")
    if isinstance(type_.elem, Dual):
        return Value(type_.elem, (body.emit(f"extractelement {type_.memory} {raw}, i64 0"), raw))
    if isinstance(type_.elem, (Bool, Mask)):
        zero = "0" if type_.memory == "i8" else "zeroinitializer"
        return Value(type_.elem, (body.emit(f"icmp ne {type_.memory} {raw}, {zero}"),))
    if type_.memory == "float":
        raw = body.emit(f"fpext float {raw} to double")
    elif type_.memory == "i32":
        raw = body.emit(f"sext i32 {raw} to i64")
    elif type_.memory == "i8":
        raw = body.emit(f"zext i8 {raw} to i64")
    return Value(type_.elem, (raw,))


def store(body: Body, buffer: Value, index: Value | tuple[Value, ...], value: Value) -> None:
    """buffer[indices] = value."""
    type_ = buffer.type
    if not isinstance(type_, Buffer):
        raise KernelError(f"an element of a {type_} can not be assigned")
    if type_.constant:
        raise KernelError("a model does not change while a kernel runs: its fields can not be assigned")
    indices = index if isinstance(index, tuple) else (index,)
    if len(indices) < type_.ndim:
        raise KernelError(f"assigning {len(indices)} of {type_.ndim} indices: a kernel assigns element by element")
    if isinstance(value.type, Bool) and isinstance(type_.elem, Int):
        value = Value(INT, (body.emit(f"zext i1 {value.regs[0]} to i64"),))
    value = cast(body, value, type_.elem)
    address = _address(body, type_, buffer, indices)
    register = value.regs[0]
    if isinstance(type_.elem, Dual):
        register = body.emit(f"insertelement {type_.memory} {value.regs[1]}, double {register}, i64 0")
    elif isinstance(type_.elem, (Bool, Mask)):
        register = body.emit(f"zext {type_.elem.regs[0]} {register} to {type_.memory}")
    elif type_.memory in ("i32", "i8"):
        register = body.emit(f"trunc i64 {register} to {type_.memory}")
    elif type_.memory == "float":
        register = body.emit(f"fptrunc double {register} to float")
    body.do(f"store {type_.memory} {register}, ptr {address}")


def local(body: Body, like: Value, sizes: tuple[int, ...]) -> Value:
    """A small array on the stack, of the element type of a record."""
    type_ = like.type
    if not isinstance(type_, Struct):
        raise KernelError("local(d, n) takes a record first: its elements are the array's")
    elem, memory, _ = _element(type_, Field("", (), "real", ""))
    return Value(Buffer(elem, memory, sizes[1:]), (body.alloca(memory, math.prod(sizes), 64),))


def local_int(body: Body, sizes: tuple[int, ...]) -> Value:
    """A small array of integers on the stack."""
    memory = MEMORY["int"]
    return Value(Buffer(INT, memory, sizes[1:]), (body.alloca(memory, math.prod(sizes), 64),))


def truth(value: Value) -> Value:
    """A value as a condition of `if`, where it may be one."""
    if isinstance(value.type, Bool):
        return value
    if value.known:
        return Value(BOOL, ("true" if value.const else "false",), bool(value.const))
    raise KernelError(f"a {value.type} is not a condition; compare it")
