"""Adjoint gradients: the discrete adjoint of the integration itself.

The forward run records its steps. Backwards, each step is differentiated as it was taken: stages of Dormand and
Prince's method (or of Radau IIA), then the projection onto the constraints. The gradient is therefore that of the
computed value, to rounding; the cost hardly grows with the number of parameters. Stages of all steps of a block are
recomputed at once, in machine code.
"""

from __future__ import annotations

from collections.abc import Iterator

import casadi as ca
import numpy as np

from linkwork.analyses.sensitivity.flow_by_equations import FlowByEquations
from linkwork.analyses.sensitivity.forward import Run, jump_at, require
from linkwork.analyses.sensitivity.tableaux import Tableau, tableaux
from linkwork.core.errors import LinkworkError
from linkwork.core.program import NativeFunction
from linkwork.geometry import SX
from linkwork.integrate import evaluate, integrate

ROOM = 4_000_000
"""Numbers that the Jacobians of one block of steps may take."""
DEVIATION = 1e-5
"""Largest difference between a recomputed step and the recorded one, relative."""


class NotCovered(LinkworkError):
    """What adjoint gradients cannot do and forward ones can."""


def adjoint(flow: FlowByEquations, run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Values of what the flow observes, at the end (quantities,), and their gradients (quantities, parameters)."""
    if run.solver not in tableaux:
        raise NotCovered(
            f"the adjoint of {run.solver!r} is not known.",
            component=run.model,
            remedy=f"Use solver={' or '.join(map(repr, tableaux))}, or method='forward'.",
        )
    return _Sweep(flow, run, tableaux[run.solver]).result()


class _Sweep:
    def __init__(self, flow: FlowByEquations, run: Run, tableau: Tableau):
        self.flow, self.run, self.tableau = flow, run, tableau
        self.n, self.p = flow.size, run.p
        self.projected = flow.program.constrained

    def result(self) -> tuple[np.ndarray, np.ndarray]:
        t, Y = self._record()
        end, y_end = t[-1:], Y[-1:]
        values = self._at(self.flow.compiled("outputs"), end, y_end)[0]
        multiplier = self._jacobian("outputs", end, y_end)[0].T  # (states, quantities)
        gradient = self._jacobian("outputs", end, y_end, by_p=True)[0]
        for first, last in self._blocks(t.size - 1):
            multiplier, part = self._block(t[first : last + 1], Y[first : last + 1], multiplier)
            gradient = gradient + part
        if self.projected:  # the start itself is projected before the first step
            start = self.run.y0[None, :]
            gradient = gradient + multiplier.T @ self._jacobian("project", t[:1], start, by_p=True)[0]
            multiplier = self._jacobian("project", t[:1], start)[0].T @ multiplier
        return values, gradient + multiplier.T @ self.run.S0

    def _record(self) -> tuple[np.ndarray, np.ndarray]:
        """Times and states of every step."""
        run, flow = self.run, self.flow
        path = integrate(
            flow.program, run.y0, (0.0, run.duration), parameters=self.p, signals=run.signals,
            solver=run.solver, rtol=run.rtol, atol=run.atol, progress=run.progress, stops=run.stops,
            max_step=run.max_step,
        )  # fmt: skip
        require(path, flow, run.model)
        for event in path.events:
            own = flow.events[event.index]
            if own.action == "stop" or jump_at(flow, run, event.t, event.y, event.index) is not None:
                what = f"{own.name!r} ends the run" if own.action == "stop" else "the equations jump"
                raise NotCovered(
                    f"{what} at t = {event.t:.6g} s, which adjoint gradients do not cover.",
                    component=run.model,
                    remedy="Use method='forward'." if own.action != "stop" else "Take a duration that ends before it.",
                )
        keep = np.append(np.diff(path.t) > 0, True)
        return path.t[keep], path.y[keep]

    def _blocks(self, steps: int) -> Iterator[tuple[int, int]]:
        """(first, last) step of blocks that fit in memory, from the end to the start."""
        size = max(1, int(ROOM / (self.tableau.stages * (2 + self.tableau.implicit * 3) * self.n**2)))
        for last in range(steps, 0, -size):
            yield max(0, last - size), last

    def _block(self, t: np.ndarray, Y: np.ndarray, multiplier: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Backwards over consecutive steps: multiplier at the first state, and what was added to the gradient."""
        h, n, table = np.diff(t), self.n, self.tableau
        steps, quantities = h.size, multiplier.shape[1]
        times = t[:-1, None] + h[:, None] * table.c
        K, stages = self._stages(times, h, Y[:-1])
        times, stages = self._on_their_side(times, stages)
        J = self._jacobian("rhs", times.ravel(), stages.reshape(-1, n)).reshape(steps, table.stages, n, n)
        ahead = Y[:-1] + h[:, None] * np.einsum("s,ksn->kn", table.b, K)
        back = self._jacobian("project", t[1:], ahead) if self.projected else None
        self._compare(t[1:], ahead, Y[1:])
        pulls = np.empty((steps, table.stages, n, quantities))
        ends = np.empty((steps, n, quantities))
        solve = table.backwards(h, J)
        for k in range(steps - 1, -1, -1):
            ends[k] = multiplier
            if back is not None:
                multiplier = back[k].T @ multiplier
            multiplier, pulls[k] = solve(k, multiplier)
        gradient = np.zeros((quantities, len(self.run.chosen)))
        for q in range(quantities):
            gradient[q] = self._pulled("rhs", times.ravel(), stages.reshape(-1, n), pulls[..., q].reshape(-1, n))
            if self.projected:
                gradient[q] += self._pulled("project", t[1:], ahead, ends[..., q])
        return multiplier, gradient

    def _stages(self, times: np.ndarray, h: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Slopes and states of all stages of all steps, each (steps, stages, states)."""
        n, s = self.n, self.tableau.stages

        def slope(stage: slice | int, states: np.ndarray) -> np.ndarray:
            where = times[:, stage]
            slopes = self._at(self.flow.compiled("rhs"), where.ravel(), states.reshape(-1, n))
            return slopes.reshape(states.shape)

        def jacobian(states: np.ndarray) -> np.ndarray:
            return self._jacobian("rhs", times.ravel(), states.reshape(-1, n)).reshape(-1, s, n, n)

        return self.tableau.forwards(h, Y, slope, jacobian)

    def _on_their_side(self, times: np.ndarray, stages: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Stages that their own error carries across the switch at an end of the step, brought back to its side.

        Steps end at switches, so all of one lies on one side. At a kink slopes are the same on both, derivatives not.
        """
        times, stages = times.copy(), stages.copy()
        both_ways = [k for k, event in enumerate(self.flow.events) if event.direction == 0]
        if not both_ways:
            return times, stages
        steps, s, n = stages.shape
        g = self._at(self.flow.compiled("events"), times.ravel(), stages.reshape(-1, n)).reshape(steps, s, -1)
        far = np.take_along_axis(g, np.abs(g).argmax(axis=1)[:, None, :], axis=1)
        for k in both_ways:
            side = np.sign(far[:, :, k])
            step, stage = np.nonzero((g[:, :, k] * side <= 0) & (side != 0))
            if not step.size:
                continue
            value, margin = g[step, stage, k], 1e-9 * np.abs(far[step, 0, k])
            slope = self._slopes(times[step, stage], stages[step, stage])[:, k]
            size = np.sum(slope**2, axis=1)
            wanted = side[step, 0] * (0.01 * np.abs(value) + margin)
            move = ((wanted - value) / np.where(size > 0, size, 1.0))[:, None] * slope
            times[step, stage] += move[:, 0]
            stages[step, stage] += move[:, 1:]
        return times, stages

    def _slopes(self, t: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """∂g/∂(t, y) of all switches, at each row: (rows, switches, 1 + states)."""

        def make() -> ca.Function:
            s, g = self._symbols("events")
            return ca.Function("slopes", s, [ca.densify(ca.jacobian(g, ca.vertcat(s[0], s[1])).T)], {"cse": True})

        slopes = self._at(self.flow.compiled("events by t and y", make), t, Y)
        return slopes.reshape(t.size, len(self.flow.events), 1 + self.n)

    def _compare(self, t: np.ndarray, ahead: np.ndarray, recorded: np.ndarray) -> None:
        """The steps that are differentiated must be those that were taken."""
        if self.projected:
            ahead = self._at(self.flow.compiled("project"), t, ahead)
        weighted = ~self.flow.program.unweighted
        scale = 1 + np.abs(recorded).max(axis=0)
        off = (np.abs(ahead - recorded) / scale)[:, weighted].max(initial=0.0)
        if not off < DEVIATION:
            raise NotCovered(
                f"the steps cannot be retraced: they differ by {off:.2g}, relative.",
                component=self.run.model,
                remedy="Use method='forward', or tighter tolerances.",
            )

    # Compiled derivatives --------------------------------------------------------------------------------------------

    def _at(self, function: NativeFunction, t: np.ndarray, Y: np.ndarray) -> np.ndarray:
        return evaluate(function, t, Y, self.p, self.run.signals, inputs=len(self.flow.inputs))

    def _jacobian(self, name: str, t: np.ndarray, Y: np.ndarray, *, by_p: bool = False) -> np.ndarray:
        """∂/∂y (or ∂/∂p) of the first result of a function, at each row: (rows, results, states or parameters)."""
        key = f"{name} by {'p' if by_p else 'y'}"
        if by_p:
            key = f"{key} {self.run.chosen}"
        f = self.flow.compiled(key, lambda: self._jacobian_of(name, by_p))
        nonzeros = self._at(f, t, Y)
        starts, rows = f.out_patterns[0]
        columns = np.repeat(np.arange(starts.size - 1), np.diff(starts))
        results = self.flow.symbolic(name).size1_out(0)
        dense = np.zeros((t.size, results, starts.size - 1))
        dense[:, rows, columns] = nonzeros
        return dense

    def _jacobian_of(self, name: str, by_p: bool) -> ca.Function:
        s, value = self._symbols(name)
        matrix = ca.jacobian(value, s[2])[:, list(self.run.chosen)] if by_p else ca.jacobian(value, s[1])
        return ca.Function("jacobian", s, [ca.sparsify(matrix)], {"cse": True})

    def _pulled(self, name: str, t: np.ndarray, Y: np.ndarray, pull: np.ndarray) -> np.ndarray:
        """Sum over all rows of (∂/∂p)ᵀ pull, for the chosen parameters."""

        def make() -> ca.Function:
            s, value = self._symbols(name)
            w = SX.sym("w", self.n)
            by_p = ca.jtimes(value, s[2], w, True)[list(self.run.chosen)]
            return ca.Function("pulled", [s[0], ca.vertcat(s[1], w), s[2]], [ca.densify(by_p)], {"cse": True})

        f = self.flow.compiled(f"{name} pulled {self.run.chosen}", make)
        return self._at(f, t, np.hstack([Y, pull])).sum(axis=0)

    def _symbols(self, name: str) -> tuple[list[SX], SX]:
        s = [SX.sym("t"), SX.sym("y", self.n), SX.sym("p", self.p.size)]
        return s, self.flow.symbolic(name).call(s)[0]
