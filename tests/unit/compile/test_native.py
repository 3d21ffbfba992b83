"""Compiled code against CasADi's own evaluation."""

import threading

import casadi as ca
import numpy as np
import pytest

from linkwork.compile import llvm
from linkwork.compile.chunks import plan
from linkwork.compile.llvm import emit_object, lower
from linkwork.compile.lowering import LOWERING
from linkwork.compile.native import SYMBOL, CompiledFunction, compile_function, payload_of, signature_of
from linkwork.compile.stream import ARITY, BINARY, INPUT, OUTPUT, UNARY, Stream, stream_of
from linkwork.core.errors import LinkworkError

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -3.0, 1e-300, 1e300, np.inf, -np.inf, np.nan]


def build(f, stream=None, **options):
    """Compile past the cache, with the options of the code generator."""
    stream = stream or stream_of(f)
    text, work_size = lower(stream, SYMBOL, **options)
    payload = payload_of(work_size, len(stream), signature_of(f), emit_object(text))
    return CompiledFunction(f.name(), payload, cached=False)


def interpreted(f, *args):
    """Nonzeros of every result, by CasADi's virtual machine."""
    results = f.call([ca.DM(a) for a in args])
    return [np.array(r.nonzeros()) for r in results]


def operation(name):
    """A function of x and y that is this one operation, with a stream that holds it."""
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    op = getattr(ca, f"OP_{name}")
    if name == "CONSTPOW":
        value = x**2.7
    elif name in UNARY:
        value = ca.SX.unary(op, x)
    else:
        value = ca.SX.binary(op, x, y)
    return op, ca.Function(name, [x, y], [value])


@pytest.mark.parametrize("name", [name for name in UNARY + BINARY if name != "ASSIGN"])
def test_operation_agrees_with_casadi(name):
    op, f = operation(name)
    assert op in stream_of(f).op
    x, y = (ca.SX.sym(symbol, len(SPECIAL) ** 2 + 100) for symbol in "xy")
    many = ca.Function(name, [x, y], [ca.vertcat(*(f(x[i], y[i]) for i in range(x.numel())))])
    rng = np.random.default_rng(5)
    pairs = np.array([(a, b) for a in SPECIAL for b in SPECIAL])
    spread = rng.normal(size=(100, 2)) * 10.0 ** rng.integers(-6, 6, size=(100, 1))
    args = np.concatenate([pairs, spread]).T
    (expected,) = interpreted(many, *args)
    (got,) = build(many)(*args)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    np.testing.assert_allclose(got, expected, rtol=5e-16, atol=0)


def test_every_operation_can_be_lowered():
    assert set(LOWERING) == set(ARITY)


def test_assignment_changes_nothing():
    """CasADi knows the operation but never leaves it in scalar code, so the stream is written by hand."""
    x = ca.SX.sym("x")
    stream = Stream(
        op=np.array([INPUT, ca.OP_ASSIGN, OUTPUT], dtype=np.int16),
        in0=np.array([0, 0, 1]),
        in1=np.array([0, -1, 0]),
        out=np.array([0, 1, 0]),
        const=np.zeros(3),
        in_sizes=(1,),
        out_sizes=(1,),
    )
    compiled = build(ca.Function("copy", [x], [x]), stream)
    for value in SPECIAL:
        got = compiled(value)[0][0]
        assert np.isnan(got) if np.isnan(value) else (got == value and np.signbit(got) == np.signbit(value))


def test_nan_does_not_leak_from_the_branch_not_taken():
    x = ca.SX.sym("x")
    f = ca.Function("f", [x], [ca.if_else(x > 0, ca.log(x) + ca.sqrt(x), 1 / x), ca.if_else(x, 1 / x, 7)])
    compiled = build(f)
    for value in (-2.0, 0.0, 3.0):
        for got, expected in zip(compiled(value), interpreted(f, value), strict=True):
            assert np.array_equal(got, expected) or np.allclose(got, expected, rtol=1e-15), value
    assert compiled(-2.0)[0] == -0.5 and compiled(0.0)[1] == 7


def test_truth_of_numbers_and_logic_across_cuts():
    x = ca.SX.sym("x", 3)
    a, b = ca.logic_and(x[0], x[1] < x[2]), ca.logic_or(x[0] != x[1], ca.logic_not(x[2]))
    f = ca.Function("f", [x], [ca.vertcat(a, b, a + b, ca.if_else(a, x[1], b), ca.if_else(x[2], a, x[0]))])
    whole, cut = build(f), build(f, chunk=2)
    for values in np.array(np.meshgrid(*[[0.0, 1.0, -2.0, np.nan]] * 3)).reshape(3, -1).T:
        (expected,) = interpreted(f, values)
        np.testing.assert_array_equal(whole(values)[0], expected)
        np.testing.assert_array_equal(cut(values)[0], expected)


