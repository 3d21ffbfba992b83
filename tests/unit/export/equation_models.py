"""Small models whose equations hold everything that generated text and code must be able to write."""

from __future__ import annotations

import linkwork as lw


def double_pendulum() -> lw.Model:
    """Two bars on pins, everything a parameter; mass centres at the distances c1, c2 from the pins, hanging at 0."""
    m = lw.Model("double pendulum", gravity=(0, -9.81))
    m1, m2, l1, c1, c2, I1, I2, g = (
        m.parameter(name, value)
        for name, value in zip(
            "m1 m2 l1 c1 c2 I1 I2 g".split(), (1.2, 0.7, 0.9, 0.4, 0.3, 0.05, 0.02, 9.81), strict=True
        )
    )
    m.gravity = (0, -g)
    upper, lower = m.body("upper", mass=m1, inertia=I1), m.body("lower", mass=m2, inertia=I2)
    m.revolute("1", m.ground.at(0, 0), upper.at(0, c1)).angle.start(0.3, rate=0.2)
    m.revolute("2", upper.at(0, c1 - l1), lower.at(0, c2)).angle.start(-0.5, rate=0.4)
    return m


def switched_slider() -> lw.Model:
    """A driven table with a sliding block: limits, friction, a switched effort, an input, states of first order."""
    m = lw.Model("switched */ slider?", gravity=(0, -9.81))
    push, k = m.input("push", 0.4, unit="N"), m.parameter("k", 30.0, unit="N/m")
    table, block = m.body("table", mass=2, inertia=0.3), m.body("block", mass=0.5, inertia=0.01)
    pivot = m.revolute("pivot", m.ground.at(0, 0), table.at(0, 0))
    rail = m.prismatic("rail", table.at(0, 0.1), block.at(0, 0))
    pivot.angle.law(lw.Motion(acceleration=lambda t: 0.3 * lw.sin(t)))
    rail.slide.law(lw.Limits(-0.1, 0.1, stiffness=1e3, dissipation=0.5))
    rail.slide.law(lw.Friction(0.3, static=0.5))
    rail.slide.law(lw.Effort(lambda t, x, v: push + lw.if_else(v > 0.2, -k * x, lw.SX(2.0) * abs(x))))
    pivot.angle.start(0.1, rate=0.2)
    rail.slide.start(0.12, rate=0.3)
    return m


def ball_chain() -> lw.Model:
    """A spatial tree: a body on a ball joint, another on a pin."""
    m = lw.Model("2 links", gravity=(0, 0, -9.81))
    a, b = m.body("a", mass=1.5, inertia=(0.02, 0.03, 0.01)), m.body("b", mass=0.8, inertia=(0.01, 0.01, 0.02))
    m.spherical("ball", m.ground.at(0, 0, 0), a.at(0, 0, 0.3))
    m.revolute("pin", a.at(0, 0, -0.3), b.at(0.2, 0, 0), axis=(0, 1, 0)).angle.start(0.4, rate=1.0)
    a.start(position=(0, 0, -0.3), spin=(0.5, -0.3, 2.0))
    return m
