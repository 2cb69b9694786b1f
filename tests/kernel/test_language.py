"""The kernel language: what it computes under every element type, and what it refuses, with which words."""

from __future__ import annotations

import numpy as np
import pytest
from elements import ELEMENTS, WIDTHS, element_name
from hypothesis import given, settings
from hypothesis import strategies as st

from corten.kernel import (
    JIT,
    KernelError,
    absolute,
    all_lanes,
    any_lane,
    block,
    clip,
    floor,
    has_tangents,
    kernel,
    lane,
    lanes,
    local,
    local_int,
    maximum,
    minimum,
    nonzero,
    rint,
    sign,
    sqrt,
    stage,
    tangent_of,
    unroll,
    value,
    where,
    with_tangent,
)
from corten.kernel.interpret import as_python
from corten.kernel.quat import axis_angle, quat_mat, quat_mul, quat_normalize, quat_rotate, quat_velocity
from corten.kernel.record import SINGLE, UNIFORM, Element, Field, Record, RecordArray, RecordType
from corten.kernel.vec import cross, dot3, load3, mat_t_vec, mat_vec, norm3, store3

THINGS = RecordType(
    "Things",
    [
        Field("a", ("n", 3), "real", "vectors"),
        Field("b", ("n", 3), "real", "vectors"),
        Field("f", ("n", 3), "real", "results"),
        Field("s", ("n",), "real", "results"),
        Field("count", ("n",), "int", "integers of each world"),
        Field("flag", ("n",), "byte", "truth values of each world"),
        Field("time", (), "real", "a scalar"),
        Field("on", ("n",), "flag", "truth values of each world, as masks"),
        Field("shared", ("n",), "block", "integers that all worlds of a block share"),
        Field("work", ("n", 2), "common", "memory for one world after the other"),
    ],
)
PLAN = RecordType(
    "Plan",
    [
        Field("n", (), "size", "how many"),
        Field("w", ("n",), "real", "weights"),
        Field("kind", ("n",), "int", "which"),
        Field("opt.gain", (), "real", "a scalar in a sub-record"),
        Field("opt.mode", (), "int", "an integer there"),
    ],
)
N = 6
RNG = np.random.default_rng(1)
A, B, W = RNG.normal(size=(N, 3)), RNG.normal(size=(N, 3)), RNG.normal(size=N)
KIND = np.array([0, 1, 2, 0, 1, 2])
every_element = pytest.mark.parametrize("element", ELEMENTS, ids=element_name)
compiled = pytest.mark.skipif(not JIT, reason="about the compiler")


def plan() -> Record:
    return Record(PLAN, {"n": N}, {"w": W, "kind": KIND, "opt.gain": 2.5, "opt.mode": 3}, UNIFORM)


def things(element: Element = SINGLE) -> Record:
    return Record(THINGS, {"n": N}, {"a": A, "b": B}, element)


def plain(record: Record, name: str) -> np.ndarray:
    """A field's numbers without trailing lanes or tangents; asserts that lanes agree."""
    array = record.array(name)
    kind = record._element
    if not kind.tail("real"):
        return array
    if kind.kind == "lanes":
        assert (array == array[..., :1]).all()
    return array[..., 0]


@kernel
def products(m, d):
    for i in range(m.n):
        a, b = load3(d.a, i), load3(d.b, i)
        store3(d.f, i, cross(a, b))
        d.s[i] = dot3(a, b) / norm3(b)


@kernel
def selections(m, d):
    for i in range(m.n):
        x, y = d.a[i, 0], d.a[i, 1]
        d.f[i, 0] = where((x > 0.0) & ~(y > 0.5), minimum(x, y), maximum(x, y))
        d.f[i, 1] = clip(x, -0.5, 0.5) + sign(y) * absolute(x)
        d.f[i, 2] = where(any_lane(x > 10.0), 100.0, 1.0) + where(all_lanes(x > -10.0), 10.0, 0.0)
        p, q = where(x > y, (x, 1.0), (y, 2.0))
        d.s[i] = p * q + floor(3.7 * x) + rint(2.2 * y)


