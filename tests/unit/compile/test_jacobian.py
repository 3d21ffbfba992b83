"""Jacobians by a loop over columns, against those that CasADi writes out."""

import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

import casadi as ca
import numpy as np
import pytest

import linkwork.examples
from linkwork.compile import jacobian, partials
from linkwork.compile.functions import SHIFTED, builders
from linkwork.compile.jacobian import TangentFunction, compile_jacobian
from linkwork.compile.native import CompiledFunction
from linkwork.compile.stream import BINARY, UNARY, stream_of
from linkwork.compile.tangent import WIDTH, dependence
from linkwork.core.errors import LinkworkError
from linkwork.core.model import Model
from linkwork.core.program import FAST
from linkwork.formulations import formulations
from linkwork.simulation.prepare import Choice, prepare

SPREAD = [-2.5, -1.0, -0.3, 0.4, 0.9, 1.7]


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))


def looped(f):
    """The derivative of f by its last argument where that is zero, by the loop."""
    return compile_jacobian("J", lambda: f, lambda: pytest.fail("written out"), longest=-1, tier=FAST)


def matrix(function, values, rows):
    (starts, row), = function.out_patterns  # fmt: skip
    found = np.zeros((rows, len(starts) - 1))
    found[row, np.repeat(np.arange(len(starts) - 1), np.diff(starts))] = values
    return found


def compared(f):
    """J of f(x, p, δ) by δ at 0, looped and written out by CasADi, at random places."""
    J = looped(f)
    assert isinstance(J, TangentFunction)
    symbols = [ca.SX.sym(f"x{i}", f.size1_in(i)) for i in range(f.n_in())]
    written = ca.Function("J", symbols, [ca.jacobian(f(*symbols), symbols[-1])])
    rng = np.random.default_rng(3)
    arguments = [rng.normal(size=f.size1_in(i)) for i in range(f.n_in() - 1)]
    expected = np.array(written(*arguments, np.zeros(f.size1_in(f.n_in() - 1))))
    return matrix(J, J(*arguments)[0], f.size1_out(0)), expected, J


@pytest.mark.parametrize("name", [name for name in UNARY + BINARY if name != "ASSIGN"])
def test_every_operation_has_casadis_derivative(name):
    x, y, d = (ca.SX.sym(symbol, len(SPREAD) ** 2) for symbol in "xyd")
    op = getattr(ca, f"OP_{name}")
    values = []
    for k in range(x.numel()):
        a, b = x[k] + d[k], y[k] + 2 * d[k]
        values.append(a**2.7 if name == "CONSTPOW" else ca.SX.unary(op, a) if name in UNARY else ca.SX.binary(op, a, b))
    f = ca.Function("f", [x, y, d], [ca.densify(ca.vertcat(*values))])
    J = looped(f)
    pairs = np.array([(a, b) for a in SPREAD for b in SPREAD]).T
    symbols = [x, y, d]
    written = ca.Function("J", symbols, [ca.densify(ca.diag(ca.jacobian(f(*symbols), d)))])
    expected = np.array(written(*pairs, np.zeros(len(SPREAD) ** 2))).ravel()
    found = np.diag(matrix(J, J(*pairs)[0], len(SPREAD) ** 2))
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=0)


def network(rng, size, length):
    """A function of x, p and δ in which values are used again and again, by few and by many."""
    x, p, d = ca.SX.sym("x", size), ca.SX.sym("p", 3), ca.SX.sym("d", size)
    values = [*ca.vertsplit(x + d), *ca.vertsplit(p), ca.SX(2.0)]
    for _ in range(length):
        a, b = (values[k] for k in rng.integers(len(values), size=2))
        kind = rng.integers(6)
        values.append([a + b, a - b, a * b, ca.sin(a), a / (2 + b * b), -a][kind])
    return ca.Function("f", [x, p, d], [ca.densify(ca.vertcat(*values[-2 * size :], values[0], values[size]))])


@pytest.mark.parametrize("size", [1, WIDTH - 1, WIDTH, WIDTH + 1, 3 * WIDTH + 5])
def test_any_number_of_columns(size, rng):
    found, expected, J = compared(network(rng, size, 12 * size))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
    assert np.count_nonzero(expected) <= J.out_sizes[0] < found.size or size == 1


