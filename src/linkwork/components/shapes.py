"""Shapes: what a body looks like, as data. Nothing here draws, and no shape has mass or touches anything.

To add a shape: 1. a frozen dataclass here, a subclass of `Shape`, with its `kind` and sizes; 2. its surface and its
outline in `linkwork.studio.looks`. Sizes may be expressions of the model's parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import casadi as ca
import numpy as np

from linkwork.components.mesh_files import Scale
from linkwork.components.shape import Numbers as Numbers
from linkwork.components.shape import Shape as Shape
from linkwork.core.errors import ModelError
from linkwork.core.plain_data import Record
from linkwork.geometry import SX, Number, Vector


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
    """A file (.stl, .obj, .glb, .ply, …) in units of `scale` metres, or of three along x, y and z (negative: mirrored).

    It is read when something is drawn.
    """

    kind: ClassVar[str] = "mesh"
    file: str | Path
    scale: Scale = 1.0

    def data(self, number: Numbers) -> Record:
        return super().data(number) | {"file": str(Path(self.file).absolute())}

    def checked(self, owner: str) -> Shape:
        self._read(owner)
        if not isinstance(self.file, (str, Path)):
            raise ModelError(
                f"{self.file!r} is not a file name.", component=owner, remedy="Give the path of a mesh file."
            )
        single = np.ndim(self.scale) == 0
        if not (np.all(np.asarray(self.scale) > 0) if single else np.all(np.asarray(self.scale) != 0)):
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
        heights = number(sampled).reshape(len(along), len(across))
        placed = {k: v for k, v in super().data(number).items() if k not in ("height", "points", "x", "y")}
        return placed | {"x": list(self.x), "y": None if flat else list(self.y or ()), "heights": heights.tolist()}

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
