"""Regulators and filters from linearisations, against python-control and by hand."""

from __future__ import annotations

import control
import numpy as np
import pytest
from scipy.linalg import expm

import linkwork as lw

M, m_, l, g = 1.0, 0.1, 0.5, 9.81
"""Cart [kg], pole [kg], half its length [m]."""
Q = {"rail.slide": 1.0, "pin.angle": 10.0}


def cart_pole(angle: float = 0.0) -> lw.Model:
    m = lw.Model("cart-pole", gravity=(0, -g))
    cart, pole = m.body("cart", mass=M, inertia=1), m.body("pole", mass=m_, inertia=m_ * l**2 / 3)
    rail = m.prismatic("rail", m.ground.at(), cart.at())
    pin = m.revolute("pin", cart.at(), pole.at(0, -l))
    rail.slide.law(lw.Effort(m.input("force", unit="N")))
    pin.angle.start(angle)
    return m


def by_hand() -> tuple[np.ndarray, np.ndarray]:
    """(M + m) ẍ − m l θ̈ = F, −m l ẍ + 4/3 m l² θ̈ = m g l θ; θ turns the tip towards −x."""
    mass = np.array([[M + m_, -m_ * l], [-m_ * l, 4 / 3 * m_ * l**2]])
    A, B = np.zeros((4, 4)), np.zeros((4, 1))
    A[:2, 2:] = np.eye(2)
    A[2:, 1] = np.linalg.solve(mass, [0, m_ * g * l])
    B[2:, 0] = np.linalg.solve(mass, [1, 0])
    return A, B


@pytest.fixture(scope="module")
def linear() -> lw.Linearization:
    return cart_pole().linearize(outputs=["rail.slide", "pin.angle"])


def test_regulator_by_hand_and_by_python_control(linear: lw.Linearization) -> None:
    found = linear.lqr(Q, 0.1)
    A, B = by_hand()
    K, P, poles = control.lqr(A, B, np.diag([1.0, 10, 0, 0]), [[0.1]])
    np.testing.assert_allclose(found.K, K, rtol=1e-8)
    np.testing.assert_allclose(found.P, P, rtol=1e-7)
    np.testing.assert_allclose(np.sort_complex(found.eigenvalues), np.sort_complex(poles), rtol=1e-7)
    assert found["force"]["pin.angle"] == found.K[0, 1]
    # outputs may be weighed, too, and matrices
    np.testing.assert_allclose(linear.lqr(np.diag([1, 10, 0, 0]), [[0.1]]).K, K, rtol=1e-8)


def test_sampled_regulator(linear: lw.Linearization) -> None:
    """The sum over samples is the integral; with a short period the gain is that of the continuous one."""
    T = 0.1
    found = linear.lqr(Q, 0.1, period=T)
    A, B = by_hand()
    t = np.linspace(0, T, 501)
    weights = np.full(t.size, T / 500)
    weights[[0, -1]] /= 2
    whole = np.zeros((5, 5))
    whole[:4, :4], whole[:4, 4:] = A, B
    cost = np.diag([1.0, 10, 0, 0, 0.1])
    total = sum(w * expm(whole * s).T @ cost @ expm(whole * s) for w, s in zip(weights, t, strict=True))
    step = expm(whole * T)
    K, _, z = control.dlqr(step[:4, :4], step[:4, 4:], total[:4, :4], total[4:, 4:], total[:4, 4:])
    np.testing.assert_allclose(found.K, K, rtol=1e-5)
    np.testing.assert_allclose(np.sort_complex(np.exp(found.eigenvalues * T)), np.sort_complex(z), rtol=1e-5)
    np.testing.assert_allclose(linear.lqr(Q, 0.1, period=1e-5).K, linear.lqr(Q, 0.1).K, rtol=1e-4)


def test_filter_by_python_control(linear: lw.Linearization) -> None:
    found = linear.kalman({"force": 0.5, "rail.slide.rate": 0.01}, {"rail.slide": 1e-4, "pin.angle": 2e-4})
    A, B = by_hand()
    C = np.eye(4)[:2]
    noise = 0.5 * B @ B.T + np.diag([0, 0, 0.01, 0])
    L, P, poles = control.lqe(A, np.eye(4), C, noise, np.diag([1e-4, 2e-4]))
    np.testing.assert_allclose(found.L, L, rtol=1e-7)
    np.testing.assert_allclose(found.P, P, rtol=1e-7)
    np.testing.assert_allclose(np.sort_complex(found.eigenvalues), np.sort_complex(poles), rtol=1e-7)


