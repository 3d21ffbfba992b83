"""Code that is there at once and the best there is: the same numbers, bit by bit, and they change places unnoticed."""

from __future__ import annotations

import threading
from functools import cache

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.compile import baseline, linking, llvm, tiers
from linkwork.compile.contraction import contracted
from linkwork.compile.native import compile_function
from linkwork.compile.stream import BINARY, FUSED, UNARY, asked_atoms, read_atoms, stream_of

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 1e-300, 1e300, 1e-310, np.inf, -np.inf, np.nan, 2.0**20, 1e7]


@pytest.fixture(params=["templates", "LLVM in a hurry"])
def fast(request, monkeypatch):
    """Both ways of having code at once; the second is that of other processors."""
    if request.param == "templates" and not baseline.available():
        pytest.skip("this processor has no templates")
    if request.param != "templates":
        monkeypatch.setattr(baseline, "available", lambda: False)
    return request.param


def bits(results):
    """NaN has many; which one is nobody's business."""
    return [np.where(np.isnan(r), np.nan, r).tobytes() for r in results]


def in_both(f):
    return compile_function(f, cache=False, tier="fast"), compile_function(f, cache=False, tier="best")


@cache
def network(seed=0, count=300):
    """A function of many kinds of operations that need each other's results, some at once, some much later."""
    rng = np.random.default_rng(seed)
    x = ca.SX.sym("x", 8)
    held = [x[i] for i in range(8)]
    for _ in range(count):
        a, b, c = (held[-1 - int(k)] for k in rng.integers(0, min(len(held), 30), 3))
        form = int(rng.integers(0, 16))
        held.append(
            [a + b, a - b, a * b, a * b + c, a * b - c, c - a * b, a / (2 + ca.fabs(b)), ca.sin(a), ca.cos(b) * c,
             ca.sqrt(ca.fabs(a)), ca.if_else(a < b, b * c, -a) / 3, ca.tanh(a * a + b) / (2 + ca.fabs(b)),
             ca.fmin(a, b) - c, ca.fmax(a * b, c) + ca.floor(a),
             ca.if_else(ca.logic_or(a <= b, ca.logic_not(c < a)), a, c),
             ca.if_else(ca.logic_and(a != b, c > b), ca.ceil(c), b)][form]
        )  # fmt: skip
    return ca.Function("network", [x], [ca.vertcat(*held[-60:]), ca.vertcat(*held[::50])], {"cse": True})


def result(name, x, y):
    op = getattr(ca, f"OP_{name}")
    if name == "CONSTPOW":
        return x**2.7
    return ca.SX.unary(op, x) if name in UNARY else ca.SX.binary(op, x, y)


def test_every_operation_is_the_same_in_both(fast):
    names = [name for name in UNARY + BINARY if name != "ASSIGN"]
    args = np.array(
        [(a, b) for shift in range(len(SPECIAL)) for a, b in zip(SPECIAL, np.roll(SPECIAL, shift), strict=True)]
    ).T
    x, y = (ca.SX.sym(s, args.shape[1]) for s in "xy")
    many = [[result(name, x[i], y[i]) for i in range(x.numel())] for name in names]
    first, second = in_both(ca.Function("all", [x, y], [ca.vertcat(*row) for row in many]))
    assert (first.tier, second.tier) == ("fast", "best")
    found = zip(bits(first(*args)), bits(second(*args)), strict=True)
    assert [name for name, (a, b) in zip(names, found, strict=True) if a != b] == []


@pytest.mark.parametrize("seed", range(2))
def test_operations_that_need_each_other_are_the_same_in_both(seed, fast):
    f = network(seed)
    first, second = in_both(f)
    rng = np.random.default_rng(seed)
    for size in (1.0, 1e3, 1e7):  # the last: some angles beyond those that the kernel treats, some not
        x = size * rng.normal(size=8)
        assert bits(first(x)) == bits(second(x))
    np.testing.assert_allclose(first(x / 1e7)[0], f(x / 1e7)[0].full().ravel(), rtol=1e-9, atol=1e-12)


def test_what_is_fused_is_decided_before(fast):
    """One rounding where the stream says so, whoever makes the code: (1 + e)(1 − e) − 1 is −e², not 0."""
    x, y, z = (ca.SX.sym(s, 3) for s in "xyz")
    product = x * y
    f = ca.Function("f", [x, y, z], [product[0] + z[0], product[1] - z[1], z[2] - product[2]])
    e = 2.0**-30
    assert np.isin(contracted(stream_of(f), fused=True).op, FUSED).sum() == 3
    for compiled in in_both(f):
        plus, minus, turned = (float(r[0]) for r in compiled([1 + e] * 3, [1 - e] * 3, [-1.0, 1.0, 1.0]))
        assert (plus, minus, turned) == ((-(e**2), -(e**2), e**2) if llvm.fused() else (0.0, 0.0, 0.0))


def test_functions_with_more_results_or_arguments_than_instructions(fast):
    x = ca.SX.sym("x", 2)
    zeros = ca.Function("zeros", [x], [ca.SX(0, 1)])
    few = ca.Function("few", [x], [ca.vertcat(*[x[0] * x[1] + 1] * 30), ca.SX(40, 1)])
    unused = [ca.SX.sym("unused") for _ in range(30)]
    last = ca.Function("last", [*unused, x], [x[1]])
    for f, args in ((zeros, []), (few, []), (last, [0.0] * 30)):
        first, second = in_both(f)
        assert bits(first(*args, [2.0, 3.0])) == bits(second(*args, [2.0, 3.0]))
    assert first(*args, [2.0, 3.0])[0] == 3.0