def test_results_that_depend_on_nothing_and_arguments_that_nothing_depends_on():
    x, d = ca.SX.sym("x", 3), ca.SX.sym("d", 3)
    f = ca.Function("f", [x, d], [ca.vertcat(x[0], d[1] * x[1], 5, d[1], ca.floor(d[2]))])
    found, expected, J = compared(f)
    np.testing.assert_array_equal(found, expected)
    assert J.out_patterns[0][0].tolist() == [0, 0, 2, 2] and J.out_patterns[0][1].tolist() == [1, 3]
    nothing = ca.Function("f", [x, d], [ca.vertcat(x[0], 5)])
    assert looped(nothing)([1.0, 2.0, 3.0])[0].size == 0


def test_a_derivative_that_is_infinite_stays_in_its_columns():
    """√x at 0 has an infinite slope; columns that it has nothing to do with must not become NaN by it."""
    x, d = ca.SX.sym("x", 2), ca.SX.sym("d", 2)
    f = ca.Function("f", [x, d], [ca.sqrt(x[0] + d[0]) + ca.sin(x[1] + d[1])])
    J = looped(f)
    np.testing.assert_array_equal(J([0.0, 0.0])[0], [np.inf, 1.0])


def test_the_loop_is_taken_where_writing_out_would_be_long(monkeypatch, rng):
    f = network(rng, 40, 600)
    stream = stream_of(f, shared=True)
    count = dependence(stream, 2).written_out
    symbols = [ca.SX.sym(f"x{i}", f.size1_in(i)) for i in range(3)]
    J = ca.Function("J", symbols[:2], [ca.substitute(ca.jacobian(f(*symbols), symbols[2]), symbols[2], np.zeros(40))])
    assert 0.3 * count < len(stream_of(J, shared=True)) < 3 * count
    made = [compile_jacobian("J", lambda: f, lambda: J, longest=longest) for longest in (count, count - 1)]
    assert isinstance(made[0], CompiledFunction) and isinstance(made[1], TangentFunction)
    assert made[1].instructions < 4 * len(stream)
    monkeypatch.setattr(jacobian, "tangent_of", lambda *_: pytest.fail("derived again"))
    again = compile_jacobian("J", lambda: f, lambda: J, longest=count - 1)
    a, b = rng.normal(size=40), rng.normal(size=3)
    np.testing.assert_array_equal(again(a, b)[0], made[1](a, b)[0])


def test_code_that_is_exchanged_computes_the_same(rng):
    f = network(rng, 20, 500)
    J = compile_jacobian("J", lambda: f, lambda: pytest.fail("written out"), longest=-1)
    a, b = rng.normal(size=20), rng.normal(size=3)
    before = J(a, b)[0]
    if J.partials.improve is not None:  # not where better code was there already
        J.partials.improve()()
    assert J.tier == "best"
    np.testing.assert_array_equal(J(a, b)[0], before)


@dataclass
class Compared:
    """A Jacobian where a run starts: by the loop, and written out by CasADi."""

    found: np.ndarray
    expected: np.ndarray
    exact: Callable[[Sequence[int]], np.ndarray]
    """Columns of it in many digits."""
    terms: Callable[[], np.ndarray]
    """What the loop adds up for each entry, all with the same sign: how much may cancel."""


def of_model(model, formulation, name, rng):
    ready = prepare(model, Choice(formulation), contacts=True)
    derive = builders(ready.equations)
    written, shifted = derive[name](), derive[SHIFTED[name]]()
    found = looped(shifted)
    assert found.in_sizes == tuple(written.nnz_in(i) for i in range(written.n_in()))
    y = ready.state
    arguments = [rng.normal(size=size) for size in found.in_sizes]
    arguments[0], arguments[1][: y.size] = np.zeros(1), y + 0.1 * rng.normal(size=y.size)
    arguments[2 if name == "dae_jacobian" else 4] = ready.p
    expected = np.array(ca.densify(written(*arguments)))

    def exact(columns):
        from .exact_derivative import columns_of

        return columns_of(stream_of(shifted, shared=True), arguments, columns)

    def terms():
        return matrix(found, sums_of_sizes(found, arguments), len(expected))

    return Compared(matrix(found, found(*arguments)[0], len(expected)), expected, exact, terms)


