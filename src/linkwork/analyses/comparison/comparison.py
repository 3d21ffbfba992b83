"""Comparison: several ways to compute one motion, what each cost, and how far apart they end up."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.comparison import report as report
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.face import ComparisonFace
from linkwork.core.plain_data import Record
from linkwork.core.result import Result
from linkwork.simulation import deviations as between
from linkwork.simulation.deviations import Deviation

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class Run:
    """One formulation with one solver. Times in s; energy drift (total + dissipated − supplied) in J."""

    name: str
    formulation: str
    solver: str
    status: str = "finished"
    """"finished", "cancelled" or "failed"."""
    error: str = ""
    compile_time: float = float("nan")
    """Deriving and compiling the equations; small where an earlier run of the same formulation has done it."""
    run_time: float = float("nan")
    accepted: int = 0
    rejected: int = 0
    energy_drift: float = float("nan")
    position_residual: float = float("nan")
    velocity_residual: float = float("nan")
    channels: Mapping[str, Deviation] = field(default_factory=dict)
    """Deviation of each channel from the reference; empty for the reference itself."""
    groups: Mapping[str, Deviation] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Comparison(ComparisonFace):
    """What `m.compare(…)` found.

    runs            in the order they were made; `comparison["absolute"]` finds one by name
    reference       name of the run the others are measured against
    chosen          channels asked for: shown one by one in the table and the figure
    undetermined    joints whose reactions rigid bodies leave open: those are not compared
    results         the Result of each run that has one; none after loading from a file
    """

    model: str
    duration: float
    reference: str
    runs: tuple[Run, ...]
    units: Mapping[str, str] = field(default_factory=dict)
    chosen: tuple[str, ...] = ()
    undetermined: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    results: Mapping[str, Result] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Run:
        for run in self.runs:
            if run.name == name:
                return run
        raise UnknownName("run", name, [run.name for run in self.runs])

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    @property
    def compared(self) -> list[Run]:
        """The runs that were measured against the reference."""
        return [run for run in self.runs if run.channels]

    @property
    def deviations(self) -> dict[str, dict[str, float]]:
        """run → channel → largest distance from the reference, in the unit of the channel."""
        return {run.name: {c: d.absolute for c, d in run.channels.items()} for run in self.compared}

    @property
    def relative_deviations(self) -> dict[str, dict[str, float]]:
        """run → channel → the same as a share of the reference's largest value; NaN where that is zero."""
        return {run.name: {c: d.relative for c, d in run.channels.items()} for run in self.compared}

    def deviation(self, channel: str, *, relative: bool = False) -> dict[str, float]:
        """run → largest distance of one channel from the reference; without the runs that lack the channel."""
        deviations = self.relative_deviations if relative else self.deviations
        numbers = {run: channels[channel] for run, channels in deviations.items() if channel in channels}
        if numbers:
            return numbers
        if between.is_open(channel, self.undetermined):
            raise LinkworkError(
                "this reaction is not unique, so runs need not agree on it.",
                component=channel,
                remedy="Compare others, or remove the redundant constraint that m.check() names.",
            )
        raise UnknownName("compared channel", channel, {name for channels in deviations.values() for name in channels})

    def difference(self, run: str, channel: str) -> tuple[np.ndarray, np.ndarray]:
        """Times [s] and run − reference, shape (samples,) each."""
        for name in (run, self.reference):
            if name not in self.results:
                remedy = "Compare again: files hold the numbers, not the motions."
                raise LinkworkError(f"there is no result of the run {name!r}.", component=self.model, remedy=remedy)
        return between.difference(self.results[run], self.results[self.reference], channel)

    def suggested(self, count: int = 2) -> list[str]:
        """The channels to look at first: those asked for, else the speeds that differ most, one per body."""
        if self.chosen:
            return list(self.chosen)
        # The unit is the scale: 1 rad/s and 1 m/s are equally far.
        worst: dict[str, float] = {}
        reference = self.results.get(self.reference)
        for run in self.compared:
            for name, d in run.channels.items():
                if reference is not None and between.group_of(name, reference) == "speeds":
                    worst[name] = max(worst.get(name, 0.0), d.absolute)
        by_body: dict[str, str] = {}
        for name in sorted(worst, key=lambda n: -worst[n]):
            by_body.setdefault(name.rpartition(".")[0], name)
        return list(by_body.values())[:count]

    def to_dict(self) -> Record:
        """Everything but the results, in JSON's own types; what is not known is None."""
        return report.as_dict(self)

    def table(self, *, relative: bool = False) -> Table:
        """A `rich` table: one column per run, one line per quantity; deviations also as shares of the largest value."""
        return report.as_table(self, relative=relative)

    def __repr__(self) -> str:
        return report.as_text(self)

    def _repr_html_(self) -> str:
        return report.as_html(self)


def from_dict(data: Record) -> Comparison:
    """The inverse of `as_dict`; without results, which files do not hold."""
    runs = []
    for item in data["runs"]:
        facts: Record = {key: math.nan if value is None else value for key, value in item.items()}
        runs.append(Run(**facts | {key: _read(item[key]) for key in ("channels", "groups")}))
    lists: Record = {key: tuple(data[key]) for key in ("chosen", "undetermined", "notes")}
    return Comparison(**data | lists | {"runs": tuple(runs)})


def _read(deviations: Record) -> dict[str, Deviation]:
    return {
        name: Deviation(d["absolute"], math.nan if d["relative"] is None else d["relative"])
        for name, d in deviations.items()
    }
