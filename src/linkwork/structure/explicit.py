"""A set of implicit equations made explicit: relations taken out, the index found, blocks solved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from linkwork.structure.aliases import Reduced, reduced
from linkwork.structure.cuts import cut
from linkwork.structure.exposed import expose
from linkwork.structure.index import Index, index_of
from linkwork.structure.solution import Solution, Solver
from linkwork.structure.system import System


@dataclass
class Explicit:
    """What was found on the way, and the steps."""

    reduction: Reduced
    index: Index
    solver: Solver
    solution: Solution


def explicit(
    system: System, constants: set[int], refuse: Callable[[Reduced], None], *, movers: int = 0, **options: Any
) -> Explicit:
    """constants: hashes of parameters; refuse(reduction): raises where equations say too much; options: of `Solver`."""
    cut(system)
    reduction = reduced(system, constants, movers)
    reduction.empty += expose(system, constants)
    reduction.join(reduced(system, constants, movers))
    refuse(reduction)
    index = index_of(system, system.signature())
    solver = Solver(system, index, constants, movers=movers, **options)
    solution = solver.run()
    steps = []
    for taken in reduction.taken:  # its derivatives may ask for those of unknowns that were taken out after it
        values = [taken.value]
        while len(values) < len(taken.unknown.chain):
            values.append(system.derivative(values[-1]))
        steps.append(list(zip(taken.unknown.chain, values, strict=True)))
    solution.steps += [step for taken_steps in reversed(steps) for step in taken_steps]
    return Explicit(reduction, index, solver, solution)
