"""Ticks of axes: numbers in the unit shown, with as many digits as they need and a proper minus.

This module imports Matplotlib; import it where something is drawn, not before.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import Formatter, LogLocator

from linkwork.core.scales import Scale, power_of_ten, scale_for

if TYPE_CHECKING:
    from matplotlib.axis import XAxis, YAxis
    from numpy.typing import ArrayLike


_FLAT = 1e-9  # a change smaller than this share of the value is not shown: it would be noise drawn large


class ScaledTicks(Formatter):
    """Values divided by a power of ten, none rounded to look like its neighbour."""

    def __init__(self, exponent: int = 0):
        self.factor = 10.0**-exponent

    def __call__(self, x: float, pos: int | None = None) -> str:
        axis: Any = self.axis
        shown = [float(v) for v in axis.get_majorticklocs()] if axis is not None else []
        return self._text(x, self._digits([*shown, x]))

    def format_ticks(self, values: Iterable[float]) -> list[str]:
        """The texts of all ticks, with equally many digits."""
        given = [float(v) for v in values]
        digits = self._digits(given)
        return [self._text(v, digits) for v in given]

    def _digits(self, values: list[float]) -> int:
        scaled = np.unique(np.array(values) * self.factor)
        if not scaled.size or not np.all(np.isfinite(scaled)):
            return 2
        gap = float(np.min(np.diff(scaled))) if scaled.size > 1 else abs(float(scaled[0])) or 1.0
        return next((d for d in range(13) if np.all(np.abs(np.round(scaled, d) - scaled) <= 0.02 * gap)), 12)

    def _text(self, x: float, digits: int) -> str:
        text = f"{x * self.factor:.{digits}f}"
        if float(text) == 0:
            text = text.lstrip("-")
        return self.fix_minus(text)


class DecadeTicks(Formatter):
    """10⁻³ at whole powers of ten, nothing between them."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        exponent = np.log10(x) if x > 0 else np.nan
        return power_of_ten(round(exponent)) if abs(exponent - np.round(exponent)) < 1e-6 else ""


def scale_axis(axis: XAxis | YAxis, unit: str, values: Iterable[ArrayLike]) -> Scale:
    """Number an axis (`panel.xaxis`, `panel.yaxis`) in a unit that suits the values (arrays in `unit`); return it."""
    finite = [np.asarray(v)[np.isfinite(v)] for v in values]
    finite = [v for v in finite if v.size]
    largest = max((float(np.max(np.abs(v))) for v in finite), default=0.0)
    scale = scale_for(unit, largest)
    axis.set_major_formatter(ScaledTicks(scale.exponent))
    if finite:
        low, high = min(float(v.min()) for v in finite), max(float(v.max()) for v in finite)
        if high - low <= _FLAT * largest:
            room = 0.1 * largest or 1.0
            axis.axes.set(**{f"{axis.axis_name}lim": (low - room, high + room)})
    return scale


def logarithmic(axis: XAxis | YAxis) -> None:
    """Make an axis logarithmic with few, whole decades."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_major_locator(LogLocator(numticks=7))
    axis.set_major_formatter(DecadeTicks())
    axis.set_minor_formatter(DecadeTicks())
