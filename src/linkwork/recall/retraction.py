"""How coordinates move by small displacements, as an expression: what is left of a function that derives it."""

from __future__ import annotations

import casadi as ca

from linkwork.core.equations import Equations
from linkwork.geometry import SX


class Retraction:
    """value: of q and step, symbols of its own."""

    def __init__(self, q: SX, step: SX, value: SX):
        self.q, self.step, self.value = q, step, value

    def __call__(self, q: SX, step: SX) -> SX:
        return ca.substitute(self.value, ca.vertcat(self.q, self.step), ca.vertcat(q, step))


def retraction_of(eq: Equations) -> Retraction:
    """That of equations."""
    q, step = SX.sym("q", eq.q.numel()), SX.sym("step", eq.v.numel())
    return Retraction(q, step, eq.motion.retract(q, step))
