"""Hydraulics: chambers, sources, orifices. Pressures [Pa], volumes [m³], flows [m³/s] (SYM (23), (24)).

All have hydraulic ports; what is given for a port (`m.orifice("o", supply, chamber, …)`) is connected at once, the rest
by `m.connect`. Valves, pumps, lines and cylinders are in modules of their own.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from linkwork.components.wiring.connections import SeveralPorts, port_of
from linkwork.components.wiring.wired import TwoPort, Wired
from linkwork.core.errors import ModelError
from linkwork.core.port import HYDRAULIC, Port
from linkwork.core.registry import component
from linkwork.geometry import SX


def pressure_end(end: Any, name: str) -> Port:
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


def turbulent(drop: Any, area: Any, discharge: Any, density: Any, laminar: Any) -> SX:
    """Flow through a sharp edge [m³/s] (SYM (23)): linear below a drop of about `laminar` [Pa], none for area 0."""
    return discharge * area * ca.sqrt(2 / density) * drop / ca.sqrt(ca.sqrt(drop**2 + laminar**2))


VACUUM = -101325.0
"""Absolute vacuum [Pa] where pressures count from that of the air, as with a tank at 0: no oil has less than that."""
VAPOUR = 1e6
"""How many times more a volume of oil gives way where it has become vapour."""


def give(p: SX, vapour: Any) -> SX:
    """How much more than oil without bubbles it gives way at a pressure p [Pa]: below `vapour` it boils."""
    return ca.if_else(p < vapour, VAPOUR, 1.0)


def squeezed(p: SX, vapour: Any) -> SX:
    """Energy [J] that oil of compliance V/K = 1 m³/Pa takes up from pressure 0 to p [Pa]: ∫ p give dp."""
    least = ca.fmin(p, vapour)
    return (ca.fmax(p, vapour) ** 2 + VAPOUR * (least**2 - vapour**2)) / 2


def check_pressure(name: str, what: str, given: Any) -> None:
    """Refuse a number below absolute vacuum."""
    if given is not None and not isinstance(given, SX) and given < VACUUM:
        raise ModelError(
            f"{what} {given:g}.",
            component=name,
            remedy=f"Pressures count from that of the air: none is below {VACUUM:g} Pa, absolute vacuum.",
        )


@component
class Chamber(Wired):
    """A volume of compressible oil: V/K·ṗ = inflow − V̇ (SYM (24)).

    volume [m³] at the zero position of cylinders that have this chamber, bulk_modulus K [Pa], pressure at the start
    [Pa] (0 unless given), vapour: pressure [Pa] at which the oil boils. What is drawn out then leaves vapour behind:
    the pressure stays there. Port: `a`.
    """

    def __init__(
        self,
        name: str,
        a: Any = None,
        *,
        volume: Any,
        bulk_modulus: Any,
        pressure: Any = None,
        vapour: Any = VACUUM,
    ):
        super().__init__(name)
        check_pressure(name, "pressure", pressure)
        check_pressure(name, "vapour pressure", vapour)
        for what, given in (("volume", volume), ("bulk modulus", bulk_modulus)):
            self.positive(what, given)
        self.volume, self.bulk_modulus, self.vapour = volume, bulk_modulus, vapour
        self.a = self.joined("a", HYDRAULIC, a)
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
    """A pressure that is given [Pa]: a number, an expression, a function of t, a table or a signal. Port: `a`."""

    element = "Se"

    source = True

    def __init__(self, name: str, pressure: Any = None, a: Any = None):
        super().__init__(name)
        self.a = self.joined("a", HYDRAULIC, a)
        self.told("pressure", pressure)
        self.check_signal("pressure", VACUUM)

    def equations(self):
        return [self.a.p - self.value("pressure")]

    def channels(self):
        return {"pressure": ("Pa", self.a.p), "flow": ("m³/s", -self.a.q)}


@component
class Tank(PressureSource):
    """A reservoir: its pressure [Pa] stays the same whatever flows in."""

    def __init__(self, name: str, a: Any = None, *, pressure: Any = 0.0):
        super().__init__(name, pressure, a)


class Passage(TwoPort):
    """Lets oil flow between two ports; what it loses is heat. To add one: subclass and give `flow`, from a to b."""

    def __init__(self, name: str, a: Any = None, b: Any = None):
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

    def __init__(self, name: str, a: Any, b: Any, discharge: Any, density: Any, laminar: Any):
        super().__init__(name, a, b)
        for what, given in (("discharge", discharge), ("density", density), ("laminar drop", laminar)):
            self.positive(what, given)
        self.discharge, self.density, self.laminar = discharge, density, laminar

    def throttled(self, area: Any, drop: Any) -> SX:
        """Flow [m³/s] through an area [m²]."""
        return turbulent(drop, area, self.discharge, self.density, self.laminar)


@component
class Orifice(Edged):
    """Turbulent throttling (SYM (23)): Q = C_d·A·√(2|Δp|/ρ)·sign Δp, from a to b.

    area [m²] (a number or a signal), discharge C_d, density ρ [kg/m³]; laminar [Pa]: below about this drop the flow
    becomes linear, as the root has an infinite slope at zero, which no real orifice has.
    """

    def __init__(
        self,
        name: str,
        a: Any = None,
        b: Any = None,
        *,
        area: Any,
        discharge: Any = 0.611,
        density: Any = 860.0,
        laminar: Any = 100.0,
    ):
        super().__init__(name, a, b, discharge, density, laminar)
        self.told("area", area)
        self.check_signal("area")

    def flow(self):
        return self.throttled(self.value("area"), self.drop)


@component
class FlowSource(Passage):
    """A given flow from a to b [m³/s], whatever pressure that takes: a number, function of t, table or signal."""

    element = "Sf"

    source = True

    def __init__(self, name: str, flow: Any = None, a: Any = None, b: Any = None):
        super().__init__(name, a, b)
        self.told("flow", flow)

    def flow(self):
        return self.value("flow")

    def lost(self):
        return 0
