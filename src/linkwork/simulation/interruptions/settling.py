"""States that nonlinear equations determine, where these equations jump during a run.

Between jumps such a state follows its equation. A table that steps, a switch or a sampled controller takes the equation
somewhere else at once; then the state is found anew, as at the start.
"""

from __future__ import annotations

from typing import Self

import casadi as ca
import numpy as np

from linkwork.algebra import lapack
from linkwork.assembly.algebraic import newton_step, solve_algebraic
from linkwork.core.errors import AssemblyError, ModelError
from linkwork.core.port import PortComponent
from linkwork.core.program import Event, Program
from linkwork.integrate import Trajectory
from linkwork.signals.inputs import values_in_time
from linkwork.signals.sides import sides_at
from linkwork.simulation.interruptions.interruption import Interruption, Moment, Setting, Sides

AHEAD = 1e-9
"""Share of a run by which to look ahead where a valve (an ideal diode) is just between leading and blocking."""
SHORTER, TRIES = 0.25, 16
"""How much shorter such a look is made, and how often, where what a valve lets go of moves on faster than that."""
STEADY, NOTHING = 0.5, 1e-10
"""Share of a move that its rate may change by while it is made; and moves that are next to none."""
AT_ONCE = 1e-10
"""Share of a run within which samples are at one time with a jump."""
SMALL = 1e-3
"""Size of such a state that is next to none, as projection has it."""
EQUATION_MISMATCH = 1e-3
"""Share of its size by which a state may still be off its equation."""


