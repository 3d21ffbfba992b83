"""Files: results as NetCDF or CSV, comparisons as JSON or CSV, bond graphs as JSON."""

from __future__ import annotations

from linkwork.analyses.comparison.comparison import Comparison
from linkwork.bondgraph.graph import BondGraph
from linkwork.core.result import Result
from linkwork.files import comparisons, graphs
from linkwork.files.results import load, save

Result.register("save", save)
Result.register("load", staticmethod(load))
Comparison.register("save", comparisons.save)
Comparison.register("load", staticmethod(comparisons.load))
BondGraph.register("load", staticmethod(graphs.load))

__all__ = ["load", "save"]
