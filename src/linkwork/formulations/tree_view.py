"""A mechanism whose bodies are carried by a tree of joints: joint coordinates are the states."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body
from linkwork.components.coordinate import Coordinate
from linkwork.components.variables import Guide
from linkwork.core.component import Constraint
from linkwork.formulations.chart_starts import Carried, OfTree
from linkwork.formulations.charts import Driven, chart_of
from linkwork.formulations.guided import guided
from linkwork.formulations.maximal_view import MaximalView
from linkwork.formulations.order import weighed
from linkwork.formulations.recursion import Moving, child_marker, outwards, parent_marker, still
from linkwork.formulations.starting import State
from linkwork.geometry import SX, rotations

if TYPE_CHECKING:
    from linkwork.core.model import Model


class TreeView(MaximalView):
    """Bodies carried by a tree of joints.

    Components see bodies as independent movers, as in the maximal view; `in_states` then puts in where the tree carries
    them. Coordinates of tree joints are states themselves, and count full turns without further ado.
    """

    def __init__(self, model: Model):
        super().__init__(model)
        self.guides: list[Guide] = model.of_type(Guide)
        self.tree = weighed(model, [g.body for g in self.guides]).tree
        self.links = self.tree.links
        parameters = ca.vertcat(*model.symbols(model.parameters))
        self.charts = [chart_of(link, self.t, parameters, self.planar) for link in self.links]
        self.direct = {c: pair for chart in self.charts for c, pair in chart.direct.items()}
        self.driven: dict[Coordinate, Driven] = {c: d for chart in self.charts for c, d in chart.driven.items()}
        self.chart_coordinates = ca.vertcat(*(chart.q for chart in self.charts))
        self.chart_rates = ca.vertcat(*(chart.v for chart in self.charts))
        self.coordinates = ca.vertcat(self.chart_coordinates, self.symbols)
        self.rates = ca.vertcat(self.chart_rates, self.rates_of_symbols)
        self.speeds = ca.vertcat(self.v, self.chart_rates, *(d.rate_symbol for d in self.driven.values()))
        self.turns = {c: s for c, s in self.turns.items() if c not in self.direct and c not in self.driven}
        self._held = {chart.link.joint.name for chart in self.charts if chart.link.joint is not None}
        self._held |= {guide.name for guide in self.guides}
        self._where: list[list[SX]] = []

    def lengths(self) -> tuple[list[bool], list[bool]]:
        own = [v.unit == "m" for v in self.variables]
        both = [chart.lengths() for chart in self.charts]
        return [x for q, _ in both for x in q] + own, [x for _, v in both for x in v] + own

    def holds(self, constraint: Constraint) -> bool:
        return constraint.name in self._held

    def prescribes(self, c: Coordinate) -> bool:
        return c in self.driven

    def coordinate(self, c: Coordinate) -> SX:
        if c in self.direct:
            return self.direct[c][0]
        return self.driven[c].symbol if c in self.driven else super().coordinate(c)

    def rate(self, c: Coordinate) -> SX:
        if c in self.direct:
            return self.direct[c][1]
        return self.driven[c].rate_symbol if c in self.driven else super().rate(c)

    def body_rate(self, c: Coordinate) -> SX:
        """The rate of a coordinate as the bodies' speeds give it."""
        return super().rate(c)

    def moving(self) -> tuple[SX, SX]:
        driven = self.driven.values()
        moving = ca.vertcat(
            self.config, self.chart_coordinates, *(d.symbol for d in driven), *(d.rate_symbol for d in driven)
        )
        rates = ca.vertcat(
            self.config_rate,
            *(chart.qdot for chart in self.charts),
            *(d.rate_symbol for d in driven),
            *(d.second for d in driven),
        )
        return moving, rates

    def acceleration(self, speed: SX, of_bodies: SX, a: SX) -> SX:
        on_bodies = super().acceleration(speed, of_bodies, a)
        n = self.chart_rates.numel()
        return on_bodies + ca.jacobian(speed, self.chart_rates) @ a[:n] if n else on_bodies

    def coordinate_rates(self) -> SX:
        return ca.vertcat(*(chart.qdot for chart in self.charts), self.rates_of_symbols)

    def quaternion(self, body: Body) -> SX:
        return rotations.quaternion_of(self.body(body).R)

    def carried(self, vdot: SX) -> dict[str, Moving]:
        """Motion of all bodies for joint accelerations v̇."""
        *parts, second = self.split(vdot)
        roots = {self.model.ground.name: still(self.model.ground)}
        for guide in self.guides:
            roots[guide.body.name] = guided(guide, self.t, self.symbols, self.rates_of_symbols, second)
        return outwards(self.charts, roots, parts)

    def split(self, rates: SX) -> list[SX]:
        """A vector in the space of v, chart by chart, variables last; a fixed joint's part has no rows."""
        sizes = np.cumsum([0] + [chart.v.numel() for chart in self.charts] + [len(self.variables)])
        return ca.vertsplit(rates, sizes.tolist())  # an empty slice of a scalar would have the wrong shape

    def stacked(self, moving: dict[str, Moving], second: SX) -> tuple[SX, SX, SX]:
        """Configuration, speeds and accelerations of all bodies in the order of the maximal view.

        second: accelerations of the variables.
        """
        config, speed, acceleration = [], [], []
        for body in self.bodies:
            m = moving[body.name]
            config.append(self.of_body.configuration(m.pose))
            speed.append(m.twist.on_speeds(m.pose.R, self.space))
            acceleration.append(m.rate.on_speeds(m.pose.R, self.space))
        config.append(self.symbols)
        speed.append(self.rates_of_symbols)
        acceleration.append(second)
        return ca.vertcat(*config), ca.vertcat(*speed), ca.vertcat(*acceleration)

    def carry(self, moving: dict[str, Moving]) -> None:
        """Fix what `in_states` puts in for the bodies."""
        config, speed, _ = self.stacked(moving, self.symbols)  # whose accelerations do not matter here
        driven = self.driven.values()
        symbols = ca.vertcat(*(ca.vertcat(d.symbol, d.rate_symbol) for d in driven))
        values = ca.vertcat(*(ca.vertcat(d.value, d.rate) for d in driven))
        self._where = [[self.config, self.v, symbols], [ca.densify(config), ca.densify(speed), ca.densify(values)]]

    def in_states(self, expressions: list[SX]) -> list[SX]:
        return ca.substitute(expressions, *self._where)

    def retract(self, q: SX, step: SX) -> SX:
        sizes = np.cumsum([0] + [chart.q.numel() for chart in self.charts] + [len(self.variables)])
        *places, x_own = ca.vertsplit(q, sizes.tolist())
        *steps, own = self.split(step)
        parts = zip(self.charts, places, steps, strict=True)
        return ca.vertcat(*(chart.retract(x, part) for chart, x, part in parts), x_own + own)

    @cached_property
    def start(self) -> State:
        charts = [
            Carried(
                chart.link.parent.name,
                chart.link.body.name,
                [m for x in (parent_marker(chart), child_marker(chart)) for m in (x.R, x.p)],
                chart.start,
            )
            for chart in self.charts
        ]
        return OfTree(self.model, charts, [v.name for v in self.variables])
