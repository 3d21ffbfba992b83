"""The signal-flow graph of a causal bond graph: efforts and flows are nodes, what an element makes of them are gains.

Every gain is c·sᵏ: k = −1 for a store in integral causality, +1 in derivative causality, 0 for all else. Where a law or
modulus is no number, c is its slope at the start of the graph, and what it depends on besides is a node as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TypeAlias

import casadi as ca

from linkwork.bondgraph.assigning.causality import Causality
from linkwork.bondgraph.assigning.conflicts import said
from linkwork.bondgraph.assigning.origins import EFFORT, FLOW, determining
from linkwork.bondgraph.constitutive import law, matrix
from linkwork.bondgraph.elements import GY, TF, C, Element, I, Junction, R, Se, Sf
from linkwork.bondgraph.graph import Bond, BondGraph
from linkwork.bondgraph.reading.known_symbols import check_own_model
from linkwork.core.errors import ModelError
from linkwork.geometry import SX

Node: TypeAlias = tuple[str, str]
"""("e" or "f", bond), ("signal", name), ("input", name), or what a reader adds."""


@dataclass(frozen=True)
class Gain:
    """From one node to another: c·sᵏ, with 1/c in the place of c where the law is used backwards."""

    coefficient: SX
    power: int = 0
    inverse: bool = False
    sign: int = 1
    element: Element | None = None
    """Whose law it is."""


@dataclass
class SignalFlow:
    """Nodes and gains; `by[a, b]` is the gain from a to b."""

    causality: Causality
    by: dict[tuple[Node, Node], Gain] = field(default_factory=dict)
    amounts: dict[str, SX] = field(default_factory=dict)
    """What nonlinear stores hold, as symbols: element → momentum or displacement."""
    _fresh: count[int] = field(default_factory=count)

    @property
    def graph(self) -> BondGraph:
        return self.causality.graph

    def add(self, a: Node, b: Node, gain: Gain) -> None:
        if (a, b) in self.by:  # a second way between the same two: by a node of its own
            middle = ("beside", f"{next(self._fresh)}")
            self.by[a, middle], self.by[middle, b] = gain, Gain(SX(1), element=gain.element)
        else:
            self.by[a, b] = gain


def signal_flow(causality: Causality) -> SignalFlow:
    """Of a graph whose bonds are scalar."""
    flow = SignalFlow(causality)
    graph = causality.graph
    _check(causality)
    nodes = {b.effort.element_hash(): ("e", b.name) for b in graph.bonds}
    nodes |= {b.flow.element_hash(): ("f", b.name) for b in graph.bonds}
    nodes |= {s.symbol.element_hash(): ("signal", s.name) for s in graph.signals}
    nodes |= {s.element_hash(): ("input", n) for n, s in zip(graph.inputs, graph.symbols(graph.inputs), strict=True)}
    reader = _Reader(flow, nodes)
    for bond in graph.bonds:
        reader.variable("e", bond)
        reader.variable("f", bond)
    for signal in graph.signals:
        reader.others(("signal", signal.name), SX(signal.rate), -1, None)
    return flow


def _check(causality: Causality) -> None:
    """What no signal-flow graph of scalars can show."""
    graph = causality.graph
    check_own_model(graph)
    remedy = "g.linearize() does without one."
    for bond in graph.bonds:
        if bond.size != 1:
            ends = f"{bond.tail.element.name} – {bond.head.element.name}"
            raise ModelError(
                f"is a vector bond ({ends}, {bond.size} components), and a signal-flow graph has scalars.",
                component=bond.name,
                remedy=remedy,
            )
    for element in [*causality.opened, *graph.elements.values()]:
        if element in causality.opened or not isinstance(element, Junction | TF | GY | Se | Sf | R | C | I):
            raise ModelError(
                f"{said(element)} is solved for and gives no gain: a signal-flow graph has none for it.",
                component=element.name,
                remedy=remedy,
            )
    for signal in graph.signals:
        if signal.symbol.numel() != 1:
            raise ModelError(
                "is a signal of several components, and a signal-flow graph has scalars.",
                component=signal.name,
                remedy=remedy,
            )


class _Reader:
    def __init__(self, flow: SignalFlow, nodes: dict[int, Node]):
        self.flow, self.nodes, self.causality = flow, nodes, flow.causality
        self.integral = {e.name for e, _ in self.causality.integral}

    def variable(self, letter: str, bond: Bond) -> None:
        """Gains into one bond variable, from the element that determines it."""
        element = determining(self.causality, bond, EFFORT if letter == "e" else FLOW)
        sign = 1 if bond.head.element is element else -1
        here = (letter, bond.name)
        if isinstance(element, Junction):
            self._junction(element, letter, bond, sign)
        elif isinstance(element, TF | GY):
            self._two_port(element, letter, bond)
        elif isinstance(element, Se | Sf):
            self.others(here, element.value, 0, element)
        elif isinstance(element, R):
            self._resistor(element, letter, bond, sign)
        elif isinstance(element, C) and element.displacement is not None:
            self.others(here, law(element.law, element.displacement), 0, element)
        elif isinstance(element, C | I):
            self._store(element, letter, bond, sign)

    def others(self, here: Node, value: SX, power: int, element: Element | None, but: SX | None = None) -> None:
        """Gains from whatever an expression depends on besides its own argument (`but`)."""
        for symbol in ca.symvar(value):
            node = self.nodes.get(symbol.element_hash())
            if node is not None and (but is None or symbol.element_hash() != but.element_hash()):
                self.flow.add(node, here, Gain(ca.jacobian(value, symbol), power, element=element))

    def _junction(self, junction: Junction, letter: str, bond: Bond, sign: int) -> None:
        others = [b for b in self.flow.graph.bonds_of(junction) if b is not bond]
        here = (letter, bond.name)
        if letter == ("f" if junction.kind == 1 else "e"):
            word = EFFORT if letter == "e" else FLOW
            others = [b for b in others if determining(self.causality, b, word) is not junction][:1]
            self.flow.add((letter, others[0].name), here, Gain(SX(1), element=junction))
            return
        for b in others:
            theirs = 1 if b.head.element is junction else -1
            self.flow.add((letter, b.name), here, Gain(SX(1), sign=-sign * theirs, element=junction))

    def _two_port(self, element: TF | GY, letter: str, bond: Bond) -> None:
        """f₂ = m f₁, e₁ = m e₂ or e₂ = r f₁, e₁ = r f₂; flows count in at the first port and out at the second."""
        graph = self.flow.graph
        first, second = graph.bond_at(element, 0), graph.bond_at(element, 1)
        across = second if bond is first else first
        gyrates = isinstance(element, GY)
        given = ({"e": "f", "f": "e"}[letter] if gyrates else letter, across)
        signs = {first: 1 if first.head.element is element else -1, second: -1 if second.head.element is element else 1}
        sign = (signs[bond] if letter == "f" else 1) * (signs[across] if given[0] == "f" else 1)
        forward = letter == "e" if gyrates else (letter == "f") == (bond is second)
        here, there = (letter, bond.name), (given[0], across.name)
        m = element.modulus
        self.flow.add(there, here, Gain(m, inverse=not forward, sign=sign, element=element))
        if ca.symvar(m):
            x = across.effort if given[0] == "e" else across.flow
            self.others(here, sign * (m * x if forward else x / m), 0, element, but=x)

    def _resistor(self, element: R, letter: str, bond: Bond, sign: int) -> None:
        here, there = (letter, bond.name), ("f" if letter == "e" else "e", bond.name)
        x = bond.flow if letter == "e" else bond.effort
        if not callable(element.law) and element.law is not None:
            self._number(here, there, matrix(element.law, 1), x, Gain(SX(1), 0, letter == "f", sign, element))
            return
        value = law(element.law, sign * x) if letter == "e" else sign * law(element.inverse, x)
        self.flow.add(there, here, Gain(ca.jacobian(value, x), element=element))
        self.others(here, value, 0, element, but=x)

    def _number(self, here: Node, there: Node, number: SX, x: SX, like: Gain) -> None:
        """A linear law, perhaps with a coefficient that depends on something."""
        self.flow.add(there, here, Gain(number, like.power, like.inverse, like.sign, like.element))
        if ca.symvar(number):
            sign = 1 if like.power < 0 and here[0] == "e" else like.sign  # what a compliance holds has its sign
            value = sign * (x / number if like.inverse else number * x)
            self.others(here, value, max(like.power, 0), like.element, but=x)

    def _store(self, element: C | I, letter: str, bond: Bond, sign: int) -> None:
        """Inertia: p = M f, ṗ = e; compliance: e = K d, ḋ = f. One of the two flows counts into the store."""
        here, there = (letter, bond.name), ("f" if letter == "e" else "e", bond.name)
        integral = element.name in self.integral
        power = -1 if integral else 1
        held = self.flow.amounts.setdefault(element.name, SX.sym(f"{element.name}.amount"))
        received = sign * bond.flow if letter == "e" else bond.effort
        x = held if integral else (bond.flow if letter == "e" else bond.effort)
        if not callable(element.law):
            backwards = isinstance(element, I) == integral
            self._number(here, there, matrix(element.law, 1), x, Gain(SX(1), power, backwards, sign, element))
            return
        function = element.law if integral else element.inverse
        if function is None:
            raise ModelError(
                "has a nonlinear law and derivative causality.",
                component=element.name,
                remedy="Give inverse=…, or a small store of its own to what determines it.",
            )
        value = law(function, held) if integral else law(function, received)
        if letter == "f":
            value = sign * value
        slope = ca.jacobian(value, x)
        self.flow.add(there, here, Gain(sign * slope if integral and letter == "e" else slope, power, element=element))
        self.others(here, value, max(power, 0), element, but=x)
