"""Functions of several lanes: every lane as exact as is stated, and as the C library at the ends of the range."""

from __future__ import annotations

import math
from collections.abc import Callable

import casadi as ca
import mpmath
import numpy as np
import pytest

from linkwork.compile.lanes import compile_lanes
from linkwork.compile.llvm import widest
from linkwork.compile.vector_functions import ULP

LANES = widest()
SPREAD = 1200
RANGES: dict[str, list[tuple[float, float]]] = {
    "exp": [(-700, 700), (-1, 1), (-745, -708)],
    "expm1": [(-40, 40), (-1e-3, 1e-3), (-1, 1)],
    "log": [(0.5, 2), (1e-300, 1e300), (1e-310, 1e-308), (0.99, 1.01)],
    "sin": [(-10, 10), (-1e6, 1e6), (-1e-3, 1e-3)],
    "cos": [(-10, 10), (-1e6, 1e6)],
    "tan": [(-10, 10), (-1e5, 1e5), (-1e-3, 1e-3)],
    "atan": [(-3, 3), (-1e3, 1e3), (-1e-3, 1e-3)],
    "asin": [(-1, 1), (-1e-3, 1e-3), (0.999, 1)],
    "acos": [(-1, 1), (0.999, 1), (-1, -0.999)],
    "sinh": [(-1, 1), (-30, 30), (-700, 700), (-1e-3, 1e-3)],
    "cosh": [(-1, 1), (-30, 30), (-700, 700)],
    "tanh": [(-1, 1), (-25, 25), (-1e-3, 1e-3)],
}


def in_lanes(name: str, *values: np.ndarray) -> np.ndarray:
    symbols = [ca.SX.sym(c) for c in "xy"[: len(values)]]
    f = compile_lanes(ca.Function("f", symbols, [getattr(ca, name)(*symbols)]), LANES, cache=False)
    count = -(-values[0].size // LANES) * LANES
    padded = [np.resize(v, count) for v in values]
    rows = [f(*(v[k : k + LANES] for v in padded))[0].ravel() for k in range(0, count, LANES)]
    return np.concatenate(rows)[: values[0].size]


def largest_error(found: np.ndarray, exact: Callable[[int], mpmath.mpf]) -> float:
    """In units in the last place."""
    mpmath.mp.dps = 40
    worst = 0.0
    for k, value in enumerate(found.tolist()):
        true = exact(k)
        worst = max(worst, abs(float((mpmath.mpf(value) - true) / math.ulp(float(true)))))
    return worst


@pytest.mark.parametrize("name", RANGES)
def test_errors(name: str) -> None:
    rng = np.random.default_rng(1)
    for low, high in RANGES[name]:
        x = rng.uniform(low, high, SPREAD // len(RANGES[name]))
        if low > 0 and high / low > 1e3:
            x = np.exp(rng.uniform(np.log(low), np.log(high), x.size))
        found = in_lanes(name, x)
        assert largest_error(found, lambda k, x=x: getattr(mpmath, name)(mpmath.mpf(x[k]))) <= ULP.get(name, 1.0)


def test_angles_of_points() -> None:
    rng = np.random.default_rng(2)
    y, x = rng.normal(size=(2, 1000)) * np.exp(rng.uniform(-20, 20, (2, 1000)))
    found = in_lanes("atan2", y, x)
    assert largest_error(found, lambda k: mpmath.atan2(mpmath.mpf(y[k]), mpmath.mpf(x[k]))) <= ULP["atan2"]


EDGES = np.array([0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1e308, -1e308, 709.9, -745.2])


@pytest.mark.parametrize("name", [*RANGES, "asinh", "log1p", "erf"])
def test_edges(name: str) -> None:
    """Zeros with their signs, infinities, NaN, numbers without leading digits: as the C library has them."""
    with np.errstate(all="ignore"):
        reference = np.array([float(getattr(np, _numpy(name), _erf)(x)) for x in EDGES])
    found = in_lanes(name, EDGES)
    assert found == pytest.approx(reference, rel=1e-14, abs=0, nan_ok=True)
    if name not in ("sin", "tan"):  # whose reduction loses the sign of zero, for one case as for several
        assert np.array_equal(np.signbit(found[:2]), np.signbit(reference[:2]))


def _numpy(name: str) -> str:
    return {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh"}.get(name, name)


def _erf(x: float) -> float:
    return math.erf(x)


def test_edges_of_angles() -> None:
    y, x = (part.ravel() for part in np.meshgrid(EDGES, EDGES))
    found, reference = in_lanes("atan2", y, x), np.arctan2(y, x)
    assert found == pytest.approx(reference, rel=1e-14, abs=5e-324, nan_ok=True)
    kept = ~np.isnan(reference)
    assert np.array_equal(np.signbit(found[kept]), np.signbit(reference[kept]))


@pytest.mark.parametrize("name", ["sin", "exp", "log", "atan", "tanh", "asinh"])
def test_neighbours_do_not_matter(name: str) -> None:
    """Least of all those that the polynomials do not serve."""
    x = np.full(LANES, 0.7)
    alone = in_lanes(name, x)
    x[1:] = [math.nan, 1e300, -math.inf, 1e8, math.inf, -1e9, 5e-324][: LANES - 1]
    assert in_lanes(name, x)[0] == alone[0]


def test_branches_are_selections() -> None:
    """NaN in the branch that a lane does not take does not get into it."""
    x = ca.SX.sym("x")
    parts = [ca.if_else(x > 0, ca.log(x), -1), ca.fmax(x, 0.5), ca.sign(x)]
    f = compile_lanes(ca.Function("f", [x], parts), LANES, cache=False)
    values = np.resize([2.0, -3.0], LANES)
    chosen, larger, sign = (part.ravel() for part in f(values))
    assert chosen == pytest.approx(np.where(values > 0, np.log(2), -1), rel=1e-15)
    assert np.array_equal(larger, np.maximum(values, 0.5)) and np.array_equal(sign, np.sign(values))
