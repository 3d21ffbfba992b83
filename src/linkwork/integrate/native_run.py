"""Runs a problem in the C library, slice by slice, so that Python stays in charge."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.compile.tiers import improve
from linkwork.core.activity import begin
from linkwork.core.errors import LinkworkError
from linkwork.core.interrupts import acknowledge, held
from linkwork.core.program import NativeFunction, Program
from linkwork.integrate.handover import check_functions, check_length, check_structure, pointer
from linkwork.integrate.native import binding
from linkwork.integrate.ordering import structure
from linkwork.integrate.problem import Problem
from linkwork.integrate.signals import InputSignals
from linkwork.integrate.trajectory import MESSAGES, EventRecord, Trajectory

if TYPE_CHECKING:
    from linkwork.integrate.solver import NativeSolver

SLICE = 0.05
"""s of wall time between two looks at progress, `should_stop` and Ctrl-C."""


def run_native(solver: NativeSolver, problem: Problem) -> Trajectory:
    session = Session(solver, problem)
    try:
        status = session.advance_to_end()
        return session.trajectory(status)
    finally:
        session.close()


@dataclass(frozen=True)
class Ran:
    """What came of many runs: samples (cases, times, states), status and (accepted, rejected) steps of each."""

    samples: np.ndarray
    status: list[str]
    steps: np.ndarray


def run_many(
    solver: NativeSolver, problem: Problem, starts: np.ndarray, p: np.ndarray, stop: Callable[[], bool]
) -> Ran | None:
    """Runs like this problem from other starts, (cases, states), and with other p, (cases, parameters and inputs).

    Bit by bit what `run_native` gives for each; what interrupts one of them is in its status. None: `stop()` said so.
    """
    assert problem.times is not None
    cases, width = len(starts), problem.program.layout.y
    samples = np.empty((cases, problem.times.size, width))
    status, steps = np.zeros(cases, dtype=np.int32), np.zeros((cases, 2), dtype=np.int64)
    starts, p = np.ascontiguousarray(starts, dtype=float), np.ascontiguousarray(p, dtype=float)
    session, library = Session(solver, problem), binding.library()
    check_length("the starts", starts.ravel(), cases * width)
    check_length("the parameters", p.ravel(), cases * problem.parameters.size)
    many = library.lw_many_create(
        session.system, session.options, cases, *(x.ctypes.data for x in (starts, p, samples, status, steps))
    )
    try:
        if not many:
            raise MemoryError("no memory for the integrator")
        done, began = 0, time.perf_counter()
        while done < cases:
            with held():
                done = library.lw_many_advance(many, SLICE)
            spent = time.perf_counter() - began
            improve(session.functions.values(), SLICE, spent * (cases - done) / done if done else spent)
            session.require_inputs()
            if stop():
                return None
    finally:
        library.lw_many_destroy(many)
        session.close()
    return Ran(samples, [binding.STATUS[k] for k in status], steps)


class Session:
    """One run: the C object, and everything in Python's memory it points to."""

    _handle: int | None = None

    def __init__(self, solver: NativeSolver, problem: Problem, *, shared: bool = False):
        """shared: whether p of the problem is read where it is, so that whoever has it can change it on the way."""
        self._problem = problem
        self._library = binding.library()
        program, layout = problem.program, problem.program.layout
        projection = program.constrained and problem.projection
        self.functions = functions = _functions(solver, program, projection)
        check_functions(program, functions)
        sizes = len(program.parameters) + len(program.inputs)
        self._p = check_length(
            "the vector of parameters", problem.parameters if shared else problem.parameters.copy(), sizes
        )
        self._signals = InputSignals(problem.signals, self._p, len(program.parameters))
        unit = np.ones(layout.y) if program.scale is None else program.scale
        self._unit = check_length("the natural units", np.ascontiguousarray(unit, dtype=float), layout.y)
        self._weighted = np.ones(layout.y, dtype=np.uint8)
        if program.unweighted.size:
            unweighted = np.asarray(program.unweighted, dtype=bool)
            self._weighted[check_length("the list of unweighted states", unweighted, layout.y)] = 0
        self._direction = np.array([event.direction for event in program.events], dtype=np.int32)
        self._action = np.array([binding.ACTIONS[event.action] for event in program.events], dtype=np.int32)
        self.system = binding.System(
            q=layout.q, v=layout.v, z=layout.z, multipliers=layout.multipliers,
            parameters=len(program.parameters), inputs=len(program.inputs), event_count=len(program.events),
            margin_count=len(program.margins),
            work_size=max((f.work_size for f in functions.values()), default=0),
            p=pointer(self._p, ctypes.c_double),
            weighted=pointer(self._weighted, ctypes.c_uint8),
            unit=pointer(self._unit, ctypes.c_double),
            event_direction=pointer(self._direction, ctypes.c_int32),
            event_action=pointer(self._action, ctypes.c_int32),
            signals=self._signals.native,
            **{name: f.address for name, f in functions.items()},
        )  # fmt: skip
        self._signals.system = self.system
        self.options = self._make_options(solver, projection, functions)
        y0 = check_length("the start", np.ascontiguousarray(problem.y0), layout.y)
        self._handle = self._library.lw_run_create(self.system, self.options, pointer(y0, ctypes.c_double))
        if not self._handle:
            raise MemoryError("no memory for the integrator")

    def _make_options(
        self, solver: NativeSolver, projection: bool, functions: dict[str, NativeFunction]
    ) -> binding.Options:
        problem = self._problem
        fixed = solver.fixed_step == "always" or (solver.fixed_step == "given" and problem.step is not None)
        if fixed and problem.step is None:
            raise LinkworkError(f"the solver {solver.name!r} needs a fixed step.", remedy="Give step=… in s.")
        options = binding.Options(
            method=binding.METHODS[solver.method],
            fixed=fixed,
            project_steps=self._projects(
                projection and (solver.projects_steps or not fixed or problem.program.dependent)
            ),
            project_outputs=projection,
            t0=problem.t0,
            t1=problem.t1,
            rtol=problem.rtol,
            atol=pointer(check_length("atol", problem.atol, problem.program.layout.y), ctypes.c_double),
            step=problem.step or 0.0,
            max_step=problem.max_step,
            min_step=problem.min_step,
            max_steps=problem.max_steps,
            stiff_after=problem.stiff_after,
        )
        if problem.times is not None:
            options.times = pointer(problem.times, ctypes.c_double)
            options.times_count = problem.times.size
        if problem.stops is not None:
            options.stops = pointer(problem.stops, ctypes.c_double)
            options.stops_count = len(problem.stops)
        options.coefficient[: len(solver.coefficients())] = solver.coefficients()
        self._scale = solver.error_scale(problem)
        if self._scale is not None:
            layout = problem.program.layout
            check_length("the scale of errors", self._scale, layout.v + layout.z)
            options.scale = pointer(self._scale, ctypes.c_double)
        if solver.jacobian is not None:
            layout = problem.program.layout
            starts, rows = functions[solver.jacobian].out_patterns[0]
            known = getattr(functions[solver.jacobian], "structure", None)
            self._structure = known or structure(len(starts) - 1, starts, rows, solver.multipliers(layout))
            check_structure(self._structure, len(starts) - 1, len(rows))
            options.pattern = binding.Pattern(
                len(starts) - 1, len(rows), *(pointer(part, ctypes.c_int32) for part in self._structure)
            )
        return options

    def _projects(self, steps: bool) -> int:
        """0: no; 1: yes, and what is left says whether constraints can be met; 2: yes, but it says more than that."""
        return (2 if self._problem.program.settling else 1) if steps else 0

    def advance_to_end(self) -> str:
        problem = self._problem
        span = problem.t1 - problem.t0
        began = now = time.perf_counter()
        begin("running")
        try:
            while True:
                with held():
                    status = binding.STATUS[self._library.lw_run_advance(self._handle, SLICE)]
                before, now = now, time.perf_counter()
                done = self._library.lw_run_time(self._handle) - problem.t0
                improve(self.functions.values(), now - before, (now - began) * (span - done) / done if done > 0 else 0)
                self.require_inputs()
                if problem.progress is not None:
                    reached = self._library.lw_run_time(self._handle)
                    problem.progress((reached - problem.t0) / span if span > 0 else 1.0)
                if problem.watch is not None:
                    outputs = self._table("lw_run_outputs")
                    problem.watch(outputs[:, 0].copy(), outputs[:, 2:].copy())
                if status != "running":
                    return status
                if problem.should_stop is not None and problem.should_stop():
                    return "cancelled"
        except KeyboardInterrupt:
            acknowledge()
            return "cancelled"

    def require_inputs(self) -> None:
        """Raise what a function that drives an input has raised."""
        if self._signals.error is not None:
            raise self._signals.error

    def trajectory(self, status: str) -> Trajectory:
        if status != "done":
            self._library.lw_run_close(self._handle)
        outputs, events = self._table("lw_run_outputs"), self._table("lw_run_events")
        counters = self._library.lw_run_counters(self._handle)
        culprit = self._library.lw_run_culprit(self._handle)
        return Trajectory(
            t=outputs[:, 0].copy(),
            y=outputs[:, 2:].copy(),
            step=outputs[:, 1].copy(),
            events=[EventRecord(float(row[0]), int(row[1]), row[2:].copy()) for row in events],
            status=status,
            message=self.message(status),
            culprit=culprit if culprit >= 0 else None,
            stats={name: int(counters[i]) for i, name in enumerate(binding.COUNTERS)},
        )

    def message(self, status: str) -> str:
        return MESSAGES[status].format(t=self._library.lw_run_time(self._handle))

    def _table(self, getter: str) -> np.ndarray:
        """A table of the C object, where it is: rows of (first, second, y...). To be copied."""
        rows = ctypes.c_int64()
        data = getattr(self._library, getter)(self._handle, rows)
        width = self._problem.program.layout.y + 2
        if not rows.value:
            return np.zeros((0, width))
        return np.ctypeslib.as_array(data, shape=(rows.value, width))

    def close(self) -> None:
        if self._handle:
            self._library.lw_run_destroy(self._handle)
            self._handle = None


def _functions(solver: NativeSolver, program: Program, projection: bool) -> dict[str, NativeFunction]:
    names = [*solver.functions]
    if "retract" in names and not program.layout.q:
        names.remove("retract")
    if projection:
        names.append("project")
    if program.margins:
        # Past singular positions implicit methods are relieved by an explicit one.
        names += [name for name in ("margins", "rhs", "project") if name not in names]
    if program.events:
        names.append("events")
    return {name: program.function(name) for name in names}
