"""The channels every formulation shows: poses, speeds, accelerations, joint coordinates, reactions, energies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import casadi as ca

from linkwork.components.bodies import Body
from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint
from linkwork.components.points import Point
from linkwork.core.component import Constraint, Marker
from linkwork.formulations.contributions import Contributions
from linkwork.formulations.energies import given_by_bodies, kinetic_of, weight_of
from linkwork.formulations.maximal_view import MaximalView
from linkwork.geometry import SX, Embedding, Number, Twist, Wrench
from linkwork.geometry.pattern import Pattern

if TYPE_CHECKING:
    from linkwork.core.model import Model

Named = list[tuple[str, str]]


class Recorder:
    """Collects (name, unit) and value side by side."""

    def __init__(self, space: Embedding):
        self.space = space
        self.names: Named = []
        self.values: list[SX] = []

    def scalar(self, name: str, unit: str, value: Number) -> None:
        self.names.append((name, unit))
        self.values.append(value if type(value) is SX else SX(value))

    def polar(self, prefix: str, unit: str, vector: SX) -> None:
        """x, y (and z in space) of a true vector."""
        for i in self.space.true_axes:
            self.scalar(f"{prefix}{'xyz'[i]}", unit, vector[i])

    def axial(self, prefix: str, unit: str, vector: SX) -> None:
        """Components of a rotation or moment: z only in the plane."""
        for i in self.space.axial_axes:
            self.scalar(f"{prefix}{'xyz'[i]}", unit, vector[i])


@dataclass
class Observed:
    """What a formulation has to say beyond its view, in the symbols of the view."""

    acceleration: SX
    """Of all bodies, in the order of their speeds in the view."""
    pull: Callable[[Joint, Body], Wrench]
    """Force and moment at the mass centre that a joint's constraints put on one of its bodies, world axes."""
    servo: Callable[[Coordinate], SX]
    """Effort that keeps a coordinate with a motion law on its path."""
    multipliers: dict[str, list[SX]]
    """By constraint, where there are any that are shown."""
    held: dict[str, list[SX]]
    """Multipliers of every constraint that has rows, as its equations are written."""
    position: SX
    velocity: SX
    """Residuals of everything that must vanish."""
    work: list[tuple[str, SX, SX]]


def channels(
    model: Model, view: MaximalView, contributions: Contributions, observed: Observed
) -> tuple[list[SX], Named]:
    """Values and their (name, unit)."""
    record = Recorder(view.space)
    for body in view.bodies:
        _body(record, view, body, observed.acceleration)
    for point in model.of_type(Point):
        frame = view.frame(point.marker)
        record.polar(f"{point.name}.", "m", frame.p)
        record.polar(f"{point.name}.v", "m/s", frame.v)
    for name, values in observed.multipliers.items():
        for i, value in enumerate(values):
            record.scalar(f"{name}.multiplier{i + 1}", "", value)
    for constraint in model.of_type(Constraint):
        if constraint.name in observed.held:
            for word, (unit, value) in constraint.held_by(view, observed.held[constraint.name]).items():
                record.scalar(f"{constraint.name}.{word}", unit, value)
    for joint in model.of_type(Joint):
        _reactions(record, view, joint, observed)
        _coordinates(record, view, joint.coordinates, contributions, observed)
    _coordinates(record, view, view.variables, contributions, observed)
    for name, (unit, value) in contributions.channels.items():
        record.scalar(name, unit, value)
    _energies(record, view, contributions, observed)
    record.scalar("residual.position", "m", largest(observed.position))
    record.scalar("residual.velocity", "m/s", largest(observed.velocity))
    return record.values, record.names


def largest(x: SX) -> SX:
    return ca.norm_inf(x) if x.numel() else SX(0)


