"""A large model as tables, kernels and a schedule, behind the same Program as any other."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from linkwork.compile.tiers import improvable
from linkwork.core.activity import begin
from linkwork.core.errors import ModelError
from linkwork.core.program import BEST, FAST, NativeFunction, Program, StateLayout
from linkwork.large.channels import channels_of, events_of
from linkwork.large.groups import Softness, Tables, named
from linkwork.large.natural_units import sizes_of
from linkwork.large.parts import Sizes
from linkwork.large.schedule import ScheduleFunction

if TYPE_CHECKING:
    from linkwork.core.model import Model
    from linkwork.large.program import Large

FUNCTIONS = (
    "rhs", "project", "outputs", "margins", "events",
    "dae", "dae_jacobian", "alpha_residual", "alpha_jacobian", "retract",
)  # fmt: skip
"""Of a program, those that kernels may have."""


class Schedules(Protocol):
    """The functions of a program, as schedules; beside these, some of `FUNCTIONS` as methods."""

    redundant: bool
    """Whether some rows follow from others."""
    soft_rows: np.ndarray
    """Rows that may."""

    def rhs_and_outputs(self) -> ScheduleFunction: ...

    def margins(self) -> ScheduleFunction: ...

    @property
    def constraints(self) -> tuple[ScheduleFunction, np.ndarray, np.ndarray]: ...


class LargeModel(ABC):
    """What all formulations that have kernels share."""

    formulation: ClassVar[str]
    model: Model
    tables: Tables
    functions: Schedules
    sizes: Sizes
    nominal: dict[str, float]
    stabilised: bool
    softness: Softness
    """Of constraints that are springs."""

    @abstractmethod
    def _schedules(self) -> Schedules:
        """Functions for the sizes that are known now."""

    @abstractmethod
    def _look_for_redundancy(self, y: np.ndarray, p: np.ndarray) -> None:
        """Whether some rows follow from others at y."""

    @abstractmethod
    def owners_of_redundancy(self, absolute: Large, closed: np.ndarray, p: np.ndarray) -> list[str]:
        """Joints whose loads are not determined; closed, p: where the run starts, in absolute coordinates."""

    @property
    def counted(self) -> str:
        """How many components share how many kernels."""
        groups = self.tables.groups
        return f"{len(groups)} kinds for {sum(len(g.members) for g in groups)} components"

    @property
    @abstractmethod
    def layout(self) -> StateLayout: ...

    @property
    @abstractmethod
    def state_names(self) -> list[str]:
        """Whom each state belongs to."""

    @abstractmethod
    def _lengths(self) -> tuple[np.ndarray, np.ndarray]:
        """Which coordinates, and which speeds, are lengths (per second)."""

    @abstractmethod
    def places_at(self, y: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Mass centres of all bodies [m], one per row."""

    def values_at(self, nominal: Mapping[str, float]) -> np.ndarray:
        """p with these parameters, and inputs as they are by default."""
        model = self.model
        given = [*{**model.parameters, **nominal}.values(), *model.inputs.values()]
        return np.array([*given, *model.courses.values(taken=self.tables.taken).values()], dtype=float)

    def _suit(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.functions = self._schedules()
        self.compiled: Program | None = None

    def suit(self, nominal: Mapping[str, float]) -> None:
        """Sizes for other parameters: functions are made again only where these are of another magnitude."""
        if dict(nominal) == self.nominal:
            return
        sizes = sizes_of(self.tables, self.values_at(nominal))
        self.nominal = dict(nominal)
        if (sizes.length, sizes.uneven) != (self.sizes.length, self.sizes.uneven):
            self._suit(sizes)

    def ready(self, y: np.ndarray, p: np.ndarray) -> Program:
        """The program; where it is first made, y says whether some rows follow from others."""
        if self.compiled is None:
            begin("looking for redundant joints")
            self._look_for_redundancy(y, p)
            self.compiled = self.program()
        return self.compiled

    @cached_property
    def row_owners(self) -> list[str]:
        tables = self.tables
        owners = [""] * tables.m
        for group in tables.groups:
            for n, row in enumerate(group.kind.rows):
                for k, first in enumerate(group.rows.tolist()):
                    owners[first + n] = named(group, k, row.owner)
        return owners

    def program(self) -> Program:
        """Functions are made when they are first asked for."""
        tables, length, layout = self.tables, self.sizes.length, self.layout
        at, speed = (np.where(x, length, 1.0) for x in self._lengths())
        builders = {name: getattr(self.functions, name) for name in FUNCTIONS if hasattr(self.functions, name)}

        def build(name: str) -> NativeFunction:
            if name not in builders:
                raise ModelError(
                    f"kernels have no function {name!r} yet.",
                    component=self.model.name,
                    remedy="Take kernels=False for straight-line code.",
                )
            begin(f"compiling {name}")
            clock = time.perf_counter()
            made = builders[name]()
            if program.tier == BEST:
                for part in improvable([made]):
                    assert part.improve is not None
                    part.improve()()
                    part.improve = None
            elif program.tier == FAST:
                made.parts = []
            program.compile_seconds += time.perf_counter() - clock
            return made

        program = Program(
            layout=layout,
            build=build,
            parameters=dict(self.model.parameters),
            inputs=self.model.inputs | self.model.courses.values(taken=tables.taken),
            channels=channels_of(tables),
            events=events_of(tables),
            unweighted=np.array([False] * (layout.q + layout.v) + tables.counting, dtype=bool),
            scale=np.concatenate([at, speed / np.sqrt(max(length, 1.0)), np.ones(tables.nz)]),
            constrained=not self.stabilised and (bool(tables.m) or layout.q != layout.v),
            margins=tuple(self.row_owners[k] for k in self.functions.soft_rows.tolist()),
        )
        return program
