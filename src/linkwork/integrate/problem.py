"""An initial-value problem, checked and in arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.pieces import Driver
from linkwork.core.program import Program

STEP_LIMIT = 50_000_000
"""Attempts that a run makes at most, unless it is told otherwise."""


@dataclass(frozen=True)
class Problem:
    """Everything a solver needs; made by `integrate`, not by hand."""

    program: Program
    y0: np.ndarray
    t0: float
    t1: float
    times: np.ndarray | None
    parameters: np.ndarray
    """p = [parameters, inputs]; inputs that vary are overwritten as time goes on."""
    signals: Mapping[int, Driver]
    rtol: float
    atol: np.ndarray
    step: float | None
    max_step: float
    min_step: float
    max_steps: int
    projection: bool
    progress: Callable[[float], None] | None
    should_stop: Callable[[], bool] | None
    watch: Callable[[np.ndarray, np.ndarray], None] | None = None
    stops: np.ndarray | None = None
    """Pairs of times [s]: no step goes across from the first to the second, in rising order."""
    stiff_after: int = 0


def parameter_vector(program: Program, parameters: np.ndarray | Sequence[float] | None) -> np.ndarray:
    """p = [parameters, inputs] from the parameters alone, from all of p, or from the program's own values."""
    inputs = np.array(list(program.inputs.values()), dtype=float)
    own = np.array(list(program.parameters.values()), dtype=float)
    if parameters is None:
        return np.concatenate([own, inputs])
    given = np.array(parameters, dtype=float).ravel()
    if given.size == own.size:
        return np.concatenate([given, inputs])
    if given.size == own.size + inputs.size:
        return given
    raise LinkworkError(f"{given.size} parameter values for a program with {own.size} (and {inputs.size} inputs).")


def make_problem(
    program: Program,
    y0: np.ndarray,
    t_span: tuple[float, float],
    *,
    times: np.ndarray | None,
    parameters: np.ndarray | None,
    signals: Mapping[int, Driver] | None,
    rtol: float,
    atol: float | np.ndarray,
    step: float | None,
    max_step: float | None,
    min_step: float | None,
    max_steps: int | None,
    stops: np.ndarray | None = None,
    **rest: Any,
) -> Problem:
    n = program.layout.y
    y0 = np.array(y0, dtype=float).ravel()
    if y0.size != n:
        raise LinkworkError(f"the start state has {y0.size} values; the program has {n} states.")
    t0, t1 = float(t_span[0]), float(t_span[1])
    if not (np.isfinite(t0) and np.isfinite(t1) and t1 >= t0):
        raise LinkworkError(f"the time span ({t0}, {t1}) is not an increasing pair of numbers.")
    if times is not None:
        times = np.array(times, dtype=float).ravel()
        # The last of a computed grid may overshoot the end by rounding; it means the end.
        slack = 1e-12 * max(abs(t0), abs(t1))
        inside = ((times >= t0 - slack) & (times <= t1 + slack)).all()  # not so for NaN
        if not inside or not (times[1:] > times[:-1]).all():
            raise LinkworkError(f"the output times must increase and lie within [{t0}, {t1}] s.")
        times = np.clip(times, t0, t1)
    for name, value in (("rtol", rtol), ("step", step), ("max_step", max_step)):
        if value is not None and not value > 0:
            raise LinkworkError(f"{name} must be positive, not {value}.")
    if min_step is not None and not 0 <= min_step < np.inf:
        raise LinkworkError(f"min_step must be 0 s or more, not {min_step}.")
    if max_steps is not None and not 0 < max_steps < 2**62:
        raise LinkworkError(f"max_steps must be a positive number, not {max_steps}.")
    scale = np.ones(n) if program.scale is None else program.scale
    tolerance = np.full(n, atol, dtype=float) * scale
    if not ((tolerance > 0) & (tolerance < np.inf)).all():
        raise LinkworkError("atol must be positive.")
    return Problem(
        program=program,
        y0=y0,
        t0=t0,
        t1=t1,
        times=times,
        parameters=parameter_vector(program, parameters),
        signals=dict(signals or {}),
        rtol=float(rtol),
        atol=tolerance,
        step=step,
        max_step=float("inf") if max_step is None else float(max_step),
        min_step=0.0 if min_step is None else float(min_step),
        max_steps=STEP_LIMIT if max_steps is None else int(max_steps),
        stops=None if stops is None or not len(stops) else _pairs(stops),
        **rest,
    )


def _pairs(stops: np.ndarray) -> np.ndarray:
    pairs = np.ascontiguousarray(stops, dtype=float)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.all(np.diff(pairs.ravel()) >= 0):
        raise LinkworkError("stops must be pairs of times in rising order.")
    return pairs
