"""Batches on one core: as many cases at a time as a vector register holds."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.compile.lanes import compile_lanes
from linkwork.compile.llvm import widest
from linkwork.core.errors import LinkworkError
from linkwork.core.program import NativeFunction, Program
from linkwork.integrate.native import binding
from linkwork.sweeps.batch.layout import HostMemory, aligned, laid_out, natural_units
from linkwork.sweeps.batch.outcome import BatchOutcome, Raw, completed
from linkwork.sweeps.batch.problem import BatchProblem

WIDTHS = (2, 4, 8)
"""Lanes the integrator is compiled for."""


def run_batch(problem: BatchProblem, *, lanes: int | None = None) -> BatchOutcome:
    """All cases, on this thread; the interpreter lock is released meanwhile.

    lanes: cases at a time; default: as many as the processor's registers hold. The result of a case does not depend on
    the others, nor on their order.
    """
    lanes = width(lanes)
    memory = HostMemory()
    layout = laid_out(problem, memory)
    functions = {name: problem.program.lanes(name, lanes) for name in needed(problem)}
    batch = layout.batch
    for field, name in (
        ("rhs", "rhs"),
        ("project", "project"),
        ("event_values", "events"),
        ("margin_values", "margins"),
    ):
        if name in functions:
            setattr(batch, field, functions[name].address)
    batch.work_size = max(f.work_size for f in functions.values())
    library = binding.library()
    room = aligned(library.lw_batch_room(batch, lanes))
    library.lw_batch_run(batch, lanes, room.ctypes.data)
    raw = Raw(
        layout.samples(), memory.get("status"), memory.get("reached_time"), layout.reached(), memory.get("counters"),
        memory.get("log")[: min(int(memory.get("log_count")[0]), batch.log_room)],
    )  # fmt: skip
    return completed(problem, raw, lambda y: projected(problem, y, lanes), f"{lanes} lanes")


def outputs_of(
    problem: BatchProblem, y: np.ndarray, channels: list[str] | None = None, *, lanes: int | None = None
) -> np.ndarray:
    """(cases, times, channels) from states (cases, times, states); channels: those wanted, default all."""
    lanes = width(lanes)
    return mapped(problem, y, channel_function(problem.program, channels, lanes), lanes)


def channel_function(program: Program, channels: list[str] | None, lanes: int) -> NativeFunction:
    if channels is None:
        return program.lanes("outputs", lanes)
    names = [channel.name for channel in program.channels]
    missing = [name for name in channels if name not in names]
    if missing:
        raise LinkworkError(f"there is no channel {missing[0]!r}.")
    assert program.symbolic is not None
    whole = program.symbolic("outputs")
    arguments = whole.sx_in()
    chosen = whole(*arguments)[[names.index(name) for name in channels]]
    f = ca.Function("outputs", arguments, [ca.densify(chosen)], {"cse": True})
    return compile_lanes(f, lanes, name="outputs")


def projected(problem: BatchProblem, y: np.ndarray, lanes: int) -> np.ndarray:
    """States on the constraints."""
    return mapped(problem, y, problem.program.lanes("project", lanes), lanes, project=True)


def mapped(
    problem: BatchProblem, y: np.ndarray, function: NativeFunction, lanes: int, *, project: bool = False
) -> np.ndarray:
    """A function of (t, y, p) at all states, several at a time."""
    cases, count, n = y.shape
    m, inputs = function.out_sizes[0], problem.inputs_at(problem.times)
    out = np.array(y) if project else np.empty((cases, count, m))
    flat = np.ascontiguousarray(y)
    stride = 0 if inputs is None or len(inputs) == 1 else inputs[0].size
    room = aligned(lanes * (1 + n + problem.p.shape[1] + m + 2 + function.work_size) + 8)
    layout, units = problem.program.layout, natural_units(problem.program)
    batch = binding.Batch(first_speed=layout.q, speeds=layout.v, unit=units.ctypes.data, rtol=problem.common.rtol)
    binding.library().lw_batch_map(
        batch, function.address, lanes, cases * count, count, n, problem.p.shape[1], m, project,
        problem.times.ctypes.data, flat.ctypes.data, problem.p.ctypes.data,
        0 if inputs is None else inputs.ctypes.data, stride, len(problem.program.inputs),
        out.ctypes.data, room.ctypes.data,
    )  # fmt: skip
    return out


def width(lanes: int | None) -> int:
    lanes = widest() if lanes is None else lanes
    if lanes not in WIDTHS or lanes > widest():
        raise LinkworkError(f"{lanes} lanes; this processor has {widest()}.", remedy=f"Give one of {WIDTHS}.")
    return lanes


def needed(problem: BatchProblem) -> list[str]:
    program = problem.program
    names = ["rhs"]
    if program.constrained:
        names.append("project")
    if program.events:
        names.append("events")
    if program.margins:
        names.append("margins")
    return names
