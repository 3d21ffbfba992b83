"""Outlines: the shapes that contacts know. Each is seen in the axes of the frame it is put at; sizes in metres.

A rounded outline is all that lies within its rounding radius of a core: a point (ball), a circle (wheel), a polytope.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from linkwork.components.checked import Range, positive
from linkwork.core.arguments import record
from linkwork.core.errors import ModelError
from linkwork.core.kinds import truth
from linkwork.geometry import SX, as_vector


@dataclass(frozen=True, eq=False)
class Outline:
    """Something that can touch something else."""

    @property
    def ranges(self) -> list[Range]:
        """What must hold for its sizes; refused at once where they are numbers that do not fit."""
        return []

    def __post_init__(self) -> None:
        _ = self.ranges

    @property
    def _word(self) -> str:
        return f"lw.outlines.{type(self).__name__}"


@dataclass(frozen=True, eq=False)
@record(inside=truth)
class Ball(Outline):
    """A ball (a circle in the plane) around the frame's origin; radius 0: a point; inside: a hollow one."""

    radius: Any = 0.0
    inside: bool = False

    @property
    def ranges(self) -> list[Range]:
        return positive(self._word, "radius", self.radius, zero=not self.inside)


@dataclass(frozen=True, eq=False)
class Wheel(Outline):
    """A disc about the frame's z axis; crown: radius of the rim's cross-section, 0: sharp. A circle in the plane."""

    radius: Any
    crown: Any = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.radius, SX) and not isinstance(self.crown, SX) and self.crown > self.radius:
            raise ModelError(
                f"crown {self.crown} with radius {self.radius}.",
                component=self._word,
                remedy="It lies between 0 and the radius.",
            )

    @property
    def ranges(self) -> list[Range]:
        return [
            *positive(self._word, "radius", self.radius),
            *positive(self._word, "crown", self.crown, zero=True),
        ]


@dataclass(frozen=True, eq=False)
class Ellipsoid(Outline):
    """An ellipsoid (an ellipse in the plane) around the frame's origin: radii along x, y (and z)."""

    radii: tuple[Any, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.radii, (tuple, list, np.ndarray)) or len(self.radii) not in (2, 3):
            raise ModelError(
                f"radii {self.radii!r}.", component=self._word, remedy="Give (x, y) in the plane, (x, y, z) in space."
            )
        super().__post_init__()

    @property
    def ranges(self) -> list[Range]:
        return [wanted for r in self.radii for wanted in positive(self._word, "radii", r)]


@dataclass(frozen=True, eq=False)
@record(inside=truth)
class Cylinder(Outline):
    """An endless cylinder along the frame's z axis; inside: a tube around others. A circle in the plane."""

    radius: Any
    inside: bool = False

    @property
    def ranges(self) -> list[Range]:
        return positive(self._word, "radius", self.radius)


@dataclass(frozen=True, eq=False)
class Terrain(Outline):
    """Ground z = height(x, y) in the frame's axes, y = height(x) in the plane; None: flat. Material below, smooth."""

    height: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        if self.height is not None and not callable(self.height):
            raise ModelError(
                f"height {self.height!r} is no function.",
                component=self._word,
                remedy="Give a function of x and y (of x in the plane).",
            )


@dataclass(frozen=True, eq=False)
class Box(Outline):
    """A box (rectangle) around the frame's origin: size along x, y (and z), rounding of its edges included."""

    size: tuple[Any, ...]
    rounding: Any = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.size, (tuple, list, np.ndarray)) or len(self.size) not in (2, 3):
            raise ModelError(
                f"size {self.size!r}.", component=self._word, remedy="Give (x, y) in the plane, (x, y, z) in space."
            )
        super().__post_init__()
        if any(
            not isinstance(s, SX) and not isinstance(self.rounding, SX) and 2 * self.rounding >= s for s in self.size
        ):
            raise ModelError(
                f"rounding {self.rounding} with size {self.size}.",
                component=self._word,
                remedy="It is less than half of the smallest side.",
            )

    @property
    def ranges(self) -> list[Range]:
        sizes = [wanted for s in self.size for wanted in positive(self._word, "size", s)]
        return [*sizes, *positive(self._word, "rounding", self.rounding, zero=True)]

    @property
    def half(self) -> list[Any]:
        """Half sides of the core."""
        return [s / 2 - self.rounding for s in self.size]


@dataclass(frozen=True, eq=False)
class Convex(Outline):
    """The convex hull of points (x, y[, z]), numbers, blown up by a rounding radius."""

    vertices: Any
    rounding: Any = 0.0
    corners: np.ndarray = field(init=False)
    """Those of the points that are corners, one per row."""
    faces: np.ndarray = field(init=False)
    """Corners of each simplex of the surface: three (space) or two (plane) per row."""
    outward: np.ndarray = field(init=False)
    """Unit normals of the faces."""

    def __post_init__(self) -> None:
        from scipy.spatial import ConvexHull, QhullError

        super().__post_init__()
        try:
            points = np.array(self.vertices, dtype=float)
            if points.ndim != 2 or points.shape[1] not in (2, 3) or not np.isfinite(points).all():
                raise ValueError
            hull = ConvexHull(points)
        except (TypeError, ValueError, RuntimeError, OverflowError, QhullError):
            raise ModelError(
                "the vertices span no area or volume.",
                component=self._word,
                remedy="Give at least 3 points (x, y), or 4 points (x, y, z) that are not in one plane, as numbers.",
            ) from None
        number = {int(k): i for i, k in enumerate(hull.vertices)}
        object.__setattr__(self, "corners", points[hull.vertices])
        object.__setattr__(self, "faces", np.array([[number[int(k)] for k in face] for face in hull.simplices]))
        object.__setattr__(self, "outward", hull.equations[:, :-1])

    @property
    def ranges(self) -> list[Range]:
        return positive(self._word, "rounding", self.rounding, zero=True)


def corners_of(outline: Box | Convex) -> list[SX]:
    """Corners of the core, in the outline's axes."""
    if isinstance(outline, Convex):
        return [as_vector(c) for c in outline.corners]
    return [
        as_vector([s * h for s, h in zip(signs, outline.half, strict=True)])
        for signs in product((-1, 1), repeat=len(outline.size))
    ]
