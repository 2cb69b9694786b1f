"""Elementary functions: accuracy against 200 bits, special values as in C, lanes equal to one world, derivatives."""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from corten.kernel import (
    acos,
    asin,
    atan,
    atan2,
    cos,
    elementary,
    exp,
    kernel,
    log,
    power,
    sin,
    sincos,
    tan,
    tanh,
)
from corten.kernel.record import SINGLE, Element, Field, Record, RecordType

INF, NAN = math.inf, math.nan
POINTS = RecordType(
    "Points",
    [
        Field("n", (), "size", "number of points"),
        Field("x", ("n",), "real", "first argument"),
        Field("y", ("n",), "real", "second argument"),
        Field("f", ("n",), "real", "value"),
        Field("g", ("n",), "real", "second value"),
    ],
)
UNARY = {
    "sin": sin,
    "cos": cos,
    "tan": tan,
    "asin": asin,
    "acos": acos,
    "atan": atan,
    "exp": exp,
    "log": log,
    "tanh": tanh,
}
BINARY = {"atan2": atan2, "power": power}
NAMES = [*UNARY, *BINARY, "sincos"]
SAMPLES = 1000


def of_one(function: Callable[..., Any]) -> Any:
    @kernel
    def apply(p):
        for i in range(p.n):
            p.f[i] = function(p.x[i])

    return apply


def of_two(function: Callable[..., Any]) -> Any:
    @kernel
    def apply(p):
        for i in range(p.n):
            p.f[i] = function(p.x[i], p.y[i])

    return apply


@kernel
def apply_sincos(p):
    for i in range(p.n):
        p.f[i], p.g[i] = sincos(p.x[i])


KERNELS = {
    **{name: of_one(f) for name, f in UNARY.items()},
    **{name: of_two(f) for name, f in BINARY.items()},
    "sincos": apply_sincos,
}


