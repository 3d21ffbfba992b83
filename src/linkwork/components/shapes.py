"""Shapes: what a body looks like, as data. Nothing here draws, and no shape has mass or touches anything.

To add a shape: 1. a frozen dataclass here, a subclass of `Shape`, with its `kind` and sizes; 2. its surface and its
outline in `linkwork.studio.looks`. Sizes may be expressions of the model's parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import casadi as ca
import numpy as np

from linkwork.core import kinds
from linkwork.core.errors import ModelError
from linkwork.core.plain_data import Record
from linkwork.geometry import SX, Number, Vector

Numbers = Callable[[SX], np.ndarray]
"""Turns an expression of parameters into numbers."""


SIZES: dict[str, kinds.Kind] = {
    "axis": kinds.one_of("x", "y", "z"),
    "end": kinds.vector,
    "file": kinds.anything,
    "height": kinds.function,
    "points": kinds.anything,
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
        found = number(value)
        return float(found.item()) if found.size == 1 else found.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(v, number) for v in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


@dataclass(frozen=True)
class Box(Shape):
    """size: along x, y, z [m]."""

    kind: ClassVar[str] = "box"
    size: Vector


@dataclass(frozen=True)
class Cylinder(Shape):
    """radius and length [m] along a body axis, "x", "y" or "z"."""

    kind: ClassVar[str] = "cylinder"
    free: ClassVar[tuple[str, ...]] = ("axis",)
    radius: Number
    length: Number
    axis: str = "x"


@dataclass(frozen=True)
class Rod(Shape):
    """A round bar of a radius [m] from one point to another (body axes)."""

    kind: ClassVar[str] = "rod"
    free: ClassVar[tuple[str, ...]] = ("start", "end")
    start: Vector
    end: Vector
    radius: Number


@dataclass(frozen=True)
class Sphere(Shape):
    """radius [m]."""

    kind: ClassVar[str] = "sphere"
    radius: Number


@dataclass(frozen=True)
class Disc(Shape):
    """A flat cylinder: radius and thickness [m] about an axis, z unless given; a mark shows how it turns."""

    kind: ClassVar[str] = "disc"
    free: ClassVar[tuple[str, ...]] = ("axis",)
    radius: Number
    thickness: Number
    axis: str = "z"


@dataclass(frozen=True)
class Wheel(Shape):
    """A tyre, a rim and spokes: radius and width [m] about an axis, z unless given."""

    kind: ClassVar[str] = "wheel"
    free: ClassVar[tuple[str, ...]] = ("axis",)
    radius: Number
    width: Number
    axis: str = "z"


@dataclass(frozen=True)
class GearWheel(Shape):
    """A spur gear: pitch radius [m], number of teeth, width [m], about an axis, z unless given."""

    kind: ClassVar[str] = "gear"
    free: ClassVar[tuple[str, ...]] = ("axis",)
    radius: Number
    teeth: int
    width: Number
    axis: str = "z"


@dataclass(frozen=True)
class Frustum(Shape):
    """A cone without its tip: radii at the lower and the upper end and length [m] along an axis, z unless given."""

    kind: ClassVar[str] = "frustum"
    free: ClassVar[tuple[str, ...]] = ("axis", "radius2")
    radius1: Number
    radius2: Number
    length: Number
    axis: str = "z"


@dataclass(frozen=True)
class Line(Shape):
    """Straight pieces through points (body axes, m)."""

    kind: ClassVar[str] = "line"
    free: ClassVar[tuple[str, ...]] = ("points",)
    points: Any


@dataclass(frozen=True)
class Mesh(Shape):
    """A file (.stl, .obj, .glb, .ply, …) in units of `scale` metres. It is read when something is drawn."""

    kind: ClassVar[str] = "mesh"
    file: str | Path
    scale: float = 1.0

    def data(self, number: Numbers) -> Record:
        return super().data(number) | {"file": str(Path(self.file).absolute())}

    def checked(self, owner: str) -> Shape:
        self._read(owner)
        if not isinstance(self.file, (str, Path)):
            raise ModelError(
                f"{self.file!r} is not a file name.", component=owner, remedy="Give the path of a mesh file."
            )
        if not self.scale > 0:
            raise ModelError(f"scale {self.scale}.", component=owner, remedy="Give metres per unit of the file, > 0.")
        return self


@dataclass(frozen=True)
class Terrain(Shape):
    """Uneven ground: z = height(x, y) over the ranges x and y [m], or y = height(x) in a planar model.

    height: as for `m.contact`, called once with symbols; points: how finely it is sampled along x (and y).
    """

    kind: ClassVar[str] = "terrain"
    free: ClassVar[tuple[str, ...]] = ("height", "x", "y", "points")
    height: Callable[..., Number]
    x: tuple[float, float]
    y: tuple[float, float] | None = None
    points: int = 60

    def data(self, number: Numbers) -> Record:
        across = np.linspace(*self.x, self.points)
        flat = self.y is None
        along = np.zeros(1) if self.y is None else np.linspace(*self.y, self.points)
        grid = np.array([(x, y) for y in along for x in across])
        place = SX.sym("place", 2)
        height = SX(self.height(place[0]) if flat else self.height(place[0], place[1]))
        sampled = ca.vertcat(*(ca.substitute(height, place, SX(ca.DM(g))) for g in grid))
        found = number(sampled).reshape(len(along), len(across))
        placed = {k: v for k, v in super().data(number).items() if k not in ("height", "points", "x", "y")}
        return placed | {"x": list(self.x), "y": None if flat else list(self.y or ()), "heights": found.tolist()}

    def checked(self, owner: str) -> Shape:
        if not callable(self.height):
            raise ModelError(
                f"the terrain's height is {self.height!r}.", component=owner, remedy="Give a function of x (and y)."
            )
        if not self.x[0] < self.x[1] or (self.y is not None and not self.y[0] < self.y[1]) or self.points < 2:
            raise ModelError(
                f"a terrain over {self.x} by {self.y} with {self.points} points.",
                component=owner,
                remedy="Give increasing ranges in metres, and at least 2 points.",
            )
        return self
