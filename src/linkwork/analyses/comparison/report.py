"""A comparison as a table, as text and as plain data."""

from __future__ import annotations

import math
from dataclasses import asdict
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

from linkwork.core.plain_data import Record
from linkwork.core.result import plain
from linkwork.core.units import seconds
from linkwork.simulation.deviations import GROUPS, Deviation

if TYPE_CHECKING:
    import rich.table

    from linkwork.analyses.comparison.comparison import Comparison, Run

_GROUP_UNITS = {
    "positions": "m, rad",
    "speeds": "m/s, rad/s",
    "accelerations": "m/s², rad/s²",
    "reactions": "N, N·m",
    "energies": "J",
}
_NOTHING = "–"


def lines(comparison: Comparison, *, relative: bool) -> list[tuple[str, list[str]]]:
    """(quantity with its unit, one text per run); an empty list of texts is a heading."""
    show = partial(_deviation, comparison, relative=relative)
    runs = comparison.runs
    rows = [
        ("solver", [run.solver for run in runs]),
        ("derive and compile", [_time(run.compile_time) for run in runs]),
        ("run", [_time(run.run_time) for run in runs]),
        ("steps (rejected)", [_steps(run) for run in runs]),
        ("energy drift [J]", [_number(run.energy_drift) for run in runs]),
        ("position residual [m]", [_number(run.position_residual) for run in runs]),
        ("velocity residual [m/s]", [_number(run.velocity_residual) for run in runs]),
    ]
    if comparison.compared:
        rows.append((f"deviation from {comparison.reference}" + (" (relative)" if relative else ""), []))
    for group in GROUPS:
        if any(group in run.groups for run in runs):
            unit = f" [{_GROUP_UNITS[group]}]" if group in _GROUP_UNITS else ""
            rows.append((f"{group}{unit}", [show(run, run.groups.get(group)) for run in runs]))
    for name in comparison.chosen:
        unit = f" [{comparison.units[name]}]" if comparison.units.get(name) else ""
        rows.append((f"{name}{unit}", [show(run, run.channels.get(name)) for run in runs]))
    return rows


def remarks(comparison: Comparison) -> list[str]:
    """What the table has no room for: errors in full, what was not compared and why."""
    texts = [f"{run.name} {run.status}: {run.error}" for run in comparison.runs if run.error]
    if comparison.undetermined:
        joints = ", ".join(comparison.undetermined)
        texts.append(f"not comparable: the reactions of {joints} are not unique (redundant constraints).")
    return [*texts, *comparison.notes]


def as_table(comparison: Comparison, *, relative: bool) -> rich.table.Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(_title(comparison)), title_justify="left", box=None, pad_edge=False, header_style="bold",
        caption=Text("\n".join(remarks(comparison))) if remarks(comparison) else None, caption_justify="left",
    )  # fmt: skip
    table.add_column("", no_wrap=True)
    for run in comparison.runs:
        table.add_column(Text(run.name), justify="right", style="red" if run.status == "failed" else "")
    for quantity, texts in lines(comparison, relative=relative):
        if not texts:
            table.add_row(Text(quantity, "italic"), *("" for _ in comparison.runs))
        else:
            table.add_row(Text(quantity), *(Text(text) for text in texts))
    return table


def as_text(comparison: Comparison) -> str:
    rows = [("", [run.name for run in comparison.runs]), *lines(comparison, relative=True)]
    first = max(len(quantity) for quantity, texts in rows if texts)
    widths = [max(len(texts[k]) for _, texts in rows if texts) for k in range(len(comparison.runs))]
    body = []
    for quantity, texts in rows:
        cells = "  ".join(f"{text:>{width}}" for text, width in zip(texts, widths, strict=False))
        body.append(f"  {quantity:<{first}}  {cells}".rstrip())
    return "\n".join([_title(comparison), *body, *(f"  {text}" for text in remarks(comparison))])


def as_html(comparison: Comparison) -> str:
    def row(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f'<{tag} style="text-align:left">{escape(c)}</{tag}>' for c in cells) + "</tr>"

    head = row(["", *(run.name for run in comparison.runs)], "th")
    body = "".join(row([quantity, *texts], "td") for quantity, texts in lines(comparison, relative=True))
    below = "".join(f"<p>{escape(text)}</p>" for text in remarks(comparison))
    return f"<p><b>{escape(_title(comparison))}</b></p><table>{head}{body}</table>{below}"


def as_dict(comparison: Comparison) -> Record:
    whole = {key: getattr(comparison, key) for key in ("model", "duration", "reference", "chosen", "undetermined")}
    whole |= {"notes": comparison.notes, "units": comparison.units, "runs": [asdict(run) for run in comparison.runs]}
    return _without_nan(plain(whole))


def flat(run: Run) -> Record:
    """One run as one row: facts, then the absolute and relative deviation of each group."""
    row = {key: value for key, value in asdict(run).items() if key not in ("channels", "groups")}
    for group in GROUPS:
        d = run.groups.get(group)
        row[group] = d.absolute if d else math.nan
        row[f"{group}, relative"] = d.relative if d else math.nan
    return _without_nan(row)


def _without_nan(value: Any) -> Any:
    """JSON has no NaN."""
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _title(comparison: Comparison) -> str:
    return f"{comparison.model}, {comparison.duration:g} s"


def _time(value: float) -> str:
    return _NOTHING if math.isnan(value) else seconds(value)


def _steps(run: Run) -> str:
    if not run.accepted:
        return run.status if run.status != "finished" else _NOTHING
    return f"{run.accepted} ({run.rejected})"


def _number(value: float) -> str:
    return _NOTHING if math.isnan(value) else f"{value:.1e}" if value else "0"


def _deviation(comparison: Comparison, run: Run, d: Deviation | None, *, relative: bool) -> str:
    if run.name == comparison.reference:
        return "reference"
    if d is None:
        return _NOTHING
    share = f" ({d.relative:.0e})" if relative and d.relative > 0 else ""  # NaN is not greater
    return _number(d.absolute) + share
