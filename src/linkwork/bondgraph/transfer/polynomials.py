"""Polynomials in s as text."""

from __future__ import annotations

import numpy as np

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def written(coefficients: np.ndarray, lowest: int = 0) -> str:
    """ "s² + 501 s + 10500": the highest power first, the last one is s^lowest."""
    text = ""
    for k, c in enumerate(coefficients):
        power = lowest + len(coefficients) - 1 - k
        if not c:
            continue
        letter = "" if power == 0 else "s" if power == 1 else f"s{str(power).translate(_RAISED)}"
        size = f"{abs(c):.6g}"
        term = letter if size == "1" and letter else f"{size} {letter}".rstrip()
        sign = (" - " if c < 0 else " + ") if text else ("-" if c < 0 else "")
        text += sign + term
    return text or "0"
