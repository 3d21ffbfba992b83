"""Expressions of parameters and inputs as numbers: one by one the first time, all at once when asked for again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, SupportsFloat, TypeVar, cast

import casadi as ca
import numpy as np

from linkwork.algebra.evaluated import Evaluated
from linkwork.core.courses import in_time
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model

T = TypeVar("T")
Value = np.ndarray | int | None
"""Constant numbers, or which of the varied expressions; None: it depends on more than parameters."""


Part = tuple[int, int, object]
"""From which expression to which, and what was made of them if it is always the same; else None."""


Known = tuple[Evaluated, list[Value], list[Part], list[tuple[int, int]]]
"""A function of all varied expressions, what was seen, what was made, and the shapes of the varied expressions."""


class NumbersInTurn:
    """`number(x)` for expressions that come in the same order every time, at parameters and inputs p and t = 0.

    word: what they are for. `keep()` after the last of them lets the next pass cost one call, and what `part` makes
    of constant numbers alone is made once.
    """

    def __init__(self, model: Model, p: np.ndarray, word: Hashable, column: np.ndarray | None = None):
        """column: what the varied expressions are worth, where they are known already; else it is found."""
        symbols = model.all_symbols()
        self._model, self._symbols, self._key = model, symbols, (word, symbols.numel())
        own = p[: symbols.numel() - len(model.courses.taken)]
        self._x = np.concatenate([[0.0], own, list(model.courses.values().values())])
        self._values: list[Value] = []
        self._varied: list[SX] = []
        self._parts: list[Part] = []
        self._known: Known | None = model.memory.get(self._key)
        self._again, self._next_part = 0, 0
        if column is None:
            column = np.zeros(0) if self._known is None else self._known[0](self._x)
        self.column = column
        self._now: list[np.ndarray] | None = None

    @property
    def known(self) -> bool:
        """Whether there was a pass before."""
        return self._known is not None

    @property
    def key(self) -> Hashable:
        """The same for the same numbers; None: not known before the first pass."""
        return None if self._known is None else (self._key, self.column.tobytes())

    def __call__(self, expression: SX) -> np.ndarray:
        """The numbers of one expression; RuntimeError where it depends on more than parameters."""
        if self._known is None:
            return self._first(expression)
        known = self._known[1][self._again]
        self._again += 1
        if isinstance(known, int):
            if self._now is None:
                self._now = _taken_apart(self.column, self._known[3])
            return self._now[known]
        if known is None:
            raise RuntimeError("depends on more than parameters")
        return known

    def part(self, make: Callable[[], T]) -> T:
        """What `make()` says; what it made last time, if all its numbers are constant."""
        if self._known is None:
            first = len(self._values)
            made = make()
            constant = all(isinstance(x, np.ndarray) for x in self._values[first:])
            self._parts.append((first, len(self._values), made if constant else None))
            return made
        _, end, made_before = self._known[2][self._next_part]
        self._next_part += 1
        if made_before is None:
            return make()
        self._again = end
        return cast(T, made_before)

    def _first(self, expression: SX) -> np.ndarray:
        if expression.is_constant():
            constant = _constant(expression)
            self._values.append(constant)
            return constant
        (expression,) = in_time([expression], self._model.courses)
        self._values.append(None)
        (value,) = _taken_apart(self._function([expression])(self._x), [expression.shape])
        self._values[-1] = len(self._varied)
        self._varied.append(expression)
        return value

    def keep(self) -> None:
        if self._known is None:
            known = self._function(self._varied), self._values, self._parts, [x.shape for x in self._varied]
            self._model.memory[self._key] = known

    def _function(self, expressions: list[SX]) -> Evaluated:
        """Of all of them in one column."""
        column = ca.vertcat(SX(0, 1), *(ca.vec(ca.densify(x)) for x in expressions))
        return Evaluated(ca.Function("numbers", [ca.vertcat(self._model.t, self._symbols)], [column]))


def _constant(expression: SX) -> np.ndarray:
    """Its numbers; of a dense one without a matrix of CasADi on the way."""
    if not expression.is_dense():
        return np.array(ca.evalf(expression), dtype=float)
    return np.array([float(x) for x in cast("list[SupportsFloat]", expression.nonzeros())]).reshape(
        expression.shape, order="F"
    )


def _taken_apart(column: np.ndarray, shapes: list[tuple[int, int]]) -> list[np.ndarray]:
    """Numbers of each expression."""
    parts = np.split(column, np.cumsum([rows * columns for rows, columns in shapes[:-1]]))
    return [part.reshape(shape, order="F") for part, shape in zip(parts, shapes, strict=True)]
