"""Files: results as NetCDF or CSV."""

from __future__ import annotations

from linkwork.core.result import Result
from linkwork.files.results import load, save

Result.register("save", save)
Result.register("load", staticmethod(load))

__all__ = ["load", "save"]
