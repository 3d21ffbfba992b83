"""SYM's examples: double pendulum, slider-crank and robot, against equations written down independently."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.examples import double_pendulum_positions, robot, slider_crank_positions


def double_pendulum(t, y):
    """Textbook equations in absolute angles, for uniform rods."""
    l0, l1, m0, m1, g = 1.2, 1.1, 1.1, 0.9, 9.81
    a, b, u, w = y[0], y[0] + y[1], y[2], y[2] + y[3]
    M = np.array(
        [
            [m0 * l0**2 / 3 + m1 * l0**2, m1 * l0 * l1 / 2 * np.cos(a - b)],
            [m1 * l0 * l1 / 2 * np.cos(a - b), m1 * l1**2 / 3],
        ]
    )
    f = [
        -m1 * l0 * l1 / 2 * np.sin(a - b) * w**2 - (m0 / 2 + m1) * g * l0 * np.sin(a),
        m1 * l0 * l1 / 2 * np.sin(a - b) * u**2 - m1 * g * l1 / 2 * np.sin(b),
    ]
    du, dw = np.linalg.solve(M, f)
    return [y[2], y[3], du, dw - du]


@pytest.mark.parametrize("formulation", ["minimal", "absolute", "points"])
def test_double_pendulum(formulation):
    r = double_pendulum_positions.model().simulate(5, formulation=formulation, rtol=1e-10, atol=1e-12)
    s = solve_ivp(double_pendulum, (0, 5), [0, 1, 0, 0], t_eval=r.t, rtol=1e-11, atol=1e-12)
    assert np.allclose(r["q0"], s.y[0], atol=1e-8)
    assert np.allclose(r["q1"], s.y[1], atol=1e-8)


@pytest.mark.parametrize("implicit", [False, True])
def test_slider_crank_by_energy(implicit):
    """One freedom: the speed follows from the energy at every position; after one oscillation it is back."""
    k = slider_crank_positions.model(implicit)
    r = k.simulate(6, formulation="minimal", solver="dop853", rtol=1e-12, atol=1e-12, output=1e-3)
    q, w = r["q0"], r["q0.rate"]
    alpha = np.arcsin(np.sin(q) / 2)
    da = np.cos(q) / 2 / np.cos(alpha)
    dx = -np.sin(q) - 2 * np.sin(alpha) * da
    rod_x, rod_y = dx + np.sin(alpha) * da, np.cos(alpha) * da
    inertia = 1 / 4 + 0.0833 + 2 * (rod_x**2 + rod_y**2) + 0.6667 * da**2 + 5 * dx**2
    height = 9.81 * (np.sin(q) / 2 + 2 * np.sin(alpha))
    energy = inertia * w**2 / 2 + height
    assert np.ptp(energy) < 1e-8
    turning = np.flatnonzero((w[:-1] > 0) & (w[1:] <= 0))
    assert turning.size
    assert q[turning] == pytest.approx(1, abs=1e-5)


def robot_of_joints() -> lw.Model:
    """The same robot: two cylindrical joints and a hinge, driven by laws instead of forces on bodies."""
    m = lw.Model("robot", gravity=(0, 0, -9.81))
    column = m.body("column", mass=250, inertia=(90, 10, 90))
    arm = m.body("arm", mass=150, inertia=(13, 0.75, 13))
    hand = m.body("hand", mass=100, inertia=(4, 1, 4.3))
    lift = m.cylindrical("lift", m.ground.at(0, 0, 0), column.at(0, 0, 0), axis=(0, 0, 1))
    reach = m.cylindrical("reach", column.at(0, 0, 0), arm.at(0, 0, 0), axis=(0, 1, 0))
    wrist = m.revolute("wrist", arm.at(0, robot.WRIST, 0), hand.at(0, -robot.GRIP, 0), axis=(1, 0, 0))
    push = robot.efforts(m.t)
    laws = (lift.slide, "F0z"), (lift.angle, "T0z"), (reach.slide, "F1y"), (wrist.angle, "T2x")
    for coordinate, name in laws:
        coordinate.law(lw.Effort(lambda name=name: push[name]))
    coordinates = (lift.slide, lift.angle, reach.slide, reach.angle, wrist.angle)
    for coordinate, value in zip(coordinates, robot.START, strict=True):
        coordinate.start(value)
    for name, when in (("coast", 0.5), ("brake", 1.5)):
        m.event(name, lambda when=when: m.t - when, action="restart")
    return m


@pytest.mark.parametrize("formulation", ["minimal", "absolute"])
def test_robot_against_the_same_robot_of_joints(formulation):
    tight = {"rtol": 1e-11, "atol": 1e-12}
    a = robot.model().simulate(2, formulation=formulation, **tight)
    b = robot_of_joints().simulate(2, formulation="minimal", **tight)
    names = ("lift.slide", "lift.angle", "reach.slide", "reach.angle", "wrist.angle")
    for i, name in enumerate(names):
        assert np.allclose(a[f"q{i}"], b[name], atol=1e-7), name
    assert a["q0"][-1] - a["q0"][0] > 2  # point to point: it lifts by two metres and comes nearly to rest
    assert abs(a["q0.rate"][-1]) < 0.01
