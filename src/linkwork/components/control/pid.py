"""The PID controller: on a coordinate, which it pushes, or between signals."""

from __future__ import annotations

from typing import Annotated

import casadi as ca

from linkwork.components.coordinate import Coordinate
from linkwork.components.drives.motors import check_flange
from linkwork.components.given import End, Signal
from linkwork.components.wiring.wired import Wired
from linkwork.core.errors import ModelError
from linkwork.core.kinds import nonnegative, positive, quantity
from linkwork.core.registry import component
from linkwork.geometry import SX, Number

BAND = 0.05
"""Share of the limit over which the integral is stopped."""


@component
class Pid(Wired):
    """A controller that brings x to `target`: kp e + ki ∫e dt + kd (ṙ − ẋ), e = r − x.

    Without a coordinate it takes the signal `measured` and gives the signal `y`.
    """

    source = True

    def __init__(
        self,
        name: str,
        coordinate: Annotated[End, "what it measures and pushes"] = None,
        target: Annotated[Signal, "r: a number, expression, function of t, table or signal"] = None,
        *,
        kp: Annotated[Number, quantity, "proportional gain"] = 0.0,
        ki: Annotated[Number, quantity, "integral gain"] = 0.0,
        kd: Annotated[Number, quantity, "derivative gain"] = 0.0,
        limit: Annotated[Number | None, positive, "largest effort, beyond which the integral stands still"] = None,
        measured: Annotated[Signal, "x as a signal, instead of a coordinate"] = None,
        filter: Annotated[Number, nonnegative["s"], "time constant of the derivative, 0: none"] = 0.0,
    ):
        super().__init__(name)
        check_flange(name, coordinate)
        if coordinate is not None and measured is not None:
            raise ModelError(
                "has both a coordinate and a measured signal.",
                component=name,
                remedy="Give the coordinate it measures and pushes, or measured=… and use its output y.",
            )
        self.kp, self.ki, self.kd, self.limit, self.filter = kp, ki, kd, limit, filter
        self.take_signal("target", target)
        unit = coordinate.unit if isinstance(coordinate, Coordinate) else ""
        self.acts = coordinate is not None
        if self.acts:
            self.on = self.flange("on", coordinate)
        else:
            self.take_signal("measured", measured)
            self.y = self.output("y")
        self.integral = self.variable("integral", 0.0, unit=f"{unit}·s" if unit else "s")
        self.smooth = None if SX(filter).is_zero() or SX(kd).is_zero() else self.variable("smoothed", 0.0, unit=unit)

    @property
    def error(self) -> SX:
        return self.value("target") - (self.on.potential if self.acts else self.value("measured"))

    def _asked(self) -> SX:
        e = self.error
        if SX(self.kd).is_zero():
            slope: Number = 0
        else:
            slope = self.der(e) if self.smooth is None else (e - self.smooth) / self.filter
        return self.kp * e + self.ki * self.integral + self.kd * slope

    def _effort(self) -> SX:
        asked = self._asked()
        return asked if self.limit is None else ca.fmax(-self.limit, ca.fmin(self.limit, asked))

    def equations(self):
        e, asked = self.error, self._asked()
        grows = e
        if self.limit is not None:
            # No winding up: beyond the limit it may only come back. A band, as a sharp edge would chatter.
            share = ca.fmin(ca.fmax(1 - (ca.fabs(asked) - self.limit) / (BAND * self.limit), 0), 1)
            grows = ca.if_else(asked * e > 0, share, 1) * e
        residuals = [self.der(self.integral) - grows]
        if self.smooth is not None:
            residuals.append(self.filter * self.der(self.smooth) - e + self.smooth)
        return [*residuals, self.on.flow + self._effort() if self.acts else self.y.value - self._effort()]

    def switches(self):
        return [] if self.limit is None else [self._asked() - self.limit, self._asked() + self.limit]

    def channels(self):
        unit, effort = (self.on.domain.potential_unit, self.on.domain.flow_unit) if self.acts else ("", "")
        return {"error": (unit, self.error), "effort": (effort, self._effort())}
