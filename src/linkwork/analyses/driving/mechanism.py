"""A model with its drives as machine code: constraint and drive rows at position, speed and acceleration level.

Rows are those of the model, Φ(t, q) = 0 and A v = b, followed by one per drive, x(t, q) − d(t) = 0. Everything is
evaluated for many samples at once; arrays have one row per sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from linkwork.analyses.driving.drives import Drive, Driven, Path, paths_of
from linkwork.compile.native import CompiledFunction, compile_function
from linkwork.core.courses import in_time
from linkwork.core.equations import Equations
from linkwork.geometry import SX
from linkwork.integrate import evaluate

if TYPE_CHECKING:
    from linkwork.core.model import Model


@dataclass
class Mechanism:
    """`p` = parameters then inputs; `signals`: those inputs that vary over time, by their index."""

    model: Model
    eq: Equations
    drives: Sequence[Drive]
    p: np.ndarray
    signals: Mapping[int, Any] = field(default_factory=dict)
    inputs: Any = None
    """The same by name, as the user gave them."""
    last: float = np.inf
    """Just before the end [s], where signals may end too; later times are taken for it."""
    seconds: float = 0.0
    """Spent on compiling."""

    def __post_init__(self) -> None:
        key = ("mechanism", bool(self.eq.softness), *(drive.driven.name for drive in self.drives))
        self._code: dict[str, CompiledFunction | None] = self.model.memory.setdefault(key, {})

    # Sizes and names -------------------------------------------------------------------------------------------------

    @property
    def speeds(self) -> int:
        return self.eq.v.numel()

    @property
    def driven(self) -> list[Driven]:
        return [drive.driven for drive in self.drives]

    @cached_property
    def z_names(self) -> list[str]:
        return self.eq.state_names[self.eq.q.numel() + self.speeds :]

    @cached_property
    def turns(self) -> list[int]:
        """Those of z that count the full turns of a coordinate: its channel is more than the state itself."""
        outputs = self.eq.outputs
        counting = [n in outputs and f"{n}.rate" in outputs and not outputs[n][1].is_symbolic() for n in self.z_names]
        return [k for k, counts in enumerate(counting) if counts]

    def row_names(self) -> list[str]:
        """Whom each row of the speed level belongs to."""
        return [row.owner for row in self.eq.rows] + [driven.name for driven in self.driven]

    # Levels ----------------------------------------------------------------------------------------------------------

    def paths(self, t: np.ndarray) -> np.ndarray:
        """Values, rates and accelerations that the drives ask for, shape (3, samples, drives)."""
        return self._paths(np.minimum(t, self.last))

    def place(self, t: np.ndarray, q: np.ndarray, z: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Φ and x − d, and their Jacobian in the space of v."""
        eq = self.eq
        rows = eq.position.numel() + len(self.drives)
        out = self.run("place", t, q, z, d)
        return out[:, :rows], self._matrix("place", out[:, rows:])

    def speed_rows(self, t: np.ndarray, q: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """J = [A; ∂ẋ/∂v] and what J v must be, but for the drives' own rates."""
        rows = len(self.eq.rows) + len(self.drives)
        out = self.run("speed", t, q, z)
        return self._matrix("speed", out[:, rows:]), out[:, :rows]

    def acceleration_rows(self, t: np.ndarray, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> np.ndarray:
        """What J v̇ must be, but for the drives' own accelerations."""
        return self.run("acceleration", t, q, v, z)

    def move(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """q moved by small displacements in the space of v."""
        return self.run("move", np.zeros(len(q)), q, step)

    def flow(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q̇ and q̈."""
        first, second = np.hsplit(self.run("flow", np.zeros(len(q)), q, v, a), 2)
        return first, second

    def counted(self, t: np.ndarray, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """z with every turn counter at its coordinate's value, and the rates of those."""
        if not self.turns:
            return z, np.zeros((len(q), 0))
        values, rates = np.hsplit(self.run("turns", t, q, v, z), 2)
        z = z.copy()
        z[:, self.turns] = values
        return z, rates

    # Machine code ----------------------------------------------------------------------------------------------------

    def run(self, name: str, t: np.ndarray, *parts: np.ndarray) -> np.ndarray:
        """A function of the table below for every sample."""
        return self.call(name, self._builders[name], t, *parts)

    def call(self, name: str, build: Any, t: np.ndarray, *parts: np.ndarray) -> np.ndarray:
        """The column of `build()` → (arguments, column) for every sample, inputs as they are then; compiled once."""
        if name not in self._code:
            arguments, column = build()
            self._code[name] = self._compiled(name, arguments, column) if column.numel() else None
        code, t = self._code[name], np.minimum(t, self.last)
        if code is None or not t.size:
            return np.zeros((t.size, 0 if code is None else code.out_sizes[0]))
        if t.size == 1 and not self.signals:  # a fifth of what a run over samples takes to set up
            return code(t[0], np.hstack(parts)[0], self.p)[0][None]
        return evaluate(code, t, np.hstack(parts), self.p, self.signals, inputs=self.eq.inputs.numel())

    def _compiled(self, name: str, arguments: list[SX], column: SX) -> CompiledFunction:
        eq = self.eq
        Y = SX.sym("Y", sum(part.numel() for part in arguments))
        column = ca.substitute(ca.densify(column), ca.vertcat(*arguments), Y)
        (column,) = in_time([column], self.model.courses)
        code = compile_function(ca.Function("samples", [eq.t, Y, eq.p], [column], {"cse": True}), name=name)
        self.seconds += code.seconds
        return code

    @cached_property
    def _paths(self) -> Path:
        return paths_of(self.drives, self.eq, self.p, self.signals)

    @cached_property
    def _builders(self) -> dict[str, Any]:
        eq, driven = self.eq, self.driven
        rest = SX.zeros(eq.v.numel(), 1)
        x, rates = _column([d.value for d in driven]), _column([d.rate for d in driven])

        def place() -> tuple[list[SX], SX]:
            d = SX.sym("d", len(driven))
            return [eq.q, eq.z, d], ca.vertcat(eq.position, x - d, nonzeros(self._jacobians["place"]))

        def speed() -> tuple[list[SX], SX]:
            needed = -ca.substitute(ca.vertcat(eq.velocity, rates), eq.v, rest)
            return [eq.q, eq.z], ca.vertcat(needed, nonzeros(self._jacobians["speed"]))

        def acceleration() -> tuple[list[SX], SX]:
            drift = ca.jtimes(rates, ca.vertcat(eq.q, eq.t), ca.vertcat(eq.qdot, 1)) if driven else SX(0, 1)
            return [eq.q, eq.v, eq.z], ca.vertcat(eq.gamma, -drift)

        def move() -> tuple[list[SX], SX]:
            step = SX.sym("step", eq.v.numel())
            return [eq.q, step], eq.retract(eq.q, step)

        def flow() -> tuple[list[SX], SX]:
            second = ca.jtimes(eq.qdot, ca.vertcat(eq.q, eq.v), ca.vertcat(eq.qdot, eq.a))
            return [eq.q, eq.v, eq.a], ca.vertcat(eq.qdot, second)

        def turns() -> tuple[list[SX], SX]:
            names = [self.z_names[k] for k in self.turns]
            return [eq.q, eq.v, eq.z], ca.vertcat(*(eq.outputs[n + end][1] for end in ("", ".rate") for n in names))

        return {f.__name__: f for f in (place, speed, acceleration, move, flow, turns)}

    @cached_property
    def _jacobians(self) -> dict[str, SX]:
        eq = self.eq
        B = ca.jacobian(_column([d.rate for d in self.driven]), eq.v)
        n = eq.position.numel()
        return {"place": ca.vertcat(eq.jacobian[:n, :], B), "speed": ca.vertcat(eq.jacobian, B)}

    def _matrix(self, name: str, values: np.ndarray) -> np.ndarray:
        return dense(self._jacobians[name], values)


def nonzeros(matrix: SX) -> SX:
    """Those of a symbolic matrix, as a column."""
    return matrix.nz[:]


def dense(matrix: SX, values: np.ndarray) -> np.ndarray:
    """(samples, rows, columns) from the values (samples, …) of the nonzeros of a symbolic matrix."""
    rows, columns = matrix.sparsity().get_triplet()
    full = np.zeros((len(values), *matrix.shape))
    full[:, rows, columns] = values
    return full


def _column(parts: list[SX]) -> SX:
    """A column; none of its parts is still a column."""
    return ca.vertcat(SX(0, 1), *parts)
