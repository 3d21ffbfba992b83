"""The linear equations from sample to sample, with inputs held in between, and what a cost or a noise becomes."""

from __future__ import annotations

import numpy as np


def held(A: np.ndarray, B: np.ndarray, period: float) -> tuple[np.ndarray, np.ndarray]:
    """Matrices of x at the next sample, from x and u."""
    from scipy.linalg import expm

    n, m = B.shape
    whole = np.zeros((n + m, n + m))
    whole[:n, :n], whole[:n, n:] = A, B
    exponential = expm(whole * period)
    return exponential[:n, :n], exponential[:n, n:]


def held_cost(
    A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, period: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q, R and the mixed weight S of a sum over samples that is ∫ xᵀQx + uᵀRu dt (Van Loan 1978)."""
    n, m = B.shape
    F, W = np.zeros((n + m, n + m)), np.zeros((n + m, n + m))
    F[:n, :n], F[:n, n:] = A, B
    W[:n, :n], W[n:, n:] = Q, R
    total = integral(F.T, W, period)
    return total[:n, :n], total[n:, n:], total[:n, n:]


def integral(F: np.ndarray, W: np.ndarray, period: float) -> np.ndarray:
    """∫ exp(F t) W exp(Fᵀ t) dt over one period: with F = A, the covariance that noise W leaves behind."""
    from scipy.linalg import expm

    n = len(F)
    block = np.zeros((2 * n, 2 * n))
    block[:n, :n], block[:n, n:], block[n:, n:] = -F, W, F.T
    exponential = expm(block * period)
    total: np.ndarray = exponential[n:, n:].T @ exponential[:n, n:]
    return (total + total.T) / 2
