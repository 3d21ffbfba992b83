"""Position is enough: a model whose bodies are placed by position matrices in generalised coordinates (SYM, CAGeM)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

import casadi as ca

from linkwork.components.bodies import Body, Inertia
from linkwork.components.variables import Guide, Position, Variable
from linkwork.core import kinds
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.model import Model
from linkwork.geometry import SX, Number, Vector

COORDINATE_LIMIT = 10_000
"""Coordinates of one model."""


class Kinematics(Model):
    """A model in generalised coordinates.

    coordinates: how many (named q0, q1, …), or their names; units: of all, or of each ("m", "rad"). `k.q` are their
    symbols, `k.qdot` those of their rates; `k.body(name, pose, mass=…, inertia=…)` places a body by a position matrix,
    written in them. Speeds, accelerations, partial velocities, mass matrix and Coriolis terms follow. Everything else
    is as in any model: joints, forces and laws can be added, and `k["q0"]` is a coordinate with laws and a start value.
    """

    natural = "minimal"

    def __init__(
        self,
        name: str,
        coordinates: int | Sequence[str] = 0,
        *,
        gravity: Vector = (0, -9.81, 0),
        units: str | Sequence[str] = "rad",
    ):
        super().__init__(name, gravity=gravity)
        count = (
            isinstance(coordinates, int) and not isinstance(coordinates, bool) and 0 <= coordinates <= COORDINATE_LIMIT
        )
        if not count and not isinstance(coordinates, (list, tuple)):
            raise ModelError(
                f"coordinates {coordinates!r}.", component=name, remedy="Give how many there are, or their names."
            )
        names = [f"q{i}" for i in range(coordinates)] if isinstance(coordinates, int) else list(coordinates)
        units = kinds.names.taken("units", units, name)
        given = [units] * len(names) if isinstance(units, str) else list(units)
        if len(given) != len(names):
            raise ModelError(
                f"{len(given)} units for {len(names)} coordinates.", component=name, remedy="Give one for each, or one."
            )
        # A start of 0 is said, not guessed: implicit variables adapt to the coordinates, not these to them.
        self.coordinates: list[Variable] = [
            self.add(Variable(n, unit=u)).start(0.0) for n, u in zip(names, given, strict=True)
        ]

    @property
    def q(self) -> SX:
        """Symbols of the generalised coordinates, n×1."""
        return ca.vertcat(*(c.symbol for c in self.coordinates))

    @property
    def qdot(self) -> SX:
        """Symbols of their rates, n×1."""
        return ca.vertcat(*(c.rate for c in self.coordinates))

    def body(self, name: str, pose: Position | None = None, *, mass: Number, inertia: Inertia) -> Body:
        """A body at `pose` (mass centre, body axes): `rotz(q[0]) @ shift(0, -l/2)` or a 4×4 matrix.

        Without a pose it is an ordinary body, to be held by joints. mass, inertia: as for any body.
        """
        body = super().body(name, mass=mass, inertia=inertia)
        if pose is not None:
            try:
                self.add(Guide(f"{name}-position", body, pose))
            except ModelError:
                del self.components[name]  # a body that floats would be worse than none
                self.changed()
                raise
        return body

    def start(self, *values: Number | None, rates: Sequence[Number] = (), **named: Number) -> Self:
        """Start values in the order of the coordinates, or by name; `rates` in their order.

        `k.start(0, 1)`, `k.start(q1=1)`, `k.start(q1=1, rates=(0, 2))`.
        """
        rates = kinds.quantities.taken("rates", rates, self.name)
        for what, given in (("values", values), ("rates", rates)):
            if len(given) > len(self.coordinates):
                raise ModelError(
                    f"{len(given)} start {what} for {len(self.coordinates)} coordinates.",
                    component=self.name,
                    remedy="Give one for each, in their order.",
                )
        for c, value in zip(self.coordinates, values, strict=False):
            c.start(value)
        for c, rate in zip(self.coordinates, rates, strict=False):
            c.start(rate=rate)
        known: Mapping[str, Variable] = {v.name: v for v in self.of_type(Variable)}
        for name, value in named.items():
            if name not in known:
                raise UnknownName("coordinate", name, known, component=self.name)
            known[name].start(value)
        return self
