"""Why a run stopped, in words: which component, when, what to do."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.components.joint import Joint
from linkwork.core.equations import Equations
from linkwork.core.errors import IntegrationError
from linkwork.core.program import Program
from linkwork.core.result import Result, described_by
from linkwork.integrate import Trajectory
from linkwork.simulation.watch.branches import singular, singular_end
from linkwork.simulation.watch.contradictions import Contradiction, contradiction
from linkwork.simulation.watch.evidence import Evidence
from linkwork.simulation.watch.impossible import MORE_VOLUME, emptied, impossible
from linkwork.simulation.watch.residuals import Gap, lost_speed, open_joint
from linkwork.simulation.watch.shorted import shorted

LAWS = {"effort", "spring", "damper", "friction", "limits", "tension", "fx", "fy", "fz", "mx", "my", "mz"}
"""Last parts of the channels that show what a law or force does."""
STUCK = {"newton", "underflow", "nonfinite"}
"""Ends of a run that a singular position can explain."""
UNSOLVED = 1e-6
"""Largest mismatch of a network's equations, relative to their terms, that still counts as solved."""
NAMED_COMPONENTS = 6
"""Components that are named."""
WRENCHES = {"reaction", "port1"}


def explain(
    model: Any,
    eq: Equations,
    program: Program,
    path: Trajectory,
    p: np.ndarray,
    result: Result,
    run: Evidence | None = None,
) -> IntegrationError:
    """The error for a trajectory that did not finish; it carries the Result up to there. run: to look for causes in."""
    component, cause, remedy = _told(model, eq, program, path, p, run)
    kept = f"The {result.t.size} samples before are in error.partial."
    return IntegrationError(cause, component=component, remedy=f"{remedy} {kept}".strip(), partial=result)


PASSING = (
    "Explicit solvers with projection pass such positions (solver='dopri5'); or start with more speed, or with lengths "
    "that keep the loop from lying flat."
)
"""What helps next to a singular position."""

Told = tuple[str, str, str]
"""Component, cause and remedy."""


def _told(model: Any, eq: Equations, program: Program, path: Trajectory, p: np.ndarray, run: Evidence | None) -> Told:
    """What is most likely, first."""
    t, failure = float(path.t[-1]), path.failure
    if failure is not None:
        cause = f"{failure.cause.rstrip('.')} (at t = {t:.6g} s)."
        return failure.component or model.name, cause, failure.remedy or ""
    culprit = None if path.culprit is None else _owner(eq, path.culprit, path.y[-1])
    why = None if run is None else _contradiction(run, path.status)
    owner = singular_end(program, path.t, path.y, p) if path.status in STUCK else None
    if why is not None and (why.drives or owner is None):
        return why.component, f"{why.cause} (at t = {t:.6g} s).", "Take one of them away, or let them agree."
    if owner is not None:
        return owner, f"{singular(owner)}, at t = {t:.6g} s.", PASSING
    if run is not None and path.status in STUCK and (owner := emptied(run)) is not None:
        return owner, f"its oil is used up: the piston is at the end of its way at t = {t:.6g} s.", MORE_VOLUME
    if run is not None and path.status in STUCK and (short := _shorted(run, culprit)) is not None:
        return short
    if path.status == "nonfinite":
        component, value = first_nonfinite(program, path, p)
        return component or culprit or model.name, f"gave {value} at t = {t:.6g} s.", NO_NUMBER
    if path.status == "coarse":
        owner, longest = _passed_through(program, path, p)
        cause = f"what touches would come out behind it within one step at t = {t:.6g} s."
        return owner, cause, f"Give a step below {longest:.2g} s, or use a solver that chooses its steps."
    joints = _joints_at(model, culprit)
    near = f" (at {', '.join(joints)})" if joints else ""
    cause, remedy = ENDS.get(path.status, (path.message or path.status, "Try another solver."))
    return culprit or model.name, f"{cause} at t = {t:.6g} s{near}.", remedy


