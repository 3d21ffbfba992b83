"""Blocks, controllers, sensors and tables against scipy.signal, exact discretisation and integrated equations."""

import numpy as np
import pytest
from scipy import signal
from scipy.integrate import solve_ivp

import linkwork as lw


def slider(damping: float = 0.2) -> tuple[lw.Model, lw.Joint]:
    m = lw.Model("slider", gravity=(0, 0))
    P = m.prismatic("P", m.ground, m.body("mass", mass=2, inertia=1).at())
    P.slide.law(lw.Damper(damping))
    return m, P


@pytest.mark.parametrize(
    ("numerator", "denominator"), [([1, 2, 3], [2, 1, 4, 1]), ([3, 1, 2], [1, 0.5, 4]), ([2], [0.3, 1]), ([0, 5], [2])]
)
def test_transfer_function_as_scipy_says(numerator, denominator):
    m = lw.Model("G")
    m.transfer_function("G", 1.0, numerator=numerator, denominator=denominator)
    r = m.simulate(5.0, rtol=1e-10)
    if len(denominator) == 1:
        wanted = np.full(r.t.size, numerator[-1] / denominator[0])
    else:
        wanted = signal.step((np.trim_zeros(numerator, "f"), denominator), T=r.t)[1]
    assert np.allclose(r["G.y.value"], wanted, atol=1e-8)


def test_state_space_with_two_outputs():
    A, B, C, D = [[0, 1], [-4, -0.5]], [[0], [1]], [[1, 0], [0, 1]], [[0.0], [1.0]]
    m = lw.Model("S")
    m.state_space("S", lambda t: lw.sin(3 * t), A=A, B=B, C=C, D=D, start=[0.5, 0])
    r = m.simulate(4.0, rtol=1e-10)
    s = solve_ivp(
        lambda t, x: np.array(A) @ x + [0, np.sin(3 * t)], (0, 4), [0.5, 0], t_eval=r.t, rtol=1e-11, atol=1e-12
    )
    assert np.allclose(r["S.y1.value"], s.y[0], atol=1e-8)
    assert np.allclose(r["S.y2.value"], s.y[1] + np.sin(3 * r.t), atol=1e-8)


def test_blocks_in_a_loop():
    """A lag in negative feedback with gain 4: time constant T/(1 + 4), end value 4/5; and a loop without states."""
    m = lw.Model("loop")
    e = m.sum("e", 1.0, None, weights=[1, -1])
    lag = m.first_order("lag", m.gain("k", e, gain=4.0), time=0.5)
    m.connect(lag.y, e.ports["u2"])
    both = m.sum("both", lag, None)
    half = m.gain("half", both, gain=-0.5)
    m.connect(half.y, both.ports["u2"])
    m.integrator("area", lag)
    m.limiter("top", lag, lower=0.0, upper=0.5)
    r = m.simulate(1.0, rtol=1e-10)
    wanted = 0.8 * (1 - np.exp(-r.t / 0.1))
    assert np.allclose(r["lag.y.value"], wanted, atol=1e-9)
    assert np.allclose(r["both.y.value"], wanted / 1.5, atol=1e-9)
    assert np.allclose(r["area.y.value"], 0.8 * r.t - 0.1 * wanted, atol=1e-9)
    assert np.allclose(r["top.y.value"], np.minimum(wanted, 0.5), atol=1e-9)


