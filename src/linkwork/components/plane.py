"""A plane in space: a mechanism is added to it as to a planar model, with two coordinates, and moves in it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import casadi as ca

from linkwork.components.backlash import Backlash
from linkwork.components.bodies import Body, Solid
from linkwork.components.contacts.dry_friction import DryFriction
from linkwork.components.contacts.joint_friction import JointLoad
from linkwork.components.forces import Force, Spring, Torque
from linkwork.components.joint import Joint
from linkwork.components.plane_body import PlaneBody, flat
from linkwork.components.plane_joint import close_in_plane, holds_in_plane
from linkwork.components.points import Point
from linkwork.components.relations import Relation
from linkwork.core import kinds
from linkwork.core.component import Component, Marker, checked_name, full_name
from linkwork.core.errors import ModelError
from linkwork.core.port import PortComponent
from linkwork.core.registry import verb
from linkwork.core.said import unnoticed
from linkwork.core.submodel import Submodel
from linkwork.geometry import SX, Number, Pose, Vector, as_vector, is_scalar

if TYPE_CHECKING:
    from linkwork.core.model import Model

C = TypeVar("C", bound=Component)
ALONG = 1e-9
"""By how much a frame may leave the plane [m, or 1 − cosine]."""
ALIKE = (Joint, Relation, Spring, Force, Torque, Point, Backlash, DryFriction, JointLoad, PortComponent)
"""What means the same in a plane as in a planar model; others have normals and grounds of their own in space."""


@verb
def plane(model: Model, name: str, *, at: Marker | None = None) -> Plane:
    """A plane in space: what is added to it (`p.body`, `p.revolute`, …) has two coordinates, and moves in it.

    name: as of a submodel; at: a frame whose x and y axes span it, the world's unless given.
    A body's inertia is one number, about the normal.
    """
    name = full_name(checked_name(kinds.text.taken("name", name, model.name)))
    if model.is_planar:
        raise ModelError(
            "the model is planar already.", component=name, remedy="Give it three numbers of gravity, or use m.insert."
        )
    if at is not None and (not isinstance(at, Marker) or model.components.get(at.body.name) is not at.body):
        raise ModelError(
            f"at={kinds.shown(at)} is not a frame of this model.",
            component=name,
            remedy="Give body.at(…) or m.ground.at(…, rotation=…).",
        )
    model._claim(name)
    made = model.submodels[name] = Plane(model, name, at)
    return made


class PlaneGround:
    """What a plane is fixed to, seen in the plane."""

    def __init__(self, frame: Marker):
        self._frame = frame

    def at(self, x: Number | tuple[Number, Number] = 0, y: Number = 0, *, rotation: Number = 0) -> Marker:
        """A frame at (x, y) of the plane, turned about its normal [rad]."""
        body, here = self._frame.body, self._frame.pose
        local = body.at(*flat("a frame at", x, y, body.name), rotation=rotation).pose
        return Marker(body, here @ local, self._frame.in_world)


class Plane(Submodel):
    """A plane in space. Joints between bodies of different planes, or of none, are added to the model itself."""

    def __init__(self, model: Model, name: str, at: Marker | None):
        super().__init__(model, name, at)
        self.ground: Any = PlaneGround(self.at)
        self._carried: dict[str, str] = {}
        """By body: one that joints carry it from, as far as that is known."""

    def body(self, name: str, *, mass: Number, inertia: Any) -> PlaneBody:
        """A body of the plane.

        mass [kg]; inertia [kg·m²]: one number about the normal, of a flat body (half of it about x and y), or
        (Ixx, Iyy, Izz, …) as in space.
        """
        with self.naming():
            return self.model.add(PlaneBody(name, self.at, mass=mass, inertia=inertia))

    def add(self, component: C) -> C:
        """Add a component, placed in the plane."""
        if isinstance(component, Body) or not isinstance(component, ALIKE):
            self._refuse(component.name, type(component).__name__)
        with unnoticed(component):
            if isinstance(component, Joint):
                self._place(component)
                self._hold(component)
            elif isinstance(component, (Force, Torque)):
                self._turn(component)
        return self.model.add(component)

    def insert(self, submodel: object, name: str, *, at: Marker | None = None, **arguments: object) -> NoReturn:
        """Not for planes: a function that takes a model takes a plane as well."""
        raise ModelError(
            "submodels are not inserted in planes.",
            component=self.name,
            remedy="Call the function with a plane: part(m.plane('front', at=…)).",
        )

    def _refuse(self, name: str, what: str) -> NoReturn:
        raise ModelError(
            f"{what} means something else in space than in a planar model.",
            component=name,
            remedy="Add it to the model itself, with frames in space (in a plane: p.body, p.ground.at).",
        )

    def _place(self, joint: Joint) -> None:
        """Frames of the plane where bodies were given; frames that were given must lie in it."""
        if joint.plane is None:
            raise ModelError(
                f"a {type(joint).__name__} joint has no meaning in the plane.",
                component=joint.name,
                remedy="Add it to the model itself, or use revolute, prismatic, distance.",
            )
        first, second = joint._ends
        for end in (first, second):
            if isinstance(end, Marker):
                self._check_frame(end, joint.name)
        if isinstance(first, Solid) and isinstance(second, Solid):
            here = self.at.at_start
            if joint._point is not None:
                place = here @ Pose(as_vector(flat("point", joint._point, 0, joint.name)), SX(ca.DM.eye(3)))
            else:
                place = Pose(joint._default_point(), here.R, here.turn)
            joint._ends = tuple(Marker(end, place, in_world=True) for end in (first, second))  # type: ignore[assignment]
            joint._point = None

    def _hold(self, joint: Joint) -> None:
        """What leaves the plane is held by joints that carry one body from another, and not again by those of loops."""
        first, second = (self._root(marker.body.name) for marker in joint.markers())
        if first != second and holds_in_plane(joint):
            self._carried[second] = first
        else:
            close_in_plane(joint)

    def _root(self, name: str) -> str:
        while name in self._carried:
            name = self._carried[name]
        return name

    def _check_frame(self, frame: Marker, name: str) -> None:
        """Raise unless a frame on a body of this plane, or on what it is fixed to, lies in it."""
        if frame.in_world or not (isinstance(frame.body, PlaneBody) or frame.body is self.at.body):
            return
        local = frame.pose if frame.body is not self.at.body else self.at.pose.inverse() @ frame.pose
        out = ca.vertcat(local.p[2], local.R[2, 2] - 1)
        if not out.is_constant() or abs(ca.evalf(ca.norm_inf(out))) > ALONG:
            raise ModelError(
                f"its frame on {frame.body.name} is not in the plane {self.name}.",
                component=name,
                remedy="Give body.at(x, y, rotation=angle), p.ground.at(x, y), or add the joint to the model itself.",
            )

    def _turn(self, load: Force | Torque) -> None:
        """A vector in the axes of the plane, as one of the world."""
        if load.frame == "body":
            return
        if self.at.body is not self.model.ground:
            raise ModelError(
                f"the plane moves with {self.at.body.name}, and its axes with it.",
                component=load.name,
                remedy="Give frame='body', or add it to the model itself, in world axes.",
            )
        R, given = self.at.at_start.R, load.vector

        def column(vector: Any) -> SX:
            numbers = (0, 0, vector) if isinstance(load, Torque) and is_scalar(vector) else vector
            return R @ as_vector(numbers)

        load.vector = _of_time(given, column, load.name) if callable(given) else column(given)


def _of_time(function: Callable[..., Number | Vector], column: Callable[[Any], SX], name: str) -> Callable[..., SX]:
    if {"a", "b"} & set(inspect.signature(function).parameters):
        raise ModelError(
            "its function sees frames, which are in space.",
            component=name,
            remedy="Give a function of t, or add it to the model itself.",
        )

    @wraps(function)
    def turned(*args: object, **named: object) -> SX:
        return column(function(*args, **named))

    return turned
