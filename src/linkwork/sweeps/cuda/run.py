"""Batches on a graphics card: each thread integrates one case."""

from __future__ import annotations

from typing import Any, Final

import casadi as ca
import numpy as np

from linkwork.compile.stream import Stream, stream_of
from linkwork.core.errors import LinkworkError
from linkwork.core.program import Program
from linkwork.integrate.trajectory import MESSAGES
from linkwork.sweeps.batch.layout import Layout, laid_out
from linkwork.sweeps.batch.outcome import DONE, BatchOutcome, Raw, completed
from linkwork.sweeps.batch.problem import BatchProblem
from linkwork.sweeps.cuda import source
from linkwork.sweeps.cuda.device import DeviceMemory, Module, library
from linkwork.sweeps.lanes.run import outputs_of, projected, width

THREADS: Final = 128
"""Threads per block; registers, not this, decide how many run at a time."""
LEAST_RTOL: Final = 1e-5
"""Relative tolerance that numbers of half the length can meet."""
MEMORY_SHARE: Final = 0.6
"""Of what is free on the card."""
REDUCTIONS: Final = {"last": None, "min": "nanmin", "max": "nanmax", "mean": "nanmean"}
"""Over the times recorded, and what NumPy and CuPy call them."""


def run_batch(
    problem: BatchProblem,
    *,
    channels: list[str] | None = None,
    reduction: str | None = None,
    real: str = "double",
    states: bool = True,
    chunk: int | None = None,
) -> tuple[BatchOutcome, np.ndarray]:
    """All cases, and their channels: (cases, times, channels), or (cases, channels) where reduced over time.

    channels: by name, none by default. reduction: "last", "min", "max" or "mean" over the times recorded, on the card.
    real: "double", or "float" for numbers of half the length. states: whether states are copied back too; without,
    `y` has no times. chunk: cases at a time; default: as many as the card's memory holds.
    """
    if reduction not in (None, *REDUCTIONS):
        raise LinkworkError(f"reduction {reduction!r}.", remedy=f"Give one of {', '.join(REDUCTIONS)}.")
    if real not in ("double", "float"):
        raise LinkworkError(f"numbers of the kind {real!r}.", remedy="Give 'double' or 'float'.")
    if real == "float" and problem.adaptive and problem.common.rtol < LEAST_RTOL:
        raise LinkworkError(
            f"numbers of half the length do not reach rtol = {problem.common.rtol:g}.",
            remedy=f"Give rtol={LEAST_RTOL:g} or more, or take doubles.",
        )
    wanted = channels or []
    f = channel_stream(problem.program, wanted)
    text = source.integrator(problem, real=real, threads=THREADS) + source.channels(f, real=real)
    module = Module(text)
    chunk = chunk or cases_at_a_time(problem, len(wanted))
    parts = [
        _part(problem.chosen(slice(k, k + chunk)), module, wanted, reduction, states, real)
        for k in range(0, problem.cases, chunk)
    ]
    return joined([outcome for outcome, _ in parts]), np.concatenate([out for _, out in parts])


def channel_stream(program: Program, channels: list[str]) -> Stream:
    """(t, y, p) → those channels."""
    names = [channel.name for channel in program.channels]
    for name in channels:
        if name not in names:
            raise LinkworkError(f"there is no channel {name!r}.")
    assert program.symbolic is not None
    whole = program.symbolic("outputs")
    arguments = whole.sx_in()
    chosen = whole(*arguments)[[names.index(name) for name in channels]] if channels else ca.SX(0, 1)
    return stream_of(ca.Function("outputs", arguments, [ca.densify(chosen)], {"cse": True}))


def cases_at_a_time(problem: BatchProblem, channels: int) -> int:
    free, _ = library().cuda.runtime.memGetInfo()
    n, times = problem.program.layout.y, problem.times.size
    each = 8 * (times * (n + channels) + 3 * n + problem.p.shape[1] + 16 * (n + 4) * bool(problem.program.events) + 8)
    return max(1, int(MEMORY_SHARE * free / each))


