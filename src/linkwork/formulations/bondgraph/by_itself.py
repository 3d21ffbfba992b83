"""The multibond graph of a mechanism as a model of its own: what a run needs is in it, and can be edited.

Positions are signals, integrals of the flows of the inertias (BND's position integrators); moduli, displacements and
laws are expressions of these signals and flows. Nothing of the mechanism is left but names and start values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import casadi as ca

from linkwork.bondgraph.constitutive import Expression, written_out
from linkwork.bondgraph.elements import TF, Constraint, Element, Sf
from linkwork.bondgraph.graph import BondGraph
from linkwork.components.contacts.joint_friction import JointLoad
from linkwork.components.control.feedback import Feedback
from linkwork.components.events import Event
from linkwork.components.joint import JointCoordinate
from linkwork.components.unknowns import Unknown
from linkwork.components.variables import Variable
from linkwork.core.courses import in_time
from linkwork.core.equations import Placement, Row
from linkwork.core.port import PortComponent
from linkwork.formulations.bondgraph.canonical import CanonicalMultibond
from linkwork.formulations.bondgraph.loads import filled
from linkwork.formulations.bondgraph.net import Multibond
from linkwork.formulations.bondgraph.zero_order import opened
from linkwork.formulations.contributions import Contributions, gather
from linkwork.formulations.maximal_view import MaximalView, qdot_of
from linkwork.formulations.order import Sizes
from linkwork.formulations.relative_twist import in_joint_axes
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model

PARTS = ("value", "modulus", "law", "inverse", "energy", "displacement")
"""Attributes of elements in which expressions of the mechanism stand."""


def stands_alone(model: Model) -> str | None:
    """Why the graph of a model is no model of its own; None: it is one."""
    for kind, why in (
        (PortComponent, "components with ports have equations that are not elements"),
        (Variable, "generalised coordinates have no inertia"),
        (Event, "events are not watched in a graph"),
        (Unknown, "equations of your own are not elements"),
        (Feedback, "what it adds to inputs is not an element"),
        (JointLoad, "reactions of joints are not signals of a graph"),
    ):
        components = model.of_type(kind)
        if components:
            return f"{components[0].name}: {why}"
    return (
        "tables over time are not signals of a graph"
        if any(x.source is not None and not isinstance(x.source, str) for x in model.courses.taken)
        else None
    )


def graph_of(
    model: Model, placement: Placement, *, joints: str, softness: Mapping[Row, tuple[float, float]] | None
) -> BondGraph:
    """The graph, at the start that was assembled. joints: "lagrange", "rc", "ideal" or "canonical"."""
    view = MaximalView(model)
    contributions = gather(model, view)
    in_joint_axes(view, contributions.position, lambda row: True)
    if joints == "ideal":
        net, _ = opened(view, contributions, softness)
    else:
        kind = CanonicalMultibond if joints == "canonical" else Multibond
        net = filled(kind(view, "lagrange", softness or {}), contributions)
    net.graph.closed = ""
    _place(net, contributions)
    _close(net, contributions, placement)
    return net.graph


def _place(net: Multibond, contributions: Contributions) -> None:
    """Blocking elements know where they should be, too: positions do not drift off."""
    position = dict(contributions.position)
    rows: dict[str, list[Row]] = {}
    for row, at in net.blocked.items():
        rows.setdefault(at.element, []).append(row)
    for name, mine in rows.items():
        element = net.graph.elements.get(name)
        if isinstance(element, Constraint | Sf) and all(row in position for row in mine):
            element.displacement = ca.vertcat(*(position[row] for row in mine))


def _close(net: Multibond, contributions: Contributions, placement: Placement) -> None:
    """Write everything in terms of signals and flows of the graph itself."""
    view, graph = net.view, net.graph
    flows = ca.vertcat(*(_flow(graph, name) for name in net.inertias()))
    counters = [SX.sym(f"{c.name}.turns") for c in view.turns]
    letters = view.of_body.names
    places = ca.vertcat(SX(0, 1), *(SX.sym(f"{b.name}.{k}") for b in view.bodies for k in letters))
    old = [view.q, view.v, *(view.turns[c] for c in view.turns)]
    values = [places, flows, *counters]

    def closed(expressions: list[SX]) -> list[SX]:
        return ca.substitute(in_time(view.in_states(expressions), net.model.courses), old, values)

    own = [change for part in graph.elements.values() for change in _changes(part)]
    own += _integrators(net, contributions, placement, places, dict(zip(view.turns, counters, strict=True)))
    # All at once: one by one, each would look for every symbol of the mechanism.
    for (_, take), x in zip(own, closed([SX(x) for x, _ in own]) if own else [], strict=True):
        take(x)
    start = view.start(placement)[view.q.numel() :]
    first = 0
    for name in net.inertias():
        element: Any = graph[name]
        element.start = SX(start[first : first + element.size])
        first += element.size
    graph._symbols = dict(zip(graph.parameters, net.model.symbols(graph.parameters), strict=True))
    graph._symbols |= dict(zip(graph.inputs, net.model.symbols(graph.inputs), strict=True))
    graph.units = dict(net.model.units)
    graph.length = max(Sizes(net.model).arm.values(), default=0.0) or 1.0


def _flow(graph: BondGraph, name: str) -> SX:
    bond = graph.bond_at(graph[name], 0)
    return bond.flow if bond.head.element.name == name else -bond.flow


Change = tuple[SX, Callable[[SX], object]]
"""An expression of the mechanism, and what takes it as one of the graph."""


def _changes(element: Element) -> Iterator[Change]:
    for word in PARTS:
        given: Any = vars(element).get(word)
        if isinstance(given, SX):
            yield given, partial(setattr, element, word)
        elif callable(given) and not isinstance(element, TF):
            plain = written_out(given, element.size)
            yield plain.value, partial(_set_law, element, word, plain.argument)


def _set_law(element: Element, word: str, argument: SX, value: SX) -> None:
    setattr(element, word, Expression(argument, value))


def _integrators(
    net: Multibond,
    contributions: Contributions,
    placement: Placement,
    places: SX,
    counters: dict[JointCoordinate, SX],
) -> list[Change]:
    """Rates of the positions of bodies, of counted turns, and of states of laws, which become signals."""
    view = net.view
    rates, start = qdot_of(view), view.start(placement)
    letters = view.of_body.names
    units = ["rad" if k == "angle" else "" if k.startswith("q") else "m" for k in letters]
    names = [(f"{b.name}.{k}", unit) for b in view.bodies for k, unit in zip(letters, units, strict=True)]
    states = [(name, rates[k], float(start[k]), places[k], unit) for k, (name, unit) in enumerate(names)]
    for c, counter in counters.items():
        turns = placement.first_order.get(f"{c.name}.turns", 0.0)
        states.append((f"{c.name}.turns", view.counted_rate(c), turns, counter, "rad"))
    known = {signal.name for signal in net.graph.signals} | {name for name, *_ in states}
    for name, symbol, rate in contributions.first_order:
        if name not in known:
            known.add(name)
            states.append((name, rate, placement.first_order.get(name, 0.0), symbol, ""))
    return [
        (rate, partial(_add_signal, net.graph, name, first, symbol, unit)) for name, rate, first, symbol, unit in states
    ]


def _add_signal(graph: BondGraph, name: str, start: float, symbol: SX, unit: str, rate: SX) -> None:
    graph.signal(name, rate, start, symbol, unit=unit)
