"""Reactions and drives of a tree of joints: what the bodies' accelerations still ask for."""

from __future__ import annotations

import casadi as ca

from linkwork.components.bodies import Body
from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint
from linkwork.components.variables import Guide
from linkwork.core.component import Constraint
from linkwork.formulations import maximal, observe
from linkwork.formulations.charts import Chart
from linkwork.formulations.constraint_rows import Rows
from linkwork.formulations.contributions import Contributions
from linkwork.formulations.energies import work_states
from linkwork.formulations.guided import guided
from linkwork.formulations.inwards import joint_wrenches
from linkwork.formulations.recursion import child_marker
from linkwork.formulations.tree_view import TreeView
from linkwork.geometry import SX, Twist, Wrench


def observed_on_tree(
    view: TreeView, contributions: Contributions, rows: Rows, push: SX, acceleration: SX
) -> observe.Observed:
    """Reactions: cut joints by their rows; tree joints by Newton and Euler from the tips inwards."""
    by_body = ca.jacobian(rows.all_velocity, view.v)
    pull = rows.all_pull
    outside = push + rows.soft_pull - by_body.T @ pull
    balance = maximal.masses(view) @ acceleration - maximal.own_forces(view) - outside
    wrenches = joint_wrenches(view, balance)
    charts = {chart.link.joint.name: chart for chart in view.charts if chart.link.joint is not None}
    totals: dict[Coordinate, SX] = {}
    for chart in charts.values():
        wrench = _in_joint_frame(view, chart, wrenches[chart.link.body.name]).column
        along = chart.S.T @ wrench
        totals |= {c: ca.jacobian(rate, chart.v) @ along for c, (_, rate) in chart.direct.items()}
        totals |= {c: d.S.T @ wrench for c, d in chart.driven.items()}

    def of_joint(joint: Joint, body: Body) -> Wrench:
        if joint.name not in charts:
            return observe.pull_of_rows(view, body, by_body, pull, rows.of(joint.name))
        chart = charts[joint.name]
        child = chart.link.body
        wrench = wrenches[child.name]
        for c in [*chart.direct, *chart.driven]:
            effort = ca.jacobian(view.body_rate(c), view.v[view.slice(child)]).T @ totals[c]
            wrench -= Wrench.of_speeds(effort, view.body(child).R)
        return wrench if body is child else -wrench.moved(view.body(child).p - view.body(body).p)

    def servo(c: Coordinate) -> SX:
        if c not in view.driven:
            return -sum((pull[k] for k in rows.of(c.name)), SX(0))
        by_rate = ca.jacobian(rows.all_velocity, view.driven[c].rate_symbol)
        return totals[c] - contributions.efforts.get(c, SX(0)) + by_rate.T @ pull

    servos = sum((servo(c) * view.rate(c) for c in view.driven), SX(0))
    servos += sum((_carrying(view, guide, wrenches[guide.body.name]) for guide in view.guides), SX(0))
    held = rows.by_owner(view.model.of_type(Constraint))
    return observe.Observed(
        acceleration=acceleration,
        pull=of_joint,
        servo=servo,
        multipliers=held,
        held=held,
        position=rows.all_position,
        velocity=rows.all_velocity,
        work=work_states(view, contributions, rows.all_velocity, pull, acceleration, servos),
    )


def _carrying(view: TreeView, guide: Guide, wrench: Wrench) -> SX:
    """Power [W] of a guide that moves by itself, as time goes on: where its coordinates rest, it does not."""
    moving = guided(guide, view.t, view.symbols, view.rates_of_symbols, SX.zeros(view.symbols.numel(), 1))
    at_rest = ca.substitute(moving.twist.column, view.rates_of_symbols, 0 * view.rates_of_symbols)
    return SX(0) if ca.simplify(at_rest).is_zero() else Twist.of_column(at_rest).power(wrench)


def _in_joint_frame(view: TreeView, chart: Chart, wrench: Wrench) -> Wrench:
    """About the child's joint frame in its axes: a wrench at the mass centre in world axes."""
    R = view.body(chart.link.body).R
    return Wrench(R.T @ wrench.force, R.T @ wrench.moment).into(child_marker(chart))
