"""Library joints as components with two ports (ACA (1)–(8)): a twist comes in, a wrench goes out.

A joint knows the poses of its two frames only. What it blocks, Φ(M, N) = 0, is an equation between its ports; what it
answers follows from its own virtual power, Fᵀδr + Tᵀδφ = −λᵀδΦ at each port: no Jacobian of bodies is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca

from linkwork.components.joint import Joint
from linkwork.core.component import Marker
from linkwork.geometry import SX, Pose, Wrench, embedding

if TYPE_CHECKING:
    from linkwork.formulations.maximal_view import MaximalView


class JointPort:
    """One end of a joint: the pose of a frame, as symbols."""

    def __init__(self, marker: Marker, planar: bool):
        self.marker = marker
        self.p, self.R = SX.sym("p", 3), SX.sym("R", 3, 3)
        self.turn = embedding(planar).turn(SX.sym("turn"))
        self.pose = Pose(self.p, self.R, self.turn)

    def virtual(self, residuals: SX) -> tuple[SX, SX]:
        """∂Φ by a displacement δr of its origin, and by a rotation δφ, world axes: δR = δφ × R."""
        spin = SX.sym("spin", 3)
        moving, rates = ca.vec(self.R), ca.vec(ca.skew(spin) @ self.R)
        turned = ca.jacobian(residuals, moving) @ ca.jacobian(rates, spin)
        if self.turn is not None:
            turned[:, 2] += ca.jacobian(residuals, self.turn)
        return ca.jacobian(residuals, self.p), turned

    def at(self, view: MaximalView) -> tuple[list[SX], list[SX]]:
        """Its symbols, and the pose that its body gives them: the connection of two ports."""
        frame = view.frame(self.marker)
        symbols, values = [self.p, self.R], [ca.densify(frame.p), ca.densify(frame.R)]
        if self.turn is not None and frame.turn is not None:
            symbols.append(self.turn)
            values.append(SX(frame.turn))
        return symbols, values


def answered(view: MaximalView, joint: Joint, chosen: list[int], multipliers: SX) -> list[tuple[Marker, Wrench]]:
    """The wrench that a joint's blocked directions put on the body at each of its ports, at the port's origin.

    chosen: which of its equations are kept by multipliers, in their order.
    """
    ports = [JointPort(marker, view.planar) for marker in (joint.first, joint.second)]
    closure = joint.closure(*(port.pose for port in ports))
    residuals = ca.vertcat(SX(0, 1), *(SX(closure[k]) for k in chosen))
    symbols: list[SX] = []
    values: list[SX] = []
    for port in ports:
        own = port.at(view)
        symbols, values = symbols + own[0], values + own[1]
    wrenches = []
    for port in ports:
        along, about = port.virtual(residuals)
        force, torque = ca.substitute([-(along.T @ multipliers), -(about.T @ multipliers)], symbols, values)
        wrenches.append((port.marker, Wrench(ca.densify(force), ca.densify(torque))))
    return wrenches
