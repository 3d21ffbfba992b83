"""What all of a model file has in common for its reader: values, expressions, tables, and errors with their place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from linkwork.core import kinds
from linkwork.core.errors import LinkworkError, ModelError, UnknownName
from linkwork.core.plain_data import Data, Record
from linkwork.files.language.parser import ExpressionError, parse
from linkwork.files.language.reading import Written, evaluate
from linkwork.files.models.places import Path as Keys
from linkwork.files.models.places import Places
from linkwork.files.models.scope import ModelScope


@dataclass
class Reader:
    """A file as plain data, as text, and its name; `scope` is what its expressions may speak of."""

    content: Record
    text: str
    path: Path

    def __post_init__(self) -> None:
        self.functions: list[tuple[Keys, Written]] = []
        self.scope: ModelScope

    # ------------------------------------------------------------------ values

    def value(self, keys: Keys, given: Any) -> Any:
        """A number or list as it is; a text as the expression it is."""
        if isinstance(given, list):
            return [self.value((*keys, k), x) for k, x in enumerate(given)]
        if isinstance(given, bool | int | float):
            if isinstance(given, float) and given - given != 0:
                self.fail(keys, f"{given} is no finite number.")
            return given
        if not isinstance(given, str):
            self.fail(keys, f"{kinds.shown(given)} is neither a number nor an expression.")
        try:
            value = evaluate(parse(given), self.scope, {}, lambda error: self._error(keys, error))
        except ExpressionError as error:
            raise self._error(keys, error) from None
        self._note(keys, value)
        return value

    def _note(self, keys: Keys, value: Any) -> None:
        """Functions are verified at the end, when all is there that they may speak of."""
        if isinstance(value, Written):
            self.functions.append((keys, value))
        elif isinstance(value, list):
            for x in value:
                self._note(keys, x)
        elif hasattr(value, "_said"):
            self._note(keys, list(value._said.arguments.values()))

    def _error(self, keys: Keys, error: ExpressionError) -> ModelError:
        line, column = Places(self.text).of(keys, error.at)
        return ModelError(error.cause, component=f"{self.path}:{line}:{column}", remedy=error.remedy)

    def section(self, name: str) -> Record:
        return self.mapping((name,), self.content.get(name, {}))

    def mapping(self, keys: Keys, given: Any) -> Record:
        if not isinstance(given, dict):
            self.fail(keys, f"{kinds.shown(given)} is no table.", "Write key = value below a [heading].")
        return given

    def listed(self, keys: Keys, given: Any) -> list[Any]:
        if not isinstance(given, list):
            self.fail(keys, f"{kinds.shown(given)} is no list.", "Write [ … ].")
        return given

    def plain_text(self, keys: Keys, given: Any) -> str:
        if not isinstance(given, str):
            what = "is missing" if given is None else f"is {kinds.shown(given)}, no text"
            self.fail(keys, f"{keys[-1]!r} {what}.", "Give a text in quotes.")
        return given

    # ------------------------------------------------------------------ errors

    def known_words(self, keys: Keys, given: Data, known: Any, what: str) -> None:
        for word in given:
            if word not in known:
                self.unknown((*keys, word), what, word, known)

    def unknown(self, keys: Keys, what: str, name: object, known: Any) -> NoReturn:
        error = UnknownName(what, kinds.said(name), known)
        self.fail(keys, error.cause, error.remedy)

    def fail(self, keys: Keys, cause: str, remedy: str | None = None) -> NoReturn:
        line, column = Places(self.text).of(keys)
        raise ModelError(cause, component=f"{self.path}:{line}:{column}", remedy=remedy)

    @contextmanager
    def told(self, keys: Keys, words: Data | None = None) -> Iterator[None]:
        """Whatever goes wrong inside is told with the place of the keys, or of the word that a message begins with."""
        try:
            yield
        except ExpressionError as error:
            raise self._error(keys, error) from None
        except LinkworkError as error:
            if str(error.component).startswith(f"{self.path}:"):
                raise
            name = f"{error.component}: " if error.component else ""
            word = next((w for w in words or () if error.cause.startswith(w)), None)
            self.fail(keys if word is None else (*keys, word), f"{name}{error.cause}", error.remedy)
        except (RecursionError, Exception) as error:
            said = str(error).partition("\n")[0].rstrip(".") or type(error).__name__
            self.fail(keys, f"{said}.")
