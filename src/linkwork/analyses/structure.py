"""What the acausal formulation makes of a model: equations, index, blocks, states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from linkwork.core.arguments import method
from linkwork.core.errors import UnknownName
from linkwork.core.kinds import text
from linkwork.core.registry import verb
from linkwork.formulations import acausal
from linkwork.simulation.arguments import parameters_of
from linkwork.structure.solution import Block
from linkwork.structure.system import Equation

if TYPE_CHECKING:
    from linkwork.core.model import Model

LISTED_NAMES = 6
"""Names that are listed before the rest is only counted."""


@dataclass
class Structure:
    """The flattened model.

    equations: as many as unknowns; aliases: those taken out first (x = c y + known); index: how far constraints are
    hidden (0: an ODE, 1: algebraic equations, 3: constraints between positions); differentiated: equations of each
    number of differentiations; states: of networks (first order); blocks: what must be solved together.
    """

    equations: int
    aliases: int
    index: int
    differentiated: dict[int, int]
    states: list[str]
    blocks: list[Block]
    said: list[Equation] = field(default_factory=list, repr=False)
    """All equations, as components and their ports say them."""

    @method(component=text)
    def equations_of(self, component: str) -> list[str]:
        """What a body, joint, law or component with ports says: expressions that vanish, and what each of them is."""
        if component not in (owners := dict.fromkeys(e.owner for e in self.said)):
            raise UnknownName("component with equations", component, list(owners))
        return [f"{e.text}: 0 = {e.residual}" for e in self.said if e.owner == component]

    def __str__(self) -> str:
        lines = [
            f"{self.equations} equations, {self.aliases} of them aliases; index {self.index}",
            *(
                f"{count} equations differentiated {'once' if n == 1 else f'{n} times'}"
                for n, count in sorted(self.differentiated.items())
                if n
            ),
        ]
        if self.states:
            lines.append(f"states of networks: {_listed(self.states)}")
        for block in self.blocks:
            how = "linear" if block.linear else "nonlinear, by Newton steps"
            lines.append(
                f"block of {len(block.unknowns)} unknowns, {len(block.torn)} torn ({how}): {_listed(block.torn)}"
            )
        return "\n".join(lines)


@verb
def structure(model: Model, *, parameters: Mapping[str, float] | None = None) -> Structure:
    """Flatten, match, sort and tear the model as `formulation="acausal"` does, and tell what came out.

    parameters: values other than the defaults, where what is zero decides which equations there are.
    """
    chosen = parameters_of(model, parameters)
    model.parameter_values(chosen)
    with model.prepared_for(chosen):
        solved, said = acausal.solved_of(model)
    times = [int(n) for n in solved.index.times]
    return Structure(
        equations=len(solved.system.equations) + len(solved.reduction.taken),
        aliases=len(solved.reduction.taken),
        index=solved.index.value,
        differentiated={n: times.count(n) for n in sorted(set(times))},
        states=[name for name, *_ in solved.solution.states] + [n for k in solved.solution.algebraic for n in k.names],
        blocks=solved.solution.blocks,
        said=said,
    )


def _listed(names: list[str]) -> str:
    rest = len(names) - LISTED_NAMES
    return ", ".join(names[:LISTED_NAMES]) + (f" and {rest} more" if rest > 0 else "")
