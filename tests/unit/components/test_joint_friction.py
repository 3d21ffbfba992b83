"""Friction from a joint's own reaction, against equations that are written by hand."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.formulations import formulations

MASS, ARM, INERTIA, G, MU, RADIUS = 2.0, 0.5, 0.1, 9.81, 0.3, 0.05
FADES = 1e-3


def pendulum(kind="joint_friction", lag=1e-3, rate=6.0, mu=MU, radius=RADIUS, **more):
    m = lw.Model("pendulum", gravity=(0, -G))
    rod = m.body("rod", mass=MASS, inertia=INERTIA)
    pin = m.revolute("pin", m.ground.at(), rod.at(-ARM, 0))
    pin.angle.start(0.2, rate=rate)
    getattr(m, kind)("rub", pin.angle, mu, radius=radius, lag=lag, **more)
    return m


def by_hand(times):
    """Journal friction T = μ r |R|, R = m (a − g) of the mass centre, which itself depends on T."""

    def rates(_, y):
        angle, w = y
        radial, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        torque = 0.0
        for _ in range(100):
            spin = (-MASS * G * ARM * np.cos(angle) - torque) / (INERTIA + MASS * ARM**2)
            R = MASS * (ARM * (-(w**2) * radial + spin * across) + np.array([0, G]))
            last, torque = torque, MU * RADIUS * np.hypot(*R) * np.tanh(w / FADES)
            if abs(torque - last) < 1e-15:
                break
        return [w, spin]

    found = solve_ivp(rates, (0, times[-1]), [0.2, 6.0], t_eval=times, rtol=1e-10, atol=1e-12, method="LSODA")
    return found.y[0]


def test_journal_bearing_converges_by_the_square_of_the_lag():
    times = np.linspace(0, 2, 101)
    expected = by_hand(times)
    errors = [
        abs(pendulum(lag=lag).simulate(2, output=0.02, rtol=1e-9, atol=1e-11)["pin.angle"] - expected).max()
        for lag in (1e-3, 2e-4)
    ]
    assert errors[0] < 4e-5
    assert errors[1] < errors[0] / 20


@pytest.mark.parametrize("formulation", [f for f in formulations if not f.endswith("-scalar")])
def test_every_formulation(formulation):
    found = pendulum().simulate(0.5, formulation=formulation, output=0.05, rtol=1e-8, atol=1e-10)
    assert found["pin.angle"] == pytest.approx(by_hand(found.t), abs=4e-5)
    assert not found.warnings


def test_energy_closes():
    found = pendulum(static=0.5, preload=0.2, viscous=0.05).simulate(2, output=0.02, rtol=1e-9, atol=1e-11)
    balance = found["energy.total"] + found["energy.dissipated"]
    assert np.ptp(balance) < 1e-6
    assert found["energy.dissipated"][-1] > 3


def drawer(kind, offset, spacing=0.4, mu=0.3, force=10.0, space=False, **more):
    """Pulled beside its middle: two pads carry the moment."""
    m = lw.Model("drawer", gravity=(0, 0, 0) if space else (0, 0))
    box = m.body("box", mass=2.0, inertia=(1, 1, 1) if space else 1.0)
    rail = m.prismatic("rail", m.ground.at(), box.at())
    m.force("pull", box.at(0, offset), (force, 0, 0) if space else (force, 0))
    getattr(m, kind)("rub", rail.slide, mu, spacing=spacing, **more)
    return m


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("kind", ["joint_friction", "joint_stiction"])
def test_a_drawer_pulled_at_its_side(kind, space):
    """Each pad presses with P b/L: a = P (1 − 2 μ b/L)/m."""
    found = drawer(kind, 0.2, space=space).simulate(1, output=0.1, rtol=1e-9)
    expected = 10 * (1 - 2 * 0.3 * 0.2 / 0.4) / 2
    assert found["box.ax"][-1] == pytest.approx(expected, rel=1e-8)
    assert found["rub.load"][-1] == pytest.approx(10.0, rel=1e-9)


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_a_drawer_jams(formulation):
    """2 μ b > L: the harder it is pulled, the faster it sticks."""
    for force in (10.0, 1e4):
        found = drawer("joint_stiction", 0.7, force=force).simulate(0.2, formulation=formulation, output=0.1)
        assert abs(found["rail.slide"]).max() == 0
        assert found["rub.friction"] == pytest.approx(-force)


def test_block_on_a_slope():
    """Slides with g (sin α − μ cos α); sticks where tan α < μ."""
    for slope, mu in ((0.6, 0.3), (0.2, 0.3)):
        m = lw.Model("slope", gravity=(0, -G))
        block = m.body("block", mass=3.0, inertia=1.0)
        rail = m.prismatic("rail", m.ground.at(rotation=slope), block.at(rotation=slope), axis=(1, 0))
        m.joint_stiction("rub", rail.slide, mu)
        found = m.simulate(1, output=0.1, rtol=1e-9)
        expected = -G * (np.sin(slope) - mu * np.cos(slope)) if np.tan(slope) > mu else 0.0
        assert found["rail.slide"] == pytest.approx(expected * found.t**2 / 2, abs=1e-7)


def test_universal_joint_as_a_pin():
    """About its first axis alone it is the journal of the pendulum."""
    m = lw.Model("universal", gravity=(0, 0, -G))
    rod = m.body("rod", mass=MASS, inertia=(INERTIA,) * 3)
    joint = m.universal("pin", m.ground.at(), rod.at(0, -ARM, 0))
    joint.angle1.start(0.2, rate=6.0)
    m.joint_friction("rub", joint.angle1, MU, radius=RADIUS)
    m.joint_friction("rub2", joint.angle2, MU, radius=RADIUS)
    found = m.simulate(1, output=0.02, rtol=1e-9, atol=1e-11)
    assert found["pin.angle1"] == pytest.approx(by_hand(found.t), abs=4e-5)


def test_a_pin_that_holds():
    """A long arm of friction: it takes whatever weight needs from the first moment on."""
    m = pendulum("joint_stiction", rate=0.0, mu=3.0, radius=0.2)
    found = m.simulate(0.2, output=0.1)
    assert abs(found["pin.angle"] - 0.2).max() < 1e-12
    assert found["rub.friction"] == pytest.approx(MASS * G * ARM * np.cos(0.2), rel=1e-9)
    assert found["rub.load"] == pytest.approx(MASS * G, rel=1e-9)


def test_refusals():
    m = pendulum()
    with pytest.raises(lw.ModelError, match="no arm"):
        m.joint_friction("more", m["pin"].angle, 0.1)
    with pytest.raises(lw.ModelError, match="not a coordinate of a joint"):
        m.joint_friction("more", m.variable("q"), 0.1, radius=0.1)
    with pytest.raises(lw.ModelError, match="static"):
        m.joint_stiction("more", m["pin"].angle, 0.2, static=0.1, radius=0.1)
