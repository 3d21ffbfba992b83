"""A model's absolute equations as numbers: constraint residuals, Jacobians and coordinates at a given state."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.assembly.own_joints import is_foreign
from linkwork.assembly.own_symbols import check_symbols
from linkwork.assembly.size import check_size
from linkwork.components.bodies import Body, Solid
from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint
from linkwork.components.variables import Variable
from linkwork.contact.rows import with_contacts
from linkwork.core.activity import begin
from linkwork.core.courses import in_time
from linkwork.core.equations import At, Equations
from linkwork.core.errors import ModelError
from linkwork.core.pieces import OverTime
from linkwork.formulations import formulate, is_own
from linkwork.formulations.body_coordinates import body_coordinates
from linkwork.formulations.joined import TogetherOnly
from linkwork.formulations.order import chosen_by, length_of, structure_of
from linkwork.geometry import SX, Number, Pose
from linkwork.recall.recall import recalled

if TYPE_CHECKING:
    from linkwork.core.model import Model


def absolute_equations(model: Model) -> Equations:
    """The model's absolute equations, kept until the model changes."""
    key = "absolute", structure_of(model)
    if key not in model.memory:
        own = is_own("absolute") and is_own("acausal")
        model.memory[key] = recalled(model, (*key, chosen_by(model)), _derived) if own else _derived(model)
    return model.memory[key]


def _derived(model: Model) -> Equations:
    check_size(model)
    begin("deriving the equations")
    try:
        eq = formulate(model, "absolute")
    except TogetherOnly:
        eq = formulate(model, "acausal")  # in the same coordinates
    check_symbols(model, with_contacts(eq))
    return eq


class PartsOf:
    """What of a model appears in its absolute equations, in the order of these."""

    def __init__(self, model: Model):
        self.bodies: list[Body] = model.of_type(Body)
        self.variables: list[Variable] = model.of_type(Variable)
        self.coordinates: list[Coordinate] = [c for j in model.of_type(Joint) for c in j.coordinates]
        self.coordinates += self.variables
        self.names = [c.name for c in self.coordinates]
        """Of the coordinates."""
        self.body_names = [b.name for b in self.bodies]
        self.body_places = {name: i for i, name in enumerate(self.body_names)}
        self.places = {id(body): i for i, body in enumerate(self.bodies)}
        self.explicit: list[Joint] = [joint for joint in model.of_type(Joint) if joint.explicit]
        self.foreign: list[Joint] = [joint for joint in self.explicit if is_foreign(joint)]