ENDS = {
    "newton": ("the implicit solver did not converge", "Try a smaller step or max_step, or another solver."),
    "open": ("the constraints cannot be met together", "Check drives, and the way of the motion."),
    "max_steps": ("the number of steps reached its limit", "Loosen rtol and atol, or try solver='radau'."),
    "underflow": (
        "the step size fell below its limit",
        "Something there is very stiff or runs away: try solver='radau', softer limits or friction, or look at the "
        "last samples.",
    ),
}
"""Cause and remedy, by the status of a trajectory that nothing else explains."""
NO_NUMBER = "Check its function there (a root of a negative number, a division by zero?)."


def _shorted(run: Evidence, state: str | None) -> Told | None:
    """A switch that leads without resistance across a charged capacitor."""
    capacitor = (state or "").removesuffix(".voltage")
    ring = shorted(run.model, capacitor)
    if ring is None:
        return None
    switch, others = ring
    volts = f"{run.result[f'{capacitor}.voltage'][-1]:.6g} V at {capacitor}"
    return (
        switch,
        f"it closes without resistance across {', '.join(others)} at t = {run.result.t[-1]:.6g} s, with {volts}: the "
        "current would be infinite.",
        f"Give {switch} a resistance on=… [Ω] above 0, or put a resistor or an inductor between.",
    )


def _passed_through(program: Program, path: Trajectory, p: np.ndarray) -> tuple[str, float]:
    """The contact that a fixed step is too long for, and the longest step [s] that would do."""
    _, bounds = program.function("events")(path.t[-1], path.y[-1], p)
    holds = bounds.ravel()[2 * len(program.events) :]
    worst = int(holds.argmax())
    return program.events[worst].about.name, 1 / float(holds[worst])


def _contradiction(run: Evidence, status: str) -> Contradiction | None:
    """What cannot hold together where the run ended; fixed steps end well before the place itself."""
    last = run.result.t.size - 1
    why = contradiction(run, last)
    if why is None and status in ("open", "newton"):
        why = contradiction(run, last, near=0.1)
        return why if why is not None and why.drives else None
    return why


def _unsolved(run: Evidence, result: Result) -> IntegrationError | None:
    """The error for equations of components with ports that do not hold, as these were not determined."""
    for channel, owners in run.equations.algebraic.blocks.items():
        off = ~(run.result[channel] <= UNSOLVED)
        if off.any():
            first = int(np.argmax(off))
            names = ", ".join(owners[:NAMED_COMPONENTS]) + (
                f" and {len(owners) - NAMED_COMPONENTS} more" if len(owners) > NAMED_COMPONENTS else ""
            )
            return IntegrationError(
                f"the equations of {names} were not solved at t = {run.result.t[first]:.6g} s: they are off by"
                f" {run.result[channel][first]:.2g} of their terms.",
                component=owners[0],
                remedy="They do not determine each other there (a switch that leaves a current nowhere to go, two that"
                " short a source?), or are too uneven for double precision. See error.partial.",
                partial=result,
            )
    return None


def broken(run: Evidence, result: Result) -> IntegrationError | None:
    """The error for a run that gave no numbers, whose joints do not hold, or whose drives contradict each other; None:
    all is well."""
    if (error := _unsolved(run, result) or undefined(result) or impossible(run, result)) is not None:
        return error
    gap = open_joint(run)
    if gap is not None:
        return opened(run, gap, result)
    gap = lost_speed(run)
    return opened(run, gap, result) if gap is not None and contradiction(run, gap.sample) is not None else None


