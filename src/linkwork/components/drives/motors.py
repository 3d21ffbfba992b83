"""Electric motors: current on one side, motion on the other."""

from __future__ import annotations

from typing import Annotated

from linkwork.components.coordinate import Coordinate
from linkwork.components.given import End, Signal
from linkwork.components.wiring.wired import Wired
from linkwork.core.errors import ModelError
from linkwork.core.kinds import anything, nonzero, positive
from linkwork.core.port import ELECTRIC, Port, PortComponent
from linkwork.core.registry import component
from linkwork.geometry import SX, Number


def check_flange(name: str, given: object) -> None:
    """Refuse what is neither a coordinate nor a port of something."""
    if given is not None and not isinstance(given, (Coordinate, Port, PortComponent)):
        raise ModelError(f"{given!r} is not a coordinate.", component=name, remedy="Give e.g. `O.angle`, or a flange.")


@component
class DcMotor(Wired):
    """A DC motor on a coordinate or flange: L di/dt = u − R i − K n ω, torque n K i.

    Without a voltage it has electric ports p and n. Flange: `shaft`.
    """

    element = "GY"

    source = True

    def __init__(
        self,
        name: str,
        coordinate: Annotated[End, "what it turns: a coordinate or a flange; None: connected later"] = None,
        *,
        voltage: Annotated[Signal, anything["V"], "u: a number, expression, function of t, table or signal"] = None,
        resistance: Annotated[Number, positive["Ω"], "R"],
        inductance: Annotated[Number, positive["H"], "L"],
        constant: Annotated[Number, nonzero["N·m/A = V·s/rad"], "K"],
        ratio: Annotated[Number, nonzero, "n, motor turns per turn (radians per metre) of the coordinate"] = 1.0,
        current: Annotated[Number | None, anything["A"], "at the start, 0 unless given"] = None,
        p: End = None,
        n: End = None,
    ):
        super().__init__(name)
        check_flange(name, coordinate)
        self.resistance, self.inductance = resistance, inductance
        self.constant, self.ratio = constant, ratio
        self.shaft = self.flange("shaft", coordinate)
        self.current = self.variable("current", current, unit="A")
        self.fed = voltage is None
        if self.fed:
            self.p, self.n = self.join_port("p", ELECTRIC, p), self.join_port("n", ELECTRIC, n)
        elif p is not None or n is not None:
            raise ModelError(
                "has both a voltage and electric ports.", component=name, remedy="Give voltage=…, or p=… and n=…."
            )
        else:
            self.take_signal("voltage", voltage)

    @property
    def voltage(self) -> SX:
        return self.p.v - self.n.v if self.fed else self.value("voltage")

    @property
    def torque(self) -> SX:
        return self.ratio * self.constant * self.current

    def equations(self):
        back = self.constant * self.ratio * self.der(self.shaft.potential)
        loop = self.inductance * self.der(self.current) - self.voltage + self.resistance * self.current + back
        circuit = [self.p.i - self.current, self.n.i + self.current] if self.fed else []
        return [loop, self.shaft.flow + self.torque, *circuit]

    def stored(self):
        return self.inductance * self.current**2 / 2

    def lost(self):
        return self.resistance * self.current**2

    def channels(self):
        return {"voltage": ("V", self.voltage), "torque": (self.shaft.domain.flow_unit, self.torque)}