def _body(record: Recorder, view: MaximalView, body: Body, a: SX) -> None:
    frame = view.body(body)
    acceleration = Twist.of_speeds(a[view.slice(body)], frame.R)
    record.polar(f"{body.name}.", "m", frame.p)
    if frame.turn is not None:
        record.scalar(f"{body.name}.angle", "rad", frame.turn)
    else:
        for i in range(4):
            record.scalar(f"{body.name}.q{i}", "", view.quaternion(body)[i])
    record.polar(f"{body.name}.v", "m/s", frame.v)
    record.axial(f"{body.name}.w", "rad/s", frame.w)
    record.polar(f"{body.name}.a", "m/s²", acceleration.velocity)
    record.axial(f"{body.name}.alpha", "rad/s²", acceleration.spin)


def reaction(view: MaximalView, joint: Joint, observed: Observed, end: Marker) -> Wrench:
    """The wrench of the joint's constraints on the body of one of its frames, at that frame (AME (17))."""
    if isinstance(end.body, Body):
        return observed.pull(joint, end.body).moved(view.body(end.body).p - view.frame(end).p)
    other = joint.second if end is joint.first else joint.first
    # The ground gets the opposite of what the other body gets.
    return (-observed.pull(joint, other.body)).moved(view.body(other.body).p - view.frame(end).p)


def _reactions(record: Recorder, view: MaximalView, joint: Joint, observed: Observed) -> None:
    for end, label in ((joint.first, "port1"), (joint.second, "reaction")):
        wrench = reaction(view, joint, observed, end)
        record.polar(f"{joint.name}.{label}.f", "N", wrench.force)
        record.axial(f"{joint.name}.{label}.m", "N·m", wrench.moment)


def pull_of_rows(view: MaximalView, body: Body, jacobian: SX, multipliers: SX, mine: list[int]) -> Wrench:
    """Of the rows `mine` on a body at its mass centre: −Aᵀλ (AME (15), (16))."""
    if not mine:
        return Wrench.none()
    rows = slice(mine[0], mine[-1] + 1) if mine[-1] - mine[0] == len(mine) - 1 else mine
    part = jacobian[rows, view.slice(body)]
    return Wrench(*_pulling(*part.shape)(part, multipliers[rows], view.body(body).R))


@cache
def _pulling(rows: int, speeds: int) -> Pattern:
    A, multipliers, R = SX.sym("A", rows, speeds), SX.sym("multipliers", rows), SX.sym("R", 3, 3)
    wrench = Wrench.of_speeds(-(A.T @ multipliers), R)
    return Pattern("pull", [A, multipliers, R], [wrench.force, wrench.moment])


def _coordinates(
    record: Recorder,
    view: MaximalView,
    coordinates: Sequence[Coordinate],
    contributions: Contributions,
    observed: Observed,
) -> None:
    for c in coordinates:
        record.scalar(c.name, c.unit, view.coordinate(c))
        record.scalar(f"{c.name}.rate", f"{c.unit}/s", view.rate(c))
        effort = contributions.efforts.get(c, SX(0))
        effort -= sum((x.value * x.acceleration for x in contributions.inertias if x.first is c), SX(0))
        if c.motion is not None:
            effort = effort + observed.servo(c)
        if c.laws or c in contributions.efforts:
            record.scalar(f"{c.name}.effort", c.effort_unit, effort)
            record.scalar(f"{c.name}.power", "W", effort * view.rate(c))


def _energies(record: Recorder, view: MaximalView, contributions: Contributions, observed: Observed) -> None:
    kinetic = sum((kinetic_of(view, body) for body in view.bodies), SX(0))
    potential = contributions.potential + sum((weight_of(view, body) for body in view.bodies), SX(0))
    record.scalar("energy.kinetic", "J", kinetic)
    record.scalar("energy.potential", "J", potential)
    record.scalar("energy.total", "J", kinetic + potential)
    states = {name: symbol for name, symbol, _ in observed.work}
    record.scalar("energy.dissipated", "J", states.get("energy.dissipated", SX(0)))
    given = contributions.given + given_by_bodies(view, observed.acceleration)[0]
    record.scalar("energy.supplied", "J", states.get("energy.supplied", SX(0)) + given)
