"""Laws at work: motions, end stops, friction."""

import numpy as np
import pytest

import linkwork as lw


def cart(planar: bool = True, gravity: float = 0.0) -> lw.Model:
    m = lw.Model("cart", gravity=(gravity, 0) if planar else (gravity, 0, 0))
    body = m.body("cart", mass=2, inertia=1 if planar else (1, 1, 1))
    m.prismatic("rail", m.ground.at(), body.at())
    return m


PATHS = {
    "displacement": lw.Motion(lambda t: 0.3 + lw.sin(2 * t)),
    "speed": lw.Motion(speed=lambda t: 2 * lw.cos(2 * t)),
    "acceleration": lw.Motion(acceleration=lambda t: -4 * lw.sin(2 * t)),
}


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("level", PATHS)
def test_motion_at_each_level(level, planar):
    """The same path said three ways: place, effort and energy agree with the formula."""
    m = cart(planar)
    m["rail"].slide.law(PATHS[level])
    m["rail"].slide.start(0.3, rate=2.0)
    r = m.simulate(3, rtol=1e-10, atol=1e-12)
    assert r["rail.slide"] == pytest.approx(0.3 + np.sin(2 * r.t), abs=1e-8)
    assert r["rail.slide.rate"] == pytest.approx(2 * np.cos(2 * r.t), abs=1e-8)
    assert r["rail.slide.effort"] == pytest.approx(-8 * np.sin(2 * r.t), abs=1e-7)
    assert r["energy.supplied"] == pytest.approx(4 * np.cos(2 * r.t) ** 2 - 4, abs=1e-7)


def test_motion_and_other_laws_share_a_coordinate():
    """The servo carries what the spring does not."""
    m = cart()
    m["rail"].slide.law(lw.Spring(5.0)).law(lw.Motion(lambda t: lw.sin(t)))
    r = m.simulate(2, rtol=1e-10, atol=1e-12)
    assert r["rail.slide.effort"] == pytest.approx(-2 * np.sin(r.t), abs=1e-7)
    balance = r["energy.total"] - r["energy.supplied"]
    assert balance == pytest.approx(balance[0], abs=1e-8)


def test_driven_crank_needs_the_torque_of_its_power(example):
    """Four-bar at constant speed: supply − loss = change of energy, and the drive's power is effort · rate."""
    r = example("four_bar").simulate(2, rtol=1e-10, atol=1e-12)
    assert r["A.angle"] == pytest.approx(3 * r.t, abs=1e-9)
    balance = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    assert balance == pytest.approx(balance[0], abs=1e-8)
    assert r["A.angle.power"] == pytest.approx(3 * r["A.angle.effort"], abs=1e-8)


def test_sum_of_efforts_is_recorded_beside_its_parts():
    m = cart()
    m["rail"].slide.law(lw.Effort(10.0)).law(lw.Damper(2.0))
    r = m.simulate(1, rtol=1e-10, atol=1e-12)
    v = 5 * (1 - np.exp(-r.t))
    assert r["rail.slide.rate"] == pytest.approx(v, abs=1e-8)
    assert r["rail.slide.effort"] == pytest.approx(10 - 2 * v, abs=1e-8)
    assert r["rail.slide.power"] == pytest.approx(r["rail.slide.effort"] * v, abs=1e-7)


def bouncing(dissipation: float) -> lw.Result:
    """A cart that falls on a stop at x = 0 from 0.2 m."""
    m = cart(gravity=-9.81)
    m["rail"].slide.law(lw.Limits(lower=0.0, stiffness=2e5, dissipation=dissipation))
    m["rail"].slide.start(0.2, rate=0)
    return m.simulate(2, rtol=1e-9, atol=1e-11, output=0.005)


def test_bounce_without_loss():
    r = bouncing(0.0)
    assert r["energy.total"] == pytest.approx(2 * 9.81 * 0.2, rel=1e-6)
    assert -2e-2 < r["rail.slide"].min() < 0
    assert r["rail.slide"][r.t > 1].max() > 0.199


def test_bounces_are_located():
    """Down after √(2h/g), up again a contact time later; each crossing of the stop is an event."""
    r = bouncing(0.0)
    fall = np.sqrt(2 * 0.2 / 9.81)
    touch = [t for t, name in r.events if name.startswith("rail.slide.limit")]
    assert touch[0] == pytest.approx(fall, abs=1e-8)
    natural = np.sqrt(2e5 / 2)
    contact = touch[1] - touch[0]
    assert np.pi / natural < contact < 1.1 * np.pi / natural  # a little longer than half a period, by the weight
    assert touch[2] - touch[1] == pytest.approx(2 * fall, rel=1e-5)


def test_bounce_with_loss():
    r = bouncing(0.2)
    lost = r["energy.total"][0] - r["energy.total"]
    assert lost == pytest.approx(r["energy.dissipated"], abs=1e-6)
    assert lost[-1] > 0.5
    assert np.diff(r["energy.dissipated"]).min() > -1e-9


def test_both_stops_hold():
    m = cart()
    m["rail"].slide.law(lw.Limits(-0.1, 0.15, stiffness=1e6))
    m["rail"].slide.start(0, rate=1.0)
    r = m.simulate(2, rtol=1e-9, atol=1e-11)
    assert r["rail.slide"].max() == pytest.approx(0.15, abs=2e-3)
    assert r["rail.slide"].min() == pytest.approx(-0.1, abs=2e-3)
    assert r["energy.total"] == pytest.approx(1.0, rel=1e-6)


def test_friction_stops_a_cart():
    """v₀²/(2 a) of way, and every joule lost is recorded."""
    m = cart()
    m["rail"].slide.law(lw.Friction(4.0, regularisation=1e-4))
    m["rail"].slide.start(0, rate=1.0)
    r = m.simulate(1, solver="radau", rtol=1e-8, atol=1e-10)
    assert r.final["rail.slide"] == pytest.approx(1 / (2 * 4.0 / 2), abs=1e-3)
    assert r.final["energy.dissipated"] == pytest.approx(1.0, abs=1e-6)
    assert r["energy.total"] + r["energy.dissipated"] == pytest.approx(1.0, abs=1e-6)


def test_static_friction_holds_more():
    """A push between the two levels moves a cart only if static friction is not there to hold it."""
    ends = {}
    for static in (3.0, 6.0):
        m = cart()
        m["rail"].slide.law(lw.Friction(3.0, static=static, stribeck=0.1)).law(lw.Effort(4.0))
        m["rail"].slide.start(0, rate=0)
        ends[static] = m.simulate(1, solver="radau", rtol=1e-7, atol=1e-9).final["rail.slide"]
    assert ends[3.0] == pytest.approx(0.25, abs=0.01)
    assert abs(ends[6.0]) < 2e-3


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points"])
def test_a_motion_may_be_a_number(formulation: str) -> None:
    m = lw.Model("held", gravity=(0, -9.81))
    a, b = m.body("a", mass=1, inertia=0.1), m.body("b", mass=1, inertia=0.1)
    m.revolute("P", m.ground.at(0, 0), a.at(0, 1)).angle.law(lw.Motion(0.3))
    m.revolute("Q", a.at(0, -1), b.at(0, 1)).angle.start(1.0)
    r = m.simulate(0.5, formulation=formulation)
    np.testing.assert_allclose(r["P.angle"], 0.3, atol=1e-12)
    swing = 0.55 * r["b.wz"] ** 2 - 9.81 * np.cos(r["b.angle"])  # a pendulum on a point at rest
    assert np.ptp(swing) < 1e-6
