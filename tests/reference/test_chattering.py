"""Events that pile up, and sliding over uneven ground: ends that are known, and no more steps than it takes."""

import numpy as np
import pytest
from scipy.integrate import quad

import linkwork as lw
from linkwork.components.contacts.outlines import Ball, Box
from linkwork.simulation.interruptions.pauses import CROWD, Pauses

pytestmark = pytest.mark.ci

G = 9.81


def times(r: lw.Result, what: str) -> np.ndarray:
    return np.array([t for t, name in r.events if name == what])


def unbalanced(r: lw.Result) -> float:
    total = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    return float(np.abs(total - total[0]).max())


def test_a_bead_on_a_wire_feels_its_curvature():
    """Rounding may put it on either side of the ground: N = m (g cos β + κ v²) all the same."""
    m = lw.Model("bead")
    bead = m.body("bead", mass=2.0, inertia=0.1)
    m.rigid_contact("wire", bead, height=lambda x: 0.3 * x**2)
    for x in np.linspace(-1, 1, 15):
        slope, v = 0.6 * x, 3.0
        along = np.array([1, slope]) / np.hypot(1, slope)
        bead.start(position=(x, 0.3 * x**2), velocity=tuple(v * along), angle=0, spin=0)
        curvature = 0.6 / (1 + slope**2) ** 1.5
        expected = 2.0 * (G * along[0] + curvature * v**2)
        assert m.evaluate().final["wire.normal"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("friction", "restitution"), [(0.0, 0.3), (0.02, 0.0), (0.1, 0.7)])
def test_a_box_slides_on_hills_with_two_corners(friction, restitution):
    """It took half a million steps: now those of one degree of freedom."""
    m = lw.Model("hills")
    box = m.body("box", mass=1.0, inertia=0.01).start(position=(0.2, 0.6), angle=0.1, velocity=(0.3, 0))
    m.rigid_contact(
        "hills", box, shape=Box((0.4, 0.2)), height=lambda x: 0.1 * lw.cos(3 * x), friction=friction,
        restitution=restitution,
    )  # fmt: skip
    r = m.simulate(40.0)
    assert r.record["statistics"]["accepted"] < 5000
    assert len(r.events) < 500
    assert unbalanced(r) < 1e-6
    assert np.diff(r["energy.dissipated"]).min() > -1e-12
    settled = r.t > max([t for t, name in r.events if name.endswith(("hits", "rests"))])
    if friction == 0:
        assert np.ptp(r["energy.total"][settled]) < 1e-7
        assert np.ptp(r["box.x"][settled]) > 0.1  # for ever to and fro
    else:
        assert r["energy.kinetic"][-1] < 1e-15


def rocking(width: float, height: float, tilt: float, smallest: float) -> np.ndarray:
    """Times [s] of the impacts of Housner's rocking block: quadrature between them, angular momentum in them."""
    alpha, R = np.arctan2(width, height), np.hypot(width, height) / 2
    pull = 1.5 * G / (2 * R)  # ω² / 2 = pull (cos(α − θ) − cos(α − θ₀)) about a corner, of a solid block: I = 4/3 m R²

    def fall(top: float) -> float:
        """From rest at `top` until it is upright; θ = top (1 − s²)."""

        def rate(s: float) -> float:
            s = max(s, 1e-9)
            drop = 2 * np.sin(alpha - top * (1 - s * s / 2)) * np.sin(top * s * s / 2)
            return 2 * s * top / np.sqrt(2 * pull * drop)

        return quad(rate, 0, 1)[0]

    kept = 1 - 1.5 * np.sin(alpha) ** 2
    t, speed = fall(tilt), np.sqrt(2 * pull * (np.cos(alpha - tilt) - np.cos(alpha)))
    hits = [t]
    while (speed := kept * speed) > smallest:
        top = alpha - np.arccos(np.cos(alpha) + speed**2 / (2 * pull))
        if top < 1e-7:  # cancels; nearly a constant push then
            top = speed**2 / (2 * pull * np.sin(alpha))
        t += 2 * fall(top)
        hits.append(t)
    return np.array(hits)


