"""Friction in a joint from the joint's own reaction: Coulomb's, by a load that the bearing carries.

Two bearings (or pads of a guide) `spacing` apart carry the reaction, force F and moment M at the second frame: along
and about the axis e, each F⊥/2 ± e × M/spacing, and a collar the thrust F·e. The load N is the sum of their sizes;
friction is at most μ·N along a slide, μ·radius·N about an axis. What the reaction is depends on friction,
too: N follows it within the time τ = `lag`, as an elastic bearing does, so that nothing has to be iterated and nothing
jams at once. With τ ȧ = N∞ − a and τ ḃ = a − b it is N = 2a − b, which is late by τ² N̈ only.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, TypeAlias

import casadi as ca

from linkwork.components.contacts.dry_friction import rubbing
from linkwork.components.contacts.rigid_contact import check_static
from linkwork.components.joint import JointCoordinate
from linkwork.components.laws import Friction
from linkwork.core.component import Element, State, View
from linkwork.core.errors import ModelError
from linkwork.core.kinds import Claim, claims, nonnegative, positive
from linkwork.core.registry import component
from linkwork.core.unilateral import Place, Unilateral
from linkwork.geometry import SX, Number, Pose, cross, dot

Rubbing: TypeAlias = Annotated[JointCoordinate, "coordinate of the joint that rubs, such as `O.angle`"]
Coefficient: TypeAlias = Annotated[Number, nonnegative, "Coulomb's coefficient μ, while it moves"]
Static: TypeAlias = Annotated[Number | None, nonnegative, "coefficient at rest, μ unless given"]
Radius: TypeAlias = Annotated[
    Number | None,
    positive["m"],
    "of the pin, where an angle rubs; of a slide: where its guide takes a moment about its axis; None: it takes none",
]
Spacing: TypeAlias = Annotated[
    Number | None, positive["m"], "of the two bearings or pads that take moments across the axis; None: they take none"
]
Preload: TypeAlias = Annotated[Number, nonnegative["N or N·m"], "friction that needs no load: of a seal"]
Viscous: TypeAlias = Annotated[Number, nonnegative["N·s/m or N·m·s/rad"], "effort per rate, beside"]
Lag: TypeAlias = Annotated[Number, positive["s"], "time in which the load follows the reaction"]


class JointLoad(Element):
    """A load N that follows the reaction of a joint, by two first-order states."""

    def __init__(
        self,
        name: str,
        coordinate: Rubbing,
        friction: Coefficient,
        *,
        radius: Radius = None,
        spacing: Spacing = None,
        static: Static = None,
        preload: Preload = 0.0,
        viscous: Viscous = 0.0,
        lag: Lag = 1e-3,
    ):
        super().__init__(name)
        if not isinstance(coordinate, JointCoordinate):
            raise ModelError(
                f"{coordinate!r} is not a coordinate of a joint.", component=name, remedy="Give `O.angle` or the like."
            )
        if not coordinate.joint.explicit:
            raise ModelError(
                f"{coordinate.joint.name} is given by its equations alone, which say nothing of an axis.",
                component=name,
                remedy="Write its `motion`.",
            )
        if coordinate.is_angle and radius is None:
            raise ModelError(
                f"friction about {coordinate.name} has no arm.", component=name, remedy="Give the pin's radius=… [m]."
            )
        self.coordinate, self.radius, self.spacing, self.lag = coordinate, radius, spacing, lag
        self.friction, self.static = friction, friction if static is None else static
        check_static(name, friction, self.static)
        self.preload, self.viscous = preload, viscous
        self._a, self._b = SX.sym(f"{name}.load1"), SX.sym(f"{name}.load2")

    def claims(self) -> Iterator[Claim]:
        return chain(super().claims(), claims("static − friction", SX(self.static) - self.friction, nonnegative))

    def _levels(self) -> tuple[SX, SX]:
        """Friction [N or N·m] while it moves, and the most at rest."""
        moving, resting = (SX(self.arm) * mu * self.load + self.preload for mu in (self.friction, self.static))
        return moving, resting

    @property
    def load(self) -> SX:
        """N."""
        return ca.fmax(2 * self._a - self._b, 0)

    @property
    def state_names(self) -> tuple[str, str]:
        """Where nothing changes, both are the load."""
        return self._a.name(), self._b.name()

    @property
    def arm(self) -> Number:
        """Friction per load and coefficient [1 or m]."""
        return self.radius if self.coordinate.is_angle and self.radius is not None else 1.0

    def pressed(self, view: View) -> SX:
        """Sum of the forces [N] that the joint's reaction presses on its bearings with."""
        joint = self.coordinate.joint
        force, moment = view.reaction(joint)
        e = view.frame(joint.second).R @ _axis(self.coordinate, view)
        across, thrust = force - dot(force, e) * e, dot(force, e)
        twist = dot(moment, e)
        if self.spacing is None:
            load = _size(across)
        else:
            couple = cross(e, moment) / self.spacing
            load = _size(across / 2 + couple) + _size(across / 2 - couple)
        load += ca.fabs(thrust)
        if not self.coordinate.is_angle and self.radius is not None and not view.planar:
            load += ca.fabs(twist) / self.radius
        return load

    def states(self, view):
        first, second = self.state_names
        return [
            State(first, self._a, (self.pressed(view) - self._a) / self.lag, 0.0, "N"),
            State(second, self._b, (self._a - self._b) / self.lag, 0.0, "N"),
        ]

    def channels(self, view):
        return {"load": ("N", self.load)}


