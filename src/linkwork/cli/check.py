"""`linkwork check MODEL`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from linkwork.bondgraph.graph import BondGraph
from linkwork.cli.guard import DONE, FAILED
from linkwork.cli.models import find

_COLOURS = {"ok": "green", "note": "cyan", "warning": "yellow", "error": "bold red"}


def check(name: str, settings: Sequence[str], *, structure: bool = False) -> int:
    """Print the model's report; the exit code is 1 if the model cannot run."""
    case = find(name, settings, graphs=True)
    if isinstance(case.model, BondGraph):
        return _check_graph(name, case.model)
    report = case.model.check(parameters=case.parameters)
    table = Table(box=None, pad_edge=False, show_header=False)
    for severity, component, text in report.lines:
        table.add_row(Text(severity, _COLOURS.get(severity, "")), Text(component or "", "bold"), Text(text))
    console = Console()
    console.print(table)
    if not report.ok:
        return FAILED
    if structure:
        console.print(str(case.model.structure()), markup=False, highlight=False, soft_wrap=True)
    console.print(f"{name}: ready to run", style="green", highlight=False)
    return DONE


def _check_graph(name: str, graph: BondGraph) -> int:
    """Print the causality of a bond graph; it cannot run if elements are in conflict, or its states not determined."""
    causality = graph.causality(strict=False)
    console = Console(highlight=False, soft_wrap=True)
    console.print(causality.report(), markup=False)
    if causality.conflicts:
        return FAILED
    count = graph.state_equations().x.numel()
    console.print(f"{name}: ready to run, {count} state{'' if count == 1 else 's'}", style="green")
    return DONE
