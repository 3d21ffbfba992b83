"""Assembly: consistent positions and speeds from partial start data, with the least change of what was guessed."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.algebra.lapack import NotFinite
from linkwork.algebra.least_norm import least_norm
from linkwork.assembly.algebraic import solve_algebraic
from linkwork.assembly.branch import branch_of
from linkwork.assembly.compiled import Assembled, compiled_assembly
from linkwork.assembly.guess import guess
from linkwork.assembly.joint_loads import loaded
from linkwork.assembly.numbers import Numbers, absolute_equations
from linkwork.assembly.own_joints import verify
from linkwork.assembly.speeds import speeds
from linkwork.assembly.start_values import StartValues
from linkwork.assembly.told import Told, check_sides, expression, placement_of, told_of
from linkwork.assembly.topology import loop_through
from linkwork.assembly.unheld import refuse_unheld
from linkwork.assembly.unmoved import check_variables
from linkwork.components.bodies import check_mass
from linkwork.components.joint import Joint
from linkwork.components.relations import Dependence
from linkwork.core.activity import begin
from linkwork.core.equations import Placement
from linkwork.core.errors import AssemblyError, LinkworkError
from linkwork.core.registry import verb
from linkwork.core.signal import Inputs
from linkwork.formulations.order import Structure, structure_of
from linkwork.geometry import SX
from linkwork.signals.inputs import signals_of

if TYPE_CHECKING:
    from linkwork.core.model import Model

TOLERANCE = 1e-10
"""Largest constraint residual [lengths of the mechanism, rad] of an assembled position."""


KEPT_ASSEMBLIES = 8
"""Of a model: runs in turn with a few sets of values find all of them again."""


@dataclass
class Assembly:
    """A consistent start.

    state: y = [q, v, z] of the absolute formulation; coordinates: each free joint coordinate;
    branch: "+" or "-", the sign of the closing equations' determinant, which changes only at singular positions;
    moved: how far each body is from its start data [m].
    """

    state: np.ndarray
    placement: Placement
    coordinates: dict[str, float]
    rates: dict[str, float]
    branch: str
    moved: dict[str, float]
    residual: float
    iterations: int

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {0.0 if abs(x) < 1e-12 else x:.6g}" for name, x in self.coordinates.items())
        return f"branch {self.branch} with {values or 'no joint coordinates'}; residual {self.residual:.1e}"


@verb
def assemble(
    model: Model,
    *,
    parameters: dict[str, float] | None = None,
    inputs: Inputs | None = None,
    strict: bool = True,
    close: bool = True,
) -> Assembly:
    """Find the start closest to what `start(…)` said. Joint values and all rates are met exactly.

    inputs: name → number or signal, for what constraints depend on;
    strict=False: what cannot be met is left as it comes closest (compliant joints can start so), nothing is raised;
    close=False: no body is moved from where it was put, and speeds are those that were given, else 0: joints are open,
    as far as they are; what was not put anywhere is where joints carry it.
    """
    model.parameter_values(parameters)  # refused before anything is derived
    given = signals_of(model, inputs).given
    with model.prepared_for(parameters):
        p = model.p_at(absolute_equations(model), parameters, signals=given)
        return _assembled(model, Numbers(model, p, signals=given), p, strict and close, close)


def kept_assembly(
    model: Model, parameters: dict[str, float] | None, inputs: Inputs | None, *, strict: bool
) -> Assembly:
    """What `assemble` finds, for runs: kept for the next one that begins with the same numbers.

    It hangs on nothing but the model and p at t = 0, whatever drives inputs later.
    """
    model.parameter_values(parameters)
    given = signals_of(model, inputs).given
    with model.prepared_for(parameters):
        p = model.p_at(absolute_equations(model), parameters, signals=given)
        kept: dict[Hashable, Assembly] = model.memory.setdefault("assemblies", {})
        key = strict, p.tobytes(), structure_of(model)
        if key not in kept:
            assembly = _assembled(model, Numbers(model, p, signals=given), p, strict, True)
            if len(kept) >= KEPT_ASSEMBLIES:
                kept.pop(next(iter(kept)))
            kept[key] = assembly
        return kept[key]


def assembled_alike(model: Model, p: np.ndarray, structure: Structure | None, *, strict: bool) -> Assembly | None:
    """What a run with these numbers (parameters, inputs) would begin with, where its equations are those of this
    structure and its assembly is beyond doubt; None: it must be prepared by itself. Not kept."""
    values = dict(zip(model.parameters, p.tolist(), strict=False))
    with model.prepared_for(values):
        if structure_of(model) != structure:
            return None
        numbers = Numbers(model, p)
        compiled = compiled_assembly(numbers)
        if compiled is None:
            return None
        try:
            return _assembled(model, numbers, p, strict, True)
        except LinkworkError:
            return None


def _assembled(model: Model, numbers: Numbers, p: np.ndarray, strict: bool, close: bool) -> Assembly:
    begin("assembling")
    _check_components(numbers)
    compiled = compiled_assembly(numbers) if close else None
    assembled = None if compiled is None else compiled.assembled(numbers.t, numbers.p)
    if assembled is None:
        compiled, assembled = None, _carefully(numbers, strict, close)
    q, v, z = assembled.q, assembled.v, assembled.z
    if compiled is not None and numbers.variables:
        check_variables(numbers, q, z)
    refuse_unheld(numbers, q, v, z)
    z = loaded(numbers, q, v, solve_algebraic(numbers.eq, numbers.t, (q, v, z), p))
    tells = _told(numbers, q, v, z) if compiled is None else compiled.told(numbers, q, v, z)
    if strict:
        check_sides(numbers, tells)
        _check_dependences(numbers, tells.values)
    n, d = numbers.of_body.size, model.dimension
    away = (q - assembled.origin)[: n * len(numbers.bodies)].reshape(-1, n)[:, :d]
    distances = np.sqrt((away * away).sum(axis=1)).tolist()
    moved = {b.name: x for b, x in zip(numbers.bodies, distances, strict=True) if b.given.position is not None}
    names = numbers.names
    return Assembly(
        state=np.concatenate([q, v, z]),
        placement=placement_of(numbers, q, z, tells),
        coordinates=dict(zip(names, tells.values.tolist(), strict=True)),
        rates=dict(zip(names, tells.rates.tolist(), strict=True)),
        branch=assembled.branch or branch_of(numbers, q, v, z),
        moved=moved,
        residual=assembled.residual,
        iterations=assembled.iterations,
    )


def _check_components(numbers: Numbers) -> None:
    """Masses that hang on parameters, and joints of the user's own; what is a number was checked when it was given."""
    for body, mass, inertia in numbers.varied_inertias():
        check_mass(body.name, mass, inertia)
    for joint in numbers.foreign:
        verify(joint, ca.vertcat(numbers.eq.t, numbers.eq.p), np.append(numbers.t, numbers.p))


