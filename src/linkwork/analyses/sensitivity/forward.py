"""Forward sensitivities: the variational system is run, and bent where the equations jump.

At a switch g(t, y, p) = 0 at which the right-hand side jumps from f₋ to f₊, the time of the switch moves with the
parameters too: S₊ = S₋ + (f₋ − f₊) dt*/dp with dt*/dp = −(g_y S₋ + g_p)/ġ₋.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from linkwork.analyses.sensitivity.flow import Flow
from linkwork.analyses.sensitivity.switches import jump
from linkwork.core.activity import part, telling
from linkwork.core.errors import IntegrationError, LinkworkError
from linkwork.core.pieces import OverTime
from linkwork.core.program import Program
from linkwork.integrate import Trajectory, evaluate, integrate
from linkwork.integrate.trajectory import EventRecord

JUMP_LIMIT = 10_000
"""Jumps in one run, before it is taken as a failure."""


@dataclass(frozen=True)
class Run:
    """One run to differentiate: where it starts and how it is integrated."""

    y0: np.ndarray
    S0: np.ndarray
    """∂y₀/∂p of the chosen parameters, shape (states, parameters)."""
    p: np.ndarray
    chosen: tuple[int, ...]
    duration: float
    signals: Mapping[int, OverTime]
    solver: str
    rtol: float
    atol: float
    model: str
    stops: np.ndarray
    max_step: float | None = None
    progress: Callable[[float], None] | None = None


@dataclass
class Observation:
    """What was observed: values (samples, quantities) and their derivatives (samples, quantities, parameters)."""

    t: np.ndarray
    values: np.ndarray
    derivatives: np.ndarray
    stopped: str = ""
    """Name of the event that ended the run early."""
    jumps: int = 0
    steps: int = 0


def forward(flow: Flow, run: Run, times: np.ndarray) -> Observation:
    """Run to the end; observe at `times` [s]."""
    most = flow.at_once
    groups = [run.chosen[k : k + most] for k in range(0, len(run.chosen), most)] or [()]
    observations, first = [], 0
    for k, group in enumerate(groups):
        with part(k, len(groups)):
            observations.append(_group(flow, run, group, run.S0[:, first : first + len(group)], times))
        first += len(group)
    whole = observations[0]
    whole.derivatives = np.concatenate([part.derivatives for part in observations], axis=2)
    whole.steps = sum(part.steps for part in observations)
    return whole


def _group(flow: Flow, run: Run, chosen: tuple[int, ...], S0: np.ndarray, times: np.ndarray) -> Observation:
    program, n, k = flow.varied(chosen), flow.size, len(chosen)
    size = np.abs(run.p[list(chosen)])
    size[size == 0] = 1.0
    atol = run.atol / np.concatenate([np.ones(n), np.repeat(size, n)])
    Y = np.concatenate([run.y0, S0.ravel(order="F")])
    t, parts, stopped, jumps, steps = 0.0, [], "", 0, 0
    while True:
        path = integrate(
            program, Y, (t, run.duration), times=times[times >= t], parameters=run.p, signals=run.signals,
            solver=run.solver, rtol=run.rtol, atol=atol, progress=telling(run.progress), stops=run.stops,
            max_step=run.max_step,
        )  # fmt: skip
        require(path, flow, run.model)
        steps += path.stats.get("accepted", 0)
        jumped = _first_jump(flow, run, program, path, chosen)
        if jumped is None:
            parts.append((path.t, path.y))
            if path.status == "stopped":
                stopped = program.events[path.events[-1].index].name
            break
        event, Y_next = jumped
        jumps += 1
        if jumps > JUMP_LIMIT:
            raise IntegrationError(f"more than {JUMP_LIMIT} jumps of the equations.", component=run.model)
        before = path.t < event.t
        parts.append((path.t[before], path.y[before]))
        t, Y = event.t, Y_next
        # From now on a run ends at this switch, instead of going on in vain.
        events = list(program.events)
        events[event.index] = replace(events[event.index], action="stop")
        program = replace(program, events=tuple(events))
    time, states = np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])
    channels = evaluate(program.function("outputs"), time, states, run.p, run.signals, inputs=len(flow.inputs))
    channels = channels.reshape(time.size, k + 1, flow.observed)
    return Observation(time, channels[:, 0], np.moveaxis(channels[:, 1:], 1, 2), stopped, jumps, steps)


def _first_jump(
    flow: Flow, run: Run, program: Program, path: Trajectory, chosen: tuple[int, ...]
) -> tuple[EventRecord, np.ndarray] | None:
    """The first event at which the right-hand side jumps, and the states just after it; or None."""
    n, k = flow.size, len(chosen)
    for event in path.events:
        own = flow.events[event.index]
        if own.action == "stop":
            continue
        y, S = event.y[:n], event.y[n:].reshape(k, n).T
        crossing = jump_at(flow, run, event.t, y, event.index)
        if crossing is None:
            continue
        left, step, speed = crossing
        moved = -flow.switch_slope(event.t, y, _inputs_at(flow, run, event.t), event.index, S, chosen) / speed
        return event, np.concatenate([y, (S - np.outer(step, moved)).ravel(order="F")])
    return None


def jump_at(flow: Flow, run: Run, t: float, y: np.ndarray, index: int) -> tuple[np.ndarray, np.ndarray, float] | None:
    """(f₋, f₊ − f₋, ġ₋) at a switch where the right-hand side jumps; None where it is continuous."""
    rhs, switch = flow.compiled("rhs"), flow.compiled("events")
    (slope,) = rhs(t, y, _inputs_at(flow, run, t))
    for distance in (1e-7, 1e-6, 1e-5):
        away = distance * run.duration * np.array([-2.0, -1.0, 1.0, 2.0])
        states = y + np.outer(away, slope)
        g = evaluate(switch, t + away, states, run.p, run.signals, inputs=len(flow.inputs))[:, index]
        if g[1] * g[2] < 0 and g[0] * g[1] > 0:
            break
    else:
        return None  # it only touches zero: nothing switches
    f = evaluate(rhs, t + away, states, run.p, run.signals, inputs=len(flow.inputs))
    sides = jump(f[[1, 0]], f[[2, 3]])
    if sides is None:
        return None
    left, step = sides
    # Along the flow before the switch, not along the slope at it, which may already be the one after.
    states = y + np.outer(away[:2], left)
    g = evaluate(switch, t + away[:2], states, run.p, run.signals, inputs=len(flow.inputs))[:, index]
    speed = float((g[1] - g[0]) / (away[1] - away[0]))
    if abs(speed) * run.duration < 1e-9:
        raise LinkworkError(
            f"at t = {t:.6g} s a switch is only grazed: there the motion has no derivative.",
            component=run.model,
            remedy="Change the parameters a little, or make the switch smooth.",
        )
    return left, step, speed


def _inputs_at(flow: Flow, run: Run, t: float) -> np.ndarray:
    """p with the inputs at time t."""
    p, first = run.p.copy(), len(flow.parameters)
    for index, signal in run.signals.items():
        p[first + index] = float(signal(t) if callable(signal) else signal)
    return p


def require(path: Trajectory, flow: Flow, model: str) -> None:
    """Raise unless the trajectory reached its end."""
    if path.status == "cancelled":
        raise KeyboardInterrupt
    if path.ok:
        return
    owner = model if path.culprit is None else flow.names[path.culprit % flow.size]
    raise IntegrationError(
        path.message,
        component=owner,
        remedy="Run m.simulate(…) with the same parameters to see why; or try solver='radau'.",
    )
