"""Units as FMI defines them: exponents of the base units of SI, and a factor."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import pi

BASES = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")


@dataclass(frozen=True)
class Unit:
    """factor · kg^a · m^b · …"""

    exponents: dict[str, int] = field(default_factory=dict)
    factor: float = 1.0


def _unit(factor: float = 1.0, **exponents: int) -> Unit:
    return Unit(exponents, factor)


_KNOWN = {base: _unit(**{base: 1}) for base in BASES} | {
    "1": _unit(),
    "%": _unit(0.01),
    "N": _unit(kg=1, m=1, s=-2),
    "J": _unit(kg=1, m=2, s=-2),
    "W": _unit(kg=1, m=2, s=-3),
    "Pa": _unit(kg=1, m=-1, s=-2),
    "Hz": _unit(s=-1),
    "C": _unit(A=1, s=1),
    "V": _unit(kg=1, m=2, s=-3, A=-1),
    "Ω": _unit(kg=1, m=2, s=-3, A=-2),
    "S": _unit(kg=-1, m=-2, s=3, A=2),
    "F": _unit(kg=-1, m=-2, s=4, A=2),
    "H": _unit(kg=1, m=2, s=-2, A=-2),
    "Wb": _unit(kg=1, m=2, s=-2, A=-1),
    "T": _unit(kg=1, s=-2, A=-1),
    "bar": _unit(1e5, kg=1, m=-1, s=-2),
    "mm": _unit(1e-3, m=1),
    "g": _unit(1e-3, kg=1),
    "kN": _unit(1e3, kg=1, m=1, s=-2),
    "deg": _unit(pi / 180, rad=1),
    "°": _unit(pi / 180, rad=1),
    "min": _unit(60.0, s=1),
}
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_FACTOR = re.compile(r"([^\d⁰¹²³⁴⁵⁶⁷⁸⁹⁻^-]+|1)\^?([-⁻]?[\d⁰¹²³⁴⁵⁶⁷⁸⁹]+)?")


def unit_of(text: str) -> Unit | None:
    """Of a text such as "N·m/rad"; None: it is not known, and only its name can be told."""
    above, *below = text.replace("(", "").replace(")", "").split("/")
    exponents: dict[str, int] = {}
    factor = 1.0
    for sign, part in ((1, above), *((-1, part) for part in below)):
        for word in re.split(r"[·*⋅ ]+", part.strip()):
            matched = _FACTOR.fullmatch(word)
            known = _KNOWN.get(matched[1]) if matched else None
            if matched is None or known is None:
                return None
            power = sign * int((matched[2] or "1").translate(_RAISED))
            factor *= known.factor**power
            for base, exponent in known.exponents.items():
                exponents[base] = exponents.get(base, 0) + power * exponent
    return Unit({base: exponents[base] for base in BASES if exponents.get(base)}, factor)