def evaluate(name: str, x: np.ndarray, y: np.ndarray | float = 0.0, width: int = 1) -> np.ndarray:
    """(2, n) values over points that are dealt out to the lanes in turn; the second row is used by `sincos` alone."""
    x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    rows = -(-x.size // width)
    p = Record(POINTS, {"n": rows}, element=Element("lanes", width))
    p.x.reshape(-1)[: x.size] = x
    p.y.reshape(-1)[: x.size] = y
    KERNELS[name](p)
    return np.stack([p.f.reshape(-1)[: x.size], p.g.reshape(-1)[: x.size]])


def evaluate_dual(name: str, x: np.ndarray, y: np.ndarray | float = 0.0) -> np.ndarray:
    """(2, n, 3): of both outputs the value and its derivatives by x and y; a third tangent stays zero."""
    p = Record(POINTS, {"n": len(x)}, element=Element("dual", 3))
    p.x[:] = np.array([0.0, 1.0, 0.0, 0.0])
    p.y[:] = np.array([0.0, 0.0, 1.0, 0.0])
    p.x[:, 0], p.y[:, 0] = x, y
    KERNELS[name](p)
    assert not p.f[:, 3].any() and not p.g[:, 3].any()
    return np.stack([p.f, p.g])[:, :, :3]


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal to the last bit and in the sign of zero; one NaN is as good as another."""
    return bool(np.all((a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b))))


def generator(label: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(label.encode()))


def uniform(low: float, high: float) -> Callable[[np.random.Generator], np.ndarray]:
    return lambda rng: rng.uniform(low, high, SAMPLES)


def scattered(low: float, high: float, signs: bool = True) -> Callable[[np.random.Generator], np.ndarray]:
    """Magnitudes even in the logarithm, and both signs."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        size = np.exp(rng.uniform(math.log(low), math.log(high), SAMPLES))
        return size * rng.choice([-1.0, 1.0], SAMPLES) if signs else size

    return draw


def near_quarter_turns(rng: np.random.Generator) -> np.ndarray:
    """The doubles nearest to multiples of pi/2, where the argument's reduction cancels most."""
    return np.array([float(int(k) * mpmath.pi / 2) for k in rng.integers(1, 63662, SAMPLES)])


def near_one(rng: np.random.Generator) -> np.ndarray:
    return rng.choice([-1.0, 1.0], SAMPLES) * (1.0 - 10.0 ** rng.uniform(-16, -1, SAMPLES))


def ulp_errors(got: np.ndarray, exact: list[Any]) -> np.ndarray:
    """Distance from the exact values in units of their last place (of subnormals: of the smallest double)."""
    errors = np.empty(len(got))
    for i, (g, e) in enumerate(zip(got, exact, strict=True)):
        if not math.isfinite(g):
            errors[i] = 0.0 if abs(e) >= mpmath.mpf(2) ** 1024 - mpmath.mpf(2) ** 970 else INF
            continue
        unit = mpmath.ldexp(1, max(int(mpmath.frexp(abs(e))[1]) - 53, -1074)) if e else mpmath.ldexp(1, -1074)
        errors[i] = abs(mpmath.mpf(float(g)) - e) / unit
    return errors


ANGLES = [uniform(-1, 1), uniform(-100, 100), uniform(-1e5, 1e5), scattered(1e-300, 1e7), near_quarter_turns]
COSINES = [uniform(-1, 1), uniform(0.4, 0.6), scattered(1e-20, 1), near_one]
ACCURACY = [
    ("sin", 0.8, ANGLES),
    ("cos", 0.8, ANGLES),
    ("tan", 0.9, ANGLES),
    ("asin", 0.8, COSINES),
    ("acos", 0.8, COSINES),
    ("atan", 1.2, [uniform(-1, 1), uniform(-5, 5), scattered(1e-300, 1e300)]),
    ("exp", 0.8, [uniform(-1, 1), uniform(-745.2, 710), uniform(-746, -708), scattered(1e-20, 1)]),
    ("log", 0.6, [uniform(0.5, 2), scattered(5e-324, 1.7e308, False), lambda rng: np.abs(near_one(rng))]),
    ("tanh", 0.9, [uniform(-1, 1), uniform(-22, 22), scattered(1e-300, 1)]),
]
CASES = [
    pytest.param(name, bound, draw, id=f"{name}-{k}") for name, bound, draws in ACCURACY for k, draw in enumerate(draws)
]


@pytest.mark.parametrize(("name", "bound", "draw"), CASES)
def test_accuracy(name: str, bound: float, draw: Callable[..., np.ndarray], request: pytest.FixtureRequest) -> None:
    x = draw(generator(request.node.name))
    with mpmath.workprec(200):
        exact = [getattr(mpmath, name)(mpmath.mpf(float(v))) for v in x]
        errors = ulp_errors(evaluate(name, x)[0], exact)
    worst = int(np.argmax(errors))
    assert errors[worst] <= bound, f"{name}({float(x[worst])!r})"


BINARY_CASES = {
    "atan2-square": ("atan2", 1.2, uniform(-1, 1), uniform(-1, 1)),
    "atan2-scattered": ("atan2", 1.2, scattered(1e-150, 1e150), scattered(1e-150, 1e150)),
    "power-unit": ("power", 0.7, uniform(0, 1), uniform(0, 10)),
    "power-square": ("power", 0.7, uniform(0, 1), lambda rng: np.full(SAMPLES, 2.0)),
    "power-root": ("power", 0.7, scattered(1e-300, 1e300, False), lambda rng: np.full(SAMPLES, 0.5)),
    "power-integer": ("power", 0.7, scattered(1e-3, 1e3), lambda rng: rng.integers(-30, 30, SAMPLES).astype(float)),
    "power-high": ("power", 1.2, uniform(0.7, 1.42), uniform(-2000, 2000)),
    "power-tiny": ("power", 1.0, uniform(0, 1e-2), uniform(100, 162)),
}


@pytest.mark.parametrize("case", BINARY_CASES)
def test_accuracy_of_two_arguments(case: str) -> None:
    name, bound, draw_x, draw_y = BINARY_CASES[case]
    rng = generator(case)
    x, y = draw_x(rng), draw_y(rng)
    with mpmath.workprec(200):
        exact = [getattr(mpmath, name)(mpmath.mpf(float(a)), mpmath.mpf(float(b))) for a, b in zip(x, y, strict=True)]
        errors = ulp_errors(evaluate(name, x, y)[0], exact)
    worst = int(np.argmax(errors))
    assert errors[worst] <= bound, f"{name}({float(x[worst])!r}, {float(y[worst])!r})"


TINY, SMALLEST, LARGEST = 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308
SPECIAL = np.array(
    [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 19.0, 25.0, 710.0, 746.0, 2.0**53 - 1, 2.0**53]
    + [TINY, 1e-310, SMALLEST, LARGEST, 1 - 2.0**-53, 1 + 2.0**-52, math.sqrt(2), math.sqrt(0.5), math.pi, INF]
)
SPECIAL = np.concatenate([SPECIAL, -SPECIAL, [NAN, 709.782712893384, 709.7827128933841, -745.133219101941, -745.14]])
C_FUNCTIONS = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2, "power": np.power}


