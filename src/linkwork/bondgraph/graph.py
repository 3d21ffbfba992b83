"""The graph: elements joined by bonds. Checks that every port has one bond and that sizes agree."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.bondgraph import domains
from linkwork.bondgraph.building import Building, E
from linkwork.bondgraph.constitutive import read_numbers
from linkwork.bondgraph.elements import Domains, Element, Junction, Se, checked_size
from linkwork.core import kinds
from linkwork.core.component import checked_name, path_name
from linkwork.core.copying import Copied
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.face import BondGraphFace
from linkwork.core.symbol import Symbol
from linkwork.geometry import SX


@dataclass(frozen=True)
class Port:
    """A place on an element where one bond can be: index counts the element's ports (junctions have any number)."""

    element: Element
    index: int

    def __repr__(self) -> str:
        return f"{self.element.name}[{self.index}]"


@dataclass(eq=False)
class Bond:
    """A power bond; the half arrow is at the head. kind: "rotation", "translation" or "" (for colours and units)."""

    name: str
    tail: Port
    head: Port
    size: int
    kind: str = ""
    effort: SX = field(init=False)
    flow: SX = field(init=False)

    def __post_init__(self) -> None:
        self.effort, self.flow = SX.sym(f"{self.name}.e", self.size), SX.sym(f"{self.name}.f", self.size)

    def other(self, element: Element) -> Element:
        return self.head.element if self.tail.element is element else self.tail.element

    def at(self, end: str) -> Element:
        return (self.head if end == "head" else self.tail).element

    def end_of(self, element: Element) -> str:
        """ "head" or "tail": which end of the bond an element is at."""
        return "head" if self.head.element is element else "tail"

    def __repr__(self) -> str:
        return f"<bond {self.name}: {self.tail.element.name} → {self.head.element.name}>"


@dataclass
class Signal:
    """A displacement or other quantity that moduli depend on: its symbol, its rate, where it starts."""

    name: str
    symbol: SX
    rate: Any
    start: Any = 0.0
    unit: str = ""


def checked_default(value: object, name: str) -> float:
    """What a parameter or an input is unless told otherwise."""
    kind = kinds.number.saying("Give a finite default.", "{given} is not a finite number.")
    return float(kind.taken(name, value, name))


