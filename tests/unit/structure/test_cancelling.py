"""Coefficients that rounding has left: relations between stores are found whatever the numbers."""

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.geometry import SX
from linkwork.structure.cancelling import without_cancelled


def ring(a, b, c, *, parameters):
    """Two compliances side by side through a ring of gyrators that cancels itself: both get half the flow."""
    g = lw.BondGraph("ring")
    moduli = [g.parameter(name, x) if parameters else x for name, x in (("a", a), ("b", b), ("c", c))]
    j0, j1, j2, j3 = g.zero("j0"), g.one("j1"), g.zero("j2"), g.zero("j3")
    g.chain(j0, g.GY("t0", moduli[0]), j1)
    g.chain(j1, g.GY("t1", moduli[1]), j2)
    g.bond(j1, j3)
    g.chain(j2, g.GY("t3", moduli[2]), j0)
    for name, junction in (("C10", j1), ("C30", j3)):
        g.bond(g.C(name, 1.0), junction)
    g.bond(g.Sf("flow", lw.sin(2 * g.t)), j3)
    return g


@pytest.mark.parametrize("parameters", [False, True])
@pytest.mark.parametrize("moduli", [(1.796875, 1.75, 1.0), (2.0, 3.0, 4.0), (1.1, 1.3, 1.7), (0.1, 0.2, 0.3)])
def test_a_ring_that_cancels_itself(moduli, parameters):
    r = ring(*moduli, parameters=parameters).simulate(1.0)
    np.testing.assert_allclose(np.abs(r["C30.effort"]), np.sin(r.t) ** 2 / 2, atol=1e-8)
    np.testing.assert_allclose(np.abs(r["C10.effort"]), np.sin(r.t) ** 2 / 2, atol=1e-8)


x, y, p = SX.sym("x"), SX.sym("y"), SX.sym("p")


@pytest.mark.parametrize(
    ("residual", "left"),
    [
        (y + 0.1 * x + 0.2 * x - 0.3 * x, {"y"}),
        (y + (x / 3 + x / 3 + x / 3 - x), {"y"}),
        (y + p * x / 7 - x * (p / 7), {"y"}),
        (y + 1e-13 * x, {"x", "y"}),  # small, but not the rest of something large
        (y + (0.3 + 1e-9) * x - 0.3 * x, {"x", "y"}),
        (y + (p - 1) * x, {"x", "y", "p"}),  # zero for one value only
        (y + x * y - x * y, {"y"}),
        (y + ca.fabs(x) - ca.fabs(x), {"y"}),
    ],
)
def test_what_cancels_is_gone_and_nothing_else(residual, left):
    found = without_cancelled(residual, {p.element_hash()})
    assert {s.name() for s in ca.symvar(found)} == left
