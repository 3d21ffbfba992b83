"""Names of channels as people read them, and the words on axes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from linkwork.core.units import quantity

_ENERGIES = ("kinetic", "potential", "total", "dissipated", "supplied")
_WIDEST = 24  # characters that fit on one line beside a panel
_LETTERS = ((re.compile(r"w([xyz])"), r"ω\1"), (re.compile(r"alpha([xyz])"), r"α\1"))
_NUMBERED = re.compile(r"(multiplier|port)(\d+)")


def readable(name: str) -> str:
    """`O.reaction.fx` → "O reaction fx", `energy.kinetic` → "kinetic energy", `crank.wz` → "crank ωz"."""
    owner, _, rest = name.partition(".")
    if owner == "energy" and rest in _ENERGIES:
        return f"{rest} energy"
    if owner == "residual" and rest:
        return f"{rest} residual"
    if name == "solver.step":
        return "step size"
    words = [owner]
    for word in rest.split(".") if rest else ():
        for letters, symbol in _LETTERS:
            if letters.fullmatch(word):
                word = letters.sub(symbol, word)
        words.append(_NUMBERED.sub(r"\1 \2", word) if _NUMBERED.fullmatch(word) else word)
    return " ".join(words)


def legend_names(names: Sequence[str], unit: str) -> list[str]:
    """Readable names of the lines of one panel, without a word that the axis says already."""
    texts = [readable(name) for name in names]
    word = f" {quantity(unit)}"
    if len(texts) > 1 and len(word) > 1 and all(text.endswith(word) and text != word for text in texts):
        texts = [text.removesuffix(word) for text in texts]
    return texts


def axis_name(names: Sequence[str], unit: str) -> str:
    """What is on an axis: the only channel there, else what its unit measures, else a word that all names share."""
    if len(names) == 1:
        return readable(names[0])
    ends = {name.rpartition(".")[2] for name in names}
    return quantity(unit) or (readable(ends.pop()) if len(ends) == 1 else "")


def with_unit(text: str, unit: str) -> str:
    """`text [unit]`, on two lines where one is too long; empty parts are left out."""
    if not unit or not text:
        return text or (f"[{unit}]" if unit else "")
    return f"{text} [{unit}]" if len(text) + len(unit) + 3 <= _WIDEST else f"{text}\n[{unit}]"
