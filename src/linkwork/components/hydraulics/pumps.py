"""Pumps and hydraulic motors: oil on one side, a turning shaft on the other."""

from __future__ import annotations

from typing import Annotated

from linkwork.components.given import End, Signal
from linkwork.components.hydraulics.passages import pressure_end
from linkwork.components.wiring.wired import Wired
from linkwork.core.kinds import nonnegative, positive
from linkwork.core.port import HYDRAULIC, ROTATIONAL
from linkwork.core.registry import component
from linkwork.geometry import SX, Number


@component
class Pump(Wired):
    """Moves displacement·setting from suction to delivery per radian of its shaft; driven by oil, a motor.

    Ports: `suction`, `delivery`, `shaft`.
    """

    element = "TF"

    def __init__(
        self,
        name: str,
        shaft: End = None,
        suction: End = None,
        delivery: End = None,
        *,
        displacement: Annotated[Number, positive["m³/rad"], "volume per radian"],
        setting: Annotated[Signal, "a signal: 1 for a fixed displacement, −1 … 1 for a variable one"] = 1.0,
        leakage: Annotated[Number, nonnegative["m³/s per Pa"], "back inside"] = 0.0,
        friction: Annotated[Number, nonnegative["N·m·s/rad"], "of the shaft"] = 0.0,
    ):
        super().__init__(name)
        self.displacement, self.leakage, self.friction = displacement, leakage, friction
        self.shaft = self.join_port("shaft", ROTATIONAL, shaft)
        self.suction, self.delivery = (
            self.join_port(n, HYDRAULIC, None if end is None else pressure_end(end, name))
            for n, end in (("suction", suction), ("delivery", delivery))
        )
        self.take_signal("setting", setting)

    @property
    def rise(self) -> SX:
        """Pressure it builds up [Pa]."""
        return self.delivery.p - self.suction.p

    def equations(self):
        moved, speed = self.displacement * self.value("setting"), self.der(self.shaft.angle)
        return [
            self.suction.q + self.delivery.q,
            self.suction.q - moved * speed + self.leakage * self.rise,
            self.shaft.torque - moved * self.rise - self.friction * speed,
        ]

    def lost(self):
        return self.leakage * self.rise**2 + self.friction * self.der(self.shaft.angle) ** 2

    def channels(self):
        return {"flow": ("m³/s", self.suction.q), "rise": ("Pa", self.rise), "torque": ("N·m", self.shaft.torque)}