def _carefully(numbers: Numbers, strict: bool, close: bool) -> Assembled:
    """Step by step in Python, with every doubt looked at."""
    q, z, weights = guess(numbers)
    origin = q.copy()
    q, residual, iterations = (_close_somehow if close else _as_placed)(numbers, q, z, weights)
    if not np.isfinite(residual):
        numbers.constraints(origin, np.zeros(numbers.nv), z)  # says which condition is to blame
        raise NotFinite("a start value is not a finite number.", component=numbers.model.name, remedy="Check start(…).")
    if strict and residual > TOLERANCE:
        _cannot_close(numbers, q, z)
    z = _turns(numbers, q, z)
    if numbers.variables:
        check_variables(numbers, q, z)
    return Assembled(q, speeds(numbers, q, z, strict=strict, held=close), z, origin, residual, iterations)


def _told(numbers: Numbers, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> Told:
    eq = numbers.eq
    (values,) = numbers.call("told", lambda: ([eq.q, eq.v, eq.z], [expression(numbers)]), q, v, z)
    return told_of(numbers, np.array(values).ravel())


def _close_somehow(
    numbers: Numbers, q: np.ndarray, z: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, float, int]:
    """Close from the guess; where Newton stalls (stretched or folded guesses do that), from guesses nearby."""
    best = _close(numbers, q, z, weights)
    random = np.random.default_rng(0)
    for size in (0.05, 0.2, 0.5):
        if best[1] <= TOLERANCE:
            break
        nearby = numbers.retract(q, size * numbers.units[1] * random.uniform(-1, 1, weights.size))
        best = min(best, _close(numbers, nearby, z, weights), key=lambda attempt: attempt[1])
    return best


def _as_placed(numbers: Numbers, q: np.ndarray, z: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, float, int]:
    """Where it is, and by how much joints are open."""
    position, _, _ = numbers.constraints(q, np.zeros(weights.size), z, trial=True)
    return q, float(np.abs(position / numbers.units[0][: position.size]).max(initial=0.0)), 0


def _close(numbers: Numbers, q: np.ndarray, z: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, float, int]:
    """Newton on Φ = 0 and the given joint values; each step is the shortest, and slides back towards the guess.

    Residuals and steps are in natural units.
    """
    given = StartValues(numbers)
    by_row, by_speed, by_coordinate = numbers.units
    rest = np.zeros(numbers.eq.v.numel())
    drift = np.zeros_like(rest)  # displacement from the guess, in the space of v

    def equations(q: np.ndarray) -> tuple[np.ndarray, ca.DM]:
        position, _, A = numbers.constraints(q, rest, z, trial=True)
        A = A[: position.size, :]
        r, J, units = position, A, by_row[: position.size]
        if given.picked:
            missed, B = given.missed(q, z)
            r, J = np.concatenate([position, missed]), ca.vertcat(A, B)
            units = np.concatenate([units, by_coordinate[given.picked]])
        return r / units, ca.diag(ca.DM(1 / units)) @ J @ ca.diag(ca.DM(by_speed))

    r, J = equations(q)
    if not _finite(r, J):
        return q, np.inf, 0
    size = np.abs(r).max(initial=0.0)
    best, iterations = (size, q), 0
    while iterations < 100:
        if size <= TOLERANCE * 1e-3:
            break
        iterations += 1
        scaled = J @ ca.diag(ca.DM(1 / weights))
        step = least_norm(scaled, -r) / weights
        if size > 1e-6 and J.shape[1] <= 400:
            back = -drift
            step = step + back - least_norm(scaled, np.array(J @ ca.DM(back)).ravel()) / weights
        length = min(1.0, 0.5 / max(np.abs(step).max(initial=0.0), 1e-300))
        for _ in range(12):
            trial = numbers.retract(q, length * by_speed * step)
            r_new, J_new = equations(trial)
            new_size = np.abs(r_new).max(initial=0.0)
            if _finite(r_new, J_new) and (new_size < size or size < 1e-9):
                break
            length /= 2
        else:
            break
        if size < 1e-9 and new_size >= size:
            break
        q, r, J, size = trial, r_new, J_new, new_size
        drift = drift + length * step
        if size < best[0]:
            best = (size, q)
    size, q = best
    return q, float(size), iterations


def _finite(r: np.ndarray, J: ca.DM) -> bool:
    return bool(np.all(np.isfinite(r)) and np.all(np.isfinite(np.array(J.nonzeros()))))


def _cannot_close(numbers: Numbers, q: np.ndarray, z: np.ndarray) -> None:
    """Say which loop stays open, and by how much; or which start values contradict each other."""
    model, rest = numbers.model, np.zeros(numbers.eq.v.numel())
    position, _, _ = numbers.constraints(q, rest, z)
    by_owner: dict[str, float] = {}
    for row, r in zip(numbers.eq.constraints.rows, position, strict=False):
        by_owner[row.owner] = max(by_owner.get(row.owner, 0.0), abs(r))
    given = StartValues(numbers)
    missed = given.missed(q, z)[0] if given.picked else np.zeros(0)
    off = {numbers.coordinates[k].name: abs(x) for k, x in zip(given.picked, missed, strict=True)}
    joints = [j for j in model.of_type(Joint) if j.name in by_owner]
    if not joints:
        worst = max({**by_owner, **off}.items(), key=lambda item: item[1])[0]
        raise AssemblyError("the start values cannot be met.", component=worst, remedy="Check them.")
    joint = max(joints, key=lambda j: by_owner[j.name])
    loop = loop_through(model, joint)
    if len(loop) < 2 and off:  # a gear, a relation, a motion: something else ties what was given
        ties = [name for name in by_owner if name not in {j.name for j in joints}]
        raise AssemblyError(
            f"the start values of {', '.join(off)} contradict it.",
            component=max(ties, key=by_owner.__getitem__) if ties else joint.name,
            remedy="Change or leave out one of them.",
        )
    gap = sum(_gap(numbers, model[name], q) for name in loop)
    through = " – ".join([*loop, loop[0]])
    if off:
        names = ", ".join(off)
        remedy = f"The start values of {names} ask for it: change or leave out one, or check the lengths on this loop."
    else:
        remedy = "Check the lengths on this loop, or start the bodies nearer to an assembled position."
    raise AssemblyError(
        f"the loop {through} cannot close: a gap of {gap:.2g} m remains, most of it at {joint.name!r}.",
        component=joint.name,
        remedy=remedy,
    )


def _gap(numbers: Numbers, joint: Joint, q: np.ndarray) -> float:
    """Distance between the two frames' origins that the closure does not allow [m]."""
    position, _, _ = numbers.constraints(q, np.zeros(numbers.eq.v.numel()), np.zeros(numbers.eq.z.numel()))
    mine = [abs(r) for row, r in zip(numbers.eq.constraints.rows, position, strict=False) if row.owner == joint.name]
    return float(np.linalg.norm(mine[:3]))


def _turns(numbers: Numbers, q: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Turn counters start at the measured angle, on the turn the user asked for."""
    values, _, _ = numbers.measures(q, np.zeros(numbers.eq.v.numel()), z)
    z = z.copy()
    by_name = {c.name: x for c, x in zip(numbers.coordinates, values, strict=True)}
    for k, name in enumerate(_z_names(numbers)):
        if name in by_name:
            z[k] = by_name[name]
        elif name.endswith(".speed"):
            driven = next((c for c in numbers.coordinates if f"{c.name}.speed" == name), None)
            if driven is not None:
                z[k] = 0.0 if driven.speed is None else numbers.scalar(driven.speed)
    return z


def _z_names(numbers: Numbers) -> list[str]:
    return numbers.eq.z_names


def _check_dependences(numbers: Numbers, values: np.ndarray) -> None:
    """Closed-form solutions given by the user must describe the position that was found."""
    by_coordinate = dict(zip(numbers.coordinates, values, strict=True))
    for dependence in numbers.model.of_type(Dependence):
        for c, function in dependence.given.items():
            said = numbers.scalar(SX(function(*(SX(by_coordinate[k]) for k in dependence.on))))
            if not abs(said - by_coordinate[c]) < 1e-6 * max(numbers.eq.states.length, abs(by_coordinate[c])):
                raise AssemblyError(
                    f"says {c.name} = {said:.6g}, but the joints assemble at {by_coordinate[c]:.6g}.",
                    component=dependence.name,
                    remedy="Check the function and its branch, or start the bodies on the branch it describes.",
                )
