"""Calls of compiled code: what is handed over is checked, and goes where it should."""

import array
import gc
import sys

import casadi as ca
import numpy as np
import pytest

from linkwork.compile._machine_code import MachineCode
from linkwork.compile.native import compile_function
from linkwork.core.errors import LinkworkError


@pytest.fixture(scope="module")
def f():
    """(t, x₀…x₂) → 2 x + t, [Σx, t]."""
    t, x = ca.SX.sym("t"), ca.SX.sym("x", 3)
    return compile_function(ca.Function("f", [t, x], [2 * x + t, ca.vertcat(ca.sum1(x), t)]), cache=False)


X = np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    "x",
    [
        X,
        X.tolist(),
        (1, 2, 3),
        np.array([1, 2, 3]),
        X.astype(np.float32),
        X.astype(">f8"),
        np.repeat(X, 2)[::2],
        X[::-1].copy()[::-1],
        X[:, None],
        X[None, :],
        array.array("d", X),
        memoryview(X),
        ca.DM(X),
        np.array([1.0, 2.0, 3.0], dtype=object),
    ],
)
@pytest.mark.parametrize("t", [1, 1.0, np.float64(1), np.array(1.0), [1.0], True])
def test_anything_that_holds_the_numbers_is_an_argument(f, t, x):
    first, second = f(t, x)
    assert np.array_equal(first, [3, 5, 7]) and np.array_equal(second, [6, 1])


def test_results_are_fresh(f):
    one, two = f(1.0, X), f(2.0, X)
    assert np.array_equal(one[0], [3, 5, 7]) and np.array_equal(two[0], [4, 6, 8])


def test_out_is_written_to_and_may_be_the_argument(f):
    a, b = np.zeros(3), np.zeros((2, 1))
    results = f(1.0, X, out=(a, b))
    assert results[0] is a and results[1] is b
    assert np.array_equal(a, [3, 5, 7]) and np.array_equal(b.ravel(), [6, 1])
    f(1.0, a, out=[a, b])
    assert np.array_equal(a, [7, 11, 15]) and b[0, 0] == 15


def test_one_result_needs_no_list():
    x = ca.SX.sym("x", 2)
    g = compile_function(ca.Function("g", [x], [x + 1]), cache=False)
    a = np.zeros(2)
    assert g([1, 2], out=a)[0] is a
    assert np.array_equal(a, [2, 3])
    assert np.array_equal(g([1, 2], out=None)[0], a)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((1.0,), "takes 2 arguments, 1 were given"),
        ((1.0, X, X), "takes 2 arguments, 3"),
        ((1.0, X[:2]), "argument 1 must hold 3 numbers, 2 were given"),
        ((1.0, np.zeros(4)), "argument 1 must hold 3 numbers, 4"),
        ((1.0, np.zeros((3, 3))), "argument 1 must hold 3 numbers, 9"),
        ((X, X), "argument 0 must hold 1 numbers, 3"),
        ((1.0, X * 1j), "argument 1 holds complex128"),
        ((1.0, "abc"), "argument 1 must hold 3"),
        (("a", X), "argument 0 holds"),
        ((None, X), "argument 0 holds"),
        ((1.0, [1.0, None, 2.0]), "argument 1 holds something that is not a real number"),
    ],
)
def test_a_wrong_argument_is_named(f, args, message):
    with pytest.raises(LinkworkError, match=f"'f': .*{message}"):
        f(*args)


def readonly():
    a = np.zeros(3)
    a.flags.writeable = False
    return a


