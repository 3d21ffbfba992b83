"""Impacts of rigid bodies against solutions in closed form."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.components.contacts.outlines import Ball, Box

G = 9.81
BOTH = pytest.mark.parametrize("formulation", ["absolute", "minimal"])


def unbalanced(r: lw.Result) -> float:
    """Largest energy [J] that is neither there, lost nor supplied."""
    total = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    return float(np.abs(total - total[0]).max())


def sides(r: lw.Result, number: int, *channels: str) -> list[tuple[float, float]]:
    """(before, after) the jump of that number."""
    k = np.flatnonzero(np.diff(r.t) == 0)[number]
    return [(float(r[c][k]), float(r[c][k + 1])) for c in channels]


def times(r: lw.Result, what: str) -> np.ndarray:
    return np.array([t for t, name in r.events if name == what])


def dropped(restitution: float, height: float = 1.0) -> lw.Model:
    m = lw.Model("ball")
    ball = m.body("ball", mass=2.0, inertia=0.008).start(position=(0, 0.1 + height))
    m.rigid_contact("floor", ball, radius=0.1, restitution=restitution)
    return m


@BOTH
def test_bouncing_ball_follows_the_series_to_its_end(formulation):
    e, height = 0.6, 1.0
    r = dropped(e, height).simulate(3.0, formulation=formulation, output=0.02)
    hits = times(r, "floor hits")
    first, speed = np.sqrt(2 * height / G), np.sqrt(2 * G * height)
    flights = 2 * speed * e ** np.arange(1, len(hits)) / G
    exact = first + np.concatenate([[0], np.cumsum(flights)])
    assert len(hits) > 25
    np.testing.assert_allclose(hits, exact, rtol=0, atol=1e-9)
    np.testing.assert_allclose(times(r, "floor rests"), [first * (1 + e) / (1 - e)], rtol=0, atol=1e-9)
    for k in range(10):
        (before, after), (lost, more) = sides(r, k, "ball.vy", "energy.dissipated")
        assert after == pytest.approx(-e * before, abs=1e-12)
        assert more - lost == pytest.approx(0.5 * 2.0 * (1 - e**2) * before**2, rel=1e-9)
        between = (r.t > hits[k]) & (r.t < hits[k + 1])
        if between.any():
            top = r["energy.total"][between] / (2.0 * G) - 0.1
            np.testing.assert_allclose(top, height * e ** (2 * (k + 1)), rtol=0, atol=1e-9)
    assert unbalanced(r) < 1e-9
    assert r.final["ball.y"] == pytest.approx(0.1, abs=1e-13)
    assert r.final["floor.normal"] == pytest.approx(2.0 * G, rel=1e-12)


@pytest.mark.parametrize("solver", ["dopri5", "dop853", "radau", lw.GeneralizedAlpha(), "rk4"], ids=str)
def test_every_solver_bounces(solver):
    fixed = {"step": 1e-3} if not isinstance(solver, str) or solver == "rk4" else {}
    r = dropped(0.5).simulate(1.5, solver=solver, output=0.1, **fixed)
    first = np.sqrt(2 / G)
    np.testing.assert_allclose(times(r, "floor rests"), [first * 3], rtol=0, atol=1e-6)
    assert r.final["floor.gap"] == pytest.approx(0, abs=1e-12)


def test_a_plastic_impact_ends_the_motion():
    r = dropped(0.0).simulate(1.0, output=0.1)
    assert [name for _, name in r.events] == ["floor hits"]
    assert r.final["energy.kinetic"] == pytest.approx(0, abs=1e-20)


@BOTH
def test_balls_of_different_mass_collide(formulation):
    e, m1, m2 = 0.7, 1.0, 3.0
    m = lw.Model("collision", gravity=(0, 0))
    a = m.body("a", mass=m1, inertia=0.01).start(position=(0, 0), velocity=(2, 0))
    b = m.body("b", mass=m2, inertia=0.01).start(position=(1, 0), velocity=(-0.5, 0))
    m.rigid_contact("pair", a, b, shape=Ball(0.1), other=Ball(0.2), restitution=e)
    r = m.simulate(1.0, formulation=formulation, output=0.1)
    assert times(r, "pair hits") == pytest.approx([0.7 / 2.5], abs=1e-12)
    centre = (m1 * 2 - m2 * 0.5) / (m1 + m2)
    assert r.final["a.vx"] == pytest.approx(centre - e * m2 / (m1 + m2) * 2.5, abs=1e-12)
    assert r.final["b.vx"] == pytest.approx(centre + e * m1 / (m1 + m2) * 2.5, abs=1e-12)
    assert unbalanced(r) < 1e-12


@BOTH
def test_a_row_of_balls_passes_the_shock_on(formulation):
    m = lw.Model("cradle", gravity=(0, 0))
    balls = [m.body(f"b{k}", mass=1.0, inertia=0.004).start(position=(0.2 * k, 0)) for k in range(4)]
    balls[0].start(position=(-0.5, 0), velocity=(1, 0))
    for k in range(3):
        m.rigid_contact(f"c{k}", balls[k + 1], balls[k], shape=Ball(0.1), other=Ball(0.1), restitution=1.0)
    r = m.simulate(1.0, formulation=formulation, output=0.1)
    assert [r.final[f"b{k}.vx"] for k in range(4)] == pytest.approx([0, 0, 0, 1], abs=1e-12)
    assert unbalanced(r) < 1e-12


@BOTH
@pytest.mark.parametrize("mu", [0.1, 0.6], ids=["slides", "grips"])
def test_a_spinning_ball_bounces_in_space(formulation, mu):
    """Friction takes the slip down by μ (1 + e) v (1/m + r²/I), or all of it, along the slip."""
    mass, inertia, radius, e = 0.5, 0.002, 0.1, 0.7
    m = lw.Model("spin", gravity=(0, 0, -G))
    ball = m.body("ball", mass=mass, inertia=(inertia,) * 3)
    ball.start(position=(0, 0, 0.6), velocity=(1, 0.5, 0), spin=(3, 40, 2))
    m.rigid_contact("floor", ball, radius=radius, restitution=e, friction=mu)
    r = m.simulate(0.5, formulation=formulation, output=0.1, rtol=1e-10, atol=1e-12)
    names = ("ball.vx", "ball.vy", "ball.vz", "ball.wx", "ball.wy", "ball.wz")
    before, after = np.array(sides(r, 0, *names)).T
    v, w, arm = before[:3], before[3:], np.array([0, 0, -radius])
    slip = v + np.cross(w, arm)
    slip[2] = 0
    normal = mass * (1 + e) * -v[2]
    needed = np.linalg.norm(slip) / (1 / mass + radius**2 / inertia)
    push = -slip / np.linalg.norm(slip) * min(mu * normal, needed)
    assert (mu * normal > needed) == (mu == 0.6)
    impulse = push + np.array([0, 0, normal])
    np.testing.assert_allclose(after[:3], v + impulse / mass, rtol=0, atol=1e-9)
    np.testing.assert_allclose(after[3:], w + np.cross(arm, impulse) / inertia, rtol=0, atol=1e-7)
    assert unbalanced(r) < 1e-8


@BOTH
def test_a_rod_falls_on_its_end(formulation):
    mass, length, angle, e = 1.5, 1.0, 0.6, 0.4
    inertia = mass * length**2 / 12
    m = lw.Model("rod")
    rod = m.body("rod", mass=mass, inertia=inertia).start(position=(0, 1.0), angle=angle, velocity=(0.3, 0), spin=0.0)
    m.rigid_contact("tip", rod.at(-length / 2, 0), restitution=e)
    r = m.simulate(0.45, formulation=formulation, output=0.05)
    fall = np.sqrt(2 * (1 - length / 2 * np.sin(angle)) / G)
    assert times(r, "tip hits") == pytest.approx([fall], abs=1e-9)
    speed, arm = -G * fall, -length / 2 * np.cos(angle)
    impulse = -(1 + e) * speed / (1 / mass + arm**2 / inertia)
    (_, vx), (_, vy), (_, w) = sides(r, 0, "rod.vx", "rod.vy", "rod.wz")
    assert (vx, vy, w) == pytest.approx((0.3, speed + impulse / mass, arm * impulse / inertia), abs=1e-9)
    assert unbalanced(r) < 1e-8


@BOTH
def test_a_cart_with_a_pendulum_hits_a_wall(formulation):
    """The wall turns the cart round; about its hinge the bob gets no angular momentum."""
    m = lw.Model("cart", gravity=(0, -G))
    cart = m.body("cart", mass=2.0, inertia=0.1)
    bob = m.body("bob", mass=0.7, inertia=0.02)
    rail = m.prismatic("rail", m.ground.at(), cart.at())
    hinge = m.revolute("hinge", cart.at(), bob.at(0, 0.5))
    rail.slide.start(0.0, rate=1.0)
    hinge.angle.start(0.4, rate=2.0)
    m.rigid_contact("wall", cart.at(0.2, 0), m.ground.at(0.5, 0, rotation=np.pi / 2), restitution=0.5)
    r = m.simulate(0.6, formulation=formulation, output=0.05)
    assert len(times(r, "wall hits")) == 1
    (before, after), (w0, w1), (a0, a1) = sides(r, 0, "cart.vx", "hinge.angle.rate", "hinge.angle")
    assert after == pytest.approx(-0.5 * before, abs=1e-10)
    assert a0 == pytest.approx(a1, abs=1e-12)
    arm, inertia = 0.5 * np.cos(a0), 0.02 + 0.7 * 0.25
    assert inertia * w1 + 0.7 * arm * after == pytest.approx(inertia * w0 + 0.7 * arm * before, abs=1e-10)
    assert r["residual.velocity"].max() < 1e-9
    assert unbalanced(r) < 1e-7


@BOTH
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_four_bar_runs_into_a_stop(formulation, dimension):
    """One freedom: every speed turns round and keeps its share e. In space half of the equations are redundant."""
    e, flat = 0.4, dimension == 2
    m = lw.Model("four-bar", gravity=(0,) * dimension)
    inertia = 0.01 if flat else (0.001, 0.01, 0.01)
    crank, coupler, lever = (m.body(name, mass=1.0, inertia=inertia) for name in ("crank", "coupler", "lever"))
    A = m.revolute("A", m.ground.at(0, 0), crank.at(-0.1, 0))
    m.revolute("B", crank.at(0.1, 0), coupler.at(-0.3, 0))
    m.revolute("C", coupler.at(0.3, 0), lever.at(0.2, 0))
    m.revolute("D", m.ground.at(0.6, 0), lever.at(-0.2, 0))
    lever.start(position=(0.6, 0.2), angle=1.57) if flat else lever.start(
        position=(0.6, 0.2, 0), rotation=np.array([[0, -1.0, 0], [1, 0, 0], [0, 0, 1]])
    )
    A.angle.start(0.3, rate=3.0)
    facing = np.pi if flat else np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]).T @ np.eye(3)
    stop = m.ground.at(0, 0.15, rotation=facing) if flat else m.ground.at(0, 0.15, 0, rotation=facing)
    m.rigid_contact("stop", crank.at(0.1, 0), stop, restitution=e)
    r = m.simulate(0.4, formulation=formulation, output=0.05, rtol=1e-10, atol=1e-12)
    assert len(times(r, "stop hits")) == 1
    for before, after in sides(r, 0, "A.angle.rate", "B.angle.rate", "C.angle.rate", "D.angle.rate"):
        assert after == pytest.approx(-e * before, abs=1e-8)
    assert r["residual.velocity"].max() < 1e-9
    assert unbalanced(r) < 1e-8


@BOTH
def test_a_driven_paddle_puts_energy_in(formulation):
    m = lw.Model("paddle")
    ball = m.body("ball", mass=0.5, inertia=0.01).start(position=(0, 0.7))
    paddle = m.body("paddle", mass=1.0, inertia=0.1)
    rail = m.prismatic("rail", m.ground.at(rotation=np.pi / 2), paddle.at(rotation=np.pi / 2))
    rail.slide.law(lw.Motion(lambda t: 0.05 * lw.sin(12 * t)))
    m.rigid_contact("pad", ball, paddle, radius=0.1, restitution=0.8)
    r = m.simulate(2.0, formulation=formulation, output=0.02, rtol=1e-10, atol=1e-12)
    hits = times(r, "pad hits")
    assert len(hits) > 3
    for k in range(3):
        (before, after), (speed, _) = sides(r, k, "ball.vy", "paddle.vy")
        assert speed == pytest.approx(0.6 * np.cos(12 * hits[k]), abs=1e-9)
        assert after == pytest.approx(speed - 0.8 * (before - speed), abs=1e-9)
    assert unbalanced(r) < 1e-7


@BOTH
def test_a_table_that_falls_faster_than_the_block(formulation):
    amplitude, omega = 0.02, 30.0
    m = lw.Model("shaker")
    table = m.body("table", mass=1.0, inertia=0.1)
    block = m.body("block", mass=1.0, inertia=0.01).start(position=(0, 0), velocity=(0, amplitude * omega))
    rail = m.prismatic("rail", m.ground.at(rotation=np.pi / 2), table.at(rotation=np.pi / 2))
    rail.slide.law(lw.Motion(lambda t: amplitude * lw.sin(omega * t)))
    m.rigid_contact("top", block, table)
    r = m.simulate(0.15, formulation=formulation, output=0.01, rtol=1e-10, atol=1e-12)
    leaves = np.arcsin(G / (amplitude * omega**2)) / omega
    assert times(r, "top lifts")[:1] == pytest.approx([leaves], abs=1e-8)
    assert unbalanced(r) < 1e-8


def test_a_box_tumbles_and_comes_to_rest():
    m = lw.Model("box", gravity=(0, 0, -G))
    box = m.body("box", mass=1.0, inertia=(0.002, 0.003, 0.004))
    box.start(position=(0, 0, 0.3), quaternion=(0.9, 0.3, 0.2, 0.1), velocity=(0.3, 0, 0))
    m.rigid_contact("floor", box, shape=Box((0.2, 0.15, 0.1)), restitution=0.2, friction=0.4)
    r = m.simulate(1.0, output=0.02)
    assert r.final["box.z"] == pytest.approx(0.05, abs=1e-9)
    assert r.final["energy.kinetic"] < 1e-20
    assert min(r[f"floor.{k}.gap"].min() for k in range(1, 9)) > -1e-9
    assert sum(r.final[f"floor.{k}.normal"] for k in range(1, 9)) == pytest.approx(G, rel=1e-9)
    assert np.all(np.diff(r["energy.dissipated"]) > -1e-12)
    assert unbalanced(r) < 1e-8


def test_a_table_on_four_legs_stands_still():
    """Rigid bodies leave open how four legs share a load; an eccentric one lifts a leg, and nothing chatters."""
    m = lw.Model("table", gravity=(0, 0, -G))
    top = m.body("top", mass=2.0, inertia=(0.02, 0.03, 0.04)).start(position=(0, 0, 0.05))
    m.rigid_contact("legs", top.at(-0.06, -0.045, 0), shape=Box((0.2, 0.15, 0.1)))
    r = m.simulate(1.0, output=0.1)
    loads = np.array([r[f"legs.{k}.normal"] for k in range(1, 9)])
    assert not r.events
    assert loads.min() > -1e-9
    np.testing.assert_allclose(loads.sum(axis=0), 2.0 * G, rtol=1e-12)
    assert np.abs(r["top.z"] - 0.05).max() < 1e-12
