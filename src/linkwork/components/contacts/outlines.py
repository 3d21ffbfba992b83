"""Outlines: the shapes that contacts know. Each is seen in the axes of the frame it is put at; sizes in metres.

A rounded outline is all that lies within its rounding radius of a core: a point (ball), a circle (wheel), a polytope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Annotated, ClassVar

import numpy as np

from linkwork.core.arguments import record
from linkwork.core.declared import arguments_of
from linkwork.core.errors import ModelError
from linkwork.core.kinds import Claim, Kind, claims, nonnegative, positive, truth
from linkwork.geometry import SX, Number, as_vector


@dataclass(frozen=True, eq=False)
class Outline:
    """Something that can touch something else."""

    several: ClassVar[tuple[str, ...]] = ()
    """Those of its sizes that are more than one number."""

    def __post_init__(self) -> None:
        for word, value, kind in self._sizes():
            kind.taken(word, value, self._word)

    def _sizes(self) -> Iterator[tuple[str, Number, Kind]]:
        """Word, value and kind of each size."""
        for word, argument in arguments_of(type(self).__init__).items():
            if argument.kind.range is not None:
                given = getattr(self, word)
                yield from ((word, value, argument.kind) for value in (given if word in self.several else (given,)))

    def claims(self) -> Iterator[Claim]:
        """What must hold of sizes that are expressions, once parameters have values."""
        return (claim for size in self._sizes() for claim in claims(*size))

    @property
    def _word(self) -> str:
        return f"lw.outlines.{type(self).__name__}"


@dataclass(frozen=True, eq=False)
@record(inside=truth)
class Ball(Outline):
    """A ball (a circle in the plane) around the frame's origin; radius 0: a point; inside: a hollow one."""

    radius: Annotated[Number, nonnegative["m"]] = 0.0
    inside: bool = False

    def _sizes(self) -> Iterator[tuple[str, Number, Kind]]:
        return iter([("radius", self.radius, positive if self.inside else nonnegative)])


@dataclass(frozen=True, eq=False)
class Wheel(Outline):
    """A disc about the frame's z axis; crown: radius of the rim's cross-section, 0: sharp. A circle in the plane."""

    radius: Annotated[Number, positive["m"]]
    crown: Annotated[Number, nonnegative["m"]] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.radius, SX) and not isinstance(self.crown, SX) and self.crown > self.radius:
            raise ModelError(
                f"crown {self.crown} with radius {self.radius}.",
                component=self._word,
                remedy="It lies between 0 and the radius.",
            )

    def claims(self) -> Iterator[Claim]:
        yield from super().claims()
        yield from claims("radius − crown", SX(self.radius) - self.crown, nonnegative)


@dataclass(frozen=True, eq=False)
class Ellipsoid(Outline):
    """An ellipsoid (an ellipse in the plane) around the frame's origin: radii along x, y (and z)."""

    several = ("radii",)
    radii: Annotated[Sequence[Number], positive["m"]]

    def __post_init__(self) -> None:
        if not isinstance(self.radii, (tuple, list, np.ndarray)) or _count(self.radii) not in (2, 3):
            raise ModelError(
                f"radii {self.radii!r}.", component=self._word, remedy="Give (x, y) in the plane, (x, y, z) in space."
            )
        super().__post_init__()


@dataclass(frozen=True, eq=False)
@record(inside=truth)
class Cylinder(Outline):
    """An endless cylinder along the frame's z axis; inside: a tube around others. A circle in the plane."""

    radius: Annotated[Number, positive["m"]]
    inside: bool = False


@dataclass(frozen=True, eq=False)
class Terrain(Outline):
    """Ground z = height(x, y) in the frame's axes, y = height(x) in the plane; None: flat. Material below, smooth."""

    height: Callable[..., Number] | None = None

    def __post_init__(self) -> None:
        if self.height is not None and not callable(self.height):
            raise ModelError(
                f"height {self.height!r} is not a function.",
                component=self._word,
                remedy="Give a function of x and y (of x in the plane).",
            )


@dataclass(frozen=True, eq=False)
class Box(Outline):
    """A box (rectangle) around the frame's origin: size along x, y (and z), rounding of its edges included."""

    several = ("size",)
    size: Annotated[Sequence[Number], positive["m"]]
    rounding: Annotated[Number, nonnegative["m"]] = 0.0

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

    def claims(self) -> Iterator[Claim]:
        yield from super().claims()
        yield from claims("half of size − rounding", [SX(x) for x in self.half], positive)

    @property
    def half(self) -> list[Number]:
        """Half sides of the core."""
        return [s / 2 - self.rounding for s in self.size]


@dataclass(frozen=True, eq=False)
class Convex(Outline):
    """The convex hull of points (x, y[, z]), numbers, blown up by a rounding radius."""

    vertices: Sequence[Sequence[float]] | np.ndarray
    rounding: Annotated[Number, nonnegative["m"]] = 0.0
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


def corners_of(outline: Box | Convex) -> list[SX]:
    """Corners of the core, in the outline's axes."""
    if isinstance(outline, Convex):
        return [as_vector(c) for c in outline.corners]
    return [
        as_vector([s * h for s, h in zip(signs, outline.half, strict=True)])
        for signs in product((-1, 1), repeat=len(outline.size))
    ]


def _count(given: Sequence[Number] | np.ndarray) -> int:
    return 0 if isinstance(given, np.ndarray) and given.ndim == 0 else len(given)