def test_closed_loop_decays_as_predicted() -> None:
    """The nonlinear model, from a small deviation: its slowest pair sets the rate, in every formulation."""
    m = cart_pole()
    regulator = m.linearize().lqr({"rail.slide": 4.0, "pin.angle": 10.0}, 0.1)
    closed = regulator.closed(m)
    near = closed.linearize()
    np.testing.assert_allclose(np.sort_complex(near.eigenvalues), np.sort_complex(regulator.eigenvalues), rtol=1e-9)
    closed["pin"].angle.start(1e-4)
    r = closed.simulate(6, formulation="minimal", output=0.01)
    assert not r.warnings
    x0 = np.array([0, 1e-4, 0, 0])
    values, vectors = np.linalg.eig(near.A)
    predicted = (vectors @ (np.exp(np.outer(values, r.t)) * np.linalg.solve(vectors, x0)[:, None])).real
    np.testing.assert_allclose(r["pin.angle"], predicted[1], atol=1e-9)
    np.testing.assert_allclose(r["lqr.force"], -(regulator.K @ predicted)[0], atol=1e-7)
    for formulation in ("absolute", "points", "acausal", "bondgraph"):
        other = closed.simulate(1, formulation=formulation, output=0.01)
        np.testing.assert_allclose(other["rail.slide"], r["rail.slide"][:101], atol=1e-10)


def test_sampled_closed_loop_is_the_stepper() -> None:
    """The copy of the model that samples, and a loop over a stepper, do the same."""
    m = cart_pole(0.2)
    regulator = cart_pole().linearize().lqr(Q, 0.1, period=0.02)
    r = regulator.closed(m).simulate(1, output=0.02)
    s = m.stepper(0.02)
    for k in range(50):
        assert s["pin.angle"] == pytest.approx(r["pin.angle"][k], abs=1e-8)
        s.step(**regulator(s))
    assert abs(r["pin.angle"][-1]) < 0.1


@pytest.mark.parametrize("period", [None, 0.01])
def test_estimate_in_the_loop(period: float | None) -> None:
    """From the two positions alone; closed-loop eigenvalues are those of regulator and filter together."""
    m = cart_pole()
    linear = m.linearize(outputs=["rail.slide", "pin.angle"])
    regulator = linear.lqr(Q, 0.1, period=period)
    observer = linear.kalman({"force": 1.0}, 1e-4, period=period)
    closed = regulator.closed(m, observer=observer)
    if period is None:
        wanted = np.concatenate([regulator.eigenvalues, observer.eigenvalues])
        np.testing.assert_allclose(np.sort_complex(closed.linearize().eigenvalues), np.sort_complex(wanted), rtol=1e-5)
    closed["pin"].angle.start(0.05)
    r = closed.simulate(8)
    assert abs(r["pin.angle"][-1]) < 1e-3 and abs(r["rail.slide"][-1]) < 2e-2


def test_filter_follows_a_stepper() -> None:
    """With noise on what is measured the estimate is better than the measurement."""
    m = cart_pole(0.1)
    linear = cart_pole().linearize(outputs=["rail.slide", "pin.angle"])
    regulator = linear.lqr(Q, 0.1, period=0.02)
    estimate = linear.kalman({"force": 1e-3}, 1e-4, period=0.02).filter()
    s, noise, errors = m.stepper(0.02), np.random.default_rng(3).normal(0, 1e-2, (400, 2)), []
    for row in noise:
        seen = {"rail.slide": s["rail.slide"] + row[0], "pin.angle": s["pin.angle"] + row[1]}
        found = estimate(seen, s.inputs)
        errors.append([found[name] - s[name] for name in linear.output_names])
        s.step(**regulator(found))
    assert abs(s["pin.angle"]) < 0.05
    assert np.std(errors[50:], axis=0).max() < 0.6 * 1e-2


def test_closed_loop_mechanism() -> None:
    """A four-bar with its crank held at an angle: dependent coordinates follow."""
    m = lw.Model("four-bar", gravity=(0, -9.81))
    bars = [m.body(f"b{k}", mass=1, inertia=0.1) for k in range(3)]
    O = m.revolute("O", m.ground.at(0, 0), bars[0].at(-0.15, 0))
    m.revolute("A", bars[0].at(0.15, 0), bars[1].at(-0.4, 0))
    m.revolute("B", bars[1].at(0.4, 0), bars[2].at(-0.3, 0))
    m.revolute("C", bars[2].at(0.3, 0), m.ground.at(0.7, 0))
    O.angle.law(lw.Effort(m.input("torque", unit="N·m")))
    O.angle.start(1.2)
    level = m.equilibrium()
    regulator = m.linearize(level, coordinates=["O.angle"]).lqr({"O.angle": 100.0}, 0.1)
    closed = regulator.closed(m)
    np.testing.assert_allclose(
        np.sort_complex(closed.linearize(level, coordinates=["O.angle"]).eigenvalues),
        np.sort_complex(regulator.eigenvalues), rtol=1e-8,
    )  # fmt: skip
    r = closed.simulate(8)
    assert r.final["O.angle"] == pytest.approx(level.coordinates["O.angle"], abs=1e-4)


