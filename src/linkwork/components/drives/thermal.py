"""Heat: capacities, conductors, given temperatures [K], heat flows [W]."""

from __future__ import annotations

from typing import Any

from linkwork.components.wiring.wired import TwoPort, Wired
from linkwork.core.port import THERMAL
from linkwork.core.registry import component


@component
class HeatCapacity(Wired):
    """C dT/dt = heat flow in; capacity C [J/K], temperature at the start [K]."""

    def __init__(self, name: str, a: Any = None, *, capacity: Any, temperature: Any = 293.15):
        super().__init__(name)
        self.positive("capacity", capacity)
        self.positive("temperature", temperature, zero=True)
        self.capacity, self.begin = capacity, temperature
        self.a = self.joined("a", THERMAL, a)
        self.temperature = self.variable("temperature", temperature, unit="K")

    def equations(self):
        return [self.a.T - self.temperature, self.capacity * self.der(self.temperature) - self.a.heat]

    def stored(self):
        return self.capacity * (self.temperature - self.begin)


@component
class HeatConductor(TwoPort):
    """Heat flow G (T_a − T_b); conductance G [W/K]."""

    def __init__(self, name: str, a: Any = None, b: Any = None, *, conductance: Any):
        super().__init__(name, THERMAL, a, b)
        self.positive("conductance", conductance)
        self.a, self.b, self.conductance = self.first, self.second, conductance

    def law(self):
        return [self.through - self.conductance * self.drop]

    def channels(self):
        return {"heat": ("W", self.through)}


@component
class TemperatureSource(Wired):
    """A given temperature [K]: a number, expression, function of t, table or signal."""

    element = "Se"

    source = True

    def __init__(self, name: str, temperature: Any = None, a: Any = None):
        super().__init__(name)
        self.a = self.joined("a", THERMAL, a)
        self.told("temperature", temperature)
        self.check_signal("temperature")

    def equations(self):
        return [self.a.T - self.value("temperature")]

    def channels(self):
        return {"heat": ("W", -self.a.heat)}


@component
class HeatSource(Wired):
    """A given heat flow [W] out of it."""

    element = "Sf"

    source = True

    def __init__(self, name: str, heat: Any = None, a: Any = None):
        super().__init__(name)
        self.a = self.joined("a", THERMAL, a)
        self.told("heat", heat)

    def equations(self):
        return [self.a.heat + self.value("heat")]
