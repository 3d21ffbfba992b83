"""Signals over time: functions of t, tables and inputs behave alike, and nothing that enters equations is missed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import solve_continuous_are

import linkwork as lw

FORMULATIONS = ("absolute", "minimal", "points", "acausal", "bondgraph", "bondgraph-minimal")
SOLVERS: dict[str, dict[str, Any]] = {
    "auto": {},
    "dopri5": {},
    "dop853": {},
    "radau": {},
    "rk4": {"step": 0.013},
    "generalized_alpha": {"step": 0.013},
    "cvodes": {},
}


def cart(*laws: Any, mass: float = 2.0) -> tuple[lw.Model, Any]:
    m = lw.Model("cart", gravity=(0, 0))
    rail = m.prismatic("rail", m.ground.at(0, 0), m.body("b", mass=mass, inertia=1).at(0, 0))
    for law in laws:
        rail.slide.law(law)
    return m, rail


def pushed() -> lw.Model:
    m, rail = cart()
    rail.slide.law(lw.Effort(m.input("u")))
    return m


def balance(r: lw.Result) -> float:
    """By how much the energies do not add up [J]."""
    stored = r["energy.total"] - r["energy.total"][0]
    return float(np.abs(stored + r["energy.dissipated"] - r["energy.supplied"]).max())


# Nothing is stepped over ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1.0, 0.1, 1e-4])
def test_a_pulse_in_an_input_table_is_never_missed(width):
    """An impulse of 2 N·s on 2 kg, wherever it comes in ten seconds."""
    m = pushed()
    for begin in np.linspace(0.0, 9.9 - width, 34):
        pulse = ([begin, begin, begin + width, begin + width], [0, 2 / width, 2 / width, 0])
        r = m.simulate(10, inputs={"u": pulse}, output=1.0)
        assert r["b.vx"][-1] == pytest.approx(1, abs=1e-9)


def pulse_models() -> dict[str, Any]:
    a, b = 5.0031, 5.0041
    return {
        "if_else": lambda t: lw.if_else(t > a, lw.if_else(t < b, 2000.0, 0.0), 0.0),
        "fmax": lambda t: 4e6 * lw.fmax(0, 5e-4 - lw.fabs(t - 5.0036)) * 2,
        "floor": lambda t: 2000.0 / 6 * (lw.floor(t - a) - lw.floor(t - b)),  # once every second
        "hold": lw.Table([0, a, b, 6], [0, 2000.0, 0, 0], "hold"),
        "linear": lw.Table([a, a + 5e-4, b], [0, 4000.0, 0]),
    }


@pytest.mark.parametrize("kind", pulse_models())
@pytest.mark.parametrize("solver", SOLVERS)
def test_pulses_in_functions_of_time_are_never_missed(kind, solver):
    m, _ = cart(lw.Effort(pulse_models()[kind]))
    r = m.simulate(5.9, solver=solver, output=0.1, **SOLVERS[solver])
    assert r["b.vx"][-1] == pytest.approx(1, abs=1e-7)


@pytest.mark.parametrize("where", ["force", "state", "source"])
def test_pulses_in_forces_states_and_sources(where):
    def pulse(t: Any) -> Any:
        return lw.if_else(t > 5.003, lw.if_else(t < 5.004, 1000.0, 0.0), 0.0)

    m, rail = cart()
    if where == "force":
        m.force("F", m["b"].at(0, 0), lambda t: (pulse(t), 0))
        channel, expected = "b.vx", 0.5
    elif where == "state":
        m.state("s", 0.0, rate=pulse(m.t))
        channel, expected = "s", 1.0
    else:
        S = m.voltage_source("S", pulse)
        m.inductor("L", S.p, m.earth("G", S.n), inductance=2.0)
        channel, expected = "L.current", 0.5
    r = m.simulate(10, output=1.0)
    assert abs(r[channel][-1]) == pytest.approx(expected, abs=1e-9)


def test_simulate_and_sensitivity_agree_on_a_pulse():
    """v = F w / m after it; x too depends on when it comes: ∂x/∂t₀ = −v."""
    m, rail = cart()
    F, w, t0 = m.parameter("F", 2000.0), m.parameter("w", 1e-3), m.parameter("t0", 5.003)
    rail.slide.law(lw.Effort(lambda t: lw.if_else(t > t0, lw.if_else(t < t0 + w, F, 0), 0)))
    r, s = m.simulate(10, output=1.0), m.sensitivity(["b.vx", "b.x"], ["F", "w", "t0"], 10)
    assert r["b.vx"][-1] == pytest.approx(1, abs=1e-9)
    assert s["b.vx", "F"][-1] == pytest.approx(5e-4, rel=1e-7)
    assert s["b.vx", "w"][-1] == pytest.approx(1000, rel=1e-7)
    assert s["b.x", "t0"][-1] == pytest.approx(-1, rel=1e-7)
    m = lw.Model("gain", gravity=(0, 0))
    rail = m.prismatic("rail", m.ground.at(0, 0), m.body("b", mass=2, inertia=1).at(0, 0))
    rail.slide.law(lw.Effort(m.input("u") * m.parameter("gain", 1.0)))
    pulse = {"u": ([3, 3, 3.1, 3.1], [0, 20, 20, 0])}
    for method in ("forward", "adjoint"):
        g = m.sensitivity(lw.Final("b.vx"), "gain", 10, inputs=pulse, method=method)
        assert g["gain"] == pytest.approx(1, rel=1e-7)


def test_ten_kilohertz_into_an_rc():
    """At the end of a period: V (e^(−(1−d)T/τ) − e^(−T/τ)) / (1 − e^(−T/τ)) once the start is forgotten."""
    T, tau, duty, V = 1e-4, 1e-3, 0.3, 10.0
    exact = V * (math.exp(-(1 - duty) * T / tau) - math.exp(-T / tau)) / (1 - math.exp(-T / tau))
    for wave in (
        lambda t: lw.if_else(t / T - lw.floor(t / T) < duty, V, 0.0),
        lambda t: lw.if_else(lw.sin(2 * math.pi * (t / T - duty / 2) + math.pi / 2) > math.cos(math.pi * duty), V, 0.0),
        lw.Table([0, duty * T, T], [V, 0, V], "hold", ends="periodic"),
    ):
        m = lw.Model("pwm")
        S = m.voltage_source("S", wave)
        m.capacitor("C", m.resistor("R", S.p, resistance=1e3).n, m.earth("G", S.n), capacitance=1e-6)
        r = m.simulate(0.03, output=0.01)
        assert r["C.voltage"][-1] == pytest.approx(exact, abs=1e-6)


class Feedback(lw.Force):
    """A component of one's own: states fed back to the cart, and a kick."""

    def __init__(self, name: str, body: Any, rail: Any, pin: Any, gains: np.ndarray):
        super().__init__(name)
        self.at, self.rail, self.pin, self.gains = body.at(0, 0), rail, pin, gains

    def loads(self, view):
        c, a = self.rail.slide, self.pin.angle
        y = [view.coordinate(c), view.rate(c), view.coordinate(a), view.rate(a)]
        kick = lw.if_else(view.t > 4, lw.if_else(view.t < 4.1, 10.0, 0.0), 0.0)
        force = kick - sum(float(k) * x for k, x in zip(self.gains, y, strict=True))
        return [lw.Load(self.at, force * lw.SX([1, 0, 0]), lw.SX(3, 1))]


