"""Electric drives and controllers that act on coordinates."""

from __future__ import annotations

from typing import Any

import casadi as ca

from linkwork.components.checked import positive
from linkwork.components.coordinate import Coordinate
from linkwork.components.laws import evaluate
from linkwork.core.component import Element, State
from linkwork.core.errors import ModelError
from linkwork.core.registry import component
from linkwork.geometry import SX


class _OnCoordinate(Element):
    """An element that pushes along a coordinate."""

    def __init__(self, name: str, coordinate: Coordinate):
        super().__init__(name)
        if not isinstance(coordinate, Coordinate):
            raise ModelError(f"{coordinate!r} is no coordinate.", component=name, remedy="Give e.g. `O.angle`.")
        self.coordinate = coordinate


@component
class DcMotor(_OnCoordinate):
    """A DC motor on a coordinate: L di/dt = u − R i − K n ω, torque n K i.

    voltage u [V]: a number, an expression (an input, say) or a function of t; resistance R [Ω]; inductance L [H];
    constant K [N·m/A = V·s/rad]; ratio n: motor turns per turn (radians per metre) of the coordinate; current at the
    start [A].
    """

    def __init__(
        self,
        name: str,
        coordinate: Coordinate,
        *,
        voltage: Any,
        resistance: Any,
        inductance: Any,
        constant: Any,
        ratio: Any = 1.0,
        current: Any = 0.0,
    ):
        super().__init__(name, coordinate)
        positive(name, "resistance", resistance)
        positive(name, "inductance", inductance)
        self.voltage, self.resistance, self.inductance = voltage, resistance, inductance
        self.constant, self.ratio, self.begin = constant, ratio, current
        self.symbol = SX.sym(f"{name}.current")

    def _voltage(self, view):
        return evaluate(self.voltage, SX, t=view.t)

    def _back(self, view):
        """Voltage that the motion induces."""
        return self.constant * self.ratio * view.rate(self.coordinate)

    def states(self, view):
        rate = (self._voltage(view) - self.resistance * self.symbol - self._back(view)) / self.inductance
        return [State(f"{self.name}.current", self.symbol, rate, self.begin, "A")]

    def efforts(self, view):
        return [(self.coordinate, self.ratio * self.constant * self.symbol)]

    def potential(self, view):
        return self.inductance * self.symbol**2 / 2

    def dissipation(self, view):
        return self.resistance * self.symbol**2

    def supply(self, view):
        return self._voltage(view) * self.symbol

    def channels(self, view):
        torque = self.ratio * self.constant * self.symbol
        return {"voltage": ("V", self._voltage(view)), "torque": (self.coordinate.effort_unit, torque)}


@component
class Pid(_OnCoordinate):
    """A controller that pushes a coordinate x towards `target`: kp e + ki ∫e dt + kd (ṙ − ẋ), e = r − x.

    target r: a number, an expression or a function of t; limit: largest effort, beyond which the integral stands still.
    """

    passive = False

    def __init__(
        self,
        name: str,
        coordinate: Coordinate,
        target: Any,
        *,
        kp: Any = 0.0,
        ki: Any = 0.0,
        kd: Any = 0.0,
        limit: Any = None,
    ):
        super().__init__(name, coordinate)
        self.target, self.kp, self.ki, self.kd, self.limit = target, kp, ki, kd, limit
        self.symbol = SX.sym(f"{name}.integral")

    def _error(self, view):
        """Error and what is asked for."""
        target = evaluate(self.target, SX, t=view.t)
        e = target - view.coordinate(self.coordinate)
        rate = ca.jacobian(target, view.t) - view.rate(self.coordinate)
        return e, self.kp * e + self.ki * self.symbol + self.kd * rate

    def _effort(self, view):
        asked = self._error(view)[1]
        return asked if self.limit is None else ca.fmax(-self.limit, ca.fmin(self.limit, asked))

    def states(self, view):
        e, asked = self._error(view)
        if self.limit is not None:  # no winding up: it may only come back
            e = ca.if_else(ca.logic_and(ca.fabs(asked) > self.limit, asked * e > 0), 0, e)
        return [State(f"{self.name}.integral", self.symbol, e, 0.0, f"{self.coordinate.unit}·s")]

    def efforts(self, view):
        return [(self.coordinate, self._effort(view))]

    def channels(self, view):
        c = self.coordinate
        return {"error": (c.unit, self._error(view)[0]), "effort": (c.effort_unit, self._effort(view))}
