"""Compliant contact of points and balls with planes and uneven ground: Hunt and Crossley's force, and friction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca

from linkwork.components.bodies import frame_of
from linkwork.components.checked import positive
from linkwork.core import component as contract
from linkwork.core.component import Load, View
from linkwork.core.errors import ModelError
from linkwork.core.registry import component
from linkwork.geometry import SX, cross, dot


@component
class Contact(contract.Force):
    """A ball (or a point, radius 0) that may touch a surface, lift off, and slide with friction.

    at: frame at its centre; on: frame of the surface (the ground's, unless given), which is its x–y plane with z up, or
    z = height(x, y) in its axes (x axis with y up, y = height(x), in a planar model). Normal force
    k δⁿ (1 + d δ̇), never pulling, with δ the penetration [m]: stiffness k [N/mⁿ], exponent n, dissipation d [s/m].
    friction: coefficient μ; below the speed `creep` [m/s] friction fades, so that a body at rest creeps a little.
    The height must be smooth, with radii of curvature well above the ball's.
    """

    passive = True

    def __init__(
        self,
        name: str,
        at: Any,
        on: Any = None,
        *,
        radius: Any = 0.0,
        stiffness: Any = 1e5,
        exponent: float = 1.5,
        dissipation: Any = 0.0,
        friction: Any = 0.0,
        creep: Any = 1e-3,
        height: Callable[..., Any] | None = None,
    ):
        super().__init__(name)
        for what, given in (("stiffness", stiffness), ("exponent", exponent), ("creep", creep)):
            positive(name, what, given)
        for what, given in (("radius", radius), ("dissipation", dissipation), ("friction", friction)):
            positive(name, what, given, zero=True)
        if exponent < 1:
            raise ModelError(f"exponent {exponent}.", component=name, remedy="Give 1 (a linear spring) or more.")
        self.at, self.on = frame_of(at, name), None if on is None else frame_of(on, name)
        self.radius, self.stiffness, self.exponent = radius, stiffness, exponent
        self.dissipated, self.friction, self.creep, self.height = dissipation, friction, creep, height

    def attached(self, model):
        if self.on is None:
            self.on = model.ground.at()
        if self.at.body is self.on.body:
            raise ModelError("touches its own body.", component=self.name, remedy="Give frames of two bodies.")

    def _gap(self, x: SX, planar: bool) -> SX:
        """Distance from the surface [m] at a place given in the surface's axes, to first order in its slope."""
        if planar:
            height = SX(0) if self.height is None else SX(self.height(x[0]))
            slope = ca.jacobian(height, x[0])
            return (x[1] - height) / ca.sqrt(1 + slope**2) - self.radius
        height = SX(0) if self.height is None else SX(self.height(x[0], x[1]))
        slope = ca.jacobian(height, x[:2])
        return (x[2] - height) / ca.sqrt(1 + slope @ slope.T) - self.radius

    def _state(self, view: View) -> tuple[SX, SX, SX, SX, SX]:
        """Penetration, its rate, the direction of the force (world axes), contact point, slip velocity."""
        assert self.on is not None
        A, S = view.frame(self.at), view.frame(self.on)
        x = SX.sym("x", 3)
        gap = self._gap(x, view.planar)
        uphill = ca.gradient(gap, x)  # so that the force is a gradient, and frictionless contact keeps its energy
        here = S.R.T @ (A.p - S.p)
        gap, uphill = ca.substitute([gap, uphill], [x], [here])
        normal = S.R @ uphill
        relative = A.v - S.v - cross(S.w, A.p - S.p)
        touch = A.p - self.radius * normal
        slip = A.v + cross(A.w, touch - A.p) - S.v - cross(S.w, touch - S.p)
        slip = slip - normal * dot(slip, normal) / ca.fmax(dot(normal, normal), 1e-12)
        return -gap, -dot(relative, normal), normal, touch, slip

    def _pressed(self, depth: SX) -> SX:
        """δⁿ, zero where there is no contact."""
        return ca.if_else(depth > 0, ca.fmax(depth, 1e-300) ** self.exponent, 0)

    def _normal(self, depth: SX, rate: SX) -> SX:
        return ca.fmax(self.stiffness * self._pressed(depth) * (1 + self.dissipated * rate), 0)

    def _drag(self, view: View) -> tuple[SX, SX, SX, SX]:
        depth, rate, normal, touch, slip = self._state(view)
        force = self._normal(depth, rate)
        return force, normal, touch, -self.friction * force * slip / ca.sqrt(dot(slip, slip) + self.creep**2)

    def loads(self, view):
        assert self.on is not None
        force, normal, touch, drag = self._drag(view)
        A, S = view.frame(self.at), view.frame(self.on)
        push, both = force * normal, force * normal + drag
        # The normal part acts along the gradient through the centre, friction where it touches.
        return [
            Load(self.at, both, cross(touch - A.p, drag)),
            Load(self.on, -both, -cross(A.p - S.p, push) - cross(touch - S.p, drag)),
        ]

    def switches(self, view):
        return [self._state(view)[0]]

    def potential(self, view):
        depth = ca.fmax(self._state(view)[0], 0)
        return self.stiffness * depth ** (self.exponent + 1) / (self.exponent + 1)

    def dissipation(self, view):
        depth, rate, _, _, slip = self._state(view)
        force, _, _, drag = self._drag(view)
        return (force - self.stiffness * self._pressed(depth)) * rate - dot(drag, slip)

    def channels(self, view):
        depth, _, _, _, slip = self._state(view)
        force = self._drag(view)[0]
        return {"force": ("N", force), "penetration": ("m", depth), "slip": ("m/s", ca.sqrt(dot(slip, slip)))}
