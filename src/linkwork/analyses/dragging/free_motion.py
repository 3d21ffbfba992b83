"""A mechanism without its drives as numbers: where its bodies are, how it can move on, and steps along that.

A step follows the tangent of what the joints allow and is then closed. It counts only if the closing was a small
correction, the mechanism goes on in the direction in which it went, and rows and free directions keep their
orientation: along a branch the determinant of both together has one sign; where it changes, branches were crossed or
come close.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.algebra.closing import POSITION_TOLERANCE, close
from linkwork.algebra.rank import independent_rows, null_space, unit_rows
from linkwork.analyses.kinematics.drives import coordinate_names
from linkwork.analyses.kinematics.mechanism import Mechanism
from linkwork.assembly.assemble import kept_assembly
from linkwork.assembly.numbers import absolute_equations
from linkwork.components.bodies import Body
from linkwork.core.errors import ModelError, UnknownName
from linkwork.formulations.body_coordinates import body_coordinates
from linkwork.geometry import SX, as_vector
from linkwork.simulation.arguments import parameters_of

if TYPE_CHECKING:
    from linkwork.core.model import Model

ENOUGH = 1e-3 * POSITION_TOLERANCE
"""Residual [lengths of the mechanism, rad] at which a position is closed well enough."""
CORRECTION = 0.3
"""How far closing may carry a position, as a share of the step before it."""
SAME_WAY = 0.9
"""Cosine of the angle by which the tangent may turn in one step."""
NECK = 2e-3
"""Length of a step [natural units] that resolves where branches come close; nearer ones are taken to meet."""
DRIVEN = ("motion", "speed", "acceleration")
"""Rows of drives, by their direction."""


@dataclass(frozen=True)
class Position:
    """Coordinates q, states z (turn counters), the rows of all joints there, and the directions that they leave free,
    columns; in natural units."""

    q: np.ndarray
    z: np.ndarray
    rows: np.ndarray
    free: np.ndarray

    @cached_property
    def independent(self) -> list[int]:
        """Rows that say something new."""
        count = len(self.rows)
        return list(range(count)) if count + self.free.shape[1] == self.free.shape[0] else independent_rows(self.rows)


class FreeMotion:
    """A model whose motion laws let go; t = 0, parameters and inputs as they are."""

    def __init__(self, model: Model, parameters: Mapping[str, float] | None = None):
        self.model = model
        chosen = parameters_of(model, parameters)
        eq = absolute_equations(model)
        if not eq.v.numel():
            raise ModelError("nothing in it can move.", component=model.name, remedy="Draw or add a body.")
        self.mechanism = Mechanism(model, eq, [], model.p_at(eq, chosen))
        rows = eq.constraints.rows
        places = eq.constraints.position.numel()
        self._kept = [k for k, row in enumerate(rows) if row.direction not in DRIVEN]
        self._kept_places = [k for k in self._kept if k < places]
        self.driven = list(dict.fromkeys(row.owner for row in rows if row.direction in DRIVEN))
        """Coordinates that a motion law moves: let go here."""
        self.of_body = body_coordinates(model.is_planar)
        self.bodies: list[Body] = model.of_type(Body)
        self.length = eq.states.length
        self._now = np.zeros(1)
        state = kept_assembly(model, chosen, None, strict=True).state
        q, _, z = np.split(state, [eq.q.numel(), eq.q.numel() + eq.v.numel()])
        self._place(q, z)  # compiled now, not with the first step
        self._counted(self._moved(q, np.zeros(eq.v.numel())), z)
        self.start = self.at(q, z)

    # Where it is -----------------------------------------------------------------------------------------------------

    def at(self, q: np.ndarray, z: np.ndarray) -> Position:
        """A position on the constraints, with what it leaves free."""
        rows = unit_rows(self._speed_rows(q, z))
        return Position(q, z, rows, null_space(rows))

    def poses(self, q: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """(R, p) of every body."""
        return {b.name: self.of_body.numbers(self.of_body.of(q, i)) for i, b in enumerate(self.bodies)}

    def coordinates(self, q: np.ndarray) -> dict[str, list[float]]:
        """x, y, angle (plane) or x, y, z, q0 … q3 (space) of every body."""
        return {b.name: self.of_body.of(q, i).tolist() for i, b in enumerate(self.bodies)}

    def values(self, q: np.ndarray, z: np.ndarray) -> dict[str, float]:
        """Of every coordinate of a joint."""
        eq = self.mechanism.eq
        names = coordinate_names(eq)
        y = np.concatenate([q, np.zeros(eq.v.numel()), z])
        values = eq.at(self.mechanism.p).values(y, *(eq.observation.outputs[name][1] for name in names))
        return {name: float(value.item()) for name, value in zip(names, values, strict=True)}

    def number_of(self, body: str) -> int:
        """Which of the bodies it is."""
        names = [b.name for b in self.bodies]
        if body not in names:
            raise UnknownName("body", body, names, component=self.model.name)
        return names.index(body)

    def point(self, q: np.ndarray, number: int, local: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where a point (3,) of a body is in the world [m], and its derivative by displacements in natural units."""
        eq, of = self.mechanism.eq, self.of_body

        def build() -> tuple[list[SX], list[SX]]:
            own = SX.sym("local", 3)
            pose = of.pose(of.of(eq.q, number))
            p = pose.p + pose.R @ own
            by_v = ca.jacobian(p, eq.q) @ ca.jacobian(eq.motion.qdot, eq.v)
            return [eq.q, own], [ca.densify(as_vector(p)), by_v]

        p, J = self.mechanism.at(self._now).call(("dragged", number), build, q[None], local[None])
        return p[0, :, 0], J[0] * self.mechanism.steps

    # How it goes on --------------------------------------------------------------------------------------------------

    def advanced(self, here: Position, step: np.ndarray) -> Position | None:
        """The position after a step [natural units] along the free directions, or after a part of it where branches
        come close; None where the branch could be lost."""
        there = self._tried(here, step)
        if there is None or not _turned_over(here, there):
            return there
        low, high, short = 0.0, 1.0, here
        while (high - low) * float(np.linalg.norm(step)) > NECK:
            middle = (low + high) / 2
            tried = self._tried(here, middle * step)
            if tried is None or _turned_over(here, tried):
                high = middle
            else:
                low, short = middle, tried
        # Next to a place where branches meet it goes straight on.
        return there if low * float(np.linalg.norm(step)) <= NECK else short

    def _tried(self, here: Position, step: np.ndarray) -> Position | None:
        """The position after a whole step, wherever that leads."""
        size = float(np.linalg.norm(step))
        predicted = self._moved(here.q, step)
        q, left = close(lambda q: self._place(q, here.z), self._moved, predicted, enough=ENOUGH)
        if not np.abs(left).max(initial=0.0) <= POSITION_TOLERANCE:
            return None
        if np.abs((q - predicted) / self._unit).max(initial=0.0) > CORRECTION * size:
            return None
        z = self._counted(q, here.z)
        there = self.at(q, z)
        if np.linalg.norm(there.free.T @ step) < SAME_WAY * size:
            return None
        if there.free.shape[1] > here.free.shape[1]:  # branches meet here: go on along the one that it came on
            return replace(there, free=_nearest(there.free, here.free))
        return there

    def _moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        return self.mechanism.move(q[None], step[None])[0]

    def _place(self, q: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        r, J = self.mechanism.place(self._now, q[None], z[None], np.zeros((1, 0)))
        return r[0, self._kept_places], J[0, self._kept_places]

    def _speed_rows(self, q: np.ndarray, z: np.ndarray) -> np.ndarray:
        J, _ = self.mechanism.speed_rows(self._now, q[None], z[None])
        return J[0, self._kept]

    def _counted(self, q: np.ndarray, z: np.ndarray) -> np.ndarray:
        rest = np.zeros((1, self.mechanism.speeds))
        return self.mechanism.counted(self._now, q[None], rest, z[None])[0][0]

    @cached_property
    def _unit(self) -> np.ndarray:
        """Of each coordinate."""
        return self.mechanism.eq.states.scale[: self.mechanism.eq.q.numel()]


def _turned_over(here: Position, there: Position) -> bool:
    """Whether rows and free directions have changed their orientation on the way."""
    if here.free.shape != there.free.shape:
        return False
    kept = here.independent
    if len(kept) + here.free.shape[1] != here.free.shape[0]:
        return False
    signs = [np.linalg.slogdet(np.vstack([at.rows[kept], at.free.T]))[0] for at in (here, there)]
    return bool(signs[0] * signs[1] * np.linalg.slogdet(there.free.T @ here.free)[0] < 0)


def _nearest(free: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Those of the free directions that come nearest to the wanted ones, orthonormal."""
    basis, _ = np.linalg.qr(free.T @ wanted)
    return free @ basis
