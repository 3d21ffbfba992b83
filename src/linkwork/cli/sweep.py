"""`linkwork sweep MODEL --vary "L=0.1:0.5:50" --vary "k~normal(1e4, 500)"`: many cases of a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from linkwork.cli.guard import CANCELLED, DONE, FAILED, complain
from linkwork.cli.models import find
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.plain_data import Data
from linkwork.sweeps.distributions import WORDS, Distribution

if TYPE_CHECKING:
    import xarray

NUMBERS = ("end_time",)


def sweep(
    name: str,
    duration: float | None,
    *,
    vary: Sequence[str],
    table: Path | None,
    to: Path,
    options: Data,
    settings: Sequence[str],
    quiet: bool,
) -> int:
    """Run the cases of the model called `name`; the exit code is 1 if none of them came to its end."""
    if bool(vary) == (table is not None):
        raise LinkworkError(
            "nothing is varied, or twice.", component=name,
            remedy='Give --vary "L=0.1:0.5:50", --vary "k~normal(1e4,500)", or --table FILE.csv.',
        )  # fmt: skip
    design = table if table is not None else _design(vary)
    case = find(name, settings)
    duration = case.duration if duration is None else duration
    chosen = {key: value for key, value in options.items() if value not in (None, [])}
    if "channels" not in chosen and case.show:
        chosen["channels"] = list(case.show)
    dataset = case.model.sweep(
        design, duration, to=to, parameters=case.parameters,
        **chosen,
    )  # fmt: skip
    if not quiet:
        _report(dataset, to)
    if dataset.attrs.get("status") == "cancelled":
        complain("Cancelled", "what was finished is kept; the same command goes on with the rest.")
        return CANCELLED
    return DONE if np.any(dataset["status"].values != "failed") else FAILED


def _design(vary: Sequence[str]) -> dict[str, object]:
    design: dict[str, object] = {}
    for text in vary:
        name, values = varied(text)
        if name in design:
            raise LinkworkError("is varied twice.", component=name, remedy="Give --vary once for each name.")
        design[name] = values
    return design


def varied(text: str) -> tuple[str, list[float] | Distribution]:
    """ "L=0.1:0.5:50" (from, to, how many), "L=0.1,0.2" (values), "k~normal(1e4,500)"."""
    match = re.fullmatch(r"\s*([^=~\s]+)\s*([=~])\s*(.+?)\s*", text)
    try:
        if match is None:
            raise ValueError
        name, sign, what = match.groups()
        if sign == "~":
            return name, _distribution(what)
        if ":" in what:
            first, last, count = what.split(":")
            return name, np.linspace(float(first), float(last), _count(count)).tolist()
        return name, [float(x) for x in what.split(",")]
    except ValueError:
        raise LinkworkError(
            f"{text!r} says nothing to vary.", component="--vary",
            remedy='Write "L=0.1:0.5:50" (from, to, how many), "L=0.1,0.2" or "k~normal(1e4,500)".',
        ) from None  # fmt: skip


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise ValueError
    return count


def _distribution(text: str) -> Distribution:
    match = re.fullmatch(r"(\w+)\s*\((.*)\)", text)
    if match is None:
        raise ValueError
    word, inside = match.groups()
    if word not in WORDS:
        raise UnknownName("distribution", word, WORDS)
    given = [float(x) for x in inside.split(",")]
    try:
        return WORDS[word](*given)
    except TypeError:
        raise ValueError from None


def _report(dataset: xarray.Dataset, to: Path) -> None:
    """How many came to their end, and what the numbers are that are kept of each."""
    console = Console()
    status, counts = np.unique(dataset["status"].values.astype(str), return_counts=True)
    facts = Table(box=None, pad_edge=False, show_header=False)
    facts.add_row(Text("cases", "dim"), ", ".join(f"{n} {word}" for word, n in zip(status, counts, strict=True)))
    facts.add_row(Text("backend", "dim"), str(dataset.attrs.get("backend", "")))
    facts.add_row(Text("time", "dim"), f"{float(dataset.attrs.get('seconds', 0.0)):.3g} s")
    console.print(facts)
    single = [str(n) for n, x in dataset.data_vars.items() if x.dims == ("case",) and x.dtype.kind == "f"]
    single = [name for name in single if name not in NUMBERS]
    if single:
        values = Table(box=None, pad_edge=False, header_style="bold")
        values.add_column("over the cases")
        for word in ("mean", "deviation", "smallest", "largest"):
            values.add_column(word, justify="right")
        values.add_column("unit")
        for name in single:
            x = dataset[name].values[np.isfinite(dataset[name].values)]
            numbers = [f"{f(x):.6g}" if x.size else "" for f in (np.mean, np.std, np.min, np.max)]
            values.add_row(Text(name, "cyan"), *numbers, Text(str(dataset[name].attrs.get("units", ""))))
        console.print()
        console.print(values)
    console.print(Text.assemble("\nwrote ", (str(to), "green")), soft_wrap=True)
