"""What a text is made of: a tree of plain data. `at` is the character where a node begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Literal:
    """A number, a text, true, false or none."""

    at: int
    value: float | int | str | bool | None


@dataclass(frozen=True)
class Name:
    """quoted: in backticks, so that it is a name of the model whatever else it may mean."""

    at: int
    name: str
    quoted: bool = False


@dataclass(frozen=True)
class Attribute:
    at: int
    of: Node
    name: str


@dataclass(frozen=True)
class Index:
    at: int
    of: Node
    place: int


@dataclass(frozen=True)
class Call:
    at: int
    of: Node
    arguments: tuple[Node, ...]
    named: tuple[tuple[str, Node], ...]


@dataclass(frozen=True)
class Unary:
    at: int
    operator: str
    x: Node


@dataclass(frozen=True)
class Chain:
    """x op y op z …, from left to right."""

    at: int
    first: Node
    rest: tuple[tuple[str, Node], ...]


@dataclass(frozen=True)
class List:
    at: int
    items: tuple[Node, ...]


@dataclass(frozen=True)
class Function:
    """(t, x) -> body."""

    at: int
    names: tuple[str, ...]
    body: Node


@dataclass(frozen=True)
class Block:
    """a = …; b = …; value."""

    at: int
    values: tuple[tuple[str, Node], ...]
    body: Node


Node: TypeAlias = Literal | Name | Attribute | Index | Call | Unary | Chain | List | Function | Block