def test_a_kick_on_a_controlled_pendulum_on_a_cart():
    """0.1 s at 4 s on a cart (1 kg) that keeps a pendulum (0.2 kg at (x − l sin a, l cos a), 0.5 m) upright."""

    def rates(t: float, y: np.ndarray, push: float) -> list[float]:
        _, v, a, w = y
        f, s, c = push - K @ y, math.sin(a), math.cos(a)
        dv, dw = np.linalg.solve([[1.2, -0.1 * c], [-0.1 * c, 0.05]], [f - 0.1 * s * w * w, 0.981 * s])
        return [v, dv, w, dw]

    inverse = np.linalg.inv([[1.2, -0.1], [-0.1, 0.05]])
    A, B = np.zeros((4, 4)), np.zeros((4, 1))
    A[0, 1] = A[2, 3] = 1
    A[[1, 3], 2], B[[1, 3], 0] = inverse[:, 1] * 0.981, inverse[:, 0]
    K = (B.T @ solve_continuous_are(A, B, np.eye(4), np.eye(1))).ravel()
    y, peak = np.zeros(4), 0.0
    for span, push in (((4.0, 4.1), 10.0), ((4.1, 6.0), 0.0)):
        s = solve_ivp(rates, span, y, args=(push,), rtol=1e-10, atol=1e-12, max_step=0.01)
        y, peak = s.y[:, -1], max(peak, np.abs(s.y[2]).max())
    m = lw.Model("cart-pole", gravity=(0, -9.81))
    base, bob = m.body("cart", mass=1, inertia=1), m.body("bob", mass=0.2, inertia=1e-9)
    bob.start(position=(0, 0.5))
    rail = m.prismatic("rail", m.ground.at(0, 0), base.at(0, 0))
    pin = m.revolute("pin", base.at(0, 0), bob.at(0, -0.5))
    m.add(Feedback("controller", base, rail, pin, K))
    r = m.simulate(6, formulation="minimal", output=0.01)
    assert np.abs(r["pin.angle"]).max() == pytest.approx(peak, rel=1e-3) and peak > 0.05
    assert [r["rail.slide"][-1], r["pin.angle"][-1]] == pytest.approx([y[0], y[2]], abs=1e-6)


