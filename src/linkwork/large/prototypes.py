"""One component alone, between bodies without mass: what it contributes is derived once, by the same formulation as
that of a small model, and serves all components that differ from it in numbers only."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import casadi as ca

from linkwork.components.bodies import Body, Ground, Solid
from linkwork.components.joint import Joint
from linkwork.core.component import Component, Element
from linkwork.core.equations import Equations, Row, expressions_in
from linkwork.core.errors import LinkworkError, ModelError
from linkwork.core.model import Model
from linkwork.core.signal import Table
from linkwork.formulations import formulate
from linkwork.formulations.contributions import gather
from linkwork.formulations.maximal_view import MaximalView
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import SX, Pose
from linkwork.large.attributes import found_by, is_own
from linkwork.large.borrowed import without_equations
from linkwork.large.slots import Reader, Slot, Unfit, bind

NAME = "#"
"""Of the component in its prototype; bodies beside it are "#0", "#1"."""


@dataclass
class Instance:
    """A component: what it is, its numbers, and the bodies it is between (by their number in the model)."""

    component: Component
    key: Hashable
    slots: list[Slot]
    bodies: list[int]
    tables: list[Table]
    joints: list[Joint]
    """Those whose coordinates it reads."""
    doubtful: bool = False
    strict: bool = False
    """See `Reader`."""
    soft: Mapping[Row, tuple[float, float]] = field(default_factory=dict)
    """Stiffness and damping of its rows, where they are springs."""


def instance_of(
    model: Model,
    component: Component,
    numbers: dict[str, int],
    *,
    strict: bool = False,
    soft: Mapping[Row, tuple[float, float]] | None = None,
) -> Instance:
    """numbers: of the bodies, by name; soft: of its rows, if they are springs."""
    bodies: list[int] = []

    def end(body: Solid) -> object:
        if isinstance(body, Ground):
            return "ground"
        number = numbers[body.name]
        if number not in bodies:
            bodies.append(number)
        return bodies.index(number)

    reader = Reader(model, end, strict=strict)
    if isinstance(component, Body):
        reader.body(component)
        bodies.append(numbers[component.name])
    else:
        reader.component(component)
        for c in component.coordinates if isinstance(component, Joint) else ():
            reader.key.append(c.label)
            for law in c.laws:
                reader.law(c.name, law)
    soft = soft or {}
    reader.key.append(tuple(soft))
    reader.slots += [x for pair in soft.values() for x in pair]
    found = reader.slots, bodies, reader.tables, reader.joints, reader.doubtful
    return Instance(component, tuple(reader.key), *found, strict, soft)


@dataclass
class Prototype:
    """The equations of one component alone. Symbols of its slots, and of the masses beside it, which are to be 0."""

    equations: Equations
    component: Component
    slots: list[SX]
    masses: list[SX] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    """Those that stand for the joints whose coordinates it reads."""


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
    alone = emptied(model)
    symbols: list[SX] = []

    def give(x: Slot) -> SX:
        nominal = x if not isinstance(x, SX) else 1.0
        symbols.append(alone.parameter(f"{NAME}{NAME}{len(symbols)}", nominal))
        return symbols[-1]

    masses: list[SX] = []
    ghosts = [] if isinstance(like.component, Body) else [ghost_of(alone, k, masses) for k in range(len(like.bodies))]
    known = dict(zip(like.bodies, ghosts, strict=False))
    numbers = {b.name: k for k, b in enumerate(model.of_type(Body))} if ghosts else {}
    joints: list[Joint] = []

    def end(body: Solid) -> Any:
        return alone.ground if isinstance(body, Ground) else known[numbers[body.name]]

    def borrow(joint: Joint, held: dict[str, Any]) -> Joint:
        joints.append(alone.add(without_equations(joint, held, len(joints))))
        return joints[-1]

    reader = Reader(model, end, give, borrow, courses=alone.courses, strict=like.strict)
    if isinstance(like.component, Body):
        mass, inertia = reader.body(like.component)
        made: Component = alone.body(NAME, mass=mass, inertia=inertia)
    else:
        made = added(alone, twin_of(like.component, reader))
    if joints or is_own(made) or (isinstance(made, Element) and type(made).efforts is not Element.efforts):
        _refuse_more(alone, like.component, joints, masses)
    softness = {row: (give(stiffness), give(damping)) for row, (stiffness, damping) in like.soft.items()}
    eq = formulate(alone, "absolute", stabilisation=stabilisation, softness=softness).in_time()
    if len(symbols) != len(like.slots):
        raise Unfit(like.component.name, "its numbers are not what its kernel takes")
    return Prototype(eq, made, symbols, masses, joints)


def added(alone: Model, twin: Component) -> Component:
    """What a class of the user's does when it joins a model is done already, and was done with the model's bodies."""
    if is_own(twin):
        twin.__dict__["attached"] = lambda model: None
    alone.add(twin)
    if is_own(twin):
        del twin.__dict__["attached"]
    return twin


def _refuse_more(alone: Model, component: Component, joints: list[Joint], masses: list[SX]) -> None:
    """What a kernel would not see, or others would not see of it: loads of joints, and masses of bodies."""
    view = MaximalView(alone)
    contributions = gather(alone, view)
    if isinstance(component, Element) and contributions.efforts:
        raise Unfit(component.name, "it acts along coordinates of joints")
    if any(joint in joints for joint in view.reactions):
        raise Unfit(component.name, "it asks for the reaction of another joint")
    column = ca.vertcat(SX(0, 1), *(ca.vec(ca.densify(x)) for x in expressions_in(vars(contributions))))
    if ca.depends_on(column, ca.vertcat(SX(0, 1), *masses)):
        raise Unfit(component.name, "it asks for the mass of a body")


def emptied(model: Model) -> Model:
    """Nothing but the ground; gravity, time, parameters and inputs are those of the model."""
    alone = Model(model.name, gravity=model.gravity)
    alone.__dict__.update(
        t=model.t,
        courses=model.courses.twin(),
        _symbols=dict(model._symbols),
        parameters=dict(model.parameters),
        inputs=dict(model.inputs),
        units=dict(model.units),
    )
    return alone


def ghost_of(alone: Model, k: int, masses: list[SX]) -> Body:
    names = ["mass", "Izz"] if alone.is_planar else ["mass", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"]
    made = [alone.parameter(f"{NAME}{k}{n}", 0.0 if n in ("Ixy", "Ixz", "Iyz") else 1.0) for n in names]
    masses += made
    body: Body = alone.body(f"{NAME}{k}", mass=made[0], inertia=made[1] if alone.is_planar else tuple(made[1:]))
    body.__dict__["start_pose"] = _nowhere
    return body


def as_named(name: str, component: Component) -> str:
    """A name in the prototype of a component as it is in the model."""
    return f"{component.name}{name.removeprefix(NAME)}" if name.startswith(NAME) else name


def _nowhere() -> Pose:
    """Where a body begins is its own, and not what components of a kind have in common."""
    raise ModelError("it asks where a body starts.")


def twin_of(component: Component, reader: Reader) -> Component:
    """A copy with slots for its numbers, which belongs to no model yet."""
    twin = copy.copy(component)
    twin.__dict__.update(reader.component(component))
    twin.__dict__.update(name=NAME, model=None, _open={})
    twin.__dict__.update({word: None for word in found_by(twin) if word in vars(twin)})
    bind(twin)
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
