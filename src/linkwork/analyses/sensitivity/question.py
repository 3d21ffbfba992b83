"""What is to be differentiated, prepared once and answered for many values of the parameters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import casadi as ca
import numpy as np

from linkwork.analyses.sensitivity.adjoint import NotCovered, adjoint
from linkwork.analyses.sensitivity.flow import Flow, make_room
from linkwork.analyses.sensitivity.flow_by_equations import FlowByEquations
from linkwork.analyses.sensitivity.forward import Observation, Run, forward
from linkwork.analyses.sensitivity.objectives import Final, Integral, Observed, Scalar, Term
from linkwork.analyses.sensitivity.start_sensitivity import start_sensitivity
from linkwork.core.activity import begin as announce
from linkwork.core.equations import Equations
from linkwork.core.errors import LinkworkError, ModelError, UnknownName
from linkwork.core.signal import Inputs
from linkwork.geometry import SX
from linkwork.large.size import LARGE, count_bodies
from linkwork.signals.breakpoints import stops_of
from linkwork.signals.continuity import check_continuity
from linkwork.signals.inputs import Signals, signals_of
from linkwork.simulation.arguments import checked_duration, checked_tolerance
from linkwork.simulation.choice.solver import Automatic
from linkwork.simulation.prepare import Choice, Prepared, inputs_of, prepare
from linkwork.simulation.task import Task

if TYPE_CHECKING:
    from linkwork.core.model import Model

SOLVERS = ("dopri5", "dop853", "radau", "cvodes")
METHODS = ("auto", "forward", "adjoint")
ADJOINT_PARAMETERS = 16
"""More parameters than this are for the adjoint method."""
T = TypeVar("T")
NO_LOCK: AbstractContextManager[object] = nullcontext()


@dataclass
class Question:
    """Derivatives of channels over time, and of scalars, with respect to parameters `to`."""

    model: Model
    to: tuple[str, ...]
    duration: float
    channels: Sequence[str] = ()
    scalars: Sequence[Scalar] = ()
    formulation: str = "auto"
    solver: str = "auto"
    rtol: float = 1e-8
    atol: float = 1e-10
    inputs: Inputs | None = None
    progress: Callable[[float], None] | None = None
    kernels: bool | None = None
    """Whether kernels in loops are taken instead of straight-line code; None: by size."""
    terms: list[Term] = field(init=False)
    """Those with a value at the end, then integrals: the order in which a flow observes them."""
    taken: dict[str, str] = field(init=False, default_factory=dict)
    """For the record of the last run: its formulation, its solver; and kernels, or why none, where it was large."""
    _units: dict[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.to:
            if name not in self.model.parameters:
                raise UnknownName("parameter", name, self.model.parameters, component=self.model.name)
        if not self.to:
            raise ModelError(
                "there is no parameter to differentiate by.",
                component=self.model.name,
                remedy='Make one: L = m.parameter("L", 1.0), and use L where the number was.',
            )
        if len(set(self.to)) < len(self.to):
            raise ModelError("a parameter is named twice.", component=self.model.name, remedy="Name each one once.")
        self.duration = checked_duration(self.model, self.duration)
        checked_tolerance(self.model, rtol=self.rtol, atol=self.atol)
        if self.solver not in ("auto", *SOLVERS):
            raise UnknownName("solver for sensitivities", str(self.solver), ["auto", *SOLVERS])
        names = list(self.model.parameters)
        self.chosen = tuple(names.index(name) for name in self.to)
        terms = dict.fromkeys(term for s in self.scalars for _, term in s.terms)
        self.terms = [t for t in terms if isinstance(t, Final)] + [t for t in terms if isinstance(t, Integral)]
        signals_of(self.model, self.inputs)  # refused before anything is derived

    def observe(
        self, parameters: Mapping[str, float], times: np.ndarray, lock: AbstractContextManager[object] = NO_LOCK
    ) -> Observation:
        """Channels and terms with their derivatives at `times` [s], forward.

        lock: held while the model or anything symbolic is needed, by whoever asks in several threads.
        """
        with lock:
            flow, run = self._run(parameters)
            if not flow.is_ready(run.chosen, run.solver):
                observation = forward(flow, run, times)
                flow.settle(run.chosen, run.solver)
                return observation
        return forward(flow, run, times)

    def gradients(
        self, parameters: Mapping[str, float], method: str = "auto", lock: AbstractContextManager[object] = NO_LOCK
    ) -> tuple[np.ndarray, np.ndarray, str]:
        """Values of the scalars, their gradients (scalars, parameters), and the method that was taken.

        lock: as in `observe`; the adjoint method keeps it.
        """
        if method not in METHODS:
            raise UnknownName("method", str(method), METHODS)
        if method == "adjoint" and self.kernels:
            raise ModelError(
                "the adjoint method takes straight-line code, and kernels are asked for.",
                component=self.model.name,
                remedy='Leave kernels=True out, or use method="forward".',
            )
        many = len(self.to) > ADJOINT_PARAMETERS
        taken = ("adjoint" if many else "forward") if method == "auto" else method
        if taken != method and taken == "adjoint" and self._attempt(parameters, _units_by_kernels) is not None:
            taken = "forward"
        try:
            ends, slopes = self._adjoint(parameters, lock) if taken == "adjoint" else self._forward(parameters, lock)
        except NotCovered:
            if method == "adjoint":
                raise
            taken, (ends, slopes) = "forward", self._forward(parameters, lock)
        first = len(self.channels)
        weights = np.zeros((len(self.scalars), len(self.terms)))
        for k, s in enumerate(self.scalars):
            for weight, term in s.terms:
                weights[k, self.terms.index(term)] += weight
        return weights @ ends[first:], weights @ slopes[first:], taken

    def channel_units(self, parameters: Mapping[str, float]) -> dict[str, str]:
        """Unit of each channel."""
        known = self.units(parameters)
        return {name: known[name] for name in self.channels}

    def units(self, parameters: Mapping[str, float]) -> dict[str, str]:
        """Unit of every channel that the model has."""
        if not self._units:
            self._units = self._attempt(parameters, _units_by_kernels) or self._units_by_equations(parameters)
        return self._units

    def _units_by_equations(self, parameters: Mapping[str, float]) -> dict[str, str]:
        outputs = prepare(self.model, Choice(self.formulation), dict(parameters)).equations.observation.outputs
        return {name: unit for name, (unit, _) in outputs.items()}

    def equations(self, parameters: Mapping[str, float]) -> str:
        """A text that is the same for the same equations and observed quantities, whichever process asks."""
        flow, run = self._run(parameters)
        return flow.digest(0.0, run.y0, run.p) + " ".join(f"{x:.6g}" for x in run.y0)

    def _adjoint(
        self, parameters: Mapping[str, float], lock: AbstractContextManager[object]
    ) -> tuple[np.ndarray, np.ndarray]:
        with lock:
            return adjoint(*self._by_equations(parameters))

    def _forward(
        self, parameters: Mapping[str, float], lock: AbstractContextManager[object]
    ) -> tuple[np.ndarray, np.ndarray]:
        observation = self.observe(parameters, np.array([self.duration]), lock)
        if observation.stopped:
            raise LinkworkError(
                f"the event {observation.stopped!r} ends the run early: its time moves with the parameters, which "
                "derivatives of scalars do not cover.",
                component=self.model.name,
                remedy='Take a duration that ends before it, or give the event action="record".',
            )
        return observation.values[-1], observation.derivatives[-1]

    def _run(self, parameters: Mapping[str, float]) -> tuple[Flow, Run]:
        """By kernels where the model is large and has them, or where they are asked for."""
        looped = self._attempt(parameters, self._by_kernels)
        return self._by_equations(parameters) if looped is None else looped

    def _attempt(self, parameters: Mapping[str, float], way: Callable[[Task, str, str], T]) -> T | None:
        """The way by kernels; None where there is none."""
        if not self.kernels and count_bodies(self.model) < LARGE:
            return None
        from linkwork.simulation.by_kernels import attempt  # few models need what makes kernels

        task = Task(
            self.model, self.duration, np.zeros(0), Choice(self.formulation), self.solver, self.rtol, self.atol, None,
            None, dict(parameters), self.inputs, None, True, self.progress, None, kernels=self.kernels,
        )  # fmt: skip
        looped = attempt(task, way)
        if looped.result is None and looped.reason:
            self.taken = {"kernels": f"none: {looped.reason}"}
            announce(f"deriving straight-line code: {looped.reason}")
        return looped.result

    def _by_kernels(self, task: Task, formulation: str, reason: str) -> tuple[Flow, Run]:
        from linkwork.analyses.sensitivity.by_kernels import asked_by_kernels

        flow, run = asked_by_kernels(self, task, formulation)
        self._units = {c.name: c.unit for c in flow.program.channels}
        self.taken = {"formulation": formulation, "solver": run.solver, "kernels": flow.large.counted}
        return flow, run

    def _by_equations(self, parameters: Mapping[str, float]) -> tuple[FlowByEquations, Run]:
        choice = Choice(self.formulation)
        ready = prepare(self.model, choice, dict(parameters), inputs=self.inputs)
        flow, y = self._flow(ready), ready.state
        signals = signals_of(self.model, self.inputs, ready.equations, self.duration)
        stops = stops_of(ready.equations, ready.p, signals, self.duration)
        check_continuity(ready.equations, ready.p, signals, stops, y, self.duration)
        solver = self.solver
        if solver == "auto":
            automatic = Automatic(self.duration, self.rtol, signals)
            automatic.look(ready.program, 0.0, y, ready.p, presumed=ready.equations.motion.stiff)
            solver = automatic.solver
        if solver == "cvodes" and flow.events:
            raise LinkworkError("cvodes does not locate switches.", component=self.model.name, remedy="Use 'radau'.")
        S = start_sensitivity(self.model, ready, self.chosen, strict=ready.formulation != "compliant")
        run = self.run(flow, y, S, ready.p, signals, stops, solver)
        self.taken |= {"formulation": ready.formulation, "solver": solver}
        return flow, run

    def run(
        self, flow: Flow, y: np.ndarray, S: np.ndarray, p: np.ndarray, signals: Signals, stops: np.ndarray, solver: str
    ) -> Run:
        """From the states y and their derivatives S, with integrals that begin at 0."""
        extra = flow.integrals
        return Run(
            y0=np.concatenate([y, np.zeros(extra)]), S0=np.vstack([S, np.zeros((extra, S.shape[1]))]), p=p,
            chosen=self.chosen, duration=self.duration, signals=signals, stops=stops,
            max_step=signals.longest_step(self.duration, None), solver=solver, rtol=self.rtol, atol=self.atol,
            model=self.model.name, progress=self.progress,
        )  # fmt: skip

    def _flow(self, ready: Prepared) -> FlowByEquations:
        """Kept by the model, as long as it does not change and few other questions come between."""
        kept: dict[Hashable, FlowByEquations] = self.model.memory.setdefault("flows", {})
        key = (id(ready.equations), tuple(self.channels), tuple(self.terms))
        if key not in kept:
            channels = observed_in(ready.equations)
            observed: list[SX] = [_channel(ready, name) for name in self.channels]
            observed += [t.expression(channels) for t in self.terms if isinstance(t, Final)]
            integrands = [t.expression(channels) for t in self.terms if isinstance(t, Integral)]
            make_room(kept)
            kept[key] = FlowByEquations(
                ready.equations, observed, integrands, self.model.parameters, inputs_of(self.model, ready.equations)
            )
        return kept[key]


def _channel(ready: Prepared, name: str) -> SX:
    if name not in ready.equations.observation.outputs:
        raise UnknownName("channel", name, ready.equations.observation.outputs)
    return ready.equations.observation.outputs[name][1]


def _units_by_kernels(task: Task, formulation: str, reason: str) -> dict[str, str]:
    from linkwork.simulation.by_kernels import prepared

    return {c.name: c.unit for c in prepared(task, formulation)[1].program.channels}


def observed_in(eq: Equations) -> Observed:
    """Its channels and parameters."""
    values = {name: value for name, (_, value) in eq.observation.outputs.items()}
    values |= {symbol.name(): symbol for symbol in ca.vertsplit(eq.symbols.parameters) if symbol.numel()}
    return Observed(eq.t, values)
