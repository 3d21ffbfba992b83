"""What a number is, for arguments, and how anything is shown in a message. Needs no CasADi: integrators know none."""

from __future__ import annotations

import math
import reprlib
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeGuard

import numpy as np


def shown(given: object) -> str:
    """What was given, short enough for a message."""
    if isinstance(given, int) and abs(given) > 10**20:
        return f"an integer of {int(given.bit_length() * 0.30103) + 1} digits"
    try:
        text = str(given) if _is_symbolic(given) else repr(given)
    except Exception:
        text = reprlib.repr(type(given))
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}…"


def said(name: object) -> str:
    """A name that was asked for, for the message that there is none."""
    return name if isinstance(name, str) else shown(name)


def number_in(given: Any) -> float | None:
    """The finite real number that was given, as Python has it; None: it is none."""
    if type(given) is float:
        return given if math.isfinite(given) else None
    if isinstance(given, np.ndarray) and given.ndim == 0:
        given = given[()]
    if isinstance(given, (bool, np.bool_)):
        return None
    if isinstance(given, np.number):
        given = given.item()
    if isinstance(given, (Fraction, Decimal)) or (
        type(given).__name__ == "DM" and _is_symbolic(given) and given.numel() == 1
    ):
        given = _as_float(given)
    if not isinstance(given, (int, float)):
        return None
    if not math.isfinite(_as_float(given)):
        return None
    return given if isinstance(given, float) or abs(given) < 2**63 else float(given)  # numpy knows no longer integers


def _as_float(given: Any) -> float:
    try:
        return float(given)
    except (OverflowError, ValueError):
        return math.inf


def is_number(given: object) -> TypeGuard[float]:
    """A finite real number; no text, no symbol, no truth value, nothing beyond the range of floats."""
    return number_in(given) is not None


def _is_symbolic(given: object) -> bool:
    """Whether it is an expression or matrix of CasADi."""
    return any(c.__module__.startswith("casadi") for c in type(given).__mro__)
