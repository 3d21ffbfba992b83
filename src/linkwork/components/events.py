"""Events of the user: something crosses zero, its time is located, the run goes on or ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca

from linkwork.components.checked import expression
from linkwork.components.coordinate import Coordinate
from linkwork.core.component import Component, Marker, View
from linkwork.core.errors import ModelError
from linkwork.core.registry import component
from linkwork.geometry import SX


@component
class Event(Component):
    """Locates the zeros of `function(*things)`; things are joint coordinates (values) or frames (p, x, y, z, v, w).

    direction: +1 only rising, −1 only falling, 0 both. action: "record" the time, "stop" the run there, or "restart"
    the integrator there (the equations have a kink).
    """

    def __init__(
        self, name: str, function: Callable[..., Any], *things: Any, direction: int = 0, action: str = "record"
    ):
        super().__init__(name)
        if action not in ("record", "stop", "restart"):
            raise ModelError(f"action {action!r}.", component=name, remedy="It is 'record', 'stop' or 'restart'.")
        if direction not in (-1, 0, 1):
            raise ModelError(f"direction {direction}.", component=name, remedy="It is -1, 0 or 1.")
        for thing in things:
            if not isinstance(thing, (Coordinate, Marker)):
                raise ModelError(
                    f"{thing!r} is neither a coordinate nor a frame.",
                    component=name,
                    remedy="Give `O.angle` or `body.at(…)`.",
                )
        self.function, self.things, self.direction, self.action = function, things, direction, action

    def value(self, view: View) -> SX:
        seen = [view.coordinate(x) if isinstance(x, Coordinate) else view.frame(x) for x in self.things]
        made = self.function(*seen)
        crossing = expression("the function", made)
        if isinstance(made, bool) or crossing.is_op(ca.OP_NOT) or _compares(crossing):
            raise ModelError(
                "the function gives a truth value.",
                component=self.name,
                remedy="Give what crosses zero: x - 0.1 instead of x > 0.1.",
            )
        if crossing.is_constant():
            raise ModelError(
                f"the function gives {crossing} whatever happens: it never crosses zero.",
                component=self.name,
                remedy="Give an expression of coordinates, frames or time.",
            )
        return crossing


_COMPARISONS = (ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_AND, ca.OP_OR)


def _compares(x: SX) -> bool:
    return any(x.is_op(op) for op in _COMPARISONS)
