"""Plots: read a Result, draw it, know nothing of how it was made. Matplotlib is imported when something is drawn."""

from __future__ import annotations

from linkwork.analyses.comparison import Comparison
from linkwork.core.result import Result
from linkwork.plots import comparison
from linkwork.plots.series import plot

Result.register("plot", plot)
Comparison.register("plot", comparison.plot)

__all__ = ["plot"]
