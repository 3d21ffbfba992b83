"""Riccati equations, continuous and from sample to sample, for regulators and, transposed, for observers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from linkwork.analyses.control.reach import Hidden, unreached
from linkwork.core.errors import LinkworkError, ModelError


def stabilizing(
    A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, S: np.ndarray | None, sampled: bool
) -> tuple[np.ndarray, np.ndarray]:
    """P and the gain K of u = −K x that minimises ∫ (or Σ) xᵀQx + 2xᵀSu + uᵀRu."""
    from scipy.linalg import solve_continuous_are, solve_discrete_are

    try:
        if sampled:
            P = solve_discrete_are(A, B, Q, R, s=S)
            return P, np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A + (0 if S is None else S.T))
        P = solve_continuous_are(A, B, Q, R, s=S)
        return P, np.linalg.solve(R, B.T @ P + (0 if S is None else S.T))
    except (np.linalg.LinAlgError, ValueError) as error:
        raise LinkworkError(
            f"the Riccati equation was not solved: {str(error).partition(chr(10))[0]}",
            remedy="Weights that differ by many orders of magnitude do this: bring them nearer to each other.",
        ) from error


def first(
    A: np.ndarray, B: np.ndarray, bad: Callable[[complex, float], bool], *, transposed: bool = False
) -> Hidden | None:
    """The first unreached mode whose eigenvalue is bad; it is told the accuracy, too."""
    pair = (A.T, B.T) if transposed else (A, B)
    return next((mode for mode in unreached(*pair) if bad(mode.eigenvalue, mode.accuracy)), None)


def grows(sampled: bool) -> Callable[[complex, float], bool]:
    """Whether it stays or grows."""
    if sampled:
        return lambda value, accuracy: abs(value) >= 1 - accuracy
    return lambda value, accuracy: value.real >= -accuracy


def lingers(sampled: bool) -> Callable[[complex, float], bool]:
    """Whether it neither grows nor decays."""
    if sampled:
        return lambda value, accuracy: abs(abs(value) - 1) <= accuracy
    return lambda value, accuracy: abs(value.real) <= accuracy


def root(weight: np.ndarray) -> np.ndarray:
    """A matrix whose square it is, to see what it looks at."""
    values, vectors = np.linalg.eigh(weight)
    return (vectors * np.sqrt(np.maximum(values, 0.0))).T


def refuse(mode: Hidden | None, cause: str, remedy: str, names: Sequence[str], model: str, sampled: bool) -> None:
    """ModelError with the mode's states and eigenvalue, if there is one; cause: with {states} and {value}."""
    if mode is None:
        return
    x = mode.eigenvalue
    text = f"{x.real:.4g}" if abs(x.imag) <= mode.accuracy else f"{x.real:.4g} ± {abs(x.imag):.4g}i"
    value = f"{text}{' per sample' if sampled else ' 1/s'}"
    raise ModelError(cause.format(states=mode.leaders(names), value=value), component=model, remedy=remedy)


def told(eigenvalues: np.ndarray) -> str:
    """One of each pair."""

    def one(x: complex) -> str:
        return f"{x.real:.5g}" if abs(x.imag) <= 1e-9 * abs(x) else f"{x.real:.5g} ± {abs(x.imag):.5g}i"

    return ", ".join(one(complex(x)) for x in eigenvalues if x.imag >= 0)
