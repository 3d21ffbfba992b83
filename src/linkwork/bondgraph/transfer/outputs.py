"""Which effort or flow of which bond a channel's name means: "rotor.flow", "gear.port2.effort", "shaft.flow"."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.bondgraph.elements import C, Constraint, Element, I, Junction, Se, Sf
from linkwork.bondgraph.graph import Bond, BondGraph, Signal
from linkwork.core.errors import ModelError, UnknownName
from linkwork.geometry import SX

WORDS = {"effort": "e", "flow": "f", "momentum": "e", "displacement": "f"}


@dataclass(frozen=True)
class Measured:
    """A bond variable, as a channel counts it: sign · sᵏ · variable."""

    element: Element
    bond: Bond
    letter: str
    sign: int = 1
    power: int = 0


def measured(graph: BondGraph, channel: str) -> Measured:
    """The bond variable behind a channel of an element."""
    name, _, word = channel.rpartition(".")
    port = 0
    if name not in graph.elements:
        head, _, tail = name.rpartition(".")
        if head in graph.elements and tail.startswith("port") and tail[4:].isdigit():
            name, port = head, int(tail[4:]) - 1
    if name not in graph.elements or word not in WORDS:
        raise UnknownName("output", channel, _known(graph), component=graph.name)
    element = graph[name]
    if isinstance(element, Junction):
        if word != element.common:
            raise ModelError(
                f"a {element.kind}-junction has one {element.common}, and as many {word}s as bonds.",
                component=name,
                remedy=f"Take {name}.{element.common}, or the {word} of an element on it.",
            )
        return Measured(element, graph.bonds_of(element)[0], WORDS[word])
    bond = graph.bond_at(element, port)
    into = 1 if bond.head.element is element or isinstance(element, Se | Sf | Constraint) else -1
    if word in ("momentum", "displacement"):
        if not isinstance(element, I if word == "momentum" else C):
            raise UnknownName("output", channel, _known(graph), component=graph.name)
        return Measured(element, bond, WORDS[word], into if word == "displacement" else 1, -1)
    return Measured(element, bond, WORDS[word], into if word == "flow" else 1)


def measured_by(graph: BondGraph, signal: Signal) -> Measured | None:
    """The bond variable that a signal is the integral of, if it is a single one."""
    rate = SX(signal.rate)
    for bond in graph.bonds:
        for letter, x in (("e", bond.effort), ("f", bond.flow)):
            for sign in (1, -1):
                if bond.size == rate.numel() == 1 and ca.is_equal(rate, sign * x, 2):
                    return Measured(bond.head.element, bond, letter, sign)
    return None


def _known(graph: BondGraph) -> list[str]:
    names = [s.name for s in graph.signals]
    for e in graph.elements.values():
        if isinstance(e, Junction):
            names.append(f"{e.name}.{e.common}")
        elif e.ports == 1:
            names += [f"{e.name}.effort", f"{e.name}.flow"]
            names += [f"{e.name}.momentum"] if isinstance(e, I) else []
            names += [f"{e.name}.displacement"] if isinstance(e, C) else []
        else:
            names += [f"{e.name}.port{k + 1}.{word}" for k in range(e.ports) for word in ("effort", "flow")]
    return names
