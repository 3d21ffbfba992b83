"""Sequential assignment of causality: wishes are granted one after another, each with all that follows from it.

Karnopp and Rosenberg's order: what sources and non-invertible two-ports fix; then integral causality of the stores;
then a free choice for what is left, which is an algebraic loop. A wish that would leave no causality for the rest is
not granted, so that no choice has to be taken back later.
"""

from __future__ import annotations

from linkwork.bondgraph.assigning.causal_rules import EITHER, FIXED, FLOW, RESISTANCE, STORE, Wish
from linkwork.bondgraph.assigning.junction_structure import JunctionStructure
from linkwork.bondgraph.assigning.orientation import Orientation
from linkwork.bondgraph.elements import Element
from linkwork.bondgraph.graph import BondGraph

ORDER = {
    "scap": (FIXED, RESISTANCE, FLOW, STORE),
    "relaxed": (FIXED, RESISTANCE, FLOW, STORE),
    "lagrangian": (FIXED, RESISTANCE, STORE, FLOW),
}
"""Who is asked first. Flow sources that come too late are conflicts in "scap" and are opened by the other two."""


class Assignment:
    """One pass over all wishes. Bonds are numbers, as in graph.bonds.

    setting: for each odd gyrator, whether it receives effort at both ports (otherwise flow); empty: their ports are
    left free of each other, to see which way they would go.
    """

    def __init__(
        self, graph: BondGraph, method: str, structure: JunctionStructure, asked: list[Wish], setting: tuple[bool, ...]
    ):
        self.graph, self.method, self.structure, self.setting = graph, method, structure, setting
        self.tokens = Orientation(structure.ends, structure.need)
        self.granted: list[Wish] = []
        self.refused: list[Wish] = []
        self.chosen: list[int] = []
        odd = [Wish(g, port, x, FIXED) for g, x in zip(structure.odd, setting, strict=bool(setting)) for port in (0, 1)]
        self.order = [w for strength in ORDER[method] for w in (*odd, *asked) if w.strength == strength]
        self._guess()
        self.unbalanced = self.tokens.repair()
        """Nodes whose rule cannot be kept whatever the other elements do, with all that took part."""
        for wish in self.order:
            self._ask(wish)
        self._loops_of_held()
        for wish in asked:
            if wish.strength == EITHER:
                bond = structure.leaf[wish.element, wish.port]
                self._choose(bond, self._wanted(wish, bond))
        for bond in range(len(graph.bonds)):
            self._choose(bond)

    @property
    def conflicting(self) -> list[Wish]:
        """Wishes that had to be granted and were not."""
        may_be_opened = () if self.method == "scap" else (FLOW,)
        return [w for w in self.refused if w.strength not in (STORE, *may_be_opened)]

    @property
    def score(self) -> tuple[int, list[bool]]:
        """The smaller the better: conflicts, then which wishes were refused, in the order in which they were asked."""
        refused = set(self.refused)
        return len(self.unbalanced) + len(self.conflicting), [w in refused for w in self.order]

    def head_receives(self, bond: int) -> bool:
        """Whether the stroke is at the head of the bond."""
        return (self.tokens.token[bond] == 1) != self.structure.dual[bond]

    def receives_effort(self, element: Element, port: int) -> bool:
        """Whether a leaf receives the effort at its port."""
        bond = self.structure.leaf[element, port]
        return self.head_receives(bond) == (self.graph.bonds[bond].head.element is element)

    def _guess(self) -> None:
        """Grant every wish that nothing speaks against yet: nearly always right, and a good start where it is not."""
        for wish in self.order:
            bond = self.structure.leaf[wish.element, wish.port]
            if not self.tokens.assigned[bond]:
                self.tokens.token[bond] = self._wanted(wish, bond)
                self.tokens.assign(bond)
        self.tokens.release()

    def _wanted(self, wish: Wish, bond: int) -> int:
        at_head = self.graph.bonds[bond].head.element is wish.element
        return int((at_head == wish.effort_in) != self.structure.dual[bond])

    def _ask(self, wish: Wish) -> None:
        tokens, bond = self.tokens, self.structure.leaf[wish.element, wish.port]
        free = not tokens.assigned[bond] and bond not in tokens.held
        if tokens.token[bond] != self._wanted(wish, bond) and not (free and tokens.flip(bond)):
            self._blocked(bond)
            self.refused.append(wish)
            return
        self.granted.append(wish)
        if wish.strength == RESISTANCE:
            tokens.held.add(bond)  # no cause yet: whether it closes an algebraic loop shows after the stores
        elif not tokens.assigned[bond]:
            tokens.assign(bond)

    def _blocked(self, bond: int) -> None:
        """This bond has to stay as it is: assign it, with the reason."""
        tokens = self.tokens
        if tokens.assigned[bond]:
            return
        if bond in tokens.held:
            tokens.assign(bond)
            return
        near = sorted({b for n in tokens.visited if n >= 0 for b in tokens.bonds[n]})
        for b in near:
            if b in tokens.held and not tokens.assigned[b]:
                tokens.assign(b)
        if not tokens.assigned[bond]:
            # not one rule but several together: whatever is assigned around all that was searched
            tokens.assign(bond, (self._inner(bond), tuple(b for b in near if tokens.assigned[b])))

    def _loops_of_held(self) -> None:
        """Resistors that had to have the flow: each whose bond is still open closes an algebraic loop."""
        held, self.tokens.held = sorted(self.tokens.held), set()
        for bond in held:
            self._choose(bond)

    def _choose(self, bond: int, wanted: int | None = None) -> None:
        """Settle an open bond; where both ways were possible, say so."""
        tokens = self.tokens
        if tokens.assigned[bond]:
            return
        keep = wanted is None or tokens.token[bond] == wanted
        if not tokens.flip(bond, dry=keep):
            self._blocked(bond)
            return
        self.chosen.append(bond)
        tokens.assign(bond)

    def _inner(self, bond: int) -> int:
        tail, head = self.structure.ends[bond]
        return head if self.structure.need[tail] is None else tail
