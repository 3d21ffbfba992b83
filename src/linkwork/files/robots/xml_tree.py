"""XML → tree with lines, by expat under limits: no entities, no document types, bounded size, depth and number.

So nothing that a text holds can grow beyond itself, or reach outside of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from linkwork.core.errors import ModelError

SIZE_LIMIT = 16_000_000
"""Bytes of a file."""
DEPTH_LIMIT = 200
ELEMENT_LIMIT = 100_000


@dataclass
class Element:
    """An element of a file: what it is called, its attributes, what is inside, and where it stands."""

    tag: str
    attributes: dict[str, str]
    line: int
    file: Path
    children: list[Element] = field(default_factory=list)
    content: str = ""
    """The text inside, without that of other elements."""

    def all(self, tag: str) -> list[Element]:
        """Elements right inside that have this tag."""
        return [c for c in self.children if c.tag == tag]

    def first(self, tag: str) -> Element | None:
        return next((c for c in self.children if c.tag == tag), None)

    def walk(self) -> Iterator[Element]:
        """Itself and all that is inside, at any depth."""
        stack = [self]
        while stack:
            top = stack.pop()
            yield top
            stack += reversed(top.children)

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def said(self) -> str:
        """What a message calls it."""
        name = self.attributes.get("name")
        return f"<{self.tag}>" if name is None else f"<{self.tag} name={name!r}>"

    def fail(self, cause: str, remedy: str | None = None) -> NoReturn:
        raise ModelError(cause, component=self.place, remedy=remedy)

    def text(self, word: str, default: str | None = None) -> str:
        """An attribute, which must be there if there is no default."""
        value = self.attributes.get(word, default)
        if value is None:
            self.fail(f"{self.said} has no {word!r}.", "Give it.")
        return value

    def numbers(self, word: str, count: int | None = None, default: list[float] | None = None) -> list[float]:
        """An attribute that holds numbers; count: how many there must be."""
        given = self.attributes.get(word)
        if given is None:
            if default is None:
                self.fail(f"{self.said} has no {word!r}.", "Give it.")
            return list(default)
        try:
            numbers = [float(x) for x in given.split()]
        except ValueError:
            self.fail(f"{word}={given[:60]!r} of {self.said} holds something that is no number.")
        if any(x - x != 0 or abs(x) > 1e100 for x in numbers):
            self.fail(f"{word}={given[:60]!r} of {self.said} holds a number that is not finite, or beyond all measure.")
        if count is not None and len(numbers) != count:
            self.fail(f"{word}={given[:60]!r} of {self.said} holds {len(numbers)} numbers, not {count}.")
        return numbers

    def number(self, word: str, default: float | None = None) -> float:
        """An attribute that is one number."""
        return self.numbers(word, 1, None if default is None else [default])[0]

    def inner(self, tag: str, default: str | None = None) -> str:
        """The text of an element inside; which must be there if there is no default."""
        child = self.first(tag)
        if child is None and default is None:
            self.fail(f"{self.said} has no <{tag}>.", "Give it.")
        return default if child is None and default is not None else child.content if child is not None else ""

    def inner_numbers(self, tag: str, count: int | None = None, default: list[float] | None = None) -> list[float]:
        """Numbers in the text of an element inside; count: how many there must be."""
        child = self.first(tag)
        if child is None:
            if default is None:
                self.fail(f"{self.said} has no <{tag}>.", "Give it.")
            return list(default)
        text = Element(f"{tag}> in <{self.tag}", {"text": child.content}, child.line, child.file)
        return text.numbers("text", count)

    def leading(self, word: str, default: float) -> float:
        """The first of the numbers that an attribute holds."""
        numbers = self.numbers(word, None, [default])
        if not numbers:
            self.fail(f"{word} of {self.said} holds no number.")
        return numbers[0]


def read(path: Path) -> Element:
    """The tree of a file."""
    try:
        size = path.stat().st_size
        if size > SIZE_LIMIT:
            raise ModelError(f"has {size} bytes.", component=str(path), remedy=f"At most {SIZE_LIMIT} are read.")
        return parsed(path.read_bytes(), path)
    except OSError as error:
        raise ModelError(f"cannot be read: {error.strerror or error}.", component=str(path)) from error


def parsed(text: bytes, path: Path) -> Element:
    """The tree of a text; path: what it is called."""
    builder = _Builder(path)
    try:
        builder.parser.Parse(text, True)
    except expat.ExpatError as error:
        line, column = error.lineno, error.offset + 1
        said = expat.ErrorString(error.code)
        raise ModelError(f"is no XML: {said}.", component=f"{path}:{line}:{column}") from None
    except (ValueError, LookupError) as error:  # an encoding that is not known
        raise ModelError(f"is no XML that can be read: {error}.", component=str(path)) from None
    if builder.root is None:
        raise ModelError("is empty.", component=str(path))
    return builder.root


class _Builder:
    def __init__(self, path: Path):
        self.path, self.count = path, 0
        self.root: Element | None = None
        self.stack: list[Element] = []
        self.texts: list[list[str]] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse
        self.parser.ExternalEntityRefHandler = self._refuse
        self.parser.UnparsedEntityDeclHandler = self._refuse

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if len(self.stack) >= DEPTH_LIMIT or self.count > ELEMENT_LIMIT:
            raise ModelError(
                f"more than {DEPTH_LIMIT} elements inside each other, or {ELEMENT_LIMIT} in all.",
                component=f"{self.path}:{self.parser.CurrentLineNumber}",
            )
        made = Element(tag, attributes, self.parser.CurrentLineNumber, self.path)
        if self.stack:
            self.stack[-1].children.append(made)
        elif self.root is None:
            self.root = made
        self.stack.append(made)
        self.texts.append([])

    def _end(self, tag: str) -> None:
        self.stack.pop().content = "".join(self.texts.pop()).strip()

    def _text(self, text: str) -> None:
        self.texts[-1].append(text)

    def _refuse(self, *_: object) -> NoReturn:
        raise ModelError(
            "declares a document type or an entity.",
            component=f"{self.path}:{self.parser.CurrentLineNumber}",
            remedy="Robot descriptions need none: take it out.",
        )
