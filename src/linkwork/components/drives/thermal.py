"""Heat: capacities, conductors, given temperatures [K], heat flows [W]."""

from __future__ import annotations

from typing import Annotated

from linkwork.components.given import End, Signal
from linkwork.components.wiring.wired import TwoPort, Wired
from linkwork.core.kinds import anything, at_least, nonnegative, or_signal, positive
from linkwork.core.port import THERMAL
from linkwork.core.registry import component
from linkwork.geometry import Number

TEMPERATURE = or_signal(at_least(0, "It is not less than 0 (SI units)."))


@component
class HeatCapacity(Wired):
    """C dT/dt = heat flow in."""

    def __init__(
        self,
        name: str,
        a: End = None,
        *,
        capacity: Annotated[Number, positive["J/K"], "C"],
        temperature: Annotated[Number, nonnegative["K"], "at the start"] = 293.15,
    ):
        super().__init__(name)
        self.capacity, self.begin = capacity, temperature
        self.a = self.join_port("a", THERMAL, a)
        self.temperature = self.variable("temperature", temperature, unit="K")

    def equations(self):
        return [self.a.T - self.temperature, self.capacity * self.der(self.temperature) - self.a.heat]

    def stored(self):
        return self.capacity * (self.temperature - self.begin)


@component
class HeatConductor(TwoPort):
    """Heat flow G (T_a − T_b)."""

    def __init__(
        self, name: str, a: End = None, b: End = None, *, conductance: Annotated[Number, positive["W/K"], "G"]
    ):
        super().__init__(name, THERMAL, a, b)
        self.a, self.b, self.conductance = self.first, self.second, conductance

    def law(self):
        return [self.through - self.conductance * self.drop]

    def channels(self):
        return {"heat": ("W", self.through)}


@component
class TemperatureSource(Wired):
    """A given temperature."""

    element = "Se"

    source = True

    def __init__(self, name: str, temperature: Annotated[Signal, TEMPERATURE["K"]] = None, a: End = None):
        super().__init__(name)
        self.a = self.join_port("a", THERMAL, a)
        self.take_signal("temperature", temperature)

    def equations(self):
        return [self.a.T - self.value("temperature")]

    def channels(self):
        return {"heat": ("W", -self.a.heat)}


@component
class HeatSource(Wired):
    """A given heat flow out of it."""

    element = "Sf"

    source = True

    def __init__(self, name: str, heat: Annotated[Signal, anything["W"]] = None, a: End = None):
        super().__init__(name)
        self.a = self.join_port("a", THERMAL, a)
        self.take_signal("heat", heat)

    def equations(self):
        return [self.a.heat + self.value("heat")]
