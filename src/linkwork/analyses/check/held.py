"""What constraints hold where a model starts; of a large one by its kernels, as full matrices would be too large."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.equations import Equations
from linkwork.formulations.stabilisation import Projection
from linkwork.large.fits import large_of
from linkwork.large.groups import named
from linkwork.large.program import Large
from linkwork.large.size import LARGE, count_bodies
from linkwork.large.slots import Unfit

if TYPE_CHECKING:
    from linkwork.core.model import Model

AWAY = 1e-3
"""How far to go to see whether a position is singular, in natural units."""
CLOSINGS = 5
"""Newton steps after such a displacement."""


@dataclass(frozen=True)
class Held:
    """Rows that follow from others, joints that share loads because of it, and the rank next to the position."""

    redundant: list[int]
    sharing: list[str]
    nearby: int


def held_by_kernels(model: Model, eq: Equations, y: np.ndarray, p: np.ndarray) -> Held | None:
    """At a state y, for p of the absolute equations, whose rows are told; None: it is small, or has no kernels."""
    if count_bodies(model) < LARGE:
        return None
    try:
        large = large_of(model, Projection())
    except Unfit:
        return None
    assert isinstance(large, Large)
    p = _p(large, eq, p)
    large.ready(y, p)
    functions, m = large.functions, large.tables.m
    if not functions.soft_rows.size:  # a tree
        return Held([], [], m)
    dependent = large.dependent(y, p)
    if not dependent.size:
        return Held([], [], m)
    nearby = large.dependent(_moved(large, y, p), p).size
    return Held(sorted(_rows(large, eq)[dependent].tolist()), large.sharing(dependent, y, p), m - nearby)


def _p(large: Large, eq: Equations, p: np.ndarray) -> np.ndarray:
    """p of kernels, which follow other things over time, or in another order."""
    given = large.tables.given
    known = {x.symbol.element_hash(): float(v) for x, v in zip(eq.signals.taken, p[given:], strict=True)}
    return np.concatenate([p[:given], [known.get(x.symbol.element_hash(), 0.0) for x in large.tables.taken]])


def _rows(large: Large, eq: Equations) -> np.ndarray:
    """Numbers of the rows of kernels among those of the absolute equations."""
    place = {(row.owner, row.direction, row.number): k for k, row in enumerate(eq.constraints.rows)}
    numbers = np.zeros(large.tables.m, dtype=np.int64)
    for group in large.tables.groups:
        for n, row in enumerate(group.kind.rows):
            for k, first in enumerate(group.rows.tolist()):
                numbers[first + n] = place[named(group, k, row.owner), row.direction, row.number]
    return numbers


def _moved(large: Large, y: np.ndarray, p: np.ndarray) -> np.ndarray:
    """A little way off, on the constraints."""
    program, tables = large.program(), large.tables
    aside = AWAY * large.functions.steps * np.random.default_rng(0).uniform(-1, 1, tables.nv)
    moved = y.copy()
    (moved[: tables.nq],) = program.function("retract")(y[: tables.nq], aside)
    moved[tables.nq : tables.nq + tables.nv] = 0
    for _ in range(CLOSINGS):
        moved, _ = program.function("project")(0.0, moved, p)
    return moved
