"""The cross slide: an Oldham coupling, and a scotch yoke's ellipse."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.formulations import formulations


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("formulation", [f for f in formulations if not f.endswith("-scalar")])
def test_oldham_coupling(formulation, space):
    """Two shafts beside each other turn alike; the disc between them goes round twice as fast on a small circle."""
    apart, speed = 0.2, 3.0
    m = lw.Model("oldham", gravity=(0, 0, 0) if space else (0, 0))
    inertia = (0.2, 0.2, 0.1) if space else 0.1
    left, disc, right = (m.body(name, mass=1.0, inertia=inertia) for name in ("left", "disc", "right"))
    A = m.revolute("A", m.ground.at(0, 0), left.at())
    B = m.revolute("B", m.ground.at(apart, 0), right.at())
    m.double_prismatic("slide", left.at(), right.at())
    m.prismatic("first", left.at(), disc.at())
    second = m.prismatic("second", right.at(rotation=np.pi / 2), disc.at(rotation=np.pi / 2))
    A.angle.start(0.4, rate=speed)
    A.angle.law(lw.Motion(lambda t: 0.4 + speed * t))
    found = m.simulate(1, formulation=formulation, output=0.05, rtol=1e-9, atol=1e-11)
    angle = 0.4 + speed * found.t
    soft = formulation in ("compliant", "bondgraph-rc")
    close = {"abs": 2e-4 if soft else 1e-7}
    assert found["B.angle"] == pytest.approx(angle, **close)
    assert found["slide.slide1"] == pytest.approx(apart * np.cos(angle), **close)
    assert found["slide.slide2"] == pytest.approx(-apart * np.sin(angle), **close)
    # The disc's centre: on the line of the left slide, and of the right one.
    assert found["disc.x"] == pytest.approx(apart * np.cos(angle) ** 2, **close)
    assert found["disc.y"] == pytest.approx(apart * np.cos(angle) * np.sin(angle), **close)
    assert second.slide is not None and B.angle is not None


def test_a_table_that_falls_and_slides():
    m = lw.Model("table", gravity=(0, -9.81))
    table = m.body("table", mass=2.0, inertia=1.0)
    joint = m.double_prismatic("cross", m.ground.at(), table.at(0, 0), axis=(1, 0))
    joint.slide1.law(lw.Spring(50.0))
    joint.slide1.start(0.1)
    m.torque("twist", table.at(), 3.0)
    found = m.simulate(1, output=0.1, rtol=1e-9)
    assert found["cross.slide1"] == pytest.approx(0.1 * np.cos(5 * found.t), abs=1e-7)
    assert found["cross.slide2"] == pytest.approx(-9.81 * found.t**2 / 2, abs=1e-8)
    assert found["table.angle"] == pytest.approx(0, abs=1e-12)
    assert found["cross.reaction.mz"] == pytest.approx(-3.0)
