"""Bodies placed by position matrices: speeds and accelerations from the positions alone (SYM (36)–(38))."""

from __future__ import annotations

import casadi as ca

from linkwork.components.variables import Guide
from linkwork.formulations.recursion import Moving
from linkwork.geometry import SX, cross


def guided(guide: Guide, t: SX, x: SX, rate: SX, second: SX) -> Moving:
    """Motion of the guided body's mass centre for the generalised coordinates x, their rates and second rates."""

    def derivative(expression: SX) -> SX:
        return ca.jtimes(expression, ca.vertcat(x, t), ca.vertcat(rate, 1))

    p, R = guide.pose.p, guide.pose.R
    dR = ca.reshape(derivative(ca.vec(R)), 3, 3)
    # The axial vector of Ṙ Rᵀ (37).
    w = sum((cross(R[:, i], dR[:, i]) for i in range(3)), SX(3, 1)) / 2
    if guide.pose.turn is not None:
        w = ca.vertcat(0, 0, derivative(guide.pose.turn))
    v = derivative(p)
    a, alpha = (derivative(y) + ca.jtimes(y, rate, second) for y in (v, w))
    return Moving(guide.pose, v, w, a, alpha)
