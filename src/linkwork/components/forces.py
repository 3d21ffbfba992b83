"""Forces between frames. Whatever acts on one body acts with opposite sign on the other."""

from __future__ import annotations

from typing import Any

import casadi as ca

from linkwork.components.bodies import frame_of
from linkwork.components.laws import evaluate
from linkwork.core import component as contract
from linkwork.core import kinds
from linkwork.core.component import Frame, Load, Marker, View
from linkwork.core.errors import ModelError
from linkwork.core.registry import component
from linkwork.geometry import SX, as_vector, cross, dot, is_scalar, norm, rotations, unit_vector


def _pair(a: Marker, at: Frame, b: Marker, bt: Frame, force: SX, torque: SX) -> list[Load]:
    """Force and torque on a at its origin, and the opposite wrench about the same point of space on b."""
    arm = at.p - bt.p
    return [Load(a, force, torque), Load(b, -force, -torque - cross(arm, force))]


@component
class Spring(contract.Force):
    """Spring and damper along the line between two points.

    stiffness [N/m], length: unstretched [m], damping [N·s/m]. The length may change: an expression of time, inputs,
    variables or states, or a function of t; what it takes to change it counts as supplied.
    """

    arguments = {"stiffness": kinds.nonnegative, "damping": kinds.nonnegative, "length": kinds.nonnegative_course}

    def __init__(self, name: str, a: Any, b: Any, *, stiffness: Any = 0, length: Any = 0, damping: Any = 0):
        super().__init__(name)
        self.a, self.b = frame_of(a, name), frame_of(b, name)
        if self.a.body is self.b.body:
            raise ModelError(f"joins {self.a.body.name!r} to itself.", component=name, remedy="Use two bodies.")
        self.stiffness, self.length, self.damping = stiffness, length, damping

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
    """A vector acting on `at`: constant or a function of t and the frames a, b; opposite on `reaction` if given.

    frame: "world" (axes stay fixed) or "body" (a follower, turns with the body the frame is on).
    """

    unit = ""
    letter = ""
    idle: tuple[int, ...] = ()
    """Components that must vanish in the plane."""
    arguments = {"vector": kinds.vector | kinds.function}

    def __init__(self, name: str, at: Any, vector: Any, *, frame: str = "world", reaction: Any = None):
        super().__init__(name)
        if frame not in ("world", "body"):
            raise ModelError(f"frame {frame!r}.", component=name, remedy="It is 'world' or 'body'.")
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

    def _column(self, vector: Any) -> SX:
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
        axes = range(3) if not view.planar else ((0, 1) if self.letter == "f" else (2,))
        return {f"{self.letter}{'xyz'[i]}": (self.unit, value[i]) for i in axes}


@component
class Force(_Given):
    """A force [N] at a frame's origin: (fx, fy[, fz]) or a function of t, a (this frame), b (the reaction's frame)."""

    unit, letter, idle = "N", "f", (2,)

    def wrench(self, view):
        return self.value(view), SX(3, 1)


@component
class Torque(_Given):
    """A torque [N·m] on a body: one number in the plane, (mx, my, mz) in space, or a function as for `force`."""

    unit, letter, idle = "N·m", "m", (0, 1)
    arguments = {
        "vector": kinds.quantity.saying("Give one number (plane) or 3 (space).") | kinds.vector | kinds.function
    }

    def _column(self, vector):
        return as_vector((0, 0, vector) if is_scalar(vector) else vector)

    def wrench(self, view):
        return SX(3, 1), self.value(view)


@component
class Bushing(contract.Force):
    """Elastic mount in six directions (three in the plane) between two frames, in the axes of the first.

    stiffness, damping: 3 numbers along x, y, z [N/m], [N·s/m]; torsion, torsion_damping: about x, y, z [N·m/rad].
    In the plane: (kx, ky) and one number about z. Rotations are taken as the rotation vector: exact for one axis,
    for small angles in general.
    """

    passive = True
    arguments = dict.fromkeys(("stiffness", "damping", "torsion", "torsion_damping"), kinds.directions)

    def __init__(
        self, name: str, a: Any, b: Any, *, stiffness: Any, damping: Any = 0, torsion: Any = 0, torsion_damping: Any = 0
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


def _three(k: Any) -> SX:
    return as_vector((k, k, k) if is_scalar(k) else k)
