"""One component alone, between bodies without mass: what it contributes is derived once, by the same formulation as
that of a small model, and serves all components that differ from it in numbers only."""

from __future__ import annotations

import copy
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from linkwork.components.bodies import Body, Ground, Solid
from linkwork.components.joint import Joint
from linkwork.core.component import Component
from linkwork.core.equations import Equations
from linkwork.core.errors import LinkworkError
from linkwork.core.model import Model
from linkwork.formulations import formulate
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import SX
from linkwork.large.slots import Reader, Slot, Unfit

NAME = "#"
"""Of the component in its prototype; bodies beside it are "#0", "#1"."""


@dataclass
class Instance:
    """A component: what it is, its numbers, and the bodies it is between (by their number in the model)."""

    component: Component
    key: Hashable
    slots: list[Slot]
    bodies: list[int]


def instance_of(model: Model, component: Component, numbers: dict[str, int]) -> Instance:
    """numbers: of the bodies, by name."""
    bodies: list[int] = []

    def end(body: Solid) -> object:
        if isinstance(body, Ground):
            return "ground"
        number = numbers[body.name]
        if number not in bodies:
            bodies.append(number)
        return bodies.index(number)

    reader = Reader(model, end)
    if isinstance(component, Body):
        reader.body(component)
        bodies.append(numbers[component.name])
    else:
        reader.component(component)
        for c in getattr(component, "coordinates", ()):
            reader.key.append(c.label)
            for law in c.laws:
                reader.law(c.name, law)
    return Instance(component, tuple(reader.key), reader.slots, bodies)


@dataclass
class Prototype:
    """The equations of one component alone. Symbols of its slots, and of the masses beside it, which are to be 0."""

    equations: Equations
    component: Component
    slots: list[SX]
    masses: list[SX] = field(default_factory=list)


def prototype_of(model: Model, like: Instance, stabilisation: Projection | Baumgarte | None) -> Prototype:
    """Derived from the first of its kind; an error names it."""
    component = like.component
    try:
        return _derived(model, like, stabilisation)
    except Unfit:
        raise
    except LinkworkError as error:
        own = (error.component or "").replace(NAME, component.name, 1) or component.name
        raise type(error)(error.cause, component=own, remedy=error.remedy) from error


def _derived(model: Model, like: Instance, stabilisation: Projection | Baumgarte | None) -> Prototype:
    alone = _empty(model)
    symbols: list[SX] = []

    def give(x: Slot) -> SX:
        nominal = x if not isinstance(x, SX) else 1.0
        symbols.append(alone.parameter(f"{NAME}{NAME}{len(symbols)}", nominal))
        return symbols[-1]

    masses: list[SX] = []
    ghosts = [] if isinstance(like.component, Body) else [_ghost(alone, k, masses) for k in range(len(like.bodies))]
    known = dict(zip(like.bodies, ghosts, strict=False))
    numbers = {b.name: k for k, b in enumerate(model.of_type(Body))} if ghosts else {}

    def end(body: Solid) -> Any:
        return alone.ground if isinstance(body, Ground) else known[numbers[body.name]]

    reader = Reader(model, end, give)
    if isinstance(like.component, Body):
        mass, inertia = reader.body(like.component)
        made: Component = alone.body(NAME, mass=mass, inertia=inertia)
    else:
        made = alone.add(_twin(like.component, reader))
    eq = formulate(alone, "absolute", stabilisation=stabilisation).in_time()
    if len(symbols) != len(like.slots):
        raise Unfit(like.component.name, "its numbers are not what its kernel takes")
    if eq.signals.taken and eq.symbols.inputs.numel() != len(model.inputs):
        raise Unfit(like.component.name, "it follows a table, or rates of inputs")
    return Prototype(eq, made, symbols, masses)


def _empty(model: Model) -> Model:
    """Nothing but the ground; gravity, time, parameters and inputs are those of the model."""
    alone = Model(model.name, gravity=model.gravity)
    alone.__dict__.update(
        t=model.t,
        courses=model.courses,
        _symbols=dict(model._symbols),
        parameters=dict(model.parameters),
        inputs=dict(model.inputs),
        units=dict(model.units),
    )
    return alone


def _ghost(alone: Model, k: int, masses: list[SX]) -> Body:
    names = ["mass", "Izz"] if alone.is_planar else ["mass", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"]
    made = [alone.parameter(f"{NAME}{k}{n}", 0.0 if n in ("Ixy", "Ixz", "Iyz") else 1.0) for n in names]
    masses += made
    return alone.body(f"{NAME}{k}", mass=made[0], inertia=made[1] if alone.is_planar else tuple(made[1:]))


def _twin(component: Component, reader: Reader) -> Component:
    """A copy with slots for its numbers, which belongs to no model yet."""
    twin = copy.copy(component)
    twin.__dict__.update(reader.component(component))
    twin.__dict__.update(name=NAME, model=None, _open={})
    if isinstance(component, Joint):
        coordinates = []
        for c in component.coordinates:
            own = copy.copy(c)
            own.__dict__.update(joint=twin, value=None, speed=None)
            reader.key.append(c.label)
            own.__dict__["laws"] = tuple(reader.law(c.name, law) for law in c.laws)
            coordinates.append(own)
        twin.__dict__["coordinates"] = tuple(coordinates)
    return twin
