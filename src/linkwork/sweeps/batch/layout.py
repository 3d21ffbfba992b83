"""A batch as the integrator reads it: numbers and addresses."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from linkwork.core.program import Program
from linkwork.integrate.handover import check_pieces
from linkwork.integrate.native import binding
from linkwork.sweeps.batch.problem import BatchProblem, CaseTable

LOG_ROWS = 16
"""Rows of the log of events kept for each case, on average; what does not fit is run one by one."""
LOG_HEAD = 4
"""Numbers in front of the state in a row of the log: case, t, t after the step, step."""


class Memory(Protocol):
    """Where arrays are: on this machine, or on a graphics card."""

    case_first: bool
    """Whether numbers of one case lie together (or else, one number of all cases)."""

    def keep(self, array: np.ndarray) -> int:
        """The address of a copy."""
        ...

    def room(self, name: str, shape: tuple[int, ...], dtype: type, fill: float) -> int:
        """The address of an array of that shape to be read back by its name."""
        ...

    def get(self, name: str) -> np.ndarray: ...


@dataclass
class Layout:
    """The structure handed over, and what must live as long."""

    batch: binding.Batch
    memory: Memory

    def samples(self) -> np.ndarray:
        """(cases, times, states)"""
        array = self.memory.get("samples")
        return array if self.memory.case_first else np.ascontiguousarray(np.moveaxis(array, 2, 0))

    def reached(self) -> np.ndarray:
        """(cases, states)"""
        array = self.memory.get("reached")
        return array if self.memory.case_first else np.ascontiguousarray(array.T)


def laid_out(problem: BatchProblem, memory: Memory) -> Layout:
    program, common, n = problem.program, problem.common, problem.program.layout.y
    cases, width, times = problem.cases, problem.p.shape[1], problem.times
    weighted = np.ones(n)
    if program.unweighted.size:
        weighted[np.asarray(program.unweighted, dtype=bool)] = 0.0
    stops = np.zeros((0, 2)) if common.stops is None else common.stops
    log_room = LOG_ROWS * cases if program.events else 0
    batch = binding.Batch(
        cases=cases, max_steps=common.max_steps, times_count=times.size, stops_count=len(stops), log_room=log_room,
        states=n, parameters=len(program.parameters), inputs=len(program.inputs), events=len(program.events),
        margins=len(program.margins), adaptive=problem.adaptive, project_steps=problem.projects_steps,
        project_start=problem.projects, signals_count=len(problem.signals), weighted=int(weighted.sum()),
        first_speed=program.layout.q, speeds=program.layout.v, unit=memory.keep(natural_units(program)),
        t0=common.t0, t1=common.t1, rtol=common.rtol, step=common.step or 0.0, max_step=common.max_step,
        atol=memory.keep(common.atol), weight=memory.keep(weighted), times=memory.keep(times), stops=memory.keep(stops),
        signals=_signals(problem, memory),
        event_stops=memory.keep(
            np.array([2 + e.direction if e.action == "stop" else 0 for e in program.events], dtype=np.int32)
        ),
        reached_time=memory.room("reached_time", (cases,), np.float64, common.t0),
        reached_step=memory.room("reached_step", (cases,), np.float64, 0.0),
        status=memory.room("status", (cases,), np.int32, 0),
        counters=memory.room("counters", (cases, 2), np.int64, 0),
        log_count=memory.room("log_count", (1,), np.int64, 0),
        log=memory.room("log", (log_room, n + LOG_HEAD), np.float64, 0.0),
    )  # fmt: skip
    batch.start = _given(problem.starts, memory)
    batch.p = _given(problem.p, memory)
    if memory.case_first:
        batch.samples = binding.Rows(
            memory.room("samples", (cases, times.size, n), np.float64, np.nan), times.size * n, n, 1
        )
        batch.reached = binding.Rows(memory.room("reached", (cases, n), np.float64, np.nan), n, 0, 1)
    else:
        batch.samples = binding.Rows(
            memory.room("samples", (times.size, n, cases), np.float64, np.nan), 1, n * cases, cases
        )
        batch.reached = binding.Rows(memory.room("reached", (n, cases), np.float64, np.nan), 1, 0, cases)
    assert batch.p and width == len(program.parameters) + len(program.inputs)
    return Layout(batch, memory)


def natural_units(program: Program) -> np.ndarray:
    """Of each state."""
    return np.ones(program.layout.y) if program.scale is None else np.ascontiguousarray(program.scale, dtype=float)


def _given(rows: np.ndarray, memory: Memory) -> binding.Rows:
    cases, width = rows.shape
    if memory.case_first:
        return binding.Rows(memory.keep(rows), width, 0, 1)
    return binding.Rows(memory.keep(np.ascontiguousarray(rows.T)), 1, 0, cases)


def _signals(problem: BatchProblem, memory: Memory) -> int:
    entries = (binding.BatchSignal * len(problem.signals))()
    for entry, (index, signal) in zip(entries, problem.signals.items(), strict=True):
        lookup = signal.of(0) if isinstance(signal, CaseTable) else signal
        pieces = check_pieces(f"the table of input {index}", lookup.pieces)
        entry.input, entry.count, entry.width = index, pieces.times.size, pieces.coefficients.shape[1]
        entry.scale, entry.shift, entry.period = lookup.scale, lookup.shift, pieces.period
        entry.times = memory.keep(pieces.times)
        coefficients = pieces.coefficients
        if isinstance(signal, CaseTable):
            coefficients = np.stack([signal.of(case).pieces.coefficients for case in range(problem.cases)])
            entry.case_stride = coefficients[0].size
        entry.coefficients = memory.keep(np.ascontiguousarray(coefficients))
    return memory.keep(np.frombuffer(bytes(entries), dtype=np.uint8)) if len(entries) else 0


class HostMemory:
    """Arrays on this machine."""

    case_first = True

    def __init__(self) -> None:
        self._kept: list[np.ndarray] = []
        self._named: dict[str, np.ndarray] = {}

    def keep(self, array: np.ndarray) -> int:
        array = np.ascontiguousarray(array)
        self._kept.append(array)
        return array.ctypes.data

    def room(self, name: str, shape: tuple[int, ...], dtype: type, fill: float) -> int:
        self._named[name] = np.full(shape, fill, dtype=dtype)
        return self._named[name].ctypes.data

    def get(self, name: str) -> np.ndarray:
        return self._named[name]


def aligned(count: int) -> np.ndarray:
    """Doubles that begin at a multiple of 64 bytes."""
    array = np.zeros(count + 8)
    first = (-array.ctypes.data % 64) // ctypes.sizeof(ctypes.c_double)
    return array[first : first + count]