def test_what_is_computed_twice_is_computed_once():
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    f = ca.Function("f", [x, y], [ca.sin(x * y) + 1 / 3, ca.sin(y * x) * (1 / 3), x - y, y - x])
    stream = stream_of(f, shared=True)
    count = {name: int(np.sum(stream.op == getattr(ca, f"OP_{name}"))) for name in ("MUL", "SIN", "CONST", "SUB")}
    assert count == {"MUL": 2, "SIN": 1, "CONST": 1, "SUB": 2}
    assert np.sum(stream_of(f).op == ca.OP_SIN) == 2
    for compiled in in_both(f):
        np.testing.assert_allclose(np.ravel(compiled(2.0, 0.25)), np.ravel(f(2.0, 0.25)), rtol=1e-15)


def test_a_system_that_runs_no_written_code_has_llvm_do_it(monkeypatch):
    def refused(code):
        raise OSError("memory cannot be made executable")

    monkeypatch.setattr(linking, "Pages", refused)
    linking.executable.cache_clear()
    try:
        assert not baseline.available()
        assert compile_function(network(1), cache=False, tier="fast").tier == "fast"
    finally:
        linking.executable.cache_clear()


def test_division_by_one_number_is_one_division():
    x, d = ca.SX.sym("x", 3), ca.SX.sym("d")
    stream = contracted(stream_of(ca.Function("f", [x, d], [x / d, x / 3, x[0] / x[1]])), fused=True)
    assert np.sum(stream.op == ca.OP_DIV) == 1 and np.sum(stream.op == ca.OP_INV) == 1
    for compiled in in_both(ca.Function("f", [x, d], [x / d, x / 3])):
        np.testing.assert_allclose(compiled([1, 2, 4], 0.1), [[10, 20, 40], [1 / 3, 2 / 3, 4 / 3]], rtol=3e-16)


@pytest.mark.parametrize("seed", range(2))
def test_instructions_are_read_as_they_are_asked_for(seed):
    f = network(seed)
    read, asked = read_atoms(f, f.serialize()), asked_atoms(f)
    assert read is not None
    np.testing.assert_array_equal(read[:, :3], asked[:, :3])
    two = [op in {getattr(ca, f"OP_{name}") for name in BINARY} for op in asked[:, 0].tolist()]
    np.testing.assert_array_equal(read[two, 3], asked[two, 3])


def test_instructions_written_in_another_way_are_asked_for(monkeypatch):
    """Rows that begin alike but are none: nothing of them is believed."""
    f = network(1)
    text = f.serialize()
    read = read_atoms(f, text)
    row = "".join(chr(97 + n) for byte in read[0].tobytes() for n in (byte & 15, byte >> 4))
    at = text.index(row)
    shifted = text[: at + 32] + "aa" + text[at + 32 :]
    assert read_atoms(f, shifted) is None
    np.testing.assert_array_equal(stream_of(f, shifted).op, stream_of(f).op)


def test_better_code_takes_the_place_of_what_runs(fast):
    f = network(1)
    compiled = compile_function(f, cache=False, tier="auto")
    x, address = np.linspace(-1, 1, 8), compiled.address
    before, over = bits(compiled(x)), threading.Event()
    wrong: list[object] = []

    def keep_calling():
        while not over.is_set():
            if bits(compiled(x)) != before:
                wrong.append(x)

    caller = threading.Thread(target=keep_calling)
    caller.start()
    tiers.improve([compiled], ran=1e6, left=0.0)
    for thread in threading.enumerate():
        if thread.name == "linkwork-compile":
            thread.join()
    over.set()
    caller.join()
    assert compiled.tier == "best" and compiled.address == address and compiled.improve is None
    assert bits(compiled(x)) == before and not wrong and compiled.better_seconds > 0


def test_better_code_is_made_where_it_pays():
    compiled = compile_function(network(1), cache=False, tier="auto")
    tiers.improve([compiled], ran=1e-4, left=1e-3)
    assert compiled.improve is not None and compiled.tier == "fast"
    assert compile_function(network(1), cache=False, tier="fast").improve is None


def test_each_tier_is_kept_and_the_best_is_loaded(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    f, kept = network(1), []
    for tier in ("fast", "fast", "best", "fast", "auto"):
        compiled = compile_function(f, tier=tier)
        kept.append((compiled.cached, compiled.tier))
    assert kept == [(False, "fast"), (True, "fast"), (False, "best"), (True, "best"), (True, "best")]


def pendulum():
    m = lw.Model("pendulum")
    body = m.body("body", mass=1.3, inertia=0.1)
    m.revolute("O", m.ground.at(0, 0), body.at(-0.5, 0))
    return m


def test_a_run_is_the_same_in_every_tier(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    runs = {tier: pendulum().simulate(1.0, compile=tier) for tier in ("fast", "best", "auto")}
    first = runs["fast"]
    assert all(np.array_equal(r.data, first.data) for r in runs.values())
    assert {*first.record["code"]["tiers"].values()} == {"fast"} and first.record["code"]["asked"] == "fast"
    assert {*runs["best"].record["code"]["tiers"].values()} == {"best"}
    again = pendulum()
    again.simulate(0.1, compile="fast")
    assert isinstance(again.simulate(0.1, compile="best"), lw.Result)
    with pytest.raises(lw.UnknownName, match="compile"):
        again.simulate(0.1, compile="faster")


def test_a_long_run_ends_with_better_code(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    monkeypatch.setattr(tiers, "SECONDS_PER_INSTRUCTION", 0.0)
    m = pendulum()
    m.simulate(1.0)
    for thread in threading.enumerate():
        if thread.name == "linkwork-compile":
            thread.join()
    r = m.simulate(1.0)
    assert r.record["code"]["tiers"]["rhs"] == "best" and r.record["code"]["better_seconds"] > 0
