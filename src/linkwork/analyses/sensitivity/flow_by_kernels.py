"""A large model made ready for derivatives: its schedules, differentiated stage by stage."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.analyses.sensitivity.flow import Chosen, Flow
from linkwork.analyses.sensitivity.objectives import Final, Integral, Observed, Term
from linkwork.core.activity import begin
from linkwork.core.errors import UnknownName
from linkwork.core.program import Event, NativeFunction, Program, StateLayout
from linkwork.geometry import SX
from linkwork.large.large_model import LargeModel
from linkwork.large.schedule import ScheduleFunction
from linkwork.large.varied import Quantities, Varied, quantities_of

AT_ONCE = 8
"""Parameters of one program: each takes as much room as the states."""
AWAY = 1e-3
"""How far from the start equations are looked at, too, to tell them from others; relative, or in SI units."""


class FlowByKernels(Flow):
    def __init__(self, large: LargeModel, program: Program, channels: Sequence[str], terms: Sequence[Term]):
        """terms: functions of channels, of which those with a value at the end come first."""
        super().__init__(program.parameters, program.inputs)
        self.large, self.program = large, program
        place = {c.name: k for k, c in enumerate(program.channels)}
        for name in channels:
            if name not in place:
                raise UnknownName("channel", name, place)
        self._columns = np.array([place[name] for name in channels], dtype=np.int64)
        self._finals = self._quantities([x for x in terms if isinstance(x, Final)])
        self._integrands = self._quantities([x for x in terms if isinstance(x, Integral)])
        self.integrals = self._integrands.count if self._integrands else 0
        self.observed = len(channels) + len(terms)
        self.names = [*large.state_names, *(f"integral {k + 1}" for k in range(self.integrals))]
        self._own = np.array([k for k, e in enumerate(program.events) if e.action != "record"], dtype=np.int64)
        self._switches: dict[Chosen, ScheduleFunction] = {}
        self._compiled: dict[str, ScheduleFunction] = {}
        own = [program.events[k] for k in self._own]
        compared = self.compiled("events").out_sizes[0] - len(own)
        self.events = [*own, *(Event(f"comparison {k + 1}", 0, "restart") for k in range(compared))]

    def _quantities(self, terms: Sequence[Term]) -> Quantities | None:
        """Of terms that are asked for, as functions of t, p and all channels."""
        t, p, c = self._symbols
        names = [*self.program.parameters, *self.program.inputs]
        values = {channel.name: x for channel, x in zip(self.program.channels, c, strict=True)}
        values |= {name: x for name, x in zip(names, p, strict=True) if name in self.program.parameters}
        channels = Observed(t, values)
        return quantities_of([term.expression(channels) for term in terms], ca.vertcat(t, *p, *c))

    @cached_property
    def _symbols(self) -> tuple[SX, list[SX], list[SX]]:
        sizes = len(self.program.parameters) + len(self.program.inputs), len(self.program.channels)
        p, c = (ca.vertsplit(SX.sym(name, size)) if size else [] for name, size in zip("pc", sizes, strict=True))
        return self.large.model.t, p, c

    @property
    def at_once(self) -> int:
        return AT_ONCE

    def _blocks(self, chosen: Chosen) -> Varied:
        return Varied(self.large, self.program, chosen, self._integrands)

    def vary(self, chosen: Chosen) -> Program:
        of, layout = self._blocks(chosen), self.program.layout

        def build(name: str) -> NativeFunction:
            begin(f"deriving sensitivities, {name}")
            clock = time.perf_counter()
            if name == "events":
                made: NativeFunction = of.events(self._own)
            elif name == "outputs":
                made = of.outputs(self._columns, self._finals)
            else:
                made = getattr(of, name)()
            program.derive_seconds += time.perf_counter() - clock
            return made

        v, whole = layout.v * of.blocks, of.size * of.blocks
        recording = np.concatenate([self.program.unweighted, np.zeros(self.integrals, dtype=bool)])
        program = Program(
            layout=StateLayout(layout.q, v, whole - layout.q - v, layout.multipliers * of.blocks),
            build=build,
            parameters=self.parameters,
            inputs=self.inputs,
            channels=(),
            events=tuple(self.events),
            unweighted=np.tile(recording, of.blocks),
            constrained=self.program.constrained,
        )
        return program

    def compiled(self, name: str) -> NativeFunction:
        if name not in self._compiled:
            of = self._blocks(())
            made = of.events(self._own) if name == "events" else of.rhs()
            assert isinstance(made, ScheduleFunction)
            self._compiled[name] = made
        return self._compiled[name]

    def switch_slope(
        self, t: float, y: np.ndarray, p: np.ndarray, index: int, S: np.ndarray, chosen: Chosen
    ) -> np.ndarray:
        if chosen not in self._switches:
            self._switches[chosen] = self._blocks(chosen).events(self._own, moving=True)
        (g,) = self._switches[chosen](t, np.concatenate([y, S.ravel(order="F")]), p)
        slopes: np.ndarray = g.reshape(1 + len(chosen), -1)[1:, index]
        return slopes

    def digest(self, t: float, y: np.ndarray, p: np.ndarray) -> str:
        random, texts = np.random.default_rng(0), []
        outputs = self._blocks(()).outputs(self._columns, self._finals)
        for away in (0.0, AWAY):
            there = y + away * (1 + np.abs(y)) * random.uniform(-1, 1, y.size)
            for function in (self.compiled("rhs"), outputs):
                texts += [f"{x:.6g}" for x in function(t, there, p)[0].tolist()]
        return " ".join(texts)
