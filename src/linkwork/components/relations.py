"""Relations between joint coordinates: gears, racks, and any equation a user writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

from linkwork.components.checked import expression
from linkwork.components.coordinate import Coordinate
from linkwork.core.component import Component, Constraint, Marker, View
from linkwork.core.errors import ModelError
from linkwork.core.kinds import function, quantity
from linkwork.core.registry import component
from linkwork.geometry import SX, Number


@component
class Relation(Constraint):
    """An equation between joint coordinates: `equation(*coordinates)` must vanish."""

    def __init__(
        self,
        name: str,
        equation: Annotated[Callable[..., Number], function, "gives what must vanish, of the coordinates"],
        *coordinates: Annotated[Coordinate, "what it relates, such as `O.angle`"],
    ):
        super().__init__(name)
        for c in coordinates:
            if not isinstance(c, Coordinate):
                raise ModelError(f"{c!r} is not a joint coordinate.", component=name, remedy="Give e.g. `O.angle`.")
        if len(set(coordinates)) < len(coordinates):
            raise ModelError("relates a coordinate to itself.", component=name, remedy="Give different coordinates.")
        self.equation, self.coordinates = equation, coordinates

    def markers(self) -> tuple[Marker, ...]:
        return tuple(m for c in self.coordinates for m in c.owner.markers())

    def rows(self, view: View) -> list[SX]:
        row = expression("its equation", self.equation(*(view.coordinate(c) for c in self.coordinates)))
        if row.is_constant():
            raise ModelError(
                f"its equation gives {row} whatever the coordinates are.",
                component=self.name,
                remedy="Give an expression of the coordinates that must vanish.",
            )
        return [row]


@component
class Gear(Relation):
    """driven = ratio · driver + phase. External gears have a negative ratio −r₁/r₂."""

    def __init__(
        self,
        name: str,
        driver: Annotated[Coordinate, "coordinate that drives"],
        driven: Annotated[Coordinate, "coordinate that is driven"],
        *,
        ratio: Annotated[Number, quantity, "turns of `driven` per turn of `driver`"],
        phase: Annotated[Number, quantity["rad or m"], "`driven` where `driver` is 0"] = 0,
    ):
        super().__init__(name, self.meshing, driver, driven)
        self.driver, self.driven, self.ratio, self.phase = driver, driven, ratio, phase

    def meshing(self, driver: SX, driven: SX) -> SX:
        """What vanishes."""
        return driven - self.ratio * driver - self.phase


@component
class Rack(Relation):
    """slide = radius · angle + offset: a pinion on a rack; a negative radius reverses the direction."""

    def __init__(
        self,
        name: str,
        pinion: Annotated[Coordinate, "angle of the pinion"],
        rack: Annotated[Coordinate, "slide of the rack"],
        *,
        radius: Annotated[Number, quantity["m"], "of the pinion's pitch circle; negative to reverse"],
        offset: Annotated[Number, quantity["m"], "slide where the angle is 0"] = 0,
    ):
        super().__init__(name, self.meshing, pinion, rack)
        self.radius, self.offset = radius, offset

    def meshing(self, angle: SX, slide: SX) -> SX:
        """What vanishes."""
        return slide - self.radius * angle - self.offset


@component
class Dependence(Component):
    """Closed-form solution of a loop (SYM (39)): `{P.slide: lambda angle: …}`, functions of the coordinates `on`.

    Knowledge, not a part: it carries no force. The minimal formulation then has no loop to close and integrates only
    what the others depend on. It must agree with the joints, which is checked, in every formulation at the start.
    """

    def __init__(
        self,
        name: str,
        given: Annotated[
            Mapping[Coordinate, Callable[..., Number]], "coordinate → its value as a function of those `on`"
        ],
        *,
        on: Annotated[Sequence[Coordinate], "coordinates that the others depend on"],
    ):
        super().__init__(name)
        for c in [*given, *on]:
            if not isinstance(c, Coordinate):
                raise ModelError(f"{c!r} is not a joint coordinate.", component=name, remedy="Give e.g. `O.angle`.")
            if c in given and c in on:
                raise ModelError(f"{c.name} depends on itself.", component=name, remedy="Take it out of one side.")
        self.given, self.on = given, on
