"""Polynomials in s and 1/s, whose coefficients are fractions or symbols: what gains, loops and determinants are."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeAlias

Coefficient: TypeAlias = Any
"""An exact kind of number: a fraction, or an expression of SymPy."""


class Laurent:
    """Σ cₖ sᵏ. Coefficients are of any exact kind of number; zeros are left out."""

    def __init__(self, terms: dict[int, Coefficient]):
        self.terms = {k: c for k, c in terms.items() if c != 0}

    def __add__(self, other: Laurent) -> Laurent:
        terms = dict(self.terms)
        for k, c in other.terms.items():
            terms[k] = terms[k] + c if k in terms else c
        return Laurent(terms)

    def __neg__(self) -> Laurent:
        return Laurent({k: -c for k, c in self.terms.items()})

    def __sub__(self, other: Laurent) -> Laurent:
        return self + -other

    def __mul__(self, other: Laurent) -> Laurent:
        terms: dict[int, Coefficient] = {}
        for k, c in self.terms.items():
            for j, d in other.terms.items():
                terms[k + j] = terms[k + j] + c * d if k + j in terms else c * d
        return Laurent(terms)

    @property
    def lowest(self) -> int:
        return min(self.terms, default=0)

    def polynomial(self, lowest: int) -> list[Coefficient]:
        """Coefficients of this · s^−lowest, the highest power first."""
        top = max(self.terms, default=lowest)
        return [self.terms.get(k, Fraction(0)) for k in range(top, lowest - 1, -1)]


def without_zeros(p: list[Fraction]) -> list[Fraction]:
    """The same polynomial without leading zeros."""
    first = next((i for i, c in enumerate(p) if c), len(p))
    return p[first:]


def common_divisor(p: list[Fraction], q: list[Fraction]) -> list[Fraction]:
    """Greatest common divisor by Euclid's algorithm, leading coefficient 1."""
    p, q = without_zeros(p), without_zeros(q)
    while q:
        p, q = q, divided(p, q)[1]
        q = [c / q[0] for c in q]
    return [c / p[0] for c in p]


def divided(p: list[Fraction], q: list[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
    """(quotient, remainder) of polynomials, the highest power first."""
    p, quotient = list(p), []
    while len(p) >= len(q):
        factor = p[0] / q[0]
        quotient.append(factor)
        p = [c - factor * d for c, d in zip(p[1:], [*q[1:], *[Fraction(0)] * (len(p) - len(q))], strict=True)]
    return quotient, without_zeros(p)
