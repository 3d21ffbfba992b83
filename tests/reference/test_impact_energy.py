"""Throws with friction and restitution: no impact gains energy, and the balance closes."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.components.contacts.outlines import Ball, Box


def thrown(kind: str) -> lw.Model:
    flat = kind != "box in space"
    m = lw.Model(kind) if flat else lw.Model(kind, gravity=(0, 0, -9.81))
    laws = {"restitution": m.parameter("e", 0.5), "friction": m.parameter("mu", 0.5)}
    body = m.body("body", mass=1.0, inertia=(1 / 12 if kind == "rod" else 0.01) if flat else (0.002, 0.003, 0.004))
    if kind == "rod":
        for name, x in (("left", -0.5), ("right", 0.5)):
            m.rigid_contact(name, body.at(x, 0), **laws)
    else:
        m.rigid_contact("floor", body, shape=Box((0.3, 0.2) if flat else (0.2, 0.15, 0.1)), **laws)
    return m


def check_throws(kind: str, count: int, seed: int) -> None:
    m, rng = thrown(kind), np.random.default_rng(seed)
    for _ in range(count):
        values = {"e": rng.uniform(0.2, 1), "mu": rng.uniform(0, 1.2)}
        if m.is_planar:
            m["body"].start(position=(0, 1), angle=rng.uniform(0, 6), velocity=tuple(rng.uniform(-3, 3, 2)))
            m["body"].start(spin=rng.uniform(-10, 10))
        else:
            turned = rng.standard_normal(4)
            m["body"].start(position=(0, 0, 0.6), quaternion=tuple(turned / np.linalg.norm(turned)))
            m["body"].start(velocity=tuple(rng.uniform(-2, 2, 3)), spin=tuple(rng.uniform(-10, 10, 3)))
        r = m.simulate(0.6, parameters=values, output=0.02)
        total = r["energy.total"] + r["energy.dissipated"]
        assert np.diff(r["energy.dissipated"]).min() > -1e-10, values
        assert np.ptp(total) < 1e-6 * total[0], values


@pytest.mark.parametrize("kind", ["rod", "box"])
def test_throws_never_gain_energy(kind):
    check_throws(kind, 5, 0)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "count"), [("rod", 150), ("box", 150), ("box in space", 30)])
def test_many_throws_never_gain_energy(kind, count):
    check_throws(kind, count, 1)


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_kanes_pendulum_loses_energy(formulation):
    """Two rods end to end that hit the floor: with Newton's restitution and friction they left with more energy than
    they came with (Kane and Levinson 1985)."""
    m = lw.Model("pendulum", gravity=(0, 0))
    upper, lower = (m.body(name, mass=1.0, inertia=1 / 12) for name in ("upper", "lower"))
    first, second = np.radians([20.0, 30.0])
    height = np.cos(first) + np.cos(second)
    A = m.revolute("A", m.ground.at(0, height + 1e-3), upper.at(-0.5, 0))
    B = m.revolute("B", upper.at(0.5, 0), lower.at(-0.5, 0))
    A.angle.start(first - np.pi / 2, rate=-0.1)
    B.angle.start(second - first, rate=-0.1)
    m.rigid_contact("tip", lower.at(0.5, 0), restitution=0.5, friction=0.5)
    r = m.simulate(0.1, formulation=formulation)
    assert [name for _, name in r.events] == ["tip hits"]
    kinetic = r["energy.kinetic"]
    assert kinetic[-1] < 0.99 * kinetic[0]
    assert r["tip.gap"][-1] > 0
    assert kinetic[-1] + r["energy.dissipated"][-1] == pytest.approx(kinetic[0], rel=1e-9)


def test_a_cradle_passes_the_shock_on():
    """Touching balls without load are hit one after the other: with e = 1 only the last leaves."""
    m = lw.Model("cradle", gravity=(0, 0))
    balls = [m.body(f"b{k}", mass=1.0, inertia=0.01).start(position=(0.2 * k, 0)) for k in range(4)]
    balls[0].start(position=(-0.5, 0), velocity=(2.0, 0))
    for k in range(3):
        pair = {"shape": Ball(0.1), "other": Ball(0.1)}
        m.rigid_contact(f"c{k}", balls[k], balls[k + 1], **pair, restitution=1.0, friction=0.3)
    r = m.simulate(1.0)
    np.testing.assert_allclose([r.final[f"b{k}.vx"] for k in range(4)], [0, 0, 0, 2.0], rtol=0, atol=1e-9)
