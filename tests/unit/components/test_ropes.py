"""Ropes over pulleys and belts, against textbook accelerations."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.formulations import formulations

G = 9.81
FORMULATIONS = [f for f in formulations if not f.endswith("-scalar")]
SOFT = ("compliant", "bondgraph-rc")


def hanging(m, name, mass, x, y):
    """A weight that goes up and down only."""
    body = m.body(name, mass=mass, inertia=0.1)
    rail = m.prismatic(f"{name}-rail", m.ground.at(x, 0, rotation=np.pi / 2), body.at(rotation=np.pi / 2))
    rail.slide.start(y, rate=0.0)
    return body


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_atwood(formulation):
    """a = g (m₁ − m₂)/(m₁ + m₂), T = 2 m₁m₂ g/(m₁ + m₂); over the top, clockwise."""
    m1, m2, R, k = 3.0, 2.0, 0.1, 1e4
    m = lw.Model("atwood", gravity=(0, -G))
    left, right = hanging(m, "left", m1, -R, -1.0), hanging(m, "right", m2, R, -1.0)
    T = 2 * m1 * m2 * G / (m1 + m2)
    m.rope("rope", left, lw.Pulley(m.ground.at(), -R), right, stiffness=k, length=2 + np.pi * R - T / k)
    found = m.simulate(0.5, formulation=formulation, output=0.05, rtol=1e-9, atol=1e-11)
    assert found["rope.tension"] == pytest.approx(T, rel=1e-3 if formulation in SOFT else 1e-7)
    fall = G * (m1 - m2) / (m1 + m2) * found.t**2 / 2
    assert found["left.y"] == pytest.approx(-1 - fall, abs=1e-5 if formulation in SOFT else 1e-8)
    assert found["right.y"] == pytest.approx(-1 + fall, abs=1e-5 if formulation in SOFT else 1e-8)


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "acausal", "bondgraph"])
def test_hoist(formulation):
    """A loose pulley with M in a loop of rope, m at its end: M rises by g (2m − M)/(4m + M), T = 3 M m g/(4m + M)."""
    M, m0, R, k = 4.0, 3.0, 0.1, 2e4
    m = lw.Model("hoist", gravity=(0, -G))
    load, weight = hanging(m, "load", M, 0.0, -2.0), hanging(m, "weight", m0, 3 * R, -1.0)
    T = 3 * M * m0 * G / (4 * m0 + M)
    length = 2.0 + np.pi * R + 2.0 + np.pi * R + 1.0
    m.rope(
        "rope",
        m.ground.at(-R, 0),
        lw.Pulley(load.at(), R),
        lw.Pulley(m.ground.at(2 * R, 0), -R),
        weight,
        stiffness=k,
        length=length - T / k,
    )
    found = m.simulate(0.3, formulation=formulation, output=0.05, rtol=1e-9, atol=1e-11)
    rise = G * (2 * m0 - M) / (4 * m0 + M) * found.t**2 / 2
    assert found["load.y"] == pytest.approx(-2 + rise, abs=1e-8)
    assert found["weight.y"] == pytest.approx(-1 - 2 * rise, abs=1e-8)
    assert found["rope.tension"] == pytest.approx(T, rel=1e-7)


@pytest.mark.parametrize("space", [False, True])
def test_a_slack_rope_pulls_tight(space):
    """Falls freely, then half a swing of k, then flies up as fast as it came."""
    m0, k, slack = 2.0, 5e3, 0.3
    m = lw.Model("slack", gravity=(0, -G, 0) if space else (0, -G))
    stone = m.particle("stone", mass=m0).start(position=(0, -1.0 + slack), velocity=(0, 0))
    m.rope("rope", m.ground.at(), stone, stiffness=k, length=1.0)
    found = m.simulate(0.45, output=0.005, rtol=1e-10, atol=1e-12)
    tight = np.sqrt(2 * slack / G)
    w, speed = np.sqrt(k / m0), np.sqrt(2 * G * slack)
    sag = G / w**2
    after = found.t - tight
    y = np.where(after < 0, -1 + slack - G * found.t**2 / 2, 0)
    swing = -1 - sag + sag * np.cos(w * after) - speed / w * np.sin(w * after)
    until = (np.pi + 2 * np.arctan2(sag, speed / w)) / w
    during = (after >= 0) & (after < until)
    assert found["stone.y"][after < 0] == pytest.approx(y[after < 0], abs=1e-9)
    assert found["stone.y"][during] == pytest.approx(swing[during], abs=1e-8)
    assert np.all(found["rope.tension"][(after < 0) | (after > until)] == 0)
    assert found["stone.y"][-1] == pytest.approx(
        -1 + speed * (0.45 - tight - until) - G * (0.45 - tight - until) ** 2 / 2, abs=1e-7
    )


def test_winch_takes_up_rope():
    m = lw.Model("winch", gravity=(0, -G))
    load = hanging(m, "load", 5.0, 0.2, -2.0)
    drum = m.body("drum", mass=1.0, inertia=0.02)
    shaft = m.revolute("shaft", m.ground.at(-1, 0), drum.at())
    shaft.angle.law(lw.Motion(lambda t: 2 * (t - lw.sin(3 * t) / 3)))
    m.rope("rope", m.ground.at(-1, 0), lw.Pulley(m.ground.at(0.1, 0), -0.1), load, stiffness=1e6, damping=500.0,
           length=4.0, winch=shaft.angle, drum=0.15)  # fmt: skip
    load_free = 4.0 - np.sqrt(1.1**2 - 0.1**2)
    piece = load_free - 0.1 * (np.pi / 2 + np.arcsin(0.1 / 1.1))
    m["load-rail"].slide.start(-piece - 5 * G / 1e6)
    found = m.simulate(2, output=0.02, rtol=1e-9, atol=1e-11)
    expected = -piece - 5 * G / 1e6 + 0.15 * found["shaft.angle"]
    assert found["load.y"] == pytest.approx(expected, abs=2e-4)
    balance = found["energy.total"] + found["energy.dissipated"] - found["energy.supplied"]
    assert np.ptp(balance) < 1e-6
    assert found["shaft.angle.effort"] == pytest.approx(0.02 * found["drum.alphaz"], abs=1e-6)


def drive(crossed=False, r1=0.1, r2=0.2, J1=0.05, J2=0.3, k=2e4, **more):
    m = lw.Model("belt", gravity=(0, 0))
    wheels = [m.body(f"wheel{i}", mass=1.0, inertia=J) for i, J in enumerate((J1, J2))]
    pins = [m.revolute(f"pin{i}", m.ground.at(0.6 * i, 0), wheel.at()) for i, wheel in enumerate(wheels)]
    m.belt("belt", pins[0].angle, pins[1].angle, radius1=r1, radius2=r2, stiffness=k, crossed=crossed, **more)
    return m, pins


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_belt_swings(formulation, crossed):
    """ω² = 2k (r₁²/J₁ + r₂²/J₂) of what one wheel takes up more than the other."""
    m, pins = drive(crossed, pretension=100.0)
    pins[0].angle.start(0.0, rate=0.2)
    pins[1].angle.start(0.0, rate=0.0)
    found = m.simulate(0.2, formulation=formulation, output=0.005, rtol=1e-9, atol=1e-11)
    w = np.sqrt(2 * 2e4 * (0.1**2 / 0.05 + 0.2**2 / 0.3))
    back = -1 if crossed else 1
    slip = 0.1 * found["pin0.angle"] - back * 0.2 * found["pin1.angle"]
    assert slip == pytest.approx(0.1 * 0.2 / w * np.sin(w * found.t), abs=2e-6 if formulation in SOFT else 1e-9)
    assert found["belt.tension1"] + found["belt.tension2"] == pytest.approx(200.0, abs=1e-1)


def test_belt_pulls_its_bearings_together():
    """Wheels of one size: both sides are parallel, and the bearings hold their sum."""
    m, pins = drive(r1=0.1, r2=0.1, pretension=200.0, damping=30.0)
    pins[0].angle.law(lw.Effort(1.5))
    pins[1].angle.law(lw.Effort(-1.5))
    found = m.simulate(1, output=0.02, rtol=1e-9)
    both = found["belt.tension1"] + found["belt.tension2"]
    assert found["pin0.reaction.fx"] == pytest.approx(-both, rel=1e-9)
    assert found["pin1.reaction.fx"] == pytest.approx(both, rel=1e-9)
    difference = abs(found["belt.tension1"] - found["belt.tension2"])[-1]
    assert difference == pytest.approx(1.5 / 0.1, rel=1e-3)


def test_a_slack_side():
    m, pins = drive(pretension=1.0)
    pins[0].angle.law(lw.Effort(5.0))
    pins[1].angle.law(lw.Damper(2.0))
    found = m.simulate(1, output=0.01, rtol=1e-9)
    assert min(found["belt.tension1"].min(), found["belt.tension2"].min()) == 0
    assert np.ptp(found["energy.total"] + found["energy.dissipated"] - found["energy.supplied"]) < 1e-6


def test_refusals():
    m, pins = drive()
    with pytest.raises(lw.ModelError, match="by itself"):
        m.belt("b", pins[0].angle, pins[0].angle, radius1=1, radius2=1, stiffness=1)
    with pytest.raises(lw.ModelError, match="from nowhere"):
        m.rope("r", lw.Pulley(m.ground.at(), 0.1), m["wheel0"], stiffness=1, length=1)
    with pytest.raises(lw.ModelError, match="one body only"):
        m.rope("r", m["wheel0"].at(0, 1), m["wheel0"].at(1, 0), stiffness=1, length=1)
    space = lw.Model("space", gravity=(0, 0, -G))
    body = space.body("b", mass=1, inertia=(1, 1, 1))
    with pytest.raises(lw.ModelError, match="for the plane"):
        space.rope("r", body, lw.Pulley(space.ground.at(), 0.1), space.ground.at(1, 0), stiffness=1, length=1)
