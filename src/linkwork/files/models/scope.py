"""What expressions of a model file may speak of: the model that is being built, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from linkwork.components import shapes
from linkwork.components.bodies import Solid
from linkwork.components.contacts.rolling import Moving
from linkwork.core.component import Component, Frame, Marker
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.kinds import shown
from linkwork.core.model import Model
from linkwork.core.port import Port, PortComponent, Quantity
from linkwork.core.signal import Table
from linkwork.files.folder import inside
from linkwork.files.models import made
from linkwork.files.models.names import parts_of, quantities_of
from linkwork.geometry import SX, Pose

_NUMBERS = {"pi": math.pi, "deg": math.pi / 180}
_FRAME = ("p", "R", "x", "y", "z", "turn")
_MOVING = ("v", "w")


class ModelScope:
    """Names are those of components, parameters, inputs and tables; folder: where files must lie that are named."""

    def __init__(self, model: Model, folder: Path):
        self.model, self.folder = model, folder
        self.tables: dict[str, Table] = {}

    def name(self, name: str, quoted: bool) -> Any:
        model = self.model
        if not quoted and name == "t":
            return model.t
        if name in model.courses.inputs:
            return model.courses.inputs[name]
        if name in model._symbols:
            return model._symbols[name]
        if name in model.components:
            return model.components[name]
        if name in self.tables:
            return self.tables[name]
        if not quoted and name in _NUMBERS:
            return _NUMBERS[name]
        known = [*model._symbols, *model.components, *self.tables, *made.FUNCTIONS, "t"]
        raise UnknownName("name", name, known)

    def attribute(self, of: Any, name: str) -> Any:
        if isinstance(of, Frame | Pose):
            known = (*_FRAME, *_MOVING) if isinstance(of, Frame) else _FRAME
            if name in known and getattr(of, name) is not None:
                return getattr(of, name)
            raise UnknownName("part of a frame", name, known)
        if isinstance(of, Moving):
            if name in ("value", "rate"):
                return getattr(of, name)
            raise UnknownName("part of a coordinate", name, ("value", "rate"))
        if isinstance(of, Port):
            words = {of.domain.potential: 0, of.domain.flow: 1, "potential": 0, "flow": 1}
            if name in words and name and words[name] < len(of.quantities):
                return of.quantities[words[name]].symbol
            raise UnknownName("variable", name, [w for w in words if w], component=of.name)
        if isinstance(of, Component):
            known_parts = parts_of(of)
            if name == "port" and isinstance(of, Solid):
                return of.port
            if name in known_parts:
                return known_parts[name]
            raise UnknownName("part", name, known_parts, component=of.name)
        raise LinkworkError(f"{shown(of)} has no part {name!r}.")

    def function(self, name: str) -> Callable[..., Any] | None:
        if name == "shapes.Mesh":
            return self._mesh
        if name == "der":
            return self._der
        return made.FUNCTIONS.get(name)

    def called(self, of: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        thing, word = of
        if word == "at" and isinstance(thing, Solid):
            return self._frame(thing, arguments, named)
        if word:
            thing = self.attribute(thing, word)
        if isinstance(thing, Table) and len(arguments) == 1 and not named:
            return thing(SX(arguments[0]))
        raise LinkworkError(f"{shown(thing)} cannot be called.", remedy="Functions are sin, Damper, shapes.Box, ….")

    def _frame(self, body: Solid, arguments: list[Any], named: dict[str, Any]) -> Marker:
        if set(named) - {"x", "y", "z", "rotation"} or len(arguments) > 3:
            raise LinkworkError("a frame has x, y, z and rotation.", component=body.name, remedy="Write at(x, y[, z]).")
        return body.at(*arguments, **named)

    def _mesh(self, file: object, *args: Any, **named: Any) -> shapes.Mesh:
        return shapes.Mesh(str(inside(self.folder, file)), *args, **named)

    def _der(self, x: Any) -> SX:
        """The derivative of a quantity of a port or component."""
        for component in self.model.of_type(PortComponent):
            quantity: Quantity | None = None
            if isinstance(x, SX) and x.numel() == 1:
                quantity = quantities_of(component).get(x.element_hash())
            if quantity is not None:
                order = [s.element_hash() for s in quantity.chain].index(x.element_hash())
                return quantity.rate(order + 1)
        raise LinkworkError(f"{shown(x)} has no derivative here.", remedy="Give a potential, a flow or a variable.")
