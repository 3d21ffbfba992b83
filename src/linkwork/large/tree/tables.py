"""A large model as a tree of links, and the joints that close its loops: who is between whom, in which order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.components.bodies import Ground
from linkwork.components.joint import Joint
from linkwork.core.component import Component
from linkwork.formulations.order import structure_of
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.formulations.tree import Link, spanning_tree
from linkwork.geometry import SX
from linkwork.large.groups import Group, Places, Softness, Tables
from linkwork.large.kernel import Entry
from linkwork.large.prototypes import Instance
from linkwork.large.slots import Unfit
from linkwork.large.tree.link import link_instance, link_prototype
from linkwork.large.tree.link_kind import LinkKind

if TYPE_CHECKING:
    from linkwork.core.model import Model

OF_CARRIER = {"carrier twist": "twist", "carrier acceleration": "acceleration"}


@dataclass
class LinkGroup(Group):
    """Links of one kind. `bodies`: what carries each, unless it is the ground, and its own."""

    links: list[Link] = field(default_factory=list)
    first_q: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    first_v: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Where the coordinates, and the speeds, of each begin."""

    @property
    def of(self) -> LinkKind:
        assert isinstance(self.kind, LinkKind)
        return self.kind

    def at(self, entry: Entry, places: Places, tables: Tables) -> np.ndarray:
        what, k = entry
        if what == "link q":
            return places[what] + self.first_q + k
        if what in ("link v", "link a"):
            return places[what] + self.first_v + k
        if what == "carrier q":
            return places["q"] + tables.coordinates * self.bodies[:, 0] + k
        if what in OF_CARRIER:
            return places[OF_CARRIER[what]][self.bodies[:, 0], k]
        return super().at(entry, places, tables)


class TreeTables(Tables):
    """All groups of a model whose bodies are carried by a tree of joints."""

    def __init__(
        self, model: Model, stabilisation: Projection | Baumgarte | None = None, softness: Softness | None = None
    ):
        self.tree = spanning_tree(model, [], structure_of(model).light)
        self._by_joint = {link.joint.name: link for link in self.tree.links if link.joint is not None}
        super().__init__(model, stabilisation, softness)
        self.cut = [g for g in self.groups if not isinstance(g, LinkGroup)]
        """Groups of what is written in the speeds of bodies: bodies, forces, points, joints that close loops."""
        self.carrier = np.full(len(self.bodies), -1, dtype=np.int64)
        """By body: what carries it; -1: the ground."""
        for link in self.tree.links:
            if not isinstance(link.parent, Ground):
                self.carrier[self._numbers[link.body.name]] = self._numbers[link.parent.name]
        self.walk = [*self._walk()]
        """Links outwards, in runs of one kind: (group, members)."""

    def _grouped(self) -> list[Group]:
        groups = super()._grouped()
        self.link_groups = [g for g in groups if isinstance(g, LinkGroup)]
        floating = [link for link in self.tree.links if link.joint is None]
        if floating:
            alike = [link_instance(self.model, link, self._numbers) for link in floating]
            self.link_groups.append(self._link_group(alike, floating))
        return groups

    def _instance(self, component: Component, *, strict: bool = False) -> Instance:
        link = self._by_joint.get(component.name)
        if link is None:
            return super()._instance(component, strict=strict)
        return link_instance(self.model, link, self._numbers, strict=strict)

    def _group(self, alike: list[Instance]) -> Group:
        links = [self._by_joint.get(one.component.name) for one in alike]
        if links[0] is None:
            return super()._group(alike)
        return self._link_group(alike, [link for link in links if link is not None])

    def _link_group(self, alike: list[Instance], links: list[Link]) -> LinkGroup:
        fixed = [not isinstance(x, SX) for x in alike[0].slots]
        prototype = link_prototype(self.model, alike[0], links[0])
        self.check_trial(prototype, alike)
        kind = LinkKind(prototype, alike[0].component.name, fixed)
        return LinkGroup(kind, *self._columns(kind, alike, fixed), links=links)

    def _number_states(self) -> None:
        self._number_links()
        super()._number_states()

    def _followed_turns(self, place: dict[str, int], joint: Joint, label: str) -> int:
        """Coordinates of the tree count their turns themselves; they are before z."""
        if f"{joint.name}.{label}" in place:
            return super()._followed_turns(place, joint, label)
        link = self._by_joint[joint.name]
        group, k = self._by_body[link.body.name]
        value = [pair[0] for c, pair in group.of.chart.direct.items() if c.name == f"#.{label}"]
        own = [i for i, s in enumerate(ca.vertsplit(group.of.chart.q)) if value and ca.is_equal(s, value[0])]
        if not own:
            raise Unfit(joint.name, f"its {label} is given over time, and something counts its turns")
        return int(group.first_q[k]) + own[0] - self.link_q - self.link_v

    def _number_links(self) -> None:
        """Coordinates and speeds, in the order of the tree, as straight-line code has them."""
        place = self._by_body = {link.body.name: (g, k) for g in self.link_groups for k, link in enumerate(g.links)}
        self.link_of = [place[b.name] for b in self.bodies]
        """By body: the group of the link that carries it, and its number there."""
        for group in self.link_groups:
            group.first_q, group.first_v = (np.zeros(len(group.links), dtype=np.int64) for _ in range(2))
        self.ordered = [place[link.body.name] for link in self.tree.links]
        self.link_q = self.link_v = 0
        for group, k in self.ordered:
            group.first_q[k], group.first_v[k] = self.link_q, self.link_v
            self.link_q += group.of.chart.q.numel()
            self.link_v += group.of.freedoms

    def _walk(self) -> Iterator[tuple[LinkGroup, np.ndarray]]:
        """Of all that can come next, always as many of a kind as there are."""
        children: dict[int, list[int]] = {}
        for body, carrier in enumerate(self.carrier.tolist()):
            children.setdefault(carrier, []).append(body)
        ready: dict[int, list[int]] = {}

        def offer(bodies: list[int]) -> None:
            for b in bodies:
                ready.setdefault(id(self.link_of[b][0]), []).append(b)

        offer(children.get(-1, []))
        while ready:
            key = max(ready, key=lambda k: len(ready[k]))
            group, members = self.link_of[ready[key][0]][0], []
            while ready.get(key):
                for b in ready.pop(key):
                    members.append(self.link_of[b][1])
                    offer(children.get(b, []))
            yield group, np.array(members, dtype=np.int64)

    @property
    def ny(self) -> int:
        return self.link_q + self.link_v + self.nz

    def state_names(self) -> list[str]:
        """Whom each state belongs to."""
        names = [[g.links[k].body.name] * n for which in (0, 1) for g, k in self.ordered
                 for n in [(g.of.chart.q if which == 0 else g.of.chart.v).numel()]]  # fmt: skip
        return [name for part in names for name in part] + self.z_names
