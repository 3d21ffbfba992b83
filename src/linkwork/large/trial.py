"""Whether components do with symbols what they do with numbers: code of the user's may ask what it is given.

Each component of a kind says what it says in one position of its bodies, in numbers; and the one that stands for all
says it with a symbol for each number. Where these differ once the symbols have their values, numbers are more than
numbers, and components that differ in them have nothing in common.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body
from linkwork.components.coordinate import Coordinate
from linkwork.components.events import Event
from linkwork.components.joint import Joint
from linkwork.components.laws import Law, Motion
from linkwork.core.component import Component, Constraint, Element
from linkwork.core.model import Model
from linkwork.core.signal import Table
from linkwork.formulations.maximal_view import MaximalView
from linkwork.geometry import SX, Number
from linkwork.large.borrowed import CourseOfOne
from linkwork.large.prototypes import as_named

if TYPE_CHECKING:
    from linkwork.large.prototypes import Instance, Prototype

AGREE = 1e-9
"""Largest difference, relative to 1 or the value."""


def tried(prototype: Prototype, alike: Sequence[Instance]) -> bool:
    """Whether all say what the one that stands for them says."""
    alone, model = prototype.component.model, alike[0].component.model
    assert alone is not None and model is not None
    view, slots = _Still(alone), ca.vertcat(SX(0, 1), *prototype.slots)
    view.turn_to([b.name for b in alone.of_type(Body)], [])
    symbolic, words = view.said(prototype.component, alone, slots)
    expected = ca.Function("said", [slots], [symbolic])
    bodies = model.of_type(Body)
    for one in alike:
        view.turn_to([bodies[k].name for k in one.bodies], one.tables)
        found, called = view.said(one.component, model)
        given = [view.in_numbers(SX(x), {}) for x in one.slots]
        wanted = np.array(expected(ca.DM(ca.vertcat(SX(0, 1), *given)))).ravel()
        if called != [as_named(word, one.component) for word in words]:
            return False
        if not found.is_constant() or found.numel() != wanted.size:
            return False
        if not np.all(np.abs(np.array(ca.DM(found)).ravel() - wanted) <= AGREE * (1 + np.abs(wanted))):
            return False
    return True


class _Still(MaximalView):
    """Bodies of a prototype in one position; and those of the model that they stand for."""

    def __init__(self, alone: Model):
        super().__init__(alone)
        self._random = np.random.default_rng(0)
        self._values: dict[Hashable, float] = {}
        self._places = list(self._frames.values())
        self._kept: list[SX] = []
        self._tables: list[Table] = []
        q = self._random.uniform(0.5, 1.5, self.q.numel())
        for i in range(len(self.bodies)):
            self.of_body.normalise(self.of_body.of(q, i))
        config = np.array(ca.Function("config", [self.q], [self.config_value])(q)).ravel()
        for symbol, x in zip(ca.vertsplit(self.config), config, strict=True):
            self._values[symbol.element_hash(),] = float(x)

    def turn_to(self, bodies: Sequence[str], tables: Sequence[Table]) -> None:
        """Bodies of these names are where those of the prototype are."""
        self._frames = dict(zip(bodies, self._places, strict=True))
        self._markers, self._measures, self._rates = {}, {}, {}
        self._tables = list(tables)

    def value(self, *key: Hashable) -> float:
        """A number that is the same for the same key."""
        if key not in self._values:
            self._values[key] = float(self._random.uniform(0.5, 1.5))
        return self._values[key]

    def symbol(self, *key: Hashable) -> SX:
        """A symbol that has a number."""
        x = SX.sym("x")
        self._values[x.element_hash(),] = self.value(*key)
        self._kept.append(x)
        return x

    def coordinate(self, c: Coordinate) -> SX:
        return self._measure(c)

    def rate(self, c: Coordinate) -> SX:
        return self.time_derivative(self._measure(c))

    def said(self, component: Component, model: Model, kept: SX | None = None) -> tuple[SX, list[str]]:
        """What a component says, with numbers for all symbols but those that are kept; and names, units, words."""
        own = component.states(self) if isinstance(component, Element) else []
        every = [*_said(component, self), *(x for s in own for x in (s.rate, s.start, s.name, str(s.unit)))]
        said, words = [SX(x) for x in every if not isinstance(x, str)], [x for x in every if isinstance(x, str)]
        keys: dict[int, Hashable] = {state.symbol.element_hash(): ("state", k) for k, state in enumerate(own)}
        keys |= {s.element_hash(): None for s in ca.vertsplit(kept)} if kept is not None else {}
        for taken in model.courses.taken:
            table = taken.source
            if isinstance(table, CourseOfOne) or (isinstance(table, Table) and table in self._tables):
                number = table.number if isinstance(table, CourseOfOne) else self._tables.index(table)
                keys[taken.symbol.element_hash()] = "table", number, taken.scale, taken.shift, taken.order
        return self.in_numbers(ca.vertcat(SX(0, 1), *(ca.vec(ca.densify(x)) for x in said)), keys), words

    def in_numbers(self, x: SX, keys: dict[int, Hashable]) -> SX:
        """keys: what symbols are known by, by hash; None: they stay."""
        symbols = [s for s in ca.symvar(x) if keys.get(s.element_hash(), "") is not None]
        values = [self.value(keys.get(s.element_hash(), s.element_hash())) for s in symbols]
        return ca.substitute(x, ca.vertcat(SX(0, 1), *symbols), SX(ca.DM(values).reshape((-1, 1)))) if symbols else x


def _said(component: Component, view: _Still) -> Iterator[Number | str]:
    if isinstance(component, Element):
        yield f"passive {component.passive}"
        for load in component.loads(view):
            yield from (view.frame(load.marker).p, load.force, load.torque)
        yield from (effort for _, effort in component.efforts(view))
        yield from (component.potential(view), component.dissipation(view), component.supply(view))
        yield from component.switches(view)
        for what, x in component.watched(view).items():
            yield from (f"{component.name} {what}", x)
        yield from _recorded(component, component.channels(view))
    if isinstance(component, Constraint):
        rows = *component.rows(view), *component.speed_rows(view)
        yield from rows
        multipliers = [SX(view.value("multiplier", k)) for k in range(len(rows))]
        yield from _recorded(component, component.held_by(view, multipliers))
    if isinstance(component, Joint):
        yield from _of_joint(component, view)
    if isinstance(component, Event):
        yield component.value(view)


def _recorded(component: Component, channels: Mapping[str, tuple[str, SX]]) -> Iterator[Number | str]:
    for name, (unit, x) in channels.items():
        yield from (f"{component.name}.{name}", unit, x)


def _of_joint(joint: Joint, view: _Still) -> Iterator[Number | str]:
    M, N = view.frame(joint.first), view.frame(joint.second)
    yield from joint.measure(M, N)
    moved = joint.moved({c.label: view.value("free", c.label) for c in joint.coordinates})
    yield from (moved.p, moved.R)
    for c in joint.coordinates:
        yield joint.clearance(c.label, M, N)
        for law in c.laws:
            yield from _of_law(law, view, c.label)


def _of_law(law: Law, view: _Still, label: str) -> Iterator[Number | str]:
    yield f"passive {law.passive}"
    x, v = view.symbol("x", label), view.symbol("v", label)
    yield from (law.effort(view.t, x, v), law.potential(x), law.dissipation(x, v), *law.switches(x))
    if isinstance(law, Motion):
        yield law.path(view.t, x, v)
