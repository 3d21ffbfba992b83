"""A model as tables: its components by kind, with the bodies they join and the numbers they hold."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body, Ground
from linkwork.components.joint import Joint
from linkwork.components.points import Point
from linkwork.core.component import Component, Force
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import SX
from linkwork.large.kernels import ACCOUNTS, Entry, Kernel, Kind
from linkwork.large.prototypes import Instance, instance_of, prototype_of
from linkwork.large.slots import Unfit

if TYPE_CHECKING:
    from linkwork.core.model import Model

KIND_LIMIT = 200
"""Kinds of components beyond which there is no point in kernels: nearly every component is one of its own."""


@dataclass
class Group:
    """Components of one kind, in the order of the model."""

    kind: Kind
    members: list[Component]
    bodies: np.ndarray
    """Numbers of the bodies each one joins, (members, bodies)."""
    table: np.ndarray
    """Slots that are numbers, (members, slots)."""
    lifted: np.ndarray
    """Which of the model's lifted expressions its other slots are."""
    states: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))
    """Where its own first-order states are in z."""
    rows: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Where the rows of each one begin, among all."""
    blocks: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Number of each one's block of rows."""

    def gather(self, kernel: Kernel, places: dict[str, int], tables: Tables) -> np.ndarray:
        """Where a kernel's inputs are; places: where t, y, p, lifted, a, multipliers begin."""
        return np.column_stack(
            [np.zeros((len(self.members), 0), dtype=np.int64), *(self._at(e, places, tables) for e in kernel.gathered)]
        )

    def _at(self, entry: Entry, places: dict[str, int], tables: Tables) -> np.ndarray:
        what, k = entry
        if what in ("t", "p"):
            return np.full(len(self.members), places[what] + k)
        if what == "lifted":
            return places[what] + self.lifted[:, k]
        if what == "z":
            return places[what] + self.states[:, k]
        if what == "multipliers":
            return places[what] + self.rows + k
        size = tables.coordinates if what == "q" else tables.speeds
        return places[what] + size * self.bodies[:, k // size] + k % size


class Tables:
    """All groups of a model, and where everything is."""

    def __init__(self, model: Model, stabilisation: Projection | Baumgarte | None = None):
        self.model = model
        self.bodies: list[Body] = model.of_type(Body)
        self.coordinates, self.speeds = (3, 3) if model.is_planar else (7, 6)
        self.nq, self.nv = (n * len(self.bodies) for n in (self.coordinates, self.speeds))
        self.parameters = ca.vertcat(SX(0, 1), *model.symbols(model.parameters))
        self.p = [*model.symbols(model.parameters), *model.symbols(model.inputs)]
        self._lifted: dict[int, tuple[int, SX]] = {}
        self.groups = self._grouped(stabilisation)
        self._number_rows()
        self._number_states()

    def _grouped(self, stabilisation: Projection | Baumgarte | None) -> list[Group]:
        numbers = {b.name: k for k, b in enumerate(self.bodies)}
        by_key: dict[Hashable, list[Instance]] = {}
        for component in self.model.components.values():
            if isinstance(component, Ground):
                continue
            if not isinstance(component, (Body, Joint, Force, Point)):
                raise Unfit(component.name, f"{type(component).__name__} has no kernels")
            instance = instance_of(self.model, component, numbers)
            if not instance.bodies:
                raise Unfit(component.name, "it is on the ground alone")
            by_key.setdefault(instance.key, []).append(instance)
            if len(by_key) > KIND_LIMIT:
                raise Unfit(component.name, f"it is one of more than {KIND_LIMIT} kinds of components")
        return [self._group(list(alike), stabilisation) for alike in by_key.values()]

    def _group(self, alike: list[Instance], stabilisation: Projection | Baumgarte | None) -> Group:
        first = alike[0]
        fixed = [not isinstance(x, SX) for x in first.slots]
        kind = Kind(prototype_of(self.model, first, stabilisation), first.component.name, fixed)
        kind.p_entries(self.p)
        table = [[x for x, fix in zip(one.slots, fixed, strict=True) if fix] for one in alike]
        lifted = [[self._lift(x) for x in one.slots if isinstance(x, SX)] for one in alike]
        return Group(
            kind,
            [one.component for one in alike],
            np.array([one.bodies for one in alike], dtype=np.int64),
            np.array(table, dtype=float).reshape(len(alike), -1),
            np.array(lifted, dtype=np.int64).reshape(len(alike), -1),
        )

    def _lift(self, x: SX) -> int:
        return self._lifted.setdefault(x.element_hash(), (len(self._lifted), x))[0]

    @property
    def lifted(self) -> list[SX]:
        """Expressions of parameters that are slots somewhere."""
        return [x for _, x in self._lifted.values()]

    def in_order(self, *kinds: type[Component]) -> Iterable[tuple[Group, int]]:
        """Components of these kinds in the order of the model: their group, and their number in it."""
        place = {c.name: (g, k) for g in self.groups for k, c in enumerate(g.members)}
        return (place[c.name] for c in self.model.components.values() if isinstance(c, kinds))

    def _number_rows(self) -> None:
        """Rows and blocks of joints, in the order of the model."""
        self.ends: list[tuple[int, ...]] = []
        self.sizes: list[int] = []
        for group in self.groups:
            group.rows = np.zeros(len(group.members), dtype=np.int64)
            group.blocks = np.zeros(len(group.members), dtype=np.int64)
        m = 0
        for group, k in self.in_order(Joint):
            group.rows[k], group.blocks[k] = m, len(self.ends)
            if group.kind.rows:
                self.ends.append(tuple(group.bodies[k].tolist()))
                self.sizes.append(len(group.kind.rows))
                m += len(group.kind.rows)
        self.m = m

    def _number_states(self) -> None:
        """First-order states as straight-line code has them: counters of turns, those of components, work."""
        names: list[str] = []
        counting: list[bool] = []
        for group in self.groups:
            group.states = np.zeros((len(group.members), len(group.kind.own_states)), dtype=np.int64)
        for counts in (True, False):
            for group, k in [*self.in_order(Joint), *self.in_order(Body, Force, Point)]:
                for n, own in enumerate(group.kind.counting):
                    if own is counts:
                        group.states[k, n] = len(names)
                        names.append(named(group, k, group.kind.state_names[n]))
                        counting.append(counts)
        self.accounts = [a for a in ACCOUNTS if any(a in g.kind.accounts for g in self.groups)]
        self.z_names = [*names, *self.accounts]
        self.counting = [*counting, *(False for _ in self.accounts)]

    @property
    def nz(self) -> int:
        return len(self.z_names)

    @property
    def ny(self) -> int:
        return self.nq + self.nv + self.nz

    @property
    def unknowns(self) -> int:
        return self.nv + self.m


def named(group: Group, k: int, name: str) -> str:
    """A name in a prototype as it is in the model."""
    return f"{group.members[k].name}{name[1:]}" if name.startswith("#") else name
