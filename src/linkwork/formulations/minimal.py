"""Joint coordinates along a spanning tree (BND 3.3.1; SYM).

Trees: accelerations by the articulated-body recursion, O(n). Loops: cut joints with multipliers; then with T the
velocity transformation V = T v of all bodies, TᵀM T v̇ + (A T)ᵀλ = Tᵀ(f − M Ṫv): BND's virtual inertia (12) and
gyristor (13). Motion laws on tree joints are built in exactly, ball joints have no singular angles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import casadi as ca

from linkwork.components.coordinate import Coordinate
from linkwork.components.relations import Dependence
from linkwork.contact.places import push_of
from linkwork.core.equations import Equations, Row
from linkwork.core.errors import ModelError
from linkwork.formulations import maximal
from linkwork.formulations.articulated import accelerations
from linkwork.formulations.charts import Chart
from linkwork.formulations.constraint_rows import Rows, gamma_of, split_rows
from linkwork.formulations.contributions import Contributions, gather
from linkwork.formulations.dependence import reduced
from linkwork.formulations.equations_on_tree import equations_on_tree
from linkwork.formulations.order import ordered, structure_of
from linkwork.formulations.recursion import Moving, child_marker
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.formulations.tree_reactions import observed_on_tree
from linkwork.formulations.tree_view import TreeView
from linkwork.geometry import SX, Wrench

if TYPE_CHECKING:
    from linkwork.core.model import Model


def formulate(
    model: Model,
    *,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
    recursion: bool = True,
) -> Equations:
    """Tree: v̇ explicit. Loops: TᵀM T v̇ + (A T)ᵀλ = Tᵀ(f − M Ṫv), A T v̇ = γ − A Ṫv.

    recursion=False: the mass matrix of trees too, for equations to read. Position matrices (SYM (8)) have it always.
    """
    view = TreeView(model)
    contributions = gather(model, view)
    resting = view.carried(SX.zeros(view.rates.numel(), 1))
    view.carry(resting)
    rows = split_rows(view, contributions, softness)
    efforts, push = efforts_and_pushes(view, contributions, rows)
    a = SX.sym("a", view.rates.numel())
    gamma = gamma_of(view, contributions, rows, stabilisation)
    massless = structure_of(model).massless  # the recursion divides by what a tip weighs
    if rows.hard or view.variables or contributions.contacts or contributions.inertias or massless or not recursion:
        mass, force, jacobian, gamma = _transformed(view, contributions, rows, resting, efforts, push, gamma)
    else:
        mass, jacobian = SX.eye(view.rates.numel()), SX(0, view.rates.numel())
        force = _articulated(view, efforts, push)
    moving = view.carried(a)
    body_acceleration = view.stacked(moving, view.split(a)[-1])[2]
    observed = observed_on_tree(
        view, contributions, rows, push + push_of(contributions.contacts, view), body_acceleration
    )
    equations = equations_on_tree(
        view,
        contributions,
        observed,
        rows,
        a,
        mass=mass,
        force=force,
        order=ordered(view, rows) if rows.hard or massless else None,
        jacobian=jacobian,
        gamma=gamma,
        stabilisation=stabilisation,
        softness=softness,
    )
    if not model.of_type(Dependence):
        return equations
    if not rows.hard:
        raise ModelError(
            "there is no loop that it could be the solution of: its coordinates are independent.",
            component=model.of_type(Dependence)[0].name,
            remedy="Use m.relation(…) or m.gear(…) to tie coordinates by a constraint.",
        )
    return reduced(model, equations, view.direct)


def efforts_and_pushes(view: TreeView, contributions: Contributions, rows: Rows) -> tuple[SX, SX]:
    """Efforts along the speeds of the tree, and generalised forces on the bodies."""
    push = maximal.applied(view, contributions.loads) - rows.soft_pull
    efforts = SX.zeros(view.rates.numel(), 1)
    for c, effort in contributions.efforts.items():
        if c in view.direct or c in view.variables:
            efforts += ca.jacobian(view.rate(c), view.rates).T @ effort
        elif c not in view.driven:
            push += ca.jacobian(view.rate(c), view.v).T @ effort
    return efforts, push


def _transformed(
    view: TreeView,
    contributions: Contributions,
    rows: Rows,
    resting: dict[str, Moving],
    efforts: SX,
    push: SX,
    gamma: SX,
) -> tuple[SX, SX, SX, SX]:
    """Virtual inertia TᵀM T and gyristor (BND (12), (13)), with A T and γ − A Ṫv: mass, force, jacobian, gamma."""
    none = SX.zeros(view.rates.numel(), 1)
    _, speeds, drift = view.stacked(resting, SX.zeros(len(view.variables), 1))
    T = ca.jacobian(speeds, view.rates)
    M = maximal.masses(view)
    by_body, by_rate = ca.jacobian(rows.velocity, view.v), ca.jacobian(rows.velocity, view.chart_rates)
    by_rate = ca.horzcat(by_rate, SX(by_rate.shape[0], len(view.variables)))  # these are among view.v
    by_body, by_rate, own, push, gamma = view.in_states([by_body, by_rate, maximal.own_forces(view), push, gamma])
    mass = T.T @ M @ T
    force = efforts + T.T @ (own + push - M @ drift)
    for x in contributions.inertias:
        first, second = (_partial(view, c, T) for c in (x.first, x.second))
        (value, owed) = view.in_states([x.value, view.acceleration(view.rate(x.second), drift, none)])
        mass, force = mass + first.T @ (value * second), force - first.T @ (value * owed)
    return mass, force, by_body @ T + by_rate, gamma - by_body @ drift


def _articulated(view: TreeView, efforts: SX, push: SX) -> SX:
    pushes = {}
    for chart in view.charts:
        part = push[view.slice(chart.link.body)]
        if part.nnz() and not ca.simplify(part).is_zero():
            pushes[chart.link.body.name] = _in_joint_frame(view, chart, part)
    return ca.vertcat(*accelerations(view.charts, view.model.gravity, view.split(efforts)[:-1], pushes))


def _in_joint_frame(view: TreeView, chart: Chart, push: SX) -> Wrench:
    """About the child's joint frame, in its axes: a generalised force on the body."""
    force, moment = view.space.split(push)
    return Wrench(view.body(chart.link.body).R.T @ force, moment).into(child_marker(chart))


def _partial(view: TreeView, c: Coordinate, T: SX) -> SX:
    """∂(rate of c)/∂(speeds of the tree)."""
    by_body, by_rate = view.in_states([ca.jacobian(view.rate(c), view.v), ca.jacobian(view.rate(c), view.chart_rates)])
    return by_body @ T + ca.horzcat(by_rate, SX(1, len(view.variables)))
