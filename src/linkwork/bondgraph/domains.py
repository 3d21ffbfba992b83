"""Domains of power and their units; who says which, and where two of them meet on one bond."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from linkwork.bondgraph.elements import GY, TF, Element, Field, I, Junction
from linkwork.core import kinds
from linkwork.core.errors import ModelError, UnknownName

if TYPE_CHECKING:
    from linkwork.bondgraph.graph import Bond, BondGraph


@dataclass(frozen=True)
class Domain:
    """Units of effort, flow, displacement (∫ flow) and momentum (∫ effort)."""

    name: str
    effort: str = ""
    flow: str = ""
    displacement: str = ""
    momentum: str = ""
    power: str = "W"
    energy: str = "J"
    pseudo: bool = False
    """Effort × flow is no power: left out of energy balances."""


UNKNOWN = Domain("")
DOMAINS = {
    d.name: d
    for d in (
        Domain("translation", "N", "m/s", "m", "N·s"),
        Domain("rotation", "N·m", "rad/s", "rad", "N·m·s"),
        Domain("electrical", "V", "A", "C", "Wb"),
        Domain("hydraulic", "Pa", "m³/s", "m³", "Pa·s"),
        Domain("entropy", "K", "W/K", "J/K", ""),
        Domain("thermal", "K", "W", "J", "", power="K·W", energy="K·J", pseudo=True),
    )
}
"""By name. "thermal" carries heat flow, "entropy" entropy flow; neither has an inertia."""
ALIASES = {"mechanical": "translation"}


def named(name: object, component: str) -> str:
    """The domain's own name; "" stays unknown."""
    name = ALIASES.get(name, name) if isinstance(name, str) else kinds.said(name) or "?"
    if name and name not in DOMAINS:
        raise UnknownName("domain", str(name), [*DOMAINS, *ALIASES], component=component)
    return str(name)


def said(element: Element, port: int) -> str:
    """What an element itself says about one of its ports; "" where it says nothing."""
    given = element.domain
    if isinstance(given, (tuple, list)):
        if isinstance(element, Junction) or len(given) != element.ports:
            raise ModelError(
                f"{len(given)} domains {tuple(given)}.",
                component=element.name,
                remedy="Give one for all ports, or one for each port of a transformer, gyrator or field.",
            )
        given = given[port]
    return named(given, element.name)


def resolve(graph: BondGraph) -> dict[Bond, Domain]:
    """The domain of every bond, as far as it follows from what elements say: junctions pass it on."""
    names: dict[Bond, str] = {}
    by: dict[Bond, Element] = {}
    queue: deque[Bond] = deque()

    def tell(bond: Bond, name: str, who: Element) -> None:
        if not name:
            return
        if bond not in names:
            names[bond], by[bond] = name, who
            queue.append(bond)
        elif names[bond] != name:
            raise meeting(bond.tail.element, bond.head.element, (by[bond], names[bond]), (who, name))

    for bond in graph.bonds:
        for port in (bond.tail, bond.head):
            tell(bond, said(port.element, port.index), port.element)
    while queue:
        bond = queue.popleft()
        for port in (bond.tail, bond.head):
            if isinstance(port.element, Junction):
                for other in graph.bonds_of(port.element):
                    tell(other, names[bond], by[bond])
    domains = {b: DOMAINS[names[b]] if b in names else UNKNOWN for b in graph.bonds}
    _check(graph, domains)
    return domains


def units_of(bond: Bond, domain: Domain) -> Domain:
    """Units where no element says a domain: those of the bond's kind in a mechanism."""
    return DOMAINS.get(bond.kind, UNKNOWN) if domain is UNKNOWN else domain


def meeting(tail: Element, head: Element, one: tuple[Element, str], other: tuple[Element, str]) -> ModelError:
    """Two domains on one bond."""
    return ModelError(
        f"{one[1]} (said by {one[0].name!r}) meets {other[1]} (said by {other[0].name!r}) on one bond.",
        component=f"{tail.name} – {head.name}",
        remedy="Put a transformer or gyrator between them, or correct one of the two domains.",
    )


def _check(graph: BondGraph, domains: dict[Bond, Domain]) -> None:
    for element in graph.elements.values():
        mine = [domains[b] for b in graph.bonds_of(element)]
        inertia = isinstance(element, I) or (isinstance(element, Field) and element.kind == "I")
        if inertia and (strange := next((d for d in mine if d is not UNKNOWN and not d.momentum), None)):
            raise ModelError(
                f"there is no inertia in the {strange.name} domain.",
                component=element.name,
                remedy="Describe it by C and R elements.",
            )
        if isinstance(element, TF | GY) and len({d.pseudo for d in mine if d is not UNKNOWN}) == 2:
            names = " and ".join(d.name for d in mine)
            raise ModelError(
                f"joins {names}: effort × flow is a power on one side only.",
                component=element.name,
                remedy="Pass heat by a flow source MSf whose value is the power, bond.effort * bond.flow.",
            )
