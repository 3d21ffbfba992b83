"""Structurally singular systems, in words: which equations say too much, which unknowns nobody determines."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from linkwork.core.errors import ModelError
from linkwork.structure.system import System


def explain_singular(system: System, signature: list[dict[int, int]], match: np.ndarray) -> NoReturn:
    """Dulmage and Mendelsohn's parts: reached by alternating paths from what the matching leaves over.

    match[i]: the unknown of equation i, or −1.
    """
    owner_of = {int(j): i for i, j in enumerate(match) if j >= 0}
    free_equations = [i for i, j in enumerate(match) if j < 0]
    free_unknowns = [j for j in range(len(system.unknowns)) if j not in owner_of]
    if free_equations:
        equations, unknowns = _over(signature, owner_of, free_equations)
        said = _owners(system, equations)
        about = system.names(sorted(unknowns)) or "nothing that is still unknown"
        raise ModelError(
            f"{len(equations)} equations for {len(unknowns)} unknowns ({about}):"
            f" {_count(len(equations) - len(unknowns), 'equation')} too many among {said}.",
            component=system.equations[free_equations[0]].owner,
            remedy="Take one of these components away, or give it a quantity of its own to determine"
            + ("; " + _left(system, free_unknowns) if free_unknowns else "."),
        )
    unknowns = _under(signature, match, free_unknowns)
    raise ModelError(
        f"nothing determines {system.names(sorted(unknowns)[:8])}: {_count(len(free_unknowns), 'equation')} too few.",
        component=system.unknowns[free_unknowns[0]].owner,
        remedy="A connection, a ground or a law is missing there.",
    )


def _over(signature: list[dict[int, int]], owner_of: dict[int, int], start: list[int]) -> tuple[set[int], set[int]]:
    equations, unknowns, waiting = set(start), set[int](), list(start)
    while waiting:
        for j in signature[waiting.pop()]:
            if j not in unknowns:
                unknowns.add(j)
                if j in owner_of and owner_of[j] not in equations:
                    equations.add(owner_of[j])
                    waiting.append(owner_of[j])
    return equations, unknowns


def _under(signature: list[dict[int, int]], match: np.ndarray, start: list[int]) -> set[int]:
    holding: dict[int, list[int]] = {}
    for i, row in enumerate(signature):
        for j in row:
            holding.setdefault(j, []).append(i)
    unknowns, waiting = set(start), list(start)
    while waiting:
        for i in holding.get(waiting.pop(), []):
            j = int(match[i])
            if j >= 0 and j not in unknowns:
                unknowns.add(j)
                waiting.append(j)
    return unknowns


def _owners(system: System, equations: set[int]) -> str:
    return ", ".join(dict.fromkeys(str(system.equations[i]) for i in sorted(equations)))


def _left(system: System, unknowns: list[int]) -> str:
    return f"on the other hand nothing determines {system.names(unknowns)}."


def _count(n: int, what: str) -> str:
    return f"one {what}" if n == 1 else f"{n} {what}s"