@pytest.mark.parametrize(("width", "height"), [(0.3, 0.5), (0.2, 0.6)])
def test_a_rocking_block_comes_to_rest_when_its_impacts_pile_up(width, height):
    m = lw.Model("block")
    block = m.body("block", mass=1.0, inertia=(width**2 + height**2) / 12)
    alpha, R = np.arctan2(width, height), np.hypot(width, height) / 2
    tilt = 0.4 * alpha
    block.start(position=(-R * np.sin(alpha - tilt), R * np.cos(alpha - tilt)), angle=tilt)
    m.rigid_contact("base", block, shape=Box((width, height)), friction=2.0)
    r = m.simulate(12.0)
    exact = rocking(width, height, tilt, 1e-9)
    found = np.sort(np.concatenate([times(r, "base.1 hits"), times(r, "base.3 hits")]))
    many = min(len(found), len(exact)) - 1
    assert many > 12
    np.testing.assert_allclose(found[:many], exact[:many], rtol=0, atol=2e-6)
    assert found[-1] == pytest.approx(exact[-1], abs=1e-5)
    assert r.final["energy.kinetic"] < 1e-20
    assert unbalanced(r) < 1e-8


def test_balls_that_collapse_against_a_wall():
    """With little restitution, infinitely many impacts bring three balls to rest against each other."""
    m = lw.Model("collapse", gravity=(0, 0))
    balls = [m.body(f"b{k}", mass=1.0, inertia=0.01).start(position=(0.5 + 0.5 * k, 0)) for k in range(3)]
    balls[2].start(velocity=(-1.0, 0))
    m.rigid_contact("wall", balls[0], m.ground.at(rotation=-np.pi / 2), radius=0.1, restitution=0.1)
    for k in range(2):
        m.rigid_contact(f"c{k}", balls[k + 1], balls[k], shape=Ball(0.1), other=Ball(0.1), restitution=0.1)
    r = m.simulate(20.0)
    assert len(r.events) < 100
    assert unbalanced(r) < 1e-12
    assert np.diff(r["energy.dissipated"]).min() > -1e-15
    assert min(r[f"{name}.gap"].min() for name in ("wall", "c0", "c1")) > -1e-9


def test_bounces_in_a_groove_end():
    m = lw.Model("groove")
    ball = m.body("ball", mass=1.0, inertia=0.004).start(position=(0.02, 0.6), spin=30.0)
    for name, angle in (("left", 0.7), ("right", -0.7)):
        m.rigid_contact(name, ball, m.ground.at(rotation=angle), radius=0.1, restitution=0.6, friction=0.3)
    r = m.simulate(20.0)
    assert len(r.events) < 300
    assert r.final["energy.kinetic"] < 1e-18
    assert r.final["ball.x"] == pytest.approx(0, abs=1e-9)
    assert r.final["ball.y"] == pytest.approx(0.1 / np.cos(0.7), abs=1e-9)
    assert unbalanced(r) < 1e-8


def test_slip_to_and_fro_on_a_shaken_table():
    """Amplitude and friction such that it never sticks: two reversals a period, as SciPy's fixed point says."""
    amplitude, omega, mu = 0.05, 30.0, 0.2
    m = lw.Model("shaken")
    table = m.body("table", mass=1.0, inertia=1.0)
    m.prismatic("rail", m.ground.at(), table.at()).slide.law(lw.Motion(lambda t: amplitude * lw.sin(omega * t)))
    block = m.body("block", mass=1.0, inertia=0.01).start(position=(0, 0.05))
    m.rigid_contact("feet", block, table, shape=Box((0.2, 0.1)), friction=mu)
    r = m.simulate(6.0)
    turns = times(r, "feet.1 reverses")
    late = np.diff(turns[turns > 3.0])
    np.testing.assert_allclose(late, np.pi / omega, atol=2e-4)
    # In the steady state the block's speed is a triangle, from −V to V in half a period: V = μ g π / (2 ω).
    assert np.abs(r["block.vx"][r.t > 4]).max() == pytest.approx(mu * G * np.pi / (2 * omega), rel=0.02)
    assert unbalanced(r) < 1e-5


def test_changes_that_would_take_days_are_told():
    def changes(apart: float) -> None:
        pauses = Pauses(duration=100.0)
        for k in range(10_000):
            pauses.note(1.0 + apart * k)

    changes(1e-3)
    with pytest.raises(lw.LinkworkError, match=f"{CROWD} times within"):
        changes(1e-9)


def test_a_crowd_is_of_several_contacts():
    """One ball may bounce as often as it likes; three contacts that change 50 times in no time are a crowd."""
    for names, crowded in ((["a"], False), (["a", "b", "c"], True)):
        pauses = Pauses(duration=100.0)
        for k in range(60):
            pauses.note(1.0 + 1e-4 * k, 1e-3, names[k % len(names)])
        assert pauses.crowded == crowded
        pauses.note(5.0, 1e-3, "a")
        assert not pauses.crowded
