"""Plots: read a Result, draw it, know nothing of how it was made. Matplotlib is imported when something is drawn."""

from __future__ import annotations

from linkwork.analyses.comparison.comparison import Comparison
from linkwork.analyses.linearization.linearization import Linearization
from linkwork.analyses.root_locus import RootLocus
from linkwork.bondgraph.graph import BondGraph
from linkwork.core.result import Result
from linkwork.plots import bond_power, comparison
from linkwork.plots.bondgraph import drawing
from linkwork.plots.energy import plot_energy
from linkwork.plots.health import plot_drift, plot_steps
from linkwork.plots.linear import plot_eigenvalues, plot_root_locus
from linkwork.plots.modes import plot_modes
from linkwork.plots.phase import plot_phase
from linkwork.plots.series import plot
from linkwork.simulation.bonds.table import BondTable

Result.register("plot", plot)
Result.register("plot_phase", plot_phase)
Result.register("plot_energy", plot_energy)
Result.register("plot_drift", plot_drift)
Result.register("plot_steps", plot_steps)
BondTable.register("plot", bond_power.plot)
Comparison.register("plot", comparison.plot)
Comparison.register("plot_overlay", comparison.plot_overlay)
Linearization.register("plot", plot_eigenvalues)
Linearization.register("plot_modes", plot_modes)
RootLocus.register("plot", plot_root_locus)
BondGraph.register("draw", drawing.draw)
BondGraph.register("save", drawing.save)
BondGraph.register("_repr_svg_", drawing.as_svg)

__all__ = ["plot"]