def _part(
    problem: BatchProblem, module: Module, channels: list[str], reduction: str | None, states: bool, real: str
) -> tuple[BatchOutcome, np.ndarray]:
    """Cases that fit into the card's memory."""
    memory = DeviceMemory()
    layout = laid_out(problem, memory)
    module.load(layout.batch)
    module.run("lw_run", problem.cases, THREADS)
    samples = _channels(problem, module, memory, channels)
    status = memory.get("status")
    log = memory.get("log")[: min(int(memory.get("log_count")[0]), layout.batch.log_room)]
    special = np.union1d(np.flatnonzero(status != DONE), log[:, 0].astype(int))
    out = _reduced(samples, reduction)
    outcome = _finished(problem, layout, status, states, f"CUDA, {real}")
    if special.size:
        closer = problem.chosen(special)
        rows = log.copy()
        rows[:, 0] = np.searchsorted(special, log[:, 0])
        columns = memory.named["samples"][:, :, library().asarray(special)].get()
        raw = Raw(
            np.ascontiguousarray(np.moveaxis(columns, 2, 0)), status[special], outcome.reached[special],
            layout.reached()[special], memory.get("counters")[special], rows,
        )  # fmt: skip
        lanes = width(None)
        rest = completed(closer, raw, lambda y: projected(closer, y, lanes), "one by one")
        place(outcome, rest, special, states)
        if channels:
            out[special] = _reduced(np.moveaxis(outputs_of(closer, rest.y, channels), 0, 2), reduction)
    return outcome, out


def _channels(problem: BatchProblem, module: Module, memory: DeviceMemory, channels: list[str]) -> Any:
    """(times, channels, cases) on the card; samples are moved onto the constraints on the way."""
    cupy = library()
    samples = cupy.full((problem.times.size, len(channels), problem.cases), np.nan)
    if not channels and not problem.projects:
        return samples
    inputs = problem.inputs_at(problem.times)
    stride = 0 if inputs is None or len(inputs) == 1 else inputs[0].size
    place = 0 if inputs is None else memory.keep(inputs)
    arguments = (samples, np.int32(len(channels)), np.int32(problem.projects), np.uint64(place), np.int64(stride))
    module.run("lw_channels", problem.cases * problem.times.size, THREADS, *arguments)
    return samples


def _reduced(samples: Any, reduction: str | None) -> np.ndarray:
    """On this machine: (cases, times, channels), or (cases, channels)."""
    if reduction is None:
        host = samples.get() if hasattr(samples, "get") else samples
        return np.ascontiguousarray(np.moveaxis(host, 2, 0))
    if reduction == "last":
        values = samples[-1]
    else:
        package: Any = library() if hasattr(samples, "get") else np
        values = getattr(package, REDUCTIONS[reduction] or "")(samples, axis=0)
    host = values.get() if hasattr(values, "get") else values
    return np.ascontiguousarray(host.T)


def _finished(problem: BatchProblem, layout: Layout, status: np.ndarray, states: bool, engine: str) -> BatchOutcome:
    """As if every case had come to its end."""
    cases, n = problem.cases, problem.program.layout.y
    counters = layout.memory.get("counters")
    y = layout.samples() if states else np.zeros((cases, 0, n))
    return BatchOutcome(
        problem.times, y, ["done"] * cases, [MESSAGES["done"]] * cases, layout.memory.get("reached_time"), {},
        counters[:, 0].copy(), counters[:, 1].copy(), np.zeros(cases, dtype=bool), [engine],
    )  # fmt: skip


def place(outcome: BatchOutcome, rest: BatchOutcome, which: np.ndarray, states: bool) -> None:
    """Some cases of an outcome anew."""
    if states:
        outcome.y[which] = rest.y
    outcome.reached[which], outcome.one_by_one[which] = rest.reached, rest.one_by_one
    outcome.accepted[which], outcome.rejected[which] = rest.accepted, rest.rejected
    for k, case in enumerate(which.tolist()):
        outcome.status[case], outcome.message[case] = rest.status[k], rest.message[k]
        if k in rest.events:
            outcome.events[case] = rest.events[k]


def joined(parts: list[BatchOutcome]) -> BatchOutcome:
    """One after the other."""
    first = np.cumsum([0, *(len(part.status) for part in parts)])
    return BatchOutcome(
        parts[0].t,
        np.concatenate([part.y for part in parts]),
        [status for part in parts for status in part.status],
        [message for part in parts for message in part.message],
        np.concatenate([part.reached for part in parts]),
        {k + int(at): e for part, at in zip(parts, first, strict=False) for k, e in part.events.items()},
        np.concatenate([part.accepted for part in parts]),
        np.concatenate([part.rejected for part in parts]),
        np.concatenate([part.one_by_one for part in parts]),
        list(dict.fromkeys(name for part in parts for name in part.parts)),
    )
