"""What all shapes have in common; bodies know no more of them. The shapes themselves are in `shapes`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from linkwork.core import kinds
from linkwork.core.errors import ModelError
from linkwork.core.plain_data import Record
from linkwork.geometry import SX

Numbers = Callable[[SX], np.ndarray]
"""Turns an expression of parameters into numbers."""


SIZES: dict[str, kinds.Kind] = {
    "axis": kinds.one_of("x", "y", "z"),
    "end": kinds.vector,
    "file": kinds.anything,
    "height": kinds.function,
    "points": kinds.anything,
    "scale": kinds.quantity | kinds.triple,
    "size": kinds.several(kinds.quantity, "Give sizes in metres, > 0."),
    "start": kinds.vector,
    "teeth": kinds.counted(3, 10_000),
    "x": kinds.vector,
    "y": kinds.vector,
}
"""Kinds of what belongs to one shape alone; all others are one number or expression."""


@dataclass(frozen=True, kw_only=True)
class Placed:
    """at: where in body axes [m], (x, y[, z]); rotation: angle about z [rad], 3×3 matrix or quaternion (w, x, y, z).

    colour: a name or "#rrggbb" (None: the body's own); opacity: 0 (not to be seen) … 1.
    """

    at: Any = (0.0, 0.0, 0.0)
    rotation: Any = None
    colour: str | None = None
    opacity: float = 1.0


@dataclass(frozen=True)
class Shape(Placed):
    """Base of all shapes."""

    kind: ClassVar[str] = ""
    free: ClassVar[tuple[str, ...]] = ()
    """Fields that are no sizes, and need not be positive."""

    def checked(self, owner: str) -> Shape:
        """Itself, if its sizes are positive numbers; owner: the body's name, for the message."""
        self._read(owner)
        for name, value in self.sizes().items():
            numbers: Any = [] if name in self.free or isinstance(value, (str, SX)) else np.ravel(value)
            if any(not isinstance(n, SX) and not (np.isfinite(n) and n > 0) for n in numbers):
                raise ModelError(
                    f"the {self.kind}'s {name} is {value}.", component=owner, remedy="Give sizes in metres, > 0."
                )
        if not 0 <= self.opacity <= 1:
            raise ModelError(f"opacity {self.opacity}.", component=owner, remedy="Give a number from 0 to 1.")
        return self

    def _read(self, owner: str) -> None:
        """Refuse what is not of its kind."""
        kinds.vector.taken("at", self.at, owner)
        kinds.number.taken("opacity", self.opacity, owner)
        if self.colour is not None:
            kinds.text.taken("colour", self.colour, owner)
        for word, size in self.sizes().items():
            if size is not None:
                SIZES.get(word, kinds.quantity).taken(word, size, owner)

    def sizes(self) -> Record:
        """What belongs to this kind of shape alone, by name."""
        shared = {f.name for f in fields(Placed)}
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in shared}

    def data(self, number: Numbers) -> Record:
        """The same as plain numbers and texts."""
        placed: Record = {"kind": self.kind}
        if any(isinstance(c, SX) or c for c in self.at):
            placed["at"] = [*(_plain(c, number) for c in self.at), 0.0][:3]
        if self.rotation is not None:
            placed["rotation"] = _plain(self.rotation, number)
        if self.colour is not None:
            placed["colour"] = self.colour
        if self.opacity != 1:
            placed["opacity"] = self.opacity
        return placed | {name: _plain(value, number) for name, value in self.sizes().items()}


def _plain(value: object, number: Numbers) -> Any:
    if isinstance(value, SX):
        numbers = number(value)
        return float(numbers.item()) if numbers.size == 1 else numbers.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(v, number) for v in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
