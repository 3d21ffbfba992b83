"""Equations as numbers: one counterpart for all analyses, interpreted or compiled, for one state or many.

y = [q, v, z]. Nothing is derived before it is asked for, and nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import casadi as ca
import numpy as np

from linkwork.algebra import closing
from linkwork.algebra.constrained import Dynamics
from linkwork.algebra.lapack import NotFinite
from linkwork.algebra.rank import Motions
from linkwork.core.errors import AssemblyError
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.equations.equations import Equations

Build = Callable[[], tuple[Sequence[SX], Sequence[SX]]]
"""→ (arguments beside t and p, results)."""


Key: TypeAlias = str | tuple[Hashable, ...]
Made: TypeAlias = Any
"""A function as its evaluator makes them."""
Numbers: TypeAlias = Any
"""A result: a matrix of CasADi, sparse where it is, or an array with one for each state."""


Keep: TypeAlias = Callable[[Key, Callable[[], ca.Function]], ca.Function]
"""Gives a function of this name, and has it made only where it was never made before."""
KEEP = "keep"
"""Under which equations remember who keeps functions for them, if somebody does."""
FOLLOWING = ("measures", "surface", "told")
"""Functions that follow from the equations and their model alone, and take derivatives to make."""


class Evaluator(Protocol):
    """How functions are made, and called: f(t, *parts, p)."""

    def make(self, name: str, arguments: list[SX], results: list[SX]) -> Made: ...

    def call(self, made: Made, t: Any, parts: Sequence[np.ndarray], p: np.ndarray) -> list[Numbers]: ...

    def arrays(self, made: Made, t: Any, parts: Sequence[np.ndarray], p: np.ndarray) -> list[np.ndarray]: ...


class Interpreter:
    """One state at a time, ready at once. Results are matrices of CasADi, sparse where they are."""

    def make(self, name: str, arguments: list[SX], results: list[SX]) -> ca.Function:
        return ca.Function("numbers", arguments, results)

    def call(self, made: ca.Function, t: float, parts: Sequence[np.ndarray], p: np.ndarray) -> list[ca.DM]:
        return made.call([ca.DM(t), *(ca.DM(part) for part in parts), ca.DM(p)])

    def arrays(self, made: ca.Function, t: float, parts: Sequence[np.ndarray], p: np.ndarray) -> list[np.ndarray]:
        """The same as arrays, written where they stay: CasADi hands a matrix over number by number, which takes longer
        than to compute it."""
        given = [np.array(part, dtype=float).ravel() for part in (t, *parts, p)]
        shapes = [made.size_out(i) for i in range(made.n_out())]
        alike = all(part.size == made.nnz_in(i) for i, part in enumerate(given))
        if not alike or any(made.nnz_out(i) != m * n for i, (m, n) in enumerate(shapes)):
            return [np.array(x) for x in self.call(made, t, parts, p)]
        results = [np.zeros(m * n) for m, n in shapes]
        buffer: Any  # its declaration counts the two numbers of a memoryview as two arguments
        buffer, evaluate = made.buffer()
        for i, part in enumerate(given):
            if part.size:
                buffer.set_arg(i, part.data)
        for i, part in enumerate(results):
            if part.size:
                buffer.set_res(i, part.data)
        evaluate()
        return [result.reshape(shape, order="F") for result, shape in zip(results, shapes, strict=True)]


class At:
    """The equations at time t for parameters and inputs p.

    functions: those that were made, by key; default: kept with the equations.
    """

    def __init__(
        self,
        eq: Equations,
        p: np.ndarray,
        t: Any = 0.0,
        evaluator: Evaluator | None = None,
        functions: dict[Hashable, Made] | None = None,
    ):
        self.eq, self.p, self.t = eq, p, t
        self.evaluator: Evaluator = Interpreter() if evaluator is None else evaluator
        self.functions = eq.memory.setdefault("functions", {}) if functions is None else functions
        self.nq, self.nv = eq.layout.q, eq.layout.v

    def split(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, v, z."""
        q, v, z = np.split(y, [self.nq, self.nq + self.nv], axis=-1)
        return q, v, z

    def call(self, key: Key, build: Build, *parts: np.ndarray) -> list[Numbers]:
        """What `build` says at these parts, its arguments."""
        return self.evaluator.call(self._made(key, build), self.t, parts, self.p)

    def arrays(self, key: Key, build: Build, *parts: np.ndarray) -> list[np.ndarray]:
        """The same, of results that are not sparse."""
        return self.evaluator.arrays(self._made(key, build), self.t, parts, self.p)

    def _made(self, key: Key, build: Build) -> Made:
        if key not in self.functions:
            keep: Keep | None = self.eq.memory.get(KEEP) if isinstance(self.evaluator, Interpreter) else None

            def make() -> Made:
                arguments, results = build()
                name = key if isinstance(key, str) else str(key[0])
                return self.evaluator.make(name, [self.eq.t, *arguments, self.eq.p], list(results))

            self.functions[key] = keep(key, make) if keep is not None and key in FOLLOWING else make()
        return self.functions[key]

    def values(self, y: np.ndarray, *expressions: SX) -> list[np.ndarray]:
        """Of some expressions of t, y and p, made for this once."""
        eq = self.eq
        arguments = [eq.t, eq.q, eq.v, eq.z, eq.p]
        made = self.evaluator.make("values", arguments, [ca.densify(x) for x in expressions])
        return [np.array(x) for x in self.evaluator.call(made, self.t, self.split(y), self.p)]

    def derivatives(
        self,
        key: Key,
        build: Callable[[], SX],
        wrt: Sequence[SX],
        y: np.ndarray,
        a: np.ndarray,
        multipliers: np.ndarray,
        *more: tuple[SX, np.ndarray],
    ) -> list[np.ndarray]:
        """What `build` gives, and its derivative by each of `wrt`; more: further symbols and their numbers."""
        eq = self.eq

        def made() -> tuple[list[SX], list[SX]]:
            x = build()
            arguments = [eq.q, eq.v, eq.z, eq.a, eq.multipliers, *(symbol for symbol, _ in more)]
            return arguments, [ca.densify(part) for part in (x, *(ca.jacobian(x, w) for w in wrt))]

        parts = (*self.split(y), a, multipliers, *(numbers for _, numbers in more))
        return self.arrays(key, made, *parts)

    # Positions and speeds --------------------------------------------------------------------------------------------

    def constraints(
        self, q: np.ndarray, v: np.ndarray, z: np.ndarray, *, trial: bool = False
    ) -> tuple[np.ndarray, np.ndarray, ca.DM]:
        """Φ, A v − b, A (sparse); trial: numbers that are not finite are no error, as a search may go too far."""
        eq, rows = self.eq, self.eq.constraints

        def build() -> tuple[list[SX], list[SX]]:
            return [eq.q, eq.v, eq.z], [rows.position, rows.velocity, rows.jacobian]

        places, speeds, A = self.call("constraints", build, q, v, z)
        position, velocity = np.array(places).ravel(), np.array(speeds).ravel()
        if not trial:
            self._refuse_nonfinite(position, velocity, A)
        return position, velocity, A

    def _refuse_nonfinite(self, position: np.ndarray, velocity: np.ndarray, A: ca.DM) -> None:
        wrong = [np.flatnonzero(~np.isfinite(values)) for values in (position, velocity)]
        wrong.append(np.array(A.row(), dtype=int)[~np.isfinite(np.array(A.nonzeros()))])
        for k in np.concatenate(wrong).tolist()[:1]:
            row = self.eq.constraints.rows[k]
            raise NotFinite(
                f"its condition ({row.direction}) is not a finite number at t = {self.t:g} s.",
                component=row.owner,
                remedy="Look for numbers, parameters, inputs or functions of it that are NaN, infinite, or divide by "
                "zero.",
            )

    def retract(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """q moved by a small displacement in the space of v."""
        return self.arrays("retract", self._retraction, q, step)[0].reshape(q.shape)

    def _retraction(self) -> tuple[list[SX], list[SX]]:
        step = SX.sym("step", self.nv)
        return [self.eq.q, step], [ca.densify(self.eq.motion.retract(self.eq.q, step))]

    def motions(self, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> Motions:
        """Rank of A, what it leaves free and what it carries."""
        return Motions(self._surface(q, v, z)[3])

    @property
    def steps(self) -> np.ndarray:
        """Natural unit of a displacement along each speed."""
        return self.eq.states.steps if self.eq.states.steps.size == self.nv else np.ones(self.nv)

    def close(self, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The nearest position on the constraints, and what is left of Φ, in natural units."""
        units = self.eq.states.row_units(self._by_v())

        def rows(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            position, by_v, _, _ = self._surface(q, v, z)
            return position.ravel() / units, by_v * self.steps / units[:, None]

        def move(q: np.ndarray, step: np.ndarray) -> np.ndarray:
            return self.retract(q, self.steps * step)

        return closing.close(rows, move, self.retract(q, np.zeros(self.nv)))  # Euler parameters of length 1

    def project(self, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> np.ndarray:
        """The nearest speeds on the constraints."""
        _, _, velocity, A = self._surface(q, v, z)
        return v - Motions(A).least(velocity).ravel() if np.any(velocity) else v

    def closed(self, y: np.ndarray, name: str) -> np.ndarray:
        """The nearest state on the constraints, positions first; raises where Newton's method finds none. name: whom to
        blame, where no row is."""
        q, v, z = self.split(y)
        q, v = self._gathered(q, v, z)
        q, left = self.close(q, v, z)
        size = float(np.abs(left).max(initial=0.0))
        if not size <= closing.POSITION_TOLERANCE:
            rows, worst = self.eq.constraints.rows, int(np.nanargmax(np.abs(left))) if np.isfinite(size) else 0
            raise AssemblyError(
                f"the constraints stay open by {size * self.eq.states.length:.2g} m (or {size:.2g} rad) at this state.",
                component=rows[worst].owner if worst < len(rows) else name,
                remedy="Start nearer to an assembled position, or check the parameters that give the lengths.",
            )
        return np.concatenate([q, self.project(q, v, z), z])

    def _surface(self, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> list[np.ndarray]:
        """Φ, ∂Φ/∂v, A v − b, ∂(A v − b)/∂v, of every row that projection keeps."""
        return self.arrays("surface", self._on_surface, q, v, z)

    def _on_surface(self) -> tuple[list[SX], list[SX]]:
        eq, rows = self.eq, self.eq.constraints
        blocks = [rows.position, self._by_v(), rows.velocity, ca.jacobian(rows.velocity, eq.v)]
        return [eq.q, eq.v, eq.z], [ca.densify(x) for x in blocks]

    def _by_v(self) -> SX:
        """∂Φ/∂v, derived once."""
        eq, memory = self.eq, self.eq.memory
        if "by_v" not in memory:
            memory["by_v"] = ca.jacobian(eq.constraints.position, eq.q) @ ca.jacobian(eq.motion.qdot, eq.v)
        return memory["by_v"]

    def _gathered(self, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """On constraints that have no row here because the coordinates fulfil them only while they move."""
        eq, projected = self.eq, self.eq.constraints.projected
        if projected is None:
            return q, v

        def build() -> tuple[list[SX], list[SX]]:
            return [eq.q, eq.v, eq.z], [ca.densify(x) for x in projected.make()]

        size = np.inf
        for _ in range(20):
            nearer, speeds = (np.array(x).ravel() for x in self.call("projected", build, q, v, z))
            moved = float(np.abs(nearer - q).max(initial=0.0))
            if not moved < size:
                break
            q, v, size = nearer, speeds, moved
        return q, v

    # Dynamics --------------------------------------------------------------------------------------------------------

    def dynamics(self, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M, f, γ; where v̇ is solved for already, f = M v̇, and no multiplier is needed."""
        eq = self.eq

        def build() -> tuple[list[SX], list[SX]]:
            force = eq.motion.mass @ eq.motion.force if eq.motion.explicit else eq.motion.force
            return [eq.q, eq.v, eq.z], [eq.motion.mass, force, eq.constraints.gamma]

        M, force, gamma = self.call("dynamics", build, q, v, z)
        return np.array(M), np.array(force).ravel(), np.array(gamma).ravel()

    def accelerations(self, q: np.ndarray, v: np.ndarray, z: np.ndarray, name: str) -> Dynamics:
        """The equations of motion, ready to be solved for v̇ and λ; name: whom to blame."""
        eq, rows = self.eq, self.eq.constraints

        def build() -> tuple[list[SX], list[SX]]:
            if eq.motion.explicit:
                blocks = [SX.eye(self.nv), eq.motion.force, SX(0, self.nv), SX(0, 1)]
            else:
                blocks = [eq.motion.mass, eq.motion.force, rows.jacobian, rows.gamma]
            return [eq.q, eq.v, eq.z], [ca.densify(x) for x in blocks]

        M, f, A, gamma = self.arrays("accelerations", build, q, v, z)
        return Dynamics(M, f, A, gamma, name)
