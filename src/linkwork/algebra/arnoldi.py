"""The largest eigenvalues of a matrix by Arnoldi's method, where all of them would take too long.

SciPy has it too, but takes 0.3 s to import, more than a run of hundreds of bodies takes. No restarts: the basis grows
until what is asked for has converged, and where it does not, all eigenvalues are computed.
"""

from __future__ import annotations

import numpy as np

from linkwork.algebra import lapack

SIZES = (80, 160, 320)
"""Of the basis, at which convergence is looked at."""


def largest_eigenvalues(matrix: np.ndarray, count: int, tolerance: float) -> np.ndarray:
    """The `count` of largest size, each to this relative tolerance."""
    n = len(matrix)
    most = min(SIZES[-1], n // 2)
    basis, H = np.zeros((most + 1, n)), np.zeros((most + 1, most))
    start = np.random.default_rng(0).standard_normal(n)  # the same in every run
    basis[0] = start / np.linalg.norm(start)
    for k in range(most):
        w = matrix @ basis[k]
        size = np.linalg.norm(w)
        for _ in range(2):  # once is not enough where the new vector hardly leaves the old ones
            part = basis[: k + 1] @ w
            w = w - basis[: k + 1].T @ part
            H[: k + 1, k] += part
        H[k + 1, k] = rest = np.linalg.norm(w)
        if not rest > 1e-12 * size:  # nothing is left to be found from this start
            break
        basis[k + 1] = w / rest
        if k + 1 in SIZES or k + 1 == most:
            values, vectors = lapack.eig(H[: k + 1, : k + 1])
            order = np.argsort(-np.abs(values))[:count]
            if np.all(rest * np.abs(vectors[-1, order]) <= tolerance * np.abs(values[order])):
                return values[order]
    values = lapack.eigvals(matrix)
    return values[np.argsort(-np.abs(values))[:count]]
