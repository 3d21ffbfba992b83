"""Names of all that a model is made of, as expressions say them: symbols, components, ports, coordinates, frames."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint, JointCoordinate, JointPort
from linkwork.components.unknowns import State, Unknown
from linkwork.components.variables import Variable
from linkwork.components.wiring.connections import Flange
from linkwork.core.component import Component
from linkwork.core.model import Model
from linkwork.core.port import FramePort, Port, PortComponent, Quantity
from linkwork.core.signal import Table
from linkwork.files.language.operations import FUNCTIONS
from linkwork.files.language.writing import Unwritable, number
from linkwork.files.models import made
from linkwork.geometry import SX

RESERVED = {"t", "pi", "deg", "der", "true", "false", "none", "and", "or", "not", "shapes", "outlines"}
_PLAIN = re.compile(r"[^\W\d_]\w*\Z")


def said(name: str, taken: frozenset[str] = frozenset()) -> str:
    """A name of the model in an expression; taken: names that mean something else there."""
    plain = _PLAIN.match(name) and name not in RESERVED and name not in taken and name not in FUNCTIONS
    if plain and name not in made.FUNCTIONS:
        return name
    if "`" in name or "\n" in name:
        raise Unwritable(f"the name {name!r}, with a backtick or a line break in it")
    return f"`{name}`"


class Names:
    """Texts of everything that expressions of one model may speak of.

    taken: names that functions have for their arguments: names of the model that are the same are quoted.
    """

    def __init__(self, model: Model, tables: dict[int, str]):
        self.model, self.tables = model, tables

    def atoms(self, taken: frozenset[str] = frozenset()) -> dict[int, str]:
        """By the hash of its element: the text of every symbol and signal that expressions may hold."""
        model = self.model
        atoms = {model.t.element_hash(): "t"}
        for name in model.parameters:
            atoms[model._symbols[name].element_hash()] = said(name, taken)
        for name, course in model.courses.inputs.items():
            atoms[course.element_hash()] = said(name, taken)
        for table, scale, shift, course in model.courses.looked_up():
            time = "t" if scale == 1 else f"{number(scale)}*t"
            time += "" if shift == 0 else f" + {number(shift)}"
            if id(table) in self.tables:
                atoms[course.element_hash()] = f"{said(self.tables[id(table)], taken)}({time})"
        for component in model.components.values():
            begin = said(component.name, taken)
            atoms |= {symbol.element_hash(): f"{begin}.{word}" for word, symbol in symbols_of(component)}
            if isinstance(component, PortComponent):
                atoms |= {x.element_hash(): text for text, x in _rates(component, begin)}
        return atoms

    def part(self, thing: Any, taken: frozenset[str] = frozenset()) -> str | None:
        """The text of a component, port or coordinate; None: it is none of these."""
        if isinstance(thing, Flange):
            return self.part(thing.coordinate, taken)
        if isinstance(thing, Component):
            return self._own(thing, taken)
        if isinstance(thing, JointCoordinate):
            return f"{self._own(thing.joint, taken)}.{thing.label}"
        if isinstance(thing, Coordinate):
            return self._own(thing.owner, taken)
        if isinstance(thing, Port | FramePort | JointPort):
            return f"{self._own(thing.owner, taken)}.{thing.label}"
        if isinstance(thing, Table) and id(thing) in self.tables:
            return said(self.tables[id(thing)], taken)
        return None

    def _own(self, component: Component, taken: frozenset[str]) -> str:
        if self.model.components.get(component.name) is not component:
            raise Unwritable(f"{component.name!r}, which belongs to another model")
        return said(component.name, taken)


def symbols_of(component: Component) -> Iterator[tuple[str, SX]]:
    """(words behind its name, symbol) of all symbols that a component brings along."""
    if isinstance(component, Variable):
        yield from (("symbol", component.symbol), ("rate", component.rate))
    elif isinstance(component, State):
        yield "symbol", component.symbol
    elif isinstance(component, Unknown):
        yield from (("value", component.value), ("rate", component.rate))
        if component.second is not None:
            yield "second", component.second
    elif isinstance(component, PortComponent):
        for label, port in component.ports.items():
            if isinstance(port, Port):
                domain = port.domain
                for word, quantity in zip((domain.potential, domain.flow), port.quantities, strict=False):
                    yield f"{label}.{word}", quantity.symbol
        for label, quantity in component.variables.items():
            if label not in component.ports:
                yield label, quantity.symbol


def quantities_of(component: PortComponent) -> dict[int, Quantity]:
    """By the hash of the symbols of its derivatives: the quantities of a component."""
    own = [q for port in component.ports.values() if isinstance(port, Port) for q in port.quantities]
    return {x.element_hash(): q for q in [*own, *component.variables.values()] for x in q.chain}


def _rates(component: PortComponent, begin: str) -> Iterator[tuple[str, SX]]:
    """Derivatives that were asked for."""
    texts = {symbol.element_hash(): f"{begin}.{word}" for word, symbol in symbols_of(component)}
    for quantity in quantities_of(component).values():
        text = texts.get(quantity.symbol.element_hash(), "")
        for k, symbol in enumerate(quantity.chain[1:]):
            if text:
                yield "der(" * (k + 1) + text + ")" * (k + 1), symbol


def parts_of(component: Component) -> dict[str, Any]:
    """What a component has by name, for expressions: ports, coordinates, symbols."""
    parts: dict[str, Any] = {}
    if isinstance(component, Joint):
        parts |= {c.label: c for c in component.coordinates}
        parts |= {"port_a": component.port_a, "port_b": component.port_b}
    if isinstance(component, PortComponent):
        parts |= component.ports
    return parts | {word: symbol for word, symbol in symbols_of(component) if "." not in word}