@kernel
def control_flow(m, d):
    """Branches on the model, loops with break and continue, early return from a callee, unrolled tuples."""
    d.time = 0.0
    for i in range(m.n - 1, -1, -1):
        if m.kind[i] == 1:
            continue
        if i == 0:
            break
        total = 0.0
        k = 0
        while k < 3:
            total = total + d.a[i, k]
            k += 1
        for c, x in ((1.0, total), (2.0, d.b[i, 0])):
            total += c * x
        d.s[i] = total if m.kind[i] == 0 and m.w[i] > 0.0 else branchy(m, d, i)
        d.time = d.time + d.s[i]


@kernel
def branchy(m, d, i):
    if m.opt.mode > 2:
        if not m.kind[i] > 1:
            return d.a[i, 0]
        return m.opt.gain
    return 7 // 2 + -7 % 3


@kernel
def per_world(m, d):
    for l in lanes(d):
        w = lane(d, l)
        scratch = local(d if False else w, 3)
        order = local_int(3, 2)
        for i in range(m.n):
            for k in unroll(3):
                order[k, 1] = 2 - k
            for k in range(3):
                scratch[order[k, 1]] = w.a[i, order[k, 1]] * w.a[i, order[k, 1]]
            if scratch[0] > scratch[1] or w.b[i, 0] > 0.0:
                w.count[i] += i
                w.s[i] = sqrt(scratch[0] + scratch[1])
            elif i % 2 == 0 and scratch[2] > 0.1:
                w.flag[i] = w.b[i, 1] > 0.0


