"""Operators of expressions take a short way: the same expressions, the same errors."""

import operator

import casadi as ca
import numpy as np
import pytest

from linkwork.geometry import SX
from linkwork.geometry.quick import ONE_MATRIX, OPERATORS

USUAL = {"add": ca.plus, "sub": ca.minus, "mul": ca.times, "truediv": ca.rdivide}
"""CasADi's functions, which are as they were."""
X, V, M = SX.sym("x"), SX.sym("v", 3), SX.sym("m", 2, 2)
LOWER = SX(ca.Sparsity.lower(2)) * 3
PAIRS = [
    (X, X), (X, V), (V, X), (V, V + 1), (M, LOWER), (LOWER, M), (X, 2), (2, X), (V, 0.5), (0.5, V), (X, 0.0), (0, X),
    (X, 1), (1, V), (LOWER, 2.0), (2.0, LOWER), (X, True), (X, np.float64(2)), (V, np.arange(3.0)),
    (V, ca.DM([1, 0, 2])), (ca.DM([1, 0, 2]), V), (X, float("nan")), (LOWER, 0.0),
]  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0]} {pair[1]}")
def test_the_same_expression(name, pair):
    found, usual = getattr(operator, name)(*pair), USUAL[name](*pair)
    assert type(found) is SX
    assert found.sparsity() == usual.sparsity()
    assert str(found) == str(usual)


@pytest.mark.parametrize("name", OPERATORS)
def test_the_same_error_where_sizes_do_not_fit(name):
    with pytest.raises(RuntimeError, match="Dimension mismatch"):
        getattr(operator, name)(V, SX.sym("w", 2))


@pytest.mark.parametrize("name", OPERATORS)
def test_what_is_no_operand_is_refused_as_before(name):
    for pair in ((X, "1"), (X, object()), (None, X)):
        with pytest.raises((NotImplementedError, TypeError)):
            getattr(operator, name)(*pair)


def test_an_expression_is_one_matrix():
    assert getattr(X, ONE_MATRIX)() is X
    assert ca.vertcat(X, V).shape == (4, 1)
    assert ca.substitute([X, V], [X], [SX(1)])[1].shape == (3, 1)
