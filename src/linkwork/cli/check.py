"""`linkwork check MODEL`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from linkwork.cli.guard import DONE, FAILED
from linkwork.cli.models import find

_COLOURS = {"ok": "green", "note": "cyan", "warning": "yellow", "error": "bold red"}


def check(name: str, settings: Sequence[str]) -> int:
    """Print the model's report; the exit code is 1 if the model cannot run."""
    case = find(name, settings)
    report = case.model.check(parameters=case.parameters)
    table = Table(box=None, pad_edge=False, show_header=False)
    for severity, component, text in report.lines:
        table.add_row(Text(severity, _COLOURS.get(severity, "")), Text(component or "", "bold"), Text(text))
    console = Console()
    console.print(table)
    if not report.ok:
        return FAILED
    console.print(f"{name}: ready to run", style="green", highlight=False)
    return DONE
