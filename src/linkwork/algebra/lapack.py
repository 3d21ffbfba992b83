"""Decompositions that LAPACK finds by iteration, of finite numbers only.

With NaN or infinity among them some of its loops never end, and no signal reaches Python meanwhile (lstsq, svd and pinv
of NumPy do so). Everything that decomposes goes through here, so that such numbers are told instead.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.threads import alone

F = TypeVar("F", bound=Callable[..., object])


class NotFinite(LinkworkError, np.linalg.LinAlgError):
    """Numbers that are NaN or infinite where a decomposition was to be found."""


def finite(*arrays: object) -> None:
    """NotFinite unless all numbers are finite; and then one thread for what follows, as it may be large."""
    for array in arrays:
        values = np.asarray(array)
        alone(values.size)
        bad = values.size - np.count_nonzero(np.isfinite(values))
        if bad:
            raise NotFinite(
                f"{bad} of the {values.size} numbers of its equations are not finite here.",
                remedy="Look for parameters, inputs or functions that are NaN, infinite, or divide by zero.",
            )


def _of_finite(decompose: F) -> F:
    """The same, but for arrays that are not finite."""

    @wraps(decompose)
    def checked(*arrays: object, **options: object) -> object:
        finite(*arrays)
        return decompose(*arrays, **options)

    return cast(F, checked)


lstsq = _of_finite(np.linalg.lstsq)
svd = _of_finite(np.linalg.svd)
pinv: Callable[..., np.ndarray] = _of_finite(np.linalg.pinv)
matrix_rank = _of_finite(np.linalg.matrix_rank)
eig = _of_finite(np.linalg.eig)
eigvals: Callable[..., np.ndarray] = _of_finite(np.linalg.eigvals)
eigh = _of_finite(np.linalg.eigh)
eigvalsh: Callable[..., np.ndarray] = _of_finite(np.linalg.eigvalsh)
