"""Runs of large models to differentiate: from kernels, at whatever start these find."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.sensitivity.flow import make_room
from linkwork.analyses.sensitivity.flow_by_kernels import FlowByKernels
from linkwork.analyses.sensitivity.forward import Run
from linkwork.analyses.sensitivity.start_sensitivity import difference
from linkwork.simulation.by_kernels import Begun, prepared, solver_of
from linkwork.simulation.choice.solver import Automatic
from linkwork.simulation.task import Task

if TYPE_CHECKING:
    from linkwork.analyses.sensitivity.question import Question


def asked_by_kernels(question: Question, task: Task, formulation: str) -> tuple[FlowByKernels, Run]:
    """Raises `Unfit` where the model needs straight-line code."""
    begun, ready, signals = prepared(task, formulation)
    chosen = solver_of(task, ready, signals, presumed=bool(begun.large.softness))
    solver = chosen.solver if isinstance(chosen, Automatic) else str(chosen)
    flow = _flow(question, begun)
    columns = [_moved(task, begun, ready.p, ready.state, k) for k in question.chosen]
    S = np.column_stack(columns) if columns else np.zeros((ready.state.size, 0))
    return flow, question.run(flow, ready.state, S, ready.p, signals, begun.stops, solver)


def _flow(question: Question, begun: Begun) -> FlowByKernels:
    """Kept by the model, as long as it does not change and few other questions come between."""
    program = begun.large.compiled
    assert program is not None
    kept: dict[Hashable, FlowByKernels] = question.model.memory.setdefault("flows by kernels", {})
    key = id(program), tuple(question.channels), tuple(question.terms)
    if key not in kept:
        make_room(kept)
        kept[key] = FlowByKernels(begun.large, program, question.channels, question.terms)
    return kept[key]


def _moved(task: Task, begun: Begun, p: np.ndarray, y: np.ndarray, number: int) -> np.ndarray:
    """∂y₀/∂p of one parameter."""

    def at(value: float) -> np.ndarray:
        there = begun.p.copy()
        there[number] = value
        return begun.state_at(there)

    return difference(at, float(p[number]), y, list(task.model.parameters)[number], task.model.name)