class Settling(Interruption):
    """Those states of one run."""

    def __init__(self, setting: Setting):
        self._eq, self._stops, self._duration = setting.ready.equations, setting.stops, setting.duration
        self._inputs = values_in_time(setting.ready.p, self._eq.symbols.parameters.numel(), setting.signals)
        self._step = newton_step(self._eq)
        self._largest = np.zeros(len(self._eq.algebraic.states))
        """Of each, in the run so far; for runs whose end is not known."""
        first = self._eq.q.numel() + self._eq.v.numel()
        self._sides = [first + k for k, name in enumerate(self._eq.z_names) if name in self._eq.states.sides]
        self._follows = np.isin(np.arange(len(self._eq.states.names)) - first, self._eq.algebraic.states)

    @classmethod
    def of(cls, setting: Setting) -> Self | None:
        return None if setting.ready.equations.algebraic.improved is None else cls(setting)

    def begin(self, now: Moment) -> None:
        now.y = self._solved(now.t, now.y)

    look_again = begin

    def next_time(self, now: Moment) -> float:
        """When something may step."""
        later = self._stops[self._stops[:, 0] > now.t + 1e-12 * max(1.0, abs(now.t))]
        return float(later[0].mean()) if later.size else np.inf

    def owns(self, event: Event) -> bool:
        return isinstance(event.about, PortComponent) and event.about.jumps

    def resume(self, now: Moment, part: Trajectory) -> Sides:
        """What is recorded at this time is what holds afterwards; which it is just before, rounding decides."""
        if part.status == "stopped" and self._sides:
            now.t, now.y = self._past(now.ready.program, now.t, now.y)
            return Sides.ONE
        now.y = self._solved(now.t, now.y)
        for k in np.flatnonzero(now.t - part.t <= AT_ONCE * self._duration):
            part.y[k] = self._solved(now.t, part.y[k])
        return Sides.AFTER

    def watch(self, now: Moment) -> None:
        """As `finish`, for the state that was reached; next to the largest values so far."""
        if self._follows_more:
            return
        t = float(sides_at(np.array([now.t]), self._stops, np.inf)[0])
        q, v, _ = parts = self._split(now.y)
        z, kept = self._better(t, *parts), self._eq.algebraic.states
        self._largest = np.maximum(self._largest, np.abs(z[kept]))
        off = self._distance(t, q, v, z, kept) > EQUATION_MISMATCH * (SMALL + self._largest)
        if off.any():
            raise self._jumped(kept[int(np.argmax(off))], now.t)

    def expect(self, stops: np.ndarray) -> None:
        self._stops = stops

    def saved(self) -> np.ndarray:
        return self._largest.copy()

    def restore(self, saved: object) -> None:
        assert isinstance(saved, np.ndarray)
        self._largest = saved.copy()

    def _solved(self, t: float, y: np.ndarray) -> np.ndarray:
        """The state with these states on their equations; where these jump, as they are afterwards."""
        t = float(sides_at(np.array([t]), self._stops, np.inf)[0])
        q, v, z = self._split(y)
        try:
            solution = solve_algebraic(self._eq, t, (q, v, z), self._inputs(t), self._step)
        except AssemblyError:  # from nowhere, as at the start
            blank = z.copy()
            blank[self._eq.algebraic.states] = 0.0
            solution = solve_algebraic(self._eq, t, (q, v, blank), self._inputs(t), self._step)
        return np.concatenate([q, v, solution])

    def _past(self, program: Program, t: float, y: np.ndarray) -> tuple[float, np.ndarray]:
        """A moment after t [s], and the state then: at the change of a valve itself rounding would decide its side.

        A current that a valve cuts off is gone within L/R. A longer look would take it far to the other side.
        """
        ahead = AHEAD * self._duration
        for k in range(TRIES):
            later, moved, steady = self._ahead(program, t, y, ahead * SHORTER**k)
            if steady:
                return later, moved
        return self._ahead(program, t, y, ahead)[:2]

    def _ahead(self, program: Program, t: float, y: np.ndarray, ahead: float) -> tuple[float, np.ndarray, bool]:
        """Forward by the rate that holds on the new side, what equations determine anew; whether that rate lasts."""
        later = t + ahead
        p, moved = self._inputs(later), [self._solved(later, y)]
        for _ in range(2):
            rate = np.array(program.function("rhs")(later, moved[-1], p)).ravel()
            moved.append(self._solved(later, np.where(self._follows, moved[-1], y + ahead * rate)))
        change = np.abs(moved[2] - moved[1])[~self._follows]
        allowed = np.maximum(STEADY * np.abs(moved[1] - y), NOTHING * np.maximum(1, np.abs(y)))[~self._follows]
        same = np.array_equal(np.sign(moved[1][self._sides]), np.sign(moved[2][self._sides]))
        return later, moved[2], same and bool(np.all(change <= allowed))

    def finish(self, path: Trajectory) -> None:
        """Mark a run as failed from where such a state is off its equation: that jumped where nobody was told."""
        if not path.ok:
            return
        if self._follows_more:
            return
        rows = [self._split(y) for y in path.y]
        kept = self._eq.algebraic.states
        times = sides_at(path.t, self._stops, float(path.t[-1]))
        z = np.array([self._better(t, *row) for t, row in zip(times, rows, strict=True)])
        far = np.array([self._distance(t, q, v, x, kept) for t, (q, v, _), x in zip(times, rows, z, strict=True)])
        off = far > EQUATION_MISMATCH * np.abs(z[:, kept]).max(axis=0, initial=0.0)
        if not off.any():
            return
        first, number = (int(k) for k in np.argwhere(off)[0])
        path.failure = self._jumped(kept[number], path.t[first])
        keep = max(first, 1)
        path.t, path.y, path.step, path.status = path.t[:keep], path.y[:keep], path.step[:keep], "failed"

    @property
    def _follows_more(self) -> bool:
        """Whether what these states are depends on more than the state."""
        improved = self._eq.algebraic.improved
        return improved is not None and bool(ca.depends_on(improved, ca.vertcat(self._eq.a, self._eq.multipliers)))

    def _jumped(self, number: int, t: float) -> ModelError:
        return ModelError(
            f"its nonlinear equation has jumped before t = {t:g} s, and the run could not follow.",
            component=self._eq.states.names[self._eq.q.numel() + self._eq.v.numel() + number],
            remedy='Let jumps be known: lw.Table(…, "hold"), m.switch, m.sampled; or add a volume, capacity or lag.',
        )

    def _better(self, t: float, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> np.ndarray:
        """z as the outputs see it."""
        return np.array(self._step(t, q, v, z, self._inputs(t), 0, 0)[0]).ravel()

    def _distance(self, t: float, q: np.ndarray, v: np.ndarray, z: np.ndarray, kept: list[int]) -> np.ndarray:
        """How far the kept ones are from their equations: one Newton step, as several may go round in a circle."""
        eq, still = self._eq, (np.zeros(self._eq.a.numel()), np.zeros(self._eq.multipliers.numel()))
        at, y = eq.at(self._inputs(t), t), np.concatenate([q, v, z])
        r, J = at.derivatives("algebraic states", lambda: eq.algebraic.residual, [eq.z], y, *still)
        return np.abs(lapack.lstsq(J[:, kept], r.ravel(), rcond=None)[0])

    def _split(self, y: np.ndarray) -> list[np.ndarray]:
        nq, nv = self._eq.q.numel(), self._eq.v.numel()
        return np.split(y, [nq, nq + nv])
