"""Least-norm solutions of A x = r for any rank: dense for small systems, sparse and proximal for large ones."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.rank import least_squares

if TYPE_CHECKING:
    import scipy.sparse


DENSE = 400
"""Up to this many unknowns the singular value decomposition is quick enough."""
SMALL = 24
"""The same where it is done thousands of times."""
SOFTNESS, REFINEMENTS = 1e-6, 12
"""Relative to the diagonal, and how often it is taken out again at most. It is no smaller, as rounding shows in what
redundant rows share in inverse proportion to it."""


def least_norm(A: Any, r: np.ndarray) -> np.ndarray:
    """The shortest x that minimises |A x − r|."""
    if not r.size:
        return np.zeros(A.shape[1])
    if A.shape[1] <= DENSE:
        return least_squares(np.asarray(A.full() if hasattr(A, "full") else A), r)
    from scipy.sparse import identity
    from scipy.sparse.linalg import splu

    S = to_scipy(A)
    lapack.finite(S.data, r)
    row_scale = np.sqrt(np.asarray(S.multiply(S).sum(axis=1)).ravel())
    row_scale[row_scale == 0] = 1
    S = (S.T.multiply(1 / row_scale)).T.tocsr()
    solver = splu((S @ S.T + 1e-9 * identity(S.shape[0])).tocsc())
    x = np.zeros(S.shape[1])
    for _ in range(6):  # proximal iterations: the regularisation fades in all determined directions
        x = x + S.T @ solver.solve(r / row_scale - S @ x)
    return x


def balanced(A: np.ndarray, r: np.ndarray, tolerance: float) -> np.ndarray:
    """The shortest x with A x = r for a square A ≥ 0 of any rank, quickly; least squares where there is none.

    Softened a little, and iterated until that has faded from all determined directions.
    """
    if r.size <= SMALL:
        return least_squares(A, r, tolerance)
    from scipy.linalg import LinAlgWarning, lu_factor, lu_solve

    lapack.finite(A, r)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinAlgWarning)
        factors = lu_factor(A + SOFTNESS * float(np.abs(np.diag(A)).mean()) * np.eye(r.size), check_finite=False)
    x, left, size = np.zeros(r.size), r, float(np.abs(r).max())
    for _ in range(REFINEMENTS):
        x = x + lu_solve(factors, left, check_finite=False)
        left = r - A @ x
        if float(np.abs(left).max()) <= tolerance * size:
            return x
    return least_squares(A, r, tolerance)


def to_scipy(A: Any) -> scipy.sparse.csc_matrix:
    """CasADi's compressed columns as a SciPy matrix."""
    from scipy.sparse import csc_matrix

    if not hasattr(A, "sparsity"):
        return csc_matrix(A)
    return csc_matrix((np.array(A.nonzeros()), A.row(), A.colind()), shape=A.shape)
