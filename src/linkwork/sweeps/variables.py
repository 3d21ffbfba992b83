"""What a sweep can vary: parameters, inputs, and start values of coordinates, which become parameters of a twin."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING

from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint
from linkwork.components.variables import Variable
from linkwork.core.component import naming
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.kinds import is_number

if TYPE_CHECKING:
    from linkwork.core.model import Model

RATE = ".rate"
START = ".start"
"""After the name of a coordinate or rate: its start value, to tell it from the channel."""


def with_starts(model: Model, names: Sequence[str]) -> Model:
    """The model, where only parameters and inputs vary; else a twin whose start values of that name are parameters."""
    coordinates = _coordinates(model)
    known = [*model.parameters, *model.inputs, *coordinates, *(f"{name}{RATE}" for name in coordinates)]
    starts = [name for name in names if name not in model.parameters and name not in model.inputs]
    for name in starts:
        if name not in known:
            raise UnknownName("parameter, input or start value", name, known, component=model.name)
    if not starts:
        return model
    twin = copy.copy(model)
    places = _coordinates(twin)
    for name in starts:
        place = places.get(name) or places[name.removesuffix(RATE)]
        now = place.value if name in places else place.speed
        owner, _, own = name.rpartition(".")
        with naming(owner):
            symbol = twin.parameter(own, float(now) if is_number(now) else 0.0, unit=_unit(place, name not in places))
        if name in places:
            place.start(symbol)
        else:
            place.start(rate=symbol)
    return twin


def check_apart(model: Model, names: Sequence[str], fixed: Sequence[str]) -> None:
    """What is varied cannot be given as well."""
    for name in names:
        if name in fixed:
            raise ModelError(
                "is both fixed and varied.", component=name, remedy="Name it in the design, or in parameters or inputs."
            )


def label(model: Model, name: str) -> str:
    """How a varied value is called beside channels: start values are told from the channels of their name."""
    return name if name in model.parameters or name in model.inputs else f"{name}{START}"


def coordinate_names(model: Model) -> tuple[str, ...]:
    """Channels of all coordinates of joints, and of generalised coordinates."""
    return tuple(_coordinates(model))


def _coordinates(model: Model) -> dict[str, Coordinate]:
    coordinates: list[Coordinate] = [c for joint in model.of_type(Joint) for c in joint.coordinates]
    return {c.name: c for c in [*coordinates, *model.of_type(Variable)]}


def _unit(place: Coordinate, rate: bool) -> str:
    return f"{place.unit}/s" if rate and place.unit else place.unit
