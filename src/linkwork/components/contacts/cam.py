"""A cam and its follower, which may lift off."""

from __future__ import annotations

from typing import Annotated

import casadi as ca

from linkwork.components.bodies import frame_of
from linkwork.components.given import Place
from linkwork.components.per_view import once_per_view
from linkwork.components.profiles import Radius, Roller, pitch
from linkwork.core import component as contract
from linkwork.core.component import Load, Marker, View
from linkwork.core.errors import ModelError
from linkwork.core.kinds import nonnegative, positive
from linkwork.core.registry import component
from linkwork.geometry import SX, Number, cross, dot


@component
class Cam(contract.Force):
    """A point or roller pressed on a cam: k·depth^1.5·(1 + dissipation·speed), never pulling; it lifts off and lands.

    The depth is normal to the profile (to first order in it). The force goes through the roller's centre.
    """

    passive = True

    def __init__(
        self,
        name: str,
        on: Annotated[Place, "frame of the cam: its profile lies around z, its angle counts from x"],
        at: Annotated[Place, "frame of the follower: its point, or the centre of its roller"],
        *,
        radius: Radius,
        roller: Roller = 0.0,
        stiffness: Annotated[Number, positive["N/m^1.5"], "k"] = 1e9,
        dissipation: Annotated[Number, nonnegative["s/m"], "loss of Hunt and Crossley"] = 0.0,
    ):
        super().__init__(name)
        self.on, self.at = frame_of(on, name), frame_of(at, name)
        if self.on.body is self.at.body:
            raise ModelError("follows its own body.", component=name, remedy="Give frames of two bodies.")
        self.radius, self.roller, self.stiffness, self.loss = radius, roller, stiffness, dissipation
        self._pitch = pitch(name, radius, roller)

    def markers(self) -> tuple[Marker, ...]:
        return self.on, self.at

    @once_per_view
    def _pressed(self, view: View) -> tuple[SX, SX, SX]:
        """Depth [m] (below 0: a gap), its rate, and the direction in which it pushes the follower, world axes."""
        C, F = view.frame(self.on), view.frame(self.at)
        x, y = SX.sym("x"), SX.sym("y")
        angle = SX.sym("angle")
        r = SX(self._pitch(angle))
        slope = ca.jacobian(r, angle)
        distance = ca.sqrt(x * x + y * y)
        r, slope = ca.substitute([r, slope], [angle], [ca.atan2(y, x)])
        depth = (r - distance) / ca.sqrt(1 + (slope / distance) ** 2)
        contact = ca.vertcat(depth, ca.gradient(depth, ca.vertcat(x, y)))
        d = F.p - C.p
        contact = ca.substitute(contact, ca.vertcat(x, y), ca.vertcat(dot(d, C.x), dot(d, C.y)))
        away = -(contact[1] * C.x + contact[2] * C.y)
        return contact[0], -dot(away, F.v - C.v - cross(C.w, d)), away

    def _force(self, view: View) -> tuple[SX, SX]:
        """Elastic, and with its loss [N]."""
        depth, rate, _ = self._pressed(view)
        elastic = self.stiffness * ca.fmax(depth, 0) * ca.sqrt(ca.fmax(depth, 1e-300))
        return elastic, ca.fmax(elastic * (1 + self.loss * rate), 0)

    def loads(self, view):
        push = self._force(view)[1] * self._pressed(view)[2]
        arm = view.frame(self.at).p - view.frame(self.on).p
        return [Load(self.at, push, SX(3, 1)), Load(self.on, -push, -cross(arm, push))]

    def potential(self, view):
        depth = ca.fmax(self._pressed(view)[0], 0)
        return 0.4 * self.stiffness * depth**2 * ca.sqrt(ca.fmax(depth, 1e-300))

    def dissipation(self, view):
        elastic, force = self._force(view)
        return (force - elastic) * self._pressed(view)[1]

    def switches(self, view):
        return [self._pressed(view)[0]]

    def channels(self, view):
        depth, _, _ = self._pressed(view)
        force = self._force(view)[1]
        return {"force": ("N", force), "normal": ("N", force), "gap": ("m", -depth)}
