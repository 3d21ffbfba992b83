"""Equations in the coordinates of a tree of joints, and of variables."""

from __future__ import annotations

from typing import Unpack

from linkwork.algebra.proximal import Order
from linkwork.core.equations import Equations, Motion
from linkwork.formulations import observe
from linkwork.formulations.constraint_rows import Rows
from linkwork.formulations.contributions import Contributions
from linkwork.formulations.equations_of_parts import Constrained, equations_of_parts
from linkwork.formulations.tree_view import TreeView
from linkwork.geometry import SX


def equations_on_tree(
    view: TreeView,
    contributions: Contributions,
    observed: observe.Observed,
    rows: Rows,
    a: SX,
    *,
    mass: SX,
    force: SX,
    order: Order | None,
    **constrained: Unpack[Constrained],
) -> Equations:
    """a: symbols of the accelerations; constrained: of constraints, and of a graph."""
    variables = [v.name for v in view.variables]

    def owners(which: str) -> list[str]:
        carried = [c.link.body.name for c in view.charts for _ in range(getattr(c, which).numel())]
        return carried + variables

    return equations_of_parts(
        view,
        contributions,
        observed,
        q=view.coordinates,
        v=view.rates,
        a=a,
        motion=Motion(view.coordinate_rates(), mass, force, view.retract, order=order),
        rows=rows,
        names=owners("q") + owners("v"),
        first_order=[s for chart in view.charts for s in chart.first_order],
        start=view.start,
        speed_names=[*(name for chart in view.charts for name in chart.speed_names()), *variables],
        **constrained,
    )
