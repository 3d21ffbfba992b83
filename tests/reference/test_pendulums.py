"""Pendulums: period by elliptic integral, benchmark A01, Modelica's double pendulum."""

import numpy as np
import pytest
from scipy.special import ellipk

import linkwork as lw

TIGHT = {"solver": "dop853", "rtol": 1e-11, "atol": 1e-12}


@pytest.mark.parametrize(("length", "start"), [(1.0, 0.0), (1.0, -1.2), (0.4, 0.9)])
def test_period(example, length, start):
    """A uniform bar swings like a point mass at 2/3 of its length; its amplitude is the start angle from below."""
    amplitude = start + np.pi / 2
    period = 4 * np.sqrt(2 * length / 3 / 9.81) * ellipk(np.sin(amplitude / 2) ** 2)
    m = example("pendulum", length=length, start=start)
    r = m.simulate(2 * period, output=period / 4, **TIGHT)
    angle = r["pin.angle"] + np.pi / 2
    assert angle[[0, 4, 8]] == pytest.approx(amplitude, abs=1e-8)
    assert angle[[2, 6]] == pytest.approx(-amplitude, abs=1e-8)
    assert angle[[1, 3, 5, 7]] == pytest.approx(0, abs=1e-8)


def test_horizontal_period_of_the_benchmark():
    assert 4 * np.sqrt(1 / 9.81) * ellipk(0.5) == pytest.approx(2.3678419475762, abs=1e-12)


@pytest.fixture(scope="module")
def point_mass() -> lw.Result:
    """A01: 1 kg on a massless bar of 1 m."""
    m = lw.Model("A01", gravity=(0, -9.81))
    ball = m.body("ball", mass=1, inertia=1).start(position=(-1, 0))
    m.distance("bar", m.ground.at(0, 0), ball.at(0, 0), length=1)
    return m.simulate(10, output=1.0, **TIGHT)


@pytest.mark.parametrize(
    ("second", "place"),
    [
        (1, (0.986291751132, -0.165010853126)),
        (5, (-0.942305435044, -0.334754338414)),
        (10, (-0.275087462576, -0.961419205099)),
    ],
)
def test_simple_pendulum_benchmark(point_mass, second, place):
    r = point_mass
    assert (r["ball.x"][second], r["ball.y"][second]) == pytest.approx(place, abs=2e-9)


def test_simple_pendulum_benchmark_energy(point_mass):
    assert np.ptp(point_mass["energy.total"]) < 1e-8  # the benchmark asks for 5e-5 J


def test_reaction_of_a_pendulum(example):
    """Along the bar: 5/2 of the weight's component, by energy; across: a quarter."""
    r = example("pendulum", length=1.0, start=0.0).simulate(2, output=0.1, **TIGHT)
    force, angle = r.reaction("pin", frame="bar"), r["pin.angle"]
    assert force["fx"] == pytest.approx(5 / 2 * 9.81 * np.sin(angle), abs=1e-7)
    assert force["fy"] == pytest.approx(9.81 / 4 * np.cos(angle), abs=1e-7)


def test_double_pendulum_of_modelica(example):
    """Published by a run at tolerance 1e-6: trusted to 1e-4."""
    final = example("double_pendulum").simulate(3, **TIGHT).final
    assert final["upper.angle"] == pytest.approx(-2.31792856, abs=1e-4)
    assert final["upper.angle.rate"] == pytest.approx(4.09411020, abs=1e-4)
    assert final["lower.angle"] == pytest.approx(-1.73649167, abs=1e-4)
    assert final["lower.angle.rate"] == pytest.approx(-0.05037670, abs=1e-4)


def test_pendulum_of_modelica():
    m = lw.Model("modelica", gravity=(0, -9.80665))
    bar = m.body("bar", mass=1, inertia=0.001)
    pin = m.revolute("pin", m.ground.at(), bar.at(-0.5, 0))
    pin.angle.law(lw.Damper(0.1))
    pin.angle.start(0, rate=0)
    final = m.simulate(5, **TIGHT).final
    assert final["pin.angle"] == pytest.approx(-1.67963464, abs=1e-4)
    assert final["pin.angle.rate"] == pytest.approx(-2.31814703, abs=1e-4)
