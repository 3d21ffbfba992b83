"""`linkwork compare MODEL`: run it in several formulations, say what each cost and how far apart they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.measure import Measurement
from rich.text import Text

from linkwork.analyses.comparison.comparison import Comparison
from linkwork.cli.guard import CANCELLED, DONE, FAILED, complain
from linkwork.cli.models import find
from linkwork.cli.startup import import_matplotlib
from linkwork.cli.targets import check_target
from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Data
from linkwork.files import comparisons
from linkwork.plots import formats


def compare(
    name: str,
    duration: float | None,
    *,
    formulations: Sequence[str],
    solvers: Sequence[str],
    channels: Sequence[str],
    options: Data,
    settings: Sequence[str],
    plot_file: Path | None,
    log: bool,
    overlay: bool,
    save_file: Path | None,
    quiet: bool,
) -> int:
    """Compare runs of the model called `name` over `duration` [s]; the exit code is 1 if one of them fails."""
    for path, suffixes in ((plot_file, formats.SUFFIXES), (save_file, comparisons.SUFFIXES)):
        check_target(path, suffixes)
    case = find(name, settings)
    duration = case.duration if duration is None else duration
    if duration is None:
        raise LinkworkError("no duration.", component=name, remedy="Give one: linkwork compare MODEL DURATION.")
    chosen = {key: value for key, value in options.items() if value is not None}
    comparison = case.model.compare(
        list(formulations), duration, solvers=list(solvers) or None, channels=list(channels),
        parameters=case.parameters, **chosen,
    )  # fmt: skip
    if save_file is not None:
        comparison.save(save_file)
    drawn = plot_file is not None and bool(comparison.compared)
    if drawn:
        import_matplotlib()
        (comparison.plot_overlay if overlay else comparison.plot)(file=plot_file, log=log)
    if not quiet:
        _report(comparison, [path for path in (plot_file if drawn else None, save_file) if path is not None])
    return _ending(comparison)


def _report(comparison: Comparison, files: Sequence[Path]) -> None:
    console, table, wide = Console(), comparison.table(), Console(width=1000)
    # Where the terminal is narrower than the numbers, long lines are better than broken numbers.
    console.width = max(console.width, Measurement.get(wide, wide.options, table).maximum)
    console.print(table, soft_wrap=True)
    for path in files:
        console.print(Text.assemble("wrote ", (str(path), "green")), soft_wrap=True)


def _ending(comparison: Comparison) -> int:
    if any(run.status == "cancelled" for run in comparison.runs):
        complain("Cancelled", "what was computed until then was compared.")
        return CANCELLED
    return FAILED if any(run.status == "failed" for run in comparison.runs) else DONE
