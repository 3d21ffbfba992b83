"""What a user has said of a component or law: the arguments it was made with, and what was changed by hand since.

Model files are written from this: it is what stands in a script, not what was derived from it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from linkwork.core.plain_data import Record


class Lost:
    """Stands for a function that could not be sent to another process."""


class Said:
    """arguments: by word, as they were read; words: all that the constructor has; strange: attributes that were changed
    by hand and are no arguments."""

    def __init__(self, arguments: Mapping[str, Any], words: Iterable[str]):
        self.arguments: Record = dict(arguments)
        self.words = frozenset(words)
        self.strange: set[str] = set()
        self.closed = False

    def change(self, word: str, value: object) -> None:
        """Note that an attribute was given another value by hand."""
        if not self.closed or word.startswith("_"):
            return
        if word in self.words:
            self.arguments[word] = value
        else:
            self.strange.add(word)

    def __deepcopy__(self, memo: dict[int, object]) -> Said:
        twin = Said({word: copy.deepcopy(x, memo) for word, x in self.arguments.items()}, self.words)
        twin.strange, twin.closed = set(self.strange), self.closed
        return twin

    def __reduce__(self) -> tuple[object, ...]:
        """Functions without a name of their own cannot be sent; the component has made expressions of them."""
        sent = {word: Lost() if _nameless(x) else x for word, x in self.arguments.items()}
        return _received, (sent, self.words, self.strange, self.closed)


def _received(arguments: Record, words: frozenset[str], strange: set[str], closed: bool) -> Said:
    said = Said(arguments, words)
    said.strange, said.closed = strange, closed
    return said


def _nameless(given: object) -> bool:
    return "<" in getattr(given, "__qualname__", "")


@contextmanager
def unnoticed(thing: Any) -> Iterator[None]:
    """What is changed inside was not said by the user."""
    said: Said | None = thing.__dict__.get("_said")
    before = said.closed if said is not None else False
    if said is not None:
        said.closed = False
    try:
        yield
    finally:
        if said is not None:
            said.closed = before
