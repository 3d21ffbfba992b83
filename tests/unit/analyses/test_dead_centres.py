"""Driven mechanisms next to a dead centre: they stay on their branch, pass where the drive does, end at their reach.

Oracle: crank 0.2 m, rod 1 m: cos θ = (x² + 0.2² − 1) / (0.4 x) for the piston at x.
"""

import numpy as np
import pytest

import linkwork as lw
from linkwork.examples import slider_crank

REACH = 1.2


def driven(short, *, bend=0.05, output=0.01):
    """The piston comes to within `short` [m] of its outermost position at 1 s, and turns back."""
    m = slider_crank.model()
    m["O"].angle.start(0.5)
    return m.kinematics(2, drive={"P.slide": lambda t: REACH - short - bend * (t - 1) ** 2}, output=output)


@pytest.mark.parametrize("bend", [0.05, 1e-3])
@pytest.mark.parametrize("short", [1e-3, 1e-4, 1e-6, 1e-8])
def test_no_jump_before_a_dead_centre(short, bend):
    near = 1 + np.linspace(-1, 1, 201) ** 3  # ever closer to the turn
    r = driven(short, bend=bend, output=near)
    x = r["P.slide"]
    assert np.allclose(r["O.angle"], np.arccos((x**2 + 0.2**2 - 1) / (0.4 * x)), rtol=0, atol=1e-8)
    assert r["O.angle"].min() > 0


@pytest.mark.parametrize("beyond", [1e-10, 1e-8, 1e-4, 1e-2])
def test_never_beyond_reach(beyond):
    with pytest.raises(lw.IntegrationError, match=r"P\.slide: .* cannot follow its drives beyond t = ") as caught:
        driven(-beyond)
    partial = caught.value.partial
    assert partial["piston.x"].max() <= REACH + 1e-12
    assert partial["O.angle"].min() > 0


def test_a_turning_crank_passes():
    def path(t):
        return 0.2 * lw.cos(3 * t + 0.3) + lw.sqrt(1 - (0.2 * lw.sin(3 * t + 0.3)) ** 2)

    r = slider_crank.model().kinematics(7, drive={"P.slide": path})
    assert np.allclose(r["O.angle"], 0.3 + 3 * r.t, atol=1e-8)
