"""The spanning tree of a mechanism: which joints carry coordinates, which are cut."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca

from linkwork.components.bodies import Body, Solid
from linkwork.components.joint import Joint
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model


@dataclass(frozen=True)
class Link:
    """A body and the joint that carries it; `joint` is None for a body that floats freely.

    forward: the body is at the joint's second frame (N); else at its first (M), and the joint is walked backwards.
    """

    body: Body
    parent: Solid
    joint: Joint | None
    forward: bool


Graph = dict[str, list[tuple[int, Joint, Solid, bool]]]
"""Body → (number, joint, body behind it, whether that is at the joint's second frame)."""


@dataclass(frozen=True)
class Tree:
    """Links in an order where parents come first, and the joints that close loops."""

    links: list[Link]
    cut: list[Joint]


def spanning_tree(model: Model, placed: Sequence[Body] = (), light: Collection[str] = ()) -> Tree:
    """Grow from the ground (and from bodies that are `placed` otherwise), the nearest body first.

    Always along the joint with the fewest freedoms within reach. That keeps coordinates few and cuts the
    joints with the fewest equations. Joints of `light` bodies come first: where such a body is no tip of the tree, it
    need not hold anything by its own mass. Always cut are joints that are compliant or given by equations alone, and
    those whose frames or lengths change with time or state: their coordinates alone do not say how fast the body behind
    them moves.
    """
    graph: Graph = {}
    for k, joint in enumerate(model.of_type(Joint)):
        if joint.compliance is None and joint.explicit and not depends_on_time(joint, model):
            a, b = joint.first.body, joint.second.body
            graph.setdefault(a.name, []).append((k, joint, b, True))
            graph.setdefault(b.name, []).append((k, joint, a, False))
    bodies = model.of_type(Body)
    reached = {model.ground.name, *(body.name for body in placed)}
    links: list[Link] = []
    _grow([model.ground, *placed], graph, reached, links, light)
    for body in bodies:
        if body.name not in reached:
            reached.add(body.name)
            links.append(Link(body, model.ground, None, True))
            _grow([body], graph, reached, links, light)
    used = {link.joint.name for link in links if link.joint is not None}
    return Tree(links, [j for j in model.of_type(Joint) if j.name not in used])


def depends_on_time(joint: Joint, model: Model) -> bool:
    """Whether more than parameters says where its frames are on their bodies, and how long it is."""
    key = "depends on time", joint.name
    if key not in model.memory:
        model.memory[key] = _depends_on_time(joint, model)
    return bool(model.memory[key])


def _depends_on_time(joint: Joint, model: Model) -> bool:
    poses = [part for marker in (joint.first.local, joint.second.local) for part in (marker.p, marker.R)]
    varied = [x for x in (*poses, *vars(joint).values()) if isinstance(x, SX) and not x.is_constant()]
    if not varied:
        return False
    given = ca.vertcat(*(ca.vec(SX(x)) for x in varied))
    known = {s.element_hash() for s in model.symbols(model.parameters)}
    return any(s.element_hash() not in known for s in ca.symvar(given))


def _grow(roots: Sequence[Solid], graph: Graph, reached: set[str], links: list[Link], light: Collection[str]) -> None:
    heap: list[tuple[bool, int, int, int, int]] = []
    offered: list[tuple[Solid, Joint, Body, bool]] = []

    def offer(body: Solid, depth: int) -> None:
        for k, joint, other, forward in graph.get(body.name, []):
            if other.name not in reached and isinstance(other, Body):
                heavy = not (body.name in light or other.name in light)
                heapq.heappush(heap, (heavy, len(joint.coordinates), depth, k, len(offered)))
                offered.append((body, joint, other, forward))

    for root in roots:
        offer(root, 0)
    while heap:
        _, _, depth, _, number = heapq.heappop(heap)
        body, joint, other, forward = offered[number]
        if other.name not in reached:
            reached.add(other.name)
            links.append(Link(other, body, joint, forward))
            offer(other, depth + 1)
