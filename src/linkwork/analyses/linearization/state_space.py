"""ẋ = A x + B u, y = C x + D u near a state, in independent coordinates x = [s, ṡ, z].

The equations of motion hold on a surface: positions with Φ = 0, speeds with A v = b. With N the derivative of a point
on it by x, and ẋ = g(y, a, λ) any expression for the rates of x: A = (∂g/∂y + ∂g/∂(a, λ) ∂(a, λ)/∂y) N. The derivative
of a and λ is that of M a + Aᵀλ = f, A a = γ: it holds the stiffness ∂(Aᵀλ)/∂q of loaded constraints, and, by γ, their
curvature. Derivatives are exact (automatic differentiation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import casadi as ca
import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.constrained import Dynamics
from linkwork.algebra.rank import Motions, rank_of
from linkwork.analyses.linearization.independent import RESTING_FRAME, Candidate, Candidates, Frame, independent_rows
from linkwork.analyses.linearization.local import Local
from linkwork.core.errors import AssemblyError, LinkworkError, ModelError
from linkwork.geometry import SX

ROUNDING = 1e-14
"""Relative error of the terms that a derivative is summed from."""
HIDDEN = 0.1
"""Share of the largest term that may have cancelled inside the others."""
MOVED = 1e-14
"""Displacement [m, rad] by which rounding may have moved a position."""
VAGUE = 1e-2
"""Relative change of the rates' derivatives by that displacement at which a position is refused."""
NEARBY = 1e-5
"""Displacement [m, rad] at which constraints are counted again."""


