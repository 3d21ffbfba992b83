"""Golden files: texts that were looked at once and must stay; `pytest tests/golden --renew-golden` writes them anew."""

from __future__ import annotations

import re
from decimal import Decimal
from difflib import unified_diff
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?(?![\w.])")
NEAR_ZERO = 1e-9
"""Numbers below are rounding: 2e-16 on one processor, 0 on another."""


def agree(shown: str, kept: str, rtol: float) -> bool:
    """The same words, however wrapped; the same numbers, up to rtol or one in the last digit shown."""
    shown, kept = " ".join(shown.split()), " ".join(kept.split())
    if NUMBER.sub("#", shown) != NUMBER.sub("#", kept):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(kept), strict=True)
    return all(_close(a, b, rtol) for a, b in pairs)


def _close(a: str, b: str, rtol: float) -> bool:
    if a == b:
        return True
    x, y = Decimal(a), Decimal(b)
    digit = Decimal(0)
    if not (a.lstrip("-").isdigit() and b.lstrip("-").isdigit()):  # a whole number counts something: it is exact
        digit = max(Decimal(10) ** int(z.as_tuple().exponent) for z in (x, y) if z) if x or y else digit
    allowed = max(digit if digit <= abs(y) / 10 else Decimal(0), Decimal(rtol) * abs(y), Decimal(NEAR_ZERO))
    return abs(x - y) <= allowed


def compare(name: str, text: str, request: pytest.FixtureRequest, rtol: float = 1e-9) -> None:
    """The text is that of tests/golden/NAME; with --renew-golden, where they disagree, it becomes it."""
    path = FOLDER / name
    text = "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n"
    kept = path.read_text("utf-8") if path.exists() else ""
    if agree(text, kept, rtol):
        return
    if request.config.getoption("--renew-golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
        return
    changes = "\n".join(unified_diff(kept.splitlines(), text.splitlines(), f"tests/golden/{name}", "now", lineterm=""))
    pytest.fail(f"{changes}\nIf this should be so, renew it: pytest tests/golden --renew-golden", pytrace=False)
