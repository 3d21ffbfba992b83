"""What a finding is judged from, and the list of all that are looked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.core.compliance import Compliance
from linkwork.core.equations import Equations
from linkwork.core.finding import Finding
from linkwork.core.pieces import OverTime
from linkwork.core.program import Program
from linkwork.core.result import Result, described_by
from linkwork.integrate import Trajectory
from linkwork.simulation.description.facts import Facts, facts_of

Check = Callable[["Evidence"], Iterable[Finding]]
_checks: list[Check] = []


def finding(check: Check) -> Check:
    """Register what is looked for after every run.

    To add one: 1. a file here with `@finding def …(run: Evidence) -> Iterable[Finding]`; 2. import it in `__init__`;
    3. measure against what cancels, and name the component and the time. It costs time after every run: look at arrays
    of samples first, and at equations only where these are suspicious.
    """
    _checks.append(check)
    return check


def judge(run: Evidence) -> list[Finding]:
    """All findings, in the order they are looked for."""
    for check in _checks:
        more = [*check(run)]  # which may take back what it explains
        run.findings += more
    return run.findings


@dataclass
class Evidence:
    """A finished run: what was run (model or bond graph, equations, program), how, and what came out."""

    model: Any
    equations: Equations
    program: Program
    path: Trajectory
    p: np.ndarray
    """Parameters, then inputs."""
    signals: Mapping[int, OverTime]
    result: Result
    """With all samples that the watch asked for; the user may get fewer of them."""
    solver: str
    """As in the record."""
    rtol: float
    atol: float
    compliance: Compliance | None = None
    """Of the joints, where the formulation makes them soft."""
    assembled: bool = True
    """Whether joints were closed when it began."""
    findings: list[Finding] = field(default_factory=list)
    """So far: a later check may take out what it explains."""
    _largest: dict[str, float] = field(default_factory=dict)

    @cached_property
    def columns(self) -> dict[str, dict[str, int]]:
        """Where channels are in the data, by the last part of their names, then by what stands before it."""
        channels, memory = self.result.channels, self.equations.memory
        known, columns = memory.get("columns", (0, {}))
        if known == len(channels):  # those of these equations do not change
            return columns
        columns = {}
        for k, channel in enumerate(self.result.channels):
            owner, _, last = channel.name.rpartition(".")
            columns.setdefault(last, {})[owner] = k
        memory["columns"] = len(channels), columns
        return columns

    def axes(self, letter: str, owners: Sequence[str]) -> np.ndarray:
        """Size of a vector's x, y, z channels, (samples, owners): `axes("a", bodies)` from "body.ax" and so on."""
        squares = np.zeros((self.result.t.size, len(owners)))
        for axis in "xyz":
            where = self.columns.get(f"{letter}{axis}", {})
            known = [k for k, owner in enumerate(owners) if owner in where]
            squares[:, known] += self.result.data[:, [where[owners[k]] for k in known]] ** 2
        return np.sqrt(squares)

    @cached_property
    def facts(self) -> Facts:
        """Of the mechanism, as far as it is measured by them."""
        return facts_of(described_by(self.result), self.equations.memory)

    @cached_property
    def arm(self) -> float:
        """The longest from a mass centre to a joint [m]; the mechanism is at least as large."""
        arms = self.facts.points.copy()
        for k, body in self.facts.fixed:
            arms[k] -= self._centre(body)
        return float(np.sqrt((arms * arms).sum(axis=1)).max(initial=0.0))

    @cached_property
    def size(self) -> float:
        """Of the mechanism [m]: the longest arm from a mass centre to a joint, or way between mass centres."""
        arm, apart, moved = self.arm, 0.0, 0.0
        for axis in "xyz":
            columns = [k for owner, k in self.columns.get(axis, {}).items() if owner in self.facts.bodies]
            places = self.result.data[:, columns]
            if places.size:
                apart = max(apart, float(np.ptp(places[0])))
                moved = max(moved, float(np.max(np.ptp(places, axis=0))))
        return max(arm, apart, min(moved, arm) if arm else moved) or 1.0

    def largest_residual(self, level: str) -> float:
        """In the whole run; NaN where it is no number somewhere, 0 where the channel is not there."""
        name = f"residual.{level}"
        if name not in self._largest:
            self._largest[name] = float(self.result[name].max(initial=0.0)) if name in self.result else 0.0
        return self._largest[name]

    @cached_property
    def unit(self) -> float:
        """Natural unit of lengths and speeds, of which the absolute tolerance is a multiple."""
        return float(self.equations.states.scale.max(initial=0.0)) or 1.0

    def _centre(self, body: str) -> list[float]:
        """Where a body's mass centre is at the first sample [m]."""
        places = (self.columns.get(axis, {}).get(body) for axis in "xyz")
        return [0.0 if k is None else float(self.result.data[0, k]) for k in places]

    def values(self, eq: Equations, t: float) -> np.ndarray:
        """p of other equations of the same model, with inputs as they are at t [s]."""
        return self.model.p_at(eq, self.p, t, getattr(self.signals, "given", None))
