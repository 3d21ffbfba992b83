"""Small linear systems, solved symbolically once and for all: definite ones softly, others by QR."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import casadi as ca
import numpy as np

from linkwork.algebra.elimination import Factors
from linkwork.algebra.proximal import REFINEMENTS, REGULARISATION, Definite
from linkwork.geometry import SX
from linkwork.structure.sizes import Numbers, pivots


def solve(J: SX, r: SX, *, soft: bool) -> SX:
    """x with J x = r.

    soft: rows of J may depend on each other where the equations are consistent (redundant constraints); then x is
    finite, and J x = r still holds to rounding.
    """
    n = r.numel()
    if n == 1:
        return r / J
    if J.sparsity().is_diag():
        return r / ca.diag(J)
    if soft and (sign := _definite(J)):
        return Definite(ca.sparsify(ca.triu2symm(ca.triu(J * sign)))).solve(r * sign)
    if soft:
        return _soft_general(J, r)
    return _qr(J)(r)


def factorised(J: SX, numbers: Numbers, sizes: np.ndarray) -> Callable[[SX], SX]:
    """r → x with J x = r, for several r; sizes: of the unknowns, typically.

    With coefficients that are numbers, or parameters: L U in the order that suits these numbers. Where they depend on
    states no order suits all: QR, whose rows are made comparable (it feels their sizes, not those of columns).
    """
    n, J = J.shape[0], ca.sparsify(J)
    if n == 0:
        return lambda r: r
    if n == 1:
        return lambda r: r / J
    if numbers.has(J):
        rows, columns = pivots(numbers.at([J])[0][0], sizes)
        factors, back = Factors(J[rows, columns]), np.argsort(columns).tolist()
        return lambda r: factors.solve(r[rows])[back]
    size = ca.vertcat(*(ca.mmax(ca.fabs(J[i, :].T.nz[:] * sizes[J[i, :].sparsity().get_col()])) for i in range(n)))
    scaled = _qr(ca.diag(1 / size) @ J)
    return lambda r: scaled(r / size)


def _definite(J: SX) -> int:
    """+1, −1: J is symmetric and positive or negative on its diagonal; 0: it is not. By trial, at random values."""
    if not is_symmetric(J):
        return 0
    sign = 0
    for value in _samples(J, {}):
        signs = np.sign(np.diag(value))
        if np.any(signs != signs[0]) or signs[0] not in (sign or signs[0],):
            return 0
        sign = int(signs[0])
    return sign


def is_symmetric(J: SX, known: Mapping[str, float] | None = None) -> bool:
    """By trial, at random values."""
    return J.sparsity().is_symmetric() and is_equal(J, J.T, known)


def is_equal(A: SX, B: SX, known: Mapping[str, float] | None = None) -> bool:
    """By trial, at random values; known: those of symbols that belong together, such as rotation matrices."""
    halves = [np.split(value, 2) for value in _samples(ca.vertcat(A, B), known or {})]
    return all(np.abs(a - b).max(initial=0.0) <= 1e-10 * np.abs(a).max(initial=0.0) for a, b in halves)  # not if NaN


def _samples(J: SX, known: Mapping[str, float]) -> list[np.ndarray]:
    symbols = ca.symvar(J)
    function, random = ca.Function("J", [ca.vertcat(SX(0, 1), *symbols)], [ca.densify(J)]), np.random.default_rng(1)

    def values() -> list[float]:
        some = random.uniform(0.4, 1.6, len(symbols)).tolist()
        return [known.get(symbol.name(), x) for symbol, x in zip(symbols, some, strict=True)]

    return [np.array(function(values())) for _ in range(3)]


def _soft_general(J: SX, r: SX) -> SX:
    """As `Definite` does, for any J: what the softness keeps back is put back by refinement."""
    diagonal = ca.densify(ca.diag(J))
    felt = ca.fabs(diagonal)
    softness = REGULARISATION * (felt + 1e-6 * (ca.sum1(felt) / felt.numel() + 1e-12))
    softness = ca.if_else(diagonal < 0, -1, 1) * softness
    once = _qr(ca.sparsify(J + ca.diag(softness)))
    x = step = once(r)
    for _ in range(REFINEMENTS):
        step = once(softness * step)
        x = x + step
    return x


def _qr(J: SX) -> Callable[[SX], SX]:
    """Sparse QR: it needs no pivots, so that its operations can be unrolled."""
    V, R, beta, prinv, pc = ca.qr_sparse(ca.sparsify(J))
    return lambda b: ca.qr_solve(ca.densify(b), V, R, beta, prinv, pc)
