"""Bodies from geometry: sizes and density (or mass) give mass, inertia and a shape to draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

import numpy as np

from linkwork.components import shapes
from linkwork.components.bodies import MASS, Body
from linkwork.core import kinds
from linkwork.core.errors import ModelError
from linkwork.core.registry import component
from linkwork.geometry import Number

if TYPE_CHECKING:
    from linkwork.core.model import Model

SIZE_LIMIT = 1e60
"""Size [m] whose volume and moments are still numbers."""
SIZE = kinds.number.saying("Give sizes in metres, > 0.")
Density: TypeAlias = Annotated[Number | None, kinds.nonnegative["kg/m³"], "mass per volume; give it or `mass`"]
WholeMass: TypeAlias = Annotated[Number | None, MASS["kg"], "mass of the whole; give it or `density`"]
Axis: TypeAlias = Annotated[str, kinds.one_of("x", "y", "z"), "body axis it lies along"]


class Geometric(Body):
    """Base: `volume` and `moments` (per unit mass, about the mass centre, own axes) of a uniform solid."""

    def __init__(
        self, name: str, size: Sequence[float], density: Density = None, mass: WholeMass = None, axis: Axis = "x"
    ):
        for s in size:
            if not kinds.is_number(s) or s <= 0:
                said = f"{s:g}" if kinds.is_number(s) else kinds.shown(s)
                raise ModelError(f"size {said} m is not positive.", component=name, remedy="Give sizes in metres, > 0.")
            if s > SIZE_LIMIT:
                raise ModelError(f"size {s:g} m.", component=name, remedy="Give sizes in metres.")
        if (density is None) == (mass is None):
            raise ModelError("needs either density or mass.", component=name, remedy="Steel has density 7850 kg/m³.")
        self.size, self.axis = size, axis
        self._mass: Number = mass if mass is not None else density * self.volume()  # type: ignore[operator]
        along, across1, across2 = self.moments()
        i = "xyz".index(axis)
        self._moments = [0.0, 0.0, 0.0]
        self._moments[i], self._moments[(i + 1) % 3], self._moments[(i + 2) % 3] = along, across1, across2
        super().__init__(name, mass=self._mass, inertia=0)  # known when it is attached
        self.shape(self.look())

    def look(self) -> shapes.Shape:
        raise NotImplementedError

    def attached(self, model: Model) -> None:
        moments = [self._mass * k for k in self._moments]
        self.inertia = moments[2] if model.is_planar else moments
        super().attached(model)

    def volume(self) -> float:
        raise NotImplementedError

    def moments(self) -> tuple[float, float, float]:
        raise NotImplementedError


@component
class Box(Geometric):
    """A uniform box."""

    def __init__(
        self,
        name: str,
        size: Annotated[Sequence[float], kinds.triple["m"], "along x, along y, along z"],
        *,
        density: Density = None,
        mass: WholeMass = None,
        axis: Axis = "x",
    ):
        super().__init__(name, size, density, mass, axis)

    def look(self) -> shapes.Shape:
        return shapes.Box(self.size)

    def volume(self) -> float:
        a, b, c = self.size
        return a * b * c

    def moments(self) -> tuple[float, float, float]:
        a, b, c = self.size
        return (b * b + c * c) / 12, (a * a + c * c) / 12, (a * a + b * b) / 12


class _Round(Geometric):
    def look(self) -> shapes.Shape:
        return shapes.Cylinder(self.size[0], self.size[1], self.axis)

    def volume(self) -> float:
        r, length = self.size
        return float(np.pi * r * r * length)

    def moments(self) -> tuple[float, float, float]:
        r, length = self.size
        across = (3 * r * r + length * length) / 12
        return r * r / 2, across, across


@component
class Cylinder(_Round):
    """A uniform cylinder along `axis`."""

    def __init__(
        self,
        name: str,
        *,
        radius: Annotated[float, SIZE["m"], "its radius"],
        length: Annotated[float, SIZE["m"], "its length"],
        density: Density = None,
        mass: WholeMass = None,
        axis: Axis = "x",
    ):
        super().__init__(name, (radius, length), density, mass, axis)


@component
class Rod(_Round):
    """A uniform slender cylinder along `axis`."""

    def __init__(
        self,
        name: str,
        *,
        length: Annotated[float, SIZE["m"], "its length"],
        radius: Annotated[float | None, SIZE["m"], "its radius, 1/50 of the length unless given"] = None,
        density: Density = None,
        mass: WholeMass = None,
        axis: Axis = "x",
    ):
        super().__init__(name, (length / 50 if radius is None else radius, length), density, mass, axis)


@component
class Sphere(Geometric):
    """A uniform ball."""

    def look(self) -> shapes.Shape:
        return shapes.Sphere(self.size[0])

    def __init__(
        self,
        name: str,
        *,
        radius: Annotated[float, SIZE["m"], "its radius"],
        density: Density = None,
        mass: WholeMass = None,
        axis: Axis = "x",
    ):
        super().__init__(name, (radius,), density, mass, axis)

    def volume(self) -> float:
        return float(4 / 3 * np.pi * self.size[0] ** 3)

    def moments(self) -> tuple[float, float, float]:
        k = 0.4 * self.size[0] ** 2
        return k, k, k
