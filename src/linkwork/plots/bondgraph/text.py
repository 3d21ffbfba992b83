"""Texts of a bond-graph drawing: runs with subscripts, and how wide they are without asking a renderer.

Widths are those of the Times family, which SVG viewers and Matplotlib (as STIX) both have, so that one layout serves
every format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

FAMILY = "STIX Two Text, STIXGeneral, Times New Roman, Times, serif"
ASCENT, DESCENT = 0.68, 0.22
"""Above and below the base line, as a share of the font size."""
_SMALL, _DROP, _RISE = 0.72, 0.2, 0.34  # size and shift of sub- and superscripts, shares of the font size

# Advance widths in thousandths of the font size, and the characters that have them.
_ADVANCES = {
    180: "'",
    200: "|",
    250: " ,.·",
    278: "/:;\\ijlt",
    333: "!()-I[]`fr",
    389: "Js",
    444: "?acez^",
    500: '#$*0123456789_bdghknopquvxyδ"{}γτβθρλ',
    556: "FSPμ~ασ",
    611: "ELTZ",
    667: "BCRφω",
    722: "ADGHKNOQUVXYwΔ+<=>−ψ",
    778: "&mΩ%",
    944: "MW@→∞",
}
_WIDTH = {character: width / 1000 for width, characters in _ADVANCES.items() for character in characters}
_GREEK = dict(
    zip(
        "alpha beta gamma delta theta lambda mu rho sigma tau phi psi omega Omega Delta".split(),
        "αβγδθλμρστφψωΩΔ",
        strict=True,
    )
)


@dataclass(frozen=True)
class Run:
    """A piece of text in one style. level: 0 on the base line, −1 subscript, +1 superscript."""

    text: str
    level: int = 0
    italic: bool = False

    @property
    def scale(self) -> float:
        """Share of the font size."""
        return _SMALL if self.level else 1.0

    @property
    def shift(self) -> float:
        """Downwards from the base line, share of the font size."""
        return {-1: _DROP, 0: 0.0, 1: -_RISE}[self.level]

    def width(self, size: float) -> float:
        """Advance [px] at a font size [px]."""
        return size * self.scale * sum(_WIDTH.get(character, 0.6) for character in self.text)


def runs(label: str, *, italic: bool = True) -> tuple[Run, ...]:
    """A label in runs: `J_rod` gives a subscript, `V^0` a superscript, `omega` its letter; words stay upright.

    Numbers and what is longer than a symbol (three characters or more) are set upright, as in print.
    """
    made: list[Run] = []
    for mark, piece in re.findall(r"([_^]?)([^_^]+)", label):
        text = _GREEK.get(piece, piece)
        level = {"_": -1, "^": 1}.get(mark, 0) if made else 0
        made.append(Run(text, level, italic and len(text) < 3 and text.isalpha()))
    return tuple(made) or (Run(label),)


def width(pieces: tuple[Run, ...], size: float) -> float:
    """Advance of a whole text [px] at a font size [px]."""
    return sum(run.width(size) for run in pieces)
