"""Hydraulics: chambers, sources, orifices. Pressures [Pa], volumes [m³], flows [m³/s] (SYM (23), (24)).

All have hydraulic ports; what is given for a port (`m.orifice("o", supply, chamber, …)`) is connected at once, the rest
by `m.connect`. Valves, pumps, lines and cylinders are in modules of their own.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import casadi as ca

from linkwork.components.given import End, Signal
from linkwork.components.wiring.connections import SeveralPorts, port_of
from linkwork.components.wiring.wired import TwoPort, Wired
from linkwork.core.errors import ModelError
from linkwork.core.kinds import anything, at_least, or_signal, positive
from linkwork.core.port import HYDRAULIC, Port
from linkwork.core.registry import component
from linkwork.geometry import SX, Number


def pressure_end(end: End, name: str) -> Port:
    """The hydraulic port that something stands for."""
    try:
        port = port_of(end)
    except SeveralPorts:
        raise  # it says which
    except ModelError:
        raise ModelError(
            f"{end!r} has no pressure.", component=name, remedy="Connect it to a chamber, a source or a hydraulic port."
        ) from None
    if port.domain is not HYDRAULIC:
        raise ModelError(
            f"{port.name} is {port.domain.name}: it has no pressure.", component=name, remedy="Give a hydraulic port."
        )
    return port


def turbulent(drop: SX, area: Number, discharge: Number, density: Number, laminar: Number) -> SX:
    """Flow through a sharp edge [m³/s] (SYM (23)): linear below a drop of about `laminar` [Pa], none for area 0."""
    return discharge * area * ca.sqrt(2 / density) * drop / ca.sqrt(ca.sqrt(drop**2 + laminar**2))


VACUUM = -101325.0
"""Absolute vacuum [Pa] where pressures count from that of the air, as with a tank at 0: no oil has less than that."""
BULK = positive.saying(cause="bulk modulus {given}.")
OPENING = or_signal(at_least(0, "It is not less than 0 (SI units)."))
VAPOUR = 1e6
"""How many times more a volume of oil gives way where it has become vapour."""


def give(p: SX, vapour: Number) -> SX:
    """How much more than oil without bubbles it gives way at a pressure p [Pa]: below `vapour` it boils."""
    return ca.if_else(p < vapour, VAPOUR, 1.0)


def squeezed(p: SX, vapour: Number) -> SX:
    """Energy [J] that oil of compliance V/K = 1 m³/Pa takes up from pressure 0 to p [Pa]: ∫ p give dp."""
    least = ca.fmin(p, vapour)
    return (ca.fmax(p, vapour) ** 2 + VAPOUR * (least**2 - vapour**2)) / 2


pressure = at_least(VACUUM, f"Pressures count from that of the air: none is below {VACUUM:g} Pa, absolute vacuum.")[
    "Pa"
]
"""Numbers that a pressure can be."""
Area: TypeAlias = Annotated[Number, positive["m²"], "of the opening"]
Discharge: TypeAlias = Annotated[Number, positive, "coefficient C_d"]
Density: TypeAlias = Annotated[Number, positive["kg/m³"], "ρ, of the oil"]
Laminar: TypeAlias = Annotated[
    Number,
    positive.saying(cause="laminar drop {given}.")["Pa"],
    "below about this drop the flow becomes linear: the root has an infinite slope at zero, which no real edge has",
]


@component
class Chamber(Wired):
    """A volume of compressible oil: V/K·ṗ = inflow − V̇ (SYM (24)).

    What is drawn out where the oil boils leaves vapour behind: the pressure stays there. Port: `a`.
    """

    def __init__(
        self,
        name: str,
        a: End = None,
        *,
        volume: Annotated[Number, positive["m³"], "V, at the zero position of cylinders that have this chamber"],
        bulk_modulus: Annotated[Number, BULK["Pa"], "K, of the oil"],
        pressure: Annotated[Number | None, pressure, "at the start, 0 unless given"] = None,
        vapour: Annotated[Number, pressure, "pressure at which the oil boils"] = VACUUM,
    ):
        super().__init__(name)
        self.volume, self.bulk_modulus, self.vapour = volume, bulk_modulus, vapour
        self.a = self.join_port("a", HYDRAULIC, a)
        self.pressure = self.variable("pressure", pressure, unit="Pa")
        self.pistons: list[tuple[Any, str]] = []
        """Cylinders whose oil this is, and which side of them: they add what they have opened up."""

    def equations(self):
        flow = self.volume / self.bulk_modulus * give(self.pressure, self.vapour) * self.der(self.pressure)
        return [self.pressure - self.a.p, flow - self.a.q]

    def stored(self):
        return self.volume / self.bulk_modulus * squeezed(self.pressure, self.vapour)

    def switches(self):
        return [self.pressure - self.vapour]

    def channels(self):
        swept = sum((c.swept(side) for c, side in self.pistons), SX(0))
        inflow = self.a.q + sum((c.ports[side].q for c, side in self.pistons), SX(0))
        return {
            "volume": ("m³", self.volume + swept),
            "inflow": ("m³/s", inflow),
            "energy": ("J", SX(self.stored())),
        }


@component
class PressureSource(Wired):
    """A pressure that is given. Port: `a`."""

    element = "Se"

    source = True

    def __init__(self, name: str, pressure: Annotated[Signal, or_signal(pressure)] = None, a: End = None):
        super().__init__(name)
        self.a = self.join_port("a", HYDRAULIC, a)
        self.take_signal("pressure", pressure)

    def equations(self):
        return [self.a.p - self.value("pressure")]

    def channels(self):
        return {"pressure": ("Pa", self.a.p), "flow": ("m³/s", -self.a.q)}


@component
class Tank(PressureSource):
    """A reservoir: its pressure stays the same whatever flows in."""

    def __init__(self, name: str, a: End = None, *, pressure: Annotated[Signal, or_signal(pressure), "in it"] = 0.0):
        super().__init__(name, pressure, a)


class Passage(TwoPort):
    """Lets oil flow between two ports; what it loses is heat. To add one: subclass and give `flow`, from a to b."""

    def __init__(self, name: str, a: End = None, b: End = None):
        if a is not None and a is b:
            raise ModelError(
                f"connects {getattr(a, 'name', a)!r} to itself.", component=name, remedy="Use two different ports."
            )
        super().__init__(name, HYDRAULIC, *(None if end is None else pressure_end(end, name) for end in (a, b)))
        self.a, self.b = self.first, self.second

    def flow(self) -> SX:
        """From a to b [m³/s]."""
        raise NotImplementedError

    def law(self):
        return [self.through - self.flow()]

    def lost(self):
        return self.through * self.drop

    def channels(self):
        return {"flow": ("m³/s", self.through), "drop": ("Pa", self.drop)}


class Edged(Passage):
    """A passage with a sharp edge."""

    def __init__(self, name: str, a: End, b: End, discharge: Number, density: Number, laminar: Number):
        super().__init__(name, a, b)
        self.discharge, self.density, self.laminar = discharge, density, laminar

    def throttled(self, area: Number, drop: SX) -> SX:
        """Flow [m³/s] through an area [m²]."""
        return turbulent(drop, area, self.discharge, self.density, self.laminar)


@component
class Orifice(Edged):
    """Turbulent throttling (SYM (23)): Q = C_d·A·√(2|Δp|/ρ)·sign Δp, from a to b."""

    def __init__(
        self,
        name: str,
        a: End = None,
        b: End = None,
        *,
        area: Annotated[Signal, OPENING["m²"], "A: a number, expression, function of t, table or signal"],
        discharge: Discharge = 0.611,
        density: Density = 860.0,
        laminar: Laminar = 100.0,
    ):
        super().__init__(name, a, b, discharge, density, laminar)
        self.take_signal("area", area)

    def flow(self):
        return self.throttled(self.value("area"), self.drop)


@component
class FlowSource(Passage):
    """A given flow from a to b, whatever pressure that takes."""

    element = "Sf"

    source = True

    def __init__(self, name: str, flow: Annotated[Signal, anything["m³/s"]] = None, a: End = None, b: End = None):
        super().__init__(name, a, b)
        self.take_signal("flow", flow)

    def flow(self):
        return self.value("flow")

    def lost(self):
        return 0