def assert_like_c(got: np.ndarray, want: np.ndarray, points: list[tuple[float, ...]]) -> None:
    """Same NaNs, infinities and zeros with their signs, and close otherwise."""
    for g, w, at in zip(got.tolist(), want.tolist(), points, strict=True):
        if math.isnan(w):
            assert math.isnan(g), at
        elif w == 0.0 or math.isinf(w):
            assert g == w and math.copysign(1.0, g) == math.copysign(1.0, w), at
        else:
            assert abs(g - w) <= 4 * math.ulp(w), (at, g, w)


@pytest.mark.parametrize("name", UNARY)
def test_special_values(name: str) -> None:
    limited = name in ("sin", "cos", "tan")
    x = SPECIAL[~(np.isfinite(SPECIAL) & (np.abs(SPECIAL) > 1e12))] if limited else SPECIAL
    with np.errstate(all="ignore"):
        want = C_FUNCTIONS.get(name, getattr(np, name, None))(x)
    assert_like_c(evaluate(name, x)[0], want, [(float(v),) for v in x])


@pytest.mark.parametrize("name", BINARY)
def test_special_values_of_two_arguments(name: str) -> None:
    points = [(float(a), float(b)) for a, b in itertools.product(SPECIAL, SPECIAL)]
    x, y = np.array(points).T
    with np.errstate(all="ignore"):
        want = C_FUNCTIONS[name](x, y)
    assert_like_c(evaluate(name, x, y)[0], want, points)


def test_angles_without_digits_are_nan() -> None:
    x = np.array([2e12, -1e300, LARGEST])
    assert np.isnan(evaluate("sincos", x)).all()
    assert np.isnan(evaluate("tan", x)[0]).all()


@pytest.mark.parametrize("magnitude", [1e9, 1e12])
def test_large_angles_keep_their_absolute_accuracy(magnitude: float) -> None:
    x = generator("large").uniform(-magnitude, magnitude, SAMPLES)
    got = evaluate("sincos", x)
    with mpmath.workprec(200):
        exact = np.array([[float(f(mpmath.mpf(float(v)))) for v in x] for f in (mpmath.sin, mpmath.cos)])
    assert np.abs(got - exact).max() < (2e-16 if magnitude < 1e10 else 1e-13)


def test_sincos_is_sin_and_cos() -> None:
    x = np.concatenate([generator("sincos").uniform(-1e3, 1e3, SAMPLES), SPECIAL])
    both = evaluate("sincos", x)
    assert same_bits(both[0], evaluate("sin", x)[0])
    assert same_bits(both[1], evaluate("cos", x)[0])


def test_whole_powers_of_small_numbers_are_exact() -> None:
    points = [(b, e) for b in range(-12, 13) for e in range(15) if abs(b) ** e < 2**53]
    x, y = np.array(points, float).T
    assert evaluate("power", x, y)[0].tolist() == [float(b**e) for b, e in points]


