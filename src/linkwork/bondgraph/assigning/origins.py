"""Where an effort or flow comes from: back through junctions and two-ports to the elements that determine it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from linkwork.bondgraph.elements import GY, TF, Element, Junction
from linkwork.bondgraph.graph import Bond

if TYPE_CHECKING:
    from linkwork.bondgraph.assigning.causality import Causality

EFFORT, FLOW = "effort", "flow"


@dataclass
class Origins:
    """elements: those that determine the variable, nearest first. via: junctions and two-ports passed."""

    elements: list[Element] = field(default_factory=list)
    via: list[Element] = field(default_factory=list)
    meeting: Junction | None = None
    """First junction passed."""
    shared: bool = False
    """Whether the variable is the one that all bonds of that junction have in common; else it balances the others."""


def origins(causality: Causality, bond: Bond, variable: str) -> Origins:
    """Of "effort" or "flow" of a bond. Stores, resistors and sources are not passed: they are the answer."""
    origin = Origins()
    elements: dict[str, Element] = {}
    via: dict[str, Element] = {}
    reached, queue = {(bond, variable)}, deque([(bond, variable)])
    while queue:
        b, what = queue.popleft()
        element = determining(causality, b, what)
        if isinstance(element, Junction):
            shared = (element.kind == 0) == (what == EFFORT)
            if origin.meeting is None:
                origin.meeting, origin.shared = element, shared
            needs = [
                (c, what)
                for c in causality.graph.bonds_of(element)
                if c is not b and (not shared or determining(causality, c, what) is not element)
            ]
        elif isinstance(element, TF | GY):
            other = next(c for c in causality.graph.bonds_of(element) if c is not b)
            needs = [(other, what if isinstance(element, TF) else _dual(what))]
        else:
            elements[element.name] = element
            continue
        via[element.name] = element
        queue.extend(n for n in needs if n not in reached)
        reached.update(needs)
    origin.elements, origin.via = list(elements.values()), list(via.values())
    return origin


def determining(causality: Causality, bond: Bond, variable: str) -> Element:
    """The element at the end of a bond that determines its effort or its flow: the stroke is where the flow is made."""
    end = causality.stroke[bond]
    return bond.at(end if variable == FLOW else "tail" if end == "head" else "head")


def _dual(variable: str) -> str:
    return FLOW if variable == EFFORT else EFFORT
