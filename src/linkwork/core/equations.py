"""Equations: the narrow waist between mechanics and numerics. Symbolic, with named unknowns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import casadi as ca
import numpy as np

from linkwork.algebra.proximal import Order
from linkwork.core.courses import Courses, Taken, in_time
from linkwork.core.program import Channel, Event, StateLayout
from linkwork.core.unilateral import Closure, Contact
from linkwork.geometry import SX


@dataclass(frozen=True)
class Row:
    """One constraint equation: which component it belongs to, and its direction in words."""

    owner: str
    direction: str
    number: int = field(default=0, compare=False)
    """Which of its owner's equations it is, from 0."""

    def __str__(self) -> str:
        return f"{self.owner} ({self.direction})"


DRIVES = ("motion", "speed", "acceleration")
"""Directions of the rows that motion laws write."""


@dataclass(frozen=True)
class Placement:
    """A consistent start as every formulation can read it: numbers, world axes.

    position, rotation (3×3), angle (plane, full turns included), velocity, spin: by body; value, rate: by joint
    coordinate; first_order: by name, for states that are neither coordinates nor speeds.
    """

    position: dict[str, np.ndarray]
    rotation: dict[str, np.ndarray]
    angle: dict[str, float]
    velocity: dict[str, np.ndarray]
    spin: dict[str, np.ndarray]
    value: dict[str, float]
    rate: dict[str, float]
    first_order: dict[str, float]
    parameters: np.ndarray
    """p = parameters, then inputs."""


