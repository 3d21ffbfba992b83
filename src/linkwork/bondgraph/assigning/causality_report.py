"""A causal graph in words: a table of elements, then derivative causality, algebraic loops, conflicts, and remedies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from linkwork.bondgraph.assigning.conflicts import listed, said
from linkwork.bondgraph.assigning.origins import EFFORT, FLOW, origins
from linkwork.bondgraph.elements import GY, TF, C, Constraint, Element, Field, I, Junction, R, Se, Sf
from linkwork.bondgraph.graph import Bond

if TYPE_CHECKING:
    from linkwork.bondgraph.assigning.causality import Causality


def report(causality: Causality) -> str:
    graph = causality.graph
    head = (
        f"Causality of {graph.name} ({causality.method}): {len(graph.bonds)} bonds, "
        f"{len(causality.integral)} integral, {len(causality.derivative)} derivative, "
        f"{len(causality.chosen)} algebraic loop(s), {len(causality.conflicts)} conflict(s), "
        f"{len(causality.opened)} opened"
    )
    rows = [(said(e), words(causality, e)) for e in graph.elements.values() if not isinstance(e, Junction)]
    width = max((len(name) for name, _ in rows), default=0)
    table = [f"  {name:<{width}}  {text}" for name, text in rows]
    return "\n".join([head, *table, *(f"- {s}" for s in sentences(causality))])


def words(causality: Causality, element: Element) -> str:
    """Causality of one element in words."""
    bonds = [causality.graph.bond_at(element, port) for port in range(element.ports)]
    into = [causality.receives_effort(b, element) for b in bonds]
    if isinstance(element, TF):
        return _two_port(into, ("flow in at port 1, flow out at port 2", "effort in at port 1, effort out at port 2"))
    if isinstance(element, GY):
        return _two_port(into, ("flow in at both ports", "effort in at both ports"))
    if element in causality.opened:
        return "opened: an effort such that the flow has its value (Lagrange multiplier)"
    if len(bonds) > 1:
        return ", ".join(f"port {i + 1}: {_one_port(causality, element, i, x)}" for i, x in enumerate(into))
    return _one_port(causality, element, 0, into[0])


def _two_port(into: list[bool], texts: tuple[str, str]) -> str:
    return texts[1] if into[0] else texts[0]


def _one_port(causality: Causality, element: Element, port: int, into: bool) -> str:
    gives = "effort in, gives the flow" if into else "flow in, gives the effort"
    if (element, port) in causality.integral:
        return f"integral ({gives})"
    if (element, port) in causality.derivative:
        return f"derivative ({gives})"
    if isinstance(element, R) or (isinstance(element, Field) and element.kind == "R"):
        return f"{'conductance' if into else 'resistance'} ({gives})"
    return gives


def sentences(causality: Causality) -> Iterator[str]:
    """What a user should know, most urgent first."""
    for conflict in causality.conflicts:
        yield f"Conflict: {conflict}"
    for element in causality.opened:
        yield _opened(causality, element)
    for element, port in causality.derivative:
        yield _derivative(causality, element, port)
    for bond in causality.chosen:
        yield _loop(causality, bond)


def _sources(causality: Causality, bond: Bond, element: Element, variable: str) -> tuple[list[Element], str]:
    sources = origins(causality, bond, variable)
    passed: list[Element] = [e for e in sources.via if isinstance(e, TF | GY)]
    return [c for c in sources.elements if c is not element], f" through {listed(passed)}" if passed else ""


def _opened(causality: Causality, element: Element) -> str:
    causes, through = _sources(causality, causality.graph.bond_at(element, 0), element, FLOW)
    why = f": its flow is already determined by {listed(causes)}{through}" if causes else ""
    return (
        f"{said(element)} was turned into an effort such that the flow has its value{why}. The equations have a "
        f"constraint on that flow and its effort as a multiplier."
    )


def _derivative(causality: Causality, element: Element, port: int) -> str:
    bond = causality.graph.bond_at(element, port)
    what = EFFORT if causality.receives_effort(bond, element) else FLOW
    causes, through = _sources(causality, bond, element, what)
    where = f" (port {port + 1})" if element.ports > 1 else ""
    by = listed(causes) if causes else "the other elements together"
    text = f"{said(element)}{where} has derivative causality: its {what} is already determined by {by}{through}."
    sources: list[Element] = [c for c in causes if isinstance(c, Se | Sf | Constraint)]
    stores = [c for c in causes if _kind(c) == _kind(element)]
    if sources and not stores:
        return f"{text} {_imposed(sources, what)}"
    between = "a compliance on a 0-junction" if what == FLOW else "an inertia or a resistor on a 1-junction"
    if stores:
        quantity = "inertia" if _kind(element) == "I" else "compliance"
        square = " (times the square of the ratio)" if through else ""
        text += (
            f" Its {quantity} adds to that of {listed(stores)}: give the sum{square} to one of them, or put {between}"
        )
    else:
        text += f" It has no state of its own: put {between}"
    text += " between; or leave it, then its rate is solved for together with the others."
    return f"{text} {_LAGRANGIAN}" if any(isinstance(s, Sf) for s in sources) else text


_LAGRANGIAN = 'method="lagrangian" keeps its state and makes the effort of the flow source an unknown.'


def _imposed(sources: list[Element], what: str) -> str:
    names = listed(sources)
    if what == FLOW and any(isinstance(s, Sf) for s in sources):
        return (
            f"{names} must give whatever effort that takes, and the time derivative of the source is needed. "
            f"{_LAGRANGIAN}"
        )
    return (
        f"{names} must give whatever flow that takes, and the time derivative of the source is needed: "
        f"put a resistor between where the source is not ideal."
    )


def _loop(causality: Causality, bond: Bond) -> str:
    members: list[Element] = []
    for element in (e for e in causality.graph.elements.values() if isinstance(e, R | Field)):
        if _kind(element) != "R":
            continue
        for port in range(element.ports):
            own = causality.graph.bond_at(element, port)
            if own is bond or bond in _ancestors(causality, own):
                members.append(element)
                break
    if len(members) > 1:
        return (
            f"{listed(members)} form an algebraic loop: each needs what the others give. Their equations are solved "
            f"together; a small store between them would open the loop."
        )
    where = f" at {said(members[0])}" if members else ""
    return (
        f"The junctions determine bond {bond.name} ({bond.tail.element.name} – {bond.head.element.name}) only in a ring"
        f"{where}: an algebraic loop. It is solved for; a store or a resistor in the ring would open it."
    )


def _ancestors(causality: Causality, bond: Bond) -> set[Bond]:
    ancestors: set[Bond] = set()
    stack = [bond]
    while stack:
        b = stack.pop()
        if b not in ancestors:
            ancestors.add(b)
            stack.extend(causality.because[b][1] if b in causality.because else ())
    return ancestors


def _kind(element: Element) -> str:
    if isinstance(element, Field):
        return element.kind
    return next((s for s, t in (("I", I), ("C", C), ("R", R)) if isinstance(element, t)), "")
