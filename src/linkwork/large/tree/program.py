"""A Program for a large model in joint coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.program import StateLayout
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.large.groups import Softness
from linkwork.large.large_model import LargeModel
from linkwork.large.natural_units import sizes_of
from linkwork.large.program import DEPENDENT, Large
from linkwork.large.tree.functions import TreeFunctions
from linkwork.large.tree.tables import TreeTables

if TYPE_CHECKING:
    from linkwork.core.model import Model


class LargeTree(LargeModel):
    """A model carried by a tree of joints, as tables, kernels and a schedule."""

    formulation = "minimal"
    tables: TreeTables
    functions: TreeFunctions

    def __init__(
        self,
        model: Model,
        stabilisation: Projection | Baumgarte | None,
        nominal: Mapping[str, float],
        softness: Softness | None = None,
    ):
        """Raises `Unfit` where the model needs straight-line code. softness: of constraints that are springs."""
        self.model, self.stabilised = model, isinstance(stabilisation, Baumgarte)
        self.softness = softness or {}
        self.tables = TreeTables(model, stabilisation, softness)
        self.nominal = dict(nominal)
        self._suit(sizes_of(self.tables, self.values_at(nominal)))

    def _schedules(self) -> TreeFunctions:
        return TreeFunctions(self.tables, self.sizes)

    def _look_for_redundancy(self, y: np.ndarray, p: np.ndarray) -> None:
        """Rows of loops that follow from others; who shares their loads is found in absolute coordinates."""
        if not self.tables.m:
            return
        (margins,) = self.functions.fine_margins(0.0, y, p)
        self.functions.redundant = bool(np.any(margins < DEPENDENT))

    def owners_of_redundancy(self, absolute: Large, closed: np.ndarray, p: np.ndarray) -> list[str]:
        if not self.functions.redundant:
            return []
        absolute.ready(closed, p)
        return absolute.redundant_owners

    @cached_property
    def state_names(self) -> list[str]:
        return self.tables.state_names()

    @property
    def layout(self) -> StateLayout:
        tables = self.tables
        return StateLayout(tables.link_q, tables.link_v, tables.nz, tables.m)

    def _lengths(self) -> tuple[np.ndarray, np.ndarray]:
        both = [group.of.chart.lengths() for group, _ in self.tables.ordered]
        none = np.zeros(0, dtype=bool)
        at, speed = (np.concatenate([none, *(np.array(x[k], dtype=bool) for x in both)]) for k in (0, 1))
        return at, speed

    def places_at(self, y: np.ndarray, p: np.ndarray) -> np.ndarray:
        (q,) = self.functions.coordinates(0.0, y, p)
        return q.reshape(-1, self.tables.coordinates)[:, : self.model.dimension]
