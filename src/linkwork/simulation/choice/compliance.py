"""Stiffness and damping of soft constraints, from the masses and loads that each direction feels at the start."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.algebra.rank import MIXED, least_squares
from linkwork.assembly.numbers import Numbers
from linkwork.components.joint import Joint
from linkwork.components.variables import Condition, Guide
from linkwork.core.compliance import Compliance, PerAxis
from linkwork.core.component import Constraint
from linkwork.core.equations import Row
from linkwork.core.errors import ModelError
from linkwork.formulations.blocked_axes import BlockedAxis, blocked_axes
from linkwork.formulations.order import structure_of
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model


def softness_of(
    model: Model, default: Compliance | None, state: np.ndarray, p: np.ndarray
) -> dict[Row, tuple[float, float]]:
    """(k, d) of every row that is soft: those of constraints enforced so, and all the others if there is a default."""
    by_owner = {c.name: c.compliance for c in model.of_type(Constraint)}
    numbers = Numbers(model, p)
    rows = numbers.eq.constraints.rows
    # Coordinates without mass cannot hang on springs: what ties them stays ideal.
    massless = set(numbers.eq.constraints.jacobian[:, numbers.eq.v.numel() - len(numbers.variables) :].sparsity().row())
    exact = {c.name for c in model.of_type(Constraint) if isinstance(c, (Guide, Condition))}
    wanted = {
        k: c
        for k, row in enumerate(rows)
        if k not in massless and row.owner not in exact and (c := by_owner.get(row.owner) or default) is not None
    }
    if not wanted:
        return {}
    _refuse_massless(numbers, wanted)
    mass, load = _felt(numbers, state)
    kinds = _kinds(numbers, state)
    load = shared([row.owner for row in rows], load, kinds)
    softness, axes = {}, Axes(model)
    for k, compliance in wanted.items():
        held = Feels(numbers.units[0][k], kinds[k], mass[k], load[k], k < numbers.eq.constraints.position.numel())
        softness[rows[k]] = soft(rows[k], compliance, held, axes)
    return softness


@dataclass(frozen=True)
class Feels:
    """What a row feels: its natural unit; whether it holds a displacement or a rotation; the mass it moves, its load at
    the start; whether it is an equation of positions."""

    unit: float
    kind: str
    mass: float
    load: float
    position: bool


def soft(row: Row, compliance: Compliance, felt: Feels, axes: Axes) -> tuple[float, float]:
    """Stiffness and damping of one row."""
    error, turns = compliance.error * felt.unit, felt.kind == "rotation"
    stiffness = axes.value(row, "torsion" if turns else "stiffness", compliance.spring(turns))
    stiffness = felt.load / error if stiffness is None else stiffness
    damping = axes.value(row, "torsion_damping" if turns else "damping", compliance.damper(turns))
    if damping is None and felt.position:
        damping = 2 * compliance.ratio * np.sqrt(stiffness * felt.mass)
    elif damping is None:
        damping = stiffness * 1.0  # s: nothing springs back at velocity level, so it may slip by `error` a second
    return float(stiffness), float(damping)


class Axes:
    """What is given for each axis of a joint, by the rows that block them."""

    def __init__(self, model: Model):
        self.model = model
        self.joints = {joint.name: joint for joint in model.of_type(Joint) if joint.explicit}
        self.blocked: dict[str, list[BlockedAxis | None]] = {}

    def value(self, row: Row, word: str, given: PerAxis | None) -> float | None:
        """Stiffness or damping of a row; None: it is not given."""
        if not isinstance(given, tuple):
            return given
        planar, about = self.model.is_planar, word.startswith("torsion")
        if len(given) != (wanted := (1 if about else 2) if planar else 3):
            axes = ("z" if about else "x, y") if planar else "x, y, z"
            raise ModelError(
                f"{word} {given} has {len(given)} numbers.",
                component=row.owner,
                remedy=f"Give {wanted} in {'the plane' if planar else 'space'} ({axes}), or one number for all.",
            )
        axis = self._axis(row)
        if axis is None:
            raise ModelError(
                f"{word} {given} is given by axes, and its {row.direction} blocks none of the joint's own axes.",
                component=row.owner,
                remedy=f"Give it one number: m[{row.owner!r}].enforce('compliant', {word}=…).",
            )
        return given[0 if about and planar else axis.axis] / axis.rate**2

    def _axis(self, row: Row) -> BlockedAxis | None:
        joint = self.joints.get(row.owner)
        if joint is None or not row.direction.startswith("equation"):
            return None
        if row.owner not in self.blocked:
            self.blocked[row.owner] = blocked_axes(joint, self.model.is_planar)
        return self.blocked[row.owner][row.number]


def _refuse_massless(numbers: Numbers, soft: Iterable[int]) -> None:
    """A body without mass has no motion of its own on springs."""
    massless, size = structure_of(numbers.model).massless, 3 if numbers.model.is_planar else 6
    for k in soft:
        touched = {j // size for j in numbers.eq.constraints.jacobian[k, :].sparsity().get_col()}
        for body in (numbers.bodies[i] for i in touched if i < len(numbers.bodies)):
            if body.name in massless:
                raise ModelError(
                    f"it has no mass or inertia, and {numbers.eq.constraints.rows[k].owner} holds it by springs.",
                    component=body.name,
                    remedy="Give it a mass and inertia, or keep its joints ideal (another formulation).",
                )


def _kinds(numbers: Numbers, state: np.ndarray) -> list[str]:
    """Whether each row holds a displacement or a rotation."""
    eq = numbers.eq
    q, v, z = np.split(state, [eq.q.numel(), eq.q.numel() + eq.v.numel()])
    A = np.array(numbers.constraints(q, v, z)[2])
    size, linear = (3, 2) if numbers.model.is_planar else (6, 3)
    along = [i for i in range(size * len(numbers.bodies)) if i % size < linear]
    return ["displacement" if np.any(np.abs(row[along]) > 1e-9) else "rotation" for row in A]


def shared(owners: Sequence[str], load: np.ndarray, kinds: Sequence[str]) -> np.ndarray:
    """A joint's largest load of each kind for all its rows of that kind: its axes turn, the load need not."""
    most: dict[tuple[str, str], float] = {}
    for owner, kind, x in zip(owners, kinds, load.tolist(), strict=True):
        most[owner, kind] = max(most.get((owner, kind), x), x)
    return np.array([most[key] for key in zip(owners, kinds, strict=True)])


def _felt(numbers: Numbers, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Per row: the mass it moves, 1/(A M⁻¹Aᵀ), and the largest of its own load at the start and that mass's weight."""
    eq = numbers.eq
    q, v, z = np.split(state, [eq.q.numel(), eq.q.numel() + eq.v.numel()])
    A = np.array(numbers.constraints(q, v, z)[2])
    M, f, gamma = numbers.dynamics(q, v, z)
    metric = M + np.diag(np.where(np.diag(M) > 0, 0.0, numbers.mass()))
    felt = np.einsum("ij,ij->i", A @ np.linalg.inv(metric), A)
    mass = 1 / np.where(felt > 0, felt, 1)
    n = M.shape[0]
    whole = np.block([[M, A.T], [A, np.zeros((A.shape[0], A.shape[0]))]])
    multipliers = least_squares(whole, np.concatenate([f, gamma]), MIXED)[n:]
    now = [ca.substitute(SX(g), numbers.model.t, SX(numbers.t)) for g in numbers.model.gravity]
    gravity = max(float(np.linalg.norm([numbers.scalar(g) for g in now])), 1.0)
    return mass, np.maximum(np.abs(multipliers), mass * gravity)
