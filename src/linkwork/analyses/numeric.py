"""A model's absolute equations as numbers: constraint residuals, Jacobians and coordinates at a given state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from linkwork.analyses.own_symbols import check_symbols
from linkwork.components.bodies import Body
from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint
from linkwork.components.variables import Variable
from linkwork.core.courses import in_time
from linkwork.core.equations import Equations
from linkwork.core.errors import ModelError
from linkwork.core.lapack import NotFinite
from linkwork.formulations import formulate
from linkwork.formulations.contact_rows import with_contacts
from linkwork.formulations.network import TogetherOnly
from linkwork.formulations.order import length_of, structure_of
from linkwork.geometry import SX, rotations

if TYPE_CHECKING:
    from linkwork.core.model import Model


def absolute_equations(model: Model) -> Equations:
    """The model's absolute equations, kept until the model changes."""
    key = "absolute", structure_of(model)
    if key not in model.memory:
        try:
            eq = formulate(model, "absolute")
        except TogetherOnly:
            eq = formulate(model, "acausal")  # in the same coordinates
        check_symbols(model, with_contacts(eq))
        model.memory[key] = eq
    return model.memory[key]


@dataclass
class Numbers:
    """Evaluates what assembly and check need; `p` = parameters then inputs."""

    model: Model
    p: np.ndarray
    t: float = 0.0
    signals: dict[str, Any] | None = None
    """What drives inputs, by name; others stay where they are in p."""

    def __post_init__(self) -> None:
        self.eq = absolute_equations(self.model)
        self.p = self.model.p_at(self.eq, self.p, self.t, self.signals)
        self.bodies: list[Body] = self.model.of_type(Body)
        self.variables: list[Variable] = self.model.of_type(Variable)
        self.coordinates: list[Coordinate] = [c for j in self.model.of_type(Joint) for c in j.coordinates]
        self.coordinates += self.variables

    @cached_property
    def _constraints(self) -> ca.Function:
        eq = self.eq
        return ca.Function(
            "constraints", [eq.t, eq.q, eq.v, eq.z, eq.p], [eq.position, eq.velocity, eq.jacobian], {"cse": True}
        )

    @cached_property
    def _measures(self) -> ca.Function:
        eq = self.eq
        values = ca.vertcat(*(eq.outputs[c.name][1] for c in self.coordinates))
        rates = ca.vertcat(*(eq.outputs[f"{c.name}.rate"][1] for c in self.coordinates))
        return ca.Function("measures", [eq.t, eq.q, eq.v, eq.z, eq.p], [values, rates, ca.jacobian(rates, eq.v)])

    @cached_property
    def _retract(self) -> ca.Function:
        step = SX.sym("step", self.eq.v.numel())
        return ca.Function("retract", [self.eq.q, step], [self.eq.retract(self.eq.q, step)])

    def constraints(
        self, q: np.ndarray, v: np.ndarray, z: np.ndarray, *, trial: bool = False
    ) -> tuple[np.ndarray, np.ndarray, ca.DM]:
        """Φ, A v − b, A (sparse); trial: numbers that are not finite are no error, as a search may go too far."""
        found, speeds, A = self._constraints(self.t, q, v, z, self.p)
        position, velocity = np.array(found).ravel(), np.array(speeds).ravel()
        if not trial:
            self._refuse_nonfinite(position, velocity, A)
        return position, velocity, A

    def _refuse_nonfinite(self, position: np.ndarray, velocity: np.ndarray, A: ca.DM) -> None:
        rows = [np.flatnonzero(~np.isfinite(values)) for values in (position, velocity)]
        rows.append(np.array(A.row(), dtype=int)[~np.isfinite(np.array(A.nonzeros()))])
        for k in np.concatenate(rows).tolist()[:1]:
            raise NotFinite(
                f"its condition ({self.eq.rows[k].direction}) is not a finite number at t = {self.t:g} s.",
                component=self.eq.rows[k].owner,
                remedy="Look for numbers, parameters, inputs or functions of it that are NaN, infinite, or divide by "
                "zero.",
            )

    def dynamics(self, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M, f, γ."""
        eq = self.eq
        f = ca.Function("dynamics", [eq.t, eq.q, eq.v, eq.z, eq.p], [ca.densify(eq.mass), eq.force, eq.gamma])
        M, force, gamma = f(self.t, q, v, z, self.p)
        if eq.explicit:  # solved already: f = M v̇, and no multiplier is needed
            force = M @ force
        return np.array(M), np.array(force).ravel(), np.array(gamma).ravel()

    def measures(self, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, ca.DM]:
        """Joint coordinates, their rates, ∂rates/∂v."""
        values, rates, B = self._measures(self.t, q, v, z, self.p)
        return np.array(values).ravel(), np.array(rates).ravel(), B

    def retract(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        return np.array(self._retract(q, step)).ravel()

    @cached_property
    def units(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Natural unit of each row, of each speed, and of each joint coordinate: a length [m], or 1."""
        eq = self.eq
        rows = np.array(eq.order.size) if eq.order is not None else np.ones(len(eq.rows))
        length = length_of(self.model)
        return rows, eq.steps, np.array([length if c.unit == "m" else 1.0 for c in self.coordinates])

    def pose(self, body: Any, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(R, p) of a body (or the ground) at absolute coordinates q."""
        if body not in self.bodies:
            return np.eye(3), np.zeros(3)
        i = self.bodies.index(body)
        if self.model.is_planar:
            c, s = np.cos(q[3 * i + 2]), np.sin(q[3 * i + 2])
            return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]), np.array([*q[3 * i : 3 * i + 2], 0.0])
        e = ca.DM(q[7 * i + 3 : 7 * i + 7])
        return np.array(ca.DM(rotations.from_quaternion(e))), q[7 * i : 7 * i + 3]

    def value(self, expression: Any) -> np.ndarray:
        """The number(s) behind a user's expression of parameters and inputs."""
        if not isinstance(expression, SX):
            return np.asarray(expression, dtype=float)
        (expression,) = in_time([expression], self.model.courses)
        expression = ca.substitute(expression, self.eq.t, SX(self.t))
        strangers = [s.name() for s in ca.symvar(expression) if not ca.depends_on(self.eq.p, s)]
        if strangers:
            raise ModelError(
                f"a start value depends on {', '.join(strangers)}.",
                component=self.model.name,
                remedy="It may depend on parameters and inputs of this model.",
            )
        f = ca.Function("value", [self.eq.p], [expression])
        return np.array(f(self.p))

    def scalar(self, expression: Any) -> float:
        return float(self.value(expression).item())

    def _anywhere(self) -> SX:
        """Some q and z: all bodies in the origin, unturned."""
        each = [0.0] * 3 if self.model.is_planar else [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
        q = each * len(self.bodies)
        return SX(ca.DM(q + [0.0] * (self.eq.q.numel() + self.eq.z.numel() - len(q))))

    def mass(self) -> np.ndarray:
        """Diagonal of the mass matrix, a metric: coordinates without mass weigh as much as the others on average."""
        diagonal = ca.densify(ca.diag(self.eq.mass))
        # What networks add may depend on the position: as a metric, any will do.
        found = self.value(ca.substitute(diagonal, ca.vertcat(self.eq.q, self.eq.z), self._anywhere())).ravel()
        return np.where(found > 0, found, found.sum() / max(np.count_nonzero(found), 1) or 1.0)
