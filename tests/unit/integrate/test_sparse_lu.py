"""The sparse LU of the C library against NumPy, and its elimination order."""

import ctypes

import numpy as np
import pytest

from linkwork.integrate.handover import pointer
from linkwork.integrate.native.binding import library
from linkwork.integrate.ordering import structure


def compress(matrix):
    """Column starts, rows and values of the nonzeros."""
    rows, starts = [], [0]
    for column in matrix.T:
        rows.extend(np.flatnonzero(column))
        starts.append(len(rows))
    return np.array(starts, np.int32), np.array(rows, np.int32)


def solve(matrix, b, late=range(0), earlier=None):
    """The solution, and the nonzeros of both factors (-1: singular)."""
    n = len(b)
    starts, rows = compress(matrix if earlier is None else (matrix != 0) | (earlier != 0))
    full = structure(n, starts, rows, late)
    columns = np.repeat(np.arange(n), np.diff(full.column_start))
    kind = np.result_type(matrix.dtype, b.dtype, float)
    values = np.ascontiguousarray(matrix[full.row, columns], dtype=kind)
    before = None if earlier is None else np.ascontiguousarray(earlier[full.row, columns], dtype=kind)
    x = b.astype(kind)
    function = library().lw_solve_complex if np.issubdtype(kind, complex) else library().lw_solve_real
    count = function(
        n,
        *(pointer(part, ctypes.c_int32) for part in (full.column_start, full.row, full.order)),
        None if before is None else pointer(before.view(float), ctypes.c_double),
        pointer(values.view(float), ctypes.c_double),
        pointer(x.view(float), ctypes.c_double),
    )
    return x, count


def random_matrix(rng, n, density, kind):
    matrix = rng.normal(size=(n, n)) * (rng.random((n, n)) < density)
    if kind is complex:
        matrix = matrix + 1j * rng.normal(size=(n, n)) * (matrix != 0)
    matrix[np.arange(n), rng.permutation(n)] += 3  # not singular, and not by its diagonal
    return matrix * 10.0 ** rng.integers(-6, 7, size=(n, 1))


@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize("n", [1, 2, 7, 30, 120])
def test_random_matrices(kind, n):
    rng = np.random.default_rng(n)
    for density in (0.02, 0.1, 0.6):
        matrix, b = random_matrix(rng, n, density, kind), rng.normal(size=n).astype(kind)
        x, count = solve(matrix, b)
        assert count >= n
        np.testing.assert_allclose(x, np.linalg.solve(matrix, b), rtol=1e-6, atol=1e-9 * np.abs(x).max())


@pytest.mark.parametrize("kind", [float, complex])
def test_pivots_are_reused_and_given_up_when_they_fail(kind):
    rng = np.random.default_rng(1)
    pattern = rng.random((40, 40)) < 0.1
    first, second = ((rng.normal(size=(40, 40)) * pattern + 5 * np.eye(40)).astype(kind) for _ in range(2))
    b = rng.normal(size=40).astype(kind)
    np.testing.assert_allclose(solve(second, b, earlier=first)[0], np.linalg.solve(second, b), rtol=1e-9)
    swap = np.array([[0, 1], [1, 0]], dtype=kind)
    x, _ = solve(swap, np.array([2, 3], dtype=kind), earlier=np.array([[4, 1], [1, 4]], dtype=kind))
    np.testing.assert_allclose(x, [3, 2])


def test_singular_matrices_are_reported():
    assert solve(np.array([[1.0, 2.0], [2.0, 4.0]]), np.ones(2))[1] == -1
    assert solve(np.array([[1.0, 0.0], [0.0, 0.0]]), np.ones(2))[1] == -1
    assert solve(np.array([[1.0, np.nan], [0.0, 1.0]]), np.ones(2))[1] in (-1, 3)


def chain(bodies):
    """Saddle-point matrix of a chain: 2 unknowns a body, one constraint row between neighbours."""
    n, m = 2 * bodies, bodies
    rng = np.random.default_rng(bodies)
    A = np.zeros((m, n))
    for i in range(m):
        A[i, max(0, 2 * i - 2) : 2 * i + 2] = rng.normal(size=min(4, 2 * i + 2))
    matrix = np.block([[np.diag(rng.uniform(1, 2, n)), A.T], [A, np.zeros((m, m))]])
    return matrix, range(n, n + m)


def test_cost_is_linear_for_chains():
    counts = []
    for bodies in (50, 100, 200):
        matrix, late = chain(bodies)
        b = np.ones(len(matrix))
        x, count = solve(matrix, b, late)
        np.testing.assert_allclose(matrix @ x, b, atol=1e-8)
        counts.append(count / bodies)
    assert max(counts) < 1.1 * min(counts)
    assert max(counts) < 40


def test_order_is_a_permutation_with_multipliers_after_a_neighbour():
    matrix, late = chain(20)
    starts, rows = compress(matrix)
    order = structure(len(matrix), starts, rows, late).order
    assert sorted(order) == list(range(len(matrix)))
    position = {node: k for k, node in enumerate(order)}
    for multiplier in late:
        assert position[multiplier] > min(position[k] for k in np.flatnonzero(matrix[multiplier]))
