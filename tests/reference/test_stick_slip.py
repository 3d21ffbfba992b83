"""Rigid contacts and joints that stick and slide, against solutions in closed form."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.components.contacts.outlines import Box

G = 9.81
BOTH = pytest.mark.parametrize("formulation", ["absolute", "minimal"])
EXACT = {"rtol": 1e-11, "atol": 1e-13}


def unbalanced(r: lw.Result) -> float:
    total = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    return float(np.abs(total - total[0]).max())


def times(r: lw.Result, *what: str) -> list[float]:
    return [t for t, name in r.events if name in what]


def block_on_slope(angle: float, mu: float) -> lw.Model:
    m = lw.Model("slope", gravity=(G * np.sin(angle), -G * np.cos(angle)))
    block = m.body("block", mass=2.0, inertia=0.02).start(position=(0, 0.1))
    m.rigid_contact("floor", block, shape=Box((0.4, 0.2)), friction=m.parameter("mu", mu))
    return m


@BOTH
def test_below_the_friction_angle_nothing_moves(formulation):
    r = block_on_slope(0.35, 0.4).simulate(5.0, formulation=formulation, output=0.5)
    assert np.abs(r["block.x"]).max() < 1e-13
    assert not r.events


@BOTH
def test_above_the_friction_angle_it_slides(formulation):
    r = block_on_slope(0.5, 0.4).simulate(1.0, formulation=formulation, output=0.1)
    a = G * (np.sin(0.5) - 0.4 * np.cos(0.5))
    np.testing.assert_allclose(r["block.x"], a * r.t**2 / 2, rtol=0, atol=1e-12)
    assert unbalanced(r) < 1e-10


def test_friction_is_a_parameter():
    m = block_on_slope(0.5, 0.4)
    assert m.simulate(1.0, parameters={"mu": 0.6}).final["block.x"] == pytest.approx(0, abs=1e-13)
    assert m.simulate(1.0, parameters={"mu": 0.0}).final["block.x"] == pytest.approx(G * np.sin(0.5) / 2, abs=1e-9)


@BOTH
def test_a_growing_push_sets_a_block_in_motion(formulation):
    """F = c t: it moves at t₀ = μ_s m g/c; then m a = c t − μ m g."""
    mass, mu, static, c = 2.0, 0.3, 0.4, 5.0
    m = lw.Model("pushed")
    block = m.body("block", mass=mass, inertia=0.02).start(position=(0, 0.1))
    m.rigid_contact("floor", block, shape=Box((0.6, 0.2)), friction=mu, static=static)
    push = m.input("push", unit="N")
    m.force("push_on", block, (push, 0))
    end = 3.0
    r = m.simulate(end, formulation=formulation, inputs={"push": lambda t: c * t}, output=0.25, **EXACT)
    start = static * mass * G / c
    assert times(r, "floor.1 slips") == pytest.approx([start], abs=1e-8)
    speed = (c * (end**2 - start**2) / 2 - mu * mass * G * (end - start)) / mass
    assert r.final["block.vx"] == pytest.approx(speed, abs=1e-7)
    assert unbalanced(r) < 1e-6


@BOTH
@pytest.mark.parametrize("shape", [None, Box((0.6, 0.1))], ids=["guided", "box"])
def test_stick_and_slip_on_a_belt(formulation, shape):
    """Stuck: x = x₀ + V t until k x = μ_s m g. Sliding: an oscillation about μ m g/k until it has the belt's speed."""
    mass, k, V, mu, static = 1.0, 100.0, 0.1, 0.3, 0.4
    m = lw.Model("belt")
    belt = m.body("belt", mass=1.0, inertia=1.0)
    m.prismatic("drum", m.ground.at(), belt.at()).slide.law(lw.Motion(speed=V))
    block = m.body("block", mass=mass, inertia=0.01).start(position=(0, 0.05), velocity=(V, 0))
    if shape is None:
        guide = m.body("guide", mass=1e-3, inertia=1e-3).start(position=(0, 0.05))
        m.prismatic("along", m.ground.at(0, 0.05), guide.at())
        m.prismatic("up", guide.at(rotation=np.pi / 2), block.at(rotation=np.pi / 2))
        m.rigid_contact("foot", block, belt, radius=0.05, friction=mu, static=static)
        mass_moved, name = mass + 1e-3, "foot"
    else:
        m.rigid_contact("foot", block, belt, shape=shape, friction=mu, static=static)
        mass_moved, name = mass, "foot.1"
    m.spring("k", m.ground.at(-1, 0.05), block, stiffness=k, length=1.0)
    r = m.simulate(2.0, formulation=formulation, output=0.02, **EXACT)
    omega, load = np.sqrt(k / mass_moved), mass * G
    at_slip, centre = static * load / k, mu * load / k
    # x − c = (x₁ − c) cos ωτ + V/ω sin ωτ has the speed V again when the phase has passed the mirrored angle.
    phase = 2 * np.pi - 2 * np.arctan2((at_slip - centre) * omega, V)
    slide, at_stick = phase / omega, 2 * centre - at_slip
    stick = (at_slip - at_stick) / V
    exact = [at_slip / V]
    while exact[-1] < 2.0:
        exact += [exact[-1] + slide, exact[-1] + slide + stick]
    found = times(r, f"{name} slips", f"{name} sticks")
    assert len(found) >= 5
    np.testing.assert_allclose(found, exact[: len(found)], rtol=0, atol=1e-8)
    assert unbalanced(r) < 1e-9


