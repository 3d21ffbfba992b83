"""What a command that made a Result prints about it, and how it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from linkwork.cli.guard import CANCELLED, DONE, FAILED, complain
from linkwork.cli.startup import import_matplotlib
from linkwork.core.errors import IntegrationError
from linkwork.core.result import Result
from linkwork.plots import series


def report(result: Result, names: Sequence[str], files: Sequence[Path]) -> None:
    """How the run went, the last values of the channels `names`, and the files that were written."""
    console = Console()
    facts = Table(box=None, pad_edge=False, show_header=False)
    for what, text in result.summary().items():
        facts.add_row(Text(what, "dim"), Text(text))
    console.print(facts)
    if names and result.t.size:
        values = Table(box=None, pad_edge=False, header_style="bold")
        values.add_column(Text(f"at {result.t[-1]:g} s"))
        values.add_column("value", justify="right")
        values.add_column("unit")
        for name in names:
            values.add_row(Text(name, "cyan"), f"{result[name][-1]:.6g}", Text(result.unit(name)))
        console.print()
        console.print(values)
    for path in files:
        console.print(
            Text.assemble(("\nwrote " if path is files[0] else "wrote "), (str(path), "green")), soft_wrap=True
        )


def delivered(
    result: Result,
    failure: IntegrationError | None,
    *,
    plot_file: Path | None,
    save_file: Path | None,
    quiet: bool,
    draw: Callable[[Result, Path], object] | None = None,
) -> int:
    """Save, plot and report a result; the exit code. draw: the figure, unless it is channels over time."""
    if save_file is not None:
        result.save(save_file)
    names = series.suggested(result)
    drawn = plot_file if names or draw is not None else None
    if drawn is not None:
        import_matplotlib()
        if draw is not None:
            draw(result, drawn)
        else:
            result.plot(*names, file=drawn)
    if not quiet:
        report(result, names, [path for path in (drawn, save_file) if path is not None])
    return ending(result, failure)


def ending(result: Result, failure: IntegrationError | None) -> int:
    """The exit code; what ended early is told, and what the watch found."""
    for finding in result.warnings:
        complain("Warning", str(finding))
    if failure is not None:
        complain("Error", f"{failure} The result up to that time was kept.")
        return FAILED
    if result.record.get("status") == "cancelled":
        reached = f"{result.t[-1]:g} s" if result.t.size else "the start"
        complain("Cancelled", f"the run ended at {reached}; the result up to there was kept.")
        return CANCELLED
    return DONE
