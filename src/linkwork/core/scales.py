"""Numbers on axes in units that read well: 12 kN, not 1.2e4 N. The data keep their SI units."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

_PREFIXES = {-12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}
_BOTH_WAYS = frozenset({"m", "N", "J", "W", "Pa", "V", "A", "Hz", "Ω", "C"})
_SMALL_ONLY = frozenset({"s", "rad", "K", "F", "H", "T", "Wb", "mol"})
_FIRST = re.compile(r"[^\s·/*]+")
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LARGE, _SMALL, _TINY = 1e4, 0.05, 1e-3  # where numbers stop being comfortable; tiny: without a unit to scale


@dataclass(frozen=True)
class Scale:
    """A number on the axis is the value divided by 10^exponent, in `unit`."""

    exponent: int
    unit: str


def scale_for(unit: str, largest: float) -> Scale:
    """The scale for values up to `largest` in size; a prefix where the unit takes one, else a power of ten."""
    plain = Scale(0, unit)
    if not math.isfinite(largest) or largest <= 0:
        return plain
    first = _FIRST.match(unit)
    symbol = first.group() if first else ""
    prefixed = symbol in _BOTH_WAYS or symbol in _SMALL_ONLY
    if (_SMALL if prefixed else _TINY) <= largest < _LARGE:
        return plain
    exponent = 3 * math.floor(math.log10(largest * (1 + 1e-12)) / 3)
    if exponent == 0:
        return plain
    prefix = _PREFIXES.get(exponent)
    if prefix is not None and (symbol in _BOTH_WAYS or (symbol in _SMALL_ONLY and exponent < 0)):
        return Scale(exponent, f"{prefix}{unit}")
    return Scale(exponent, f"{power_of_ten(exponent)} {unit}".rstrip())


def power_of_ten(exponent: int) -> str:
    """10⁻³, in characters that every font has: Matplotlib's own formulas take 0.1 s to set the first of them."""
    return f"10{str(exponent).translate(_SUPERSCRIPTS)}"
