"""Mason's rule: G = Σ Pₖ Δₖ / Δ over forward paths, Δ = 1 − Σ L + Σ L L′ − … over loops that touch nowhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from linkwork.bondgraph.transfer.laurent import Laurent
from linkwork.bondgraph.transfer.signal_flow import Gain, Node, SignalFlow
from linkwork.core.errors import LinkworkError

if TYPE_CHECKING:
    import networkx as nx

ROUTE_LIMIT = 800
"""Paths or loops that are looked for."""


@dataclass(frozen=True)
class Route:
    """A forward path, or a loop (whose first node follows its last)."""

    nodes: tuple[Node, ...]
    gains: tuple[Gain, ...]

    def touches(self, other: Route) -> bool:
        return not set(self.nodes).isdisjoint(other.nodes)


def routes(flow: SignalFlow, source: Node, output: Node) -> tuple[list[Route], list[Route]]:
    """Forward paths, and loops on the way between the two; others have no part in the ratio."""
    import networkx as nx

    whole = nx.DiGraph(list(flow.by))
    whole.add_nodes_from([source, output])
    between = (nx.descendants(whole, source) | {source}) & (nx.ancestors(whole, output) | {output})
    part = whole.subgraph(between)
    if source not in part or output not in part:
        return [], []
    return _paths(flow, part, source, output), _loops(flow, part)


def _paths(flow: SignalFlow, part: nx.DiGraph[Node], source: Node, output: Node) -> list[Route]:
    import networkx as nx

    paths = list(islice(nx.all_simple_paths(part, source, output), ROUTE_LIMIT + 1))
    _few(flow, paths, "forward paths")
    return [Route(tuple(p), tuple(flow.by[e] for e in pairwise(p))) for p in sorted(paths, key=lambda p: (len(p), p))]


def _loops(flow: SignalFlow, part: nx.DiGraph[Node]) -> list[Route]:
    import networkx as nx

    cycles = list(islice(nx.simple_cycles(part), ROUTE_LIMIT + 1))
    _few(flow, cycles, "loops")
    turned = [c[c.index(min(c)) :] + c[: c.index(min(c))] for c in cycles]
    ordered = sorted(turned, key=lambda c: (len(c), c))
    return [Route(tuple(c), tuple(flow.by[e] for e in pairwise([*c, c[0]]))) for c in ordered]


def _few(flow: SignalFlow, ways: list[list[Node]], what: str) -> None:
    if len(ways) > ROUTE_LIMIT:
        raise LinkworkError(
            f"has more than {ROUTE_LIMIT} {what}: Mason's rule would take too long.",
            component=flow.graph.name,
            remedy="Take g.linearize(…), whose transfer function needs no paths.",
        )


def determinant(loops: list[Route], value: Callable[[Route], Laurent], one: Laurent) -> Laurent:
    """Δ of these loops: 1 less each, plus products of two that do not touch, less products of three, …

    Loops are taken one after the other, Δ(l, rest) = Δ(rest) − l Δ(rest that l does not touch); sets are bits.
    """
    gains = [value(loop) for loop in loops]
    apart = [sum(1 << j for j, b in enumerate(loops) if j != i and not a.touches(b)) for i, a in enumerate(loops)]
    touching = [sum(1 << j for j in range(len(loops)) if j != i and not apart[i] >> j & 1) for i in range(len(loops))]
    known: dict[int, Laurent] = {0: one}

    def of(these: int) -> Laurent:
        if these not in known:
            product = one
            for group in _groups(these, touching):
                product = product * (of(group) if group != these else split(group))
            known[these] = product
        return known[these]

    def split(these: int) -> Laurent:
        most = max(_members(these), key=lambda i: (these & touching[i]).bit_count())
        rest = these & ~(1 << most)
        return of(rest) - gains[most] * of(rest & apart[most])

    return of((1 << len(loops)) - 1)


def _members(these: int) -> list[int]:
    return [i for i in range(these.bit_length()) if these >> i & 1]


def _groups(these: int, touching: list[int]) -> list[int]:
    """Loops that touch each other, directly or by others: the determinants of such groups multiply."""
    groups = []
    while these:
        group, edge = 0, these & -these
        while edge:
            group |= edge
            edge = _near(edge, touching) & these & ~group
        groups.append(group)
        these &= ~group
    return groups


def _near(these: int, touching: list[int]) -> int:
    union = 0
    for i in _members(these):
        union |= touching[i]
    return union


def mason(
    paths: list[Route], loops: list[Route], value: Callable[[Route], Laurent], one: Laurent
) -> tuple[Laurent, Laurent]:
    """Σ Pₖ Δₖ and Δ; value: gain of a path or loop."""
    total = Laurent({})
    for path in paths:
        left = [loop for loop in loops if not loop.touches(path)]
        total = total + value(path) * determinant(left, value, one)
    return total, determinant(loops, value, one)
