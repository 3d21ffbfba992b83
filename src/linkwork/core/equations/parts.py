"""The parts of Equations: symbols, motion, constraints, algebraic states, contacts, observation, start."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import casadi as ca
import numpy as np

from linkwork.algebra.proximal import Order
from linkwork.core.courses import Courses, Taken
from linkwork.core.program import Channel, Event
from linkwork.core.unilateral import Closure, Contact
from linkwork.geometry import SX, Number

DRIVES = ("motion", "speed", "acceleration")
"""Directions of the rows that motion laws write."""


@dataclass(frozen=True)
class Row:
    """One constraint equation: which component it belongs to, and its direction in words."""

    owner: str
    direction: str
    number: int = field(default=0, compare=False)
    """Which of its owner's equations it is, from 0."""
    unit: float = field(default=1.0, compare=False)
    """What it was divided by, to be in metres or radians (per second)."""

    def __str__(self) -> str:
        return f"{self.owner} ({self.direction})"


class Stacked(Mapping[str, np.ndarray]):
    """Arrays of one shape by name, kept in one array; place: where each of them is."""

    def __init__(self, place: Mapping[str, int], array: np.ndarray):
        self._place, self._array = place, array

    def __getitem__(self, name: str) -> np.ndarray:
        return self._array[self._place[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._place)

    def __len__(self) -> int:
        return len(self._place)

    def __repr__(self) -> str:
        return repr(dict(self))

    def of(self, names: Sequence[str]) -> np.ndarray:
        """Those with these names, one after the other."""
        return self._array if list(self._place) == names else self._array[[self._place[name] for name in names]]


def stacked(arrays: Mapping[str, np.ndarray], names: Sequence[str]) -> np.ndarray:
    """Those with these names in one array."""
    return arrays.of(names) if isinstance(arrays, Stacked) else np.array([arrays[name] for name in names])


@dataclass(frozen=True, eq=False, repr=False)
class Placement:
    """A consistent start as every formulation can read it: numbers, world axes.

    position, rotation (3×3), angle (plane, full turns included), velocity, spin: by body; value, rate: by joint
    coordinate; first_order: by name, for states that are neither coordinates nor speeds.
    """

    position: Mapping[str, np.ndarray]
    rotation: Mapping[str, np.ndarray]
    angle: dict[str, float]
    velocity: Mapping[str, np.ndarray]
    spin: Mapping[str, np.ndarray]
    value: dict[str, float]
    rate: dict[str, float]
    first_order: dict[str, float]
    parameters: np.ndarray
    """p = parameters, then inputs."""


class Placed(Protocol):
    """What has found a placement: `m.assemble()`, `m.equilibrium()`."""

    @property
    def placement(self) -> Placement: ...


@dataclass(frozen=True, eq=False, repr=False)
class Deferred:
    """Expressions that cost much and are not always asked for."""

    make: Callable[[], list[SX]]


@dataclass(frozen=True, eq=False, repr=False)
class Symbols:
    """What everything else is written in."""

    t: SX
    q: SX
    v: SX
    z: SX
    """First-order states."""
    parameters: SX
    inputs: SX
    """Inputs proper, then what signals set (`Signals.taken`)."""
    a: SX
    """v̇."""
    multipliers: SX
    """λ."""

    @cached_property
    def y(self) -> SX:
        return ca.vertcat(self.q, self.v, self.z)

    @cached_property
    def p(self) -> SX:
        return ca.vertcat(self.parameters, self.inputs)


@dataclass(frozen=True, eq=False, repr=False)
class States:
    """What is known of each state of y = [q, v, z], beside its value."""

    names: list[str] = field(default_factory=list)
    """Which component a failing state belongs to."""
    unweighted: list[bool] = field(default_factory=list)
    """Whether it only records."""
    held: frozenset[str] = frozenset()
    """Names of states that have no rate and only jump."""
    sides: frozenset[str] = frozenset()
    """Names of those that say on which side of a kink an equation is: they follow from others, at rates that jump."""
    accounts: list[int] = field(default_factory=list)
    """Which of z only count work: nothing that moves depends on them."""
    speed_names: list[str] = field(default_factory=list)
    """One per speed, where speeds are what a user would choose among (joint coordinates)."""
    scale: np.ndarray = field(default_factory=lambda: np.ones(0))
    """Natural unit of each of [q, v], of which absolute tolerances are multiples."""
    steps: np.ndarray = field(default_factory=lambda: np.ones(0))
    """Natural unit of a displacement along each speed: the length of the mechanism [m], or 1 (rad)."""

    @property
    def length(self) -> float:
        """Of the mechanism [m]."""
        lengths = self.steps[self.steps != 1]
        return float(lengths[0]) if lengths.size else 1.0

    def row_units(self, by_v: SX) -> np.ndarray:
        """Natural unit of each row with this Jacobian: a length [m] where positions are in it, else 1."""
        rows, columns = (np.array(k, dtype=int) for k in by_v.sparsity().get_triplet())
        units = np.ones(by_v.shape[0])
        if self.steps.size:
            units[rows[self.steps[columns] != 1]] = self.length
        return units


@dataclass(frozen=True, eq=False, repr=False)
class Motion:
    """q̇ = H(q) v,  M v̇ + Aᵀλ = f(t, q, v, z),  ż = g(t, q, v, z, v̇, λ)."""

    qdot: SX
    mass: SX
    force: SX
    retract: Callable[[SX, SX], SX]
    """q moved by a small displacement in the space of v, back on the unit quaternions."""
    zdot: SX = field(default_factory=lambda: SX(0, 1))
    explicit: bool = False
    """v̇ = force: the formulation has solved for it."""
    order: Order | None = None
    """In which order M v̇ + Aᵀλ = f, A v̇ = γ is eliminated."""
    stiff: bool = False
    """Whether an implicit solver is the better choice."""


@dataclass(frozen=True, eq=False, repr=False)
class Constraints:
    """Φ(t, q) = 0,  A v = b,  A v̇ = γ. Rows: first those with a Φ, then those that exist at velocity level only."""

    position: SX
    """Φ(t, q)."""
    velocity: SX
    """A v − b, all rows."""
    jacobian: SX
    """A."""
    gamma: SX
    """Holds the stabilising terms where there are any."""
    rows: list[Row]
    stabilised: bool = False
    """Constraints are kept by terms in γ (Baumgarte), not by projection."""
    projected: Deferred | None = None
    """[q, v] one step nearer to the constraints, where a formulation knows better than one step in the mass metric."""
    singular_rows: list[Row] | None = None
    """Rows that may become dependent in singular positions, where a formulation has some that are not `rows`."""
    margins: Deferred | None = None
    """How far those are from it (see `Program`)."""
    softness: Mapping[Row, tuple[float, float]] = field(default_factory=dict)
    """(stiffness, damping) of the rows that are springs and dampers."""


@dataclass(frozen=True, eq=False, repr=False)
class Algebraic:
    """First-order states that nonlinear equations determine."""

    improved: SX | None = None
    """z with these states moved nearer to their equations; None: there are none."""
    residual: SX = field(default_factory=lambda: SX(0, 1))
    """Of the equations."""
    owners: list[str] = field(default_factory=list)
    """Which component each equation belongs to."""
    following: list[int] = field(default_factory=list)
    """Which of z follow from the others by the equations."""
    coupled: list[int] = field(default_factory=list)
    """Which of z they tie to each other, without saying which follows."""
    blocks: Mapping[str, list[str]] = field(default_factory=dict)
    """By channel of its mismatch: components whose equations are solved as one linear block."""

    @property
    def states(self) -> list[int]:
        """Which of z are determined."""
        return [*self.following, *self.coupled]


@dataclass(frozen=True, eq=False, repr=False)
class Contacts:
    """Places that may touch; their rows are not among those of the constraints before `closure` is there."""

    places: list[Contact] = field(default_factory=list)
    closure: Closure | None = None
    """What the modes of contacts add; M v̇ + Aᵀλ = f and A v̇ = γ hold as it says."""
    push: SX | None = None
    """Generalised force of all contacts, in the symbols of their forces; None: that of their rows, Aᵀ F."""


@dataclass(frozen=True, eq=False, repr=False)
class Observation:
    """What is recorded, located and looked at."""

    outputs: dict[str, tuple[str, SX]]
    events: list[tuple[Event, SX]] = field(default_factory=list)
    """What is located: g; or a column of g, its pace, its grain and its hold (see `Program`)."""
    probes: dict[str, tuple[str, SX]] = field(default_factory=dict)
    """Further quantities that can be asked for after a run; they cost nothing before."""
    motions: list[tuple[str, str, SX]] = field(default_factory=list)
    """(coordinate, "displacement", "speed" or "acceleration", what it follows) of motions that are given over time."""
    graph: Any = None
    """The bond graph they were read from, if they were, or what makes it: see `Equations.graph`."""

    @property
    def channels(self) -> tuple[Channel, ...]:
        return tuple(Channel(name, unit) for name, (unit, _) in self.outputs.items())


@dataclass(frozen=True, eq=False, repr=False)
class Start:
    """Where a run begins."""

    state: Callable[[Placement], np.ndarray]
    """[q, v] of a placement."""
    values: Mapping[str, Number] = field(default_factory=dict)
    """Start values of first-order states, where they are given: numbers or expressions of the parameters."""


@dataclass(frozen=True, eq=False, repr=False)
class Signals:
    """Tables and derivatives of inputs."""

    courses: Courses | None = None
    """All that the model has."""
    taken: list[Taken] = field(default_factory=list)
    """Those that follow the inputs proper in `Symbols.inputs`."""
