"""Gears, racks, screws and own relations between joint coordinates."""

import numpy as np
import pytest

import linkwork as lw


def two_wheels(planar: bool, torque: float = 3.0) -> lw.Model:
    m = lw.Model("gears", gravity=(0, 0) if planar else (0, 0, 0))
    for i, inertia in enumerate((1.0, 0.25)):
        wheel = m.body(f"w{i}", mass=1, inertia=inertia if planar else (inertia, inertia, inertia))
        wheel.start(position=(i, 0))
        m.revolute(f"p{i}", m.ground.at(i, 0), wheel.at())
    m["p0"].angle.law(lw.Effort(torque))
    return m


@pytest.mark.parametrize("planar", [True, False])
def test_gear(planar):
    """ratio −4: the torque sees J₀ + 16 J₁; many turns later the teeth still mesh."""
    m = two_wheels(planar)
    m.gear("G", m["p0"].angle, m["p1"].angle, ratio=-4)
    assert m.check().degrees_of_freedom == 1
    r = m.simulate(8, rtol=1e-9, atol=1e-11)
    assert r["p0.angle"] == pytest.approx(3 / 5 * r.t**2 / 2, abs=1e-6)
    assert r["p1.angle"] == pytest.approx(-4 * r["p0.angle"], abs=1e-8)
    assert r["p1.angle"][-1] < -5 * 2 * np.pi


def test_gear_phase_and_ratio_as_parameters():
    m = two_wheels(True)
    ratio = m.parameter("ratio", 2.0)
    m.gear("G", m["p0"].angle, m["p1"].angle, ratio=ratio, phase=0.3)
    for value in (2.0, -0.5):
        r = m.simulate(1, parameters={"ratio": value})
        assert r["p1.angle"] == pytest.approx(value * r["p0.angle"] + 0.3, abs=1e-9)


@pytest.mark.parametrize("radius", [0.1, -0.25])
def test_rack(radius):
    m = lw.Model("rack", gravity=(0, 0))
    pinion, bar = m.body("pinion", mass=1, inertia=0.5), m.body("bar", mass=2, inertia=1)
    m.revolute("pin", m.ground.at(0, 0), pinion.at()).angle.law(lw.Effort(1.0))
    m.prismatic("rail", m.ground.at(0, -0.1), bar.at())
    m.rack("R", m["pin"].angle, m["rail"].slide, radius=radius, offset=0.05)
    m["pin"].angle.start(0, rate=0)
    r = m.simulate(3, rtol=1e-10, atol=1e-12)
    assert r["pin.angle"] == pytest.approx(r.t**2 / 2 / (0.5 + 2 * radius**2), abs=1e-7)
    assert r["rail.slide"] == pytest.approx(radius * r["pin.angle"] + 0.05, abs=1e-10)


@pytest.mark.parametrize("pitch", [0.05, -0.2])
def test_screw(pitch):
    """A nut that falls turns: m g h = ½ (m + J (2π/p)²) v²."""
    m = lw.Model("nut", gravity=(0, 0, -9.81))
    nut = m.body("nut", mass=2, inertia=(0.01, 0.01, 0.02))
    m.screw("S", m.ground.at(0, 0, 0), nut.at(0, 0, 0), pitch=pitch)
    r = m.simulate(3, rtol=1e-10, atol=1e-12)
    lead = pitch / (2 * np.pi)
    fall = -2 * 9.81 * lead**2 / (0.02 + 2 * lead**2)
    assert r["nut.z"] == pytest.approx(fall * r.t**2 / 2, abs=1e-8)
    assert r["S.angle"] == pytest.approx(r["nut.z"] / lead, abs=1e-6)
    assert r["nut.wz"] == pytest.approx(fall * r.t / lead, abs=1e-6)


def test_own_relation():
    """A cam: the slide follows 0.1 (1 − cos θ)."""
    m = lw.Model("cam", gravity=(0, 0))
    disc, follower = m.body("disc", mass=1, inertia=1), m.body("follower", mass=0.5, inertia=1)
    m.revolute("pin", m.ground.at(), disc.at()).angle.law(lw.Motion(lambda t: 4 * t))
    m.prismatic("guide", m.ground.at(rotation=np.pi / 2), follower.at(rotation=np.pi / 2))
    m.relation("cam", lambda angle, slide: slide - 0.1 * (1 - lw.cos(angle)), m["pin"].angle, m["guide"].slide)
    r = m.simulate(2, rtol=1e-9, atol=1e-11)
    assert r["follower.y"] == pytest.approx(0.1 * (1 - np.cos(4 * r.t)), abs=1e-8)
    assert r["follower.ay"] == pytest.approx(0.1 * 16 * np.cos(4 * r.t), abs=1e-6)
    # The motor does the follower's work: effort · 4 = d/dt(½ m v²).
    power = 0.5 * r["follower.vy"] * r["follower.ay"]
    assert r["pin.angle.power"] == pytest.approx(power, abs=1e-7)
    assert r["energy.supplied"] == pytest.approx(r["energy.total"] - r["energy.total"][0], abs=1e-7)
