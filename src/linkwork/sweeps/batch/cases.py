"""Cases of a sweep as batches: which of them differ in numbers only, and those numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from linkwork.assembly.assemble import assembled_alike
from linkwork.core.errors import LinkworkError
from linkwork.core.model import acceptable
from linkwork.core.pieces import Lookup
from linkwork.formulations.order import structure_depends
from linkwork.integrate.trajectory import Trajectory
from linkwork.signals.breakpoints import table_corners, time_switches
from linkwork.simulation.choice.solver import EXPLICIT, Automatic, SolverChoice, suspicion
from linkwork.simulation.cost import check_steps
from linkwork.simulation.interruptions import SolverChange, interruptions_of
from linkwork.simulation.prepare import COMPLIANT_FORMULATIONS, start_state
from linkwork.simulation.simulate import Begun
from linkwork.simulation.watch.samples import with_watch
from linkwork.sweeps.batch.outcome import BatchOutcome
from linkwork.sweeps.batch.problem import BatchProblem, make_batch, refusal
from linkwork.sweeps.runs import Runs
from linkwork.sweeps.study import Study

UNTOLD = "solver.step"
"""The channel that batches do not record."""


@dataclass
class Batch:
    """Cases that are integrated together."""

    problem: BatchProblem
    cases: list[int]
    like: Begun
    """One that could begin, and differs from the others in numbers only."""
    begun: list[Begun] = field(default_factory=list)
    """Each of them; none where the numbers alone are known."""


def study_refusal(study: Study) -> str | None:
    """Why cases of this study must be run one by one; None: they need not, or not all of them."""
    if not isinstance(study, Runs):
        return study.together
    if UNTOLD in study.keeping.channels:
        return f"the channel {UNTOLD!r} is recorded, which is of single runs."
    return begun_refusal(study.first())


def begun_refusal(begun: Begun) -> str | None:
    """Why this run cannot be one of a batch."""
    setting, program = begun.setting, begun.ready.program
    for each in interruptions_of(setting):
        if not isinstance(each, SolverChange):
            return f"the run is interrupted ({type(each).__name__.lower()}), and then goes on with other equations."
    signals = {k: s for k, s in setting.signals.items() if callable(s)}
    return refusal(program, solver_of(setting.solver), signals)


def solver_of(solver: SolverChoice) -> str:
    chosen = solver.solver if isinstance(solver, Automatic) else solver
    return chosen if isinstance(chosen, str) else type(chosen).__name__


def batches_of(study: Runs, cases: Sequence[int]) -> tuple[list[Batch], list[int]]:
    """Batches, and the cases that must be run one by one (those that cannot begin are among them)."""
    groups: dict[object, list[tuple[int, Begun]]] = {}
    rest: list[int] = []
    for case in cases:
        try:
            begun = study.begin(study.case(case))
            if begun_refusal(begun) is None:
                groups.setdefault(_key(begun), []).append((case, begun))
                continue
        except LinkworkError:
            pass  # as a single run it will say so
        rest.append(case)
    batches = []
    for group in groups.values():
        members, begun_ = [case for case, _ in group], [begun for _, begun in group]
        starts, p = np.array([b.ready.state for b in begun_]), np.array([numbers_of(b) for b in begun_])
        try:
            batches.append(Batch(problem_of(begun_[0], starts, p), members, begun_[0], begun_))
        except LinkworkError:
            rest += members
    return batches, rest


def problem_of(begun: Begun, starts: np.ndarray, p: np.ndarray) -> BatchProblem:
    """Runs like this one, with other starts and numbers."""
    task, setting, options = begun.task, begun.setting, begun.options
    check_steps(task.model.name, task.duration, setting.solver, task.step, options["max_step"])
    automatic = setting.solver if isinstance(setting.solver, Automatic) else None
    return make_batch(
        begun.ready.program, starts, with_watch(task.times), parameters=p, t_span=(0.0, task.duration),
        signals={k: s for k, s in setting.signals.items() if callable(s)}, solver=solver_of(setting.solver),
        rtol=task.rtol, atol=task.atol, step=task.step, max_step=options["max_step"], stops=setting.stops,
        projection=options["projection"], max_steps=automatic.patience if automatic else None,
        stiff_after=suspicion(automatic.patience if automatic else None),
    )  # fmt: skip


def numbers_of(begun: Begun) -> np.ndarray:
    """Parameters and inputs, those that are given as numbers in their places."""
    p, first = begun.ready.p.copy(), len(begun.ready.program.parameters)
    for k, signal in begun.setting.signals.items():
        if not callable(signal):
            p[first + k] = signal
    return p


def _key(begun: Begun) -> object:
    """The same for runs that differ in numbers only."""
    setting, options = begun.setting, begun.options
    signals = tuple(
        (k, s.scale, s.shift, s.pieces.period, s.pieces.times.tobytes(), s.pieces.coefficients.tobytes())
        for k, s in sorted(setting.signals.items())
        if isinstance(s, Lookup)
    )
    return id(begun.ready.program), solver_of(setting.solver), options["max_step"], setting.stops.tobytes(), signals


def trajectory_of(outcome: BatchOutcome, k: int, begun: Begun) -> Trajectory:
    """Of a case that came to its end, or to an event that ends it."""
    events = list(outcome.events.get(k, []))
    t, y = outcome.t, outcome.y[k]
    if outcome.status[k] == "stopped":
        last = events[-1]
        before = t < last.t
        t, y = np.append(t[before], last.t), np.vstack([y[before], last.y])
    corners = table_corners(begun.ready.equations.signals.taken, begun.task.duration)
    notes = [(at, "table") for at in corners if at <= t[-1]]
    stats = {"accepted": int(outcome.accepted[k]), "rejected": int(outcome.rejected[k])}
    return Trajectory(
        t, y, np.full(t.size, np.nan), events, outcome.status[k], outcome.message[k], notes=notes, stats=stats
    )


class Alike:
    """Cases whose numbers are columns of the design: none of them needs to be prepared by itself, but for its start,
    where that is not the same for all."""

    def __init__(self, study: Runs):
        self._study, self._columns = study, [_place(study, name) for name in study.design.names]
        self._begun: Begun | None = None
        task = study.task
        self._one_structure = not structure_depends(task.model, study.design.names)
        self.possible = (
            not study.judge
            and not study.design.signals
            and not study.keeping.own
            and task.choice.loops == "multipliers"
            and task.start is None
            and task.assemble
        )

    def batch(self, cases: Sequence[int]) -> tuple[Batch, list[int]] | None:
        """A batch of those that can begin, and the others; None: they must be prepared one by one."""
        if not self.possible or not (self._study.starts_shared or self._study.starts_apart):
            return None
        begun = self._sample(cases)
        if begun is None:
            self.possible = False
            return None
        p = np.repeat(numbers_of(begun)[None], len(cases), axis=0)
        p[:, self._columns] = self._study.design.table[list(cases)]
        fine = acceptable(self._study.model, p[:, : len(self._study.model.parameters)])
        fine &= np.isfinite(p).all(axis=1)
        starts = self._starts(begun, p, fine)
        fine &= self._explicit(begun, p, starts, fine)
        members = np.asarray(cases)[fine].tolist()
        rest = np.asarray(cases)[~fine].tolist()
        if not members:
            return None
        return Batch(problem_of(begun, starts[fine], p[fine]), members, begun), rest

    @property
    def _one_start(self) -> bool:
        return self._one_structure and self._study.starts_shared

    def _starts(self, begun: Begun, p: np.ndarray, fine: np.ndarray) -> np.ndarray:
        """Where each row begins; those that cannot be assembled so are not fine, and will say why as single runs."""
        ready, model = begun.ready, self._study.model
        starts = np.repeat(ready.state[None], len(p), axis=0)
        if self._one_start:
            return starts
        strict = ready.formulation not in COMPLIANT_FORMULATIONS
        for k in np.flatnonzero(fine).tolist():
            assembly = assembled_alike(model, p[k], ready.choice.structure, strict=strict)
            if assembly is None:
                fine[k] = False
            else:
                starts[k] = start_state(ready.equations, assembly)
        return starts

    def _sample(self, cases: Sequence[int]) -> Begun | None:
        """The first of them and the last as single runs are prepared, which must come to the same; None: they do not,
        or there is something in them that numbers may change."""
        try:
            ends = [self._study.begin(self._study.case(case)) for case in (cases[0], cases[-1])]
        except LinkworkError:
            return None
        template = self._begun = self._begun or ends[0]
        for case, begun in zip((cases[0], cases[-1]), ends, strict=True):
            p = numbers_of(template)
            p[self._columns] = self._study.design.table[case]
            known = begun.ready.program is template.ready.program
            known = known and np.array_equal(numbers_of(begun), p)
            known = known and (not self._one_start or np.array_equal(begun.ready.state, template.ready.state))
            if not known or len(begun.setting.stops) or time_switches(begun.ready.equations):
                return None
        return template

    def _explicit(self, begun: Begun, p: np.ndarray, starts: np.ndarray, fine: np.ndarray) -> np.ndarray:
        """Whether each row that is fine is one that the explicit solver is chosen for."""
        if not isinstance(begun.setting.solver, Automatic):
            return np.ones(len(p), dtype=bool)
        task, ready = begun.task, begun.ready
        signals = {k: s for k, s in begun.setting.signals.items() if callable(s)}
        explicit = np.zeros(len(p), dtype=bool)
        for k in np.flatnonzero(fine).tolist():
            choice = Automatic(task.duration, task.rtol, signals)
            choice.look(ready.program, 0.0, starts[k], p[k], presumed=ready.equations.motion.stiff)
            explicit[k] = choice.solver == EXPLICIT
        return explicit


def _place(study: Runs, name: str) -> int:
    """Column of p."""
    parameters, inputs = list(study.model.parameters), list(study.model.inputs)
    return parameters.index(name) if name in parameters else len(parameters) + inputs.index(name)