def test_names(linear: lw.Linearization) -> None:
    system = linear.state_space()
    assert isinstance(system, control.StateSpace)
    assert system.state_labels == ["rail_slide", "pin_angle", "rail_slide_rate", "pin_angle_rate"]
    assert system.input_labels == ["force"]
    np.testing.assert_array_equal(system.A, linear.A)
    np.testing.assert_allclose(system(1j), linear.transfer(1j), rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda n: n.lqr({"pin.angel": 1.0}), "Did you mean 'pin.angle'"),
        (lambda n: n.lqr({"pin.angle": 1.0}), "Q asks nothing of rail.slide"),
        (lambda n: n.lqr({"pin.angle": -1.0}), "Give a number, 0 or more"),
        (lambda n: n.lqr(1.0, 0.0), "R gives 'force' no weight"),
        (lambda n: n.lqr(np.eye(3)), "symmetric matrix for rail.slide, pin.angle"),
        (lambda n: n.lqr(1.0, period=-1.0), "Give seconds > 0"),
        (lambda n: n.kalman({"forc": 1.0}, 1.0), "Did you mean 'force'?"),
        (lambda n: n.kalman(1.0, {"pin.angle": 1.0}), "R gives 'rail.slide' no weight"),
        (lambda n: n.lqr(1.0)["torque"], "force"),
        (lambda n: n.lqr(None), "Give {name: weight}"),
        (lambda n: n.lqr(1.0).closed(3), "Give the model"),
        (lambda n: n.kalman(1.0, 1.0).filter(), "the filter is continuous"),
    ],
)
def test_what_is_wrong_is_told(linear: lw.Linearization, call: object, told: str) -> None:
    with pytest.raises(lw.LinkworkError) as error:
        call(linear)  # type: ignore[operator]
    assert told in str(error.value)


def test_hidden_modes_are_named() -> None:
    m = cart_pole()
    second = m.body("second", mass=1, inertia=1)
    m.prismatic("aside", m.ground.at(0, 1), second.at())
    with pytest.raises(lw.ModelError, match=r"no input reaches aside\.slide"):
        m.linearize().lqr(1.0)
    with pytest.raises(lw.ModelError, match=r"no output shows aside\.slide"):
        m.linearize(outputs=["rail.slide"]).kalman(1.0, 1.0)
    with pytest.raises(lw.ModelError, match="neither at rest"):
        cart_pole(0.3).linearize().lqr(1.0)


def test_a_graph_of_a_closed_loop_is_no_model() -> None:
    """The feedback is not in it: to run it would be the open loop."""
    m = cart_pole()
    graph = m.linearize().lqr(Q).closed(m).bondgraph()
    with pytest.raises(lw.LinkworkError, match="lqr"):
        graph.simulate(1)


def test_motor_and_nonzero_input() -> None:
    """States of a network are fed back, too, and inputs stay at what the operating point needs."""
    m = lw.Model("servo", gravity=(0, -9.81))
    arm = m.body("arm", mass=1, inertia=0.1)
    O = m.revolute("O", m.ground.at(), arm.at(0, 0.3))
    m.dc_motor("motor", O.angle, voltage=m.input("u", 0.0), resistance=0.5, inductance=1e-2, constant=0.8)
    rest = m.equilibrium(inputs={"u": 0.6})
    near = m.linearize(rest, inputs={"u": 0.6})
    assert rest.coordinates["O.angle"] == pytest.approx(np.arcsin(0.6 / 0.5 * 0.8 / (9.81 * 0.3)), abs=1e-8)
    regulator = near.lqr({"O.angle": 100.0}, 0.1)
    assert near.state_names[-1] == "motor.current" and regulator["u"]["motor.current"] > 0
    O.angle.start(0.0)
    r = regulator.closed(m).simulate(3)
    assert r.final["O.angle"] == pytest.approx(rest.coordinates["O.angle"], abs=1e-6)
    assert not r.warnings
