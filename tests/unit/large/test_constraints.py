"""What rolls, slides on an edge, or is a constraint of the user's, and events that end a run, in kernels."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.component import Constraint
from tests.unit.large.test_kernels import check


def wheels() -> lw.Model:
    m = lw.Model("wheels", gravity=(0, -9.81))
    for k in range(3):
        b = m.body(f"b{k}", mass=1 + k, inertia=0.1).start(position=(k, 0.2 + 0.1 * k), velocity=(0.3, 0))
        m.rolling(f"r{k}", b, radius=0.2 + 0.1 * k)
    return m


def skates() -> lw.Model:
    m = lw.Model("skates", gravity=(0, 0))
    for k in range(3):
        b = m.body(f"b{k}", mass=1 + k, inertia=0.1).start(position=(k, 0), velocity=(0.3, 0))
        m.knife_edge(f"e{k}", b.at(0.1 * k, 0))
    return m


class Rope(Constraint):
    """The way from one place over another to a third is as long as it was."""

    def __init__(self, name, a, b, c, length):
        super().__init__(name)
        self.places, self.length = (a, b, c), length

    def markers(self):
        return self.places

    def rows(self, view):
        a, b, c = (view.frame(x).p for x in self.places)
        return [lw.norm(a - b) + lw.norm(c - b) - self.length]


def roped() -> lw.Model:
    m = lw.Model("roped", gravity=(0, 0, -9.81))
    for k in range(3):
        a, b, c = (m.body(f"{x}{k}", mass=1, inertia=(0.1, 0.1, 0.1)) for x in "abc")
        for i, body in enumerate((a, b, c)):
            body.start(position=(i, k, (-1) ** i * 0.5))
        m.revolute(f"pin{k}", m.ground.at(1, k, -0.5), b.at(0, 0, 0), axis=(0, 1, 0))
        m.add(Rope(f"rope{k}", a.at(0, 0, 0.1), b.at(0, 0, 0.1 * k), c.at(0, 0, 0.1), 3.0 + 0.1 * k))
    return m


@pytest.mark.parametrize("build", [wheels, skates, roped])
def test_constraints_that_are_no_joints(build):
    check(build())


def test_an_event_that_ends_a_run():
    m = roped()
    m.event("low", lambda place: place.p[2] + 0.6, m["b1"].at(0.2, 0, 0), direction=-1, action="stop")
    m.event("passed", lambda angle: angle - 0.01, m["pin1"].angle)
    m["pin1"].angle.start(0.0, rate=2.0)
    one, other = (m.simulate(0.3, kernels=k, output=0.1, formulation="absolute") for k in (True, False))
    assert one.events[-1][1] == "low" and one.t[-1] < 0.3
    assert [name for _, name in one.events] == [name for _, name in other.events]
    np.testing.assert_allclose([t for t, _ in one.events], [t for t, _ in other.events], atol=1e-8)
    assert one.record["status"] == other.record["status"]
