"""How far the formulations of one mechanism are apart, channel by channel."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.formulations import formulations
from linkwork.simulation.prepare import COMPLIANT_FORMULATIONS, Choice, Prepared, prepare

EXACT = [name for name in formulations if name not in COMPLIANT_FORMULATIONS and not name.startswith("bondgraph")]
"""Formulations that must give the same motion; compliant joints give way."""
GRAPHS = [name for name in formulations if name not in COMPLIANT_FORMULATIONS and name.startswith("bondgraph")]
"""The ways to read a bond graph, which must as well; they are tried on fewer mechanisms."""
VECTOR = [name for name in GRAPHS if not name.endswith("-scalar")]
"""Those with vector bonds; the scalar ones have crosschecks of their own."""

Channels = Mapping[str, np.ndarray]
KINDS = {
    "acceleration": re.compile(r"\.(a[xyz]|alpha[xyz])$"),
    "load": re.compile(r"\.[fm][xyz]$|\.(spring|damper|friction|limits|effort|power|tension|multiplier)\d*$"),
    "energy": re.compile(r"^energy\."),
    "speed": re.compile(r"\.(v[xyz]|w[xyz]|rate)$"),
}
"""Channels of a kind share a scale: the largest value among them, at least 1 in SI units. The rest are positions."""


def kind_of(channel: str) -> str:
    return next((kind for kind, pattern in KINDS.items() if pattern.search(channel)), "position")


def comparable(model: lw.Model, report: lw.Report) -> Callable[[str], bool]:
    """Which channels the physics determines: reactions only where they are unique."""

    def chosen(channel: str) -> bool:
        owner = channel.split(".")[0]
        if channel.startswith(("residual", "solver")):
            return False
        if "multiplier" in channel:  # those of a joint depend on how its equations are written
            return not isinstance(model[owner], lw.Joint) and not report.redundant
        told = ".reaction." in channel or ".port1." in channel or channel.endswith((".normal", ".ahead", ".aside"))
        return not told or report.unique.get(owner, True)

    return chosen


@dataclass
class Interpreted:
    """A formulation of a model in CasADi's interpreter: slow, but nothing has to be compiled."""

    ready: Prepared
    derived: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, model: lw.Model, formulation: str) -> Interpreted:
        return cls(prepare(model, Choice(formulation)))

    def _function(self, name: str) -> Any:
        if name not in self.derived:
            self.derived[name] = self.ready.program.symbolic(name)
        return self.derived[name]

    def channels(self, t: float, y: np.ndarray) -> dict[str, np.ndarray]:
        values = np.array(self._function("outputs")(t, y, self.ready.p)).ravel()
        return {c.name: values[k : k + 1] for k, c in enumerate(self.ready.program.channels)}

    def at_start(self) -> dict[str, np.ndarray]:
        return self.channels(0.0, self.ready.state)

    def run(self, duration: float) -> np.ndarray:
        """State after `duration` [s], brought back to the constraints four times on the way."""
        return self.through(np.linspace(0, duration, 5), self.ready.state)

    def through(self, times: np.ndarray, y: np.ndarray) -> np.ndarray:
        """State at the last of these times from that at the first, brought back to the constraints at each."""
        rhs = self._function("rhs")
        for span in itertools.pairwise(times) if y.size else ():
            path = solve_ivp(
                lambda t, y: np.array(rhs(t, y, self.ready.p)).ravel(), span, y, "DOP853", rtol=1e-12, atol=1e-13
            )
            assert path.success, path.message
            y = self.projected(span[1], path.y[:, -1])[0]
        return y

    def projected(self, t: float, y: np.ndarray) -> tuple[np.ndarray, float]:
        """The state on the constraints, and how far from them it was [m, rad, m/s, rad/s]."""
        y, before = self._function("project")(t, y, self.ready.p)
        return np.array(y).ravel(), float(np.abs(np.array(before)).max())

    def reprojected(self, y: np.ndarray, rng: np.random.Generator) -> float:
        """What is left of a disturbance of 1e-4 in all coordinates and speeds after projecting it away at t = 0."""
        layout = self.ready.program.layout
        y = y.copy()
        y[: layout.q + layout.v] += rng.uniform(-1e-4, 1e-4, layout.q + layout.v)
        for _ in range(8):  # one step of Newton's method each
            y, left = self.projected(0.0, y)
        return left


def differences(a: Channels, b: Channels, chosen: Callable[[str], bool]) -> dict[str, tuple[float, str]]:
    """By kind: the largest difference relative to the scale of its kind, and the channel it is at."""
    names = [name for name in a if name in b and chosen(name)]
    scale: dict[str, float] = {}
    for name in names:
        scale[kind_of(name)] = max(scale.get(kind_of(name), 1.0), float(np.abs(a[name]).max()))
    worst: dict[str, tuple[float, str]] = {}
    for name in names:
        y = np.asarray(b[name])
        if body := re.fullmatch(r"(.*)\.q[0-3]", name):  # e and −e are the same rotation
            same = sum(np.asarray(a[f"{body[1]}.q{i}"]) * np.asarray(b[f"{body[1]}.q{i}"]) for i in range(4))
            y = y * np.sign(same)
        off = float(np.abs(a[name] - y).max()) / scale[kind_of(name)]
        if not off <= worst.get(kind_of(name), (0.0, ""))[0]:  # NaN is worst
            worst[kind_of(name)] = (off, name)
    return worst


def unlike(a: Channels, b: Channels) -> set[str]:
    """Channels that only one of two formulations has; multipliers and residuals of blocks are each one's own."""
    return {name for name in {*a} ^ {*b} if "multiplier" not in name and not name.startswith("residual.network")}


def imbalance(first: Channels, last: Channels) -> float:
    """Energy that came from nowhere between two times, relative to the largest energy, at least 1 J."""
    parts = ("energy.kinetic", "energy.potential", "energy.dissipated", "energy.supplied")
    size = max(1.0, *(float(np.abs(x[name]).max()) for x in (first, last) for name in parts))
    sums = [x["energy.total"] + x["energy.dissipated"] - x["energy.supplied"] for x in (first, last)]
    return float(np.abs(sums[1] - sums[0]).max()) / size
