"""Equations: the narrow waist between mechanics and numerics. Symbolic, with named unknowns."""

from linkwork.core.equations.at import At, Evaluator
from linkwork.core.equations.equations import Equations, expressions_in
from linkwork.core.equations.parts import (
    DRIVES,
    Algebraic,
    Constraints,
    Contacts,
    Deferred,
    Motion,
    Observation,
    Placed,
    Placement,
    Row,
    Signals,
    Stacked,
    Start,
    States,
    Symbols,
    stacked,
)

__all__ = [
    "DRIVES",
    "Algebraic",
    "At",
    "Constraints",
    "Contacts",
    "Deferred",
    "Equations",
    "Evaluator",
    "Motion",
    "Observation",
    "Placed",
    "Placement",
    "Row",
    "Signals",
    "Stacked",
    "Start",
    "States",
    "Symbols",
    "expressions_in",
    "stacked",
]
