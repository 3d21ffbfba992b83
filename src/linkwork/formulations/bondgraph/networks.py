"""Components with ports as elements of a bond graph, with the power that each of their ports takes.

A node (ports that are connected) is a 0-junction, in one-dimensional mechanics a 1-junction; what lies between two
nodes sits on a junction of the other kind. The network is solved already: its elements are sources of what the
solution says, whatever their letter. At each node one bond gives the potential, along a tree; the others give flows.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import casadi as ca

from linkwork.bondgraph.elements import Junction, MSe, MSf, Se, Sf
from linkwork.components.wiring.connections import Flange
from linkwork.components.wiring.wired import TwoPort
from linkwork.core.port import Port, PortComponent
from linkwork.formulations.bondgraph.net import Multibond, colour_of
from linkwork.formulations.network import Writer
from linkwork.geometry import SX

DOMAINS = {"electric": "electrical", "rotational": "rotation", "translational": "translation"}
"""Names of domains in bond graphs, where they are others."""

Beside = tuple[Junction, bool, str]
"""A junction that is no node, whether it is mechanical, and the colour of its bonds."""


@dataclass(eq=False)
class Node:
    """Connected ports: their junction, and whether something gives its potential already."""

    ports: list[Port]
    junction: Junction
    given: bool

    @property
    def mechanical(self) -> bool:
        return self.ports[0].domain.power == "rate"


def networks(net: Multibond, writer: Writer) -> None:
    """Add all components with ports of a model to its graph."""
    _Network(net, writer).draw()


class _Network:
    def __init__(self, net: Multibond, writer: Writer):
        self.net, self.graph, self.writer = net, net.graph, writer
        self.nodes = [self._node(k, ports) for k, ports in enumerate(writer.solved.flat.nodes) if ports[0].domain.flow]
        self.node_of = {port: node for node in self.nodes for port in node.ports}

    def draw(self) -> None:
        branches = [c for c in self.writer.solved.flat.components if isinstance(c, TwoPort) and c.first.domain.flow]
        single = [
            port
            for c in self.writer.solved.flat.components
            if c not in branches
            for port in c.ports.values()
            if isinstance(port, Port) and port.domain.flow
        ]
        self._ends(single)
        tree = self._tree(branches, single)
        for c in branches:
            self._branch(c, tree.get(c))
        for node in self.nodes:  # a port that nothing is connected to
            if len(self.graph.bonds_of(node.junction)) == 1 and not isinstance(node.ports[0], Flange):
                kind = Se if node.mechanical else Sf
                plug = self.graph.add(kind(f"{node.junction.name}-plug", 0.0), label="0", domain=_domain(node.ports[0]))
                self.graph.bond(node.junction, plug, kind=self._colour(node))

    def _node(self, number: int, ports: list[Port]) -> Node:
        flange = next((p for p in ports if isinstance(p, Flange)), None)
        if flange is not None:
            return Node(ports, self.net.coordinate(flange.coordinate), True)
        kind = 1 if ports[0].domain.power == "rate" else 0
        label = ports[0].domain.potential
        return Node(ports, self.graph.junction(f"node-{number + 1}", kind, label=label, group=""), False)

    def _colour(self, node: Node) -> str:
        port = node.ports[0]
        if isinstance(port, Flange):
            return colour_of(port.coordinate)
        return _domain(port)

    def _ends(self, ports: list[Port]) -> None:
        """Ports of components that are no branch: the first one of a node that stores or fixes gives its potential."""
        for port in sorted(ports, key=lambda p: _letter(p.owner) not in ("C", "Se", "I")):
            node = self.node_of[port]
            gives = not node.given and len(node.ports) > 1 and (len(port.owner.ports) == 1)
            node.given = node.given or gives
            self._element(port, node, _one_port_name(port), *self._of(port, node), gives)

    def _of(self, port: Port, node: Node) -> tuple[SX, SX]:
        """(what is common at the node, what flows into the port)."""
        across = port.quantities[0].rate() if node.mechanical else port.potential
        return across, port.flow

    def _element(self, port: Port, node: Node | Beside, name: str, across: SX, through: SX, gives: bool) -> None:
        """A source at a junction: of the node's common quantity if it gives that, else of what flows."""
        effort = gives is not (node.mechanical if isinstance(node, Node) else node[1])
        (value,) = self.writer.in_states([across if gives else through])
        made = (MSe if effort else MSf)(name, ca.densify(value))
        element = self.graph.add(made, group=port.owner.name, label=port.owner.name, domain=_domain(port))
        element.symbol = _letter(port.owner)
        if isinstance(node, Node):
            element.part = port.owner.name
        junction, colour = (node.junction, self._colour(node)) if isinstance(node, Node) else (node[0], node[2])
        self.graph.bond(junction, element, kind=colour)

    def _tree(self, branches: list[TwoPort], single: list[Port]) -> dict[TwoPort, Node]:
        """{branch: the node whose potential it gives}, from nodes that have one; a part without any gets a root."""
        beside: dict[Node, list[TwoPort]] = {node: [] for node in self.nodes}
        for c in branches:
            for port in (c.first, c.second):
                beside[self.node_of[port]].append(c)
        tree: dict[TwoPort, Node] = {}
        waiting = deque(node for node in self.nodes if node.given)
        while True:
            while waiting:
                for c in beside[(here := waiting.popleft())]:
                    first, second = self.node_of[c.first], self.node_of[c.second]
                    there = second if first is here else first
                    if not there.given and c not in tree:
                        there.given, tree[c] = True, there
                        waiting.append(there)
            root = next((node for node in self.nodes if not node.given), None)
            if root is None:
                return tree
            root.given = True
            self._root(root)
            waiting.append(root)

    def _root(self, node: Node) -> None:
        """A potential that only equations fix: written down as a source that takes no power."""
        port = node.ports[0]
        across, _ = self._of(port, node)
        (value,) = self.writer.in_states([across])
        made = (MSf if node.mechanical else MSe)(f"{node.junction.name}-level", ca.densify(value))
        level = self.graph.add(made, label="level", domain=_domain(port))
        self.graph.bond(level, node.junction, kind=self._colour(node))

    def _branch(self, c: TwoPort, child: Node | None) -> None:
        """Between two nodes: a junction of the other kind, and the element on it. child: the node it gives to."""
        first, second = self.node_of[c.first], self.node_of[c.second]
        mechanical, colour = first.mechanical, self._colour(first)
        middle = self.graph.junction(f"{c.name}-through", 0 if mechanical else 1, group=c.name, label="")
        self.graph.bond(first.junction, middle, kind=colour)
        self.graph.bond(middle, second.junction, kind=colour)
        drop = c.first.potential - c.second.potential
        if mechanical:
            drop = c.first.quantities[0].rate() - c.second.quantities[0].rate()
        self._element(c.first, (middle, mechanical, colour), c.name, drop, c.first.flow, child is not None)


def _letter(c: PortComponent) -> str:
    """What it is called in a bond graph."""
    if c.element:
        return c.element
    if c.source:
        return "Se"
    if not ca.simplify(SX(c.lost())).is_zero():
        return "R"
    return "C" if not ca.simplify(SX(c.stored())).is_zero() else "TF"


def _one_port_name(port: Port) -> str:
    return port.owner.name if len(port.owner.ports) == 1 else f"{port.owner.name}-{port.label}"


def _domain(port: Port) -> str:
    return DOMAINS.get(port.domain.name, port.domain.name)
