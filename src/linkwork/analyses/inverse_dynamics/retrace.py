"""The course of a motion read back from the channels of a Result: no drives, no differentiation where it has all."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.algebra.factors import Factors, batches
from linkwork.analyses.kinematics.course import Course
from linkwork.analyses.kinematics.mechanism import Mechanism
from linkwork.analyses.kinematics.speed_driven import carried
from linkwork.core.errors import ModelError
from linkwork.core.result import Result
from linkwork.geometry import SX

FITS = 1e-5
"""Largest residual [m, rad] of a motion that counts as one of this mechanism."""
SPEEDS = ("vx", "vy", "vz", "wx", "wy", "wz", "rate")
ACCELERATIONS = ("ax", "ay", "az", "alphax", "alphay", "alphaz")


def retraced(mechanism: Mechanism, result: Result) -> tuple[Course, bool, list[int]]:
    """The course; whether the result has accelerations (else speeds were differentiated); which of z it knows."""
    eq, t = mechanism.eq, np.array(result.t)
    if not t.size:
        raise ModelError("the result is empty.", component=mechanism.model.name, remedy="Give one with samples.")
    q, z, known = _positions(mechanism, result)
    rest = np.zeros((t.size, eq.v.numel()))
    q = mechanism.move(q, rest)  # files may have shortened the Euler parameters
    v = _read(mechanism, result, SPEEDS, eq.v, [], (t, q, rest, z, rest), "speeds")
    z, _ = mechanism.counted(t, q, v, z)
    z = _with_carried(mechanism, t, q, v, z)
    complete = all(name in result for name in _names(mechanism, ACCELERATIONS))
    if complete:
        a = _read(mechanism, result, ACCELERATIONS, eq.a, [eq.constraints.gamma], (t, q, v, z, rest), "accelerations")
    else:
        a = _differentiated(mechanism, t, v)
    course = Course(t, q, v, a, z)
    _check(mechanism, course)
    return course, complete, known


def _positions(mechanism: Mechanism, result: Result) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """q, and z as far as it is known, from the channels that are these states themselves."""
    eq = mechanism.eq
    channel = {value.element_hash(): name for name, (_, value) in eq.observation.outputs.items() if value.is_symbolic()}
    names = [channel.get(eq.q[k].element_hash(), eq.states.names[k]) for k in range(eq.q.numel())]
    missing = [name for name in names if name not in result]
    if missing:
        raise ModelError(
            "the result does not hold its position.",
            component=missing[0],
            remedy="Give a result of this model with all its channels.",
        )
    q = np.column_stack([result[name] for name in names])
    z, known = np.zeros((len(q), eq.z.numel())), list(mechanism.turns)
    for k, name in enumerate(mechanism.z_names):
        recorded = name if k in mechanism.turns else channel.get(eq.z[k].element_hash(), "")
        if recorded in result and k not in eq.states.accounts:  # work is counted anew, with the new forces
            z[:, k] = result[recorded]
            known.append(k)
    return q, z, sorted({*known, *carried(mechanism)})


def _names(mechanism: Mechanism, endings: tuple[str, ...]) -> list[str]:
    """Channels of that kind which belong to states (bodies, generalised coordinates)."""
    owners = set(mechanism.eq.states.names[: mechanism.eq.q.numel()])
    split = ((name, *name.rpartition(".")[::2]) for name in mechanism.eq.observation.outputs)
    return [name for name, owner, last in split if last in endings and owner in owners]


def _read(
    mechanism: Mechanism,
    result: Result,
    endings: tuple[str, ...],
    unknown: SX,
    extra: list[SX],
    parts: tuple[np.ndarray, ...],
    what: str,
) -> np.ndarray:
    """v or v̇ from the channels that are linear in it; `extra`: γ, if the constraints are to be met as well."""
    eq, names = mechanism.eq, _names(mechanism, endings)
    missing = [name for name in names if name not in result]
    if missing:
        raise ModelError("is not in the result.", component=missing[0], remedy="Give one with all its channels.")
    values = ca.vertcat(SX(0, 1), *(eq.observation.outputs[name][1] for name in names))
    J = ca.vertcat(ca.jacobian(values, unknown), *([eq.constraints.jacobian] if extra else []))
    offset = ca.substitute(values, unknown, SX.zeros(unknown.numel(), 1))
    column, (t, *rest) = ca.densify(ca.vertcat(offset, *extra)), parts
    recorded, solutions = np.column_stack([result[name] for name in names]), []
    for which in batches(len(t), *J.shape):
        at = mechanism.at(t[which])
        arguments = [part[which] for part in rest]
        wanted, rows = at.call(f"read {what}", lambda: ([eq.q, eq.v, eq.z, eq.a], [column, J]), *arguments)
        wanted = wanted[:, :, 0]
        wanted[:, : len(names)] = recorded[which] - wanted[:, : len(names)]
        solutions.append(Factors(rows, consistent=True).solve(wanted))
    return np.concatenate(solutions)


def _with_carried(mechanism: Mechanism, t: np.ndarray, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> np.ndarray:
    """States that say how fast a motion goes, from the speeds it has."""
    which = carried(mechanism)
    if not which:
        return z
    eq = mechanism.eq
    J = ca.jacobian(eq.constraints.velocity, ca.vertcat(*(eq.z[k] for k in which)))
    column = ca.densify(eq.constraints.velocity)
    off, rows = mechanism.at(t).call("read carried", lambda: ([eq.q, eq.v, eq.z], [column, J]), q, v, z)
    z = z.copy()
    z[:, which] -= Factors(rows).solve(off[:, :, 0])
    return z


def _differentiated(mechanism: Mechanism, t: np.ndarray, v: np.ndarray) -> np.ndarray:
    times, first = np.unique(t, return_index=True)
    if times.size < 4:
        raise ModelError(
            "the result has no accelerations, and too few samples to differentiate.",
            component=mechanism.model.name,
            remedy="Give one with all its channels, or with more samples.",
        )
    from scipy.interpolate import CubicSpline

    return CubicSpline(times, v[first]).derivative()(t)


def _check(mechanism: Mechanism, course: Course) -> None:
    """The motion must be one that this mechanism can make."""
    eq = mechanism.eq
    parts = (course.t, course.q, course.v, course.z)
    column = ca.vertcat(eq.constraints.position, eq.constraints.velocity)
    off = np.abs(mechanism.call("residuals", lambda: ([eq.q, eq.v, eq.z], column), *parts))
    n = eq.constraints.position.numel()
    off[:, n:] /= 1 + np.abs(course.v).max(axis=1, initial=0.0)[:, None]
    if off.size and not off.max() <= FITS:
        sample, row = np.unravel_index(int(np.nanargmax(off)), off.shape)
        owner = eq.constraints.rows[int(row) if row < n else int(row) - n].owner
        raise ModelError(
            f"the motion does not fit this joint: it is off by {off[sample, row]:.2g} at t = {course.t[sample]:.6g} s.",
            component=owner,
            remedy="Give the result of a model with the same bodies, joints, parameters and motions.",
        )