@BOTH
def test_a_sliding_ball_begins_to_roll(formulation):
    """In space: both slip speeds vanish at t = |s|/(μ g (1 + m r²/I)); then it rolls on straight."""
    mass, radius, inertia, mu = 0.5, 0.1, 0.002, 0.2
    m = lw.Model("bowling", gravity=(0, 0, -G))
    ball = m.body("ball", mass=mass, inertia=(inertia,) * 3)
    ball.start(position=(0, 0, radius), velocity=(1, 0.5, 0), spin=(0, -20, 2))
    m.rigid_contact("lane", ball, radius=radius, friction=mu)
    r = m.simulate(1.0, formulation=formulation, output=0.1, **EXACT)
    slip = np.array([1.0 + 20 * radius, 0.5])
    rolls = np.linalg.norm(slip) / (mu * G * (1 + mass * radius**2 / inertia))
    assert times(r, "lane sticks") == pytest.approx([rolls], abs=1e-8)
    v = np.array([1, 0.5]) - mu * G * rolls * slip / np.linalg.norm(slip)
    assert (r.final["ball.vx"], r.final["ball.vy"]) == pytest.approx(tuple(v), abs=1e-9)
    assert unbalanced(r) < 1e-9


def test_a_puck_curves_under_a_side_force():
    """Slip that turns: against the equations ẇ = F/m − μ g w/|w|, integrated by themselves."""
    from scipy.integrate import solve_ivp

    mu, push = 0.3, 0.8
    m = lw.Model("puck", gravity=(0, 0, -G))
    puck = m.body("puck", mass=1.0, inertia=(1.0, 1.0, 1.0)).start(position=(0, 0, 0), velocity=(2, 0, 0))
    m.rigid_contact("ice", puck, friction=mu)
    m.force("wind", puck, (0, push, 0))
    r = m.simulate(1.5, output=0.05, **EXACT)

    def rate(t, w):
        return np.array([0, push]) - mu * G * w / np.linalg.norm(w)

    def slow(t, w):
        return np.linalg.norm(w) - 1e-7

    slow.terminal = True
    exact = solve_ivp(rate, (0, 2), [2.0, 0.0], rtol=1e-12, atol=1e-14, events=slow, dense_output=True)
    moving = r.t < exact.t[-1] - 1e-3
    np.testing.assert_allclose(r["puck.vx"][moving], exact.sol(r.t[moving])[0], rtol=0, atol=1e-8)
    np.testing.assert_allclose(r["puck.vy"][moving], exact.sol(r.t[moving])[1], rtol=0, atol=1e-8)
    assert times(r, "ice sticks") == pytest.approx([exact.t[-1]], abs=1e-6)
    assert abs(r.final["puck.vy"]) < 1e-14


@BOTH
def test_dry_friction_in_a_slide(formulation):
    """Each half swing takes 2 F/k off the amplitude, in the time π/ω; it stops where the spring is too weak."""
    mass, k, F, x0 = 1.5, 60.0, 2.0, 0.24
    m = lw.Model("slide", gravity=(0, 0))
    block = m.body("block", mass=mass, inertia=0.1)
    rail = m.prismatic("rail", m.ground.at(), block.at())
    rail.slide.law(lw.Spring(k)).start(x0, rate=0.0)
    m.dry_friction("rub", rail.slide, F)
    r = m.simulate(3.0, formulation=formulation, output=0.05, **EXACT)
    half = np.pi / np.sqrt(k / mass)
    found = times(r, "rub reverses", "rub sticks")
    np.testing.assert_allclose(found, half * np.arange(1, len(found) + 1), rtol=0, atol=1e-8)
    swings = int(np.ceil((x0 - F / k) / (2 * F / k)))
    assert len(found) == swings
    assert r.final["rail.slide"] == pytest.approx((-1) ** swings * (x0 - swings * 2 * F / k), abs=1e-9)
    assert unbalanced(r) < 1e-9


def test_a_brake_holds_a_pendulum():
    m = lw.Model("brake")
    rod = m.body("rod", mass=1.0, inertia=0.02)
    hinge = m.revolute("hinge", m.ground.at(), rod.at(0, 0.5))
    hinge.angle.start(0.5)
    m.dry_friction("brake", hinge.angle, 3.0)
    r = m.simulate(2.0, output=0.2)
    assert np.abs(r["hinge.angle"] - 0.5).max() < 1e-13
    assert r["brake.friction"] == pytest.approx(np.full(r.t.size, G * 0.5 * np.sin(0.5)), abs=1e-9)
    assert r["hinge.reaction.mz"] == pytest.approx(np.zeros(r.t.size), abs=1e-9)


def test_a_force_that_jumps_where_the_run_restarts():
    """The block slips at once, although the limit is passed by a jump and not by a crossing."""
    m = lw.Model("kick")
    block = m.body("block", mass=1.0, inertia=1.0).start(position=(0, 0))
    m.rigid_contact("floor", block, friction=0.3)
    m.force("push", block, lambda t: (lw.if_else(t >= 0.5, 5.0, 1.0), 0))
    m.event("kick", lambda x: m.t - 0.5, block.at(), direction=1, action="restart")
    r = m.simulate(1.0, output=0.1)
    assert times(r, "floor slips") == pytest.approx([0.5], abs=1e-12)
    assert r.final["block.vx"] == pytest.approx(0.5 * (5.0 - 0.3 * G), abs=1e-10)
