"""Two elements want the same thing in two ways: what is said about it."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.bondgraph.assigning.origins import Origins
from linkwork.bondgraph.elements import GY, TF, C, Constraint, Element, EulerGyrator, Field, Junction, R, Se, Sf


@dataclass(frozen=True)
class Conflict:
    """elements: on the causal paths that meet. junction: where they meet, None where they are bonded directly."""

    elements: list[Element]
    junction: Element | None
    text: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.text} {self.remedy}"


def said(element: Element) -> str:
    """Symbol and name, as in a drawing: "I:mass"."""
    return f"{element.symbol}:{element.name}"


def listed(elements: list[Element], most: int = 4) -> str:
    names = [said(e) for e in elements[:most]]
    if len(elements) > most:
        return f"{', '.join(names)} and {len(elements) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def refused(element: Element, where: Origins) -> Conflict:
    """A fixed element does not get its causality. where: the origins of what it would give, and is given."""
    causes = [e for e in where.elements if e is not element]
    kinds: list[Element] = [e for e in where.via if isinstance(e, TF | GY)]
    through = f" through {listed(kinds)}" if kinds else ""
    others = listed(causes) if causes else "itself"
    stuck = [e for e in kinds if not e.invertible]  # type: ignore[attr-defined]
    if stuck and element not in stuck:
        through += f", which cannot be inverted ({listed(stuck)})"
    junction = where.meeting
    if junction is None:
        text = f"{_asks(element)}, but {others}{through}, to which it is bonded, asks for the same."
    elif where.shared:
        text = (
            f"{_asks(element)}, and {_named(junction)} has its {junction.common} already from {others}{through}: "
            f"only one bond may determine it."
        )
    else:
        text = (
            f"{_asks(element)}, and so does everything else on {_named(junction)} ({others}{through}): "
            f"nothing is left that determines its {junction.common}."
        )
    return Conflict([element, *causes, *where.via], junction, text, _remedy(element, [*causes, *where.via]))


def unbalanced(junction: Element, region: list[Element]) -> Conflict:
    """The junctions alone cannot be given strokes, whatever the other elements do."""
    return Conflict(
        [junction, *region],
        junction,
        f"{_named(junction)} and what it is joined to ({listed(region)}) determine "
        f"each other more than once: no strokes obey the rules of all of them.",
        "Two of these bonds say the same: take one out, or merge junctions of one kind that are bonded directly.",
    )


def _named(element: Element) -> str:
    return f"the {element.kind}-junction {element.name!r}" if isinstance(element, Junction) else said(element)


def _asks(element: Element) -> str:
    name = said(element)
    if isinstance(element, TF):
        return f"{name} cannot be inverted: flow must go in at its first port and come out at its second"
    if isinstance(element, GY):
        return f"{name} cannot be inverted: flow must go in at both its ports"
    if isinstance(element, Sf):
        return f"{name} imposes a flow"
    if isinstance(element, EulerGyrator):
        return f"{name} gives an effort and needs the flow"
    if isinstance(element, C):
        return f"{name} gives an effort, for its displacement is known"
    if isinstance(element, Se | Constraint):
        return f"{name} imposes an effort"
    if isinstance(element, R) and element.law is None:
        return f"{name} has a law from effort to flow only and needs the effort"
    return f"{name} has a law from flow to effort only and needs the flow"


def _remedy(element: Element, others: list[Element]) -> str:
    pair = [element, *others]
    if isinstance(element, R) and element.law is None:
        return f"Give R {element.name!r} its law from flow to effort, or a store next to it that determines the effort."
    if isinstance(element, R) or (isinstance(element, Field) and element.kind == "R"):
        return f"Give R {element.name!r} its `inverse`, or a store next to it that determines the flow."
    if any(isinstance(e, Sf) for e in pair):
        return (
            'Take method="relaxed" (or "lagrangian"), which turns a flow source into the effort that brings about its '
            "flow; or put a stiff compliance or a resistor between them; or take one out."
        )
    if any(isinstance(e, TF | GY) and not e.invertible for e in pair):
        return "Drive it from its first port, give it an invertible modulus, or put a compliance or a resistor between."
    return "Put a resistor between them (in series, on a 1-junction), or take one of them out."
