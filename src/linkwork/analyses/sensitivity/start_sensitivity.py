"""∂y₀/∂p: how the assembled start moves with the parameters.

Where the closing equations and the given start values determine the position and the speeds, by the implicit function
theorem on just these equations. Where something is left to assembly (a body pose that is only a guess, the smallest
speeds that fit), by central differences of assembly itself, extrapolated twice (Romberg).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.rank import RANK
from linkwork.components.bodies import Body
from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint
from linkwork.components.variables import Variable
from linkwork.core.equations import Equations
from linkwork.core.errors import AssemblyError, LinkworkError
from linkwork.geometry import SX, embedding
from linkwork.simulation.prepare import Prepared, start_state

if TYPE_CHECKING:
    from linkwork.core.model import Model

STEP = 1e-3
"""First difference, as a share of the parameter."""
DIFFERENCE_ERROR = 1e-5
"""Largest relative error estimate of the differences."""


def start_sensitivity(model: Model, ready: Prepared, chosen: tuple[int, ...], strict: bool = True) -> np.ndarray:
    """∂y₀/∂p for the chosen parameters (indices into p): shape (states, parameters)."""
    exact = _implicit(model, ready, chosen)
    if exact is not None:
        return exact
    columns = [_difference(model, ready, k, strict) for k in chosen]
    return np.column_stack(columns) if columns else np.zeros((ready.state.size, 0))


def _implicit(model: Model, ready: Prepared, chosen: tuple[int, ...]) -> np.ndarray | None:
    """By the implicit function theorem; None where the equations leave something open."""
    eq, y = ready.equations, ready.state
    nq, nv = eq.q.numel(), eq.v.numel()
    columns = list(chosen)
    at = eq.at(ready.p)
    parts = at.call(("start", chosen), lambda: _derivatives(model, eq, columns), *at.split(y))
    A, A_p, B, B_q, B_p, H0 = (np.array(part) for part in parts)
    step = _solved(A, -A_p, nv)
    if step is None:
        return None
    dq = H0 @ step
    wanted = -(B_q @ dq + B_p)
    still = not np.any(y[nq : nq + nv]) and np.abs(wanted).max(initial=0.0) == 0
    dv = np.zeros((nv, len(columns))) if still else _solved(B, wanted, nv)
    if dv is None:
        return None
    dz = _first_order(model, ready, np.vstack([dq, dv]), columns)
    return None if dz is None else np.vstack([dq, dv, dz])


def _derivatives(model: Model, eq: Equations, columns: list[int]) -> tuple[list[SX], list[SX]]:
    """Of the equations for position and speeds: by displacement and p; by v, q and p; and H."""
    place, fast = _given(model, eq)
    rows, speeds = ca.vertcat(eq.constraints.position, *place), ca.vertcat(eq.constraints.velocity, *fast)
    H = ca.jacobian(eq.motion.qdot, eq.v)
    parts = [
        ca.jacobian(rows, eq.q) @ H,
        ca.jacobian(rows, eq.p)[:, columns],
        ca.jacobian(speeds, eq.v),
        ca.jacobian(speeds, eq.q),
        ca.jacobian(speeds, eq.p)[:, columns],
        H,
    ]
    return [eq.q, eq.v, eq.z], [ca.densify(part) for part in parts]


def _given(model: Model, eq: Equations) -> tuple[list[SX], list[SX]]:
    """What start values ask for, as expressions that must vanish: positions, then speeds."""
    place: list[SX] = []
    fast: list[SX] = []
    for c in _coordinates(model):
        if c.value is not None:
            place.append(eq.observation.outputs[c.name][1] - SX(c.value))
        if c.speed is not None:
            fast.append(eq.observation.outputs[f"{c.name}.rate"][1] - SX(c.speed))
    space = embedding(model.is_planar)
    for body in model.of_type(Body):
        if body.given.velocity is not None:
            fast += [
                eq.observation.outputs[f"{body.name}.v{'xyz'[k]}"][1] - body.given.velocity[k] for k in space.true_axes
            ]
        if body.given.spin is not None:
            fast += [
                eq.observation.outputs[f"{body.name}.w{'xyz'[k]}"][1] - body.given.spin[k] for k in space.axial_axes
            ]
    return place, fast


def _coordinates(model: Model) -> list[Coordinate]:
    """Coordinates that can have start values: those of joints, and generalised ones."""
    return [*(c for joint in model.of_type(Joint) for c in joint.coordinates), *model.of_type(Variable)]


def _solved(A: np.ndarray, r: np.ndarray, unknowns: int) -> np.ndarray | None:
    """x with A x = r if there is exactly one, else None."""
    if not unknowns:
        return np.zeros((0, r.shape[1]))
    if A.shape[0] < unknowns:
        return None
    size = np.linalg.norm(A, axis=1, keepdims=True)
    size[size <= RANK * size.max()] = 1  # in joint coordinates, rows of a redundant joint may be rounding alone
    x, _, rank, _ = lapack.lstsq(A / size, r / size, rcond=RANK)
    if rank < unknowns or np.abs((A @ x - r) / size).max(initial=0.0) > 1e-7 * (1 + np.abs(r / size).max(initial=0.0)):
        return None
    return x


def _first_order(model: Model, ready: Prepared, moved: np.ndarray, columns: list[int]) -> np.ndarray | None:
    """The rows of the first-order states: turn counters follow their angle, work integrals start at zero."""
    eq = ready.equations
    coordinates = {c.name: c for c in _coordinates(model)}
    values: list[SX] = []
    for name in eq.z_names:
        owner, _, last = name.rpartition(".")
        if name in eq.start.values:
            values.append(SX(eq.start.values[name]))
        elif name in coordinates:
            values.append(eq.observation.outputs[name][1])
        elif last == "speed" and owner in coordinates:
            speed = coordinates[owner].speed
            values.append(SX(0) if speed is None else SX(speed))
        elif last == "turn" and f"{owner}.angle" in eq.observation.outputs:
            values.append(eq.observation.outputs[f"{owner}.angle"][1])
        elif owner == "energy":
            values.append(SX(0))
        else:
            return None
    value, state = ca.vertcat(*values), ca.vertcat(eq.q, eq.v)
    parts = ca.jacobian(value, state), ca.jacobian(value, eq.p)[:, columns]
    by_state, by_p = eq.at(ready.p).values(ready.state, *parts)
    return by_state @ moved + by_p


def _difference(model: Model, ready: Prepared, k: int, strict: bool) -> np.ndarray:
    """Column k by differences of assembly."""
    names = list(model.parameters)
    here = dict(zip(names, ready.p.tolist(), strict=False))

    def at(value: float) -> np.ndarray:
        assembly = model.assemble(parameters=here | {names[k]: value}, strict=strict)
        return start_state(ready.equations, assembly)

    return difference(at, float(ready.p[k]), ready.state, names[k], model.name)


def difference(at: Callable[[float], np.ndarray], value: float, state: np.ndarray, name: str, model: str) -> np.ndarray:
    """By central differences at three distances, extrapolated; refused where they do not agree.

    at: the start for a value of the parameter of that name; state: for this one.
    """
    size = abs(value) or 1.0
    for step in (STEP * size, 0.1 * STEP * size, 0.01 * STEP * size):
        try:
            first = _central(at, value, step)
            if not np.any(first) and np.array_equal(at(value + step), state):
                return first
            second, third = _central(at, value, step / 2), _central(at, value, step / 4)
        except AssemblyError:
            continue
        coarse, fine = (4 * second - first) / 3, (4 * third - second) / 3
        best = (16 * fine - coarse) / 15
        if np.abs(best - fine).max() <= DIFFERENCE_ERROR * (np.abs(best).max() + 1e-6 / size):
            return best
    raise LinkworkError(
        f"the assembled start does not depend smoothly on {name} at {value:g}.",
        component=model,
        remedy="Give enough start values of joints (joint.angle.start(…)) to determine the position, or move away from "
        "a position where the mechanism can only just be assembled.",
    )


def _central(at: Callable[[float], np.ndarray], value: float, step: float) -> np.ndarray:
    ahead, behind = at(value + step), at(value - step)
    return (ahead - behind) / ((value + step) - (value - step))
