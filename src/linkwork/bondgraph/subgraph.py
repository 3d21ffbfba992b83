"""Composite parts: a graph with named ports, to be inserted as often as wanted, each time with its own parameters."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import casadi as ca

from linkwork.bondgraph.building import Place
from linkwork.bondgraph.elements import Element
from linkwork.bondgraph.graph import BondGraph, Port, Signal, checked_default
from linkwork.core.component import checked_name, path_name
from linkwork.core.errors import ModelError, UnknownName
from linkwork.geometry import SX, Number


class Subgraph(BondGraph):
    """A part with ports. `part.port("shaft", junction)`; `g.insert(part, "left", R=2.0)` puts a copy into a graph."""

    def __init__(self, name: str = "part"):
        super().__init__(name)
        self.open: dict[str, Port] = {}

    def port(self, name: str, place: object) -> None:
        """Name a place where bonds from outside go: a junction, an element, or (element, port number from 0)."""
        if name in self.open:
            raise ModelError("this port exists already.", component=name, remedy="Choose another name.")
        self.open[checked_name(name)] = self._port(place)


class Inserted(Mapping[str, Place]):
    """A part inside a graph: its ports as attributes or items, its elements by `element(name)`, as in the part."""

    def __init__(self, name: str, ports: dict[str, Place], elements: dict[str, Element]):
        self.name, self._ports, self._elements = name, ports, elements

    def __getitem__(self, port: str) -> Place:
        if port not in self._ports:
            raise UnknownName("port", port, self._ports, component=self.name)
        return self._ports[port]

    def __getattr__(self, port: str) -> Place:
        if port.startswith("_"):
            raise AttributeError(port)
        return self[port]

    def __iter__(self) -> Iterator[str]:
        return iter(self._ports)

    def __len__(self) -> int:
        return len(self._ports)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._ports]

    def element(self, name: str) -> Element:
        if name not in self._elements:
            raise UnknownName("element", name, self._elements, component=self.name)
        return self._elements[name]


def insert(graph: BondGraph, part: Subgraph, name: str, **values: Number) -> Inserted:
    """Copy a part into a graph. Names become "name-element"; returns its ports.

    values: for parameters and inputs of the part, a number (a parameter "name-parameter" of the graph starts there)
    or an expression of the graph's own symbols, which takes its place.
    """
    graph._own()
    checked_name(name)
    if not isinstance(part, Subgraph):
        raise ModelError(f"{part!r} has no ports.", component=name, remedy="Insert a Subgraph.")
    if part is graph:
        raise ModelError("cannot be inserted into itself.", component=part.name, remedy="Make a graph to put it in.")
    if not part.open:
        raise ModelError("has no ports.", component=part.name, remedy='Name one: part.port("shaft", junction).')
    for word in values:
        if word not in part.parameters and word not in part.inputs:
            raise UnknownName("parameter or input", word, [*part.parameters, *part.inputs], component=part.name)
    _check_free(graph, part, name, values)
    old, new = [part.t], [graph.t]
    for own, make in ((part.parameters, graph.parameter), (part.inputs, graph.input)):
        for known, value in own.items():
            given = values.get(known, value)
            unit = part.units.get(known, "")
            new.append(given if isinstance(given, SX) else make(f"{name}-{known}", given, unit=unit))
            old.append(part._symbols[known])
    for signal in part.signals:
        old.append(signal.symbol)
        new.append(SX.sym(f"{name}-{signal.name}", *signal.symbol.shape))
    made = {own.name: _added(graph, own, name) for own in part.elements.values()}
    for bond in part.bonds:
        ends = [(made[p.element.name], p.index) for p in (bond.tail, bond.head)]
        twin = graph.bond(*ends, size=bond.size, kind=bond.kind, name=f"{name}-{bond.name}")
        old += [bond.effort, bond.flow]
        new += [twin.effort, twin.flow]
    substituted = _substitution(old, new)
    for element in made.values():
        for attribute, value in list(vars(element).items()):
            if attribute != "graph" and (isinstance(value, SX) or callable(value)):
                setattr(element, attribute, substituted(value))
    for signal, symbol in zip(part.signals, new[1 + len(part.parameters) + len(part.inputs) :], strict=False):
        graph.signals.append(
            Signal(
                f"{name}-{signal.name}",
                symbol,
                substituted(SX(signal.rate)),
                substituted(SX(signal.start)),
                signal.unit,
            )
        )
    ports = {port: (made[place.element.name], place.index) for port, place in part.open.items()}
    return Inserted(name, {port: at[0] if _is_junction(at[0]) else at for port, at in ports.items()}, made)


def _check_free(graph: BondGraph, part: Subgraph, name: str, values: Mapping[str, Number]) -> None:
    """All or nothing: a name or number that cannot be had is told before anything is copied."""
    symbols = [n for n in (*part.parameters, *part.inputs) if not isinstance(values.get(n), SX)]
    for own, taken in (
        (part.elements, graph.elements),
        (symbols, graph._symbols),
        ([s.name for s in part.signals], [s.name for s in graph.signals]),
    ):
        for known in own:
            if f"{name}-{known}" in taken:
                raise ModelError(
                    f"{name + '-' + known!r} is a name in {graph.name!r} already.",
                    component=name,
                    remedy="Insert the part under another name.",
                )
    for known in symbols:
        checked_default(values.get(known, 0.0), f"{name}-{known}")


def _added(graph: BondGraph, own: Element, name: str) -> Element:
    twin = copy.copy(own)
    object.__setattr__(twin, "graph", None)
    twin.name = path_name(f"{name}-{own.name}")
    twin.group = own.group and f"{name}-{own.group}" or name
    return graph.add(twin)


def _is_junction(element: Element) -> bool:
    return element.ports == 0


def _substitution(old: list[SX], new: list[SX]) -> Callable[[Any], Any]:
    def substituted(value: Any) -> Any:
        if isinstance(value, SX):
            return ca.substitute([value], old, new)[0]
        return lambda *arguments: ca.substitute([SX(value(*arguments))], old, new)[0]

    return substituted


BondGraph.register("insert", insert)