class BondGraph(BondGraphFace, Copied, Building):
    """Elements and bonds. `g.R("Ra", 0.5, at=loop)` adds an element, `g.bond(a, b)` a bond with power from a to b.

    Parameters are symbols with values, so that a graph compiled once can be run for others.
    What is done with it (`causality`, `paths`, `state_equations`, `insert`, and in layers above `draw`, `save`,
    `simulate`) is attached by `register`, each where it is written.
    """

    method: str = "scap"
    """How causality is assigned unless told otherwise."""

    of_model: str = ""
    """The model it was made from."""
    length: float = 1.0
    """Size of the mechanism it was made from [m]."""
    closed: str = ""
    """Why it is no model of its own, and cannot be changed or run: the component whose equations it lacks."""

    def __init__(self, name: str = "bond graph"):
        self.name = kinds.text.taken("name", name, "BondGraph")
        self.elements: dict[str, Element] = {}
        self.bonds: list[Bond] = []
        self.parameters: dict[str, float] = {}
        self.inputs: dict[str, float] = {}
        self.signals: list[Signal] = []
        self.units: dict[str, str] = {}
        self.t: SX = Symbol(SX.sym("t"))
        """Time [s], for expressions of your own."""
        self.memory: dict[Hashable, Any] = {}
        """Whatever is derived from the graph (equations, programs), until it changes."""
        self._symbols: dict[str, SX] = {}
        self._used: dict[str, set[int]] = {}
        self._bonds: dict[str, list[Bond]] = {}

    # building

    def add(self, element: E, *, group: str = "", domain: Domains = "", label: str = "") -> E:
        """An element made elsewhere. domain: "electrical", … (see `domains`), a pair for a two-port."""
        self._own()
        if not isinstance(element, Element):
            raise ModelError(
                f"{kinds.shown(element)} is not an element.", component=self.name, remedy="Add R, C, I, Se, Sf, TF, …"
            )
        if element.graph is not None and element.graph is not self:
            raise ModelError(
                f"is in the graph {element.graph.name!r} already.",
                component=element.name,
                remedy="Make another element, or insert a Subgraph to use a part twice.",
            )
        if element.name in self.elements:
            raise ModelError("the name is taken already.", component=element.name, remedy="Choose another name.")
        for word, given in (("group", group), ("label", label)):
            kinds.text.taken(word, given, element.name)
        if group:
            element.group = group
        if not isinstance(domain, str) or domain:
            element.domain = domain
        if label:
            element.label = label
        for port in range(element.ports) or (0,):
            domains.said(element, port)
        self.elements[element.name] = element
        self._used[element.name] = set()
        self._bonds[element.name] = []
        element.graph = self
        self.changed()
        return element

    def _own(self) -> None:
        """Refuse changes of a graph that only shows a model."""
        if self.closed:
            raise ModelError(
                f"was read from a mechanism and is not a model itself ({self.closed}): what is changed would take "
                "part in nothing.",
                component=self.name,
                remedy="Add a component to the model and ask for its graph again, or build your own lw.BondGraph.",
            )

    def discard(self, element: Element) -> None:
        """Take out an element that has no bond."""
        if self._bonds[element.name]:
            raise ModelError("has bonds.", component=element.name, remedy="Only what is not bonded can be taken out.")
        del self.elements[element.name], self._bonds[element.name], self._used[element.name]
        element.graph = None
        self.changed()

    def changed(self) -> None:
        """Forget what was derived from an earlier state of the graph."""
        self.memory.clear()

    def junction(self, name: str, kind: int, *, group: str = "", domain: str = "", label: str = "") -> Junction:
        return self.add(Junction(name, kind), group=group, domain=domain, label=label)

    def parameter(self, name: str, value: float, *, unit: str = "") -> SX:
        """A named number that can be changed without deriving or compiling anything again."""
        return self._symbol(name, value, unit, self.parameters)

    def input(self, name: str, value: float = 0.0, *, unit: str = "") -> SX:
        """A named signal; `simulate(…, inputs={name: function or (times, values) or number})` drives it."""
        return self._symbol(name, value, unit, self.inputs)

    def _symbol(self, name: str, value: float, unit: str, kind: dict[str, float]) -> SX:
        self._own()
        checked_name(name)
        if name in self._symbols:
            raise ModelError("the name is taken already.", component=name, remedy="Choose another name.")
        kind[name], self.units[name] = checked_default(value, name), kinds.text.taken("unit", unit, name)
        self._symbols[name] = Symbol(SX.sym(name))
        self.changed()
        return self._symbols[name]

    def symbols(self, names: Iterable[str]) -> list[SX]:
        return [self._symbols[n] for n in names]

    def signal(self, name: str, rate: object, start: object = 0.0, symbol: SX | None = None, *, unit: str = "") -> SX:
        """A displacement: the integral of `rate`, for moduli to depend on; rate may use `bond.flow`, `bond.effort`."""
        self._own()
        path_name(name)
        kinds.text.taken("unit", unit, name)
        if any(s.name == name for s in self.signals):
            raise ModelError("the name is taken already.", component=name, remedy="Choose another name.")
        read_numbers(rate, name, "rate")
        read_numbers(start, name, "start")
        self.changed()
        symbol = SX.sym(name) if symbol is None else symbol
        self.signals.append(Signal(name, symbol, rate, start, unit))
        return symbol

    def bond(self, a: object, b: object, *, size: int | None = None, kind: str = "", name: str = "") -> Bond:
        """Join a to b; power is positive from a to b. a, b: elements, their names, or (element, port) pairs."""
        self._own()
        for word, given in (("kind", kind), ("name", name)):
            kinds.text.taken(word, given, self.name)
        tail, head = self._port(a), self._port(b)
        if size is not None:
            checked_size(size, f"{tail.element.name} – {head.element.name}")
        if tail.element is head.element:
            raise ModelError("a bond joins it to itself.", component=tail.element.name, remedy="Bond two elements.")
        sizes = {s for p in (tail, head) if (s := self._size(p)) is not None} | ({size} if size else set())
        if len(sizes) > 1:
            raise ModelError(
                f"a bond of {self._said(tail)} to {self._said(head)}: sizes {sorted(sizes)} do not match.",
                component=f"{tail.element.name} – {head.element.name}",
                remedy="Give both ends the same number of components, or put a transformer with a matrix between.",
            )
        named = [domains.said(p.element, p.index) for p in (tail, head)]
        if all(named) and named[0] != named[1]:
            raise domains.meeting(tail.element, head.element, (tail.element, named[0]), (head.element, named[1]))
        self.changed()
        made = Bond(name or f"b{len(self.bonds) + 1}", tail, head, sizes.pop() if sizes else 1, kind)
        for p in (tail, head):
            self._used[p.element.name].add(p.index)
            self._bonds[p.element.name].append(made)
        self.bonds.append(made)
        return made

    def _said(self, port: Port) -> str:
        return f"{port.element.symbol} {port.element.name!r} ({self._size(port) or 'any size'})"

    def _size(self, port: Port) -> int | None:
        if isinstance(port.element, Junction):
            return next((b.size for b in self.bonds_of(port.element)), None)
        return port.element.sizes[port.index]

    def _port(self, given: object) -> Port:
        if isinstance(given, tuple) and len(given) != 2:
            raise ModelError(
                f"{given!r} is not a place for a bond.", component=self.name, remedy="Give (element, port)."
            )
        element, index = given if isinstance(given, tuple) else (given, None)
        if isinstance(element, str):
            if element not in self.elements:
                raise UnknownName("element", element, self.elements, component=self.name)
            element = self.elements[element]
        known = self.elements.get(getattr(element, "name", ""))
        if known is None or known is not element:
            raise ModelError(f"{element!r} is not in this graph.", component=self.name, remedy="Add it first.")
        used = self._used[element.name]
        if isinstance(element, Junction):
            return Port(element, max(used, default=-1) + 1)
        if index is None:
            index = next((i for i in range(element.ports) if i not in used), element.ports)
        elif isinstance(index, bool) or not isinstance(index, int | np.integer) or not 0 <= index < element.ports:
            raise ModelError(
                f"has no port {index!r}.",
                component=element.name,
                remedy=f"Its ports are {', '.join(str(i) for i in range(element.ports))}, counted from 0.",
            )
        if index == element.ports:
            raise ModelError(
                f"has {element.ports} port(s), all of which have a bond already.",
                component=element.name,
                remedy="Put a junction between.",
            )
        if index in used:
            raise ModelError(
                f"its port {index} has a bond already.", component=element.name, remedy="Put a junction between."
            )
        return Port(element, int(index))

    def prune(self) -> None:
        """Take out branches that lead nowhere: their effort is zero.

        A 1-junction with a single bond asks for no effort; a 0-junction or transformer hands that on to all its bonds.
        One-ports that nothing acts on stay, with an effort of zero.
        """
        idle = [b for j in self.of_type(Junction) if j.kind == 1 and len(bs := self.bonds_of(j)) == 1 for b in bs]
        while idle:
            bond = idle.pop()
            if bond not in self.bonds:
                continue
            ends = (bond.tail.element, bond.head.element)
            if any(not isinstance(e, Junction) and e.ports == 1 for e in ends):
                continue  # a store, source or resistor at the end of the only bond: that is no idle branch
            self.bonds.remove(bond)
            for end in ends:
                self._bonds[end.name].remove(bond)
                left = self._bonds[end.name]
                if not isinstance(end, Junction) or end.kind == 0 or len(left) == 1:
                    idle.extend(left)
                if not left:
                    del self.elements[end.name], self._bonds[end.name], self._used[end.name]
        self._leave_alone()
        self.changed()

    def _leave_alone(self) -> None:
        """No effort on 1-junctions with a single one-port, on which nothing acts at all."""
        for junction in self.of_type(Junction):
            if junction.kind == 1 and len(bonds := self.bonds_of(junction)) == 1:
                idle = self.add(Se(f"{junction.name}-none", 0.0, bonds[0].size), group=junction.group, label="0")
                self.bond(idle, junction, kind=bonds[0].kind)

    # asking

    def bonds_of(self, element: Element) -> list[Bond]:
        return self._bonds[element.name]

    def bond_at(self, element: Element, port: int) -> Bond:
        for b in self.bonds_of(element):
            if (b.tail.element is element and b.tail.index == port) or (
                b.head.element is element and b.head.index == port
            ):
                return b
        raise ModelError(
            f"nothing is bonded to its port {port + 1} of {element.ports}.",
            component=element.name,
            remedy="Bond it, or take the element out.",
        )

    def of_type(self, kind: type[E]) -> list[E]:
        return [e for e in self.elements.values() if isinstance(e, kind)]

    def check(self) -> None:
        """Every port has its bond; junctions have at least two."""
        for element in self.elements.values():
            if isinstance(element, Junction):
                if len(self.bonds_of(element)) < 2:
                    raise ModelError(
                        f"this {element.kind}-junction has {len(self.bonds_of(element))} bond(s).",
                        component=element.name,
                        remedy="A junction joins two bonds or more; g.prune() takes out what leads nowhere.",
                    )
            else:
                for port in range(element.ports):
                    self.bond_at(element, port)
        domains.resolve(self)

    def __getitem__(self, name: str) -> Element:
        if not isinstance(name, str) or name not in self.elements:
            raise UnknownName("element", kinds.said(name), self.elements, component=self.name)
        return self.elements[name]

    def __repr__(self) -> str:
        return f"<BondGraph {self.name!r}: {len(self.elements)} elements, {len(self.bonds)} bonds>"