def test_pid_between_signals_as_on_a_coordinate():
    gains = {"kp": 20.0, "ki": 10.0, "kd": 5.0}
    m, P = slider()
    m.pid("C", P.slide, lambda t: lw.sin(t), **gains)
    on = m.simulate(3.0, rtol=1e-10)
    m, P = slider()
    x = m.coordinate_sensor("x", P.slide)
    m.slide_force("F", m.pid("C", target=lambda t: lw.sin(t), measured=x, **gains), P.slide)
    between = m.simulate(3.0, rtol=1e-10)

    def closed(t, y):
        e = np.sin(t) - y[0]
        return [y[1], (20 * e + 10 * y[2] + 5 * (np.cos(t) - y[1]) - 0.2 * y[1]) / 2, e]

    s = solve_ivp(closed, (0, 3), [0, 0, 0], t_eval=on.t, rtol=1e-11, atol=1e-12)
    for r in (on, between):
        assert np.allclose(r["P.slide"], s.y[0], atol=1e-8)
        off = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
        assert np.ptp(off) < 1e-6 * np.ptp(r["energy.supplied"])


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "acausal"])
def test_sampled_controller_as_exact_discretisation_says(formulation):
    T, m, P = 0.05, *slider()
    x, v = m.coordinate_sensor("x", P.slide), m.coordinate_sensor("v", P.slide, "rate")
    law = m.sampled(
        "C", x, v, period=T, law=lambda x, v, s: (8 * (1 - x) - 4 * v + 2 * s, s + T * (1 - x)), memory=[0.0]
    )
    m.slide_force("F", law, P.slide)
    r = m.simulate(2.0, formulation=formulation, output=T / 2, rtol=1e-9)
    A, B = np.array([[0, 1], [0, -0.1]]), np.array([[0], [0.5]])
    Ad, Bd, *_ = signal.cont2discrete((A, B, np.eye(2), np.zeros((2, 1))), T)
    state, s, places, forces = np.zeros(2), 0.0, [], []
    for _ in range(41):
        u = 8 * (1 - state[0]) - 4 * state[1] + 2 * s
        places.append(state[0])
        forces.append(u)
        s += T * (1 - state[0])
        state = Ad @ state + Bd[:, 0] * u
    assert np.allclose(r["P.slide"][::2], places, atol=1e-9)
    assert np.allclose(r["C.y.value"][::2][:-1], forces[:-1], atol=1e-8)  # what holds from the sample on
    assert np.allclose(r["C.y.value"][1::2], forces[:-1], atol=1e-8)  # and is held
    off = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    assert np.ptp(off) < 1e-6 * np.ptp(r["energy.supplied"])


@pytest.mark.parametrize(("solver", "step"), [("rk4", 0.003), ("radau", None), ("generalized_alpha", 0.002)])
def test_sampled_with_any_solver(solver, step):
    """Samples at multiples of 0.1 s, outputs at times that differ by rounding: they show what holds afterwards."""
    m, P = slider()
    m.slide_force("F", m.sampled("n", period=0.1, law=lambda k: (k, k + 1), memory=[0.0]), P.slide)
    times = np.cumsum(np.full(9, 0.1))
    r = m.simulate(1.0, solver=solver, step=step, output=times)
    assert np.array_equal(r.t, times)
    assert np.array_equal(r["n.y.value"], np.arange(1, 10))
    v, decay = 0.0, np.exp(-0.1 * 0.1)
    for k in range(9):
        v = v * decay + k / 0.2 * (1 - decay)
        assert r["P.slide.rate"][k] == pytest.approx(v, abs=1e-4 if solver == "generalized_alpha" else 1e-8)


def test_two_samplers_with_offset_and_what_they_do_not_cover():
    m = lw.Model("counters")
    slow = m.sampled("slow", period=0.3, offset=0.1, law=lambda n: (n + 1, n + 1), memory=[0.0])
    m.sampled("copy", slow, period=0.2, law=lambda u: u)
    r = m.simulate(1.0, output=0.05)
    wanted = np.maximum(0, np.floor((r.t - 0.1 + 1e-9) / 0.3) + 1)
    assert np.array_equal(r["slow.y.value"][:-1], wanted[:-1])
    # at 0.4 s both act: each sees what was before
    assert r["copy.y.value"][np.searchsorted(r.t, 0.42)] == 1
    with pytest.raises(lw.ModelError, match="single times"):
        m.linearize()
    with pytest.raises(lw.ModelError, match="2 values"):
        lw.Model("x").sampled("c", 1.0, period=1.0, law=lambda u: (u, u)).model.simulate(1.0)


