"""Decompositions that LAPACK finds by iteration, of finite numbers only.

With NaN or infinity among them some of its loops never end, and no signal reaches Python meanwhile (lstsq, svd and pinv
of NumPy do so). Everything that decomposes goes through here, so that such numbers are told instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.core.errors import LinkworkError


class NotFinite(LinkworkError, np.linalg.LinAlgError):
    """Numbers that are NaN or infinite where a decomposition was to be found."""


def finite(*arrays: object) -> None:
    """NotFinite unless all numbers are finite."""
    for array in arrays:
        values = np.asarray(array)
        bad = values.size - np.count_nonzero(np.isfinite(values))
        if bad:
            raise NotFinite(
                f"{bad} of the {values.size} numbers of its equations are not finite here.",
                remedy="Look for parameters, inputs or functions that are NaN, infinite, or divide by zero.",
            )


def lstsq(A: Any, b: Any, rcond: float | None = None) -> Any:
    finite(A, b)
    return np.linalg.lstsq(A, b, rcond=rcond)


def svd(A: object, *, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    finite(A)
    return np.linalg.svd(A, full_matrices=full_matrices, compute_uv=compute_uv)  # type: ignore[call-overload]


def pinv(A: Any, rcond: float | None = None) -> np.ndarray:
    finite(A)
    return np.linalg.pinv(A, rcond=rcond)


def matrix_rank(A: Any, tol: Any = None) -> Any:
    finite(A)
    return np.linalg.matrix_rank(A, tol=tol)


def eig(A: Any) -> Any:
    finite(A)
    return np.linalg.eig(A)


def eigvals(A: Any) -> np.ndarray:
    finite(A)
    return np.linalg.eigvals(A)


def eigh(A: Any) -> Any:
    finite(A)
    return np.linalg.eigh(A)


def eigvalsh(A: Any) -> np.ndarray:
    finite(A)
    return np.linalg.eigvalsh(A)
