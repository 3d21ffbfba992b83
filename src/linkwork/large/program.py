"""A Program for a large model: the same functions and channels, from kernels in loops."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.algebra import lapack
from linkwork.components.bodies import Body
from linkwork.core.errors import ModelError
from linkwork.core.program import NativeFunction, Program, StateLayout
from linkwork.formulations.order import magnitude
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.large.channels import channels_of, events_of
from linkwork.large.functions import Functions
from linkwork.large.groups import Tables, named
from linkwork.large.parts import LIGHT, Sizes
from linkwork.large.slots import Unfit

if TYPE_CHECKING:
    from linkwork.core.model import Model

DEPENDENT = 1e-8
"""Margin up to which a row counts as redundant where a run starts: somewhat more than the softness of all rows."""
SHARED = 1e-4
"""Share of the largest answer to a load on redundant rows from which a row takes part in carrying it."""


class Large:
    """A model in absolute coordinates, as tables, kernels and a schedule."""

    def __init__(self, model: Model, stabilisation: Projection | Baumgarte | None, nominal: Mapping[str, float]):
        """Raises `Unfit` where the model needs straight-line code."""
        self.model, self.stabilised = model, isinstance(stabilisation, Baumgarte)
        self.tables = Tables(model, stabilisation)
        self._suit(sizes_of(self.tables, self._values(nominal)))
        self.nominal = dict(nominal)

    def _values(self, nominal: Mapping[str, float]) -> np.ndarray:
        """p with these parameters, and inputs as they are by default."""
        model = self.model
        return np.array([*{**model.parameters, **nominal}.values(), *model.inputs.values()], dtype=float)

    def _suit(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.functions = Functions(self.tables, sizes)
        self.compiled: Program | None = None
        self.redundant_owners: list[str] = []
        """Joints whose loads are not determined where the first run started, as some rows follow from others."""

    def suit(self, nominal: Mapping[str, float]) -> None:
        """Sizes for other parameters: functions are made again only where these are of another magnitude."""
        if dict(nominal) == self.nominal:
            return
        sizes = sizes_of(self.tables, self._values(nominal))
        self.nominal = dict(nominal)
        if (sizes.length, sizes.uneven) != (self.sizes.length, self.sizes.uneven):
            self._suit(sizes)

    def ready(self, y: np.ndarray, p: np.ndarray) -> Program:
        """The program; where it is first made, y says whether some rows follow from others."""
        if self.compiled is None:
            if self.functions.soft_rows.size:
                (margins,) = self.functions.margins()(0.0, y, p)
                dependent = self.functions.soft_rows[margins < DEPENDENT]
                self.functions.redundant = bool(dependent.size)
                self.redundant_owners = self._sharing(dependent, y, p) if dependent.size else []
            self.compiled = self.program()
        return self.compiled

    def _sharing(self, dependent: np.ndarray, y: np.ndarray, p: np.ndarray) -> list[str]:
        """Who takes part in combinations of rows that do nothing: being soft, they answer far more than others."""
        right = np.zeros(self.tables.unknowns)
        right[self.tables.nv + dependent] = np.random.default_rng(0).uniform(0.5, 1.0, dependent.size)
        (answer,) = self.functions.response()(0.0, y, p, right)
        loads = np.abs(answer[self.tables.nv :]) * self.sizes.felt
        rows = np.flatnonzero(loads > SHARED * loads.max(initial=0.0))
        return list(dict.fromkeys(self.row_owners[k] for k in rows.tolist()))

    @cached_property
    def row_owners(self) -> list[str]:
        tables = self.tables
        owners = [""] * tables.m
        for group in tables.groups:
            for n, row in enumerate(group.kind.rows):
                for k, first in enumerate(group.rows.tolist()):
                    owners[first + n] = named(group, k, row.owner)
        return owners

    @cached_property
    def state_names(self) -> list[str]:
        """Whom each state belongs to."""
        tables = self.tables
        names = [b.name for b in tables.bodies]
        return [
            *(name for name in names for _ in range(tables.coordinates)),
            *(name for name in names for _ in range(tables.speeds)),
            *tables.z_names,
        ]

    def program(self) -> Program:
        """Functions are made when they are first asked for."""
        tables, length = self.tables, self.sizes.length
        lengths = [np.arange(n) < self.model.dimension for n in (tables.coordinates, tables.speeds)]
        at, speed = (np.tile(np.where(x, length, 1.0), len(tables.bodies)) for x in lengths)
        builders = {name: getattr(self.functions, name) for name in ("rhs", "project", "outputs", "margins", "events")}

        def build(name: str) -> NativeFunction:
            if name not in builders:
                raise ModelError(
                    f"kernels have no function {name!r} yet.",
                    component=self.model.name,
                    remedy="Use solver='dopri5', 'dop853' or 'rk4', or size='small' for straight-line code.",
                )
            clock = time.perf_counter()
            made = builders[name]()
            program.compile_seconds += time.perf_counter() - clock
            return made

        program = Program(
            layout=StateLayout(tables.nq, tables.nv, tables.nz, tables.m),
            build=build,
            parameters=dict(self.model.parameters),
            inputs=dict(self.model.inputs),
            channels=channels_of(tables),
            events=events_of(tables),
            unweighted=np.array([False] * (tables.nq + tables.nv) + tables.counting, dtype=bool),
            scale=np.concatenate([at, speed / np.sqrt(max(length, 1.0)), np.ones(tables.nz)]),
            constrained=not self.stabilised and (bool(tables.m) or tables.nq != tables.nv),
            margins=tuple(self.row_owners[k] for k in self.functions.soft_rows.tolist()),
        )
        return program


def sizes_of(tables: Tables, p: np.ndarray) -> Sizes:
    """In numbers, for these parameters; a body without mass, or inertia, is for straight-line code."""
    mass, inertia, spread = _masses(tables, p)
    heaviest = float(mass.max(initial=0.0))
    length = magnitude(_arms(tables, p), float(np.sqrt((spread / np.maximum(mass, 1e-300)).max(initial=0.0))))
    rows, felt = np.ones(tables.m), np.zeros(tables.m)
    dimension = tables.model.dimension
    for group in tables.groups:
        i, j = group.kind.jacobian
        for n in range(len(group.kind.rows)):
            for side in range(group.bodies.shape[1]):
                mine = j[(i == n) & (j // tables.speeds == side)] % tables.speeds
                if not mine.size:
                    continue
                bodies, position = group.bodies[:, side], bool(np.any(mine < dimension))
                felt[group.rows + n] += 1 / (mass[bodies] if position else inertia[bodies])
                if position:
                    rows[group.rows + n] = length
    return Sizes(length, rows, felt, bool(tables.m) and float(mass.min(initial=np.inf)) < LIGHT * heaviest)


def _masses(tables: Tables, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass, mean and smallest moment of inertia of each body."""
    n = len(tables.bodies)
    lifted = lifted_values(tables, p)
    mass, mean, least = np.zeros(n), np.zeros(n), np.zeros(n)
    for group in tables.groups:
        if not isinstance(group.members[0], Body):
            continue
        slots = _slots(group.kind.fixed, group.table, lifted[group.lifted])
        at = group.bodies[:, 0]
        mass[at] = slots[:, 0]
        if tables.model.is_planar:
            mean[at] = least[at] = slots[:, 1]
            continue
        xx, yy, zz, xy, xz, yz = slots[:, 1:].T
        J = np.stack([np.stack([xx, xy, xz], 1), np.stack([xy, yy, yz], 1), np.stack([xz, yz, zz], 1)], 1)
        mean[at], least[at] = (xx + yy + zz) / 3, lapack.eigvalsh(J)[:, 0]
    for k in np.flatnonzero(~((mass > 0) & (least > 0))).tolist():
        raise Unfit(tables.bodies[k].name, "it has no mass, or no inertia about some axis")
    return mass, mean, least


def lifted_values(tables: Tables, p: np.ndarray) -> np.ndarray:
    if not tables.lifted:
        return np.zeros(0)
    f = ca.Function("lifted", [ca.vertcat(*tables.p)], [ca.densify(ca.vertcat(*tables.lifted))])
    return np.array(f(p)).ravel()


def _slots(fixed: list[bool], table: np.ndarray, lifted: np.ndarray) -> np.ndarray:
    """All slots of a group in their order, (members, slots)."""
    slots = np.zeros((len(table), len(fixed)))
    slots[:, np.array(fixed, dtype=bool)] = table
    slots[:, ~np.array(fixed, dtype=bool)] = lifted
    return slots


def _arms(tables: Tables, p: np.ndarray) -> float:
    """Distance of the farthest joint from a mass centre, or the longest rod [m]."""
    lifted, largest = lifted_values(tables, p), 0.0
    for group in tables.groups:
        rods = group.kind.rods()
        if rods.numel():
            lengths = group.kind.numbers(rods, group.table, lifted[group.lifted], p)
            largest = max(largest, float(np.max(lengths, initial=0.0, where=np.isfinite(lengths))))
    return largest
