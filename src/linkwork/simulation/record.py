"""What is said of a run in its Result, beside the channels: how it was made, and with what."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from linkwork.assembly.redundancy import undetermined_reactions
from linkwork.core.pieces import OverTime
from linkwork.core.plain_data import Record
from linkwork.core.program import Channels, Program
from linkwork.core.result import Result
from linkwork.integrate import Trajectory
from linkwork.recall.notes import is_found
from linkwork.signals.sides import channels_at, sides_at
from linkwork.simulation.choice.solver import Automatic, SolverChoice
from linkwork.simulation.description.describe import described, versions
from linkwork.simulation.live import since_start
from linkwork.simulation.prepare import Prepared
from linkwork.simulation.task import Task

if TYPE_CHECKING:
    from linkwork.core.model import Model


def record_of(task: Task, ready: Prepared, path: Trajectory, solver: SolverChoice, timings: dict[str, float]) -> Record:
    """What `result.record` holds."""
    model, eq = task.model, ready.equations
    record = {
        "model": model.name,
        "status": status_of(path),
        "formulation": ready.formulation,
        "formulation_reason": ready.reason,
        "stabilisation": type(ready.choice.stabilisation).__name__.lower(),
        **solver_record(solver),
        "rtol": task.rtol,
        "atol": task.atol,
        "duration": task.duration,
        "parameters": dict(zip(model.parameters, ready.p.tolist(), strict=False)),
        "assembly": str(ready.assembly),
        "degrees": {"coordinates": eq.q.numel(), "speeds": eq.v.numel(), "constraints": len(eq.constraints.rows)},
        "timings": timings,
        "code": ready.program.code | {"equations": "found" if is_found(eq) else "derived"},
        "statistics": path.stats,
        "versions": versions(),
    }
    if undetermined := undetermined_reactions(model, ready.assembly.state, ready.p):
        record["undetermined reactions"] = undetermined
    if eq.constraints.softness:
        record["compliance"] = compliance_record(eq.constraints.softness.values())
    return record


def status_of(path: Trajectory) -> str:
    """ "finished", "cancelled" or "failed"."""
    return path.status if path.status == "cancelled" else ("finished" if path.ok else "failed")


def solver_record(solver: SolverChoice) -> dict[str, str]:
    """Which one, and why."""
    if isinstance(solver, Automatic):
        return {"solver": str(solver), "solver_reason": solver.reason}
    return {"solver": solver if isinstance(solver, str) else repr(solver), "solver_reason": "It was asked for."}


def result_of(
    model: Model,
    program: Program,
    path: Trajectory,
    p: np.ndarray,
    signals: Mapping[int, OverTime],
    record: Record,
    stops: np.ndarray,
) -> Result:
    channels, data = sampled(program, path, p, signals, stops, record["duration"])
    data = since_start(data, channels)
    events = sorted([(t, program.events[k].name) for t, k, _ in path.events] + path.notes, key=lambda event: event[0])
    description = described(model, p, channels, data)
    return Result(path.t, data, channels, record=record, events=events, description=description)


def sampled(
    program: Program, path: Trajectory, p: np.ndarray, signals: Mapping[int, OverTime], stops: np.ndarray, end: float
) -> tuple[Channels, np.ndarray]:
    """Channels of a trajectory, and their values; where they jump, on the side that `sides_at` says."""
    sides = sides_at(path.t, stops, end)
    outputs, inputs = program.function("outputs"), len(program.inputs)
    data = channels_at(outputs, path.t, sides, path.y, p, signals, inputs=inputs, more=1)
    data[:, -1] = path.step
    return program.recorded, data


def compliance_record(softness: Collection[tuple[float, float]]) -> Record:
    """How soft the soft rows are; the deflection is the error against ideal joints, to first order."""
    stiffness, damping = zip(*softness, strict=True)
    return {
        "rows": len(softness),
        "stiffness": [min(stiffness), max(stiffness)],
        "damping": [min(damping), max(damping)],
    }
