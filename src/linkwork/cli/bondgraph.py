"""`linkwork bondgraph MODEL`: the bond graph of a model, its causality, and a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from linkwork.bondgraph.following.paths import zero_order_paths
from linkwork.bondgraph.graph import BondGraph
from linkwork.cli.guard import DONE
from linkwork.cli.models import find


def bondgraph(
    name: str,
    settings: Sequence[str],
    *,
    bonds: str,
    joints: str,
    fold: Sequence[str],
    file: Path,
    report: bool,
    quiet: bool,
) -> int:
    """Draw the graph into a file; print what its causality says."""
    case = find(name, settings, graphs=True)
    model = case.model
    if isinstance(model, BondGraph):
        graph = model
    else:
        graph = model.bondgraph(bonds=bonds, joints=joints, parameters=case.parameters)
    causality = graph.causality(strict=False)
    graph.save(file, causality, fold=True if "all" in fold else list(fold) or None)
    if quiet:
        return DONE
    console = Console(highlight=False)
    console.print(f"{graph.name}: {len(graph.elements)} elements, {len(graph.bonds)} bonds")
    stores = f"{len(causality.integral)} integral, {len(causality.derivative)} derivative"
    console.print(f"stores: {stores}; opened: {len(causality.opened)}; algebraic loops: {len(causality.chosen)}")
    classes = [path.number for path in zero_order_paths(causality)]
    if classes:
        counted = ", ".join(f"{classes.count(k)} of class {k}" for k in sorted(set(classes)))
        console.print(f"zero-order causal paths: {counted}")
    if report:
        console.print(str(causality), markup=False)
    console.print(f"wrote {file}")
    return DONE
