"""Linearize: A, B, C, D in independent coordinates about an operating point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.analyses.linearization.linearization import Linearization
from linkwork.analyses.linearization.local import Local
from linkwork.analyses.linearization.operating_point import At, Point, operating_point
from linkwork.analyses.linearization.state_space import StateSpace
from linkwork.analyses.linearization.steady import Steadiness, linear_equations
from linkwork.assembly.numbers import absolute_equations
from linkwork.core import kinds
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.registry import verb

if TYPE_CHECKING:
    from linkwork.core.model import Model


@verb
def linearize(
    model: Model,
    at: At | None = None,
    *,
    inputs: Mapping[str, float] | Sequence[str] | None = None,
    outputs: Sequence[str] | str | None = None,
    coordinates: Sequence[str] | None = None,
    formulation: str = "absolute",
    parameters: Mapping[str, float] | None = None,
    time: float | None = None,
) -> Linearization:
    """The linear state equation near an operating point, in independent coordinates x = [s, ṡ, z].

    at: None (the assembled start), `m.equilibrium()`, `m.assemble()`, or (result, time [s]);
    inputs: {name: value at the operating point}, or names of the columns of B (default: all inputs of the model);
    outputs: channels or patterns, the rows of C and D (default: joint coordinates and their rates);
    coordinates: names of the independent coordinates (default: chosen by pivoting, joint coordinates first);
    time [s]: at which forces and motions that depend on it are taken (default: that of `at`, or 0).
    Steady motions are described in axes in which they are steady; elsewhere it is the vector field that is linearised,
    whose eigenvalues tell nothing of stability, and `.note` says so.
    """
    values = inputs if isinstance(inputs, Mapping) else None
    point = operating_point(model, at, formulation, parameters, values, time)
    point.y = point.candidates.local.closed(point.t, point.y, point.p)
    columns = list(model.inputs) if inputs is None or isinstance(inputs, Mapping) else _columns(model, inputs)
    return linearization(model, point, columns, outputs, coordinates)


def linearization(
    model: Model,
    point: Point,
    columns: Sequence[str],
    outputs: Sequence[str] | str | None = None,
    coordinates: Sequence[str] | None = None,
) -> Linearization:
    """At a point on the constraints."""
    local, names = point.candidates.local, list(model.inputs)
    for name in columns:
        _check_input(model, name)
    rows = _rows(point, outputs)
    steadiness = linear_equations(
        model,
        point,
        inputs=[names.index(name) for name in columns],
        outputs=rows,
        coordinates=coordinates,
    )
    space = steadiness.space
    values = dict(zip([*model.parameters, *names], point.p.tolist(), strict=False))
    return Linearization(
        model=model.name,
        formulation=point.ready.formulation,
        A=space.A,
        B=space.B,
        C=space.C,
        D=space.D,
        state_names=space.names,
        positions=space.positions,
        speeds=space.speeds,
        state=space.state,
        rate=space.rate,
        error=space.error,
        inputs={name: values[name] for name in columns},
        outputs=dict(zip(rows, space.outputs.tolist(), strict=True)),
        units={name: local.eq.observation.outputs[name][0] for name in rows},
        time=point.t,
        moving=steadiness.moving,
        steady=steadiness.steady,
        note=_note(steadiness),
    )


def _columns(model: Model, inputs: Sequence[str]) -> list[str]:
    known = kinds.names.saying("Give {name: value} or a list of names.", "{word}={given} names none.")
    inputs = known.taken("inputs", inputs, model.name)
    wanted = [inputs] if isinstance(inputs, str) else list(inputs)
    for name in wanted:
        if name not in model.inputs:
            raise UnknownName("input", name, model.inputs, component=model.name)
    return wanted


def _rows(point: Point, outputs: Sequence[str] | str | None) -> list[str]:
    """Channel names; patterns are matched as in `Result.select`."""
    known = point.candidates.local.eq.observation.outputs
    if outputs is None:
        return [name for c in point.candidates.groups[0] for name in (c.name, c.rate)]
    channels: dict[str, None] = {}
    for pattern in [outputs] if isinstance(outputs, str) else outputs:
        matches = [pattern] if pattern in known else [name for name in known if fnmatchcase(name, pattern)]
        if not matches:
            raise UnknownName("channel", pattern, known, component=point.candidates.local.name)
        channels.update(dict.fromkeys(matches))
    _check_outputs(point.candidates.local, list(channels))
    return list(channels)


def _check_outputs(local: Local, names: Sequence[str]) -> None:
    """Integrals over time are no functions of the state."""
    eq = local.eq
    account = {k for k in range(eq.z.numel()) if k not in local.linearised and k not in eq.algebraic.following}
    dropped = [k for k in sorted(account) if not eq.states.unweighted[local.nq + local.nv + k]]
    for name in names:
        if dropped and ca.depends_on(eq.observation.outputs[name][1], eq.z[dropped]):
            raise ModelError(
                "is an integral over time and no function of the state.",
                component=name,
                remedy="Ask for the power instead, for instance a law's “….power”.",
            )


def _check_input(model: Model, name: str) -> None:
    """An input that moves a constraint acts by its second derivative: it has no column in B."""
    eq = absolute_equations(model)  # other formulations build motions into their coordinates
    symbol = model.symbols([name])[0]
    held = eq.constraints
    for k, row in enumerate(held.rows):
        levels = [held.velocity[k], *([held.position[k]] if k < held.position.numel() else [])]
        if ca.depends_on(ca.vertcat(*levels), symbol):
            raise ModelError(
                f"the input {name!r} prescribes its position or speed; what follows depends on how that changes.",
                component=row.owner,
                remedy="Prescribe the acceleration by it (Motion(acceleration=…)), or leave it out: inputs=[…].",
            )


def _note(steadiness: Steadiness) -> str:
    space: StateSpace = steadiness.space
    others = np.abs(space.rate[space.positions :]).max(initial=0.0)
    near = ""
    fast = slice(space.positions, space.positions + space.speeds)
    if space.speeds and space.error[fast].max() > 1e-7 * max(np.abs(space.A[fast]).max(), 1.0):
        near = f"Next to a singular position: rounding may have changed rates' derivatives by {space.error.max():.1g}."
    return " ".join(text for text in (_motion(steadiness, float(others)), near) if text)


def _motion(steadiness: Steadiness, others: float) -> str:
    if not steadiness.moving or not steadiness.space.names:
        return ""
    if steadiness.steady:
        return f"It moves steadily here (speeds up to {steadiness.speed:.4g}): deviations are counted from this motion."
    return (
        f"No equilibrium and no steady motion: speeds up to {steadiness.speed:.4g}, accelerations (or rates of "
        f"first-order states) up to {others:.4g}. What is linearised is the vector field, which changes along the "
        "motion: its eigenvalues tell nothing of stability. For a periodic motion m.floquet(…) does."
    )
