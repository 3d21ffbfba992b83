"""Equations of a model in CasADi's interpreter, run by SciPy: nothing has to be compiled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.simulation.prepare import Choice, Prepared, prepare


@dataclass
class Interpreted:
    """One formulation of a model, and its functions once they were asked for."""

    ready: Prepared
    derived: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, model: lw.Model, formulation: str, compliance: lw.Compliance | None = None) -> Interpreted:
        return cls(prepare(model, Choice(formulation, compliance=compliance)))

    def call(self, name: str, *arguments: Any) -> np.ndarray:
        """The first result of a function of the program, see `linkwork.compile.functions`."""
        if name not in self.derived:
            self.derived[name] = self.ready.program.symbolic(name)
        return np.array(self.derived[name].call([*arguments])[0]).ravel()

    def channels(self, t: float, y: np.ndarray) -> dict[str, float]:
        values = self.call("outputs", t, y, self.ready.p)
        return {c.name: x for c, x in zip(self.ready.program.channels, values.tolist(), strict=True)}

    def run(self, times: np.ndarray, rtol: float = 1e-9) -> dict[str, np.ndarray]:
        """Channels at the times [s], the first of which is the start; projected to the constraints at each of them."""
        y, p = self.ready.state, self.ready.p
        found = [self.channels(times[0], y)]
        for span in zip(times, times[1:], strict=False):
            path = solve_ivp(
                lambda t, y: self.call("rhs", t, y, p), span, y, "DOP853", rtol=rtol, atol=rtol / 100, first_step=1e-3
            )
            assert path.success, path.message
            y = self.call("project", span[1], path.y[:, -1], p)
            found.append(self.channels(span[1], y))
        return {name: np.array([x[name] for x in found]) for name in found[0]}

    def anywhere(self, rng: np.random.Generator) -> np.ndarray:
        """A state far from the start, whose joints are not closed and whose speeds are not consistent."""
        layout = self.ready.program.layout
        y = self.ready.state.copy()
        y[: layout.q] = self.call("retract", y[: layout.q], rng.uniform(-1, 1, layout.v))
        y[layout.q :] = rng.uniform(-2, 2, y.size - layout.q)
        return y