SHARED = np.zeros(5)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ((np.zeros(2), np.zeros(2)), r"out\[0\] must hold 3 float64; it holds 2"),
        ((np.zeros(3), np.zeros(3)), r"out\[1\] must hold 2 float64; it holds 3"),
        ((np.zeros(3, dtype=int), np.zeros(2)), r"out\[0\] must hold 3 float64; it holds 3 of kind 'l'"),
        ((np.zeros(6, dtype=np.float32), np.zeros(2)), r"out\[0\] must hold 3 float64; it holds 6 of kind 'f'"),
        ((np.zeros(6)[::2], np.zeros(2)), r"out\[0\] must be a contiguous array of 3 float64"),
        ((readonly(), np.zeros(2)), r"out\[0\] must be a contiguous array of 3 float64 that can be written"),
        (([0.0, 0.0, 0.0], np.zeros(2)), r"out\[0\] must be a contiguous"),
        ((SHARED[:3], SHARED[2:4]), r"out\[0\] and out\[1\] share memory"),
        ((np.zeros(3),), "out has 1 arrays; there are 2 results"),
        (np.zeros(5), "out must be a list or tuple of 2 arrays"),
    ],
)
def test_a_wrong_place_for_results_is_named(f, out, message):
    with pytest.raises(LinkworkError, match=f"'f': {message}"):
        f(1.0, X, out=out)


def test_other_keywords_are_refused(f):
    with pytest.raises(LinkworkError, match="no argument 'into'"):
        f(1.0, X, into=X)


def test_an_argument_may_call_the_same_function(f):
    class Lazy:
        def __array__(self, dtype=None, copy=None):
            return f(5.0, X)[0]

    assert np.array_equal(f(1.0, Lazy())[0], 2 * (2 * X + 5) + 1)


def test_nothing_is_kept_of_arguments_and_results(f):
    x, a, b = X.copy(), np.zeros(3), np.zeros(2)
    before = [sys.getrefcount(each) for each in (x, a, b)]
    for _ in range(10):
        f(1.0, x, out=(a, b))
        with pytest.raises(LinkworkError):
            f(1.0, x, out=(a, a[:2]))
    gc.collect()
    assert [sys.getrefcount(each) for each in (x, a, b)] == before


def test_code_that_cannot_be_is_refused():
    for given in ((0, (1,), (1,), 0), (1, (-1,), (1,), 0), (1, (1,), (2**40,), 0), (1, (1,), (1,), -1)):
        with pytest.raises(ValueError, match="size|code"):
            MachineCode(*given, np.empty)


@pytest.fixture(scope="module")
def rhs():
    """(t, y₀ y₁, p) → t y + p, and a second result."""
    t, y, p = ca.SX.sym("t"), ca.SX.sym("y", 2), ca.SX.sym("p")
    return compile_function(ca.Function("rhs", [t, y, p], [t * y + p, ca.vertcat(p, p, p)]), cache=False)


def test_rows(rhs):
    t, Y, p, out = np.arange(4.0), np.arange(8.0).reshape(4, 2), np.array([0.5]), np.zeros((4, 2))
    rhs.rows(t, Y, p, out)
    assert np.array_equal(out, t[:, None] * Y + 0.5)
    rhs.rows(t[:0], Y[:0], p, out[:0])
    wide = np.full((4, 3), 7.0)
    rhs.rows(t, Y, p, wide)
    assert np.array_equal(wide, np.column_stack([out, np.full(4, 7.0)]))


def test_wrong_rows_are_named(rhs, f):
    t, Y, p, out = np.arange(4.0), np.zeros((4, 2)), np.array([0.5]), np.zeros((4, 2))
    wrong = {
        "y must hold 8 float64": (t, Y[:3], p, out),
        "p must hold 1 float64": (t, Y, np.zeros(2), out),
        "out must hold 8 float64": (t, Y, p, np.zeros((4, 1))),
        "out must be a contiguous array": (t, Y, p, np.zeros((4, 4))[:, ::2]),
        "t must hold 4 float64": (np.arange(4), Y, p, out),
        "out shares memory with an argument": (t, Y, p, Y),
        "rows are taken by": (t, Y, p),
    }
    for message, args in wrong.items():
        with pytest.raises(LinkworkError, match=message):
            rhs.rows(*args)
    with pytest.raises(LinkworkError, match="functions of"):
        f.rows(t, Y, p, out)


def test_code_comes_once(rhs):
    with pytest.raises(ValueError, match="code already"):
        MachineCode.__init__(rhs, 1, (1,), (1,), 0, np.empty)
    with pytest.raises(RuntimeError, match="no code yet"):
        MachineCode.__new__(MachineCode)()
