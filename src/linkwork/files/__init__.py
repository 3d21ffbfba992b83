"""Files: results as NetCDF or CSV, comparisons as JSON or CSV."""

from __future__ import annotations

from linkwork.analyses.comparison.comparison import Comparison
from linkwork.core.result import Result
from linkwork.files import comparisons
from linkwork.files.results import load, save

Result.register("save", save)
Result.register("load", staticmethod(load))
Comparison.register("save", comparisons.save)
Comparison.register("load", staticmethod(comparisons.load))

__all__ = ["load", "save"]
