"""Scalars of a run that have exact derivatives: values at the end, integrals over time, and weighted sums of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import casadi as ca

from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.kinds import text
from linkwork.geometry import SX, Number


class Observed(Mapping[str, SX]):
    """What a function of channels gets: `c["piston.x"]` a channel, `c["L"]` a parameter, `c.t` the time [s]."""

    def __init__(self, t: SX, values: Mapping[str, SX]):
        """values: symbols or expressions of channels and parameters, by name."""
        self.t, self._values = t, values

    def __getitem__(self, name: str) -> SX:
        if name not in self._values:
            raise UnknownName("channel or parameter", name, self._values)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class Scalar:
    """One number per run. Scalars can be added, subtracted, and multiplied by numbers: `Final("a.x") + 0.1 * other`."""

    @property
    def terms(self) -> tuple[tuple[float, Term], ...]:
        """(weight, term) of each term of the sum."""
        raise NotImplementedError

    def __add__(self, other: Scalar) -> Scalar:
        if not isinstance(other, Scalar):
            return NotImplemented
        return Sum((*self.terms, *other.terms))

    def __mul__(self, factor: float) -> Scalar:
        if isinstance(factor, bool) or not isinstance(factor, (int, float)):
            return NotImplemented
        return Sum(tuple((factor * weight, term) for weight, term in self.terms))

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> Scalar:
        return self * (1 / divisor)

    def __neg__(self) -> Scalar:
        return self * -1.0

    def __sub__(self, other: Scalar) -> Scalar:
        return NotImplemented if not isinstance(other, Scalar) else self + -other


class Sum(Scalar):
    """A weighted sum; made by `+`, `-` and `*`."""

    def __init__(self, terms: tuple[tuple[float, Term], ...]):
        self._terms = terms

    @property
    def terms(self) -> tuple[tuple[float, Term], ...]:
        return self._terms

    def __str__(self) -> str:
        parts = [f"{term}" if weight == 1 else f"{weight:g}·{term}" for weight, term in self._terms]
        return " + ".join(parts)


class Term(Scalar):
    """A term of a sum. quantity: a channel's name, or a function of the channels, called once with symbols.

    The function gets one argument c (see `Observed`): `lambda c: (c["piston.x"] - 0.3)**2`.
    """

    word = ""

    def __init__(self, quantity: str | Callable[[Observed], Number], *, name: str | None = None):
        if not isinstance(quantity, str) and not callable(quantity):
            raise ModelError(
                f"{quantity!r} is neither the name of a channel nor a function of channels.",
                component=type(self).__name__,
                remedy='Give "piston.x" or lambda c: (c["piston.x"] - 0.3)**2.',
            )
        self.quantity = quantity
        if name is not None:
            text.taken("name", name, type(self).__name__)
        self.name = name or (quantity if isinstance(quantity, str) else "f(channels)")

    @property
    def terms(self) -> tuple[tuple[float, Term], ...]:
        return ((1.0, self),)

    def expression(self, channels: Observed) -> SX:
        """The quantity as a symbol expression, one number."""
        if isinstance(self.quantity, str):
            return channels[self.quantity]
        try:
            value = SX(self.quantity(channels))
        except UnknownName:
            raise
        except Exception as error:  # whatever a user's function does with symbols
            first_line = str(error).partition("\n")[0].rstrip(".")  # CasADi goes on for pages
            raise ModelError(
                f"the function cannot be evaluated with symbols: {type(error).__name__}: {first_line}.",
                component=str(self),
                remedy='Use arithmetic on c["channel"] and lw.sin, lw.sqrt, lw.if_else; no Python `if` on values.',
            ) from error
        if value.numel() != 1:
            raise ModelError(
                f"the function gives {value.numel()} numbers.", component=str(self), remedy="Return one number."
            )
        return ca.densify(value)

    def __str__(self) -> str:
        return f"{self.word} {self.name}"

    __repr__ = __str__


class Final(Term):
    """The value of a channel, or of a function of channels, at the end of the run."""

    word = "final"


class Integral(Term):
    """The time integral [unit·s] of a channel, or of a function of channels, over the run."""

    word = "integral of"


def scalar(given: object) -> Scalar:
    """`given` itself, or an error that says what can be differentiated."""
    if isinstance(given, Scalar):
        return given
    raise ModelError(
        f"{given!r} is not a scalar with an exact derivative.",
        component="objective",
        remedy="Use lw.Final(…), lw.Integral(…) of a channel or of a function of channels, or a weighted sum of them; "
        "a function of a whole Result has no exact gradient.",
    )
