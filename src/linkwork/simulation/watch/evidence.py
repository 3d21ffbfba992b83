"""What a finding is judged from, and the list of all that are looked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.core.compliance import Compliance
from linkwork.core.equations import Equations
from linkwork.core.finding import Finding
from linkwork.core.pieces import OverTime
from linkwork.core.program import Program
from linkwork.core.result import Result, description_of
from linkwork.integrate import Trajectory

if TYPE_CHECKING:
    pass

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
        run.found += more
    return run.found


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
    found: list[Finding] = field(default_factory=list)
    """So far: a later check may take out what it explains."""

    @cached_property
    def columns(self) -> dict[str, dict[str, int]]:
        """Where channels are in the data, by the last part of their names, then by what stands before it."""
        channels, memory = self.result.channels, self.equations.memory
        known, found = memory.get("columns", (0, {}))
        if known == len(channels):  # those of these equations do not change
            return found
        found = {}
        for k, channel in enumerate(self.result.channels):
            owner, _, last = channel.name.rpartition(".")
            found.setdefault(last, {})[owner] = k
        memory["columns"] = len(channels), found
        return found

    def axes(self, letter: str, owners: Sequence[str]) -> np.ndarray:
        """Size of a vector's x, y, z channels, (samples, owners): `axes("a", bodies)` from "body.ax" and so on."""
        squares = np.zeros((self.result.t.size, len(owners)))
        for axis in "xyz":
            where = self.columns.get(f"{letter}{axis}", {})
            known = [k for k, owner in enumerate(owners) if owner in where]
            squares[:, known] += self.result.data[:, [where[owners[k]] for k in known]] ** 2
        return np.sqrt(squares)

    @cached_property
    def size(self) -> float:
        """Of the mechanism [m]: the longest arm from a mass centre to a joint, or way between mass centres."""
        joints, ground = description_of(self.result).get("joints", {}), description_of(self.result).get("ground")
        arms = []
        for joint in joints.values():
            for side, other in ((joint["first"], joint["second"]), (joint["second"], joint["first"])):
                on_ground = side["body"] == ground
                arms.append(np.subtract(side["point"], self._centre(other["body"])) if on_ground else side["point"])
        arm = float(np.linalg.norm(np.array(arms).reshape(-1, 3), axis=1).max(initial=0.0))
        bodies = description_of(self.result).get("bodies", {})
        apart, moved = 0.0, 0.0
        for axis in "xyz":
            columns = [k for owner, k in self.columns.get(axis, {}).items() if owner in bodies]
            places = self.result.data[:, columns]
            if places.size:
                apart = max(apart, float(np.ptp(places[0])))
                moved = max(moved, float(np.max(np.ptp(places, axis=0))))
        return max(arm, apart, min(moved, arm) if arm else moved) or 1.0

    @property
    def unit(self) -> float:
        """Natural unit of lengths and speeds, of which the absolute tolerance is a multiple."""
        return float(self.equations.states.scale.max(initial=0.0)) or 1.0

    def _centre(self, body: str) -> list[float]:
        """Where a body's mass centre is at the first sample [m]."""
        found = (self.columns.get(axis, {}).get(body) for axis in "xyz")
        return [0.0 if k is None else float(self.result.data[0, k]) for k in found]

    def values(self, eq: Equations, t: float) -> np.ndarray:
        """p of other equations of the same model, with inputs as they are at t [s]."""
        return self.model.p_at(eq, self.p, t, getattr(self.signals, "given", None))
