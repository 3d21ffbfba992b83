"""The state equations of an inverse model: the source is a function of the states and of what is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from linkwork.analyses.graphs.linearize import ROUNDING, independent_states
from linkwork.analyses.linearization.modes import spectrum
from linkwork.bondgraph.reading.reading import Dependent, Enforced, Reading, State
from linkwork.bondgraph.reading.state_equations import StateEquations
from linkwork.geometry import SX


@dataclass
class InverseModel:
    """eq: of the graph with the input u; levels: the output and its derivatives below the order; wanted: symbols for
    what these and the one of that order are to be; source: u as a function of the states and the last of them."""

    eq: StateEquations
    u: SX
    levels: list[SX]
    wanted: list[SX]
    source: SX
    influence: SX
    """∂(derivative of that order)/∂u."""

    def driven(self, output: str, values: Sequence[SX]) -> StateEquations:
        """The state equations with the source found from the wanted values, which the states keep."""
        source = ca.substitute(self.source, ca.vertcat(*self.wanted), ca.densify(ca.vertcat(*values)))
        made = with_input(self.eq, self.u, source)
        units = self._units(made)
        kept = [(h - y) / unit for h, y, unit in zip(self.levels, values, units, strict=False)]
        signals = ca.vertcat(SX(0, 1), *(v.symbol for v in made.variables if v.element is None))
        held = ca.vertcat(SX(0, 1), *(v.symbol for v in made.variables if v.element is not None))
        for row in kept:
            of_positions = bool(made.position.numel()) and ca.depends_on(row, signals) and not ca.depends_on(row, held)
            if of_positions:
                made.position, made.position_of = ca.vertcat(made.position, row), [*made.position_of, output]
            else:
                made.invariant, made.invariant_of = ca.vertcat(made.invariant, row), [*made.invariant_of, output]
        return made

    def _units(self, made: StateEquations) -> np.ndarray:
        """By how much each level changes with states that hold ½ J: rows of all orders and domains count alike.

        Graphs of mechanisms keep the metric of their inertias, by which their joints are closed.
        """
        eq, n = self.eq, len(self.levels)
        if eq.graph.of_model or not n:
            return np.ones(n)
        p = np.array([*eq.graph.parameters.values(), *eq.graph.inputs.values()])
        x = eq.start(p)
        made.sizes = eq.scales(x, p)
        slope = ca.jacobian(ca.vertcat(*self.levels), eq.x)
        J = np.array(ca.Function("slope", [eq.graph.t, eq.x, eq.p], [ca.densify(slope)])(0.0, x, p))
        units = np.linalg.norm(J * made.sizes, axis=1)
        return np.where(np.isfinite(units) & (units > 0), units, 1.0)

    def zero_dynamics(self, made: StateEquations, t: float, x: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, float]:
        """Eigenvalues [1/s] of what goes on while the output is as wanted, and how far to the right counts as none."""
        kept = ca.vertcat(made.invariant, made.position)
        blocks = [ca.densify(ca.jacobian(y, made.x)) for y in (made.rate, kept)]
        A, H = (np.array(v) for v in ca.Function("zero", [made.graph.t, made.x, made.p], blocks)(t, x, p))
        if not (np.all(np.isfinite(A)) and np.all(np.isfinite(H))):
            return np.zeros(0, complex), np.inf
        scale = made.scales(x, p)  # states of all domains alike
        A, H = A * scale / scale[:, None], H * scale
        own, N = independent_states(H)
        zeros = spectrum(A[own] @ N, ROUNDING * np.abs(A[own]) @ np.abs(N))
        return zeros.eigenvalues, float(zeros.noise.max(initial=0.0)) + 1e-9 * float(np.abs(A).max(initial=0.0))


def with_input(eq: StateEquations, u: SX, value: SX) -> StateEquations:
    """The same equations with an expression in the place of an input."""

    def substituted(x: SX) -> SX:
        return ca.substitute(SX(x), u, value)

    old = eq.reading
    states = [State(s.element, s.symbol, substituted(s.rate), s.start, s.kind) for s in old.states]
    dependents = [Dependent(d.element, substituted(d.symbol), substituted(d.amount)) for d in old.dependents]
    enforced = [Enforced(e.element, e.symbol, substituted(e.residual)) for e in old.enforced]
    effort, flow = ({b: substituted(x) for b, x in part.items()} for part in (old.effort, old.flow))
    reading = Reading(effort, flow, states, dependents, enforced, list(old.loops))
    variables = [replace(v, rate=substituted(v.rate), start=substituted(v.start)) for v in eq.variables]
    return replace(eq, reading=reading, variables=variables, invariant=substituted(eq.invariant))
