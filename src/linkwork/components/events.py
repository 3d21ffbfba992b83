"""Events of the user: something crosses zero, its time is located, the run goes on or ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import casadi as ca

from linkwork.components.checked import expression
from linkwork.components.coordinate import Coordinate
from linkwork.core import kinds
from linkwork.core.component import Component, Marker, View
from linkwork.core.errors import ModelError
from linkwork.core.registry import component
from linkwork.geometry import SX, Number


@component
class Event(Component):
    """Locates the zeros of `function(*things)`."""

    def __init__(
        self,
        name: str,
        function: Annotated[Callable[..., Number], kinds.function, "gives what crosses zero"],
        *things: Annotated[
            Coordinate | Marker, "what it is a function of: joint coordinates (values), frames (p, x, y, z, v, w)"
        ],
        direction: Annotated[int, kinds.one_of(-1, 0, 1), "1: rising only, -1: falling only, 0: both"] = 0,
        action: Annotated[
            str,
            kinds.one_of("record", "stop", "restart"),
            'its time is recorded; or "stop": the run ends there, "restart": the equations have a kink there',
        ] = "record",
    ):
        super().__init__(name)
        for thing in things:
            if not isinstance(thing, (Coordinate, Marker)):
                raise ModelError(
                    f"{thing!r} is neither a coordinate nor a frame.",
                    component=name,
                    remedy="Give `O.angle` or `body.at(…)`.",
                )
        self.function, self.things, self.direction, self.action = function, things, direction, action

    def value(self, view: View) -> SX:
        arguments = [view.coordinate(x) if isinstance(x, Coordinate) else view.frame(x) for x in self.things]
        made = self.function(*arguments)
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