@dataclass(frozen=True)
class StateSpace:
    """Matrices, names and values at the state. `positions`: how many of the states are coordinates s."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    names: list[str]
    positions: int
    speeds: int
    state: np.ndarray
    rate: np.ndarray
    """ẋ at the state: all zero at an equilibrium."""
    outputs: np.ndarray
    error: np.ndarray
    """How far rounding may have moved each entry of A."""


def state_space(
    candidates: Candidates,
    t: float,
    y: np.ndarray,
    p: np.ndarray,
    *,
    inputs: Sequence[int] = (),
    outputs: Sequence[str] = (),
    coordinates: Sequence[str] | None = None,
    frame: Frame = RESTING_FRAME,
) -> StateSpace:
    """Linearise at a state y on the constraints. inputs: columns of B, as indices; outputs: rows of C, by name."""
    local = candidates.local
    tangent = Tangent(candidates, (t, y, p), coordinates, frame)
    dynamics = local.dynamics(t, y, p)
    a, multipliers = dynamics.accelerations()
    if dynamics.motions.missed(dynamics.gamma) > 1e-6 and np.abs(dynamics.gamma).max() > 1e-6:
        raise singular(local)
    own, speeds, eq, nv = tangent.chosen, tangent.fast, local.eq, local.nv

    def expressions() -> SX:
        rates = [candidates.time_derivative(c.value) for c in own]
        seconds = [candidates.time_derivative(rates[k]) for k in speeds]
        observed = [eq.observation.outputs[name][1] for name in outputs]
        return ca.vertcat(local.balance, *rates, *seconds, local.zdot, *(c.value for c in own), local.z, *observed)

    key = ("state space", tuple(c.name for c in own), tuple(speeds), tuple(outputs))
    wrt = [eq.q, eq.v, local.z, ca.vertcat(eq.a, eq.multipliers), eq.symbols.inputs]
    reference = candidates.reference, candidates.reference_values(t, y, p, frame)
    parts = local.at(t, p).derivatives(key, expressions, wrt, y, a, multipliers, reference)
    values, by_q, by_v, by_z, by_x, by_u = parts
    n, m = nv + (0 if eq.motion.explicit else len(multipliers)), len(own) + len(speeds) + len(local.linearised)
    by_y = np.hstack([by_q @ tangent.into, by_v, by_z]) @ tangent.basis
    whole = np.abs(by_x) @ np.abs(np.concatenate([a, multipliers]))
    size = _sizes(tangent, by_q, by_v, by_z, whole, local.split(y)[1])
    by_u = by_u[:, list(inputs)]
    unknowns = _solved(dynamics, -np.hstack([by_y, by_u])[:n], nv, local)
    total = np.hstack([by_y, by_u])[n:] + by_x[n:] @ unknowns
    values = values.ravel()[n:]
    ends = m + len(own) + len(local.linearised)
    _check_unique(dynamics, by_x[n + ends :, nv:], outputs)
    x = tangent.basis.shape[1]
    return StateSpace(
        A=total[:m, :x],
        B=total[:m, x:],
        C=total[ends:, :x],
        D=total[ends:, x:],
        names=[c.name for c in own] + [own[k].rate for k in speeds] + local.z_names,
        positions=len(own),
        speeds=len(speeds),
        state=np.concatenate([values[m : m + len(own)], values[: len(own)][speeds], values[m + len(own) : ends]]),
        rate=values[:m],
        outputs=values[ends:],
        error=_error(local, dynamics, size[: n + m], by_x[n : n + m, :nv], total[:m, :x], (len(own), len(speeds))),
    )


def _sizes(
    tangent: Tangent, by_q: np.ndarray, by_v: np.ndarray, by_z: np.ndarray, whole: np.ndarray, v: np.ndarray
) -> np.ndarray:
    """How large the terms are that make up each entry of the derivative by independent states.

    Inside a derivative terms cancel out of sight: its entries share some of the largest of their kind, and turning by a
    radian may change any term by as much as it is (`whole`).
    """
    whole = whole + np.abs(by_v).max(axis=1, initial=0.0) * np.abs(v).max(initial=0.0)
    parts = [np.abs(by_q) @ np.abs(tangent.into) + whole[:, None], np.abs(by_v), np.abs(by_z)]
    return np.hstack([x + HIDDEN * x.max(axis=1, initial=0.0)[:, None] for x in parts]) @ tangent.magnitude


def trusted(
    candidates: Candidates,
    t: float,
    y: np.ndarray,
    p: np.ndarray,
    space: StateSpace,
    frame: Frame = RESTING_FRAME,
    outputs: Sequence[str] = (),
) -> StateSpace:
    """The same with an error that shows how much hangs on rounding: next to a singular position nearly everything."""
    local = candidates.local
    if not local.nv or not space.speeds:
        return space
    step = MOVED * np.where(np.arange(local.nv) % 2, 1.0, -0.7)
    try:
        nearby = local.closed(t, local.moved(y, step), p)
        names = space.names[: space.positions]
        other = state_space(candidates, t, nearby, p, outputs=outputs, coordinates=names, frame=frame)
    except (AssemblyError, ModelError):
        raise singular(local, CLOSE) from None
    if other.names != space.names:
        raise singular(local, CLOSE)
    off, fast = np.abs(other.A - space.A), slice(space.positions, space.positions + space.speeds)
    if off[fast].max() > VAGUE * np.abs(space.A[fast]).max() + 1e3 * space.error[fast].max():
        raise singular(local, CLOSE)
    return replace(space, error=np.maximum(space.error, 3 * off))


class Tangent:
    """Derivative of a state on the constraints by x: `basis` maps x to (δ, δv, δz), and δq = into δ."""

    def __init__(
        self,
        candidates: Candidates,
        at: tuple[float, np.ndarray, np.ndarray],
        wanted: Sequence[str] | None,
        frame: Frame = RESTING_FRAME,
    ):
        local = candidates.local
        self.frame = frame
        H, by_q, by_z, speed_by_q, A, speed_by_z = local.tangent(*at)
        nz, nv = len(local.linearised), local.nv
        self.into = np.hstack([H, np.eye(local.nq)[:, local.driven]])
        n = self.into.shape[1]
        allowed = Motions(np.hstack([by_q @ self.into, by_z])).free
        states = allowed[n:]
        if rank_of(states) < nz:
            raise ModelError(
                f"the first-order states {', '.join(local.z_names)} are not independent: constraints tie them.",
                component=local.name,
                remedy="Remove the constraint between them, or one of the states.",
            )
        # First-order states are part of x in any case; coordinates describe what moves while those stand still.
        still = allowed @ lapack.svd(states)[2][nz:].T if nz else allowed
        self.chosen: list[Candidate] = candidates.choose(still, self.into, at, wanted, frame)
        speeds = Motions(A)
        if self._rank_nearby(local, at, speeds) > speeds.rank:
            raise singular(local)
        turning = np.hstack([speed_by_q @ self.into, speed_by_z]) @ allowed
        if speeds.missed(turning) > 1e-6:
            raise singular(local)
        upper = np.vstack([allowed[:n], -speeds.least(turning), allowed[n:]])
        lower = np.vstack([np.zeros((n, speeds.free.shape[1])), speeds.free, np.zeros((nz, speeds.free.shape[1]))])
        span = np.hstack([upper, lower])
        value_rows, rate_rows = self._rows(candidates, at)
        moved = rate_rows @ lower
        self.fast = independent_rows(moved) if moved.shape[1] else []
        """Which of the chosen coordinates have a rate of their own (all, but for drives and rolling)."""
        picked = np.vstack([value_rows, rate_rows[self.fast], np.eye(n + nv + nz)[n + nv :]]) @ span
        if picked.shape[0] != picked.shape[1]:
            raise singular(local)
        self.basis = np.linalg.solve(picked.T, span.T).T
        self.magnitude = np.abs(span) @ np.abs(np.linalg.inv(picked))
        """How large the terms are that the basis is summed from."""

    def _rank_nearby(self, local: Local, at: tuple[float, np.ndarray, np.ndarray], speeds: Motions) -> int:
        """Rank of the constraints after a small admissible displacement: greater than here at singular positions."""
        if not speeds.rank or not speeds.free.shape[1]:
            return speeds.rank
        t, y, p = at
        shift = speeds.free @ np.linspace(1.0, 2.0, speeds.free.shape[1])
        try:
            nearby = local.closed(t, local.moved(y, NEARBY / np.abs(shift).max() * shift), p)
        except AssemblyError:
            raise singular(local) from None
        return Motions(local.tangent(t, nearby, p)[4], 1e-2 * NEARBY).rank

    def _rows(self, candidates: Candidates, at: tuple[float, np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of the chosen coordinates and of their rates by (δ, v, z)."""
        _, by_q, by_v, by_z = coordinate_rows(candidates, self.chosen, at, self.frame)
        rows = np.hstack([by_q @ self.into, by_v, by_z])
        return rows[: len(self.chosen)], rows[len(self.chosen) :]