@dataclass
class Equations:
    """q̇ = H(q) v,  M v̇ + Aᵀλ = f(t, q, v, z),  ż = g(t, q, v, z, v̇, λ),  Φ(t, q) = 0,  A v = b.

    Rows of A: first those with a Φ (position level), then those that exist at velocity level only.
    `a` and `multipliers` are symbols for v̇ and λ in `zdot` and `outputs`.
    """

    t: SX
    q: SX
    v: SX
    z: SX
    parameters: SX
    inputs: SX
    a: SX
    multipliers: SX
    qdot: SX
    mass: SX
    force: SX
    zdot: SX
    position: SX
    """Φ(t, q)."""
    velocity: SX
    """A v − b, all rows."""
    jacobian: SX
    """A."""
    gamma: SX
    """A v̇ = γ; holds the stabilising terms where there are any."""
    retract: Callable[[SX, SX], SX]
    """q moved by a small displacement in the space of v, back on the unit quaternions."""
    start: Callable[[Placement], np.ndarray]
    """[q, v] of a placement."""
    rows: list[Row]
    outputs: dict[str, tuple[str, SX]]
    events: list[tuple[Event, SX]] = field(default_factory=list)
    """What is located: g; or a column of g, its pace, its grain and its hold (see `Program`)."""
    probes: dict[str, tuple[str, SX]] = field(default_factory=dict)
    """Further quantities that can be asked for after a run; they cost nothing before."""
    graph: Any = None
    """The bond graph they were read from, if they were."""
    unweighted: list[bool] = field(default_factory=list)
    state_names: list[str] = field(default_factory=list)
    """One per state of y = [q, v, z]: which component a failing state belongs to."""
    held: frozenset[str] = frozenset()
    """Names of states that have no rate and only jump."""
    starts: Mapping[str, Any] = field(default_factory=dict)
    """Start values of first-order states, where they are given: numbers or expressions of the parameters."""
    settled: SX | None = None
    """z with the states that nonlinear equations determine moved nearer to these; None: there are none."""
    unsettled: SX = field(default_factory=lambda: SX(0, 1))
    """Residuals of those equations."""
    unsettled_owners: list[str] = field(default_factory=list)
    """Which component each belongs to."""
    together: Mapping[str, list[str]] = field(default_factory=dict)
    """By channel of its mismatch: components whose equations are solved as one linear block."""
    hanging: list[int] = field(default_factory=list)
    """Which of z follow from the others by those equations."""
    tied: list[int] = field(default_factory=list)
    """Which of z they tie to each other, without saying which follows."""
    speed_names: list[str] = field(default_factory=list)
    """One per speed, where speeds are what a user would choose among (joint coordinates)."""
    stabilised: bool = False
    """Constraints are kept by terms in γ (Baumgarte), not by projection."""
    explicit: bool = False
    """v̇ = force: the formulation has solved for it."""
    projected: Callable[[], tuple[SX, SX]] | None = None
    """(q, v) one step nearer to the constraints, where a formulation knows better than one step in the mass metric."""
    margins: tuple[list[Row], Callable[[], SX]] | None = None
    """Rows that may become dependent in singular positions and how far they are from it (see `Program`), where a
    formulation has rows that are not `rows`."""
    softness: Mapping[Row, tuple[float, float]] = field(default_factory=dict)
    """(stiffness, damping) of the rows that are springs and dampers."""
    stiff: bool = False
    """Whether an implicit solver is the better choice."""
    scale: np.ndarray = field(default_factory=lambda: np.ones(0))
    """Natural unit of each of [q, v], of which absolute tolerances are multiples."""
    steps: np.ndarray = field(default_factory=lambda: np.ones(0))
    """Natural unit of a displacement along each speed: the length of the mechanism [m], or 1 (rad)."""
    order: Order | None = None
    """In which order M v̇ + Aᵀλ = f, A v̇ = γ is eliminated."""
    contacts: list[Contact] = field(default_factory=list)
    """Places that may touch; their rows are not among those above before `closure` is there."""
    memory: dict[str, Any] = field(default_factory=dict, init=False, compare=False)
    """Whatever is found out about them once."""
    courses: Courses | None = None
    """Tables and derivatives of inputs that the model has."""
    taken: list[Taken] = field(default_factory=list)
    """Those that follow the inputs proper in `inputs`."""
    motions: list[tuple[str, str, SX]] = field(default_factory=list)
    """(coordinate, "displacement", "speed" or "acceleration", what it follows) of motions that are given over time."""
    closure: Closure | None = None
    """What the modes of contacts add; M v̇ + Aᵀλ = f and A v̇ = γ hold as it says."""

    @property
    def layout(self) -> StateLayout:
        return StateLayout(self.q.numel(), self.v.numel(), self.z.numel(), self.multipliers.numel())

    @property
    def y(self) -> SX:
        return ca.vertcat(self.q, self.v, self.z)

    @property
    def p(self) -> SX:
        return ca.vertcat(self.parameters, self.inputs)

    @property
    def channels(self) -> tuple[Channel, ...]:
        return tuple(Channel(name, unit) for name, (unit, _) in self.outputs.items())

    def in_time(self) -> Equations:
        """The same with only those tables and derivatives of inputs that are truly used, and nothing left by which the
        others could be found: for running, not for differentiating by t."""
        if self.courses is None or not self.taken or self.contacts or self.closure is not None:
            return self
        names = [f.name for f in fields(self) if f.name != "t" and isinstance(getattr(self, f.name), SX)]
        groups = [{n: x for n, (_, x) in part.items()} for part in (self.outputs, self.probes)]
        given = [getattr(self, n) for n in names] + [x for part in groups for x in part.values()]
        found = in_time([*given, *(g for _, g in self.events), *(x for _, _, x in self.motions)], self.courses)
        column = ca.vertcat(*(ca.vec(x).nz[:] for n, x in zip(names, found, strict=False) if n != "inputs"),
                            *(ca.vec(x).nz[:] for x in found[len(names) :]))  # fmt: skip
        used = {s.element_hash() for s in ca.symvar(column)}
        taken = [x for x in self.taken if x.symbol.element_hash() in used]
        rest = iter(found[len(names) :])
        plain: dict[str, Any] = dict(zip(names, found, strict=False))
        own = self.inputs[: self.inputs.numel() - len(self.taken)]
        return replace(
            self,
            **plain | {"inputs": ca.vertcat(own, *(x.symbol for x in taken))},
            outputs={n: (unit, next(rest)) for n, (unit, _) in self.outputs.items()},
            probes={n: (unit, next(rest)) for n, (unit, _) in self.probes.items()},
            events=[(e, next(rest)) for e, _ in self.events],
            motions=[(name, level, next(rest)) for name, level, _ in self.motions],
            taken=taken,
        )
