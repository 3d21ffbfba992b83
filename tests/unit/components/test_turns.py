"""Angles that count full turns, in the plane and in space."""

import numpy as np
import pytest

import linkwork as lw


def wheel(planar: bool) -> lw.Model:
    """A wheel of 1 kg·m² on a pin about z."""
    m = lw.Model("wheel", gravity=(0, 0) if planar else (0, 0, 0))
    body = m.body("wheel", mass=1, inertia=1 if planar else (0.6, 0.6, 1))
    m.revolute("pin", m.ground.at(), body.at())
    return m


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("rate", [25.0, -40.0])
def test_many_turns(planar, rate):
    m = wheel(planar)
    m["pin"].angle.start(0.5, rate=rate)
    r = m.simulate(2, rtol=1e-10, atol=1e-12)
    assert np.abs(r["pin.angle"][-1]) > 5 * 2 * np.pi
    assert r["pin.angle"] == pytest.approx(0.5 + rate * r.t, abs=1e-7)


@pytest.mark.parametrize("planar", [True, False])
def test_spring_winds_up(planar):
    """A torsion spring over more than six turns: 40 sin t, and all its energy comes back."""
    m = wheel(planar)
    m["pin"].angle.law(lw.Spring(1.0))
    m["pin"].angle.start(0, rate=40.0)
    r = m.simulate(2 * np.pi, rtol=1e-10, atol=1e-12)
    assert r["pin.angle"] == pytest.approx(40 * np.sin(r.t), abs=1e-6)
    assert r["energy.total"] == pytest.approx(800.0, rel=1e-8)


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("value", [10.0, -7.5])
def test_start_on_another_turn(planar, value):
    m = wheel(planar)
    m["pin"].angle.law(lw.Spring(2.0))
    m["pin"].angle.start(value, rate=0)
    assert m.assemble().coordinates["pin.angle"] == pytest.approx(value, abs=1e-10)
    r = m.simulate(1, rtol=1e-10, atol=1e-12)
    assert r["pin.angle"] == pytest.approx(value * np.cos(np.sqrt(2) * r.t), abs=1e-7)


def test_two_angles_of_a_universal_joint():
    """Both count: the cross is turned by motors, each several times round."""
    m = lw.Model("gimbal", gravity=(0, 0, 0))
    body = m.body("body", mass=1, inertia=(1, 1, 1))
    m.universal("U", m.ground.at(0, 0, 0), body.at(0, 0, 0))
    m["U"].angle1.law(lw.Motion(lambda t: 9 * t))
    m["U"].angle2.law(lw.Motion(speed=-12.0))
    r = m.simulate(4, rtol=1e-9, atol=1e-11)
    assert r["U.angle1"] == pytest.approx(9 * r.t, abs=1e-7)
    assert r["U.angle2"] == pytest.approx(-12 * r.t, abs=1e-5)


@pytest.mark.parametrize("planar", [True, False])
def test_azimuth_of_a_distance_joint(planar):
    """A ball on a string, whirled round: its azimuth counts turns like any other angle."""
    m = lw.Model("string", gravity=(0, 0) if planar else (0, 0, 0))
    ball = m.body("ball", mass=1, inertia=1 if planar else (1, 1, 1))
    ball.start(position=(1, 0), velocity=(0, 20) if planar else (0, 20, 0))
    m.distance("string", m.ground.at(), ball.at(), length=1)
    r = m.simulate(2, rtol=1e-10, atol=1e-12)
    assert r["string.azimuth.rate"] == pytest.approx(20.0, abs=1e-6)
    assert r["string.azimuth"] == pytest.approx(20 * r.t, abs=1e-6)


def test_spherical_angle_in_the_plane_counts_too():
    m = lw.Model("ball", gravity=(0, 0))
    body = m.body("body", mass=1, inertia=1)
    m.spherical("S", m.ground.at(), body.at())
    m["S"].rz.start(0, rate=20)
    r = m.simulate(2, rtol=1e-10, atol=1e-12)
    assert r["S.rz"] == pytest.approx(20 * r.t, abs=1e-7)


@pytest.mark.parametrize("solver", ["rk4", "dop853", "radau", "generalized_alpha", "hht", "cvodes", "idas"])
def test_every_solver_counts(solver):
    """The counter is a state of its own: whoever integrates it must keep it in step with the angle."""
    m = wheel(False)
    m["pin"].angle.law(lw.Spring(1.0))
    m["pin"].angle.start(0, rate=40.0)
    step = 2e-3 if solver in ("rk4", "generalized_alpha", "hht") else None
    r = m.simulate(3, solver=solver, step=step, rtol=1e-9, atol=1e-11, output=0.1)
    assert r["pin.angle"] == pytest.approx(40 * np.sin(r.t), abs=2e-3)


def test_two_pins_in_a_row_count_separately():
    """An arm turned one way carries a wheel turned the other way: the wheel itself stands still."""
    m = lw.Model("arm", gravity=(0, 0, 0))
    arm, disc = m.body("arm", mass=1, inertia=(1, 1, 1)), m.body("disc", mass=1, inertia=(1, 1, 1))
    m.revolute("A", m.ground.at(), arm.at(-0.5, 0)).angle.law(lw.Motion(lambda t: 11 * t))
    m.revolute("B", arm.at(0.5, 0), disc.at()).angle.law(lw.Motion(lambda t: -11 * t))
    r = m.simulate(3, rtol=1e-9, atol=1e-11)
    assert r["A.angle"] == pytest.approx(11 * r.t, abs=1e-8)
    assert r["B.angle"] == pytest.approx(-11 * r.t, abs=1e-8)
    assert np.abs(r["disc.wz"]).max() < 1e-8
