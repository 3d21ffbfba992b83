"""One link of a tree alone, a body and the joint that carries it: its chart, efforts and channels, derived once.

The body beside it stands for what carries it, and a load on its own body for all that it carries. Both bodies have no
mass: what a link weighs is put in by the recursion.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import casadi as ca

from linkwork.components.bodies import Body, Ground, Solid
from linkwork.core.component import Component
from linkwork.core.courses import Courses, in_time
from linkwork.core.errors import LinkworkError
from linkwork.formulations import with_signals
from linkwork.formulations.charts import Chart
from linkwork.formulations.constraint_rows import split_rows
from linkwork.formulations.contributions import gather
from linkwork.formulations.equations_on_tree import equations_on_tree
from linkwork.formulations.minimal import efforts_and_pushes
from linkwork.formulations.tree import Link
from linkwork.formulations.tree_reactions import observed_on_tree
from linkwork.formulations.tree_view import TreeView
from linkwork.geometry import SX, Pose
from linkwork.large.prototypes import Instance, Prototype, added, emptied, ghost_of, twin_of
from linkwork.large.slots import Reader, Slot, Unfit

if TYPE_CHECKING:
    from linkwork.core.model import Model


@dataclass
class LinkPrototype(Prototype):
    """The equations of one link. Coordinates and speeds are those of the body beside it, if any, then its own."""

    carrier: Chart | None = None
    """Of the body beside it; None: the ground."""
    chart: Chart = None  # type: ignore[assignment]  # always given; dataclasses put defaults last
    efforts: SX = None  # type: ignore[assignment]
    """Along the chart's speeds."""
    pushes: SX = None  # type: ignore[assignment]
    """Generalised forces of its laws on the bodies, where these do not act along its speeds."""
    load: SX = None  # type: ignore[assignment]
    """Force and moment on its body at the mass centre, body axes."""


def link_instance(model: Model, link: Link, numbers: dict[str, int], *, strict: bool = False) -> Instance:
    """numbers: of the bodies, by name. Its bodies are what carries it, unless that is the ground, and its own."""
    own = numbers[link.body.name]
    if link.joint is None:
        return Instance(link.body, ("floating",), [], [own], [], [])
    carrier = [] if isinstance(link.parent, Ground) else [numbers[link.parent.name]]

    def end(body: Solid) -> str:
        return "ground" if isinstance(body, Ground) else "own" if body is link.body else "carrier"

    reader = Reader(model, end, strict=strict)
    reader.key += ["link", link.forward]
    reader.component(link.joint)
    for c in link.joint.coordinates:
        reader.key.append(c.label)
        for law in c.laws:
            reader.law(c.name, law)
    if reader.joints:
        raise Unfit(link.joint.name, "its laws read coordinates of other joints")
    found = reader.slots, [*carrier, own], reader.tables, reader.joints, reader.doubtful
    return Instance(link.joint, tuple(reader.key), *found, strict)


def link_prototype(model: Model, like: Instance, link: Link) -> LinkPrototype:
    """Derived from the first of its kind; an error names it."""
    try:
        return _derived(model, like, link)
    except Unfit as reason:
        raise Unfit(like.component.name, reason.cause) from reason
    except LinkworkError as error:
        own = (error.component or "").replace("#", like.component.name, 1) or like.component.name
        raise type(error)(error.cause, component=own, remedy=error.remedy) from error


def _derived(model: Model, like: Instance, link: Link) -> LinkPrototype:
    alone = emptied(model)
    symbols: list[SX] = []
    masses: list[SX] = []

    def give(x: Slot) -> SX:
        symbols.append(alone.parameter(f"##{len(symbols)}", x if not isinstance(x, SX) else 1.0))
        return symbols[-1]

    carrier: Solid = ghost_of(alone, 0, masses) if len(like.bodies) > 1 else alone.ground
    own = ghost_of(alone, 1, masses)

    def end(body: Solid) -> Any:
        return alone.ground if isinstance(body, Ground) else own if body is link.body else carrier

    reader = Reader(model, end, give, courses=alone.courses, strict=like.strict)
    made: Component = own if link.joint is None else added(alone, twin_of(link.joint, reader))
    if len(symbols) != len(like.slots):
        raise Unfit(like.component.name, "its numbers are not what its kernel takes")
    return _written(TreeView(alone), own, made, symbols, masses)


def _written(view: TreeView, own: Body, made: Component, symbols: list[SX], masses: list[SX]) -> LinkPrototype:
    """As `minimal` writes it, but for accelerations, which the recursion finds."""
    contributions = gather(view.model, view)
    view.carry(view.carried(SX.zeros(view.rates.numel(), 1)))
    rows = split_rows(view, contributions, None)
    if view.tree.cut or rows.all_names or contributions.inertias or contributions.contacts:
        raise Unfit(made.name, "it holds more than its own bodies")
    efforts, pushes = efforts_and_pushes(view, contributions, rows)
    part = SX.sym("load", view.space.size)
    force, moment = view.space.split(part)
    loaded = SX.zeros(view.v.numel(), 1)
    loaded[view.slice(own)] = view.space.both(view.body(own).R @ force, moment)
    n = view.rates.numel()
    observed = observed_on_tree(view, contributions, rows, loaded, SX.zeros(view.v.numel(), 1))
    eq = equations_on_tree(
        view,
        contributions,
        observed,
        rows,
        SX.sym("a", n),
        mass=SX.eye(n),
        force=SX.zeros(n, 1),
        order=None,
        jacobian=SX(0, n),
        gamma=SX(0, 1),
        stabilisation=None,
        softness=None,
    )
    eq = with_signals(view.model, eq).in_time()
    efforts, pushes = in_time(view.in_states([efforts, pushes]), view.model.courses)
    *before, chart = view.charts
    return LinkPrototype(
        eq,
        made,
        symbols,
        masses,
        [],
        before[0] if before else None,
        _in_time(chart, view.model.courses),
        ca.densify(view.split(efforts)[-2]),
        ca.densify(pushes),
        part,
    )


def _in_time(chart: Chart, courses: Courses) -> Chart:
    """For running, not for differentiating by time."""
    qdot, p, R, S, drift, bias = in_time(
        [chart.qdot, chart.pose.p, chart.pose.R, chart.S, chart.drift, chart.bias], courses
    )
    turn = None if chart.pose.turn is None else in_time([SX(chart.pose.turn)], courses)[0]
    return replace(chart, qdot=qdot, pose=Pose(p, R, turn), S=S, drift=drift, bias=bias)
