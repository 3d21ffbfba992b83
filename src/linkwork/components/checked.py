"""Numbers that components are given, checked where they are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.core.errors import ModelError
from linkwork.geometry import SX


def positive(name: str, what: str, given: Any, *, zero: bool = False) -> None:
    """Refuse what is no positive number (zero: or zero); symbols are let through, their values come later."""
    if isinstance(given, SX):
        return
    if isinstance(given, (int, float, np.number)) and not isinstance(given, bool):
        if np.isfinite(given) and (given > 0 or (zero and given == 0)):
            return
    kind = "positive number or 0" if zero else "positive number"
    raise ModelError(f"{what} {given!r}.", component=name, remedy=f"Give a {kind} (SI units).")
