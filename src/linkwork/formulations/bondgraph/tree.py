"""The multibond graph of a tree of joints: each joint's rates are flow sources, and carry the child's twist.

Which is how BND reads its transformations T from a graph (figure 14): with controlled flow sources at the generalised
velocities every other flow follows, and the efforts that come back to the sources are the generalised ones.
"""

from __future__ import annotations

import casadi as ca

from linkwork.bondgraph.elements import Junction, MSf
from linkwork.components.bodies import Body
from linkwork.components.coordinate import Coordinate
from linkwork.components.variables import Guide
from linkwork.formulations.bondgraph.net import Feed, Multibond, colour_of
from linkwork.formulations.charts import Chart
from linkwork.formulations.guided import guided
from linkwork.formulations.recursion import child_marker
from linkwork.formulations.tree_view import TreeView
from linkwork.geometry import SX, Twist


class TreeMultibond(Multibond):
    """A multibond graph on a TreeView."""

    view: TreeView

    def __post_init__(self) -> None:
        super().__post_init__()
        self.sources: list[str] = []
        """The flow sources of the rates, in the order of the view's."""
        self._rates: dict[str, Junction] = {}

    def tree_joints(self) -> None:
        for guide in self.view.guides:
            self._place(guide)
        for chart in self.view.charts:
            self._carry(chart)
        self.sources += [f"{variable.name}-MSf" for variable in self.view.variables]

    def _place(self, guide: Guide) -> None:
        """A body placed by a position matrix: its twist per unit of each variable's rate (SYM (5)), Karnopp's MTFs."""
        view, name = self.view, guide.body.name
        rates, rest = view.rates_of_symbols, SX.zeros(len(view.variables), 1)
        moving = guided(guide, view.t, view.symbols, rates, rest)
        for kind, target, speed in (
            ("rotation", self.rotation[name], self.space.axial(guide.pose.R.T @ moving.w)),
            ("translation", self.translation[name], self.space.true(moving.v)),
        ):
            J = ca.jacobian(speed, rates)
            feeds = [Feed(self.coordinates[v], J[:, k]) for k, v in enumerate(view.variables)]
            drift = ca.densify(ca.substitute(speed, rates, rest))
            if not ca.simplify(drift).is_zero():
                own = self.graph.junction(f"{name}-{kind}-drift", 1, group=name, label="base")
                source = MSf(f"{name}-{kind}-drift-MSf", drift, drift.numel())
                self.graph.bond(self.graph.add(source, group=name, label="base"), own, kind=kind)
                feeds.append(Feed(own, SX.eye(drift.numel())))
            self.give(f"{name}-{kind}-placed", target, feeds, kind)

    def _carry(self, chart: Chart) -> None:
        body, parent = chart.link.body, chart.link.parent
        group = body.name if chart.link.joint is None else chart.link.joint.name
        local = child_marker(chart)
        R_child = self.view.body(body).R
        N = R_child @ local.R
        turn, move = self._own_rates(chart, group)
        if isinstance(parent, Body):
            frame = self.view.body(parent)
            r = frame.R.T @ (self.view.body(body).p + R_child @ local.p - frame.p)
            to_N = N.T @ frame.R
            turn.append(Feed(self.rotation[parent.name], self.space.on_axial(to_N)))
            move.append(Feed(self.velocity(parent), self.space.on_true(to_N)))
            move.append(Feed(self.rotation[parent.name], self.space.on_true(to_N) @ self.arm(r)))
        turning = self.combined(f"{group}-child-rotation", turn, "rotation", group, label="ω of N")
        moving = self.combined(f"{group}-child-velocity", move, "translation", group, label="v of N")
        turned = [Feed(turning, self.space.on_axial(local.R))]
        self.give(f"{group}-to-rotation", self.rotation[body.name], turned, "rotation")
        to_centre = self.space.on_true(R_child) @ self.arm(-local.p)
        back = Feed(self.rotation[body.name], to_centre)
        there = Feed(moving, self.space.on_true(N))
        self.give(f"{group}-to-translation", self.translation[body.name], [there, back], "translation")

    def _own_rates(self, chart: Chart, group: str) -> tuple[list[Feed], list[Feed]]:
        """What the joint's own rates, free and prescribed, give the child's frame."""
        g = self.graph
        turn: list[Feed] = []
        move: list[Feed] = []
        kind = "rotation" if chart.S[:3, :].nnz() == 0 else "translation"
        columns: list[tuple[Junction, SX]] = []
        if chart.v.numel():
            name = f"{chart.link.body.name}-rates"
            at = g.junction(name, 1, group=group, label="rates")
            source = g.add(MSf(f"{name}-MSf", chart.v, chart.v.numel()), group=group, label="u")
            g.bond(source, at, kind=kind)
            self.sources.append(source.name)
            self._rates[chart.link.body.name] = at
            columns.append((at, chart.S))
        for c, driven in chart.driven.items():
            at = g.junction(f"{c.name}-rate".replace(".", "-"), 1, group=group, label=c.name)
            source = g.add(MSf(f"{at.name}-MSf", driven.rate_symbol), group=group, label="drive")
            g.bond(source, at, kind=colour_of(c))
            self.coordinates[c] = at
            columns.append((at, driven.S))
        for at, S in columns:
            twist = Twist.of_column(S)
            turn.append(Feed(at, self.space.axial(twist.spin)))
            move.append(Feed(at, self.space.true(twist.velocity)))
        return turn, move

    def by_rates(self, rate: SX) -> list[Feed]:
        feeds: list[Feed] = []
        for chart in self.view.charts:
            if chart.v.numel():
                feeds.append(Feed(self._rates[chart.link.body.name], ca.jacobian(rate, chart.v)))
            feeds += [Feed(self.coordinates[c], ca.jacobian(rate, d.rate_symbol)) for c, d in chart.driven.items()]
        return [f for f in feeds if f.modulus.nnz()]

    def coordinate(self, c: Coordinate) -> Junction:
        if c not in self.coordinates and c in self.view.direct:
            chart = next(chart for chart in self.view.charts if c in chart.direct)
            share = ca.jacobian(chart.direct[c][1], chart.v)
            group, kind = c.owner.name, colour_of(c)
            feeds = [Feed(self._rates[chart.link.body.name], share)]
            self.coordinates[c] = self.combined(f"{c.name}-rate".replace(".", "-"), feeds, kind, group, label=c.name)
        return super().coordinate(c)
