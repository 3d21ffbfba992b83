"""A model's equations in one piece, made ready for derivatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import casadi as ca
import numpy as np

from linkwork.analyses.sensitivity.flow import Chosen, Flow
from linkwork.analyses.sensitivity.variational import varied
from linkwork.compile.functions import builders
from linkwork.compile.native import CompiledFunction, compile_function
from linkwork.core.equations import Equations
from linkwork.core.program import Event, NativeFunction, Program
from linkwork.geometry import SX
from linkwork.signals.switches import comparisons

INSTRUCTION_LIMIT = 60_000
"""Instructions in one compiled right-hand side; more parameters are treated in groups."""
COST = 3.0
"""Instructions of one sensitivity, per instruction of the right-hand side."""


class FlowByEquations(Flow):
    """Every function exists symbolically (`symbolic`) and, once asked for, as machine code (`compiled`)."""

    def __init__(
        self,
        eq: Equations,
        observed: Sequence[SX],
        integrands: Sequence[SX],
        parameters: Mapping[str, float],
        inputs: Mapping[str, float],
    ):
        """observed: expressions in the symbols of eq; the integrals are observed after them, in order."""
        super().__init__(parameters, inputs)
        integrals = [SX.sym(f"integral{k}") for k in range(len(integrands))]
        self.names = [*eq.states.names, *(f"integral {k + 1}" for k in range(len(integrals)))]
        wanted = [*observed, *integrals]
        self.eq = replace(
            eq,
            symbols=replace(eq.symbols, z=ca.vertcat(eq.z, *integrals)),
            states=replace(
                eq.states, names=self.names, unweighted=[*eq.states.unweighted, *([False] * len(integrals))]
            ),
            motion=replace(eq.motion, zdot=ca.vertcat(eq.motion.zdot, *integrands)),
            observation=replace(eq.observation, outputs={str(k): ("", value) for k, value in enumerate(wanted)}),
        )
        self.integrals, self.observed = len(integrals), len(wanted)
        self._derive = builders(self.eq, shared=True)
        self._symbolic: dict[str, ca.Function] = {}
        self._compiled: dict[str, CompiledFunction] = {}
        self.events = self._switches()
        self.program = self._program()

    def symbolic(self, name: str) -> ca.Function:
        """A function of `Program`, before compilation."""
        if name not in self._symbolic:
            self._symbolic[name] = self._derive[name]()
        return self._symbolic[name]

    def compiled(self, name: str, make: Callable[[], ca.Function] | None = None) -> NativeFunction:
        """Machine code of what `make` derives, or of the function of `Program` of that name; made once."""
        if name not in self._compiled:
            self._compiled[name] = compile_function(make() if make else self.symbolic(name), name=name)
        return self._compiled[name]

    @property
    def at_once(self) -> int:
        return max(1, int(INSTRUCTION_LIMIT / (COST * max(self.symbolic("rhs").n_instructions(), 1))))

    def vary(self, chosen: Chosen) -> Program:
        return varied(self, chosen)

    def switch_slope(
        self, t: float, y: np.ndarray, p: np.ndarray, index: int, S: np.ndarray, chosen: Chosen
    ) -> np.ndarray:
        s = [SX.sym("t"), SX.sym("y", self.size), SX.sym("p", p.size)]
        g = self.symbolic("events")(*s)[index]
        slopes = ca.Function("slopes", s, [ca.densify(ca.jacobian(g, x)) for x in s[1:]])
        by_y, by_p = (np.array(x).ravel() for x in slopes(t, y, p))
        return by_y @ S + by_p[list(chosen)]

    def digest(self, t: float, y: np.ndarray, p: np.ndarray) -> str:
        return "".join(self.symbolic(name).serialize() for name in ("rhs", "outputs"))

    def _switches(self) -> list[Event]:
        """The model's own events that end or restart a run, and every comparison in the right-hand side."""
        eq = self.eq
        own = [(event, g[0]) for event, g in eq.observation.events if event.action != "record"]
        switches = comparisons(self.symbolic("rhs"), [eq.t, eq.y, eq.p])
        g = ca.vertcat(*(g for _, g in own), *switches)
        self._symbolic["events"] = ca.Function("events", [eq.t, eq.y, eq.p], [ca.densify(g)])
        return [e for e, _ in own] + [Event(f"comparison {k + 1}", 0, "restart") for k in range(len(switches))]

    def _program(self) -> Program:
        eq = self.eq
        return Program(
            layout=eq.layout,
            build=self.compiled,
            parameters=self.parameters,
            inputs=self.inputs,
            channels=eq.observation.channels,
            events=tuple(self.events),
            unweighted=np.array(eq.states.unweighted, dtype=bool),
            constrained=eq.projects,
            symbolic=self.symbolic,
        )
