"""Passes along the tree as stages of a schedule: outwards for motions, inwards for inertias and forces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TypeAlias

import casadi as ca
import numpy as np

from linkwork.geometry import SX
from linkwork.large.groups import Group, Places
from linkwork.large.kernel import Kernel, kernel_of
from linkwork.large.kernels import Kind
from linkwork.large.schedule import Schedule
from linkwork.large.tree.body_kernels import BodyKernels
from linkwork.large.tree.link_kind import LinkKind
from linkwork.large.tree.tables import LinkGroup, TreeTables

Pick: TypeAlias = Callable[[LinkKind], Kernel | None]
Split: TypeAlias = Callable[[LinkKind], Mapping[str, int]]
"""Names and sizes of what a kernel gives, one after the other."""
Run: TypeAlias = tuple[LinkGroup, np.ndarray]


class Sweeps:
    """What all functions of a tree begin with: where everything is, and how it moves."""

    def __init__(self, tables: TreeTables):
        self.tables = tables
        self.of_bodies = BodyKernels(tables.model)
        self.space = self.of_bodies.space
        self.config_size = self.of_bodies.of_body.config_size
        self._inertias: dict[tuple[int, bool], Kernel] = {}
        self._rates: dict[int, Kernel] = {}
        self._lift: Kernel | None = None
        lifted = ca.vertcat(SX(0, 1), *tables.lifted)
        if lifted.numel():
            f = ca.Function("lifted", [ca.vertcat(*tables.p), SX(0, 1)], [ca.densify(lifted)], {"cse": True})
            self._lift = kernel_of(f)

    @cached_property
    def seen(self) -> bool:
        """Whether anything that moves the tree sees where its bodies are in the world."""
        others = [g.kind for g in self.tables.cut if not g.kind.is_body]
        if any(kind.dynamics is not None or kind.late_rates is not None for kind in others):
            return True
        kernels = [k for g in self.tables.link_groups for k in (g.of.efforts, g.of.early_rates, g.of.late_rates)]
        words = {what for k in kernels if k is not None for what, _ in k.gathered}
        return "carrier q" in words or any(g.of.pushing for g in self.tables.link_groups)

    def begin(self, *more: int) -> tuple[Schedule, Places]:
        """With arguments t, y, p, and more of these sizes."""
        tables = self.tables
        schedule = Schedule([1, tables.ny, len(tables.p), *more])
        t, y, p, *_ = schedule.starts
        places: Places = {"t": t, "p": p, "link q": y, "link v": y + tables.link_q}
        places["z"] = y + tables.link_q + tables.link_v
        if self._lift is not None:
            gather = p + np.arange(len(tables.p))[None, :]
            places["lifted"] = int(schedule.call(self._lift, gather, np.zeros((1, 0)))[0, 0])
        return schedule, places

    def along(
        self,
        schedule: Schedule,
        places: Places,
        pick: Pick,
        split: Split,
        *,
        inwards: bool = False,
        scatter: Callable[[LinkGroup], np.ndarray | None] = lambda group: None,
    ) -> None:
        """A kernel of every link, one after the other; what they give is then among the places, by body.

        scatter: where the last numbers of each link are added."""
        runs = [(g, m[::-1]) for g, m in reversed(self.tables.walk)] if inwards else self.tables.walk
        targets = self._room(schedule, places, runs, pick, split)
        gathers = {id(g): g.gather(kernel, places, self.tables) for g, kernel, _ in targets}
        adds = {id(g): scatter(g) for g, _, _ in targets}
        for (group, kernel, target), members in zip(targets, _members(runs, pick), strict=True):
            added = adds[id(group)]
            schedule.sweep(
                kernel, target, gathers[id(group)][members], group.table[members],
                None if added is None else added[members],
            )  # fmt: skip

    def _room(
        self, schedule: Schedule, places: Places, runs: Iterable[Run], pick: Pick, split: Split
    ) -> list[tuple[LinkGroup, Kernel, int]]:
        bodies = len(self.tables.bodies)
        widths: dict[str, int] = {}
        for group in self.tables.link_groups:
            for word, size in split(group.of).items():
                widths[word] = max(widths.get(word, 0), size)
        places |= {word: np.full((bodies, width), -1, dtype=np.int64) for word, width in widths.items()}
        targets = []
        for group, members in runs:
            kernel = pick(group.of)
            if kernel is None:
                continue
            target = schedule.room(members.size * kernel.outputs)
            targets.append((group, kernel, target))
            first = target + kernel.outputs * np.arange(members.size)
            for word, size in split(group.of).items():
                places[word][group.own[members], :size] = first[:, None] + np.arange(size)
                first = first + size
        return targets

    # Motion ----------------------------------------------------------------------------------------------------------

    def moving(self, schedule: Schedule, places: Places) -> None:
        """Poses seen from what carries each, twists, bias accelerations, q̇."""
        self.along(schedule, places, lambda kind: kind.moving, lambda kind: kind.motion_sizes)

    def placed(self, schedule: Schedule, places: Places) -> None:
        """Bodies in the world, with coordinates and speeds as components see them."""
        tables, own = self.tables, self.of_bodies
        bodies, size = len(tables.bodies), self.config_size
        order = np.array([g.own[k] for g, k in tables.ordered], dtype=np.int64)
        target = schedule.room(bodies * size)
        place = np.empty((bodies + 1, size), dtype=np.int64)
        place[order] = target + np.arange(bodies * size).reshape(bodies, size)
        place[-1] = schedule.set(self._origin()) + np.arange(size)  # of the ground, whose number is -1
        gather = np.hstack([place[tables.carrier[order]], places["relative"][order]])
        schedule.sweep(own.placed, target, gather, np.zeros((bodies, 0)))
        places["place"] = place[:-1]
        none = np.zeros((bodies, 0))
        places["q"] = int(schedule.call(own.written, places["place"], none)[0, 0])
        both = np.hstack([places["place"], places["twist"]])
        places["v"] = int(schedule.call(own.speeds, both, none)[0, 0])

    def _origin(self) -> np.ndarray:
        """The configuration of a body in the origin, unturned."""
        of = self.of_bodies.of_body
        ground = of.configuration(of.pose(SX(ca.DM(list(of.origin)))))
        return np.array(ca.DM(ground)).ravel()

    # Inertias and forces ---------------------------------------------------------------------------------------------

    def inertias(self, schedule: Schedule, places: Places, push: int | None) -> None:
        """Of every body alone; push: where generalised forces on the bodies begin."""
        bodies, n = len(self.tables.bodies), self.space.size
        if push is not None:
            places["push"] = push + np.arange(bodies * n).reshape(bodies, n)
        inertia = np.empty((bodies, n * (n + 1) // 2), dtype=np.int64)
        force = np.empty((bodies, n), dtype=np.int64)
        for group in self.bodies:
            kernel = self._inertia(group.kind, push is not None)
            given = schedule.call(kernel, group.gather(kernel, places, self.tables), group.table)
            inertia[group.own], force[group.own] = given[:, :-n], given[:, -n:]
        places |= {"articulated": inertia, "force": force}

    @property
    def bodies(self) -> list[Group]:
        return [g for g in self.tables.cut if g.kind.is_body]

    def _inertia(self, kind: Kind, pushed: bool) -> Kernel:
        key = id(kind), pushed
        if key not in self._inertias:
            self._inertias[key] = self.of_bodies.inertia(kind, pushed=pushed)
        return self._inertias[key]

    def handed_on(self, places: Places, *, forces: bool) -> Callable[[LinkGroup], np.ndarray | None]:
        """Where inertia and force of a link are added: to those of what carries it."""

        def scatter(group: LinkGroup) -> np.ndarray | None:
            if not group.of.carried:
                return None
            words = ("articulated", "force") if forces else ("articulated",)
            return np.hstack([places[word][group.bodies[:, 0]] for word in words])

        return scatter

    def reduced(self, schedule: Schedule, places: Places, *, forces: bool = True) -> None:
        """From the tips inwards: what each link feels of all that it carries."""
        n = self.space.size

        def split(kind: LinkKind) -> dict[str, int]:
            d = kind.freedoms
            sizes = {"projected": n * d, "inverse": d * (d + 1) // 2} if d else {}
            return sizes | ({"drive": d} if d and forces else {})

        pick: Pick = (lambda kind: kind.reduced) if forces else (lambda kind: kind.lightened)
        self.along(schedule, places, pick, split, inwards=True, scatter=self.handed_on(places, forces=forces))

    def rates_of_bodies(self, schedule: Schedule, places: Places) -> None:
        """Of their speeds, as components see them."""
        a = np.empty((len(self.tables.bodies), self.space.size), dtype=np.int64)
        for group in self.bodies:
            if id(group) not in self._rates:
                self._rates[id(group)] = self.of_bodies.accelerations(group.kind)
            kernel = self._rates[id(group)]
            a[group.own] = schedule.call(kernel, group.gather(kernel, places, self.tables), group.table)
        places["a"] = schedule.take(a)

    def accelerated(self, schedule: Schedule, places: Places, *, falling: bool = True) -> None:
        """From the ground outwards: accelerations of links and bodies."""
        pick: Pick = (lambda kind: kind.accelerated) if falling else (lambda kind: kind.responding)
        n = self.space.size
        self.along(schedule, places, pick, lambda kind: {"v̇": kind.freedoms, "acceleration": n})
        order = [places["v̇"][g.own[k], : g.of.freedoms] for g, k in self.tables.ordered]
        places["link a"] = schedule.take(np.concatenate([np.zeros(0, dtype=np.int64), *order]))


def _members(runs: Iterable[Run], pick: Pick) -> list[np.ndarray]:
    return [members for group, members in runs if pick(group.of) is not None]
