"""Zero eigenvalues taken out of a matrix exactly, before rounding spreads them.

A coordinate on which nothing depends has a column of zeros. What is left without it may have such columns again: an
angle, say, on which only that coordinate's rate depends. A chain of k zero eigenvalues that is left in loses all but a
k-th of its digits, and the small eigenvalues beside it lose some too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.algebra import lapack


@dataclass(frozen=True)
class Staircase:
    """Qᵀ A Q = [[Z, X], [0, core]]: Z has zeros on and below its diagonal blocks, `core` no zero eigenvalue.

    steps: how many zeros are taken out at each step; the k-th number is that of the chains with k or more of them.
    """

    Q: np.ndarray
    steps: tuple[int, ...]
    coupling: np.ndarray
    """[Z, X]."""
    core: np.ndarray
    error: np.ndarray
    """Bound for each entry of `core`."""

    @property
    def zeros(self) -> int:
        return sum(self.steps)


def staircase(A: np.ndarray, error: np.ndarray) -> Staircase:
    """Deflate A, whose entries may be off by `error`; both balanced."""
    n = A.shape[0]
    Q, T, off = np.eye(n), A.copy(), error.copy()
    done, steps = 0, []
    while done < n:
        core, noise = T[done:, done:], off[done:, done:]
        U, s, Vt = lapack.svd(core)
        level = np.sum(np.abs(U) * (noise @ np.abs(Vt.T)), axis=0)  # how far each singular value may be off
        level += 10 * np.finfo(float).eps * np.linalg.norm(core)
        null = s <= 10 * level
        count = int(np.sum(null))
        if not count:
            break
        turn = np.vstack([Vt[null], Vt[~null]]).T
        turn = _sparse_first(turn, count)
        whole = np.eye(n)
        whole[done:, done:] = turn
        T, off, Q = whole.T @ T @ whole, np.abs(whole).T @ off @ np.abs(whole), Q @ whole
        T[done:, done : done + count] = 0.0
        done += count
        steps.append(count)
    return Staircase(Q, tuple(steps), T[:done], T[done:, done:], off[done:, done:])


def _sparse_first(turn: np.ndarray, count: int) -> np.ndarray:
    """The same spaces with columns along the coordinates where possible: pivoted, so that names can be told."""
    from scipy.linalg import qr

    for columns in (slice(0, count), slice(count, None)):
        part = turn[:, columns]
        if part.shape[1]:
            _, _, order = qr(part.T, pivoting=True)
            picked = part[order[: part.shape[1]]]
            turned, _ = np.linalg.qr(picked.T)
            turn[:, columns] = part @ turned
    return turn