def undefined(result: Result) -> IntegrationError | None:
    """The error for a run that finished with a channel that is no number somewhere."""
    finite = np.isfinite(result.data)
    if finite.all():
        return None
    wrong = ~finite
    if "solver.step" in result:
        wrong[:, result.channels.column["solver.step"]] = False  # not every solver tells it
    if not wrong.any():
        return None
    first = int(np.argmax(wrong.any(axis=1)))
    # Energies and residuals sum up what others hold.
    names = [c.name for c, bad in zip(result.channels, wrong[first], strict=True) if bad]
    name = min(names, key=lambda n: n.partition(".")[0] in ("energy", "residual"))
    return IntegrationError(
        f"its channel {name!r} is {result[name][first]} at t = {result.t[first]:.6g} s.",
        component=name.rpartition(".")[0] or name,
        remedy="Check the numbers and functions it is given there (a root of a negative number, a division by zero?). "
        f"The {first} samples before are in error.partial.",
        partial=_until(result, first),
    )


def _until(result: Result, keep: int, time: float = np.inf) -> Result:
    """The first samples of a result that failed."""
    return Result(
        result.t[:keep], result.data[:keep], result.channels,
        record=result.record | {"status": "failed"}, events=[e for e in result.events if e[0] < time],
        description=described_by(result),
    )  # fmt: skip


def opened(run: Evidence, gap: Gap, result: Result) -> IntegrationError:
    """The error where equations do not hold; it carries the Result up to there."""
    keep = max(int(np.searchsorted(result.t, gap.time)), 1)
    partial = _until(result, keep, gap.time)
    why = contradiction(run, gap.sample) or contradiction(run, gap.sample, near=0.1)
    last = int(np.searchsorted(run.path.t, gap.time, side="right"))
    owner = singular_end(run.program, run.path.t[:last], run.path.y[:last], run.p, run.signals)
    if owner is not None and not (why and why.drives):
        return IntegrationError(
            f"{singular(owner)}, and {gap.component} is open by {gap.value:.3g} {gap.unit} at t = {gap.time:.6g} s.",
            component=owner,
            remedy=f"Smaller steps or tolerances may do. {PASSING} The {keep} samples before are in error.partial.",
            partial=partial,
        )
    if why is not None:
        return IntegrationError(
            f"{why.cause} (at t = {gap.time:.6g} s: {gap.component} is off by {gap.value:.3g} {gap.unit}).",
            component=why.component,
            remedy=f"Take one of them away, or let them agree. The {keep} samples before are in error.partial.",
            partial=partial,
        )
    return IntegrationError(
        f"it is open by {gap.value:.3g} {gap.unit} at t = {gap.time:.6g} s (the mechanism's size is {run.size:.3g} m).",
        component=gap.component,
        remedy="Something asks for a position that cannot be reached, or steps are too long: check drives and the way "
        f"of the motion, or take a smaller rtol. The {keep} samples before are in error.partial.",
        partial=partial,
    )


def _owner(eq: Equations, state: int, y: np.ndarray) -> str:
    """The component that the failing state belongs to; work integrals only follow whatever runs away."""
    first, count = eq.q.numel(), eq.v.numel()
    if state - first - count in eq.states.accounts and count:
        return eq.states.names[first + int(np.argmax(np.abs(y[first : first + count])))]
    return eq.states.names[state]


def first_nonfinite(program: Program, path: Trajectory, p: np.ndarray) -> tuple[str | None, str]:
    """The law or force that stops being a number just after the last good state."""
    t, y = float(path.t[-1]), path.y[-1]
    (rate,) = program.function("rhs")(t, y, p)
    rate = np.nan_to_num(rate, posinf=0.0, neginf=0.0)
    for ahead in (0.0, *np.logspace(-14, 0, 29)):
        (values,) = program.function("outputs")(t + ahead, y + ahead * rate, p)
        for channel, value in zip(program.channels, values, strict=True):
            owner, _, last = channel.name.rpartition(".")
            if not np.isfinite(value) and last.rstrip("0123456789") in LAWS and owner.split(".")[-1] not in WRENCHES:
                return owner, f"the value {value}"
    return None, "a value that is not a number"


def _joints_at(model: Any, body: str | None) -> list[str]:
    return [j.name for j in model.of_type(Joint) if body in (j.first.body.name, j.second.body.name)]
