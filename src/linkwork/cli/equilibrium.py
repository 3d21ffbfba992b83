"""`linkwork equilibrium MODEL`: where it rests, and what its joints carry there."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from linkwork.analyses.equilibrium.equilibrium import Equilibrium
from linkwork.cli.guard import DONE
from linkwork.cli.models import find


def equilibrium(name: str, settings: Sequence[str], *, formulation: str, channels: Sequence[str]) -> int:
    """Print the equilibrium of the model called `name`; channels: patterns of what to show beside coordinates."""
    case = find(name, settings)
    rest = case.model.equilibrium(formulation=formulation, parameters=case.parameters)
    shown = rest.result.names(*channels) if channels else _loads(rest)
    console = Console()
    console.print(Text(str(rest)), soft_wrap=True)
    if shown:
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("at rest")
        table.add_column("value", justify="right")
        table.add_column("unit")
        for channel in shown:
            table.add_row(Text(channel, "cyan"), f"{_clean(rest[channel]):.6g}", Text(rest.result.unit(channel)))
        console.print()
        console.print(table)
    return DONE


def _loads(rest: Equilibrium) -> list[str]:
    """Efforts and reactions."""
    return [name for name in rest.result if name.endswith(".effort") or ".reaction." in name]


def _clean(value: float) -> float:
    return 0.0 if abs(value) < 1e-9 else value
