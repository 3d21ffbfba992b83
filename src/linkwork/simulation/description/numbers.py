"""Expressions of parameters and inputs as numbers: one by one the first time, all at once when asked for again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.core.courses import in_time
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model

Seen = np.ndarray | int | None
"""Constant numbers, or which of the varied expressions; None: it depends on more than parameters."""


class NumbersInTurn:
    """`number(x)` for expressions that come in the same order every time, at parameters and inputs p and t = 0.

    word: what they are for. `keep()` after the last of them lets the next pass cost one call.
    """

    def __init__(self, model: Model, p: np.ndarray, word: str):
        symbols = model.all_symbols()
        self._model, self._symbols, self._key = model, symbols, (word, symbols.numel())
        self._p = np.append(p[: symbols.numel() - len(model.courses.taken)], list(model.courses.values().values()))
        self._seen: list[Seen] = []
        self._varied: list[SX] = []
        known: tuple[ca.Function, list[Seen]] | None = model.memory.get(self._key)
        self._again: Iterator[Seen] | None = None
        if known is not None:
            values = self._values(known[0])
            self._again = (values[x] if isinstance(x, int) else x for x in known[1])

    def __call__(self, expression: SX) -> np.ndarray:
        """The numbers of one expression; RuntimeError where it depends on more than parameters."""
        if self._again is None:
            return self._first(expression)
        found = next(self._again)
        if not isinstance(found, np.ndarray):
            raise RuntimeError("depends on more than parameters")
        return found

    def _first(self, expression: SX) -> np.ndarray:
        if expression.is_constant():
            constant = np.array(ca.evalf(expression), dtype=float)
            self._seen.append(constant)
            return constant
        (expression,) = in_time([expression], self._model.courses)
        self._seen.append(None)
        (found,) = self._values(self._function([expression]))
        self._seen[-1] = len(self._varied)
        self._varied.append(expression)
        return found

    def keep(self) -> None:
        if self._again is None:
            self._model.memory[self._key] = self._function(self._varied), self._seen

    def _function(self, expressions: list[SX]) -> ca.Function:
        return ca.Function("numbers", [self._model.t, self._symbols], expressions)

    def _values(self, function: ca.Function) -> list[np.ndarray]:
        return [np.array(x) for x in function.call([ca.DM(0.0), ca.DM(self._p)])]
