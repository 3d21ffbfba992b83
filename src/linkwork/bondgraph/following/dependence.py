"""Which effort or flow is computed from which: the causal graph as a directed graph of its bond variables.

The junction structure (junctions, transformers, gyrators) hands variables on; all other elements are ports of it, which
give one variable of their bond and receive the other. Whatever is handed on along a path goes back along the same bonds
by the other variable of each (power is conserved), so paths between ports come in such pairs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field

from linkwork.bondgraph.assigning.causality import Causality
from linkwork.bondgraph.assigning.origins import EFFORT, FLOW, determining
from linkwork.bondgraph.elements import GY, TF, C, Constraint, Element, Field, Junction, Se, Sf
from linkwork.bondgraph.graph import Bond

Variable = tuple[str, Bond]
"""("e" or "f", bond)."""
INTEGRAL, DERIVATIVE, ALGEBRAIC, BREAK, SOURCE = "integral", "derivative", "algebraic", "break variable", "source"


@dataclass(frozen=True)
class End:
    """A port of the junction structure: what it gives and what it receives there."""

    element: Element
    port: int
    kind: str
    """A store in "integral" or "derivative" causality; "algebraic": a resistor or Eulerian gyrator; "break variable":
    an effort that enforces a flow; "source": given by time or position."""
    gives: Variable
    receives: Variable


@dataclass
class Dependence:
    """needs: of what is handed on, from what. feeds: the same, the other way. ends: by what they give."""

    needs: dict[Variable, list[Variable]] = field(default_factory=dict)
    feeds: dict[Variable, list[Variable]] = field(default_factory=dict)
    ends: dict[Variable, End] = field(default_factory=dict)

    def of_kind(self, *kinds: str) -> list[End]:
        return [end for end in self.ends.values() if end.kind in kinds]

    def through(self, variable: Variable) -> list[Variable]:
        """What a variable is computed from at once: by the junction structure or the law of an algebraic element."""
        end = self.ends.get(variable)
        if end is None:
            return self.needs[variable]
        if end.kind != ALGEBRAIC:
            return []
        if isinstance(end.element, Field):
            return [e.receives for e in self.of_kind(ALGEBRAIC) if e.element is end.element]
        return [end.receives]

    def back(self, start: Variable, *, algebraic: bool) -> dict[Variable, Variable | None]:
        """All that `start` is computed from, nearest first, each with what it serves on the shortest way.

        algebraic: through the laws of algebraic elements as well, otherwise within the junction structure.
        """
        follow = self.through if algebraic else lambda v: self.needs.get(v, [])
        served: dict[Variable, Variable | None] = {start: None}
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for v in follow(here):
                if v not in served:
                    served[v] = here
                    queue.append(v)
        return served

    def single(self, served: dict[Variable, Variable | None], start: Variable) -> bool:
        """Whether only one way leads from a variable to where a search back began, within the junction structure."""
        for v in way(served, start)[:-1]:
            if sum(w in served for w in self.feeds.get(v, [])) != 1:
                return False
        return True

    def cycle(self, first: Variable, last: Variable, among: Collection[Variable]) -> list[Variable]:
        """The shortest way from `first` to `last` within some variables of the junction structure."""
        before: dict[Variable, Variable | None] = {first: None}
        queue = deque([first])
        while queue and last not in before:
            here = queue.popleft()
            for v in self.feeds.get(here, []):
                if v in among and v not in before:
                    before[v] = here
                    queue.append(v)
        return way(before, last)[::-1]


def way(served: dict[Variable, Variable | None], start: Variable) -> list[Variable]:
    """From a variable along the links of a search to where that began."""
    path, here = [], start
    while True:
        path.append(here)
        after = served[here]
        if after is None:
            return path
        here = after


def other(variable: Variable) -> Variable:
    """The other one of the same bond: on the way back."""
    letter, bond = variable
    return ("f" if letter == "e" else "e", bond)


def dependence(causality: Causality) -> Dependence:
    """Of all bond variables of a causal graph."""
    flow = Dependence()
    kinds = {id(e): BREAK for e in causality.opened}
    stores = dict.fromkeys(causality.integral, INTEGRAL) | dict.fromkeys(causality.derivative, DERIVATIVE)
    for bond in causality.graph.bonds:
        for letter in ("e", "f"):
            variable = (letter, bond)
            element = determining(causality, bond, EFFORT if letter == "e" else FLOW)
            needs = _handed_on(causality, element, variable)
            if needs is None:
                port = bond.head.index if bond.head.element is element else bond.tail.index
                kind = kinds.get(id(element)) or stores.get((element, port)) or _kind(element)
                flow.ends[variable] = End(element, port, kind, variable, other(variable))
                continue
            flow.needs[variable] = needs
            for v in needs:
                flow.feeds.setdefault(v, []).append(variable)
    return flow


def _handed_on(causality: Causality, element: Element, variable: Variable) -> list[Variable] | None:
    """What the junction structure makes a variable from; None where the element is none of it."""
    letter, bond = variable
    if isinstance(element, Junction):
        others = [b for b in causality.graph.bonds_of(element) if b is not bond]
        if letter != ("f" if element.kind == 1 else "e"):
            return [(letter, b) for b in others]
        word = EFFORT if letter == "e" else FLOW
        return [(letter, b) for b in others if determining(causality, b, word) is not element][:1]
    if isinstance(element, TF | GY):
        across = next(b for b in causality.graph.bonds_of(element) if b is not bond)
        return [other((letter, across)) if isinstance(element, GY) else (letter, across)]
    return None


def _kind(element: Element) -> str:
    if isinstance(element, Constraint):
        return BREAK
    if isinstance(element, Se | Sf | C):  # a compliance that is no store: its displacement is known
        return SOURCE
    return ALGEBRAIC
