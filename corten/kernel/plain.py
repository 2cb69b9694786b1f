"""The vocabulary in plain Python: what each word means on numbers.

These functions are what a kernel imports. With `CORTEN_JIT=0` they run as they stand; compiled, each is recognised by
identity and replaced by instructions (`lowering.py`). They are total: where C returns NaN or infinity, so do they.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

NAN, INF = math.nan, math.inf


def unroll(*bounds: int) -> range:
    """Like range() with literal bounds, for a loop that is written out when compiled, so that it may index tuples."""
    return range(*bounds)


def where(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition holds, b elsewhere. Both are computed; tuples are chosen item by item."""
    return a if condition else b


def any_lane(mask: Any) -> bool:
    """Whether a mask holds for any world."""
    return bool(mask)


def all_lanes(mask: Any) -> bool:
    """Whether a mask holds for every world."""
    return bool(mask)


def lanes(record: Any) -> range:
    """The numbers of the worlds in a record: `for l in lanes(d): one = lane(d, l)`."""
    return range(1)


def one_world(record: Any) -> bool:
    """Whether a record holds one world, and not a block of several: known when a kernel is compiled."""
    return True


def has_tangents(record: Any) -> bool:
    """Whether a record holds dual numbers: known when a kernel is compiled."""
    return False


def lane(record: Any, number: int) -> Any:
    """One world of a record. What is read through it may drive `if` and `while`."""
    return record


def block(records: Any, number: int) -> Any:
    """One record of an array of records; a model that all blocks share is the same for each."""
    return records[number] if hasattr(records, "__getitem__") else records


def local(record: Any, *sizes: int) -> np.ndarray:
    """A small array on the stack, of literal sizes, of the record's element type. Its contents are not set."""
    return np.full(sizes, np.nan)


def local_int(*sizes: int) -> np.ndarray:
    """A small array of integers on the stack, of literal sizes, for one world. Its contents are not set."""
    return np.full(sizes, np.iinfo(np.int32).min, np.int32)


def fma(a: Any, b: Any, c: Any) -> Any:
    """a*b + c with one rounding."""
    return a * b + c


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two."""
    return a if a < b else b


def maximum(a: Any, b: Any) -> Any:
    """The larger of two."""
    return a if a > b else b


def clip(x: Any, low: Any, high: Any) -> Any:
    """x kept within [low, high]."""
    return maximum(low, minimum(x, high))


def absolute(x: Any) -> Any:
    """The magnitude."""
    return -x if x < 0 else x


def sign(x: Any) -> float:
    """1, 0 or -1."""
    return 1.0 if x > 0 else -1.0 if x < 0 else 0.0


def copysign(x: float, y: float) -> float:
    """The magnitude of x with the sign of y."""
    return math.copysign(x, y)


def floor(x: float) -> float:
    """The largest integer not above x, as a real."""
    return float(math.floor(x)) if math.isfinite(x) else x


def rint(x: float) -> float:
    """The nearest integer, ties to even, as a real."""
    return float(round(x)) if math.isfinite(x) else x


def exponent(x: float) -> float:
    """The binary exponent of a normal number: x = m * 2**e with 1 <= |m| < 2."""
    return float(math.frexp(x)[1] - 1)


def mantissa(x: float) -> float:
    """A normal positive number scaled into [1, 2)."""
    return 2.0 * math.frexp(x)[0]


def scalb(x: float, n: float) -> float:
    """x * 2**n for an integral n in [-1022, 1023]."""
    return x * 2.0 ** int(n)


def lowest_bit(x: int) -> int:
    """The number of the lowest bit that is set in a positive integer."""
    return (int(x) & -int(x)).bit_length() - 1


def highest_bit(x: int) -> int:
    """The number of the highest bit that is set in a positive integer."""
    return int(x).bit_length() - 1


def nonzero(x: Any) -> bool:
    """Whether a number, or any of its tangents, differs from zero: whether work on it can be left out."""
    return bool(x != 0)


def value(x: Any) -> Any:
    """The number without its tangents."""
    return x


def sqrt(x: float) -> float:
    """The square root."""
    return math.sqrt(x) if x >= 0 else NAN


def sin(x: float) -> float:
    """The sine."""
    return math.sin(x) if math.isfinite(x) else NAN


def cos(x: float) -> float:
    """The cosine."""
    return math.cos(x) if math.isfinite(x) else NAN


def sincos(x: float) -> tuple[float, float]:
    """Sine and cosine together."""
    return sin(x), cos(x)


def tan(x: float) -> float:
    """The tangent."""
    return math.tan(x) if math.isfinite(x) else NAN


def asin(x: float) -> float:
    """The arc sine, NaN outside [-1, 1]."""
    return math.asin(x) if -1 <= x <= 1 else NAN


def acos(x: float) -> float:
    """The arc cosine, NaN outside [-1, 1]."""
    return math.acos(x) if -1 <= x <= 1 else NAN


def atan(x: float) -> float:
    """The arc tangent."""
    return math.atan(x)


def atan2(y: float, x: float) -> float:
    """The angle of the point (x, y)."""
    return math.atan2(y, x)


def exp(x: float) -> float:
    """e to the power x."""
    return math.exp(x) if x < 709.79 else INF if x > 0 else NAN


def log(x: float) -> float:
    """The natural logarithm: -inf at 0, NaN below."""
    return math.log(x) if x > 0 else -INF if x == 0 else NAN


def tanh(x: float) -> float:
    """The hyperbolic tangent."""
    return math.tanh(x)


def power(x: float, y: float) -> float:
    """x to the power y, as in C."""
    with np.errstate(all="ignore"):
        return float(np.power(np.float64(x), np.float64(y)))


def tangent_of(x: Any, k: int) -> Any:
    """Tangent k of a dual number; without tangents, zero."""
    return 0.0


def with_tangent(x: Any, k: int, tangent: Any) -> Any:
    """A dual number with tangent k replaced."""
    return x