@pytest.mark.plain
@every_element
def test_vector_products(element: Element) -> None:
    m, d = plan(), things(element if JIT else SINGLE)
    products(m, d)
    np.testing.assert_allclose(plain(d, "f"), np.cross(A, B), rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(plain(d, "s"), (A * B).sum(1) / np.linalg.norm(B, axis=1), rtol=1e-13)


@pytest.mark.plain
@every_element
def test_selections(element: Element) -> None:
    m, d = plan(), things(element if JIT else SINGLE)
    selections(m, d)
    x, y = A[:, 0], A[:, 1]
    np.testing.assert_array_equal(
        plain(d, "f")[:, 0], np.where((x > 0) & ~(y > 0.5), np.minimum(x, y), np.maximum(x, y))
    )
    np.testing.assert_allclose(plain(d, "f")[:, 1], np.clip(x, -0.5, 0.5) + np.sign(y) * abs(x))
    np.testing.assert_array_equal(plain(d, "f")[:, 2], 11.0)
    expected = np.where(x > y, x, 2 * y) + np.floor(3.7 * x) + np.rint(2.2 * y)
    np.testing.assert_allclose(plain(d, "s"), expected)


@compiled
@pytest.mark.parametrize("function", [control_flow, per_world], ids=["control_flow", "per_world"])
@every_element
def test_compiled_equals_python(function, element: Element) -> None:
    m, d, reference = plan(), things(element), things()
    function(m, d)
    with np.errstate(all="ignore"):
        as_python(function)(m, reference)
    for name in ("s", "count", "flag", "time"):
        mine = d.array(name)
        if element.kind == "lanes" and element.n > 1:
            assert (mine == mine[..., :1]).all()
            mine = mine[..., 0]
        elif element.kind == "dual" and name in ("s", "time"):
            mine = mine[..., 0]
        np.testing.assert_allclose(mine, reference.array(name), rtol=1e-13, atol=1e-15)


@compiled
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("function", [products, selections, control_flow, per_world], ids=lambda k: k.__name__)
def test_a_lane_equals_one_world(function, width: int) -> None:
    """Different worlds in the lanes give, bit for bit, what each gives alone."""
    m, d = plan(), things(Element("lanes", width))
    worlds = []
    for l in range(width):
        one = things()
        one.a[...] = RNG.normal(size=(N, 3))
        one.b[...] = RNG.normal(size=(N, 3))
        for name in ("a", "b"):
            d.array(name)[..., l] = one.array(name)
        function(m, one)
        worlds.append(one)
    function(m, d)
    for l, one in enumerate(worlds):
        for name in ("f", "s", "count", "flag", "time"):
            np.testing.assert_array_equal(d.array(name)[..., l], one.array(name), err_msg=name)


@compiled
@pytest.mark.parametrize("tangents", [1, 3, 7])
def test_duals_follow_the_chain_rule(tangents: int) -> None:
    m, d = plan(), things(Element("dual", tangents))
    seeds = RNG.normal(size=(N, 3, tangents))
    d.array("a")[..., 1:] = seeds
    products(m, d)
    h = 1e-6
    for t in range(tangents):
        results = []
        for s in (h, -h):
            one = things()
            one.a[...] = A + s * seeds[..., t]
            products(m, one)
            results.append((one.f.copy(), one.s.copy()))
        np.testing.assert_allclose(d.f[..., 1 + t], (results[0][0] - results[1][0]) / (2 * h), atol=1e-8)
        np.testing.assert_allclose(d.s[..., 1 + t], (results[0][1] - results[1][1]) / (2 * h), atol=1e-8)


@kernel
def skip_zero(m, d):
    for i in range(m.n):
        d.s[i] = 0.0
        if any_lane(nonzero(d.a[i, 0])):
            d.s[i] = d.a[i, 0] * value(d.b[i, 0])


@compiled
def test_nonzero_sees_tangents() -> None:
    m, d = plan(), things(Element("dual", 3))
    d.array("a")[...] = 0.0
    d.array("a")[2, 0, 2] = 5.0
    skip_zero(m, d)
    assert d.s[2, 2] == 5.0 * B[2, 0]
    assert not d.s[[0, 1, 3, 4, 5]].any()


@kernel
def move_tangents(m, d):
    if has_tangents(d):
        for i in range(m.n):
            for k in range(3):
                d.s[i] = with_tangent(d.s[i], (k + 1) % 3, 10.0 * tangent_of(d.a[i, 0], k))
    else:
        d.s[0] = -1.0


@compiled
def test_tangents_are_read_and_replaced() -> None:
    m, d = plan(), things(Element("dual", 3))
    d.array("a")[..., 1:] = RNG.normal(size=(N, 3, 3))
    d.array("s")[...] = 7.0
    move_tangents(m, d)
    np.testing.assert_array_equal(d.s[:, 1:], 10.0 * np.roll(d.a[:, 0, 1:], 1, axis=-1))
    assert (d.s[:, 0] == 7.0).all()
    one = things()
    move_tangents(m, one)
    assert one.s[0] == -1.0
    with pytest.raises(KernelError, match="which has no tangents"):
        read_tangent(m, one)


@kernel
def read_tangent(m, d):
    d.s[0] = tangent_of(d.s[0], 0)


@kernel
def sum_blocks(m, many, total, count):
    for k in range(count):
        d = block(many, k)
        for i in range(m.n):
            for l in lanes(d):
                total[0] += lane(d, l).a[i, 0]


@compiled
def test_arrays_of_records() -> None:
    many = RecordArray(THINGS, {"n": N}, 3, Element("lanes", 4))
    for k in range(3):
        many[k].array("a")[...] = k
    total = np.zeros(1)
    sum_blocks(plan(), many.first, total, 3)
    assert total[0] == N * 4 * (0 + 1 + 2)


@kernel
def running_sums(m, d):
    """s of each world: sums of a, formed in memory that the worlds share."""
    for l in lanes(d):
        w = lane(d, l)
        for i in range(m.n):
            w.work[i, 1] = value(w.a[i, 0]) + (w.work[i - 1, 1] if i > 0 else 0.0)
        for i in range(m.n):
            w.s[i] = w.work[i, 1]


@every_element
def test_common_memory(element: Element) -> None:
    """One number for all worlds: what the last world has left there."""
    m, d = plan(), things(element)
    if element.kind == "lanes" and element.n > 1:
        d.array("a")[0, 0] += np.arange(element.n)
    running_sums(m, d)
    assert d.work.shape == (N, 2)
    total = d.work[:, 1]
    np.testing.assert_allclose(np.diff(total), A[1:, 0], rtol=1e-12)
    last = d.array("s") if element.width == 1 else d.array("s")[:, -1 if element.kind == "lanes" else 0]
    np.testing.assert_array_equal(last, total)


@kernel
def flags_and_shared(m, d):
    for i in range(m.n):
        d.on[i] = d.a[i, 0] > d.b[i, 0]
        d.shared[i] = m.kind[i] + 1
        if d.shared[i] == 2:
            d.s[i] = where(d.on[i], d.a[i, 0], -1.0)
    for l in lanes(d):
        w = lane(d, l)
        for i in range(m.n):
            if w.on[i] and w.shared[i] == 2:
                w.count[i] = 7


@pytest.mark.plain
@every_element
def test_flags_and_shared_integers(element: Element) -> None:
    m, d = plan(), things(element if JIT else SINGLE)
    flags_and_shared(m, d)
    on = A[:, 0] > B[:, 0]
    np.testing.assert_array_equal(d.shared, KIND + 1)
    np.testing.assert_array_equal(plain(d, "s"), np.where(KIND == 1, np.where(on, A[:, 0], -1.0), 0.0))
    for name, expected in (("on", on), ("count", np.where(on & (KIND == 1), 7, 0))):
        array = d.array(name)
        np.testing.assert_array_equal(array[..., 0] if array.ndim == 2 else array, expected)


unit = st.lists(st.floats(-1, 1), min_size=4, max_size=4).map(np.array).filter(lambda q: np.linalg.norm(q) > 1e-3)


@kernel
def rotations(m, d):
    q = quat_normalize((d.a[0, 0], d.a[0, 1], d.a[0, 2], d.a[1, 0]))
    v = load3(d.b, 0)
    r = quat_mat(q)
    store3(d.f, 0, quat_rotate(q, v))
    store3(d.f, 1, mat_vec(r, v))
    store3(d.f, 2, mat_t_vec(r, mat_vec(r, v)))
    w = quat_velocity(q, 1.0)
    angle = norm3(w)
    axis = where(angle > 0.0, (w[0] / angle, w[1] / angle, w[2] / angle), (1.0, 0.0, 0.0))
    store3(d.f, 3, quat_rotate(axis_angle(axis, angle), v))
    half = quat_mul(q, q)
    store3(d.f, 4, quat_rotate(half, v))
    store3(d.f, 5, mat_vec(r, mat_vec(r, v)))


@pytest.mark.plain
@given(unit, st.lists(st.floats(-10, 10), min_size=3, max_size=3))
@settings(max_examples=60, deadline=None)
def test_rotations_agree_with_each_other(q: np.ndarray, v: list[float]) -> None:
    d = things()
    d.a[0], d.a[1, 0], d.b[0] = q[:3], q[3], v
    with np.errstate(all="ignore"):
        rotations(plan(), d)
    np.testing.assert_allclose(d.f[0], d.f[1], atol=1e-13)
    np.testing.assert_allclose(d.f[2], v, atol=1e-13)
    np.testing.assert_allclose(d.f[3], d.f[0], atol=1e-12)
    np.testing.assert_allclose(d.f[4], d.f[5], atol=1e-13)


# -- what is refused ---------------------------------------------------------------------------------------------------


def branch_on_world(m, d):
    if d.a[0, 0] > 0.0:
        d.s[0] = 1.0


def loop_on_world(m, d):
    while d.a[0, 0] > 0.0:
        d.s[0] = 1.0


def world_integer(m, d):
    d.s[0] = d.count[0]


def unknown_field(m, d):
    d.s[0] = m.knid[0]


def writes_model(m, d):
    m.w[0] = 1.0


def two_types(m, d):
    x = 1
    x = (1.0, 2.0)
    d.s[0] = x[0]


def no_kernel(m, d):
    d.s[0] = np.sin(1.0)


def undecorated(m, d):
    d.s[0] = plain(m, d)


def too_many_indices(m, d):
    d.s[0, 1] = 1.0


def tries(m, d):
    try:
        d.s[0] = 1.0
    except ValueError:
        d.s[0] = 2.0


def lane_store(m, d):
    lane(d, 0).s[0] = d.a[0, 0]


def undefined(m, d):
    d.s[0] = nowhere  # noqa: F821  # the point of the test


def integer_from_real(m, d):
    lane(d, 0).count[0] = 1.5


@kernel
def recursive(m, d, n):
    recursive(m, d, n)


def calls_itself(m, d):
    recursive(m, d, 1)


@stage
def returning(m, d):
    return 1.0


def stage_returns(m, d):
    returning(m, d)


REFUSED = {
    branch_on_world: ("`if` on a value that differs from world to world", "where(", "lane(d, l)"),
    loop_on_world: ("`while` on a value that differs from world to world",),
    world_integer: ("integer of each world", "lane(d, l).count"),
    unknown_field: ("Plan has no field 'knid'", "did you mean 'kind'"),
    writes_model: ("a model does not change",),
    two_types: ("'x' is a int", "a name has one type"),
    no_kernel: ("import the name itself",),
    undecorated: ("'plain' is neither a kernel nor a word", "@kernel"),
    too_many_indices: ("2 indices into 1 dimensions",),
    tries: ("'try' statements are not in the kernel language",),
    lane_store: ("one world's place can not take the values of all worlds",),
    undefined: ("name 'nowhere' is not defined",),
    integer_from_real: ("write int(x)",),
    calls_itself: ("a kernel can not call itself",),
    stage_returns: ("a stage returns nothing",),
}


@compiled
@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("element", [SINGLE, Element("lanes", 4), Element("dual", 3)], ids=element_name)
def test_refusals_say_where_and_what(function, element: Element) -> None:
    with pytest.raises(KernelError) as caught:
        kernel(function)(plan(), things(element))
    text = str(caught.value)
    assert "test_language.py:" in text
    first = function.__code__.co_firstlineno
    if function not in (calls_itself, stage_returns):
        assert function.__name__ in text
        line = int(text.split("test_language.py:")[1].split(":")[0])
        assert first < line <= first + 5
    for words in REFUSED[function]:
        assert words in text


def test_elements_that_do_not_fill_a_vector_are_refused() -> None:
    for kind, n in (("dual", 2), ("dual", 4), ("lanes", 3), ("lanes", 0)):
        with pytest.raises(ValueError, match=str(n)):
            Element(kind, n)


@kernel
def indexed_by_a_variable(x, i):
    pair = (x, x)
    return pair[i]


@kernel
def calls_a_faulty_kernel(m, d):
    s = 0.0
    for i in range(m.n):
        s = s + d.s[i]
        s = s + indexed_by_a_variable(d.a[i, 0], i)


@compiled
def test_a_fault_in_a_kernel_is_named_even_if_its_caller_is_read_again() -> None:
    """The caller's names become wider while it is read, so it is read twice; the second time is no recursion."""
    with pytest.raises(KernelError, match="indexed by one literal number") as caught:
        calls_a_faulty_kernel(plan(), things(SINGLE))
    assert "indexed_by_a_variable" in str(caught.value)
