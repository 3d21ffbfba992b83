"""Conditions between the rates of joints, free and driven, in every formulation."""

from __future__ import annotations

import pytest

import linkwork as lw


def linkage() -> lw.Model:
    m = lw.Model("linkage", gravity=(0, -9.81))
    a, b, c = (m.body(name, mass=1, inertia=0.1) for name in "abc")
    pin = m.revolute("pin", m.ground.at(), a.at(-0.5, 0))
    rail = m.prismatic("rail", a.at(0.5, 0), b.at())
    drive = m.revolute("drive", b.at(0.1, 0), c.at(-0.1, 0))
    drive.angle.law(lw.Motion(lambda t: 0.3 * t))
    condition = lambda x, y, z: x.rate - (1 + x.value) * y.rate + 0.2 * z.rate - 0.1  # noqa: E731
    m.speed_condition("x", condition, pin.angle, rail.slide, drive.angle)
    return m


GRAPHS = ["bondgraph", "bondgraph-minimal", "bondgraph-minimal-scalar"]


@pytest.mark.parametrize("formulation", ["minimal", "points", *GRAPHS])
def test_rates_of_joints_are_tied(formulation):
    here, reference = linkage().simulate(0.3, formulation=formulation), linkage().simulate(0.3)
    for name in ("pin.angle", "rail.slide", "rail.reaction.fy", "drive.reaction.mz", "energy.total", "energy.supplied"):
        assert here[name] == pytest.approx(reference[name], rel=1e-5, abs=1e-5), name
