"""Hydraulic cylinders: volume into motion (SYM (24), (25))."""

from __future__ import annotations

from typing import Any

from linkwork.components.hydraulics.passages import VACUUM, Chamber, check_pressure, give, pressure_end
from linkwork.components.wiring.lines_of_action import Acting
from linkwork.core.errors import ModelError
from linkwork.core.port import HYDRAULIC
from linkwork.core.registry import component
from linkwork.geometry import SX


@component
class HydraulicCylinder(Acting):
    """A double- or single-acting cylinder: pushes with p_head·head_area − p_rod·rod_area [N] (SYM (25)).

    along: a coordinate that is its extension (`P.slide`), or the two frames it is mounted between; then `length` [m] is
    their distance at extension 0. head, rod: a chamber, whose volume then holds at extension 0, or any hydraulic port;
    a side with an area and nothing given is a port to be connected (`head`, `rod`), one without area is open.
    bulk_modulus [Pa]: the oil inside gives way, head_volume and rod_volume [m³] at extension 0, pressure at the start
    [Pa] (0 unless given), one number or (head, rod); without it, and without chambers, the oil is rigid. damping
    [N·s/m]: viscous friction of the seals.
    """

    element = "TF"

    def __init__(
        self,
        name: str,
        *along: Any,
        head: Any = None,
        rod: Any = None,
        head_area: Any = 0.0,
        rod_area: Any = 0.0,
        length: Any = 0.0,
        head_volume: Any = None,
        rod_volume: Any = None,
        bulk_modulus: Any = None,
        pressure: Any = None,
        damping: Any = 0.0,
    ):
        super().__init__(name)
        given = {"head": (head, head_area, head_volume, 1), "rod": (rod, rod_area, rod_volume, -1)}
        sides = {k: x for k, x in given.items() if x[0] is not None or not SX(x[1]).is_zero()}
        if not sides:
            raise ModelError("has no chamber.", component=name, remedy="Give head=… or rod=…, or their areas.")
        if not along and (head is not None or rod is not None):
            raise ModelError(
                "0 things to act along.", component=name, remedy="Give one coordinate or two frames."
            )
        self.positive("damping", damping, zero=True)
        if bulk_modulus is not None:
            self.positive("bulk modulus", bulk_modulus)
        self.damping = damping
        self.areas: dict[str, Any] = {}
        self.stiffness: dict[str, tuple[Any, Any]] = {}
        """By side: volume at extension 0 and bulk modulus of the oil that this cylinder accounts for."""
        self.vapour: dict[str, Any] = {}
        """By side, the pressure [Pa] at which that oil boils."""
        self.shared: list[tuple[Chamber, str]] = []
        both = pressure if isinstance(pressure, (tuple, list)) else (pressure, pressure)
        if len(both) != 2:
            raise ModelError(f"{len(both)} pressures.", component=name, remedy="Give one, or (head, rod).")
        starts = dict(zip(given, both, strict=True))
        for side, (end, area, volume, sign) in sides.items():
            self.positive(f"{side}_area", area)
            self.areas[side] = sign * area
            self._fill(side, end, volume, bulk_modulus, starts[side])
        self.mount(along, length)
        self.energy = self.variable("energy", 0.0, unit="J") if self.stiffness else None

    def _fill(self, side: str, end: Any, volume: Any, bulk_modulus: Any, pressure: Any) -> None:
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
            self.positive(f"{side}_volume", volume)
            self.stiffness[side] = (volume, bulk_modulus)
            self.vapour[side] = VACUUM
            check_pressure(self.name, f"pressure of the {side} side", pressure)
            start = pressure
        port = None if end is None else pressure_end(end, self.name)
        self.joined(side, HYDRAULIC, port, start=start)

    @property
    def head(self) -> Any:
        """Port of the head side."""
        return self.ports["head"]

    @property
    def rod(self) -> Any:
        """Port of the rod side."""
        return self.ports["rod"]

    def attached(self, model: Any) -> None:
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
        found = [
            self.ports[side].q - area * self.rate - self._squeezed(side) for side, area in self.areas.items()
        ]
        if self.energy is not None:
            # Compression work is integrated: with K constant it is no function of p and V alone.
            work = sum((self.ports[side].p * self._squeezed(side) for side in self.stiffness), SX(0))
            found.append(self.der(self.energy) - work)
        return [*found, *self.pushes(self.force)]

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
