"""Equations that users write, in metres or radians: what one of an equation is worth is judged by its slopes.

Tolerances, the softness of rows and what they feel of masses take an equation of positions for one in metres, one of
rotations for one in radians. A relation of users may be in anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.components.joint import Joint
from linkwork.core.component import Constraint
from linkwork.formulations.maximal_view import MaximalView
from linkwork.formulations.order import length_of
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model


ORDINARY = 100.0
"""Slopes up to this factor from 1 are left alone: sizes are right within some orders of magnitude."""
TRIALS = 5
"""Positions at which slopes are looked at."""


def unit_of(model: Model, constraint: Constraint, kind: str, number: int) -> float:
    """What one of an equation is worth in metres or radians (per second); kind: "rows" or "speed_rows".

    A power of two: dividing by it rounds nothing. Equations of the library's joints are in these units already, and
    those of soft constraints keep theirs, as their stiffness is given by the user.
    """
    own = not (isinstance(constraint, Joint) and type(constraint).__module__.startswith("linkwork."))
    if not own or constraint.compliance is not None:
        return 1.0
    known = model.memory.setdefault("row units", {})
    if (constraint.name, kind) not in known:
        if "view" not in known:
            known["view"] = MaximalView(model)
        known[constraint.name, kind] = _units(model, known["view"], constraint, kind)
    return known[constraint.name, kind][number]


def _units(model: Model, view: MaximalView, constraint: Constraint, kind: str) -> list[float]:
    rows = ca.vertcat(SX(0, 1), *(SX(x) for x in getattr(constraint, kind)(view)))
    speeds = view.time_derivative(rows) if kind == "rows" else rows
    slopes = view.in_states([ca.densify(ca.jacobian(speeds, view.v))])[0]
    symbols = ca.symvar(slopes)
    place = {s.element_hash(): k for k, s in enumerate(ca.vertsplit(view.q))}
    f = ca.Function("slopes", [ca.vertcat(SX(0, 1), *symbols)], [slopes])
    random, lengths = np.random.default_rng(0), np.array(view.lengths()[1], dtype=bool)
    trials = []
    for _ in range(TRIALS):
        q = _somewhere(view, random)
        values = [
            q[place[s.element_hash()]]
            if s.element_hash() in place
            else model.parameters.get(s.name(), random.uniform(0.5, 1.5))
            for s in symbols
        ]
        A = np.abs(np.array(f(ca.DM(values))))
        by_length, by_angle = A[:, lengths].max(axis=1, initial=0.0), A[:, ~lengths].max(axis=1, initial=0.0)
        trials.append(np.where(by_length > 0, by_length, by_angle))
    return [_power([x for x in row if 0 < x < np.inf]) for row in np.array(trials).T]


def _power(slopes: list[float]) -> float:
    typical = float(np.median(slopes)) if slopes else 1.0
    return 1.0 if 1 / ORDINARY <= typical <= ORDINARY else float(2.0 ** np.round(np.log2(typical)))


def _somewhere(view: MaximalView, random: np.random.Generator) -> np.ndarray:
    """Any position of all bodies, within the mechanism's length."""
    q = random.uniform(-1, 1, view.q.numel()) * np.where(view.lengths()[0], length_of(view.model), 1.0)
    for i in range(len(view.bodies)):
        view.of_body.normalise(view.of_body.of(q, i))
    return q
