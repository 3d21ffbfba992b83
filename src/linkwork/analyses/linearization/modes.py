"""Eigenvalues of a linear system and what they mean: frequency, damping, which coordinates move."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linkwork.algebra import lapack
from linkwork.analyses.linearization.staircase import Staircase, staircase


@dataclass(frozen=True)
class Mode:
    """A real eigenvalue, or a pair of complex ones (the one with positive imaginary part stands for both).

    eigenvalue [1/s]; accuracy: how far rounding may have moved it [1/s]; frequency: natural frequency |λ|/2π [Hz], 0
    for real eigenvalues; damping: share of critical damping, −Re λ/|λ| (negative: grows; 0 where the eigenvalue is 0);
    shape: how coordinates and first-order states move, relative to the one that takes most part, which is 1;
    participation: their parts in the mode (left times right eigenvector, so that units do not matter), largest is 1.
    """

    eigenvalue: complex
    accuracy: float
    frequency: float
    damping: float
    shape: dict[str, complex]
    participation: dict[str, float]

    @property
    def growing(self) -> bool:
        """Whether it is unstable, beyond rounding errors."""
        return self.eigenvalue.real > self.accuracy

    @property
    def oscillates(self) -> bool:
        return self.frequency > 0

    @property
    def leaders(self) -> list[str]:
        """Coordinates that take part by a tenth of what the first one does, at most three of them."""
        order = sorted(self.participation, key=lambda name: -self.participation[name])
        return [name for name in order if self.participation[name] >= 0.1][:3]


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues [1/s] and right eigenvectors (columns), slow ones first; noise: how exact each of them is [1/s]."""

    eigenvalues: np.ndarray
    vectors: np.ndarray
    noise: np.ndarray
    participation: np.ndarray
    """|left eigenvector · right eigenvector|, entry by entry, shape (states, eigenvalues)."""
    zeros: tuple[int, ...] = ()
    """Eigenvalues that are exactly 0: how many of them stand in chains of 1 or more, of 2 or more, …

    In a chain of two a deviation of one coordinate makes another one drift away, as with a mass that nothing holds.
    """
    idle: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """How far each state alone is such a deviation, from 0 to 1."""

    @property
    def growing(self) -> np.ndarray:
        """Which eigenvalues lie to the right of the imaginary axis by more than rounding errors."""
        return self.eigenvalues.real > self.noise


def spectrum(A: np.ndarray, error: np.ndarray) -> Spectrum:
    """Eigenvalues of A, and how far off they may be if its entries are off by `error`: |y|ᵀ error |x| / |yᴴx|."""
    from scipy.linalg import eig

    if not A.size:
        return Spectrum(np.zeros(0, complex), np.zeros((0, 0), complex), np.zeros(0), np.zeros((0, 0)))
    lapack.finite(A)
    balanced, scale = balance(np.where(np.abs(A) <= 3 * error, 0.0, A))  # rounding must not be scaled up
    stairs = staircase(balanced, error * scale / scale[:, None])
    off = stairs.error + 1e-15 * np.abs(stairs.core)
    values, left, right = eig(stairs.core, left=True) if stairs.core.size else (np.zeros(0), *np.zeros((2, 0, 0)))
    overlap = np.abs(np.sum(left.conj() * right, axis=0))
    noise = np.sum(np.abs(left) * (off @ np.abs(right)), axis=0) / np.maximum(overlap, 1e-300)
    # The eigenvalues themselves are those of a matrix that is off by rounding, zeros included.
    noise += np.finfo(float).eps * np.linalg.norm(stairs.core) / np.maximum(overlap, 1e-300)
    # Of a double eigenvalue with one eigenvector half the digits are lost, but not more.
    noise = np.minimum(noise, np.sqrt(np.linalg.norm(off) * np.linalg.norm(stairs.core)))
    values, left, right = _with_zeros(stairs, values, left, right)
    noise = np.concatenate([np.zeros(stairs.zeros), noise])
    order = np.lexsort((-values.imag, values.real, np.round(np.abs(values) / max(np.abs(values).max(), 1e-300), 12)))
    return Spectrum(
        values[order],
        (scale[:, None] * right)[:, order],
        noise[order],
        np.abs(left * right)[:, order],
        stairs.steps,
        np.linalg.norm(stairs.Q[:, : stairs.zeros], axis=1),
    )


