"""Weights and noises by name: {name: number}, one number, or a whole matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.rank import MIXED
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.kinds import is_number, shown

Weights: TypeAlias = Mapping[str, float] | float | Sequence[Sequence[float]] | np.ndarray
"""By name; one number for all; or a symmetric matrix."""


def weighed(word: str, given: Weights, names: Mapping[str, np.ndarray], own: Sequence[str], model: str) -> np.ndarray:
    """Σ weight · row rowᵀ. names: what may be named, with its row in terms of `own`, whose matrix is asked for."""
    size = len(own)
    if isinstance(given, Mapping):
        total = np.zeros((size, size))
        for name, weight in given.items():
            if name not in names:
                raise UnknownName("state, input or output", str(name), names, component=f"{model}, {word}")
            total += _weight(word, name, weight, model) * np.outer(names[name], names[name])
        return total
    if is_number(given):
        return _weight(word, word, given, model) * np.eye(size)
    return _matrix(word, given, size, own, model)


def _weight(word: str, name: str, weight: object, model: str) -> float:
    if not is_number(weight) or not float(weight) >= 0:
        raise ModelError(
            f"{word} gives {name!r} the weight {shown(weight)}.", component=model, remedy="Give a number, 0 or more."
        )
    return float(weight)


def _matrix(word: str, given: object, size: int, own: Sequence[str], model: str) -> np.ndarray:
    try:
        matrix = np.array(given, dtype=float)
    except (TypeError, ValueError):
        matrix = np.zeros(0)
    remedy = f"Give {{name: weight}}, one number, or a symmetric matrix for {', '.join(own)}."
    if matrix.shape != (size, size) or not np.isfinite(matrix).all():
        raise ModelError(f"{word} is {shown(given)}.", component=model, remedy=remedy)
    scale = np.abs(matrix).max(initial=0.0)
    if np.abs(matrix - matrix.T).max(initial=0.0) > 1e-12 * scale:
        raise ModelError(f"{word} is not symmetric.", component=model, remedy=remedy)
    matrix = (matrix + matrix.T) / 2
    if lapack.eigvalsh(matrix).min(initial=0.0) < -1e-12 * scale:
        raise ModelError(
            f"{word} has a negative eigenvalue: it would reward deviations.", component=model, remedy=remedy
        )
    return matrix


def positive(word: str, matrix: np.ndarray, names: Sequence[str], model: str) -> np.ndarray:
    """The same; ModelError where some direction has no weight."""
    size = np.sqrt(np.diag(matrix))
    bare = np.flatnonzero(size == 0)
    values, vectors = np.linalg.eigh(matrix / np.outer(size, size)) if not bare.size else (np.zeros(1), None)
    if bare.size or values[0] <= MIXED:
        name = names[bare[0]] if vectors is None else names[int(np.argmax(np.abs(vectors[:, 0])))]
        raise ModelError(
            f"{word} gives {name!r} no weight.",
            component=model,
            remedy=f"Give a number > 0 in {word} for each of them.",
        )
    return matrix
