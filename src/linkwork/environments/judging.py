"""What a reward and an end are computed from: a text of channels, or a function of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

import casadi as ca
import numpy as np

from linkwork.core.errors import LinkworkError, ModelError, UnknownName
from linkwork.core.kinds import is_number, shown
from linkwork.environments.elementwise import elementwise
from linkwork.files.language.parser import ExpressionError, parse
from linkwork.files.language.reading import evaluate
from linkwork.geometry import SX

Values: TypeAlias = float | np.ndarray
"""Of one copy, or one per copy."""


class Observed(Mapping[str, Values]):
    """Channels, inputs, parameters and the time `t`, by name. Notes what was asked for."""

    def __init__(self, read: Callable[[str], Values], known: Sequence[str]):
        self._read, self._known = read, known

    def __getitem__(self, name: str) -> Values:
        return self._read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


Judged: TypeAlias = str | float | Callable[[Mapping[str, Any]], Any]
"""A text such as "1 - pin.angle**2", a number, or a function of what is seen."""


class Judgement:
    """One number per copy, of what is seen. names: what a text speaks of; empty where it is a function."""

    def __init__(self, word: str, given: Judged, known: Sequence[str], model: str):
        self._word, self._model = word, model
        self.names: list[str] = []
        if isinstance(given, str):
            expression = _expression(word, given, known, model)
            symbols = ca.symvar(expression)
            self.names = [symbol.name() for symbol in symbols]
            self._text = elementwise(symbols, expression)
            self._function: Callable[[Mapping[str, Any]], Any] = self._of_text
        elif callable(given):
            self._function = given
        elif is_number(given):
            self._function = lambda observed: given
        else:
            raise ModelError(
                f"{word}={shown(given)}.", component=model, remedy="Give a text of channels, a number or a function."
            )

    def _of_text(self, observed: Mapping[str, Any]) -> Values:
        value: Values = self._text(*(observed[name] for name in self.names))
        return value

    def of_one(self, observed: Observed) -> float:
        """Of one copy."""
        try:
            value = float(self._function(observed))
        except LinkworkError:
            raise
        except Exception as error:
            self._failed(error, None)
        if value != value:
            self._refuse("it gives no number", None)
        return value

    def of_all(self, observed: Observed, count: int) -> np.ndarray:
        """Shape (count,)."""
        try:
            values = np.asarray(self._function(observed), dtype=float)
        except LinkworkError:
            raise
        except Exception as error:
            self._failed(error, count)
        if values.shape not in ((), (count,)) or np.isnan(values).any():
            self._refuse(f"it gives {shown(values.tolist() if values.size < 9 else values.shape)}", count)
        return np.broadcast_to(values, (count,))

    def _failed(self, error: Exception, count: int | None) -> NoReturn:
        self._refuse(f"its function failed: {type(error).__name__}: {str(error).partition(chr(10))[0]}", count)

    def _refuse(self, cause: str, count: int | None) -> NoReturn:
        each = "number" if count is None else f"array of {count}, one per copy: use NumPy (np.where, &), no `if`"
        raise ModelError(
            f"{self._word}: {cause}.", component=self._model, remedy=f"It is given channels by name, each a {each}."
        )


class _Channels:
    """What names of a text mean: every path is a symbol, looked up afterwards."""

    def __init__(self) -> None:
        self._symbols: dict[str, SX] = {}

    def name(self, name: str, quoted: bool) -> SX:
        if name == "pi" and not quoted:
            return SX(np.pi)
        return self._symbols.setdefault(name, SX.sym(name))

    def attribute(self, of: Any, name: str) -> SX:
        return self.name(f"{of.name()}.{name}", True)

    def function(self, name: str) -> None:
        return None

    def called(self, of: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        raise LinkworkError("it is no function.")


def _expression(word: str, text: str, known: Sequence[str], model: str) -> SX:
    try:
        expression = SX(evaluate(parse(text), _Channels(), {}, lambda error: error))
    except ExpressionError as error:
        raise ModelError(
            f"{word}={text!r}: {error.cause}",
            component=model,
            remedy=error.remedy or "Write such as '1 - pin.angle**2'.",
        ) from None
    for symbol in ca.symvar(expression):
        if symbol.name() not in known:
            raise UnknownName("channel, input or parameter", symbol.name(), known, component=f"{model}, {word}")
    return expression