def _axis(c: JointCoordinate, view: View) -> SX:
    """Direction that a coordinate turns about, or slides along, in the axes of the second frame."""
    joint = c.joint
    symbols = {x.label: SX.sym(x.label) for x in joint.coordinates}
    pose: Pose = joint.moved(symbols)
    x = symbols[c.label]
    if c.is_angle:
        W = pose.R.T @ ca.reshape(ca.jacobian(ca.vec(pose.R), x), 3, 3)
        along = ca.vertcat(W[2, 1], W[0, 2], W[1, 0])
    else:
        along = pose.R.T @ ca.jacobian(pose.p, x)
    along = ca.simplify(along / _size(along))
    if not ca.depends_on(along, ca.vertcat(*symbols.values())):
        return ca.densify(along)
    labels = {x.label: x for x in joint.coordinates}
    values = [view.coordinate(labels[label]) for label in symbols]
    return ca.substitute(ca.densify(along), ca.vertcat(*symbols.values()), ca.vertcat(*values))


def _size(x: SX) -> SX:
    return ca.sqrt(ca.fmax(dot(x, x), 1e-300))


@component
class JointFriction(JointLoad):
    """Friction in a joint from its own reaction, regularised as `lw.Friction` is: at rest it creeps a little."""

    def __init__(
        self,
        name: str,
        coordinate: Rubbing,
        friction: Coefficient,
        *,
        radius: Radius = None,
        spacing: Spacing = None,
        static: Static = None,
        preload: Preload = 0.0,
        viscous: Viscous = 0.0,
        stribeck: Annotated[Number, positive["m/s or rad/s"], "speed over which `static` falls to `friction`"] = 0.1,
        regularisation: Annotated[Number, positive["m/s or rad/s"], "speed below which it fades"] = 1e-3,
        lag: Lag = 1e-3,
    ):
        super().__init__(
            name,
            coordinate,
            friction,
            radius=radius,
            spacing=spacing,
            static=static,
            preload=preload,
            viscous=viscous,
            lag=lag,
        )
        self.stribeck, self.regularisation = stribeck, regularisation

    def _effort(self, view: View) -> SX:
        moving, resting = self._levels()
        law = Friction(moving, static=resting, stribeck=self.stribeck, regularisation=self.regularisation)
        v = SX(view.rate(self.coordinate))
        return law.effort(view.t, SX(0), v) - self.viscous * v

    def efforts(self, view):
        return [(self.coordinate, self._effort(view))]

    def dissipation(self, view):
        return -self._effort(view) * view.rate(self.coordinate)

    def channels(self, view):
        return super().channels(view) | {"friction": (self.coordinate.effort_unit, self._effort(view))}


@component
class JointStiction(JointLoad, Unilateral):
    """Friction in a joint from its own reaction that truly sticks; in all else as `joint_friction`.

    Events: "name slips", "sticks", "reverses".
    """

    def efforts(self, view):
        return [(self.coordinate, -SX(self.viscous) * view.rate(self.coordinate))]

    def dissipation(self, view):
        return SX(self.viscous) * view.rate(self.coordinate) ** 2

    def places(self, view: View) -> list[Place]:
        return [rubbing(self.name, self.coordinate, view, *self._levels())]
