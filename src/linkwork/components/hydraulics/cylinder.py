"""Hydraulic cylinders: volume into motion (SYM (24), (25))."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from linkwork.components.coordinate import Coordinate
from linkwork.components.given import End, Place
from linkwork.components.hydraulics.passages import BULK, VACUUM, Chamber, give, pressure_end
from linkwork.components.hydraulics.passages import pressure as gauge
from linkwork.components.wiring.lines_of_action import Acting
from linkwork.core.errors import ModelError
from linkwork.core.kinds import Claim, claims, nonnegative, positive, quantity, several
from linkwork.core.port import HYDRAULIC, Port
from linkwork.core.registry import component
from linkwork.geometry import SX, Number

if TYPE_CHECKING:
    from linkwork.core.model import Model

BOTH = gauge | several(gauge, "")


@component
class HydraulicCylinder(Acting):
    """A double- or single-acting cylinder: pushes with p_head·head_area − p_rod·rod_area [N] (SYM (25)).

    A side with an area and nothing given is a port to be connected (`head`, `rod`), one without area is open. With a
    bulk modulus the oil inside gives way; without it, and without chambers, the oil is rigid.
    """

    element = "TF"

    def __init__(
        self,
        name: str,
        *along: Annotated[
            Coordinate | Port | Place,
            "a coordinate that is its extension (`P.slide`), or the two frames it is mounted between",
        ],
        head: Annotated[End, "a chamber, whose volume then holds at extension 0, or any hydraulic port"] = None,
        rod: Annotated[End, "the same on the side of the rod"] = None,
        head_area: Annotated[Number, nonnegative["m²"], "of the piston on the head side; 0: none"] = 0.0,
        rod_area: Annotated[Number, nonnegative["m²"], "of the piston on the rod side; 0: none"] = 0.0,
        length: Annotated[Number, quantity["m"], "distance of the frames at extension 0"] = 0.0,
        head_volume: Annotated[Number | None, positive["m³"], "of oil at extension 0, with a bulk modulus"] = None,
        rod_volume: Annotated[Number | None, positive["m³"], "of oil at extension 0, with a bulk modulus"] = None,
        bulk_modulus: Annotated[Number | None, BULK["Pa"], "of the oil inside; None: it is rigid"] = None,
        pressure: Annotated[
            Number | Sequence[Number] | None, BOTH, "at the start, one number or (head, rod); 0 unless given"
        ] = None,
        damping: Annotated[Number, nonnegative["N·s/m"], "viscous friction of the seals"] = 0.0,
    ):
        super().__init__(name)
        given = {"head": (head, head_area, head_volume, 1), "rod": (rod, rod_area, rod_volume, -1)}
        sides = {k: x for k, x in given.items() if x[0] is not None or not SX(x[1]).is_zero()}
        if not sides:
            raise ModelError("has no chamber.", component=name, remedy="Give head=… or rod=…, or their areas.")
        if not along and (head is not None or rod is not None):
            raise ModelError("0 things to act along.", component=name, remedy="Give one coordinate or two frames.")
        self.damping = damping
        self.areas: dict[str, Number] = {}
        self.stiffness: dict[str, tuple[Number, Number]] = {}
        """By side: volume at extension 0 and bulk modulus of the oil that this cylinder accounts for."""
        self.vapour: dict[str, Number] = {}
        """By side, the pressure [Pa] at which that oil boils."""
        self.shared: list[tuple[Chamber, str]] = []
        both = pressure if isinstance(pressure, (tuple, list)) else (pressure, pressure)
        if len(both) != 2:
            raise ModelError(f"{len(both)} pressures.", component=name, remedy="Give one, or (head, rod).")
        starts = dict(zip(given, both, strict=True))
        for side, (end, area, volume, sign) in sides.items():
            positive.taken(f"{side}_area", area, name)
            self.areas[side] = sign * area
            self._fill(side, end, volume, bulk_modulus, starts[side])
        self.mount(along, length)
        self.energy = self.variable("energy", 0.0, unit="J") if self.stiffness else None

    def _fill(
        self, side: str, end: End, volume: Number | None, bulk_modulus: Number | None, pressure: Number | None
    ) -> None:
        start = None
        if isinstance(end, Chamber):
            if volume is not None:
                raise ModelError(
                    f"{side}_volume beside {end.name}, which has a volume of its own.",
                    component=self.name,
                    remedy=f"Leave {side}_volume out, or give {side}={end.name}.a for a chamber outside the cylinder.",
                )
            self.shared.append((end, side))
            self.stiffness[side] = (0.0, end.bulk_modulus)
            self.vapour[side] = end.vapour
        elif bulk_modulus is not None:
            self.stiffness[side] = (positive.taken(f"{side}_volume", volume, self.name), bulk_modulus)
            self.vapour[side] = VACUUM
            start = pressure
        port = None if end is None else pressure_end(end, self.name)
        self.join_port(side, HYDRAULIC, port, start=start)

    def claims(self) -> Iterator[Claim]:
        yield from super().claims()
        for side, area in self.areas.items():
            yield from claims(f"{side}_area", area if side == "head" else -area, positive)

    @property
    def head(self) -> Port:
        """Port of the head side."""
        return self.ports["head"]

    @property
    def rod(self) -> Port:
        """Port of the rod side."""
        return self.ports["rod"]

    def attached(self, model: Model) -> None:
        super().attached(model)
        for chamber, side in self.shared:
            chamber.pistons.append((self, side))

    def swept(self, side: str) -> SX:
        """Volume [m³] that a side has opened up since extension 0."""
        return self.areas[side] * self.extension

    @property
    def force(self) -> SX:
        """Outwards [N]."""
        pressed = sum((area * self.ports[side].p for side, area in self.areas.items()), SX(0))
        return pressed - self.damping * self.rate

    def _squeezed(self, side: str) -> SX:
        """Flow that only compresses the oil here [m³/s]. A chamber's own part is the chamber's."""
        if side not in self.stiffness:
            return SX(0)
        volume, K = self.stiffness[side]
        p = self.ports[side].p
        return (volume + self.swept(side)) / K * give(p, self.vapour[side]) * self.der(p)

    def equations(self):
        residuals = [self.ports[side].q - area * self.rate - self._squeezed(side) for side, area in self.areas.items()]
        if self.energy is not None:
            # Compression work is integrated: with K constant it is no function of p and V alone.
            work = sum((self.ports[side].p * self._squeezed(side) for side in self.stiffness), SX(0))
            residuals.append(self.der(self.energy) - work)
        return [*residuals, *self.pushes(self.force)]

    def stored(self):
        return 0 if self.energy is None else self.energy

    def lost(self):
        return self.damping * self.rate**2

    def switches(self):
        shared = {side for _, side in self.shared}  # those are their chambers' affair
        return [self.ports[side].p - vapour for side, vapour in self.vapour.items() if side not in shared]

    def channels(self):
        own = {side: volume for side, (volume, _) in self.stiffness.items() if volume != 0.0}
        volumes = {f"{side}_volume": ("m³", volume + self.swept(side)) for side, volume in own.items()}
        moving = {"extension": ("m", self.extension), "rate": ("m/s", self.rate), "force": ("N", self.force)}
        return {**moving, **volumes}
