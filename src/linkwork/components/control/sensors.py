"""Sensors: anything of a model as a signal `y`. They take no power."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from linkwork.components.bodies import frame_of
from linkwork.components.coordinate import Coordinate
from linkwork.components.drives.motors import check_flange
from linkwork.components.given import Place
from linkwork.components.wiring.lines_of_action import wrench_is
from linkwork.components.wiring.wired import Wired
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.kinds import numbers, text
from linkwork.core.port import Port, PortComponent
from linkwork.core.registry import component
from linkwork.geometry import SX, dot


@component
class Sensor(Wired):
    """y = an expression of port variables and states of other components: `m.sensor("i", motor.current)`."""

    def __init__(
        self,
        name: str,
        expression: Annotated[SX, "of port variables and states, such as `chamber.pressure`"],
        *,
        unit: Annotated[str, text, "of the reading"] = "",
    ):
        super().__init__(name)
        if not isinstance(expression, SX) or expression.numel() != 1:
            raise ModelError(
                f"{expression!r} is not an expression of the model.",
                component=name,
                remedy="Give e.g. `chamber.pressure`; motion is for m.coordinate_sensor and m.frame_sensor.",
            )
        self.expression, self.unit = expression, unit
        self.y = self.output("y")

    def equations(self):
        return [self.y.value - self.expression]

    def channels(self):
        return {"reading": (self.unit, self.y.value)}


@component
class CoordinateSensor(Wired):
    """y = value, rate, acceleration or effort of a coordinate or flange."""

    kinds = ("value", "rate", "acceleration", "effort")

    def __init__(
        self,
        name: str,
        coordinate: Annotated[Coordinate | Port | PortComponent, "what it reads, such as `O.angle`"],
        what: Annotated[
            str, text, 'or "rate", "acceleration", "effort": the sum of the laws on it, without that of a servo'
        ] = "value",
    ):
        super().__init__(name)
        check_flange(name, coordinate)
        if what not in self.kinds:
            raise UnknownName("reading", what, self.kinds, component=name)
        if what == "effort" and not isinstance(coordinate, Coordinate):
            raise ModelError(
                "only coordinates have laws.", component=name, remedy="Use m.sensor(…, port.torque) for a flange."
            )
        self.coordinate, self.what = coordinate, what
        self.on = self.flange("on", coordinate)
        self.y = self.output("y")

    def reading(self) -> SX:
        x = self.on.potential
        if self.what == "effort":
            assert self.model is not None
            assert isinstance(self.coordinate, Coordinate)
            laws = [law for law in self.coordinate.laws if law is not self.coordinate.motion]
            return sum((SX(law.effort(self.model.t, x, self.der(x))) for law in laws), SX(0))
        for _ in range(self.kinds.index(self.what)):
            x = self.der(x)
        return x

    def equations(self):
        return [self.on.flow, self.y.value - self.reading()]

    def channels(self):
        domain = self.on.domain
        length = domain.potential_unit
        units = dict(zip(self.kinds, (length, f"{length}/s", f"{length}/s²", domain.flow_unit), strict=True))
        return {"reading": (units[self.what], self.y.value)}


@component
class FrameSensor(Wired):
    """y = a motion of a frame along a direction: position, velocity, acceleration [m, m/s, m/s²] or spin [rad/s]."""

    kinds = {"position": "m", "velocity": "m/s", "acceleration": "m/s²", "spin": "rad/s"}

    def __init__(
        self,
        name: str,
        at: Annotated[Place, "frame whose motion it reads"],
        what: Annotated[str, text, 'or "velocity", "acceleration", "spin"'] = "position",
        *,
        along: Annotated[
            Sequence[float] | np.ndarray, numbers, "direction, 2 or 3 numbers, in world axes or those of `base`"
        ] = (1, 0, 0),
        base: Annotated[
            Place | None,
            "frame it is seen from: its origin is taken off, and its velocity; accelerations are in world axes only",
        ] = None,
    ):
        super().__init__(name)
        if what not in self.kinds:
            raise UnknownName("reading", what, self.kinds, component=name)
        direction = np.append(np.array(along, float), [0.0])[:3] if np.shape(along) in ((2,), (3,)) else np.zeros(3)
        if not np.linalg.norm(direction) > 0:
            raise ModelError(f"along {along!r}.", component=name, remedy="Give a direction, 2 or 3 numbers.")
        if base is not None and what == "acceleration":
            raise ModelError("accelerations are seen from the world only.", component=name, remedy="Leave base=… out.")
        self.what, self.direction = what, direction / np.linalg.norm(direction)
        self.at = self.frame("at", frame_of(at, name))
        self.base = None if base is None else self.frame("base", frame_of(base, name))
        self.y = self.output("y")

    def reading(self) -> SX:
        at, u = self.at, SX(self.direction)
        if self.base is None:
            vector = {"position": at.p, "velocity": at.v, "acceleration": at.a, "spin": at.w}[self.what]
            return dot(vector, u)
        base, axis = self.base, self.base.R @ u
        if self.what == "spin":
            return dot(at.w - base.w, axis)
        away = dot(at.p - base.p, axis)
        return away if self.what == "position" else self.der(away)

    def equations(self):
        none = SX.zeros(3, 1)
        ports = [self.at] if self.base is None else [self.at, self.base]
        return [*(e for port in ports for e in wrench_is(port, none, none)), self.y.value - self.reading()]

    def channels(self):
        return {"reading": (self.kinds[self.what], self.y.value)}
