"""Forces between frames. Whatever acts on one body acts with opposite sign on the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

import casadi as ca

from linkwork.components.bodies import frame_of
from linkwork.components.given import Course, Place
from linkwork.components.laws import evaluate
from linkwork.core import component as contract
from linkwork.core import kinds
from linkwork.core.component import Frame, Load, Marker, View
from linkwork.core.errors import ModelError
from linkwork.core.kinds import directions, unsigned
from linkwork.core.registry import component
from linkwork.geometry import (
    SX,
    Number,
    Vector,
    as_vector,
    cross,
    dot,
    embedding,
    is_scalar,
    norm,
    rotations,
    unit_vector,
)

TORQUE = kinds.quantity.saying("Give one number (plane) or 3 (space).") | kinds.vector | kinds.function
At: TypeAlias = Annotated[Place, "frame it acts at, or a body"]
Axes: TypeAlias = Annotated[
    str, kinds.one_of("world", "body"), '"world": axes stay fixed; "body": it turns with the body the frame is on'
]
Reaction: TypeAlias = Annotated[Place | None, "frame that the opposite acts on; None: nothing does"]


def _pair(a: Marker, at: Frame, b: Marker, bt: Frame, force: SX, torque: SX) -> list[Load]:
    """Force and torque on a at its origin, and the opposite wrench about the same point of space on b."""
    arm = at.p - bt.p
    return [Load(a, force, torque), Load(b, -force, -torque - cross(arm, force))]


@component
class Spring(contract.Force):
    """Spring and damper along the line between two points.

    The length may change: what it takes to change it counts as supplied.
    """

    def __init__(
        self,
        name: str,
        a: Annotated[Place, "one end, a frame or a body"],
        b: Annotated[Place, "the other end"],
        *,
        stiffness: Annotated[Number, unsigned["N/m"], "force per stretch"] = 0,
        length: Annotated[
            Course, kinds.unsigned_course["m"], "unstretched; may change: an expression, or a function of t"
        ] = 0,
        damping: Annotated[Number, unsigned["N·s/m"], "force per speed of stretch"] = 0,
    ):
        super().__init__(name)
        self.a, self.b = frame_of(a, name), frame_of(b, name)
        if self.a.body is self.b.body:
            raise ModelError(f"joins {self.a.body.name!r} to itself.", component=name, remedy="Use two bodies.")
        self.stiffness, self.damping = stiffness, damping
        self.length: Any = length

    def attached(self, model):
        if callable(self.length):
            self.length = evaluate(self.length, t=model.t)

    @property
    def passive(self) -> bool:  # type: ignore[override]
        """Whether it keeps its length."""
        symbols = ca.symvar(SX(self.length)) if isinstance(self.length, SX) and not callable(self.length) else []
        return self.model is None or all(s.name() in self.model.parameters for s in symbols)

    def _state(self, view: View) -> tuple[SX, SX, SX]:
        A, B = view.frame(self.a), view.frame(self.b)
        d = B.p - A.p
        direction = unit_vector(d)
        return norm(d), dot(B.v - A.v, direction), direction

    def loads(self, view):
        length, rate, direction = self._state(view)
        pull = (self.stiffness * (length - self.length) + self.damping * rate) * direction
        zero = SX(3, 1)
        return [Load(self.a, pull, zero), Load(self.b, -pull, zero)]

    def potential(self, view):
        return self.stiffness * (self._state(view)[0] - self.length) ** 2 / 2

    def dissipation(self, view):
        return self.damping * self._state(view)[1] ** 2

    def channels(self, view):
        length, rate, _ = self._state(view)
        tension = self.stiffness * (length - self.length) + self.damping * rate
        return {"length": ("m", length), "rate": ("m/s", rate), "tension": ("N", tension)}


class _Given(contract.Force):
    """A vector acting on `at`: constant or a function of t and the frames a, b; opposite on `reaction` if given."""

    unit = ""
    letter = ""
    idle: tuple[int, ...] = ()
    """Components that must vanish in the plane."""

    def __init__(self, name: str, at: At, vector: object, frame: Axes, reaction: Reaction):
        super().__init__(name)
        self.at, self.vector, self.frame = frame_of(at, name), vector, frame
        self.reaction = None if reaction is None else frame_of(reaction, name)

    def value(self, view: View) -> SX:
        """The vector in world axes."""
        A = view.frame(self.at)
        known = {"t": view.t, "a": A}
        if self.reaction is not None:
            known["b"] = view.frame(self.reaction)
        vector = evaluate(self.vector, self._column, **known)
        if view.planar and not all(vector[i].is_zero() for i in self.idle):
            raise ModelError(f"{vector} leaves the plane.", component=self.name, remedy="Use a spatial model.")
        return A.R @ vector if self.frame == "body" else vector

    def _column(self, vector: object) -> SX:
        return as_vector(vector)

    def wrench(self, view: View) -> tuple[SX, SX]:
        raise NotImplementedError

    def loads(self, view):
        force, torque = self.wrench(view)
        if self.reaction is None:
            return [Load(self.at, force, torque)]
        return _pair(self.at, view.frame(self.at), self.reaction, view.frame(self.reaction), force, torque)

    def channels(self, view):
        value = self.value(view)
        space = embedding(view.planar)
        axes = space.true_axes if self.letter == "f" else space.axial_axes
        return {f"{self.letter}{'xyz'[i]}": (self.unit, value[i]) for i in axes}


@component
class Force(_Given):
    """A force [N] at a frame's origin: (fx, fy[, fz]) or a function of t, a (this frame), b (the reaction's frame)."""

    unit, letter, idle = "N", "f", (2,)

    def __init__(
        self,
        name: str,
        at: At,
        vector: Annotated[
            Vector | Callable[..., Vector],
            (kinds.vector | kinds.function)["N"],
            "(fx, fy[, fz]), or a function that gives it",
        ],
        *,
        frame: Axes = "world",
        reaction: Reaction = None,
    ):
        super().__init__(name, at, vector, frame, reaction)

    def wrench(self, view):
        return self.value(view), SX(3, 1)


@component
class Torque(_Given):
    """A torque [N·m] on a body: one number in the plane, (mx, my, mz) in space, or a function as for `force`."""

    unit, letter, idle = "N·m", "m", (0, 1)

    def __init__(
        self,
        name: str,
        at: At,
        vector: Annotated[
            Number | Vector | Callable[..., Number | Vector],
            TORQUE["N·m"],
            "one number (plane), (mx, my, mz) (space), or a function that gives it",
        ],
        *,
        frame: Axes = "world",
        reaction: Reaction = None,
    ):
        super().__init__(name, at, vector, frame, reaction)

    def _column(self, vector):
        return as_vector((0, 0, vector) if is_scalar(vector) else vector)

    def wrench(self, view):
        return SX(3, 1), self.value(view)


@component
class Bushing(contract.Force):
    """Elastic mount in six directions (three in the plane) between two frames, in the axes of the first.

    Rotations are taken as the rotation vector: exact for one axis, for small angles in general.
    """

    passive = True

    def __init__(
        self,
        name: str,
        a: Annotated[Place, "the first frame, whose axes are meant"],
        b: Annotated[Place, "the second frame"],
        *,
        stiffness: Annotated[Number | Vector, directions["N/m"], "along x, y, z; (kx, ky) in the plane; one for all"],
        damping: Annotated[Number | Vector, directions["N·s/m"], "along x, y, z"] = 0,
        torsion: Annotated[Number | Vector, directions["N·m/rad"], "about x, y, z; about z in the plane"] = 0,
        torsion_damping: Annotated[Number | Vector, directions["N·m·s/rad"], "about x, y, z"] = 0,
    ):
        super().__init__(name)
        self.a, self.b = frame_of(a, name), frame_of(b, name)
        if self.a.body is self.b.body:
            raise ModelError(f"joins {self.a.body.name!r} to itself.", component=name, remedy="Use two bodies.")
        self.stiffness, self.damping = _three(stiffness), _three(damping)
        self.torsion, self.torsion_damping = _three(torsion), _three(torsion_damping)

    def _state(self, view: View) -> tuple[Frame, SX, SX, SX, SX]:
        A, B = view.frame(self.a), view.frame(self.b)
        d, w = A.R.T @ (B.p - A.p), A.R.T @ (B.w - A.w)
        rate = A.R.T @ (B.v - A.v - cross(A.w, B.p - A.p))
        if A.turn is not None and B.turn is not None:
            angles = as_vector((0, 0, B.turn - A.turn))
        else:
            angles = rotations.rotation_vector(A.R.T @ B.R)
        return A, d, rate, angles, w

    def loads(self, view):
        A, d, rate, angles, w = self._state(view)
        force = A.R @ (self.stiffness * d + self.damping * rate)
        if view.planar:
            moment = self.torsion * angles
        else:
            # The torque that stores ½ Σ k rᵢ², r the rotation vector: ω = T ṙ, so its virtual power is (Tᵀ m)·ṙ.
            moment = ca.solve(rotations.rotation_vector_rate(angles).T, self.torsion * angles)
        torque = A.R @ (moment + self.torsion_damping * w)
        B = view.frame(self.b)
        # Both act at the origin of b, so that the pair is in balance.
        return [Load(self.a, force, torque + cross(B.p - A.p, force)), Load(self.b, -force, -torque)]

    def potential(self, view):
        _, d, _, angles, _ = self._state(view)
        return (dot(self.stiffness * d, d) + dot(self.torsion * angles, angles)) / 2

    def dissipation(self, view):
        _, _, rate, _, w = self._state(view)
        return dot(self.damping * rate, rate) + dot(self.torsion_damping * w, w)


def _three(k: object) -> SX:
    return as_vector((k, k, k) if is_scalar(k) else k)