def test_a_strip_in_space_is_not_stepped_over():
    """1000 N over 1 mm: the kinetic energy rises by 1 J, wherever a position decides."""

    def strip(x: Any) -> Any:
        return lw.if_else(x > 5, lw.if_else(x < 5.001, 1000.0, 0.0), 0.0)

    for force in (False, True):
        m, rail = cart(mass=1.0)
        rail.slide.start(0, rate=1.0)
        if force:
            m.force("F", m["b"].at(0, 0), lambda a: (strip(a.p[0]), 0))
        else:
            rail.slide.law(lw.Effort(lambda x: strip(x)))
        assert m.simulate(8, output=1.0)["b.vx"][-1] == pytest.approx(math.sqrt(3), abs=1e-7)


def test_a_function_that_cannot_be_read_gets_short_steps():
    """Python's `if`: at most a thousandth of the run per step, or what the user says."""
    m = pushed()
    r = m.simulate(10, inputs={"u": lambda t: 20.0 if 5.003 < t < 5.103 else 0.0})
    assert r["solver.step"].max() <= 10 / 1000 * (1 + 1e-9)
    assert r["b.vx"][-1] == pytest.approx(1, abs=1e-5)
    known = lw.Signal(lambda t: 20.0 if 5.003 < t < 5.103 else 0.0, breakpoints=[5.003, 5.103])
    r = m.simulate(10, inputs={"u": known})
    assert r["b.vx"][-1] == pytest.approx(1, abs=1e-9) and r.record["statistics"]["accepted"] < 100


# Derivatives ----------------------------------------------------------------------------------------------------------

T = np.linspace(0, 2, 401)
SINES: dict[str, Any] = {
    "table": lw.Table(T, np.sin(T), "cubic"),
    "signal": lw.Signal(math.sin, rate=math.cos, acceleration=lambda t: -math.sin(t)),
    "function": lambda t: lw.sin(t),
    "numpy": np.sin,
}


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("kind", [*SINES, "motion of a table"])
def test_a_motion_by_an_input_has_its_inertia(kind, formulation):
    m, rail = cart()
    if kind in SINES:
        rail.slide.law(lw.Motion(m.input("u")))
        inputs = {"u": SINES[kind]}
    else:
        rail.slide.law(lw.Motion(SINES["table"]))
        inputs = {}
    r = m.simulate(2, inputs=inputs, formulation=formulation, output=0.5)
    off = 1e-6 if "table" in kind else 1e-9
    assert r["b.x"] == pytest.approx(np.sin(r.t), abs=off)
    assert r["b.vx"] == pytest.approx(np.cos(r.t), abs=off)
    assert r["rail.slide.effort"] == pytest.approx(-2 * np.sin(r.t), abs=1e-4 if "table" in kind else 1e-8)


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_a_speed_by_a_linear_table(formulation):
    """Rises to 1 m/s in 1 s and falls again: 2 kg ask for ±2 N."""
    m, rail = cart()
    rail.slide.law(lw.Motion(speed=m.input("u")))
    r = m.simulate(2, inputs={"u": ([0, 1, 2], [0, 1, 0])}, formulation=formulation, output=0.25)
    assert r["b.x"][-1] == pytest.approx(1, abs=1e-9)
    assert r["rail.slide.effort"] == pytest.approx(np.where(r.t < 1, 2, -2), abs=1e-6)