def coordinate_rows(
    candidates: Candidates,
    chosen: Sequence[Candidate],
    at: tuple[float, np.ndarray, np.ndarray],
    frame: Frame = RESTING_FRAME,
    reference: np.ndarray | None = None,
) -> list[np.ndarray]:
    """Coordinates and their rates, stacked: values, and derivatives by q, v and z.

    reference: the one of another state, if not of this.
    """
    local = candidates.local
    eq, t, y, p = local.eq, *at

    def expressions() -> SX:
        values = [c.value for c in chosen]
        return ca.vertcat(SX(0, 1), *values, *(candidates.time_derivative(x) for x in values))

    key = ("rows", tuple(c.name for c in chosen))
    none = np.zeros(local.nv), np.zeros(eq.multipliers.numel())
    if reference is None:
        reference = candidates.reference_values(t, y, p, frame)
    wrt = [eq.q, eq.v, local.z]
    return local.at(t, p).derivatives(key, expressions, wrt, y, *none, (candidates.reference, reference))


def _solved(dynamics: Dynamics, right: np.ndarray, nv: int, local: Local) -> np.ndarray:
    """Derivatives of a and λ, one column per direction."""
    if dynamics.motions.missed(right[nv:]) > 1e-6:
        raise singular(local)
    return np.vstack(dynamics.solve(right[:nv], right[nv:]))


def _error(
    local: Local,
    dynamics: Dynamics,
    size: np.ndarray,
    by_a: np.ndarray,
    A: np.ndarray,
    parts: tuple[int, int],
) -> np.ndarray:
    """Rounding in A: what large terms that cancel leave behind. size: their absolute sums, balance rows first."""
    nv, n = local.nv, size.shape[0]
    balanced = n - A.shape[0]
    error = ROUNDING * (np.abs(by_a) @ dynamics.magnitude(size[:nv], size[nv:balanced]) + size[balanced:])
    if local.eq.multipliers.numel() or local.eq.constraints.softness or not n:
        return error
    # Formulations that have solved for the accelerations cancel terms out of sight: blocks of like unit share theirs.
    ends = [0, parts[0], sum(parts), A.shape[0]]
    for rows in ((ends[1], ends[2]), (ends[2], ends[3])):
        for begin, end in pairwise(ends):
            block = np.abs(A[rows[0] : rows[1], begin:end])
            error[rows[0] : rows[1], begin:end] += 100 * ROUNDING * block.max(initial=0.0)
    return error


def _check_unique(dynamics: Dynamics, by_multipliers: np.ndarray, outputs: Sequence[str]) -> None:
    """An output that sees multipliers which do nothing is not determined by rigid bodies."""
    if not dynamics.motions.idle.size or not len(outputs):
        return
    shares = np.abs(by_multipliers @ dynamics.motions.idle).max(axis=1)
    vague = [name for name, x in zip(outputs, shares, strict=True) if x > 1e-7]
    if vague:
        raise LinkworkError(
            "this output is not unique: redundant constraints share the load in a way rigid bodies leave open.",
            component=vague[0],
            remedy="Ask for other outputs, or remove the redundant constraint that m.check() names.",
        )


CLOSE = "so near to a singular position that rounding decides on its rates: constraints"


def singular(local: Local, what: str = "a singular position: constraints") -> ModelError:
    return ModelError(
        f"the state is {what} change their number there, and nothing is linear around it.",
        component=local.name,
        remedy="Linearise at another position; m.check() says what is singular about it.",
    )
