"""Where keys and values stand in a TOML text, for messages: line and column by path.

The text has been read as TOML before: this only looks for where things are, and takes what it does not know as it is.
"""

from __future__ import annotations

import re
import tomllib
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]

_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)
    |(?P<long>\"\"\"(?:\\.|[^\\])*?\"\"\"|'''.*?''')
    |(?P<text>"(?:\\.|[^"\\\n])*"|'[^'\n]*')
    |(?P<line>\n)
    |(?P<sign>[\[\]{},=.])
    |(?P<word>[^\s\[\]{},=."'\#]+)
    |(?P<space>[^\S\n]+)""",
    re.VERBOSE | re.DOTALL,
)


class Places:
    """Lines and columns of one text, both counted from 1."""

    def __init__(self, text: str):
        self.text = text
        self._at: dict[Path, int] = {}
        self._values: dict[Path, tuple[int, int]] = {}
        self._tokens = [m for m in _TOKEN.finditer(text) if m.lastgroup not in ("comment", "space")]
        self._k = 0
        self._rows: dict[Path, int] = {}
        try:
            self._file()
        except (IndexError, RecursionError):  # as far as it was understood
            pass

    def of(self, path: Path, offset: int | None = None) -> tuple[int, int]:
        """Line and column of a value, or of the nearest part that it is in; offset: character inside its text."""
        for size in range(len(path), 0, -1):
            at = self._at.get(path[:size])
            if at is not None:
                inside = size == len(path) and offset is not None and self.text[at] in "\"'"
                plain = inside and "\\" not in self.text[at : at + 1 + (offset or 0)]
                return self._line(at + 1 + (offset or 0) if plain else at)
        return 1, 1

    def span(self, path: Path) -> tuple[int, int] | None:
        """Between which characters a value stands; None: it has none of its own (a table), or was not found."""
        return self._values.get(path)

    def _line(self, at: int) -> tuple[int, int]:
        before = self.text[:at]
        return before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1

    def _kind(self) -> str:
        m = self._tokens[self._k] if self._k < len(self._tokens) else None
        return "" if m is None else m.group() if m.lastgroup in ("sign", "line") else str(m.lastgroup)

    def _key(self) -> tuple[list[str], int]:
        """a.b."c", and where it begins."""
        at, words = self._tokens[self._k].start(), []
        while self._kind() in ("word", "text"):
            token = self._tokens[self._k].group()
            words.append(_plain(token))
            self._k += 1
            if self._kind() != ".":
                break
            self._k += 1
        return words, at

    def _file(self) -> None:
        path: Path = ()
        while self._k < len(self._tokens):
            kind = self._kind()
            if kind == "[":
                self._k += 1
                several = self._kind() == "["
                self._k += several
                key, at = self._key()
                path = tuple(key)
                if several:
                    self._rows[path] = self._rows.get(path, -1) + 1
                    path = (*path, self._rows[path])
                self._at.setdefault(path, at)
                self._k += 1 + several
            elif kind in ("word", "text"):
                self._pair(path)
            else:
                self._k += 1

    def _pair(self, path: Path) -> None:
        key, at = self._key()
        for size in range(1, len(key) + 1):
            self._at.setdefault((*path, *key[:size]), at)
        if self._kind() == "=":
            self._k += 1
            self._value((*path, *key))

    def _value(self, path: Path) -> None:
        token = self._tokens[self._k]
        self._at[path] = token.start()
        kind = self._kind()
        self._k += 1
        if kind == "[":
            item = 0
            while self._kind() != "]":
                if self._kind() in (",", "\n"):
                    self._k += 1
                    continue
                self._value((*path, item))
                item += 1
            self._k += 1
        elif kind == "{":
            while self._kind() != "}":
                if self._kind() in ("word", "text"):
                    self._pair(path)
                else:
                    self._k += 1
            self._k += 1
        else:
            while self._kind() in (".", "word"):  # 1.5 is a word, a dot and a word
                self._k += 1
        self._values[path] = token.start(), self._tokens[self._k - 1].end()


def _plain(token: str) -> str:
    """A key without its quotes."""
    if token[0] not in "\"'":
        return token
    try:
        return str(next(iter(tomllib.loads(f"{token} = 0"))))
    except tomllib.TOMLDecodeError:
        return token