REFUSED: dict[str, Any] = {
    "linear": (([0, 1, 2], [0, 1, 0]), r'u: .*rail.slide.*rate that jumps at t = 1 s.*kind="cubic"'),
    "step": (([0, 1, 1, 2], [0, 0, 1, 1]), r"u: .*rail.slide.*jumps at t = 1 s"),
    "function": (lambda t: 1.0 if t > 1 else 0.0, r"u: .*needs its acceleration.*lw.Signal"),
    "rate only": (lw.Signal(math.sin, rate=math.cos), r"u: .*needs its acceleration"),
    "ends early": (lw.Table([0, 0.5, 1.0, 1.5], [0, 1, 3, 0], "cubic"), r"rate that jumps at t = 1.5 s"),
}


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
@pytest.mark.parametrize("kind", REFUSED)
def test_inputs_that_no_constraint_can_follow_are_refused_by_name(kind, formulation):
    m, rail = cart()
    rail.slide.law(lw.Motion(m.input("u")))
    given, message = REFUSED[kind]
    with pytest.raises(lw.ModelError, match=message):
        m.simulate(2, inputs={"u": given}, formulation=formulation)


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
@pytest.mark.parametrize(
    ("law", "message"),
    [
        (lw.Motion(lambda t: lw.if_else(t > 1, 1.0, 0.0)), "rail.slide: .* jumps at t = 1 s"),
        (lw.Motion(lambda t: lw.fmax(t - 1, 0)), "rail.slide: .* speed that jumps at t = 1 s"),
        (lw.Motion(speed=lambda t: lw.if_else(t > 1, 1.0, 0.0)), "rail.slide: .* speed that jumps at t = 1 s"),
        (lw.Motion(lw.Table([0, 1, 2], [0, 1, 0])), 'rail.slide: .*rate that jumps.*kind="cubic"'),
        (lw.Motion(speed=lw.Table([0, 1], [0, 1], "hold")), "rail.slide: .*jumps at t = 1 s"),
    ],
)
def test_motions_that_jump_are_refused_by_name(law, message, formulation):
    m, _ = cart(law)
    with pytest.raises(lw.ModelError, match=message):
        m.simulate(2, formulation=formulation)


def test_a_motion_with_a_corner_in_its_acceleration_is_fine():
    m, _ = cart(lw.Motion(lambda t: lw.fmax(t - 1, 0) ** 2 / 2))
    r = m.simulate(2, output=0.25)
    assert r["rail.slide.effort"] == pytest.approx(np.where(r.t < 1, 0, 2), abs=1e-6)


def test_kinematics_and_inverse_dynamics_take_signals_alike():
    m, rail = cart()
    rail.slide.law(lw.Motion(m.input("u")))
    for given in SINES.values():
        r = m.kinematics(2, inputs={"u": given}, output=0.5)
        assert r["b.vx"] == pytest.approx(np.cos(r.t), abs=1e-6)
        r = m.inverse_dynamics({}, duration=2, inputs={"u": given}, output=0.5)
        assert r["rail.slide.effort"] == pytest.approx(-2 * np.sin(r.t), abs=1e-3)
    m, rail = cart()
    r = m.kinematics(2, drive={"rail.slide": SINES["table"]}, output=0.5)
    assert r["b.vx"] == pytest.approx(np.cos(r.t), abs=1e-6)


def test_a_source_of_speed_by_an_input():
    """A shaft forced to turn by u: J ü is the torque on it."""
    m = lw.Model("shaft")
    S = m.shaft_speed("S", m.input("u"))
    m.shaft_inertia("J", S.a, inertia=3.0)
    r = m.simulate(2, inputs={"u": lambda t: lw.sin(2 * t)}, output=0.5)
    torque = next(r[c.name] for c in r.channels if c.name.startswith("S.") and c.unit == "N·m")
    assert np.abs(torque) == pytest.approx(np.abs(6 * np.cos(2 * r.t)), abs=1e-6)


def test_a_jump_that_nobody_was_told_of():
    """A Python function that compares its argument: it cannot be read."""
    m = lw.Model("orifices")
    out = m.orifice("in", m.pressure_source("supply", m.input("p", 1e7)).a, area=2e-6)
    m.orifice("out", out.b, m.tank("tank"), area=1e-6)
    with pytest.raises(lw.IntegrationError, match=r"jumped before t = 0\.5\d* s.*Let jumps be known") as found:
        m.simulate(1, inputs={"p": lambda t: 1e7 if t < 0.5 else 1e2})
    assert found.value.partial.t[-1] < 0.5


def test_what_the_function_of_an_input_raises_names_the_input():
    m = lw.Model("arm", gravity=(0, 0))
    pin = m.revolute("pin", m.ground.at(0, 0), m.body("arm", mass=1, inertia=1).at(-0.5, 0))
    pin.angle.law(lw.Effort(m.input("torque", 0.0)))

    def torque(t):
        if t > 0.05:
            raise OSError("the line is dead")
        return 1.0

    with pytest.raises(OSError, match="the line is dead") as raised:
        m.simulate(0.1, inputs={"torque": torque})
    assert "'torque'" in raised.value.__notes__[0] and "t = 0.05" in raised.value.__notes__[0]