def test_first_power_is_the_number() -> None:
    x = scattered(1e-307, 1e307)(generator("first power"))
    assert same_bits(evaluate("power", x, 1.0)[0], x)


@pytest.mark.parametrize("width", [2, 4, 8])
@pytest.mark.parametrize("name", NAMES)
def test_lanes_equal_one_world(name: str, width: int) -> None:
    rng = generator(name)
    x = np.concatenate([rng.uniform(-1, 1, SAMPLES), rng.uniform(-50, 50, SAMPLES), SPECIAL])
    y = np.concatenate([rng.uniform(-2, 2, 2 * SAMPLES), rng.permutation(SPECIAL)])
    assert same_bits(evaluate(name, x, y, width), evaluate(name, x, y))


DOMAINS: dict[str, tuple[float, float]] = {
    "asin": (-0.999, 0.999),
    "acos": (-0.999, 0.999),
    "tan": (-1.5, 1.5),
    "log": (1e-3, 10.0),
    "power": (1e-3, 4.0),
}


@pytest.mark.parametrize("name", NAMES)
def test_derivatives(name: str) -> None:
    rng = generator(name)
    x, y = rng.uniform(*DOMAINS.get(name, (-3.0, 3.0)), 200), rng.uniform(-3.0, 3.0, 200)
    got = evaluate_dual(name, x, y)
    assert same_bits(np.ascontiguousarray(got[:, :, 0]), evaluate(name, x, y))
    outputs = ["sin", "cos"] if name == "sincos" else [name]
    with mpmath.workprec(200):
        for row, output in zip(got, outputs, strict=False):
            f = getattr(mpmath, output)
            for i in range(len(x)):
                a, b = mpmath.mpf(float(x[i])), mpmath.mpf(float(y[i]))
                if name in BINARY:
                    exact = [float(mpmath.diff(f, (a, b), order)) for order in ((1, 0), (0, 1))]
                else:
                    exact = [float(mpmath.diff(f, a)), 0.0]
                np.testing.assert_allclose(row[i, 1:], exact, rtol=1e-13, atol=1e-15, err_msg=f"{output} at {a}, {b}")


@pytest.mark.parametrize(
    ("name", "x", "y", "by_x", "by_y"),
    [
        ("asin", 1.0, 0.0, 0.0, 0.0),
        ("acos", -1.0, 0.0, 0.0, 0.0),
        ("atan2", 0.0, 0.0, 0.0, 0.0),
        ("power", 0.0, 2.0, 0.0, 0.0),
        ("power", 0.0, 1.0, 1.0, 0.0),
        ("power", 0.0, 0.5, 0.0, 0.0),
        ("power", -2.0, 3.0, 12.0, 0.0),
        ("power", 2.0, 0.0, 0.0, math.log(2.0)),
        ("tanh", 800.0, 0.0, 0.0, 0.0),
        ("exp", -800.0, 0.0, 0.0, 0.0),
    ],
)
def test_derivatives_at_the_ends(name: str, x: float, y: float, by_x: float, by_y: float) -> None:
    """Where the derivative does not exist or is infinite it is zero, so that a zero tangent never becomes NaN."""
    np.testing.assert_allclose(evaluate_dual(name, np.array([x]), y)[0, 0, 1:], [by_x, by_y], rtol=1e-15)


def test_every_function_has_a_derivative() -> None:
    assert set(elementary.DERIVATIVES) == set(NAMES)


@pytest.mark.parametrize("name", ["sin", "power"])
def test_plain_numbers_and_one_world_agree(name: str) -> None:
    """A number that is the same for all worlds takes the same operations as an element."""
    x = generator("plain").uniform(0.1, 3.0, 100)
    p = Record(POINTS, {"n": 100}, {"x": x, "y": 1.7}, SINGLE)
    KERNELS[name](p)
    scalar = of_number if name == "sin" else of_two_numbers
    got = np.array([scalar(float(v)) for v in x])
    assert same_bits(got, np.ascontiguousarray(p.f))


@kernel
def of_number(x):
    return sin(x)


@kernel
def of_two_numbers(x):
    return power(x, 1.7)
