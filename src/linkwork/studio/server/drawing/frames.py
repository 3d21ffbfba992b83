"""Frames of a model file, `link1.at(-0.2, 0, rotation=0.5)`, as numbers and back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import atan2, cos, hypot, sin

from linkwork.files.language.nodes import Attribute, Call, Literal, Name, Node, Unary
from linkwork.files.language.parser import ExpressionError, parse
from linkwork.files.language.writing import number
from linkwork.files.models.names import said

TINY = 1e-13
"""Of the lengths around it: a number that is rounding only."""


@dataclass(frozen=True)
class Pose:
    """Of a body in the plane: x, y of its mass centre [m] and its angle [rad]."""

    x: float
    y: float
    angle: float

    def out(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the body is in the world."""
        c, s = cos(self.angle), sin(self.angle)
        return self.x + c * x - s * y, self.y + s * x + c * y

    def into(self, x: float, y: float) -> tuple[float, float]:
        """A point of the world in the body's axes."""
        c, s = cos(self.angle), sin(self.angle)
        dx, dy = x - self.x, y - self.y
        return tidy(c * dx + s * dy, hypot(dx, dy)), tidy(c * dy - s * dx, hypot(dx, dy))


WORLD = Pose(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Place:
    """A frame on a body: x, y [m] and how far it is turned [rad], in the body's axes."""

    body: str
    x: float
    y: float
    rotation: float = 0.0

    def text(self) -> str:
        """As a file has it."""
        turned = f", rotation={number(self.rotation)}" if self.rotation else ""
        return f"{said(self.body)}.at({number(self.x)}, {number(self.y)}{turned})"


def read_place(text: object) -> Place | None:
    """The frame that a text says in plain numbers; None for any other text."""
    return _read(text) if isinstance(text, str) else None


@lru_cache(maxsize=10_000)
def _read(text: str) -> Place | None:
    try:
        node = parse(text)
    except ExpressionError:
        return None
    if not isinstance(node, Call) or not isinstance(node.of, Attribute) or node.of.name != "at":
        return None
    body = _name(node.of.of)
    numbers = [_number(x) for x in node.arguments]
    named = {word: _number(x) for word, x in node.named}
    if body is None or len(numbers) != 2 or set(named) - {"rotation"} or None in [*numbers, *named.values()]:
        return None
    x, y = (float(value or 0.0) for value in numbers)
    return Place(body, x, y, float(named.get("rotation") or 0.0))


def tidy(value: float, size: float) -> float:
    """0 instead of rounding."""
    return 0.0 if abs(value) <= TINY * size else value


def direction(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Of the way from a to b [rad]."""
    return atan2(b[1] - a[1], b[0] - a[0])


def distance(a: tuple[float, float], b: tuple[float, float]) -> float:
    """From a to b [m]."""
    return hypot(b[0] - a[0], b[1] - a[1])


def _name(node: Node) -> str | None:
    """Names of parts of submodels have dots in them."""
    if isinstance(node, Name):
        return node.name
    if isinstance(node, Attribute):
        begin = _name(node.of)
        return None if begin is None else f"{begin}.{node.name}"
    return None


def _number(node: Node) -> float | None:
    if isinstance(node, Unary) and node.operator == "-":
        inner = _number(node.x)
        return None if inner is None else -inner
    if isinstance(node, Literal) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return float(node.value)
    return None
