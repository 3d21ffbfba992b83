"""Numbers, expressions and functions as the laws of elements: read, checked, applied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import casadi as ca
import numpy as np

from linkwork.algebra.rank import MIXED, rank_of
from linkwork.core.errors import ModelError
from linkwork.core.kinds import shown
from linkwork.geometry import SX, Number

Function: TypeAlias = Callable[[SX], Number]
"""A law of one or more components, written with symbols."""


class Expression:
    """A law that is a function, written out: `value` of the symbol `argument`. It can be copied and saved."""

    def __init__(self, argument: SX, value: SX):
        self.argument, self.value = argument, value

    def __call__(self, x: SX) -> SX:
        return SX(ca.substitute(self.value, self.argument, SX(x)))


def written_out(given: Any, size: int) -> Expression:
    """A function of symbols as the expression that it returns."""
    x = SX.sym("x", size)
    return Expression(x, ca.densify(SX(given(x))))


def law(given: object, argument: SX) -> SX:
    """A constitutive law applied to its argument (n×1): number, diagonal, matrix, or function."""
    if callable(given):
        return ca.vertcat(*ca.vertsplit(SX(given(argument))))
    return matrix(given, argument.numel()) @ argument


def matrix(given: object, size: int) -> SX:
    """n×n of a number, n numbers (a diagonal), or a matrix."""
    value = symbolic(given)
    if value.shape == (size, size):
        return value
    if value.numel() == 1:
        return value * SX.eye(size)
    if value.numel() == size:
        return ca.diag(ca.vec(value))
    raise ModelError(f"a law of shape {value.shape} for {size} components.", remedy=f"Give {size}×{size}, or {size}.")


def symbolic(given: object) -> SX:
    """Numbers, expressions, or lists of both (of rows), as an expression."""
    if isinstance(given, SX):
        return given
    if isinstance(given, (list, tuple)):
        rows = [ca.horzcat(*row) if isinstance(row, (list, tuple)) else row for row in given]
        return SX(ca.vertcat(*rows)) if rows else SX(0, 1)
    return SX(ca.DM(np.atleast_1d(np.asarray(given, dtype=float))))


def read_numbers(given: object, name: str, what: str) -> SX:
    """The same for what a user gives to element `name`: must be finite where it is a number."""
    try:
        value = symbolic(given)
    except (TypeError, ValueError, NotImplementedError, RuntimeError, OverflowError):
        raise ModelError(
            f"its {what} {shown(given)} is not a number.",
            component=name,
            remedy="Give a number, n numbers, a matrix or a symbol.",
        ) from None
    if value.is_constant() and not np.all(np.isfinite(ca.DM(value).full())):
        raise ModelError(f"its {what} is {shown(given)}.", component=name, remedy="Give finite numbers.")
    return value


def checked_law(given: object, size: int, name: str, what: str = "law") -> object:
    """The law itself, if it can be applied to `size` components."""
    if not callable(given):
        value = read_numbers(given, name, what)
        if value.shape != (size, size) and value.numel() not in (1, size):
            raise ModelError(
                f"its {what} has the shape {value.shape}, its bond {size} component(s).",
                component=name,
                remedy=f"Give one number, {size} for a diagonal, or {size}×{size}.",
            )
        return value if isinstance(given, (list, tuple)) else given
    try:
        answer = symbolic(given(SX.sym("x", size)))
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(
            f"its {what} cannot be applied to a symbol: {str(error).split(': ')[-1].strip().rstrip('.')}.",
            component=name,
            remedy="Write it with arithmetic and lw.sin, lw.tanh, lw.if_else, …: it is called once, with symbols.",
        ) from error
    if answer.numel() != size:
        raise ModelError(
            f"its {what} answers {answer.numel()} value(s) for {size} component(s).",
            component=name,
            remedy="It must return as many as it is given.",
        )
    return given


def checked_energy(given: Function | None, name: str) -> Function | None:
    """A function of the store's displacement or momentum, or None."""
    if given is not None and not callable(given):
        raise ModelError(
            f"its energy {given!r} is not a function.", component=name, remedy="Give a function of what is stored → J."
        )
    return given


def column(value: object, size: int, name: str) -> SX:
    """n×1 of a number, n numbers or an expression."""
    x = ca.vec(read_numbers(value, name, "value"))
    if x.numel() == 1 and size > 1:
        x = ca.repmat(x, size, 1)
    if x.numel() != size:
        raise ModelError(f"{x.numel()} values for {size} components.", component=name, remedy=f"Give {size}, or one.")
    return x


def rectangle(modulus: Any, name: str) -> SX:
    """A number or a list of rows as n₂×n₁; a single list is one row."""
    flat = np.ndim(modulus) == 1 if not isinstance(modulus, (SX, list, tuple)) else isinstance(modulus, (list, tuple))
    if flat and not any(isinstance(row, (list, tuple, np.ndarray)) for row in modulus):
        modulus = [list(modulus)]
    if isinstance(modulus, (list, tuple)):
        modulus = [list(row) for row in modulus]
    value = read_numbers(modulus, name, "modulus")
    if not value.numel():
        raise ModelError("its modulus is empty.", component=name, remedy="Give a number or a matrix, n₂×n₁.")
    return value


def singular(m: SX) -> bool:
    """Whether it has no inverse for sure: not square, or numbers of too low a rank; symbols are trusted."""
    if m.shape[0] != m.shape[1]:
        return True
    return bool(m.is_constant() and rank_of(ca.DM(m).full(), MIXED) < m.shape[0])
