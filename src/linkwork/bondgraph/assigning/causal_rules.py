"""What every element asks of causality: fixed, preferred or indifferent, port by port (BND 3.1.1 for C1 and C2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.algebra.rank import MIXED, rank_of
from linkwork.bondgraph.elements import (
    GY,
    TF,
    C,
    Constraint,
    Element,
    EulerGyrator,
    Field,
    I,
    Junction,
    R,
    Se,
    Sf,
)
from linkwork.bondgraph.graph import BondGraph
from linkwork.core.errors import ModelError
from linkwork.geometry import SX

FIXED, FLOW, RESISTANCE, STORE, EITHER = "fixed", "flow source", "resistance", "store", "either"
"""How strongly an element asks: always; always unless it may be opened; always, but without being a cause; if possible;
not at all."""


@dataclass(frozen=True)
class Wish:
    """One port of an element: effort_in says whether it would receive the effort (and determine the flow)."""

    element: Element
    port: int
    effort_in: bool
    strength: str


def wishes(graph: BondGraph) -> list[Wish]:
    """Of all elements but those that causality passes both ways, in the order they were added."""
    return [w for element in graph.elements.values() for w in _asked(element)]


def passes(element: Element) -> bool:
    """Whether causality passes through it both ways: junctions, invertible transformers and gyrators."""
    return isinstance(element, Junction) or (isinstance(element, TF | GY) and element.invertible)


def _asked(element: Element) -> Iterator[Wish]:
    if passes(element):
        return
    if isinstance(element, TF):
        # f₂ = m f₁ and e₁ = mᵀ e₂ need no inverse: flow in at the first port, flow out at the second
        yield Wish(element, 0, False, FIXED)
        yield Wish(element, 1, True, FIXED)
    elif isinstance(element, GY):
        # e₂ = r f₁ and e₁ = rᵀ f₂ need no inverse
        yield Wish(element, 0, False, FIXED)
        yield Wish(element, 1, False, FIXED)
    elif isinstance(element, Sf):
        yield Wish(element, 0, True, FLOW)
    elif isinstance(element, Se | Constraint | EulerGyrator):
        yield Wish(element, 0, False, FIXED)
    elif isinstance(element, C):
        yield Wish(element, 0, False, STORE if element.displacement is None else FIXED)
    elif isinstance(element, I):
        yield Wish(element, 0, True, STORE)
    elif isinstance(element, R) and element.law is None:
        yield Wish(element, 0, True, RESISTANCE)
    elif isinstance(element, R):
        fixed = not invertible(element.law, element.size) and element.inverse is None
        yield Wish(element, 0, False, RESISTANCE if fixed else EITHER)
    elif isinstance(element, Field):
        strength = STORE
        if element.kind == "R":
            known = invertible(element.law, element.size) or element.inverse is not None
            strength = EITHER if known else RESISTANCE
        for port in range(element.ports):
            yield Wish(element, port, element.kind == "I", strength)
    else:
        raise ModelError(
            f"no causality is known for a {type(element).__name__}.",
            component=element.name,
            remedy="Derive it from one of the elements of linkwork.bondgraph.elements.",
        )


def invertible(law: object, size: int) -> bool:
    """Whether a law e = law(f) of `size` components can be solved for f: numbers are looked at, symbols are trusted."""
    if callable(law) and not isinstance(law, SX):
        return False
    if isinstance(law, SX):
        if not law.is_constant():
            return True
        law = ca.DM(law).full()
    value = np.squeeze(np.asarray(law, dtype=float))
    if value.ndim < 2:
        return bool(np.all(value != 0.0))
    return bool(rank_of(value, MIXED) == size)
