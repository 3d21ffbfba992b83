"""Program: compiled functions and the state layout. Knows nothing of mechanics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    import casadi

FAST, BEST, AUTO = TIERS = "fast", "best", "auto"
"""How code is made: at once, as well as can be, or at once and better while it runs."""


class NativeFunction(Protocol):
    """Machine code `void f(const double *const *arg, double *const *res, double *work)`.

    `arg[i]` and `res[i]` point to dense column-major arrays of `in_sizes[i]` and `out_sizes[i]` doubles
    (for a sparse output: its nonzeros in compressed-column order, pattern in `out_patterns[i]`).
    `work` must hold `work_size` doubles; the function is re-entrant, it keeps no state of its own.
    """

    name: str
    address: int
    work_size: int
    in_sizes: tuple[int, ...]
    out_sizes: tuple[int, ...]
    out_patterns: tuple[tuple[np.ndarray, np.ndarray], ...]  # (column starts, row indices), int32, one pair per output

    def __call__(self, *args: object) -> list[np.ndarray]: ...


@dataclass(frozen=True)
class StateLayout:
    """y = [q, v, z]: coordinates, speeds, first-order states; x = [a, λ]: accelerations and multipliers."""

    q: int
    v: int
    z: int
    multipliers: int

    @property
    def y(self) -> int:
        return self.q + self.v + self.z

    @property
    def x(self) -> int:
        return self.v + self.multipliers


@dataclass(frozen=True)
class Channel:
    """A named quantity over time."""

    name: str
    unit: str = ""


class Channels(tuple[Channel, ...]):
    """Channels in the order of their columns; what is asked of their names again and again is found once."""

    @cached_property
    def column(self) -> Mapping[str, int]:
        """Where each is, by name; of two with one name, the last."""
        return {channel.name: k for k, channel in enumerate(self)}


@dataclass(frozen=True)
class Event:
    """A scalar g(t, y, p) whose zero is located.

    direction: +1 rising, -1 falling, 0 both. action: "record" (note the time), "restart" (stop the step there,
    because the equations change), "stop" (end the run).
    """

    name: str
    direction: int = 0
    action: str = "record"
    about: Any = field(default=None, compare=False, repr=False)
    """What it belongs to; None: it is the user's own. Whoever goes on after it knows its own by this."""


@dataclass
class Program:
    """What the integrators need, and nothing more.

    Functions, by name (t has 1 element; p holds the parameters followed by the inputs):
      rhs              (t, y, p)          → ẏ
      project          (t, y, p)          → y on the constraints, [|position residual|, |velocity residual|] before,
                                            in natural units
      outputs          (t, y, p)          → channels
      probes           (t, y, p)          → quantities that are looked at after a run only (bonds)
      events           (t, y, p)          → g, [pace, grain, hold] of each or nothing: |ġ| at most, as long as that is
                                            known; pace · time on which g keeps its course; 1 / longest step
      dae              (t, Y, p)          → F, Y = [y, x]: ẏ = F[:y], 0 = F[y:]              (index 1)
      dae_jacobian     (t, Y, p)          → ∂F/∂Y, sparse
      alpha_residual   (t, y, x, ż, p, c) → [M a − f + Aᵀλ, ż − g, Φ]; c = [∂a/∂a, ∂v/∂a, ∂δq/∂a, ∂z/∂ż] of the step
      alpha_jacobian   (t, y, x, ż, p, c) → its Newton matrix, unknowns [a, ż, λ]
      margins          (t, y, p)          → how far each constraint row is from depending on others: 1 … 0, squared
      retract          (q, δ)             → q moved by the small displacement δ (in the space of v)
    Those that a solver does not need are not compiled: ask by `function(name)`.
    """

    layout: StateLayout
    build: Callable[[str], NativeFunction]
    parameters: Mapping[str, float]
    inputs: Mapping[str, float]
    channels: tuple[Channel, ...]
    events: tuple[Event, ...] = ()
    unweighted: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))
    """True for states that only record (work integrals): left out of the error norm."""
    scale: np.ndarray | None = None
    """Natural unit of each state: absolute tolerances are multiples of it. None: 1."""
    constrained: bool = False
    """Whether `project` has anything to do."""
    settling: bool = False
    """Whether the position residual of `project` also counts what equations of networks move."""
    derive_seconds: float = 0.0
    """Spent on deriving functions (Jacobians among them) when they were first asked for."""
    dependent: bool = False
    """Whether positions are more than the speeds of a step determine, so that every step must be projected."""
    margins: tuple[str, ...] = ()
    """Owners of the rows of `margins`."""
    compile_seconds: float = 0.0
    tier: str = AUTO
    """How the code of functions is made that have none yet, or not such."""
    symbolic: Callable[[str], casadi.Function] | None = None
    """The same functions before compilation, as casadi.Function, by name ("rhs", "dae"); for the reference solvers."""
    build_lanes: Callable[[str, int], NativeFunction] | None = None
    """The same as machine code that treats several cases at once: each number is a row, one of each case."""
    _functions: dict[str, NativeFunction] = field(default_factory=dict)
    _lanes: dict[tuple[str, int], NativeFunction] = field(default_factory=dict)

    @cached_property
    def recorded(self) -> Channels:
        """The channels of a run: those of the program, and the steps that its solver took."""
        return Channels((*self.channels, Channel("solver.step", "s")))

    def function(self, name: str) -> NativeFunction:
        function = self._functions.get(name)
        if function is None or (self.tier == BEST and getattr(function, "tier", BEST) != BEST):
            self._functions[name] = function = self.build(name)
        return function

    def lanes(self, name: str, count: int) -> NativeFunction:
        """The function for `count` cases at once; only where `build_lanes` is given."""
        if (name, count) not in self._lanes:
            assert self.build_lanes is not None
            self._lanes[name, count] = self.build_lanes(name, count)
        return self._lanes[name, count]

    @property
    def code(self) -> dict[str, object]:
        """How it was asked for and what there is now, for the record; seconds: of making better code beside the run."""
        made = self._functions.values()
        return {
            "asked": self.tier,
            "tiers": {name: getattr(f, "tier", BEST) for name, f in self._functions.items()},
            "instructions": sum(getattr(f, "instructions", 0) for f in made),
            "better_seconds": sum(getattr(f, "better_seconds", 0.0) for f in made),
        }
