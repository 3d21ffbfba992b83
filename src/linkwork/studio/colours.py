"""Colours: a palette that colour-blind readers can tell apart (Paul Tol's), and plain arithmetic on it."""

from __future__ import annotations

from linkwork.core.errors import LinkworkError

BODIES = ("#4477aa", "#cc6677", "#228833", "#ccaa33", "#44aabb", "#aa4488", "#997755", "#667788")
INK = "#26323c"
GROUND = "#7a8793"
METAL = "#9aa5ae"
SPRING = "#b5651d"
FORCE = "#d62728"
REACTION = "#2a7fba"
PAPER = "#ffffff"
NAMES = {
    "black": "#000000", "white": "#ffffff", "grey": "#808080", "gray": "#808080", "red": "#cc3311", "blue": "#4477aa",
    "green": "#228833", "yellow": "#ccaa33", "orange": "#ee7733", "purple": "#aa4488", "cyan": "#44aabb",
    "brown": "#8c5a2b", "steel": "#8a97a3", "brass": "#b5923f", "rubber": "#2b2f33", "wood": "#b98b57",
    "ground": "#a3917a",
}  # fmt: skip


def resolved(colour: str, owner: str = "colour") -> str:
    """ "#rrggbb" of a name or of itself."""
    text = str(colour).lower()
    if text in NAMES:
        return NAMES[text]
    if len(text) == 7 and text[0] == "#" and all(c in "0123456789abcdef" for c in text[1:]):
        return text
    raise LinkworkError(
        f"{colour!r} is not a colour.", component=owner, remedy=f"Use '#rrggbb' or one of: {', '.join(NAMES)}."
    )


def mixed(colour: str, other: str, share: float) -> str:
    """Between two colours: `share` of the other one."""
    parts = (round((1 - share) * a + share * b) for a, b in zip(levels(colour), levels(other), strict=True))
    return "#" + "".join(f"{p:02x}" for p in parts)


def levels(colour: str) -> tuple[int, int, int]:
    """Red, green and blue, 0 … 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