def _with_zeros(
    stairs: Staircase, values: np.ndarray, left: np.ndarray, right: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues and vectors (columns) of the whole matrix; those of zeros are the directions of their chains."""
    n, k = stairs.Q.shape[0], stairs.zeros
    Z, X = stairs.coupling[:, :k], stairs.coupling[:, k:]
    rights, lefts = np.eye(n, dtype=complex), np.eye(n, dtype=complex)
    rights[k:, k:], lefts[k:, k:] = right, left
    for i, value in enumerate(values):
        rights[:k, k + i] = np.linalg.solve(value * np.eye(k) - Z, X @ right[:, i]) if k else 0.0
        rights[:, k + i] /= np.linalg.norm(rights[:, k + i])
    return np.concatenate([np.zeros(k), values]).astype(complex), stairs.Q @ lefts, stairs.Q @ rights


def balance(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """D⁻¹ A D with rows and columns of like size, and the diagonal of D: metres and pascals then count alike."""
    from scipy.linalg.lapack import dgebal

    balanced, _, _, scale, _ = dgebal(A, scale=1, permute=0)
    return balanced, scale


def modes_of(eigensystem: Spectrum, names: list[str], positions: int, speeds: int) -> list[Mode]:
    """One Mode per real eigenvalue or complex pair; names are those of all states [s, ṡ, z]."""
    shown = [*range(positions), *range(positions + speeds, len(names))]
    modes = []
    for k, (value, noise) in enumerate(zip(eigensystem.eigenvalues, eigensystem.noise, strict=True)):
        size = abs(value)
        swings = size > noise and value.imag != 0
        if swings and value.imag < 0:
            continue
        part, share = eigensystem.vectors[shown, k], eigensystem.participation[shown, k]
        leader = part[np.argmax(share)] if part.size else 1.0
        if abs(leader) == 0:
            leader = part[np.argmax(np.abs(part))] if np.any(part) else 1.0
        modes.append(
            Mode(
                eigenvalue=complex(value),
                accuracy=float(noise),
                frequency=float(size / (2 * np.pi)) if swings else 0.0,
                damping=float(-value.real / size) if size > noise else 0.0,
                shape={names[i]: complex(x / leader) for i, x in zip(shown, part, strict=True)},
                participation={
                    names[i]: float(x / max(share.max(), 1e-300)) for i, x in zip(shown, share, strict=True)
                },
            )
        )
    return modes


def table_of(modes: list[Mode], *, judged: bool = True) -> str:
    """One line per mode; judged: whether it means something that one grows."""
    head = f"{'eigenvalue [1/s]':>24}  {'frequency [Hz]':>14}  {'damping':>9}  moves"
    lines = [head]
    for mode in modes:
        value = mode.eigenvalue
        real = 0.0 if abs(value.real) <= mode.accuracy else value.real
        text = f"{real:.5g} ± {value.imag:.5g}i" if mode.oscillates else f"{real:.5g}"
        frequency = f"{mode.frequency:.5g}" if mode.oscillates else "–"
        damping = f"{-real / abs(value) + 0.0:.4f}" if mode.oscillates else "–"
        moving = ", ".join(f"{name} {_number(mode.shape[name])}" for name in mode.leaders)
        grows = "  (grows)" if judged and mode.growing else ""
        lines.append(f"{text:>24}  {frequency:>14}  {damping:>9}  {moving}{grows}")
    return "\n".join(lines)


def _number(x: complex) -> str:
    if abs(x.imag) < 1e-6 * abs(x):
        return f"{x.real:.3g}"
    return f"{abs(x):.3g}∠{np.degrees(np.angle(x)):.0f}°"
