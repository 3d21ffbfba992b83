"""A large model in absolute coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from linkwork.components.joint import Joint
from linkwork.core.component import Constraint
from linkwork.core.program import StateLayout
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.large.functions import Functions
from linkwork.large.groups import Softness, Tables
from linkwork.large.large_model import LargeModel
from linkwork.large.natural_units import sizes_of

if TYPE_CHECKING:
    from linkwork.core.model import Model

DEPENDENT = 1e-10
"""Margin up to which a row counts as redundant where it is hardly soft: far more than its softness, which is left of it
as many times over as it takes of others (200 times, in random mechanisms), and squared rounding errors."""
SHARED = 1e-6
"""Share of the largest answer to a load on redundant rows from which a row takes part in carrying it, in the metric of
masses: of rows between heavy bodies it is small where light bodies take part."""


class Large(LargeModel):
    """Its bodies move by themselves, held by the rows of all joints."""

    formulation = "absolute"
    functions: Functions

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
        self.tables = Tables(model, stabilisation, softness)
        self._suit(sizes_of(self.tables, self.values_at(nominal)))
        self.nominal = dict(nominal)

    def _schedules(self) -> Functions:
        return Functions(self.tables, self.sizes)

    def _look_for_redundancy(self, y: np.ndarray, p: np.ndarray) -> None:
        self.redundant_owners: list[str] = []
        if self.functions.soft_rows.size:
            dependent = self.dependent(y, p)
            self.functions.redundant = bool(dependent.size)
            self.redundant_owners = self.sharing(dependent, y, p) if dependent.size else []

    def dependent(self, y: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Rows that follow from those eliminated before them."""
        (margins,) = self.functions.fine_margins(0.0, y, p)
        return self.functions.soft_rows[margins < DEPENDENT]

    def owners_of_redundancy(self, absolute: Large, closed: np.ndarray, p: np.ndarray) -> list[str]:
        return self.redundant_owners

    def sharing(self, dependent: np.ndarray, y: np.ndarray, p: np.ndarray) -> list[str]:
        """Who takes part in combinations of rows that do nothing: being soft, they answer far more than others, and
        what they answer, as a load, is answered by nothing else."""
        response, nv, felt, soft = self.functions.response(), self.tables.nv, self.sizes.felt, self.functions.soft_rows
        right = np.zeros(self.tables.unknowns)
        right[nv + dependent] = np.random.default_rng(0).uniform(0.5, 1.0, dependent.size)
        for _ in range(2):
            (answer,) = response(0.0, y, p, right)
            right[nv + soft] = (answer[nv:] * felt)[soft]
            right /= np.abs(right).max() or 1.0
        loads = np.abs(answer[nv:]) * np.sqrt(felt)
        rows = np.flatnonzero(loads > SHARED * loads.max(initial=0.0))
        tell = {c.name for c in self.model.of_type(Constraint) if tells_forces(c)}
        return [name for name in dict.fromkeys(self.row_owners[k] for k in rows.tolist()) if name in tell]

    @cached_property
    def state_names(self) -> list[str]:
        tables = self.tables
        names = [b.name for b in tables.bodies]
        return [
            *(name for name in names for _ in range(tables.coordinates)),
            *(name for name in names for _ in range(tables.speeds)),
            *tables.z_names,
        ]

    @property
    def layout(self) -> StateLayout:
        tables = self.tables
        return StateLayout(tables.nq, tables.nv, tables.nz, tables.m)

    def _lengths(self) -> tuple[np.ndarray, np.ndarray]:
        tables = self.tables
        at, speed = (np.arange(n) < self.model.dimension for n in (tables.coordinates, tables.speeds))
        return np.tile(at, len(tables.bodies)), np.tile(speed, len(tables.bodies))

    def places_at(self, y: np.ndarray, p: np.ndarray) -> np.ndarray:
        tables = self.tables
        return y[: tables.nq].reshape(-1, tables.coordinates)[:, : self.model.dimension]


def tells_forces(constraint: Constraint) -> bool:
    """Whether what it bears is recorded as forces."""
    return isinstance(constraint, Joint) or type(constraint).held_by is not Constraint.held_by
