"""`linkwork examples`."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from linkwork.cli.guard import DONE
from linkwork.cli.models import example_names, example_title


def examples(*, names_only: bool = False) -> int:
    """Print the examples and how to run one; or only their names, for scripts."""
    names = example_names()
    if names_only:
        print("\n".join(names))
        return DONE
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("example", style="cyan", no_wrap=True)
    table.add_column("what it is")
    for name in names:
        table.add_row(Text(name), Text(example_title(name)))
    console = Console()
    console.print(table)
    if names:
        console.print(f"\nRun one with: linkwork run {names[0]}", style="dim")
    return DONE