def sums_of_sizes(function, arguments):
    """The same loop with absolute values."""
    tables, by = function._tables, np.abs(function.partials(*arguments)[0])
    steps, entries = tables.steps.reshape(-1, 5), tables.entries.reshape(-1, 2)
    rates, found = np.zeros((int(tables.places[0]), WIDTH)), np.zeros(len(tables.row))
    for block in range(len(tables.block_step) - 1):
        for result, x, by_x, y, by_y in steps[slice(*tables.block_step[block : block + 2])].tolist():
            rate = np.eye(1, WIDTH, by_x)[0] if x < 0 else by[by_x] * rates[x]
            rates[result] = rate + by[by_y] * rates[y] if x >= 0 and y >= 0 else rate
        place, source = entries[slice(*tables.block_entry[block : block + 2])].T
        found[place] = rates.ravel()[source]
    return found


ALIKE = 1e-11
"""Share of the largest entry of a row by which its entries may differ, without a question."""
WORSE = 4.0
"""How much farther than CasADi's from the exact derivative ours may be where terms cancel: both are rounded."""
ROUNDED = 1e-14
"""Share of what the loop adds up, all with the same sign, by which its sums may be off: fifty last bits."""
JUDGED = 3
"""Columns that are looked at in many digits: those that differ most."""


def assert_alike(compared):
    """Where terms cancel (stiff springs, loops that are solved for accelerations) both are rounded, each in its way. A
    difference is not taken for rounding, but measured: by the exact derivative, and by what cancels."""
    found, expected = compared.found, compared.expected
    size = np.abs(expected).max(axis=1, keepdims=True)
    usual = np.isfinite(size).ravel()
    assert usual.mean() > 0.9
    size = np.where(size > 0, size, 1.0)[usual]
    apart = (np.abs(found - expected)[usual] / size).max(axis=0, initial=0.0)
    if np.all(apart <= ALIKE):
        return
    columns = np.argsort(-np.nan_to_num(apart, nan=np.inf), kind="stable")[:JUDGED]
    exact = compared.exact(columns.tolist())[usual]
    off, theirs = (np.abs(x[usual][:, columns] - exact) / size for x in (found, expected))
    summed = ROUNDED * compared.terms()[usual][:, columns] / size
    assert np.all(off <= ALIKE + WORSE * theirs.max() + summed)


QUICK = [("slider_crank", "absolute"), ("squeezer", "minimal"), ("pendulum", "points")]


@pytest.mark.parametrize("name", SHIFTED)
@pytest.mark.parametrize(("example", "formulation"), QUICK)
def test_examples(example, formulation, name, rng):
    model = import_module(f"linkwork.examples.{example}").model()
    assert_alike(of_model(model, formulation, name, rng))


def test_where_terms_cancel_ours_is_as_near_to_the_exact_derivative_as_casadis(rng):
    """A loop of planar parts in space, whose redundant rows are solved for: some 10 of 16 digits cancel."""
    model = import_module("linkwork.examples.right_angles").model()
    compared = of_model(model, "points", "alpha_jacobian", rng)
    size = np.abs(compared.expected).max(axis=1, keepdims=True)
    columns = np.argsort(-(np.abs(compared.found - compared.expected) / size).max(axis=0))[:1]
    exact = compared.exact(columns.tolist())
    ours, theirs = (np.abs(x[:, columns] - exact) / size for x in (compared.found, compared.expected))
    assert 1e-9 < theirs.max() < 1e-4  # else there is nothing to see
    assert ours.max() <= WORSE * theirs.max()


@pytest.mark.slow
@pytest.mark.parametrize("formulation", [*formulations])
@pytest.mark.parametrize("example", [m.name for m in pkgutil.iter_modules(linkwork.examples.__path__)])
def test_every_example_in_every_formulation(example, formulation, rng):
    model = import_module(f"linkwork.examples.{example}").model()
    if not isinstance(model, Model):
        pytest.skip("it is a bond graph")
    try:
        prepare(model, Choice(formulation), contacts=True)
    except LinkworkError as error:
        pytest.skip(f"{formulation}: {error}")
    for name in SHIFTED:
        assert_alike(of_model(model, formulation, name, rng))


@pytest.mark.parametrize(("op", "taken"), [("MUL", "ADD"), ("SIN", "COS"), ("SUB", "ADD")])
def test_a_wrong_derivative_of_one_operation_is_seen(op, taken, monkeypatch, rng):
    right, wrong, other = partials.derivatives, getattr(ca, f"OP_{op}"), getattr(ca, f"OP_{taken}")
    monkeypatch.setattr(partials, "derivatives", lambda code: right(other if code == wrong else code))
    model = import_module("linkwork.examples.slider_crank").model()
    found = of_model(model, "absolute", "dae_jacobian", rng)
    with pytest.raises(AssertionError):
        assert_alike(found)
