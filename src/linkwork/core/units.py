"""Units are SI strings next to the channel they belong to; here is what each of them measures."""

from __future__ import annotations

import math

deg = math.pi / 180
"""One degree [rad]: `body.at(0, 0, rotation=90 * lw.deg)`."""

_QUANTITIES = {
    "s": "time",
    "m": "position",
    "m/s": "speed",
    "m/s²": "acceleration",
    "rad": "angle",
    "rad/s": "angular speed",
    "rad/s²": "angular acceleration",
    "N": "force",
    "N·m": "moment",
    "J": "energy",
    "W": "power",
    "Pa": "pressure",
    "m³/s": "volume flow",
    "V": "voltage",
    "A": "current",
}


def quantity(unit: str) -> str:
    """What a unit measures, as a word for an axis or a heading; an unlisted unit gives an empty string."""
    return _QUANTITIES.get(unit, "")


def seconds(duration: float) -> str:
    """A wall-clock duration [s] in the unit that reads best."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if duration >= scale:
            return f"{duration / scale:.3g} {unit}"
    return f"{duration / 1e-9:.3g} ns" if duration else "0 s"


def long_time(seconds: float) -> str:
    """A long time in words."""
    for name, length in (("years", 365.25 * 86400), ("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.2g} {name}" if seconds < float("inf") else "for ever"
    return f"{seconds:.2g} s"
