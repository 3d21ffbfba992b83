"""A model with its drives as machine code: constraint and drive rows at position, speed and acceleration level.

Rows are those of the model, Φ(t, q) = 0 and A v = b, followed by one per drive, x(t, q) − d(t) = 0. Everything is
evaluated for many samples at once; arrays have one row per sample.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from linkwork.analyses.kinematics.drives import Drive, Driven, Path, paths_of
from linkwork.analyses.kinematics.samples import Samples
from linkwork.core.equations import At, Equations
from linkwork.core.pieces import OverTime
from linkwork.core.signal import Inputs
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model


@dataclass
class Mechanism:
    """`p` = parameters then inputs; `signals`: those inputs that vary over time, by their index."""

    model: Model
    eq: Equations
    drives: Sequence[Drive]
    p: np.ndarray
    signals: Mapping[int, OverTime] = field(default_factory=dict)
    inputs: Inputs | None = None
    """The same by name, as the user gave them."""
    last: float = np.inf
    """Just before the end [s], where signals may end too; later times are taken for it."""

    def __post_init__(self) -> None:
        key = ("mechanism", bool(self.eq.constraints.softness), *(drive.driven.name for drive in self.drives))
        self._functions: dict[Hashable, Any] = self.model.memory.setdefault(key, {})
        self._samples = Samples(self.model.courses, self.signals, self.eq.symbols.inputs.numel())

    @property
    def seconds(self) -> float:
        """Spent on compiling."""
        return self._samples.seconds

    # Sizes and names -------------------------------------------------------------------------------------------------

    @property
    def speeds(self) -> int:
        return self.eq.v.numel()

    @property
    def driven(self) -> list[Driven]:
        return [drive.driven for drive in self.drives]

    @cached_property
    def z_names(self) -> list[str]:
        return self.eq.z_names

    @cached_property
    def turns(self) -> list[int]:
        """Those of z that count the full turns of a coordinate: its channel is more than the state itself."""
        outputs = self.eq.observation.outputs
        counting = [n in outputs and f"{n}.rate" in outputs and not outputs[n][1].is_symbolic() for n in self.z_names]
        return [k for k, counts in enumerate(counting) if counts]

    def row_names(self) -> list[str]:
        """Whom each row of the speed level belongs to."""
        return [row.owner for row in self.eq.constraints.rows] + [driven.name for driven in self.driven]

    # Natural units ---------------------------------------------------------------------------------------------------

    @cached_property
    def steps(self) -> np.ndarray:
        """Of displacements along each speed: lengths of the mechanism [m], or 1 (rad)."""
        return self.eq.states.steps

    @cached_property
    def units(self) -> np.ndarray:
        """Of each row of the speed level."""
        return self.eq.states.row_units(ca.vertcat(self.eq.constraints.jacobian, ca.jacobian(self._rates, self.eq.v)))

    @cached_property
    def place_units(self) -> np.ndarray:
        """Of each row of the position level."""
        return np.concatenate([self.units[: self.eq.constraints.position.numel()], self.drive_units])

    @cached_property
    def drive_units(self) -> np.ndarray:
        return self.units[len(self.units) - len(self.drives) :]

    # Levels ----------------------------------------------------------------------------------------------------------

    def paths(self, t: np.ndarray) -> np.ndarray:
        """Values, rates and accelerations that the drives ask for, shape (3, samples, drives)."""
        return self._paths(np.minimum(t, self.last))

    def at(self, t: np.ndarray) -> At:
        """The equations as numbers at these times, inputs as they are then."""
        return At(self.eq, self.p, np.minimum(t, self.last), self._samples, self._functions)

    def place(self, t: np.ndarray, q: np.ndarray, z: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Φ and x − d, and their Jacobian in the space of v, in natural units."""
        eq, rows = self.eq, self.eq.constraints

        def build() -> tuple[list[SX], list[SX]]:
            goal = SX.sym("d", len(self.drives))
            J = ca.vertcat(rows.jacobian[: rows.position.numel(), :], ca.jacobian(self._rates, eq.v))
            return [eq.q, eq.z, goal], [ca.vertcat(rows.position, self._values - goal), J]

        r, J = self.at(t).call("place", build, q, z, d)
        return r[:, :, 0] / self.place_units, J * self.steps / self.place_units[:, None]

    def speed_rows(self, t: np.ndarray, q: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """J = [A; ∂ẋ/∂v] and what J v must be, but for the drives' own rates; v and rows in natural units."""
        eq, rows = self.eq, self.eq.constraints

        def build() -> tuple[list[SX], list[SX]]:
            needed = -ca.substitute(ca.vertcat(rows.velocity, self._rates), eq.v, SX.zeros(eq.v.numel(), 1))
            return [eq.q, eq.z], [needed, ca.vertcat(rows.jacobian, ca.jacobian(self._rates, eq.v))]

        needed, J = self.at(t).call("speed", build, q, z)
        return J * self.steps / self.units[:, None], needed[:, :, 0] / self.units

    def acceleration_rows(self, t: np.ndarray, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> np.ndarray:
        """What J v̇ must be, but for the drives' own accelerations, in natural units."""
        eq = self.eq

        def build() -> tuple[list[SX], SX]:
            drift = ca.jtimes(self._rates, ca.vertcat(eq.q, eq.t), ca.vertcat(eq.motion.qdot, 1))
            return [eq.q, eq.v, eq.z], ca.vertcat(eq.constraints.gamma, -drift if self.drives else SX(0, 1))

        return self.call("acceleration", build, t, q, v, z) / self.units

    def move(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """q moved by small displacements in the space of v, in natural units."""
        return self.at(np.zeros(len(q))).retract(q, step * self.steps)

    def flow(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q̇ and q̈."""
        eq, qdot = self.eq, self.eq.motion.qdot

        def build() -> tuple[list[SX], SX]:
            second = ca.jtimes(qdot, ca.vertcat(eq.q, eq.v), ca.vertcat(qdot, eq.a))
            return [eq.q, eq.v, eq.a], ca.vertcat(qdot, second)

        first, second = np.hsplit(self.call("flow", build, np.zeros(len(q)), q, v, a), 2)
        return first, second

    def counted(self, t: np.ndarray, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """z with every turn counter at its coordinate's value, and the rates of those."""
        if not self.turns:
            return z, np.zeros((len(q), 0))
        eq, names = self.eq, [self.z_names[k] for k in self.turns]

        def build() -> tuple[list[SX], SX]:
            channels = [eq.observation.outputs[n + end][1] for end in ("", ".rate") for n in names]
            return [eq.q, eq.v, eq.z], ca.vertcat(*channels)

        values, rates = np.hsplit(self.call("turns", build, t, q, v, z), 2)
        z = z.copy()
        z[:, self.turns] = values
        return z, rates

    def call(
        self, name: str, build: Callable[[], tuple[list[SX], SX]], t: np.ndarray, *parts: np.ndarray
    ) -> np.ndarray:
        """The column of `build()` → (arguments, column) for every sample."""

        def made() -> tuple[list[SX], list[SX]]:
            arguments, column = build()
            return arguments, [ca.densify(column)]

        return self.at(t).call(name, made, *parts)[0][:, :, 0]

    @cached_property
    def _paths(self) -> Path:
        return paths_of(self.drives, self.eq, self.p, self.signals)

    @cached_property
    def _values(self) -> SX:
        return ca.vertcat(SX(0, 1), *(driven.value for driven in self.driven))

    @cached_property
    def _rates(self) -> SX:
        return ca.vertcat(SX(0, 1), *(driven.rate for driven in self.driven))