def test_sensors():
    m = lw.Model("sensors", gravity=(0, -9.81))
    bar = m.body("bar", mass=1, inertia=0.1)
    O = m.revolute("O", m.ground.at(0, 0), bar.at(-0.5, 0))
    O.angle.law(lw.Damper(0.1))
    O.angle.law(lw.Spring(2.0))
    tip = bar.at(0.5, 0)
    m.frame_sensor("x", tip, along=(1, 0))
    m.frame_sensor("v", tip, "velocity", along=(0, 2))
    m.frame_sensor("a", tip, "acceleration", along=(1, 0))
    m.frame_sensor("seen", m.ground.at(0, 1), along=(1, 0), base=bar.at(0, 0))
    m.frame_sensor("spin", tip, "spin", along=(0, 0, 1))
    m.coordinate_sensor("alpha", O.angle, "acceleration")
    m.coordinate_sensor("effort", O.angle, "effort")
    r = m.simulate(1.0)
    angle, w, alpha = r["O.angle"], r["O.angle.rate"], r["bar.alphaz"]
    assert np.allclose(r["x.reading"], np.cos(angle), atol=1e-12)
    assert np.allclose(r["v.reading"], w * np.cos(angle), atol=1e-9)
    assert np.allclose(r["a.reading"], -(w**2) * np.cos(angle) - alpha * np.sin(angle), atol=1e-7)
    assert np.allclose(r["seen.reading"], np.sin(angle) - 0.5, atol=1e-9)
    assert np.allclose(r["spin.reading"], w)
    assert np.allclose(r["alpha.reading"], alpha, atol=1e-9)
    assert np.allclose(r["effort.reading"], -0.1 * w - 2 * angle, atol=1e-9)
    assert r.unit("v.reading") == "m/s"


@pytest.mark.parametrize("kind", ["linear", "cubic", "hold"])
def test_table_drives_a_circuit(kind):
    times, values = np.array([0, 0.5, 0.7, 1.3, 2.0]), np.array([0, 1.0, -1.0, 2.0, 0.5])
    table = lw.Table(times, values, kind)
    m = lw.Model("table")
    S = m.voltage_source("S", table)
    m.capacitor("C", m.resistor("R", S.p, resistance=1.0).n, m.earth("G", S.n), capacitance=0.3)
    r = m.simulate(2.5, rtol=1e-9)
    if kind == "linear":
        assert np.allclose(r["S.voltage"], np.interp(r.t, times, values), atol=1e-12)
    y = 0.0
    for a, b in zip(times, [*times[1:], 2.5], strict=True):
        inside = (r.t >= a) & (r.t < b)
        s = solve_ivp(
            lambda t, y, a=a, b=b: (table(min(max(t, a), np.nextafter(b, a))) - y) / 0.3,
            (a, b),
            [y],
            t_eval=np.append(r.t[inside], b),
            rtol=1e-11,
            atol=1e-13,
        )
        assert np.allclose(r["C.voltage"][inside], s.y[0, :-1], atol=1e-8)
        y = s.y[0, -1]
    assert [t for t, name in r.events if name == "table"] == pytest.approx([0.5, 0.7, 1.3, 2.0], abs=1e-9)


def test_no_corner_of_a_table_is_stepped_over():
    """A pulse of 1 ms in 1000 s, in a circuit, in a law, and inside a function."""
    pulse = lw.Table([500.0, 500.001], [1000.0, 0.0], "hold")

    def once(t):
        return lw.if_else(t < 500, 0, pulse(t))

    m = lw.Model("pulse", gravity=(0, 0))
    P = m.prismatic("P", m.ground, m.body("mass", mass=2, inertia=1).at())
    P.slide.law(lw.Effort(once))
    m.integrator("I", once)
    r = m.simulate(1000.0)
    # Times near 500 s are located to 1e-10 s, which is 1e-7 of the pulse.
    assert r["I.y.value"][-1] == pytest.approx(1.0, rel=2e-7)
    assert r["P.slide.rate"][-1] == pytest.approx(0.5, rel=2e-7)


def test_bad_input_is_told():
    m = lw.Model("bad")

    def message(build):
        with pytest.raises(lw.LinkworkError) as caught:
            build()
        return str(caught.value)

    assert "proper" in message(lambda: m.transfer_function("G", numerator=[1, 0], denominator=[1]))
    assert "B is 1×1 instead of 2×1" in message(lambda: m.state_space("S", A=np.eye(2), B=[[1]], C=[[1, 0]]))
    assert "lower < upper" in message(lambda: m.limiter("L", 1.0, lower=1, upper=0))
    assert "do not rise after 1 s" in message(lambda: lw.Table([0, 1, 1], [0, 1, 2]))
    assert "kind 'spline'" in message(lambda: lw.Table([0, 1], [0, 1], "spline"))
    assert "no outputs" in message(lambda: m.gain("g", m.tank("T"), gain=2.0))
    assert "m.sensor" in message(lambda: m.gain("g", m.earth("G").p, gain=2.0))
    assert "period" in message(lambda: m.sampled("s", 1.0, period=0, law=lambda u: u))
    assert "not an expression" in message(lambda: m.sensor("s", 3.0))
    assert "direction" in message(lambda: m.frame_sensor("s", m.ground, along=(0, 0)))