class Numbers(At):
    """A model's absolute equations as numbers, with what the model itself says; p = parameters then inputs.

    signals: what drives inputs, by name; others stay where they are in p.
    """

    def __init__(self, model: Model, p: np.ndarray, t: float = 0.0, signals: Mapping[str, OverTime] | None = None):
        eq = absolute_equations(model)
        super().__init__(eq, model.p_at(eq, p, t, signals), t)
        self.model = model
        self.of_body = body_coordinates(model.is_planar)
        self.space = self.of_body.space
        if "parts of the model" not in eq.memory:
            eq.memory["parts of the model"] = PartsOf(model)
        parts: PartsOf = eq.memory["parts of the model"]
        self.bodies, self.variables, self.coordinates = parts.bodies, parts.variables, parts.coordinates
        self.names, self.body_names, self._places = parts.names, parts.body_names, parts.places
        self.body_places, self.explicit, self.foreign = parts.body_places, parts.explicit, parts.foreign

    def measures(self, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, ca.DM]:
        """Joint coordinates, their rates, ∂rates/∂v."""
        eq = self.eq
        values, rates, B = self.call("measures", lambda: ([eq.q, eq.v, eq.z], [*self.read_back]), q, v, z)
        return np.array(values).ravel(), np.array(rates).ravel(), B

    @property
    def read_back(self) -> tuple[SX, SX, SX]:
        """Joint coordinates, their rates, ∂rates/∂v, in symbols."""
        eq, outputs = self.eq, self.eq.observation.outputs
        if "read back" not in eq.memory:
            values = ca.vertcat(SX(0, 1), *(outputs[c.name][1] for c in self.coordinates))
            rates = ca.vertcat(SX(0, 1), *(outputs[f"{c.name}.rate"][1] for c in self.coordinates))
            eq.memory["read back"] = values, rates, ca.jacobian(rates, eq.v)
        parts: tuple[SX, SX, SX] = eq.memory["read back"]
        return parts

    @cached_property
    def units(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Natural unit of each row, of each speed, and of each joint coordinate: a length [m], or 1."""
        eq = self.eq
        rows = np.array(eq.motion.order.size) if eq.motion.order is not None else np.ones(len(eq.constraints.rows))
        length = length_of(self.model)
        return rows, eq.states.steps, np.array([length if c.unit == "m" else 1.0 for c in self.coordinates])

    def pose(self, body: Solid, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(R, p) of a body (or the ground) at absolute coordinates q."""
        i = self._places.get(id(body))
        if i is None:
            return np.eye(3), np.zeros(3)
        return self.of_body.numbers(self.of_body.of(q, i))

    def symbolic_pose(self, body: Solid) -> Pose:
        """The pose of a body (or the ground) as an expression of q."""
        i = self._places.get(id(body))
        if i is None:
            return Pose(SX(ca.DM.zeros(3)), SX(ca.DM.eye(3)), self.space.turn(SX(0)))
        known: dict[int, Pose] = self.eq.memory.setdefault("poses", {})
        if i not in known:
            known[i] = self.of_body.pose(self.of_body.of(self.eq.q, i))
        return known[i]

    def value(self, expression: Number | np.ndarray) -> np.ndarray:
        """The number(s) behind a user's expression of parameters and inputs."""
        if not isinstance(expression, SX):
            return np.asarray(expression, dtype=float)
        if expression.is_constant():
            return np.array(ca.DM(expression))
        f = ca.Function("value", [self.eq.t, self.eq.p], [self.known(expression)])
        return np.array(f(self.t, self.p))

    def known(self, expression: SX, *own: SX) -> SX:
        """A user's expression, if nothing is in it but time, parameters, inputs, and symbols of our own."""
        (expression,) = in_time([expression], self.model.courses)
        known = ca.vertcat(self.eq.t, self.eq.p, *own)
        strangers = [s.name() for s in ca.symvar(expression) if not ca.depends_on(known, s)]
        if strangers:
            raise ModelError(
                f"a start value depends on {', '.join(strangers)}.",
                component=self.model.name,
                remedy="It may depend on parameters and inputs of this model.",
            )
        return expression

    def scalar(self, expression: Number | np.ndarray) -> float:
        return float(self.value(expression).item())

    def varied_inertias(self) -> list[tuple[Body, float, np.ndarray]]:
        """Mass [kg] and inertia [kg·m²] of the bodies of which either hangs on parameters, all in one call."""
        bodies = [b for b in self.bodies if isinstance(b.mass, SX) or isinstance(b.inertia, SX)]
        if not bodies:
            return []
        each = [b.inertia if isinstance(b.inertia, SX) else np.asarray(b.inertia, dtype=float) for b in bodies]

        def build() -> tuple[list[SX], list[SX]]:
            parts = [x if isinstance(x, SX) else SX(ca.DM(x)) for x in each]
            values = [ca.vec(ca.densify(self.known(SX(x)))) for x in (*(b.mass for b in bodies), *parts)]
            return [], [ca.vertcat(SX(0, 1), *values)]

        flat = np.array(self.call("inertias", build)[0]).ravel()
        sizes = [int(np.prod(x.shape)) for x in each]
        split = np.split(flat[len(bodies) :], np.cumsum(sizes)[:-1])
        inertias = [np.squeeze(part.reshape(x.shape, order="F")) for part, x in zip(split, each, strict=True)]
        return list(zip(bodies, flat[: len(bodies)].tolist(), inertias, strict=True))

    def _anywhere(self) -> SX:
        """Some q and z: all bodies in the origin, unturned."""
        q = [*self.of_body.origin] * len(self.bodies)
        return SX(ca.DM(q + [0.0] * (self.eq.q.numel() + self.eq.z.numel() - len(q))))

    def mass(self) -> np.ndarray:
        """Diagonal of the mass matrix, a metric: coordinates without mass weigh as much as the others on average."""
        diagonal = ca.densify(ca.diag(self.eq.motion.mass))
        # What networks add may depend on the position: as a metric, any will do.
        masses = self.value(ca.substitute(diagonal, ca.vertcat(self.eq.q, self.eq.z), self._anywhere())).ravel()
        return np.where(masses > 0, masses, masses.sum() / max(np.count_nonzero(masses), 1) or 1.0)
