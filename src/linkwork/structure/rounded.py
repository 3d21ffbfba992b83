"""Coefficients of equations as exact numbers that know how far rounding may have put them from what was meant.

A third of a modulus is no number of the machine: what is left of such coefficients where they should cancel counts if
it is more than their rounding can have left. One that hangs on parameters has its expression beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from linkwork.geometry import SX

ROUNDING = 4 * 2.0**-53
"""Relative error of a coefficient that is no whole number: it may be a quotient of others."""
SURE = 10.0
"""A coefficient this many times its error counts."""


@dataclass(frozen=True)
class Rounded:
    """A value, and the error it may have; expression: of parameters, None where it is a number."""

    value: Fraction
    error: float = 0.0
    expression: SX | None = None

    @classmethod
    def of(cls, x: float, expression: SX | None = None) -> Rounded:
        value = Fraction(x)
        return cls(value, 0.0 if value.denominator == 1 else ROUNDING * abs(x), expression)

    @property
    def counts(self) -> bool:
        return abs(self.value) > SURE * self.error

    def written(self) -> SX:
        """As an expression."""
        return SX(float(self.value)) if self.expression is None else self.expression

    def __sub__(self, other: Rounded) -> Rounded:
        made = None if self.expression is other.expression is None else self.written() - other.written()
        return Rounded(self.value - other.value, self.error + other.error, made)

    def __mul__(self, other: Rounded) -> Rounded:
        made = None if self.expression is other.expression is None else self.written() * other.written()
        error = abs(float(self.value)) * other.error + self.error * abs(float(other.value))
        return Rounded(self.value * other.value, error, made)

    def __truediv__(self, other: Rounded) -> Rounded:
        made = None if self.expression is other.expression is None else self.written() / other.written()
        quotient = self.value / other.value
        return Rounded(quotient, (self.error + abs(float(quotient)) * other.error) / abs(float(other.value)), made)


NOTHING = Rounded(Fraction(0))
ONE = Rounded(Fraction(1))
