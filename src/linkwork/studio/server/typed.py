"""What a user types for a value → what a model file holds: numbers, lists, words, expressions; units are converted."""

from __future__ import annotations

import math
import re
import tomllib
from functools import cache
from typing import Any

from linkwork.core.errors import LinkworkError

_PREFIXES = {"G": 1e9, "M": 1e6, "k": 1e3, "c": 1e-2, "m": 1e-3, "µ": 1e-6, "u": 1e-6, "n": 1e-9}
_BASES: dict[str, tuple[float, str]] = {
    "m": (1.0, "m"),
    "g": (1e-3, "kg"),
    "s": (1.0, "s"),
    "rad": (1.0, "rad"),
    "N": (1.0, "N"),
    "J": (1.0, "J"),
    "W": (1.0, "W"),
    "Pa": (1.0, "Pa"),
    "V": (1.0, "V"),
    "A": (1.0, "A"),
    "K": (1.0, "K"),
    "Hz": (1.0, "Hz"),
    "Ω": (1.0, "Ω"),
    "H": (1.0, "H"),
    "F": (1.0, "F"),
}
_OTHERS: dict[str, tuple[float, str]] = {
    "deg": (math.pi / 180, "rad"),
    "°": (math.pi / 180, "rad"),
    "rev": (2 * math.pi, "rad"),
    "rpm": (2 * math.pi / 60, "rad/s"),
    "min": (60.0, "s"),
    "h": (3600.0, "s"),
    "bar": (1e5, "Pa"),
    "t": (1e3, "kg"),
    "l": (1e-3, "m³"),
    "in": (0.0254, "m"),
    "kph": (1 / 3.6, "m/s"),
}
"""Units that are no prefix and base."""
_QUANTITY = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([^\s\d.,;()\[\]].*?)?\s*\Z")
_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def value_of(typed: Any, unit: str, *, word: bool = False) -> Any:
    """The value that stands in a model file; unit: of the argument; word: it is a text, taken as it is.

    A text that is neither a number (with a unit) nor a list is an expression: the loader reads and refuses it.
    """
    if not isinstance(typed, str):
        return _plain(typed)
    if word:
        return typed
    text = typed.strip()
    if not text:
        raise LinkworkError("nothing is given.", remedy="Type a number or an expression.")
    if match := _QUANTITY.match(text):
        number = _plain(float(match[1]))
        if match[2] is None:
            return _number(match[1])
        scale = conversion(match[2], unit)
        if scale is not None:
            return number * scale
        if known_unit(match[2]) is not None:
            raise LinkworkError(
                f"{text!r} is in {match[2]}.", remedy=f"Give it in {unit}." if unit else "It has no unit."
            )
    if text in ("true", "false"):
        return text == "true"
    if text.startswith("["):
        try:
            return _plain(tomllib.loads(f"x = {text}")["x"])
        except (tomllib.TOMLDecodeError, ValueError, RecursionError):
            return text
    return text


def _number(text: str) -> float | int:
    return int(text) if re.fullmatch(r"[-+]?\d{1,15}", text) else float(text)


def _plain(given: Any) -> Any:
    """Numbers, texts and lists as they are; others are no values."""
    if isinstance(given, dict):
        return {str(key): _plain(x) for key, x in given.items()}
    if isinstance(given, list):
        return [_plain(x) for x in given]
    if given is None or (isinstance(given, float) and not math.isfinite(given)):
        raise LinkworkError(f"{given} is no value.", remedy="Give a finite number, a text or a list.")
    return given


def conversion(given: str, unit: str) -> float | None:
    """What one of a unit is worth in another; None: they do not measure the same, or one is not known."""
    one, other = known_unit(given), known_unit(unit)
    if one is None or other is None or one[1] != other[1]:
        return None
    return one[0] / other[0]


Dimension = tuple[tuple[str, int], ...]


@cache
def known_unit(text: str) -> tuple[float, Dimension] | None:
    """Size in SI units, and powers of base units, of "kN·m/rad", "mm", "m/s²"; None: it is no unit."""
    above, *below = text.replace("^", "").replace("*", "·").replace("−", "-").split("/")
    size, powers = 1.0, dict[str, int]()
    for sign, part in [(1, above), *((-1, x) for x in below)]:
        for factor in part.strip().strip("()").split("·"):
            known = _factor(factor.strip(), sign)
            if known is None:
                return None
            size *= known[0]
            for base, power in known[1].items():
                powers[base] = powers.get(base, 0) + power
    return size, tuple(sorted((b, p) for b, p in powers.items() if p and b != "rad"))


def _factor(text: str, sign: int) -> tuple[float, dict[str, int]] | None:
    """One unit with its power."""
    match = re.fullmatch(r"([^\d\s⁰¹²³⁴⁵⁶⁷⁸⁹⁻-]+)([-⁻]?[\d⁰¹²³⁴⁵⁶⁷⁸⁹]+)?", text)
    if text == "1":
        return 1.0, {}
    if match is None:
        return None
    power = sign * int((match[2] or "1").translate(_POWERS))
    size, name = _single(match[1]) or (0.0, "")
    if not name:
        return None
    whole = known_unit(name) if "/" in name or "³" in name else None
    powers = {b: p * power for b, p in whole[1]} if whole else _base_powers(name, power)
    return size**power, powers


def _single(name: str) -> tuple[float, str] | None:
    if name in _OTHERS:
        return _OTHERS[name]
    if name == "kg":
        return 1.0, "kg"
    if name in _BASES:
        return _BASES[name]
    if name[:1] in _PREFIXES and name[1:] in _BASES:
        size, base = _BASES[name[1:]]
        return _PREFIXES[name[0]] * size, base
    return None


_DERIVED: dict[str, dict[str, int]] = {
    "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "Hz": {"s": -1},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "Ω": {"kg": 1, "m": 2, "s": -3, "A": -2},
    "H": {"kg": 1, "m": 2, "s": -2, "A": -2},
    "F": {"kg": -1, "m": -2, "s": 4, "A": 2},
}


def _base_powers(name: str, power: int) -> dict[str, int]:
    return {base: p * power for base, p in _DERIVED.get(name, {name: 1}).items()}
