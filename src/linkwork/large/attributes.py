"""Which attributes of a component say what it does, and which of them may be expressions."""

from __future__ import annotations

from functools import cache
from typing import Any

from linkwork.components.contacts.between import Between
from linkwork.core.component import Component
from linkwork.core.errors import LinkworkError
from linkwork.core.kinds import REFUSED
from linkwork.geometry import SX

DERIVED = {"name", "model", "made_by", "compliance", "_open", "_said", "_said_first"}
"""Attributes that hold nothing of what a component does, or are read otherwise."""
PLACED = {"coordinates", "_ends", "_point", "_axis", "_axis2", "_frames", "_chosen"}
"""Those of a joint that are read otherwise: its coordinates, and that by which it finds its frames."""
FOUND = {"_features"}
"""What a component of the library has found out and would find out again."""


def is_own(thing: object) -> bool:
    """Whether the class of a component or law is the user's."""
    return not type(thing).__module__.startswith("linkwork.")


def found_by(component: Component) -> set[str]:
    """Attributes that hold nothing but what it has found out: those of the library's classes and all made from them."""
    return FOUND if not is_own(component) or isinstance(component, Between) else set()


@cache
def takes_expressions(made: Any, word: str) -> bool | None:
    """Whether what a class declares by that word may be an expression; None: it declares nothing."""
    kind = made._kinds().get(word)
    if kind is None:
        return None
    try:
        return kind.read(SX.sym("x")) is not REFUSED
    except LinkworkError:
        return False
