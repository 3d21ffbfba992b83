"""Tables are data; lengths, frames and rest positions may follow signals; zeros of events are all found."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import linkwork as lw
from linkwork.core.pieces import SOUGHT_PIECES, Pieces, lines

TIMES, VALUES = np.array([0.3, 0.5, 1.1, 1.4, 2.0]), np.array([1.0, -2.0, 0.5, 3.0, 1.0])


def cart(*laws: Any, mass: float = 2.0) -> tuple[lw.Model, Any]:
    m = lw.Model("cart", gravity=(0, 0))
    rail = m.prismatic("rail", m.ground.at(0, 0), m.body("b", mass=mass, inertia=1).at(0, 0))
    for law in laws:
        rail.slide.law(law)
    return m, rail


def balance(r: lw.Result) -> float:
    """By how much the energies do not add up [J]."""
    stored = r["energy.total"] - r["energy.total"][0]
    return float(np.abs(stored + r["energy.dissipated"] - r["energy.supplied"]).max())


# Tables ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["linear", "cubic", "hold"])
def test_values_and_derivatives_of_tables(kind):
    table = lw.Table(TIMES, VALUES, kind)
    t = np.linspace(0, 2.5, 101)
    inside = (t > 0.3) & (t < 2)
    if kind == "cubic":
        spline = CubicSpline(TIMES, VALUES)
        for k in range(4):
            assert np.allclose(table.derivative(k)(t[inside]), spline(t[inside], k))
    elif kind == "linear":
        assert np.allclose(table(t), np.interp(t, TIMES, VALUES))
    else:
        assert np.array_equal(table(t), np.where(t < 0.3, 1.0, VALUES[np.searchsorted(TIMES, t, side="right") - 1]))
    assert np.all(table.derivative(1)(t[~inside]) == 0) or kind != "cubic"


def test_tables_that_repeat():
    saw = lw.Table([0.0, 1.0, 2.0], [0.0, 1.0, 0.0], ends="periodic")
    t = np.linspace(0, 9.9, 67)
    assert np.allclose(saw(t), 1 - np.abs(np.mod(t, 2) - 1))
    m, _ = cart(lw.Effort(saw))
    r = m.simulate(20, output=2.0)
    assert r["b.vx"] == pytest.approx(r.t / 2 / 2, abs=1e-9)
    wave = lw.Table(np.linspace(0, 2 * np.pi, 41), np.append(np.sin(np.linspace(0, 2 * np.pi, 41)[:-1]), 0.0), "cubic",
                    ends="periodic")  # fmt: skip
    assert not wave.steps(1, 60.0)
    m, rail = cart(lw.Motion(wave))
    r = m.simulate(20, output=1.0)
    assert r["rail.slide.effort"] == pytest.approx(-2 * np.sin(r.t), abs=2e-2)
    with pytest.raises(lw.ModelError, match="repeats, but begins at 0 and ends at 1"):
        lw.Table([0, 1], [0, 1], ends="periodic")


def test_tables_of_a_shifted_or_faster_time():
    table = lw.Table(TIMES, VALUES, "cubic")
    m, _ = cart(lw.Effort(lambda t: table(t - 0.2) + table(2 * t)), mass=1.0)
    r = m.simulate(2.2, output=0.1, rtol=1e-10)
    s = 0.0
    for f in (lambda t: table(t - 0.2), lambda t: table(2 * t)):
        knots = np.unique([0, *(TIMES + 0.2), *(TIMES / 2), 2.2])
        knots = knots[knots <= 2.2]
        x, w = np.polynomial.legendre.leggauss(4)
        s += sum((b - a) / 2 * w @ f((b + a) / 2 + (b - a) / 2 * x) for a, b in zip(knots, knots[1:], strict=False))
    assert r["b.vx"][-1] == pytest.approx(s, abs=1e-9)


def test_a_table_of_a_position_is_compiled_in():
    """A spring of straight lines: the energy it gives back is the area under them."""
    m, rail = cart(mass=1.0)
    force = lw.Table([0.0, 1.0, 2.0], [0.0, -1.0, -3.0])
    rail.slide.law(lw.Effort(lambda x: force(x)))
    rail.slide.start(0.0, rate=2.0)
    r = m.simulate(1.5, rtol=1e-10)
    area = [np.trapezoid(force(np.linspace(0, x, 4001)), np.linspace(0, x, 4001)) for x in r["b.x"]]
    assert r["b.vx"] ** 2 / 2 == pytest.approx(2 + np.array(area), abs=1e-6)
    long = lw.Table(np.arange(5000.0), np.zeros(5000))
    m, _ = cart(lw.Effort(lambda x: long(x)))
    with pytest.raises(lw.ModelError, match="points would be compiled in"):
        m.simulate(1)


def test_many_points_are_data():
    """Nothing of a table is compiled: another one of any length takes the same program."""
    t = np.linspace(0, 10, 300_001)
    table = lw.Table(t, np.where((t > 5) & (t < 5.001), 2000.0, 0.0))
    m, rail = cart(lw.Effort(table))
    r = m.simulate(10, output=1.0)
    assert r["b.vx"][-1] == pytest.approx(np.trapezoid(table.values, t) / 2, abs=1e-6)
    table.values = 2 * table.values
    again = m.simulate(10, output=1.0)
    assert again["b.vx"][-1] == pytest.approx(2 * r["b.vx"][-1], rel=1e-9)
    assert again.record["timings"]["compile"] == 0
    with pytest.raises(lw.ModelError, match="Give as many values as times"):
        table.values = [1.0, 2.0]


def test_points_that_lie_on_one_curve_are_not_stopped_at():
    t = np.linspace(0, 10, 100_001)
    assert SOUGHT_PIECES < t.size
    flat = lines(t, np.zeros(t.size)).corners()
    smooth = lines(t, np.sin(t)).corners()
    rough = lines(t, np.random.default_rng(1).normal(size=t.size)).corners()
    assert flat.size < 40 and smooth.size < 2000 and rough.size == t.size
    kink = lines(t, np.abs(t - 5.0)).corners()
    assert kink.size < 60 and np.abs(kink - 5.0).min() < 1e-9


def test_pieces_jump_where_they_say():
    pieces = Pieces(np.array([1.0, 2.0]), np.array([[0.0, 0.0], [0.0, 2.0], [5.0, 0.0]]))
    assert pieces.steps(0) == pytest.approx([0, 3]) and pieces.steps(1) == pytest.approx([2, -2])
    assert pieces(np.array([0.5, 1.5, 2.0])) == pytest.approx([0, 1, 5])


# Lengths, frames and rest positions that change -----------------------------------------------------------------------


def lengths(m: lw.Model) -> dict[str, tuple[Any, dict[str, Any]]]:
    t = np.linspace(0, 1.5, 1201)
    return {
        "expression": (1 + 0.2 * lw.sin(3 * m.t), {}),
        "function": (lambda t: 1 + 0.2 * lw.sin(3 * t), {}),
        "table": (lw.Table(t, 1 + 0.2 * np.sin(3 * t), "cubic"), {}),
        "input": (m.input("L", 1.0), {"L": lambda t: 1 + 0.2 * np.sin(3 * t)}),
        "state": (m.state("s", 1.0, rate=0.6 * lw.cos(3 * m.t)).symbol, {}),
    }


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "acausal"])
@pytest.mark.parametrize("kind", ["expression", "function", "table", "input", "state"])
def test_a_rod_that_changes_its_length(kind, formulation):
    """L ä + 2 L̇ ȧ + g sin a = 0."""

    def rates(t: float, y: np.ndarray) -> list[float]:
        L, dL = 1 + 0.2 * math.sin(3 * t), 0.6 * math.cos(3 * t)
        return [y[1], -(9.81 * math.sin(y[0]) + 2 * dL * y[1]) / L]

    a = solve_ivp(rates, (0, 1.5), [0.5, 0], rtol=1e-11, atol=1e-12).y[0, -1]
    m = lw.Model("pendulum", gravity=(0, -9.81))
    bob = m.body("b", mass=2, inertia=0.1)
    bob.start(position=(math.sin(0.5), -math.cos(0.5)))
    length, inputs = lengths(m)[kind]
    m.distance("rod", m.ground.at(0, 0), bob.at(0, 0), length=length)
    r = m.simulate(1.5, inputs=inputs, formulation=formulation, output=0.5)
    assert r["b.x"][-1] == pytest.approx((1 + 0.2 * math.sin(4.5)) * math.sin(a), abs=1e-7)
    assert balance(r) < 1e-6


def test_bond_graphs_say_that_they_do_not_cover_it():
    m = lw.Model("pendulum")
    bob = m.body("b", mass=2, inertia=0.1)
    bob.start(position=(0, -1))
    m.distance("rod", m.ground.at(0, 0), bob.at(0, 0), length=lambda t: 1 + 0.1 * t)
    with pytest.raises(lw.ModelError, match="rod: its frames or its length change with time"):
        m.simulate(1, formulation="bondgraph")


@pytest.mark.parametrize("kind", ["function", "input", "state", "law"])
def test_a_spring_that_changes_its_length(kind):
    """2 ẍ = −50 (x − L); what it takes to change L counts as supplied."""
    m, rail = cart()
    rail.slide.start(1.0)
    inputs: dict[str, Any] = {}
    if kind == "function":
        length: Any = lambda t: 1 + 0.1 * lw.sin(4 * t)  # noqa: E731
    elif kind == "state":
        state = m.state("L", 1.0)
        state.rate = 0.4 * lw.cos(4 * m.t)
        length = state.symbol
    else:
        length, inputs = m.input("u", 1.0), {"u": lambda t: 1 + 0.1 * np.sin(4 * t)}
    if kind == "law":
        rail.slide.law(lw.Spring(50, rest=length))
    else:
        m.spring("S", m.ground.at(0, 0), m["b"].at(0, 0), stiffness=50, length=length)
    r = m.simulate(3, inputs=inputs, output=0.1)
    s = solve_ivp(lambda t, y: [y[1], -25 * (y[0] - 1 - 0.1 * np.sin(4 * t))], (0, 3), [1, 0], rtol=1e-11, atol=1e-12)
    assert r["b.x"][-1] == pytest.approx(s.y[0, -1], abs=1e-7)
    assert balance(r) < 1e-5 and r["energy.supplied"][-1] > 1


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "acausal"])
def test_a_pivot_that_moves_by_an_input(formulation):
    """(m l² + J) ä = −m l (g sin a + ü cos a) for a pivot at (u, 0)."""
    m = lw.Model("pivot", gravity=(0, -9.81))
    bob = m.body("b", mass=2, inertia=0.1)
    bob.start(position=(0, -1))
    m.revolute("j", m.ground.at(m.input("u"), 0), bob.at(0, 1))
    r = m.simulate(2, inputs={"u": lambda t: 0.3 * np.sin(3 * t)}, formulation=formulation, output=0.5)
    s = solve_ivp(
        lambda t, y: [y[1], -2 * (9.81 * np.sin(y[0]) - 2.7 * np.sin(3 * t) * np.cos(y[0])) / 2.1],
        (0, 2),
        [r["b.angle"][0], r["b.wz"][0]],
        rtol=1e-11,
        atol=1e-12,
    )
    assert r["b.angle"][-1] == pytest.approx(s.y[0, -1], abs=1e-7)
    assert balance(r) < 1e-5


# Samples and events ---------------------------------------------------------------------------------------------------


def test_a_sample_at_a_jump_shows_what_holds_afterwards_and_the_last_one_what_held():
    m, _ = cart(lw.Effort(lambda t: lw.if_else(t > 1, 4.0, 2.0)))
    assert m.simulate(2, output=0.5)["b.ax"] == pytest.approx([1, 1, 2, 2, 2])
    assert m.simulate(1, output=0.5)["b.ax"] == pytest.approx([1, 1, 1])


def test_a_rigid_contact_lifts_where_the_force_jumps():
    """20 N rest on the floor until 60 N pull: both sides are there, and nothing below zero."""
    m = lw.Model("lift", gravity=(0, -10))
    body = m.body("b", mass=2, inertia=1)
    m.prismatic("j", m.ground.at(0, 0), body.at(0, 0), axis=(0, 1))
    m.rigid_contact("c", body.at(0, 0))
    m.force("F", body.at(0, 0), lambda t: (0, lw.if_else(t >= 1, 60.0, 0.0)))
    r = m.simulate(2, output=0.25)
    assert r["c.normal"] == pytest.approx(np.where(np.arange(r.t.size) < 5, 20.0, 0.0), abs=1e-9)
    assert r.t[4] == r.t[5] == 1.0
    assert r["b.y"][-1] == pytest.approx(10, abs=1e-9)


@pytest.mark.parametrize("solver", ["dopri5", "dop853", "radau", "rk4", "generalized_alpha"])
@pytest.mark.parametrize("fast", [3.0, 200.0, 777.7])
def test_all_zeros_of_a_fast_event_are_found(fast, solver):
    m, rail = cart()
    rail.slide.start(0, rate=1.0)
    m.event("e", lambda x: lw.sin(fast * x), rail.slide)
    step = {"step": math.pi / 100} if solver in ("rk4", "generalized_alpha") else {}
    r = m.simulate(10, solver=solver, output=1.0, **step)
    exact = np.arange(int(10 * fast / math.pi) + 1) * math.pi / fast
    assert [t for t, _ in r.events] == pytest.approx(exact, abs=1e-9)


def test_zeros_at_the_start_and_the_end_count():
    m, rail = cart()
    rail.slide.start(0, rate=1.0)
    m.event("e", lambda x: lw.sin(10 * x), rail.slide)
    r = m.simulate(math.pi, output=1.0)
    assert [t for t, _ in r.events] == pytest.approx(np.arange(11) * math.pi / 10, abs=1e-9)
    m["e"].direction = 1
    assert len(m.simulate(math.pi, output=1.0).events) == 6


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_a_stiffness_or_length_in_steps_brings_its_energy_at_once(formulation):
    """½ k (x − L)² jumps with L and k: the balance stays closed."""
    m, rail = cart()
    rail.slide.start(1.0, rate=0.3)
    m.spring(
        "S", m.ground.at(0, 0), m["b"].at(0, 0), stiffness=50, length=lw.Table([0, 0.7, 1.3], [1, 0.6, 1.2], "hold")
    )
    rail.slide.law(lw.Spring(m.input("k", 10.0), rest=0.5))
    r = m.simulate(2, inputs={"k": ([0.9, 0.9], [10, 40])}, formulation=formulation, output=0.1)
    assert balance(r) < 1e-5 and np.abs(r["energy.supplied"]).max() > 1
