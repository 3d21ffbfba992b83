"""What pushes along a line: a coordinate, or the line between two frames."""

from __future__ import annotations

import casadi as ca

from linkwork.components.bodies import frame_of
from linkwork.components.coordinate import Coordinate
from linkwork.components.wiring.wired import Wired
from linkwork.core.errors import ModelError
from linkwork.core.port import TRANSLATIONAL, FramePort, Port
from linkwork.geometry import SX, Number, embedding, norm


def wrench_is(port: FramePort, force: Number, torque: Number) -> list[SX]:
    """Equations that give a frame port its force and torque (world axes), those that exist in the model."""
    return ca.vertsplit(embedding(port.planar).both(port.force - force, port.torque - torque))


class Acting(Wired):
    """Pushes outwards along a coordinate, a flange, or the line between two frames.

    `extension` and `rate` say how far out it is; `pushes(force)` are the equations of its mechanical ports.
    """

    def mount(self, along: tuple[object, ...], length: Number = 0.0) -> None:
        """length: distance of the frames that counts as extension 0 [m]."""
        self.length = length
        if len(along) == 1 and isinstance(along[0], (Coordinate, Port)):
            self.rod_end = self.flange("flange", along[0])
            if self.rod_end.domain is not TRANSLATIONAL:
                raise ModelError(
                    f"{along[0].name} turns.", component=self.name, remedy="Give a slide, or the frames it is between."
                )
        elif not along:
            self.rod_end = self.join_port("flange", TRANSLATIONAL)
        elif len(along) == 2:
            first, second = (frame_of(end, self.name) for end in along)
            if first.body is second.body:
                raise ModelError("is mounted on one body.", component=self.name, remedy="Use frames of two bodies.")
            self.foot, self.eye = self.frame("from", first), self.frame("to", second)
        else:
            raise ModelError(
                f"{len(along)} things to act along.", component=self.name, remedy="Give one coordinate or two frames."
            )

    @property
    def extension(self) -> SX:
        """How far it is out [m]."""
        if "flange" in self.ports:
            return self.rod_end.potential
        return norm(self.eye.p - self.foot.p) - self.length

    @property
    def rate(self) -> SX:
        return self.der(self.extension)

    def pushes(self, force: Number) -> list[SX]:
        """Outwards [N]."""
        if "flange" in self.ports:
            return [self.rod_end.flow + force]
        apart = self.eye.p - self.foot.p
        push, none = force * apart / norm(apart), SX.zeros(3, 1)
        return [*wrench_is(self.foot, push, none), *wrench_is(self.eye, -push, none)]