def tangle(count=200, seed=3):
    """A function whose values are read long after they are made."""
    rng = np.random.default_rng(seed)
    x = ca.SX.sym("x", 6)
    values = list(ca.vertsplit(x))
    for _ in range(count):
        i, j = rng.integers(len(values), size=2)
        near = int(rng.integers(max(len(values) - 5, 0), len(values)))
        values.append(ca.sin(values[i]) * values[near] + ca.cos(values[j]) - 0.3)
    return ca.Function("tangle", [x], [ca.vertcat(*values[-20:]), values[len(values) // 2]])


@pytest.mark.parametrize("chunk", [1, 2, 7, 50, 333])
@pytest.mark.parametrize("batch", [False, True])
def test_cutting_changes_nothing(chunk, batch):
    f = tangle()
    x = np.linspace(-2, 3, 6)
    whole, cut = build(f, chunk=10**6, batch=batch), build(f, chunk=chunk, batch=batch)
    assert whole.work_size == 0 < cut.work_size
    for a, b, expected in zip(whole(x), cut(x), interpreted(f, x), strict=True):
        np.testing.assert_allclose(a, expected, rtol=1e-12)
        np.testing.assert_allclose(b, a, rtol=1e-12)  # a fused multiply-add does not reach across a cut


def test_work_array_is_reused():
    x = ca.SX.sym("x", 2)
    a, b = x[0], x[1]
    for _ in range(2000):
        a, b = a * b + 0.1, ca.sqrt(b) + 0.2
    stream = stream_of(ca.Function("long", [x], [a + b]))
    layout = plan(stream, 10)
    assert len(layout.bounds) > 500
    assert layout.work_size <= 8


@pytest.mark.parametrize("size", [1, 3, 40, 1000])
def test_places_are_never_shared_by_live_values(size):
    stream = stream_of(tangle())
    layout = plan(stream, size)
    assert layout.bounds[0] == 0 and layout.bounds[-1] == len(stream)
    lengths = np.diff(layout.bounds)
    assert lengths.min() > 0 and lengths.max() <= size + max(size // 4, 1) + 1
    place = {}
    chunk = np.searchsorted(layout.bounds, np.arange(len(stream)), side="right")
    readers = dict[int, list[int]]()
    for k, v in zip(*(a.tolist() for a in stream.uses()), strict=True):
        readers.setdefault(k, []).append(v)
    for k in range(len(stream)):
        for v in readers.get(k, ()):
            if chunk[v] != chunk[k] and layout.slot[v] >= 0:
                assert place[layout.slot[v]] == v
            elif chunk[v] != chunk[k]:
                assert stream.op[v] in (ca.OP_CONST, INPUT)
        if layout.slot[k] >= 0:
            place[layout.slot[k]] = k


def test_stream_is_in_single_assignment_form():
    f = tangle()
    stream = stream_of(f)
    reader, value = stream.uses()
    assert (value < reader).all() and (value >= 0).all()
    ordinary = stream.op != OUTPUT
    assert (stream.out[ordinary] == np.flatnonzero(ordinary)).all()
    assert (stream.in_sizes, stream.out_sizes) == ((6,), (20, 1))


def test_sparse_results_are_nonzeros_by_columns():
    x = ca.SX.sym("x", 4)
    jacobian = ca.jacobian(ca.vertcat(x[0] * x[1], ca.sin(x[3]), x[2] * x[0]), x)
    f = ca.Function("f", [x], [jacobian, ca.SX(2, 2), x.T])
    compiled = build(f)
    values = compiled([1.0, 2.0, 3.0, 4.0])
    assert compiled.out_sizes == (5, 0, 4) and [v.size for v in values] == [5, 0, 4]
    columns, rows = compiled.out_patterns[0]
    assert columns.dtype == rows.dtype == np.int32
    dense = np.zeros((3, 4))
    for column in range(4):
        for k in range(columns[column], columns[column + 1]):
            dense[rows[k], column] = values[0][k]
    np.testing.assert_allclose(dense, f([1, 2, 3, 4])[0].full(), rtol=1e-15)


def test_matrix_arguments_go_column_by_column():
    a = ca.SX.sym("a", 2, 3)
    compiled = build(ca.Function("f", [a], [a[1, 0], a]))
    matrix = np.arange(6.0).reshape(2, 3)
    first, back = compiled(matrix)
    assert first == 3 and np.array_equal(back, matrix.ravel(order="F"))


def test_constant_and_empty_functions():
    x = ca.SX.sym("x", 0)
    constant, empty = build(ca.Function("f", [x], [ca.SX([1.5, np.inf, np.nan, -0.0]), x]))([])
    np.testing.assert_array_equal(constant, [1.5, np.inf, np.nan, -0.0])
    assert empty.size == 0


def test_sines_are_accurate_for_every_angle():
    rng = np.random.default_rng(1)
    quarter = np.arange(-4000, 4000) * (np.pi / 2)
    wide = rng.normal(size=4000) * 10.0 ** rng.integers(-12, 12, size=4000)
    limits = [2.0**20, np.nextafter(2.0**20, np.inf), 1e15, -1e22, 1e308, 5e-324, 0.0, np.nan, np.inf, -np.inf]
    angles = np.concatenate([quarter, np.nextafter(quarter, 9e9), wide, limits])
    angles = angles[: len(angles) // 4 * 4]
    with np.errstate(invalid="ignore"):
        expected = np.sin(angles), np.cos(angles)
    for lanes in (1, 4):
        x = ca.SX.sym("x", lanes)
        compiled = build(ca.Function("f", [x], [ca.sin(x), ca.cos(x)]), batch=True)
        got = np.array([compiled(part) for part in angles.reshape(-1, lanes)])
        for values, exact in zip((got[:, 0].ravel(), got[:, 1].ravel()), expected, strict=True):
            np.testing.assert_array_equal(np.isnan(values), np.isnan(exact))
            fine = ~np.isnan(exact)
            assert (np.abs(values - exact)[fine] <= np.spacing(np.abs(exact[fine]))).all()


def test_two_threads_at_once():
    f = tangle()
    compiled = build(f, chunk=20)
    points = np.random.default_rng(2).normal(size=(2, 500, 6))
    expected = [[compiled(x)[0] for x in part] for part in points]
    got = [[], []]

    def work(i):
        got[i] = [compiled(x)[0] for x in points[i]]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.array_equal(got, expected)


def test_code_outlives_the_symbolic_function_and_its_neighbours():
    x = ca.SX.sym("x")
    functions = [compile_function(ca.Function(f"f{i}", [x], [x + i]), cache=False) for i in range(5)]
    del functions[::2]
    assert [f(1.0)[0][0] for f in functions] == [2, 4]


def test_wrong_arguments_are_named():
    x = ca.SX.sym("x", 2)
    compiled = build(ca.Function("pair", [x], [x]))
    with pytest.raises(LinkworkError, match="'pair': it takes 1 argument"):
        compiled(1, 2)
    with pytest.raises(LinkworkError, match="'pair': argument 0 must hold 2 numbers, 3 were given"):
        compiled([1, 2, 3])


def test_what_cannot_be_compiled_is_named():
    x, p = ca.SX.sym("x"), ca.SX.sym("stiffness")
    with pytest.raises(LinkworkError, match="ERFINV"):
        stream_of(ca.Function("f", [x], [ca.erfinv(x)]))
    with pytest.raises(LinkworkError, match="stiffness"):
        stream_of(ca.Function("f", [x], [x * p], {"allow_free": True}))
    m = ca.MX.sym("m", 2)
    with pytest.raises(LinkworkError, match="expand"):
        stream_of(ca.Function("f", [m], [ca.sin(m)]))


@pytest.fixture
def as_set(monkeypatch):
    """Sets LINKWORK_CPU and forgets what was known of the processor, before and after."""
    known = (llvm.processor, llvm.fused, llvm._machine, llvm.generator)

    def choose(name: str) -> None:
        monkeypatch.setenv("LINKWORK_CPU", name)
        for function in known:
            function.cache_clear()

    yield choose
    monkeypatch.undo()
    for function in known:
        function.cache_clear()


def test_code_for_a_lesser_processor(as_set):
    """The same values to rounding, other objects in the cache; what this processor has not is refused."""
    x = ca.SX.sym("x", 4)
    f = ca.Function("f", [x], [ca.vertcat(ca.dot(x, x), ca.sin(x[0]) * x[1] + x[2])])
    at = np.array([0.1, 0.7, -1.3, 2.9])
    as_set("")
    whole, keys = build(f)(at)[0], {llvm.generator()}
    for name in ("generic", "-fma,-avx2"):
        as_set(name)
        assert not llvm.fused()
        keys.add(llvm.generator())
        assert np.abs(build(f)(at)[0] - whole).max() < 1e-14
    assert len(keys) == 3
    as_set("+fma")
    with pytest.raises(LinkworkError, match="LINKWORK_CPU"):
        llvm.processor()
