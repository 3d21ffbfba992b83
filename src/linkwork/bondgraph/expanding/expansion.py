"""From vector bonds to scalar bonds (BND 3.1.2): the same graph with one bond for each component.

The scalar graph takes over the causality of the vector graph: transformers keep the direction in which their matrices
are driven, so that no entry has to be inverted where it may vanish. Efforts and flows are the same component by
component; bonds of components share the symbols of the vector bond, so that whatever refers to them stays valid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import casadi as ca

from linkwork.bondgraph.assigning.causality import Causality
from linkwork.bondgraph.building import E
from linkwork.bondgraph.elements import GY, TF, Element, EulerGyrator, Field, Junction
from linkwork.bondgraph.expanding.scalar_parts import as_field, fresh, parts
from linkwork.bondgraph.expanding.scalar_structures import gyrator, ring, transformer
from linkwork.bondgraph.graph import Bond, BondGraph
from linkwork.bondgraph.reading.modulation import resolved
from linkwork.bondgraph.reading.reading import Dependent, Enforced, Reading, State, read
from linkwork.geometry import SX

AXES = "xyz"

Terminal = Element | tuple[Element, int]
"""A junction, or an element and its port."""


@dataclass
class Expanded:
    """The scalar graph with its causality, and where everything went."""

    source: Causality
    """Of the vector graph."""
    causality: Causality
    bonds: dict[Bond, list[Bond]] = field(default_factory=dict)
    """Vector bond → its components, in their order."""
    elements: dict[Element, list[Element]] = field(default_factory=dict)
    """Element → what stands for it: the components in their order, or a field, or junctions and two-ports."""

    @property
    def graph(self) -> BondGraph:
        return self.causality.graph

    def read(self, known: dict[str, SX] | None = None) -> Reading:
        """Efforts and flows of the scalar bonds. known: as in `read`, by the names of the vector graph."""
        given: dict[str, SX] = {}
        for name, value in (known or {}).items():
            made = self.elements[self.source.graph[name]]
            given |= {name: value} if len(made) == 1 else {e.name: value[i] for i, e in enumerate(made)}
        return resolved(read(self.causality, given))

    def gathered(self, reading: Reading) -> Reading:
        """What was read off the scalar graph, in the bonds and elements of the vector graph."""
        states = {s.element: s for s in reading.states}
        dependents = {d.element: d for d in reading.dependents}
        enforced = {e.element: e for e in reading.enforced}
        whole = Reading(loops=reading.loops)
        for old, new in self.bonds.items():
            whole.effort[old] = ca.vertcat(*(reading.effort[b] for b in new))
            whole.flow[old] = ca.vertcat(*(reading.flow[b] for b in new))
        for element, made in self.elements.items():
            if mine := [states[m] for m in made if m in states]:
                symbol, rate, start = (_stacked(mine, what) for what in ("symbol", "rate", "start"))
                whole.states.append(State(element, symbol, rate, start, mine[0].kind))
            if loose := [dependents[m] for m in made if m in dependents]:
                whole.dependents.append(Dependent(element, _stacked(loose, "symbol"), _stacked(loose, "amount")))
            if held := [enforced[m] for m in made if m in enforced]:
                whole.enforced.append(Enforced(element, _stacked(held, "symbol"), _stacked(held, "residual")))
        return whole

    def __repr__(self) -> str:
        return f"<Expanded {self.source.graph!r} to {self.graph!r}>"


def expand(causality: Causality) -> Expanded:
    """The graph of a causality with scalar bonds only."""
    return Expansion(causality).run()


class Expansion:
    """While it is being done. terminal: where a component of a port is bonded in the scalar graph."""

    def __init__(self, causality: Causality):
        self.causality, self.old = causality, causality.graph
        self.graph = _empty(self.old)
        self.made = Expanded(causality, Causality(self.graph, causality.method))
        self.terminal: dict[tuple[Element, int, int], Terminal] = {}
        self._spatial = any(b.size == 3 for b in self.old.bonds)
        self._taken = set(self.old.elements)

    def run(self) -> Expanded:
        for element in self.old.elements.values():
            self._element(element)
        for bond in self.old.bonds:
            self._bond(bond)
        self._inherit()
        return self.made

    def _element(self, element: Element) -> None:
        self.made.elements[element] = []
        sizes = [b.size for b in self.old.bonds_of(element)]
        if isinstance(element, Junction):
            self._junctions(element, sizes[0])
        elif all(n == 1 for n in sizes):
            same = self.add(fresh(element), element, element.label)
            self.terminal |= {(element, port, 0): (same, port) for port in range(element.ports)}
        elif isinstance(element, TF):
            transformer(self, element)
        elif isinstance(element, GY):
            gyrator(self, element)
        elif isinstance(element, EulerGyrator):
            ring(self, element)
        elif isinstance(element, Field):
            self._ports(element, [self.add(as_field(element), element, element.label)])
        else:
            self._ports(element, [self.add(e, element, e.label) for e in parts(self, element)])

    def _junctions(self, junction: Junction, size: int) -> None:
        names = self.suffixes(self.old.bonds_of(junction)[0]) if size > 1 else [""]
        for i, suffix in enumerate(names):
            name = self.free(f"{junction.name}-{suffix}") if suffix else junction.name
            label = f"{junction.label} {suffix}" if suffix and junction.label else junction.label
            self.terminal[junction, -1, i] = self.add(Junction(name, junction.kind), junction, label)

    def _ports(self, element: Element, made: list[Element]) -> None:
        """Terminals of elements that are bonded component by component."""
        k = 0
        for port in range(element.ports):
            for i in range(self.old.bond_at(element, port).size):
                self.terminal[element, port, i] = (made[0], k) if len(made) == 1 else (made[k], 0)
                k += 1

    def _bond(self, old: Bond) -> None:
        suffixes = self.suffixes(old) if old.size > 1 else [""]
        new = []
        for i, suffix in enumerate(suffixes):
            ends = [
                self.terminal[p.element, -1 if isinstance(p.element, Junction) else p.index, i]
                for p in (old.tail, old.head)
            ]
            b = self.graph.bond(*ends, kind=old.kind, name=f"{old.name}-{suffix}" if suffix else old.name)
            b.effort, b.flow = old.effort[i], old.flow[i]
            self.made.causality.stroke[b] = self.causality.stroke[old]
            new.append(b)
        self.made.bonds[old] = new

    def _inherit(self) -> None:
        """Causality of the components: that of the vector (BND's C1)."""
        old, new = self.causality, self.made.causality
        for known, mine in ((old.integral, new.integral), (old.derivative, new.derivative)):
            for element, port in known:
                for i in range(self.old.bond_at(element, port).size):
                    at = self.terminal[element, port, i]
                    mine += [at] if isinstance(at, tuple) else []
        new.opened = [e for element in old.opened for e in self.made.elements[element]]
        new.chosen = [b for bond in old.chosen for b in self.made.bonds[bond]]
        new.conflicts = list(old.conflicts)

    # what the structures use

    def add(self, element: E, origin: Element, label: str = "", ports: tuple[int, ...] = ()) -> E:
        """Take up what stands for (part of) `origin`. ports: which of its ports those of the new element are."""
        domain = element.domain or origin.domain
        if ports and not isinstance(domain, str):
            domain = domain[ports[0]] if len(ports) == 1 else tuple(domain[p] for p in ports)
        self.graph.add(element, group=origin.group, domain=domain)
        element.label = label
        self._taken.add(element.name)
        self.made.elements[origin].append(element)
        return element

    def bond(self, a: object, b: object, *, effort_to: Element, like: Bond, name: str) -> Bond:
        """A bond inside a structure; the effort goes to `effort_to`."""
        made = self.graph.bond(a, b, kind=like.kind, name=name)
        self.made.causality.stroke[made] = made.end_of(effort_to)
        return made

    def free(self, name: str) -> str:
        """The name, with a number behind it where it is taken."""
        free, k = name, 1
        while free in self._taken:
            k += 1
            free = f"{name}-{k}"
        self._taken.add(free)
        return free

    def suffixes(self, bond: Bond) -> list[str]:
        """x, y, z for vectors of the plane or of space, numbers for anything else."""
        if bond.kind and bond.size == (3 if self._spatial else 2):
            return list(AXES[: bond.size])
        return [str(i + 1) for i in range(bond.size)]


def _stacked(parts: Sequence[object], what: str) -> SX:
    return ca.vertcat(*(getattr(p, what) for p in parts))


def _empty(old: BondGraph) -> BondGraph:
    """A graph with the parameters, inputs and signals of another, without its elements and bonds."""
    new = BondGraph(old.name)
    new.t, new.signals, new.units = old.t, list(old.signals), dict(old.units)
    new.parameters, new.inputs, new._symbols = dict(old.parameters), dict(old.inputs), dict(old._symbols)
    return new
